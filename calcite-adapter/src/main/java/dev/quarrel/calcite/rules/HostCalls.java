package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.lower.Failing;
import dev.quarrel.calcite.rel.QuarrelCalls;
import dev.quarrel.calcite.rel.QuarrelProject;
import dev.quarrel.calcite.rel.QuarrelRel;
import dev.quarrel.calcite.sql.function.ScalarFunctionOperator;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.validate.SqlValidatorUtil;

/// Extracts calls of functions written in Java from expressions: a pipeline computes their arguments, a
/// [QuarrelCalls] above it calls them, and the rest of the expressions reads the results as columns.
///
/// They are called for every row, also where a CASE would not get there. So an argument that can fail inside of one is
/// refused: 0A000.
///
/// @param input what the expressions are over now
record HostCalls(RelNode input, List<RexNode> expressions) {
    static HostCalls extract(RelNode input, List<RexNode> expressions) {
        HostCalls calls = new HostCalls(input, expressions);
        while (calls.expressions().stream().anyMatch(HostCalls::hasCall)) {
            calls = calls.withoutInnermost();
        }
        return calls;
    }

    private static boolean hasCall(RexNode node) {
        return isHostCall(node)
                || node instanceof RexCall call && call.getOperands().stream().anyMatch(HostCalls::hasCall);
    }

    private static boolean isHostCall(RexNode node) {
        return node instanceof RexCall call && call.getOperator() instanceof ScalarFunctionOperator;
    }

    private HostCalls withoutInnermost() {
        RelOptCluster cluster = input.getCluster();
        List<RexNode> columns = new ArrayList<>();
        for (int column = 0; column < input.getRowType().getFieldCount(); column++) {
            columns.add(cluster.getRexBuilder().makeInputRef(input, column));
        }
        Map<RexNode, Integer> results = new LinkedHashMap<>();
        List<QuarrelCalls.Call> calls = new ArrayList<>();
        Collector collector =
                new Collector(columns, results, calls, Failing.over(input.getRowType(), cluster.getRexBuilder()));
        expressions.forEach(expression -> collector.collect(expression, false));
        RelNode wide = columns.size() == input.getRowType().getFieldCount() ? input : projected(columns);
        RelDataTypeFactory.Builder rowType = cluster.getTypeFactory().builder();
        rowType.addAll(wide.getRowType().getFieldList());
        results.keySet().forEach(call -> rowType.add("call$", call.getType()));
        RelNode called = new QuarrelCalls(
                cluster,
                cluster.traitSetOf(QuarrelRel.CONVENTION),
                wide,
                calls,
                rowType.uniquify().build());
        int first = wide.getRowType().getFieldCount();
        RexShuttle replace = new RexShuttle() {
            @Override
            public RexNode visitCall(RexCall call) {
                Integer result = results.get(call);
                return result != null
                        ? cluster.getRexBuilder().makeInputRef(called, first + result)
                        : super.visitCall(call);
            }
        };
        return new HostCalls(
                called, expressions.stream().map(node -> node.accept(replace)).toList());
    }

    private RelNode projected(List<RexNode> columns) {
        RelOptCluster cluster = input.getCluster();
        return new QuarrelProject(
                cluster,
                cluster.traitSetOf(QuarrelRel.CONVENTION),
                input,
                columns,
                RexUtil.createStructType(cluster.getTypeFactory(), columns, null, SqlValidatorUtil.F_SUGGESTER));
    }

    private record Collector(
            List<RexNode> columns, Map<RexNode, Integer> results, List<QuarrelCalls.Call> calls, Failing failing) {
        void collect(RexNode node, boolean isGuarded) {
            if (!(node instanceof RexCall call)) {
                return;
            }
            if (isHostCall(call) && call.getOperands().stream().noneMatch(HostCalls::hasCall)) {
                add(call, isGuarded);
                return;
            }
            boolean guards = isGuarded
                    || call.getKind() == SqlKind.CASE
                    || call.getKind() == SqlKind.COALESCE
                    || call.getKind() == SqlKind.AND
                    || call.getKind() == SqlKind.OR;
            // Their first operand is computed in any case.
            for (int index = 0; index < call.getOperands().size(); index++) {
                collect(call.getOperands().get(index), index == 0 ? isGuarded : guards);
            }
        }

        private void add(RexCall call, boolean isGuarded) {
            if (results.containsKey(call)) {
                return;
            }
            if (isGuarded && ((ScalarFunctionOperator) call.getOperator()).isFailing()) {
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "not supported: " + call.getOperator().getName()
                                + " of values that it may refuse, where CASE, AND or OR may not get");
            }
            List<Integer> arguments = new ArrayList<>();
            for (RexNode operand : call.getOperands()) {
                String obstacle = failing.obstacle(operand);
                if (obstacle != null || isGuarded && failing.canFail(operand)) {
                    throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "not supported: "
                                    + (obstacle != null
                                            ? obstacle
                                            : call.getOperator().getName() + " of a value that can fail, inside CASE"));
                }
                int known = columns.indexOf(operand);
                if (known < 0) {
                    columns.add(operand);
                }
                arguments.add(known < 0 ? columns.size() - 1 : known);
            }
            results.put(call, calls.size());
            calls.add(new QuarrelCalls.Call(((ScalarFunctionOperator) call.getOperator()).function(), arguments));
        }
    }
}
