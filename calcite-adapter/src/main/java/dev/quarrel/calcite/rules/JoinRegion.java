package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.joinorder.JoinGraph;
import dev.quarrel.calcite.limits.PlanningLimits;
import dev.quarrel.calcite.rel.Prevailing;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.plan.Strong;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;

/// Joins that lie together in a tree, taken apart: relations, and the conditions over the columns of all of them, one
/// behind the other.
///
/// Semi, anti, left and mark joins attach one relation, their right side, which is ordered within itself. All but the
/// conditions that can fail may be asked as soon as the relations that they need are there.
final class JoinRegion {
    private final Pushdown pushdown;
    private final List<RelNode> relations = new ArrayList<>();
    private final List<Integer> firstColumns = new ArrayList<>();
    private final List<Attached> attached = new ArrayList<>(); // null for relations of inner joins
    private final List<RexNode> written = new ArrayList<>();
    private final List<List<RexNode>> own = new ArrayList<>();
    private final List<Condition> conditions = new ArrayList<>();
    private final List<RexNode> late = new ArrayList<>();
    private List<Integer> outputs;
    private int columnCount;
    private List<RelDataType> types;

    /// What brings a relation in.
    ///
    /// @param on over the region's columns
    record Attached(JoinRelType type, List<RexNode> on) {
        JoinGraph.Kind kind() {
            return switch (type) {
                case SEMI -> JoinGraph.Kind.SEMI;
                case ANTI -> JoinGraph.Kind.ANTI;
                case LEFT -> JoinGraph.Kind.LEFT;
                case LEFT_MARK -> JoinGraph.Kind.MARK;
                default -> throw new IllegalStateException("no relation is attached by " + type);
            };
        }
    }

    /// @param node over the region's columns
    /// @param needs relations that must be there
    /// @param left of an equality: what its left side needs; 0 where it joins nothing
    /// @param right likewise
    record Condition(RexNode node, long needs, long left, long right) {
        boolean isNew(long together, long one, long other) {
            return (needs & ~together) == 0 && (needs & ~one) != 0 && (needs & ~other) != 0;
        }

        boolean isEdge(long one, long other) {
            return left != 0
                    && ((left & ~one) == 0 && (right & ~other) == 0 || (left & ~other) == 0 && (right & ~one) == 0);
        }
    }

    private JoinRegion(Pushdown pushdown) {
        this.pushdown = pushdown;
    }

    static JoinRegion of(Pushdown pushdown, Join join, List<RexNode> above) {
        JoinRegion region = new JoinRegion(pushdown);
        region.outputs = region.flatten(join, JoinGraph.MAX_RELATIONS);
        above.forEach(condition -> region.written.add(region.moved(condition, region.outputs)));
        region.weaken();
        region.classify(join);
        return region;
    }

    /// Whether a join may change its place among others.
    static boolean isOrdered(Pushdown pushdown, RelNode rel) {
        if (!(rel instanceof Join join) || !join.getVariablesSet().isEmpty()) {
            return false;
        }
        return switch (join.getJoinType()) {
            case INNER -> true;
            case SEMI, ANTI, LEFT, LEFT_MARK -> {
                Disjunctions disjunctions = pushdown.disjunctionsOfSides(join);
                yield disjunctions.conjuncts(join.getCondition()).stream()
                        .noneMatch(condition -> pushdown.canFailOverSides(join, condition));
            }
            default -> false;
        };
    }

    /// Whether there is another join to change places with.
    static boolean hasOthers(Pushdown pushdown, Join join) {
        return join.getJoinType() == JoinRelType.INNER || isOrdered(pushdown, below(join.getLeft()));
    }

    /// Below filters, and projections that only choose columns.
    private static RelNode below(RelNode rel) {
        RelNode found = rel;
        while (found instanceof Filter filter && filter.getVariablesSet().isEmpty() || isChoice(found)) {
            found = found.getInput(0);
        }
        return found;
    }

    /// A projection that only chooses columns.
    static boolean isChoice(RelNode rel) {
        return rel instanceof Project project
                && project.getVariablesSet().isEmpty()
                && project.getProjects().stream().allMatch(node -> node instanceof RexInputRef);
    }

    /// The region's columns that a node's columns are.
    ///
    /// @param room for so many relations
    private List<Integer> flatten(RelNode rel, int room) {
        PlanningLimits.tick();
        RelNode below = below(rel);
        // The last row before a window is that of all right rows, before other joins.
        if (room < 2 || !isOrdered(pushdown, below) || Prevailing.isAskedBy(rel)) {
            return relation(rel, null);
        }
        if (rel instanceof Filter filter) {
            List<Integer> columns = flatten(filter.getInput(), room);
            for (RexNode conjunct : pushdown.disjunctions(filter.getInput()).conjuncts(filter.getCondition())) {
                written.add(moved(conjunct, columns));
            }
            return columns;
        }
        if (rel instanceof Project project) {
            List<Integer> columns = flatten(project.getInput(), room);
            return project.getProjects().stream()
                    .map(node -> columns.get(((RexInputRef) node).getIndex()))
                    .toList();
        }
        Join join = (Join) rel;
        boolean isInner = join.getJoinType() == JoinRelType.INNER;
        int before = relations.size();
        List<Integer> left = flatten(join.getLeft(), room - 1);
        int rest = room - (relations.size() - before);
        return isInner ? inner(join, left, rest) : attached(join, left);
    }

    private List<Integer> inner(Join join, List<Integer> left, int room) {
        List<Integer> columns = new ArrayList<>(left);
        columns.addAll(flatten(join.getRight(), room));
        for (RexNode conjunct : pushdown.disjunctions(join).conjuncts(join.getCondition())) {
            written.add(moved(conjunct, columns));
        }
        return columns;
    }

    private List<Integer> attached(Join join, List<Integer> left) {
        int leftCount = left.size();
        List<RexNode> toRight = new ArrayList<>();
        List<RexNode> toLeft = new ArrayList<>();
        List<RexNode> on = new ArrayList<>();
        pushdown.splitOn(join, toLeft, toRight, on);
        toLeft.forEach(condition -> written.add(moved(condition, left)));
        RelNode right = pushdown.filtered(join.getRight(), toRight);
        List<Integer> columns = new ArrayList<>(left);
        int mark = columnCount + right.getRowType().getFieldCount();
        List<RexNode> moved = new ArrayList<>();
        Attached how = new Attached(join.getJoinType(), moved);
        columns.addAll(relation(right, how));
        on.forEach(condition -> moved.add(moved(condition, columns)));
        return switch (join.getJoinType()) {
            case SEMI, ANTI -> columns.subList(0, leftCount);
            case LEFT_MARK -> {
                columnCount++;
                List<Integer> marked = new ArrayList<>(left);
                marked.add(mark);
                yield marked;
            }
            default -> columns;
        };
    }

    private List<Integer> relation(RelNode rel, Attached how) {
        List<Integer> columns = new ArrayList<>();
        for (int column = 0; column < rel.getRowType().getFieldCount(); column++) {
            columns.add(columnCount + column);
        }
        relations.add(rel);
        firstColumns.add(columnCount);
        attached.add(how);
        own.add(new ArrayList<>());
        columnCount += columns.size();
        return columns;
    }

    private RexNode moved(RexNode node, List<Integer> columns) {
        return node.accept(new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef input) {
                return new RexInputRef(columns.get(input.getIndex()), input.getType());
            }
        });
    }

    /// A left join whose rows without a partner some condition removes is an inner one.
    private void weaken() {
        boolean changed = true;
        while (changed) {
            changed = false;
            for (int relation = 0; relation < relations.size(); relation++) {
                Attached how = attached.get(relation);
                if (how == null || how.type() != JoinRelType.LEFT) {
                    continue;
                }
                ImmutableBitSet columns = ImmutableBitSet.range(
                        firstColumn(relation),
                        firstColumn(relation)
                                + relations.get(relation).getRowType().getFieldCount());
                if (written.stream().anyMatch(condition -> Strong.isNotTrue(condition, columns))) {
                    attached.set(relation, null);
                    written.addAll(0, how.on());
                    changed = true;
                }
            }
        }
    }

    private int relationOf(int column) {
        int relation = firstColumns.size() - 1;
        while (firstColumns.get(relation) > column) {
            relation--;
        }
        return relation;
    }

    /// The relations whose columns a node reads.
    private long read(RexNode node) {
        long found = 0;
        for (int column : RelOptUtil.InputFinder.bits(node)) {
            found |= 1L << relationOf(column);
        }
        return found;
    }

    /// With what must be there before the ones that are attached.
    long needs(long relations) {
        long all = relations;
        long before = 0;
        while (all != before) {
            before = all;
            for (long rest = before; rest != 0; rest &= rest - 1) {
                int relation = Long.numberOfTrailingZeros(rest);
                if (attached.get(relation) != null) {
                    all |= needsOf(relation);
                }
            }
        }
        return all;
    }

    /// What must be there before a relation is attached: what its condition reads of others, and where it reads none,
    /// all that come before it.
    private long needsOf(int relation) {
        long self = 1L << relation;
        long found = 0;
        for (RexNode condition : attached.get(relation).on()) {
            found |= read(condition);
        }
        found &= ~self;
        return found == 0 ? self - 1 : found;
    }

    /// The same, with what these need.
    long needsBefore(int relation) {
        return needs(needsOf(relation));
    }

    private void classify(Join join) {
        for (RexNode condition : written) {
            long used = read(condition);
            boolean isFree = used != 0 && !pushdown.canFailOver(types(), condition);
            Condition known = condition(condition, needs(used));
            if (!isFree && !(Long.bitCount(known.needs()) == 2 && known.left() != 0)) {
                late.add(condition);
                continue;
            }
            if (Long.bitCount(used) == 1 && attached.get(Long.numberOfTrailingZeros(used)) == null) {
                int relation = Long.numberOfTrailingZeros(used);
                own.get(relation).add(shifted(condition, relation));
                continue;
            }
            conditions.add(known);
            addImplied(condition, used, join);
        }
    }

    private Condition condition(RexNode node, long needs) {
        boolean isEquality = node.getKind() == SqlKind.EQUALS || node.getKind() == SqlKind.IS_NOT_DISTINCT_FROM;
        if (isEquality) {
            long left = needs(read(((RexCall) node).getOperands().get(0)));
            long right = needs(read(((RexCall) node).getOperands().get(1)));
            if (left != 0 && right != 0 && (left & right) == 0) {
                return new Condition(node, needs, left, right);
            }
        }
        return new Condition(node, needs, 0, 0);
    }

    /// What an OR over several relations says of each of them filters before they are joined.
    private void addImplied(RexNode condition, long used, Join join) {
        Disjunctions disjunctions = pushdown.disjunctionsOver(types());
        for (long rest = used; rest != 0; rest &= rest - 1) {
            int relation = Long.numberOfTrailingZeros(rest);
            if (attached.get(relation) != null) {
                continue;
            }
            RexNode implied = disjunctions.implied(condition, part -> read(part) == 1L << relation);
            if (implied != null) {
                own.get(relation).add(shifted(implied, relation));
            }
        }
    }

    private RexNode shifted(RexNode node, int relation) {
        return RexUtil.shift(node, -firstColumn(relation));
    }

    /// Of all columns, with a mark's.
    private List<RelDataType> types() {
        if (types == null) {
            types = new ArrayList<>();
            for (int relation = 0; relation < relations.size(); relation++) {
                relations.get(relation).getRowType().getFieldList().forEach(field -> types.add(field.getType()));
                Attached how = attached.get(relation);
                if (how != null && how.type() == JoinRelType.LEFT_MARK) {
                    types.add(pushdown.nullableBoolean());
                }
            }
        }
        return types;
    }

    int size() {
        return relations.size();
    }

    RelNode relation(int index) {
        return relations.get(index);
    }

    int firstColumn(int relation) {
        return firstColumns.get(relation);
    }

    /// Conditions over one relation's own columns.
    List<RexNode> own(int relation) {
        return own.get(relation);
    }

    /// null for a relation of inner joins.
    Attached attached(int relation) {
        return attached.get(relation);
    }

    List<Condition> conditions() {
        return conditions;
    }

    /// The region's columns that the uppermost join has.
    List<Integer> outputs() {
        return outputs;
    }

    /// Conditions that can fail, over the region's columns, in order.
    List<RexNode> late() {
        return late;
    }
}
