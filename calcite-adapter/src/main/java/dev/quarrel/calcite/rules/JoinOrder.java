package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.joinorder.JoinGraph;
import dev.quarrel.calcite.joinorder.JoinPlan;
import dev.quarrel.calcite.joinorder.JoinSearch;
import dev.quarrel.calcite.limits.PlanningLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;

/// Chooses the order of consecutive joins by the rows expected of them, whatever the shape of their graph: inner joins,
/// and the semi, anti, left and mark joins between, above and below them.
///
/// The left side of each join it makes streams, the right one is built. A condition that can fail waits until all are
/// joined.
final class JoinOrder {
    private final Pushdown pushdown;
    private final JoinRegion region;
    private final List<RelNode> relations;

    /// A joined tree and, for each of its columns, which column of the region it is.
    private record Joined(RelNode rel, List<Integer> columns, long relations) {}

    private JoinOrder(Pushdown pushdown, JoinRegion region, List<RelNode> relations) {
        this.pushdown = pushdown;
        this.region = region;
        this.relations = relations;
    }

    /// Whether the join is of a kind that takes part, and has another beside it.
    static boolean takes(Pushdown pushdown, Join join) {
        return JoinRegion.isOrdered(pushdown, join) && JoinRegion.hasOthers(pushdown, join);
    }

    /// The joins under `join`, ordered, with `above` applied.
    static RelNode of(Pushdown pushdown, Join join, List<RexNode> above) {
        JoinRegion region = JoinRegion.of(pushdown, join, above);
        List<RelNode> relations = new ArrayList<>();
        for (int index = 0; index < region.size(); index++) {
            relations.add(pushdown.push(region.relation(index), region.own(index)));
        }
        JoinOrder order = new JoinOrder(pushdown, region, relations);
        JoinGraph graph = JoinRows.graph(pushdown, region, relations);
        Joined joined = order.made(JoinSearch.find(graph, PlanningLimits::tick).tree());
        RelNode whole = pushdown.filtered(joined.rel(), moved(region.late(), joined.columns(), joined.rel()));
        return order.restored(new Joined(whole, joined.columns(), joined.relations()), join);
    }

    private Joined made(JoinPlan plan) {
        if (plan.isRelation()) {
            int relation = plan.relation();
            List<Integer> columns = new ArrayList<>();
            for (int column = 0; column < relations.get(relation).getRowType().getFieldCount(); column++) {
                columns.add(region.firstColumn(relation) + column);
            }
            return new Joined(relations.get(relation), columns, plan.set());
        }
        Joined left = made(plan.left());
        Joined right = made(plan.right());
        JoinRegion.Attached attached =
                plan.right().isRelation() ? region.attached(plan.right().relation()) : null;
        return attached == null
                ? inner(left, right)
                : attached(left, right, attached, plan.right().relation());
    }

    private Joined inner(Joined left, Joined right) {
        List<Integer> columns = new ArrayList<>(left.columns());
        columns.addAll(right.columns());
        long together = left.relations() | right.relations();
        List<RexNode> keys = new ArrayList<>();
        List<RexNode> others = new ArrayList<>();
        for (JoinRegion.Condition condition : region.conditions()) {
            if (condition.isNew(together, left.relations(), right.relations())) {
                (condition.isEdge(left.relations(), right.relations()) ? keys : others).add(condition.node());
            }
        }
        RelNode types = product(left.rel(), right.rel(), List.of(), JoinRelType.INNER);
        RelNode rel = product(left.rel(), right.rel(), moved(keys, columns, types), JoinRelType.INNER);
        return new Joined(pushdown.filtered(rel, moved(others, columns, rel)), columns, together);
    }

    private Joined attached(Joined left, Joined right, JoinRegion.Attached attached, int relation) {
        List<Integer> columns = new ArrayList<>(left.columns());
        columns.addAll(right.columns());
        long together = left.relations() | right.relations();
        RelNode types = product(left.rel(), right.rel(), List.of(), JoinRelType.INNER);
        RelNode rel = product(left.rel(), right.rel(), moved(attached.on(), columns, types), attached.type());
        List<Integer> kept =
                switch (attached.type()) {
                    case SEMI, ANTI -> left.columns();
                    case LEFT_MARK -> {
                        List<Integer> marked = new ArrayList<>(left.columns());
                        marked.add(region.firstColumn(relation)
                                + relations.get(relation).getRowType().getFieldCount());
                        yield marked;
                    }
                    default -> columns;
                };
        List<RexNode> now = region.conditions().stream()
                .filter(condition -> condition.isNew(together, left.relations(), right.relations()))
                .map(JoinRegion.Condition::node)
                .toList();
        return new Joined(pushdown.filtered(rel, moved(now, kept, rel)), kept, together);
    }

    private RelNode product(RelNode left, RelNode right, List<RexNode> on, JoinRelType type) {
        return LogicalJoin.create(
                left, right, List.of(), RexUtil.composeConjunction(pushdown.rexBuilder(), on), Set.of(), type);
    }

    /// Conditions over the region's columns as ones over a tree's.
    private static List<RexNode> moved(List<RexNode> nodes, List<Integer> columns, RelNode rel) {
        List<RelDataTypeField> fields = rel.getRowType().getFieldList();
        RexShuttle shuttle = new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef input) {
                int place = columns.indexOf(input.getIndex());
                return new RexInputRef(place, fields.get(place).getType());
            }
        };
        return nodes.stream().map(node -> node.accept(shuttle)).toList();
    }

    private RelNode restored(Joined joined, Join original) {
        List<Integer> wanted = region.outputs();
        if (joined.columns().equals(wanted)) {
            return joined.rel();
        }
        List<RexNode> references = new ArrayList<>();
        for (int column : wanted) {
            references.add(pushdown.rexBuilder()
                    .makeInputRef(joined.rel(), joined.columns().indexOf(column)));
        }
        return LogicalProject.create(
                joined.rel(), List.of(), references, original.getRowType().getFieldNames(), Set.of());
    }
}
