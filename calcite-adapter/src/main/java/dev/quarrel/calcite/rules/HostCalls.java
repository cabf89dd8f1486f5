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
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.validate.SqlValidatorUtil;

/// Extracts calls of functions written in Java from expressions: a pipeline computes their arguments, a
/// [QuarrelCalls] above it calls them, and the rest of the expressions reads the results as columns.
///
/// Where a CASE, COALESCE, AND or OR may not get to a call, the pipeline also computes whether it does.
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
        RexBuilder builder = cluster.getRexBuilder();
        Collector collector =
                new Collector(builder, columns, new LinkedHashMap<>(), Failing.over(input.getRowType(), builder));
        expressions.forEach(expression -> collector.collect(expression, null));
        Map<RexNode, QuarrelCalls.Call> calls = collector.calls();
        List<RexNode> results = List.copyOf(calls.keySet());
        RelNode wide = columns.size() == input.getRowType().getFieldCount() ? input : projected(columns);
        RelDataTypeFactory.Builder rowType = cluster.getTypeFactory().builder();
        rowType.addAll(wide.getRowType().getFieldList());
        results.forEach(call -> rowType.add("call$", call.getType()));
        RelNode called = new QuarrelCalls(
                cluster,
                cluster.traitSetOf(QuarrelRel.CONVENTION),
                wide,
                List.copyOf(calls.values()),
                rowType.uniquify().build());
        int first = wide.getRowType().getFieldCount();
        RexShuttle replace = new RexShuttle() {
            @Override
            public RexNode visitCall(RexCall call) {
                int result = results.indexOf(call);
                return result >= 0
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

    /// What an expression's calls are, and when each of them is called.
    ///
    /// @param columns what is computed below the calls: the input's columns, arguments and conditions
    /// @param occurrences each call's places; null in them: in no other call
    private record Collector(
            RexBuilder builder, List<RexNode> columns, Map<RexCall, List<Place>> occurrences, Failing failing) {
        /// An operand of a call, which is one itself, or stands in no other.
        private record Place(RexCall call, int index, Place outer) {}

        /// @param place where the expression stands; null for nowhere
        void collect(RexNode node, Place place) {
            if (!(node instanceof RexCall call) || !hasCall(call)) {
                return;
            }
            if (isHostCall(call) && call.getOperands().stream().noneMatch(HostCalls::hasCall)) {
                occurrences.computeIfAbsent(call, _ -> new ArrayList<>()).add(place);
                return;
            }
            List<RexNode> operands = call.getOperands();
            for (int index = 0; index < operands.size(); index++) {
                if (hasCall(operands.get(index))) {
                    collect(operands.get(index), new Place(call, index, place));
                }
            }
        }

        /// When the value at a place is asked for; null for always.
        ///
        /// @param asked the call whose place it is
        private RexNode condition(Place place, RexCall asked) {
            return place == null ? null : reached(place.call(), place.index(), condition(place.outer(), asked), asked);
        }

        /// When an operand's value is asked for. What is asked before it stands in a CASE, so that it fails only where
        /// the expression itself would. An operand before it that has the call itself ends that: whoever got
        /// there has called it, or goes on to this one.
        private RexNode reached(RexCall call, int index, RexNode condition, RexCall asked) {
            List<RexNode> operands = call.getOperands();
            List<RexNode> cases = new ArrayList<>();
            switch (call.getKind()) {
                case CASE -> {
                    boolean isValue = index % 2 == 1 && index < operands.size() - 1;
                    int last = isValue ? index - 1 : index;
                    int each = 0;
                    while (each < last && !has(operands.get(each), asked)) {
                        cases.add(operands.get(each));
                        cases.add(builder.makeLiteral(false));
                        each += 2;
                    }
                    boolean isChosen = isValue && each == last && !has(operands.get(last), asked);
                    if (isChosen) {
                        cases.add(operands.get(last));
                        cases.add(builder.makeLiteral(true));
                    }
                    cases.add(builder.makeLiteral(!isChosen));
                }
                case COALESCE -> unless(operands.subList(0, index), SqlStdOperatorTable.IS_NOT_NULL, asked, cases);
                case AND -> unless(operands.subList(0, index), SqlStdOperatorTable.IS_FALSE, asked, cases);
                case OR -> unless(operands.subList(0, index), SqlStdOperatorTable.IS_TRUE, asked, cases);
                default -> {
                    return condition;
                }
            }
            if (cases.size() == 1) {
                return condition;
            }
            RexNode reached = builder.makeCall(SqlStdOperatorTable.CASE, cases);
            return condition == null
                    ? reached
                    : builder.makeCall(SqlStdOperatorTable.CASE, condition, reached, builder.makeLiteral(false));
        }

        private void unless(List<RexNode> before, SqlOperator ends, RexCall asked, List<RexNode> cases) {
            for (RexNode each : before) {
                if (has(each, asked)) {
                    break;
                }
                cases.add(builder.makeCall(ends, each));
                cases.add(builder.makeLiteral(false));
            }
            cases.add(builder.makeLiteral(true));
        }

        private static boolean has(RexNode node, RexCall asked) {
            return node.equals(asked)
                    || node instanceof RexCall call
                            && call.getOperands().stream().anyMatch(operand -> has(operand, asked));
        }

        /// The calls whose conditions hold no further call, each with the columns that it reads.
        ///
        /// - Errors: 0A000 where each call waits for another, or an argument cannot be computed.
        Map<RexNode, QuarrelCalls.Call> calls() {
            Map<RexNode, QuarrelCalls.Call> calls = new LinkedHashMap<>();
            occurrences.forEach((call, places) -> {
                List<RexNode> conditions = new ArrayList<>();
                places.forEach(place -> conditions.add(condition(place, call)));
                boolean isAlways = conditions.contains(null);
                if (isAlways || conditions.stream().noneMatch(HostCalls::hasCall)) {
                    RexNode any = isAlways ? null : RexUtil.composeDisjunction(builder, conditions);
                    calls.put(call, call(call, any));
                }
            });
            if (calls.isEmpty()) {
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED, "not supported: functions that wait for each other in CASE");
            }
            return calls;
        }

        private QuarrelCalls.Call call(RexCall call, RexNode condition) {
            List<Integer> arguments = new ArrayList<>();
            for (RexNode operand : call.getOperands()) {
                String obstacle = failing.obstacle(operand);
                if (obstacle != null) {
                    throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "not supported: " + obstacle);
                }
                boolean isGuarded = condition != null && failing.canFail(operand);
                arguments.add(column(
                        isGuarded
                                ? builder.makeCall(
                                        SqlStdOperatorTable.CASE,
                                        condition,
                                        operand,
                                        builder.makeNullLiteral(operand.getType()))
                                : operand));
            }
            int conditionColumn = condition == null ? QuarrelCalls.Call.ALWAYS : column(condition);
            return new QuarrelCalls.Call(
                    ((ScalarFunctionOperator) call.getOperator()).function(), arguments, conditionColumn);
        }

        private int column(RexNode value) {
            int known = columns.indexOf(value);
            if (known < 0) {
                columns.add(value);
            }
            return known < 0 ? columns.size() - 1 : known;
        }
    }
}
