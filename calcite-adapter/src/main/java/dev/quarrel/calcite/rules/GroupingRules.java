package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.rel.QuarrelGroupingSets;
import dev.quarrel.calcite.rel.SharedQuery;
import dev.quarrel.calcite.rel.SharedRows;
import dev.quarrel.calcite.sql.function.AggregateFunction;
import dev.quarrel.calcite.sql.type.PostgresRelType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.pg.PgType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.core.Union;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalUnion;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.util.ImmutableBitSet;

/// Rewrites groupings that cannot be computed in one step, those with DISTINCT arguments or several grouping
/// sets, as several groupings that can.
final class GroupingRules {
    /// More keys than any device groups by are left to plans that can say so.
    private static final int MAX_KEYS = 24;

    /// So many rows a group by all keys, at least, where nobody asks for these groups: else each set groups the rows.
    static final double MIN_ROWS_A_GROUP = 3;

    private final RexBuilder rexBuilder;

    private GroupingRules(RexBuilder rexBuilder) {
        this.rexBuilder = rexBuilder;
    }

    static RelNode apply(RelNode root) {
        return new GroupingRules(root.getCluster().getRexBuilder()).visit(root);
    }

    /// An aggregate of several grouping sets as a union of aggregates of one each.
    static RelNode setsApart(Aggregate aggregate) {
        return new GroupingRules(aggregate.getCluster().getRexBuilder()).expandSets(aggregate);
    }

    private RelNode visit(RelNode rel) {
        List<RelNode> inputs = rel.getInputs().stream().map(this::visit).toList();
        RelNode here = inputs.equals(rel.getInputs()) ? rel : rel.copy(rel.getTraitSet(), inputs);
        return here instanceof Aggregate aggregate ? expand(aggregate) : here;
    }

    private RelNode expand(Aggregate aggregate) {
        if (aggregate.getGroupType() != Aggregate.Group.SIMPLE || hasGrouping(aggregate)) {
            boolean isOne = aggregate.getGroupSets().size() == 1;
            return isOne
                    ? expandSets(aggregate)
                    : canBeOnce(aggregate) ? once(aggregate) : expandSets(overShared(aggregate));
        }
        boolean isPlain = aggregate.getAggCallList().stream().noneMatch(AggregateCall::isDistinct);
        return isPlain ? aggregate : expandDistinct(aggregate);
    }

    private static boolean hasGrouping(Aggregate aggregate) {
        return aggregate.getAggCallList().stream().anyMatch(GroupingRules::isGrouping);
    }

    private static boolean isGrouping(AggregateCall call) {
        SqlKind kind = call.getAggregation().getKind();
        return kind == SqlKind.GROUPING || kind == SqlKind.GROUPING_ID;
    }

    /// Whether groups of groups answer all calls, and there are fewer groups by all keys than rows.
    private static boolean canBeOnce(Aggregate aggregate) {
        ImmutableBitSet keys = aggregate.getGroupSet();
        RelNode input = aggregate.getInput();
        boolean isPlain = aggregate.getAggCallList().stream()
                .allMatch(call -> isGrouping(call) || (!call.isDistinct() || ignoresRepeats(call)) && !isLocal(call));
        if (!isPlain || !canBeKeys(input, keys)) {
            return false;
        }
        if (aggregate.getGroupSets().contains(keys)) {
            return true;
        }
        RelMetadataQuery expected = aggregate.getCluster().getMetadataQuery();
        RelNode finest = LogicalAggregate.create(input, List.of(), keys, null, List.of());
        return expected.getRowCount(finest) * MIN_ROWS_A_GROUP < expected.getRowCount(input);
    }

    /// Whether groups by these columns can be grouped again by some of them.
    static boolean canBeKeys(RelNode input, ImmutableBitSet keys) {
        return !keys.isEmpty()
                && keys.cardinality() <= MAX_KEYS
                && keys.asList().stream()
                        .map(key -> input.getRowType().getFieldList().get(key).getType())
                        .noneMatch(GroupingRules::showsSomeValue);
    }

    private static boolean isLocal(AggregateCall call) {
        return call.getAggregation() instanceof AggregateFunction function && function.local() != null;
    }

    /// Whether equal keys of the type differ, so that a group shows one of them.
    static boolean showsSomeValue(RelDataType type) {
        return DocumentKeys.isDocument(type) || SqlTypes.pgType(type) == PgType.BPCHAR && SqlTypes.typmod(type) < 0;
    }

    /// Whether equal values of the type differ for who looks closer: 1.0 and 1.00, a day and 24 hours. What is computed
    /// of them differs then, so one of a group's may not stand for all.
    static boolean mayDiffer(RelDataType type) {
        return switch (SqlTypes.pgType(type)) {
            case BOOL, INT2, INT4, INT8, OID, TEXT, VARCHAR, NAME, UUID, BYTEA, DATE, TIME, TIMESTAMP, TIMESTAMPTZ ->
                false;
            case NUMERIC -> type instanceof PostgresRelType;
            case BPCHAR -> showsSomeValue(type);
            default -> true;
        };
    }

    /// All sets in one pass.
    private RelNode once(Aggregate aggregate) {
        List<AggregateCall> calls = aggregate.getAggCallList().stream()
                .filter(call -> !isGrouping(call))
                .map(call -> typedAnew(call, false, call.getArgList(), call.filterArg, true, aggregate.getInput()))
                .toList();
        List<AggregateCall> groupings = aggregate.getAggCallList().stream()
                .filter(GroupingRules::isGrouping)
                .toList();
        List<QuarrelGroupingSets.Set> sets = aggregate.getGroupSets().stream()
                .map(set -> new QuarrelGroupingSets.Set(
                        set,
                        groupings.stream().map(call -> groupingBits(call, set)).toList()))
                .toList();
        RelNode grouped = new QuarrelGroupingSets(
                aggregate.getCluster(),
                aggregate.getTraitSet(),
                aggregate.getInput(),
                aggregate.getGroupSet(),
                sets,
                calls);
        RelDataType rowType = aggregate.getRowType();
        List<RexNode> columns = new ArrayList<>();
        int keyCount = aggregate.getGroupCount();
        for (int key = 0; key < keyCount; key++) {
            columns.add(asType(
                    rexBuilder.makeInputRef(grouped, key),
                    rowType.getFieldList().get(key).getType()));
        }
        int nextCall = keyCount;
        int nextNumber = keyCount + calls.size();
        for (AggregateCall call : aggregate.getAggCallList()) {
            int place = isGrouping(call) ? nextNumber++ : nextCall++;
            columns.add(asType(
                    rexBuilder.makeInputRef(grouped, place),
                    rowType.getFieldList().get(columns.size()).getType()));
        }
        return LogicalProject.create(grouped, List.of(), columns, rowType.getFieldNames(), Set.of());
    }

    /// The aggregate over rows that are made once for all its sets; a table is read again as quickly.
    private static Aggregate overShared(Aggregate aggregate) {
        RelNode input = aggregate.getInput();
        if (input instanceof TableScan || input instanceof Values || input instanceof SharedRows) {
            return aggregate;
        }
        RelNode shared = SharedRows.of(aggregate.getCluster(), new SharedQuery("input of grouping sets", input));
        return aggregate.copy(
                aggregate.getTraitSet(),
                shared,
                aggregate.getGroupSet(),
                aggregate.getGroupSets(),
                aggregate.getAggCallList());
    }

    /// One aggregate a grouping set, with NULL for the keys that it leaves out, one after another.
    private RelNode expandSets(Aggregate aggregate) {
        List<RelNode> parts = new ArrayList<>();
        RelDataType rowType = aggregate.getRowType();
        for (ImmutableBitSet set : aggregate.getGroupSets()) {
            List<AggregateCall> calls = aggregate.getAggCallList().stream()
                    .filter(call -> !isGrouping(call))
                    .map(call -> typedAnew(
                            call,
                            call.isDistinct(),
                            call.getArgList(),
                            call.filterArg,
                            set.isEmpty(),
                            aggregate.getInput()))
                    .toList();
            RelNode part = expand(LogicalAggregate.create(aggregate.getInput(), List.of(), set, null, calls));
            List<RexNode> columns = new ArrayList<>();
            for (int key : aggregate.getGroupSet()) {
                RelDataType type = rowType.getFieldList().get(columns.size()).getType();
                columns.add(
                        set.get(key)
                                ? asType(rexBuilder.makeInputRef(part, set.indexOf(key)), type)
                                : rexBuilder.makeNullLiteral(type));
            }
            int next = set.cardinality();
            for (AggregateCall call : aggregate.getAggCallList()) {
                RelDataType type = rowType.getFieldList().get(columns.size()).getType();
                columns.add(
                        asType(isGrouping(call) ? grouping(call, set) : rexBuilder.makeInputRef(part, next++), type));
            }
            parts.add(LogicalProject.create(part, List.of(), columns, rowType.getFieldNames(), Set.of()));
        }
        return parts.size() == 1 ? parts.getFirst() : LogicalUnion.create(parts, true);
    }

    /// The call over another input or grouping: without keys its result may be NULL, and so its type.
    static AggregateCall typedAnew(
            AggregateCall call,
            boolean distinct,
            List<Integer> arguments,
            int filter,
            boolean hasEmptyGroup,
            RelNode input) {
        return AggregateCall.create(
                call.getParserPosition(),
                call.getAggregation(),
                distinct,
                call.isApproximate(),
                call.ignoreNulls(),
                call.rexList,
                arguments,
                filter,
                call.distinctKeys,
                call.getCollation(),
                hasEmptyGroup,
                input,
                null,
                call.getName());
    }

    /// A plain call with the type that its arguments give it.
    static AggregateCall newCall(
            SqlAggFunction function, List<Integer> arguments, int filter, boolean hasEmptyGroup, RelNode input) {
        return AggregateCall.create(
                SqlParserPos.ZERO,
                function,
                false,
                false,
                false,
                List.of(),
                arguments,
                filter,
                null,
                RelCollations.EMPTY,
                hasEmptyGroup,
                input,
                null,
                null);
    }

    /// Bit i of the number says that argument i, counted from the last, is not a key of the set.
    private RexNode grouping(AggregateCall call, ImmutableBitSet set) {
        return rexBuilder.makeExactLiteral(BigDecimal.valueOf(groupingBits(call, set)), call.getType());
    }

    private static int groupingBits(AggregateCall call, ImmutableBitSet set) {
        int bits = 0;
        for (int key : call.getArgList()) {
            bits = bits << 1 | (set.get(key) ? 0 : 1);
        }
        return bits;
    }

    private RexNode asType(RexNode node, RelDataType type) {
        return node.getType().equals(type) ? node : rexBuilder.makeAbstractCast(type, node, false);
    }

    /// The plain calls, and the calls of each DISTINCT argument over a grouping by keys and argument, joined by
    /// the keys.
    private RelNode expandDistinct(Aggregate aggregate) {
        int keyCount = aggregate.getGroupCount();
        RelNode input = aggregate.getInput();
        List<RexNode> columns = new ArrayList<>();
        for (RelDataTypeField field : input.getRowType().getFieldList()) {
            columns.add(rexBuilder.makeInputRef(input, field.getIndex()));
        }
        List<Integer> plain = new ArrayList<>();
        Map<Distinct, List<Integer>> byArguments = new LinkedHashMap<>();
        List<AggregateCall> calls = aggregate.getAggCallList();
        for (int index = 0; index < calls.size(); index++) {
            AggregateCall call = calls.get(index);
            if (!call.isDistinct() || ignoresRepeats(call)) {
                plain.add(index);
            } else if (call.getArgList().isEmpty()
                    || !call.getCollation().getFieldCollations().isEmpty()) {
                return aggregate; // the conversion says what it is that nobody can do
            } else if (call.filterArg >= 0 && keepsNulls(call)) {
                byArguments
                        .computeIfAbsent(new Distinct(call.getArgList(), call.filterArg), _ -> new ArrayList<>())
                        .add(index);
            } else {
                List<Integer> arguments = call.getArgList().stream()
                        .map(argument -> call.filterArg < 0 ? argument : filtered(columns, argument, call.filterArg))
                        .toList();
                byArguments
                        .computeIfAbsent(new Distinct(arguments, -1), _ -> new ArrayList<>())
                        .add(index);
            }
        }
        RelNode narrow = columns.size() == input.getRowType().getFieldCount()
                ? input
                : LogicalProject.create(input, List.of(), columns, (List<String>) null, Set.of());
        boolean isReadAgain = byArguments.size() + (plain.isEmpty() ? 0 : 1) > 1 && !isTable(input);
        RelNode once = isReadAgain ? inOnePass(aggregate, narrow, plain, byArguments) : null;
        if (once != null) {
            return once;
        }
        RelNode source = isReadAgain
                        && !isQuick(input)
                        && RelOptUtil.getVariablesUsed(narrow).isEmpty()
                ? SharedRows.of(aggregate.getCluster(), new SharedQuery("input of DISTINCT aggregates", narrow))
                : narrow;
        int[] place = new int[calls.size()];
        RelNode joined = null;
        if (!plain.isEmpty()) {
            List<AggregateCall> kept = new ArrayList<>();
            for (int index : plain) {
                place[index] = keyCount + kept.size();
                kept.add(calls.get(index).withDistinct(false));
            }
            joined = LogicalAggregate.create(source, List.of(), aggregate.getGroupSet(), null, kept);
        }
        for (Map.Entry<Distinct, List<Integer>> group : byArguments.entrySet()) {
            RelNode part = overDistinct(aggregate, source, group.getKey(), group.getValue());
            int offset = joined == null ? 0 : joined.getRowType().getFieldCount();
            for (int index = 0; index < group.getValue().size(); index++) {
                place[group.getValue().get(index)] = offset + keyCount + index;
            }
            joined = joined == null ? part : joinByKeys(joined, part, keyCount);
        }
        List<RexNode> result = new ArrayList<>();
        for (int index = 0; index < keyCount + calls.size(); index++) {
            int column = index < keyCount ? index : place[index - keyCount];
            result.add(asType(
                    rexBuilder.makeInputRef(joined, column),
                    aggregate.getRowType().getFieldList().get(index).getType()));
        }
        return LogicalProject.create(
                joined, List.of(), result, aggregate.getRowType().getFieldNames(), Set.of());
    }

    /// Whether the rows are picked from a table, which is read again as quickly as a copy of them.
    private static boolean isTable(RelNode rel) {
        return switch (rel) {
            case TableScan _, Values _, SharedRows _ -> true;
            case Filter filter -> isTable(filter.getInput());
            case Project project -> !project.containsOver() && isTable(project.getInput());
            default -> false;
        };
    }

    /// Whether rows come as quickly as a copy of them would be read: groups and build sides are made once, whoever
    /// reads them.
    private static boolean isQuick(RelNode rel) {
        return switch (rel) {
            case Filter filter -> isQuick(filter.getInput());
            case Project project -> !project.containsOver() && isQuick(project.getInput());
            case Join join -> !join.analyzeCondition().leftKeys.isEmpty() && isQuick(join.getLeft());
            case Union union -> union.all && union.getInputs().stream().allMatch(GroupingRules::isQuick);
            case Aggregate _, QuarrelGroupingSets _ -> true;
            default -> isTable(rel);
        };
    }

    /// See [DistinctSets]; null where that is not worth its while.
    private RelNode inOnePass(
            Aggregate aggregate, RelNode source, List<Integer> plain, Map<Distinct, List<Integer>> byArguments) {
        boolean isOther = byArguments.keySet().stream().anyMatch(each -> each.filter() >= 0)
                || plain.stream()
                        .anyMatch(place -> isLocal(aggregate.getAggCallList().get(place)));
        RelNode grouped = isOther
                ? null
                : DistinctSets.of(
                        aggregate,
                        source,
                        plain,
                        byArguments.keySet().stream().map(Distinct::arguments).toList(),
                        List.copyOf(byArguments.values()));
        return grouped == null ? null : ofType(grouped, aggregate.getRowType());
    }

    private RelNode ofType(RelNode rel, RelDataType rowType) {
        List<RexNode> columns = new ArrayList<>();
        for (RelDataTypeField field : rowType.getFieldList()) {
            columns.add(asType(rexBuilder.makeInputRef(rel, field.getIndex()), field.getType()));
        }
        return LogicalProject.create(rel, List.of(), columns, rowType.getFieldNames(), Set.of());
    }

    /// The input of a DISTINCT aggregate: its arguments and its filter.
    ///
    /// @param filter the column that says which rows count, or -1
    private record Distinct(List<Integer> arguments, int filter) {}

    /// Whether a NULL in place of an argument that is filtered out would show.
    private static boolean keepsNulls(AggregateCall call) {
        return call.getAggregation() instanceof AggregateFunction function && function.keepsNulls();
    }

    static boolean ignoresRepeats(AggregateCall call) {
        if (call.getAggregation() instanceof AggregateFunction function) {
            return function.kind().ignoresRepeats();
        }
        SqlKind kind = call.getAggregation().getKind();
        return kind == SqlKind.MIN
                || kind == SqlKind.MAX
                || AggregateKind.BOOL_AND
                        .name()
                        .equalsIgnoreCase(call.getAggregation().getName())
                || AggregateKind.BOOL_OR
                        .name()
                        .equalsIgnoreCase(call.getAggregation().getName());
    }

    /// A column that is the argument where the filter is true, and NULL elsewhere: aggregates skip NULL.
    private int filtered(List<RexNode> columns, int argument, int filter) {
        RexNode value = columns.get(argument);
        RelDataType type = rexBuilder.getTypeFactory().createTypeWithNullability(value.getType(), true);
        columns.add(rexBuilder.makeCall(
                type, SqlStdOperatorTable.CASE, List.of(columns.get(filter), value, rexBuilder.makeNullLiteral(type))));
        return columns.size() - 1;
    }

    private RelNode overDistinct(Aggregate aggregate, RelNode source, Distinct taken, List<Integer> calls) {
        ImmutableBitSet keys = aggregate.getGroupSet();
        // An argument that is a key itself still needs a column of its own.
        List<RexNode> columns = new ArrayList<>();
        for (int key : keys) {
            columns.add(rexBuilder.makeInputRef(source, key));
        }
        List<Integer> places = new ArrayList<>();
        for (int argument : taken.arguments()) {
            places.add(columns.size());
            columns.add(rexBuilder.makeInputRef(source, argument));
        }
        int filter = taken.filter() < 0 ? -1 : columns.size();
        if (filter >= 0) {
            columns.add(rexBuilder.makeInputRef(source, taken.filter()));
        }
        RelNode narrow = LogicalProject.create(source, List.of(), columns, (List<String>) null, Set.of());
        RelNode distinct =
                LogicalAggregate.create(narrow, List.of(), ImmutableBitSet.range(columns.size()), null, List.of());
        List<AggregateCall> made = new ArrayList<>();
        for (int index : calls) {
            AggregateCall call = aggregate.getAggCallList().get(index);
            // count() of several arguments counts the rows that have the first: the others only tell rows apart.
            List<Integer> arguments = call.getAggregation().getKind() == SqlKind.COUNT ? places.subList(0, 1) : places;
            made.add(typedAnew(call, false, arguments, filter, keys.isEmpty(), distinct));
        }
        return LogicalAggregate.create(distinct, List.of(), ImmutableBitSet.range(keys.cardinality()), null, made);
    }

    private RelNode joinByKeys(RelNode left, RelNode right, int keyCount) {
        List<RexNode> same = new ArrayList<>();
        int offset = left.getRowType().getFieldCount();
        for (int key = 0; key < keyCount; key++) {
            RexNode one = rexBuilder.makeInputRef(left, key);
            RelDataType type = right.getRowType().getFieldList().get(key).getType();
            RexNode other = rexBuilder.makeInputRef(type, offset + key);
            same.add(rexBuilder.makeCall(
                    type.isNullable() ? SqlStdOperatorTable.IS_NOT_DISTINCT_FROM : SqlStdOperatorTable.EQUALS,
                    one,
                    other));
        }
        return LogicalJoin.create(
                left, right, List.of(), RexUtil.composeConjunction(rexBuilder, same), Set.of(), JoinRelType.INNER);
    }
}
