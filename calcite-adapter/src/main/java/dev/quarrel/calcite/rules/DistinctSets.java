package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.rel.QuarrelGroupingSets;
import dev.quarrel.calcite.sql.function.AggregateFunction;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.ImmutableBitSet;

/// DISTINCT aggregates in one pass over the rows: grouping sets, one by the keys for the plain calls and one by keys
/// and argument for each DISTINCT argument, and a grouping by the keys of what they give. A number says which set a row
/// of theirs is of.
final class DistinctSets {
    private final Aggregate aggregate;
    private final RelNode source;
    private final RexBuilder rexBuilder;
    private final List<RexNode> columns = new ArrayList<>();

    private DistinctSets(Aggregate aggregate, RelNode source) {
        this.aggregate = aggregate;
        this.source = source;
        this.rexBuilder = aggregate.getCluster().getRexBuilder();
    }

    /// The keys and results of an aggregate, in their order; null where groups by all keys and arguments would not be
    /// far fewer than the rows, or a value that a group shows is one of several.
    ///
    /// @param source with the aggregate's columns, and those of the arguments
    /// @param plain places of the calls that are not DISTINCT
    /// @param distinct arguments of each part
    /// @param parts places of its calls
    static RelNode of(
            Aggregate aggregate,
            RelNode source,
            List<Integer> plain,
            List<List<Integer>> distinct,
            List<List<Integer>> parts) {
        return new DistinctSets(aggregate, source).rewritten(plain, distinct, parts);
    }

    private RelNode rewritten(List<Integer> plain, List<List<Integer>> distinct, List<List<Integer>> parts) {
        aggregate.getGroupSet().forEachInt(key -> columns.add(rexBuilder.makeInputRef(source, key)));
        int keyCount = columns.size();
        List<List<Integer>> arguments = new ArrayList<>();
        for (List<Integer> each : distinct) {
            arguments.add(
                    each.stream().map(argument -> column(argument, keyCount)).toList());
        }
        ImmutableBitSet finest = ImmutableBitSet.range(columns.size());
        List<AggregateCall> calls = aggregate.getAggCallList();
        List<List<Integer>> plainArguments = new ArrayList<>();
        List<Integer> plainFilters = new ArrayList<>();
        for (int place : plain) {
            AggregateCall call = calls.get(place);
            plainArguments.add(call.getArgList().stream()
                    .map(argument -> column(argument, 0))
                    .toList());
            plainFilters.add(call.filterArg < 0 ? -1 : column(call.filterArg, 0));
        }
        RelNode narrow = LogicalProject.create(source, List.of(), columns, (List<String>) null, Set.of());
        if (!areFew(narrow, finest)) {
            return null;
        }
        List<AggregateCall> made = new ArrayList<>();
        for (int index = 0; index < plain.size(); index++) {
            made.add(GroupingRules.typedAnew(
                    calls.get(plain.get(index)),
                    false,
                    plainArguments.get(index),
                    plainFilters.get(index),
                    true,
                    narrow));
        }
        ImmutableBitSet keys = ImmutableBitSet.range(keyCount);
        List<QuarrelGroupingSets.Set> sets = new ArrayList<>();
        arguments.forEach(each ->
                sets.add(new QuarrelGroupingSets.Set(keys.union(ImmutableBitSet.of(each)), List.of(sets.size()))));
        if (!plain.isEmpty()) {
            sets.add(new QuarrelGroupingSets.Set(keys, List.of(sets.size())));
        }
        RelNode grouped =
                new QuarrelGroupingSets(aggregate.getCluster(), aggregate.getTraitSet(), narrow, finest, sets, made);
        RelNode told = told(grouped, sets.size());
        int isOf = told.getRowType().getFieldCount() - sets.size();
        AggregateCall[] results = new AggregateCall[calls.size()];
        for (int index = 0; index < plain.size(); index++) {
            // A group has one row of its set by the keys alone.
            results[plain.get(index)] = GroupingRules.newCall(
                    AggregateFunction.ANY_VALUE,
                    List.of(finest.cardinality() + index),
                    isOf + sets.size() - 1,
                    keyCount == 0,
                    told);
        }
        for (int part = 0; part < parts.size(); part++) {
            for (int place : parts.get(part)) {
                AggregateCall call = calls.get(place);
                List<Integer> all = arguments.get(part);
                // count() of several arguments counts the rows that have the first: the others only tell rows apart.
                List<Integer> taken = call.getAggregation().getKind() == SqlKind.COUNT ? all.subList(0, 1) : all;
                results[place] = GroupingRules.typedAnew(call, false, taken, isOf + part, keyCount == 0, told);
            }
        }
        return LogicalAggregate.create(told, List.of(), keys, null, List.of(results));
    }

    /// The groups, and a column for each set that says whether a row is of it.
    private RelNode told(RelNode grouped, int setCount) {
        int number = grouped.getRowType().getFieldCount() - 1;
        List<RexNode> all = new ArrayList<>();
        for (int column = 0; column < number; column++) {
            all.add(rexBuilder.makeInputRef(grouped, column));
        }
        for (int set = 0; set < setCount; set++) {
            RexNode shown = rexBuilder.makeInputRef(grouped, number);
            all.add(rexBuilder.makeCall(
                    SqlStdOperatorTable.EQUALS,
                    shown,
                    rexBuilder.makeExactLiteral(BigDecimal.valueOf(set), shown.getType())));
        }
        return LogicalProject.create(grouped, List.of(), all, (List<String>) null, Set.of());
    }

    private static boolean areFew(RelNode rows, ImmutableBitSet keys) {
        if (!GroupingRules.canBeKeys(rows, keys)) {
            return false;
        }
        RelMetadataQuery expected = rows.getCluster().getMetadataQuery();
        RelNode finest = LogicalAggregate.create(rows, List.of(), keys, null, List.of());
        return expected.getRowCount(finest) * GroupingRules.MIN_ROWS_A_GROUP < expected.getRowCount(rows);
    }

    /// The place of a column of the source among those that are grouped.
    ///
    /// @param from the first place that it may have
    private int column(int index, int from) {
        RexNode reference = rexBuilder.makeInputRef(source, index);
        int known = columns.subList(from, columns.size()).indexOf(reference);
        if (known >= 0) {
            return from + known;
        }
        columns.add(reference);
        return columns.size() - 1;
    }
}
