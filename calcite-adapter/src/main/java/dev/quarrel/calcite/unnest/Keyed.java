package dev.quarrel.calcite.unnest;

import dev.quarrel.calcite.sql.function.AggregateFunction;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.ImmutableBitSet;

/// A query of aggregates without GROUP BY whose input rows are tied to the outer row by equalities: those rows
/// are grouped once by the columns that are compared with the outer row.
///
/// @param grouped the keys, then the aggregates; no row for what no row is equal to
/// @param sides what the keys are compared with: the row around as the query names it
/// @param aggregate as the query has it
/// @param outputs the query's columns over the aggregates, and the row around
record Keyed(RelNode grouped, List<RexNode> sides, Aggregate aggregate, List<RexNode> outputs) {
    /// - Returns: null for another kind of query.
    static Keyed of(RelNode query, References references) {
        RexBuilder rexBuilder = query.getCluster().getRexBuilder();
        RelNode rel = query;
        List<RexNode> outputs = new ArrayList<>();
        IntStream.range(0, query.getRowType().getFieldCount())
                .forEach(column -> outputs.add(rexBuilder.makeInputRef(query, column)));
        while (rel instanceof Project project && !project.containsOver()) {
            outputs.replaceAll(output -> RelOptUtil.pushPastProject(output, project));
            rel = project.getInput();
        }
        boolean isScalar = rel instanceof Aggregate aggregate
                && aggregate.getGroupType() == Aggregate.Group.SIMPLE
                && aggregate.getGroupCount() == 0
                && aggregate.getAggCallList().stream().noneMatch(Keyed::isAboutOneQuery);
        return isScalar ? of((Aggregate) rel, outputs, references, rexBuilder) : null;
    }

    /// One that fails, or says something else, where rows of several rows around are seen.
    private static boolean isAboutOneQuery(AggregateCall call) {
        SqlKind kind = call.getAggregation().getKind();
        return isOwnOfNone(call)
                || kind == SqlKind.SINGLE_VALUE
                || kind == SqlKind.GROUPING
                || kind == SqlKind.GROUPING_ID;
    }

    /// Whether nobody knows what it is of no rows: the code of an application says so.
    static boolean isOwnOfNone(AggregateCall call) {
        return call.getAggregation() instanceof AggregateFunction function && function.local() != null;
    }

    private static Keyed of(Aggregate aggregate, List<RexNode> outputs, References references, RexBuilder rexBuilder) {
        Correlations.Pulled pulled = new Correlations(references, rexBuilder, true).pullRows(aggregate.getInput());
        if (pulled == null) {
            return null;
        }
        int width = aggregate.getInput().getRowType().getFieldCount();
        List<RexNode> columns = new ArrayList<>();
        IntStream.range(0, width).forEach(column -> columns.add(rexBuilder.makeInputRef(pulled.rel(), column)));
        List<RexNode> sides = new ArrayList<>();
        for (RexNode conjunct : pulled.conjuncts()) {
            if (conjunct.getKind() != SqlKind.EQUALS) {
                return null;
            }
            RexNode one = ((RexCall) conjunct).getOperands().get(0);
            RexNode other = ((RexCall) conjunct).getOperands().get(1);
            boolean isOneOurs = !references.in(one) && isOfRowAroundAlone(other, references);
            boolean isOtherOurs = !references.in(other) && isOfRowAroundAlone(one, references);
            if (!isOneOurs && !isOtherOurs) {
                return null;
            }
            columns.add(isOneOurs ? one : other);
            sides.add(isOneOurs ? other : one);
        }
        RelNode rows = LogicalProject.create(pulled.rel(), List.of(), columns, (List<String>) null, Set.of());
        List<AggregateCall> calls = aggregate.getAggCallList().stream()
                .map(call -> AggregateCall.create(
                        call.getParserPosition(),
                        call.getAggregation(),
                        call.isDistinct(),
                        call.isApproximate(),
                        call.ignoreNulls(),
                        call.rexList,
                        call.getArgList(),
                        call.filterArg,
                        call.distinctKeys,
                        call.getCollation(),
                        sides.isEmpty(),
                        rows,
                        null,
                        null))
                .toList();
        RelNode grouped =
                LogicalAggregate.create(rows, List.of(), ImmutableBitSet.range(width, columns.size()), null, calls);
        return new Keyed(grouped, sides, aggregate, outputs);
    }

    private static boolean isOfRowAroundAlone(RexNode node, References references) {
        return references.in(node) && RelOptUtil.InputFinder.bits(node).isEmpty();
    }

    /// The query's columns over a row in which a row around stands beside its group, or beside NULLs.
    ///
    /// @param first column of the group's first key
    List<RexNode> results(RelNode joined, int first, RexBuilder rexBuilder) {
        return outputs.stream()
                .map(output -> output.accept(new RexShuttle() {
                    @Override
                    public RexNode visitInputRef(RexInputRef call) {
                        RexNode column = rexBuilder.makeInputRef(joined, first + sides.size() + call.getIndex());
                        return result(aggregate, call.getIndex(), column, rexBuilder);
                    }
                }))
                .toList();
    }

    /// An aggregate's column that is NULL where there was no row to aggregate, with what it is there instead.
    static RexNode result(Aggregate aggregate, int call, RexNode column, RexBuilder rexBuilder) {
        var type = aggregate.getAggCallList().get(call).getType();
        if (!type.isNullable()) {
            // Counts are the only ones that are never NULL.
            RexNode none = rexBuilder.makeZeroRexNode(type);
            return rexBuilder.makeCall(type, SqlStdOperatorTable.COALESCE, List.of(column, none));
        }
        return column.getType().equals(type) ? column : rexBuilder.makeAbstractCast(type, column, false);
    }
}
