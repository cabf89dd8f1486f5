package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.limits.PlanningLimits;
import dev.quarrel.calcite.metadata.QuarrelMetadata;
import dev.quarrel.calcite.sql.type.PostgresRelType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.util.ImmutableBitSet;

/// Groups rows before they are joined with what only names the groups: sales by the customer's number, then the few
/// groups with the customer's name, address and so on, by which they are grouped once more.
///
/// Any partner that a row has, each row of its group has: partial results are joined as often as their rows would be.
/// So sums, counts, least and greatest values of them are those of the rows. Sums of floats are not: they are rounded
/// once.
///
/// Nothing is moved that can fail. Whether it pays is told by the rows expected of both ways.
///
/// - Source: Yan and Larson, "Eager Aggregation and Lazy Aggregation" (1995).
final class EagerAggregation {
    /// Fewer rows are grouped as fast as this is found out.
    private static final double MIN_ROWS = 20_000;

    private static final int MAX_RELATIONS = 40;

    /// So many relations may be joined later, those that most keys read: each set of them is tried.
    private static final int MAX_LATE = 4;

    /// It must be expected to take such a part of the time at most.
    private static final double MAX_COST = 0.7;

    /// A decimal of so many digits has sums far below what a decimal holds.
    private static final int MAX_DIGITS = 27;

    /// Nanoseconds of a row: to find its group, for each key, and for each key that is a text of many values.
    private static final double GROUP = 20;

    private static final double KEY = 6;
    private static final double TEXT_KEY = 40;
    private static final double MANY_TEXTS = 4_096;
    private static final double PROBE = 12;

    private final RexBuilder rexBuilder;
    private final QuarrelMetadata expected;

    private EagerAggregation(RelNode root) {
        this.rexBuilder = root.getCluster().getRexBuilder();
        this.expected = QuarrelMetadata.of(root);
    }

    static RelNode apply(RelNode root) {
        return new EagerAggregation(root).visit(root);
    }

    private RelNode visit(RelNode rel) {
        PlanningLimits.tick();
        List<RelNode> inputs = rel.getInputs().stream().map(this::visit).toList();
        RelNode here = inputs.equals(rel.getInputs()) ? rel : rel.copy(rel.getTraitSet(), inputs);
        return here instanceof Aggregate aggregate ? eager(aggregate) : here;
    }

    private RelNode eager(Aggregate aggregate) {
        boolean isPlain = aggregate.getGroupType() == Aggregate.Group.SIMPLE
                && aggregate.getGroupCount() > 0
                && aggregate.getAggCallList().stream().allMatch(call -> merging(call, aggregate.getInput()) != null);
        if (!isPlain || expected.rows(aggregate.getInput()) < MIN_ROWS) {
            return aggregate;
        }
        InnerJoins region = InnerJoins.of(aggregate);
        if (region == null || region.relations.size() < 2 || region.relations.size() > MAX_RELATIONS) {
            return aggregate;
        }
        List<Integer> candidates = candidates(aggregate, region);
        Plan best = null;
        double perRow = perRow(aggregate.getInput(), aggregate.getGroupSet().asList());
        double least = MAX_COST * expected.rows(aggregate.getInput()) * perRow;
        for (int set = 1; set < 1 << candidates.size(); set++) {
            long late = 0;
            for (int index = 0; index < candidates.size(); index++) {
                late |= (set >> index & 1) == 0 ? 0 : 1L << candidates.get(index);
            }
            Plan plan = plan(aggregate, region, late, perRow);
            if (plan != null && plan.cost < least) {
                best = plan;
                least = plan.cost;
            }
        }
        return best == null ? aggregate : Pushdown.apply(merged(aggregate, region, best));
    }

    /// The aggregate of partial results that gives what the call gives of rows; null where there is none.
    static SqlAggFunction merging(AggregateCall call, RelNode input) {
        if (call.isDistinct()
                || call.getArgList().size() > 1
                || !call.getCollation().getFieldCollations().isEmpty()
                || call.distinctKeys != null) {
            return null;
        }
        return switch (call.getAggregation().getKind()) {
            case COUNT -> SqlStdOperatorTable.SUM0;
            case SUM, SUM0 -> {
                RelDataType type = input.getRowType()
                        .getFieldList()
                        .get(call.getArgList().getFirst())
                        .getType();
                yield isSummedExactly(type) ? call.getAggregation() : null;
            }
            case MIN, MAX -> call.getAggregation();
            default -> null;
        };
    }

    private static boolean isSummedExactly(RelDataType type) {
        return switch (type.getSqlTypeName()) {
            case SMALLINT, INTEGER, BIGINT -> true;
            case DECIMAL -> type instanceof PostgresRelType || type.getPrecision() <= MAX_DIGITS;
            default -> false;
        };
    }

    /// Relations that no aggregate reads, and that keep all of their rows: those that a condition filters should be
    /// joined first.
    private static List<Integer> candidates(Aggregate aggregate, InnerJoins region) {
        long read = 0;
        for (AggregateCall call : aggregate.getAggCallList()) {
            for (int argument : call.getArgList()) {
                read |= region.read(region.outputs.get(argument));
            }
            read |= call.filterArg < 0 ? 0 : region.read(region.outputs.get(call.filterArg));
        }
        List<Integer> candidates = new ArrayList<>();
        for (int relation = 0; relation < region.relations.size(); relation++) {
            if ((read >> relation & 1) == 0 && isWhole(region.relations.get(relation))) {
                candidates.add(relation);
            }
        }
        if (candidates.size() == region.relations.size()) {
            return List.of();
        }
        Map<Integer, Long> keys = new LinkedHashMap<>();
        for (int candidate : candidates) {
            long reading = aggregate.getGroupSet().asList().stream()
                    .filter(key -> (region.read(region.outputs.get(key)) >> candidate & 1) == 1)
                    .count();
            keys.put(candidate, reading);
        }
        candidates.sort(Comparator.comparing((Integer candidate) -> -keys.get(candidate)));
        return candidates.subList(0, Math.min(MAX_LATE, candidates.size()));
    }

    private static boolean isWhole(RelNode rel) {
        return switch (rel) {
            case Project project -> isWhole(project.getInput());
            default -> rel.getInputs().isEmpty();
        };
    }

    /// @param late relations that are joined with the groups, a bit each
    /// @param early all that is joined before
    /// @param keys over the region's columns, that the early rows are grouped by
    /// @param pending conditions over the region's columns that are asked afterwards
    private record Plan(
            long late, RelNode early, List<Integer> columns, List<RexNode> keys, List<RexNode> pending, double cost) {}

    /// @param perRow what it costs to find the group of a row of the aggregate's input
    private Plan plan(Aggregate aggregate, InnerJoins region, long late, double perRow) {
        Cut cut = new Cut(region, late);
        Part early = cut.of(aggregate.getInput());
        if (early == null || !region.isConnected(~late)) {
            return null;
        }
        Set<RexNode> keys = new LinkedHashSet<>();
        cut.pending.forEach(condition -> region.addEarly(condition, late, keys));
        aggregate.getGroupSet().forEach(key -> region.addEarly(region.outputs.get(key), late, keys));
        List<RexNode> grouped = List.copyOf(keys);
        // Without keys there would be a group where there is no row.
        if (grouped.isEmpty() || grouped.stream().anyMatch(key -> GroupingRules.mayDiffer(key.getType()))) {
            return null;
        }
        List<RexNode> moved = early.moved(grouped);
        RelNode narrow = LogicalProject.create(early.rel, List.of(), moved, (List<String>) null, Set.of());
        ImmutableBitSet all = ImmutableBitSet.range(moved.size());
        double groups = expected.rows(LogicalAggregate.create(narrow, List.of(), all, null, List.of()));
        double again = expected.rows(aggregate.getInput()) / expected.rows(early.rel);
        double cost = expected.rows(narrow) * perRow(narrow, all.asList())
                + groups * PROBE * Long.bitCount(late)
                + groups * again * perRow;
        double now = expected.rows(early.rel) * PROBE * Long.bitCount(late);
        return new Plan(late, early.rel, early.columns, grouped, cut.pending, cost - now);
    }

    /// Nanoseconds to find the group of a row.
    private double perRow(RelNode rel, List<Integer> keys) {
        double cost = GROUP;
        for (int key : keys) {
            boolean isText = SqlTypeUtil.isCharacter(
                    rel.getRowType().getFieldList().get(key).getType());
            boolean hasMany = isText
                    && expected.rows(LogicalAggregate.create(rel, List.of(), ImmutableBitSet.of(key), null, List.of()))
                            > MANY_TEXTS;
            cost += hasMany ? TEXT_KEY : KEY;
        }
        return cost;
    }

    private RelNode merged(Aggregate aggregate, InnerJoins region, Plan plan) {
        Part early = new Part(plan.early, plan.columns);
        List<RexNode> columns = new ArrayList<>(early.moved(plan.keys));
        int keyCount = columns.size();
        List<AggregateCall> partial = new ArrayList<>();
        for (AggregateCall call : aggregate.getAggCallList()) {
            List<Integer> arguments = new ArrayList<>();
            for (int argument : call.getArgList()) {
                arguments.add(columns.size());
                columns.addAll(early.moved(List.of(region.outputs.get(argument))));
            }
            int filter = call.filterArg < 0 ? -1 : columns.size();
            if (filter >= 0) {
                columns.addAll(early.moved(List.of(region.outputs.get(call.filterArg))));
            }
            partial.add(call.withArgList(arguments).withFilter(filter));
        }
        RelNode rows = LogicalProject.create(plan.early, List.of(), columns, (List<String>) null, Set.of());
        List<AggregateCall> typed = partial.stream()
                .map(call -> typed(call.getAggregation(), call.getArgList(), call.filterArg, false, rows))
                .toList();
        RelNode groups = LogicalAggregate.create(rows, List.of(), ImmutableBitSet.range(keyCount), null, typed);
        return finished(aggregate, region, plan, groups);
    }

    /// A call with the type that its arguments give it. The sum of counts of a group that has rows is never NULL.
    static AggregateCall typed(
            SqlAggFunction function, List<Integer> arguments, int filter, boolean hasEmptyGroup, RelNode input) {
        boolean hasRows = !hasEmptyGroup && filter < 0;
        SqlAggFunction called = hasRows && function == SqlStdOperatorTable.SUM0 ? SqlStdOperatorTable.SUM : function;
        return GroupingRules.newCall(called, arguments, filter, hasEmptyGroup, input);
    }

    /// The groups joined with the late relations, and grouped by what the statement groups by.
    private RelNode finished(Aggregate aggregate, InnerJoins region, Plan plan, RelNode groups) {
        RelNode joined = groups;
        Map<Integer, Integer> places = new LinkedHashMap<>();
        for (int relation = 0; relation < region.relations.size(); relation++) {
            if ((plan.late >> relation & 1) == 0) {
                continue;
            }
            int first = region.firstColumns.get(relation);
            RelNode late = region.relations.get(relation);
            for (int column = 0; column < late.getRowType().getFieldCount(); column++) {
                places.put(first + column, joined.getRowType().getFieldCount() + column);
            }
            joined = LogicalJoin.create(
                    joined, late, List.of(), rexBuilder.makeLiteral(true), Set.of(), JoinRelType.INNER);
        }
        Late late = new Late(plan.keys, places, joined);
        List<RexNode> conditions =
                plan.pending.stream().map(each -> each.accept(late)).toList();
        joined = LogicalFilter.create(joined, RexUtil.composeConjunction(rexBuilder, conditions));
        List<RexNode> columns = new ArrayList<>();
        for (int key : aggregate.getGroupSet()) {
            columns.add(region.outputs.get(key).accept(late));
        }
        int keyCount = columns.size();
        List<AggregateCall> calls = aggregate.getAggCallList();
        for (int call = 0; call < calls.size(); call++) {
            columns.add(rexBuilder.makeInputRef(joined, plan.keys.size() + call));
        }
        RelNode rows = LogicalProject.create(joined, List.of(), columns, (List<String>) null, Set.of());
        List<AggregateCall> merging = new ArrayList<>();
        for (int call = 0; call < calls.size(); call++) {
            merging.add(
                    typed(merging(calls.get(call), aggregate.getInput()), List.of(keyCount + call), -1, false, rows));
        }
        RelNode merged = LogicalAggregate.create(rows, List.of(), ImmutableBitSet.range(keyCount), null, merging);
        return Pushdown.withTypes(merged, aggregate.getRowType(), rexBuilder);
    }

    /// Expressions over the region's columns as ones over the joined groups and late relations.
    private final class Late extends RexShuttle {
        private final List<RexNode> keys;
        private final Map<Integer, Integer> places;
        private final RelNode joined;

        Late(List<RexNode> keys, Map<Integer, Integer> places, RelNode joined) {
            this.keys = keys;
            this.places = places;
            this.joined = joined;
        }

        @Override
        public RexNode visitInputRef(RexInputRef input) {
            Integer place = places.get(input.getIndex());
            return rexBuilder.makeInputRef(joined, place == null ? keys.indexOf(input) : place);
        }

        @Override
        public RexNode visitCall(RexCall call) {
            int key = keys.indexOf(call);
            return key >= 0 ? rexBuilder.makeInputRef(joined, key) : super.visitCall(call);
        }
    }

    /// A tree, and which of the region's columns its columns are.
    private record Part(RelNode rel, List<Integer> columns) {
        List<RexNode> moved(List<RexNode> nodes) {
            RexShuttle shuttle = new RexShuttle() {
                @Override
                public RexNode visitInputRef(RexInputRef input) {
                    return RexInputRef.of(columns.indexOf(input.getIndex()), rel.getRowType());
                }
            };
            return nodes.stream().map(node -> node.accept(shuttle)).toList();
        }
    }

    /// The region's tree without the relations that are joined later.
    private final class Cut {
        private final InnerJoins region;
        private final long late;
        private final List<RexNode> pending = new ArrayList<>();
        private int next; // relation, in the order of InnerJoins

        Cut(InnerJoins region, long late) {
            this.region = region;
            this.late = late;
        }

        Part of(RelNode rel) {
            return switch (rel) {
                case Project project when project == region.top -> of(project.getInput());
                case Project project when InnerJoins.isChosen(project) -> of(project.getInput());
                case Filter filter
                when InnerJoins.isFilter(filter) -> filtered(of(filter.getInput()), region.conditions.get(filter));
                case Join join
                when InnerJoins.isInner(join) -> {
                    Part left = of(join.getLeft());
                    Part right = of(join.getRight());
                    List<RexNode> conditions = region.conditions.get(join);
                    if (left == null || right == null) {
                        yield filtered(left == null ? right : left, conditions);
                    }
                    List<Integer> columns = new ArrayList<>(left.columns);
                    columns.addAll(right.columns);
                    List<RexNode> now = new ArrayList<>();
                    for (RexNode condition : conditions) {
                        ((region.read(condition) & late) == 0 ? now : pending).add(condition);
                    }
                    RelNode types = LogicalJoin.create(
                            left.rel, right.rel, List.of(), rexBuilder.makeLiteral(true), Set.of(), JoinRelType.INNER);
                    RexNode on = RexUtil.composeConjunction(rexBuilder, new Part(types, columns).moved(now));
                    yield new Part(
                            LogicalJoin.create(left.rel, right.rel, List.of(), on, Set.of(), JoinRelType.INNER),
                            columns);
                }
                default -> {
                    int relation = next++;
                    yield (late >> relation & 1) == 1 ? null : new Part(rel, region.columns(relation));
                }
            };
        }

        private Part filtered(Part part, List<RexNode> conditions) {
            List<RexNode> now = new ArrayList<>();
            for (RexNode condition : conditions) {
                boolean isNow = part != null && (region.read(condition) & late) == 0;
                (isNow ? now : pending).add(condition);
            }
            if (now.isEmpty()) {
                return part;
            }
            RexNode condition = RexUtil.composeConjunction(rexBuilder, part.moved(now));
            return new Part(LogicalFilter.create(part.rel, condition), part.columns);
        }
    }
}
