package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.limits.PlanningLimits;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;

/// Chooses the order of consecutive inner joins: the largest relation streams, and the others become build sides
/// that it probes one after another, the one that leaves the fewest rows first. This suits a star schema; a
/// relation that only one dimension refers to is joined to that dimension before the hash table is built.
final class JoinOrder {
    /// Up to so many relations each next one is the best of those left; beyond, trying them all takes too long.
    private static final int MAX_TRIED = 100;

    private final Pushdown pushdown;
    private final RexBuilder rexBuilder;
    private final List<RelNode> relations = new ArrayList<>();
    private final List<Integer> firstColumn = new ArrayList<>();
    /// As written; over the concatenated columns of `relations`.
    private final List<RexNode> conditions = new ArrayList<>();
    private final List<Edge> edges = new ArrayList<>();
    /// For each relation, those that an edge ties to it.
    private final List<BitSet> ties = new ArrayList<>();
    /// No equality of two relations, and able to be applied as soon as its relations are there.
    private final List<Pending> early = new ArrayList<>();
    /// Can fail: applied at the end, in order.
    private final List<RexNode> late = new ArrayList<>();

    /// An equality between an expression of one relation and one of another.
    private record Edge(int one, int other, RexNode condition) {}

    private record Pending(BitSet relations, RexNode condition) {}

    /// A joined tree and, for each of its columns, which column of the concatenated relations it is.
    ///
    /// @param ties relations that an edge ties to one of `relations`
    private record Joined(RelNode rel, List<Integer> columns, BitSet relations, BitSet ties) {}

    private JoinOrder(Pushdown pushdown) {
        this.pushdown = pushdown;
        this.rexBuilder = pushdown.rexBuilder();
    }

    /// The inner joins under `join`, ordered, with `above` applied.
    static RelNode of(Pushdown pushdown, Join join, List<RexNode> above) {
        JoinOrder order = new JoinOrder(pushdown);
        order.flatten(join, 0);
        order.conditions.addAll(above);
        return order.build(join);
    }

    private int flatten(RelNode rel, int offset) {
        if (rel instanceof Join join && isInner(join)) {
            int middle = flatten(join.getLeft(), offset);
            int end = flatten(join.getRight(), middle);
            addShifted(join, join.getCondition(), offset);
            return end;
        }
        if (rel instanceof Filter filter && filter.getVariablesSet().isEmpty() && isInner(filter.getInput())) {
            int end = flatten(filter.getInput(), offset);
            addShifted(filter, filter.getCondition(), offset);
            return end;
        }
        relations.add(rel);
        firstColumn.add(offset);
        return offset + rel.getRowType().getFieldCount();
    }

    private static boolean isInner(RelNode rel) {
        return rel instanceof Join join
                && join.getJoinType() == JoinRelType.INNER
                && join.getVariablesSet().isEmpty();
    }

    private void addShifted(RelNode rel, RexNode condition, int offset) {
        for (RexNode conjunct : pushdown.disjunctions(rel).conjuncts(condition)) {
            conditions.add(RexUtil.shift(conjunct, offset));
        }
    }

    private int relationOf(int column) {
        int relation = firstColumn.size() - 1;
        while (firstColumn.get(relation) > column) {
            relation--;
        }
        return relation;
    }

    private BitSet relationsOf(RexNode node) {
        BitSet found = new BitSet();
        for (int column : RelOptUtil.InputFinder.bits(node)) {
            found.set(relationOf(column));
        }
        return found;
    }

    private RelNode build(Join original) {
        List<List<RexNode>> own = new ArrayList<>();
        relations.forEach(_ -> own.add(new ArrayList<>()));
        conditions.forEach(condition -> classify(condition, original, own));
        relations.forEach(_ -> ties.add(new BitSet()));
        for (Edge edge : edges) {
            ties.get(edge.one()).set(edge.other());
            ties.get(edge.other()).set(edge.one());
        }
        List<Joined> inputs = new ArrayList<>();
        for (int index = 0; index < relations.size(); index++) {
            inputs.add(single(index, pushdown.push(relations.get(index), own.get(index))));
        }
        Joined joined = join(inputs);
        return pushdown.filtered(restored(joined, original), late);
    }

    private void classify(RexNode condition, Join original, List<List<RexNode>> own) {
        BitSet used = relationsOf(condition);
        boolean isEquality =
                condition.getKind() == SqlKind.EQUALS || condition.getKind() == SqlKind.IS_NOT_DISTINCT_FROM;
        if (used.cardinality() == 2 && isEquality && addEdge(condition)) {
            return;
        }
        boolean canFail = pushdown.canFail(original, condition);
        if (canFail || used.isEmpty()) {
            late.add(condition);
        } else if (used.cardinality() == 1) {
            int relation = used.nextSetBit(0);
            own.get(relation).add(RexUtil.shift(condition, -firstColumn.get(relation)));
        } else {
            early.add(new Pending(used, condition));
            addImplied(condition, used, original, own);
        }
    }

    /// What an OR over several relations says of each of them filters before they are joined.
    private void addImplied(RexNode condition, BitSet used, Join original, List<List<RexNode>> own) {
        Disjunctions disjunctions = pushdown.disjunctions(original);
        for (int relation = used.nextSetBit(0); relation >= 0; relation = used.nextSetBit(relation + 1)) {
            int each = relation;
            RexNode implied = disjunctions.implied(
                    condition,
                    part -> relationsOf(part).cardinality() == 1
                            && relationsOf(part).get(each));
            if (implied != null) {
                own.get(each).add(RexUtil.shift(implied, -firstColumn.get(each)));
            }
        }
    }

    private boolean addEdge(RexNode condition) {
        BitSet left = relationsOf(((RexCall) condition).getOperands().get(0));
        BitSet right = relationsOf(((RexCall) condition).getOperands().get(1));
        if (left.cardinality() != 1 || right.cardinality() != 1 || left.equals(right)) {
            return false;
        }
        edges.add(new Edge(left.nextSetBit(0), right.nextSetBit(0), condition));
        return true;
    }

    private Joined single(int relation, RelNode input) {
        List<Integer> columns = new ArrayList<>();
        for (int column = 0; column < input.getRowType().getFieldCount(); column++) {
            columns.add(firstColumn.get(relation) + column);
        }
        BitSet bits = new BitSet();
        bits.set(relation);
        return new Joined(input, columns, bits, ties.get(relation));
    }

    private Joined join(List<Joined> inputs) {
        List<Joined> waiting = new ArrayList<>(inputs);
        Joined stream = inputs.getFirst();
        for (Joined input : inputs) {
            stream = rows(input) > rows(stream) ? input : stream;
        }
        waiting.remove(stream);
        foldSnowflakes(stream, waiting);
        while (!waiting.isEmpty()) {
            Joined next = next(stream, waiting);
            waiting.remove(next);
            stream = joined(stream, next);
        }
        return stream;
    }

    private double rows(Joined joined) {
        return pushdown.cardinality().rows(joined.rel());
    }

    /// Joins a relation that is tied to one other only, and not to the stream, to that one; until there is none.
    private void foldSnowflakes(Joined stream, List<Joined> others) {
        boolean changed = others.size() <= MAX_TRIED;
        while (changed) {
            changed = false;
            for (Joined leaf : List.copyOf(others)) {
                List<Joined> neighbours = others.stream()
                        .filter(other -> other != leaf && areTied(leaf, other))
                        .toList();
                if (neighbours.size() == 1 && !areTied(stream, leaf) && rows(leaf) <= rows(neighbours.getFirst())) {
                    others.remove(leaf);
                    others.remove(neighbours.getFirst());
                    others.add(joined(neighbours.getFirst(), leaf));
                    changed = true;
                    break;
                }
            }
        }
    }

    private static boolean crosses(Edge edge, Joined one, Joined other) {
        return one.relations().get(edge.one()) && other.relations().get(edge.other())
                || one.relations().get(edge.other()) && other.relations().get(edge.one());
    }

    private static boolean areTied(Joined one, Joined other) {
        PlanningLimits.tick();
        return one.ties().intersects(other.relations());
    }

    /// The relation to probe next: a tied one that leaves fewest rows; without any, the smallest.
    private Joined next(Joined stream, List<Joined> candidates) {
        Joined best = null;
        double bestRows = Double.POSITIVE_INFINITY;
        boolean isTied = candidates.stream().anyMatch(candidate -> areTied(stream, candidate));
        for (Joined candidate : candidates) {
            if (isTied && !areTied(stream, candidate)) {
                continue;
            }
            boolean isTried = isTied && relations.size() <= MAX_TRIED;
            double left = isTried ? rows(joined(stream, candidate)) : rows(candidate);
            if (best == null || left < bestRows || left == bestRows && rows(candidate) < rows(best)) {
                best = candidate;
                bestRows = left;
            }
        }
        return best;
    }

    private Joined joined(Joined left, Joined right) {
        List<Integer> columns = new ArrayList<>(left.columns());
        columns.addAll(right.columns());
        PlanningLimits.tick();
        BitSet together = union(left.relations(), right.relations());
        List<RexNode> keys = edges.stream()
                .filter(edge -> crosses(edge, left, right))
                .map(edge -> moved(edge.condition(), columns))
                .toList();
        RelNode rel = LogicalJoin.create(
                left.rel(),
                right.rel(),
                List.of(),
                RexUtil.composeConjunction(rexBuilder, keys),
                Set.of(),
                JoinRelType.INNER);
        List<RexNode> now = early.stream()
                .filter(pending -> isWithin(pending.relations(), together)
                        && !isWithin(pending.relations(), left.relations())
                        && !isWithin(pending.relations(), right.relations()))
                .map(pending -> moved(pending.condition(), columns))
                .toList();
        return new Joined(pushdown.filtered(rel, now), columns, together, union(left.ties(), right.ties()));
    }

    private static BitSet union(BitSet one, BitSet other) {
        BitSet both = (BitSet) one.clone();
        both.or(other);
        return both;
    }

    private static boolean isWithin(BitSet inner, BitSet outer) {
        BitSet rest = (BitSet) inner.clone();
        rest.andNot(outer);
        return rest.isEmpty();
    }

    /// A condition over the concatenated relations as one over a joined tree's columns.
    private static RexNode moved(RexNode node, List<Integer> columns) {
        return node.accept(new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef input) {
                return new RexInputRef(columns.indexOf(input.getIndex()), input.getType());
            }
        });
    }

    private RelNode restored(Joined joined, Join original) {
        List<Integer> columns = joined.columns();
        boolean isInOrder = true;
        for (int index = 0; index < columns.size(); index++) {
            isInOrder &= columns.get(index) == index;
        }
        if (isInOrder) {
            return joined.rel();
        }
        List<RexNode> references = new ArrayList<>();
        for (RelDataTypeField field : original.getRowType().getFieldList()) {
            references.add(rexBuilder.makeInputRef(joined.rel(), columns.indexOf(field.getIndex())));
        }
        return LogicalProject.create(
                joined.rel(), List.of(), references, original.getRowType().getFieldNames(), Set.of());
    }
}
