package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.lower.PipelineEmitter;
import dev.quarrel.calcite.rel.QuarrelWindow;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexFieldCollation;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.rex.RexWindow;

/// Takes window functions out of expressions: one [QuarrelWindow] over sorted rows for each partitioning and order.
///
/// @param input what the expressions are over now
record Windows(RelNode input, List<RexNode> expressions) {
    private record Spec(List<Integer> partition, List<RelFieldCollation> order) {}

    static Windows extract(Conversion conversion, RelNode input, List<RexNode> expressions) {
        List<RexOver> overs = new ArrayList<>();
        for (RexNode expression : expressions) {
            expression.accept(new RexVisitorImpl<Void>(true) {
                @Override
                public Void visitOver(RexOver over) {
                    if (!overs.contains(over)) {
                        overs.add(over);
                    }
                    return null;
                }
            });
        }
        return overs.isEmpty()
                ? new Windows(input, expressions)
                : new Extraction(conversion, input, overs).run(expressions);
    }

    private static QueryException unsupported(String reason) {
        return new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "not supported: " + reason);
    }

    private static final class Extraction {
        private final Conversion conversion;
        private final RexBuilder rexBuilder;
        private final RelNode input;
        private final List<RexOver> overs;
        private final List<RexNode> columns = new ArrayList<>();

        Extraction(Conversion conversion, RelNode input, List<RexOver> overs) {
            this.conversion = conversion;
            this.rexBuilder = conversion.cluster().getRexBuilder();
            this.input = input;
            this.overs = overs;
            for (int column = 0; column < input.getRowType().getFieldCount(); column++) {
                columns.add(rexBuilder.makeInputRef(input, column));
            }
        }

        Windows run(List<RexNode> expressions) {
            Map<Spec, List<RexOver>> bySpec = new LinkedHashMap<>();
            Map<RexOver, QuarrelWindow.Call> calls = new LinkedHashMap<>();
            for (RexOver over : overs) {
                Spec spec = spec(over.getWindow());
                bySpec.computeIfAbsent(spec, _ -> new ArrayList<>()).add(over);
                calls.put(over, call(over, !spec.order().isEmpty()));
            }
            RelNode rel = conversion.projectRows(input, columns);
            Map<RexOver, Integer> results = new LinkedHashMap<>();
            for (Map.Entry<Spec, List<RexOver>> group : bySpec.entrySet()) {
                int first = rel.getRowType().getFieldCount();
                rel = window(rel, group.getKey(), group.getValue(), calls);
                for (int index = 0; index < group.getValue().size(); index++) {
                    results.put(group.getValue().get(index), first + index);
                }
            }
            RelNode result = rel;
            List<RexNode> rest = expressions.stream()
                    .map(expression -> expression.accept(new RexShuttle() {
                        @Override
                        public RexNode visitOver(RexOver over) {
                            RexNode column = rexBuilder.makeInputRef(result, results.get(over));
                            return column.getType().equals(over.getType())
                                    ? column
                                    : rexBuilder.makeAbstractCast(over.getType(), column, false);
                        }
                    }))
                    .toList();
            return new Windows(result, rest);
        }

        private int column(RexNode node) {
            int known = columns.indexOf(node);
            if (known < 0) {
                columns.add(node);
            }
            return known < 0 ? columns.size() - 1 : known;
        }

        private Spec spec(RexWindow window) {
            List<Integer> partition =
                    window.partitionKeys.stream().map(this::column).toList();
            List<RelFieldCollation> order = new ArrayList<>();
            for (RexFieldCollation key : window.orderKeys) {
                order.add(new RelFieldCollation(column(key.left), key.getDirection(), key.getNullDirection()));
            }
            return new Spec(partition, order);
        }

        private QuarrelWindow.Call call(RexOver over, boolean isOrdered) {
            RexWindow window = over.getWindow();
            String name = over.getAggOperator().getName().toLowerCase(Locale.ROOT);
            if (over.isDistinct() || over.ignoreNulls() || hasExclusion(window)) {
                throw unsupported("DISTINCT, IGNORE NULLS or EXCLUDE of window function " + name);
            }
            QuarrelWindow.Function function = function(name, over.getOperands().size());
            boolean isAll = !isOrdered
                    || window.getLowerBound().isUnbounded()
                            && window.getUpperBound().isUnbounded();
            boolean usesFrame =
                    switch (function) {
                        case ROW_NUMBER, RANK, DENSE_RANK, LAG, LEAD -> false;
                        default -> true;
                    };
            if (usesFrame && !isAll) {
                boolean toPeers = window.getLowerBound().isUnbounded()
                        && window.getLowerBound().isPreceding()
                        && window.getUpperBound().isCurrentRow()
                        && !window.isRows();
                if (!toPeers) {
                    throw unsupported("this frame of window function " + name);
                }
            }
            if (function == QuarrelWindow.Function.SUM) {
                requireSummable(over.getOperands().getFirst());
            }
            return new QuarrelWindow.Call(
                    function, over.getOperands().stream().map(this::column).toList(), isAll);
        }

        private static boolean hasExclusion(RexWindow window) {
            return window.getExclude() != org.apache.calcite.rex.RexWindowExclusion.EXCLUDE_NO_OTHER;
        }

        /// Float sums depend on their order unless they are binned, which windows do not do.
        private static void requireSummable(RexNode argument) {
            DataType type = PipelineEmitter.joinKeyType(argument.getType(), argument.getType());
            if (type instanceof DataType.Float32 || type instanceof DataType.Float64) {
                throw unsupported("window sum of " + type);
            }
        }

        private static QuarrelWindow.Function function(String name, int arguments) {
            return switch (name) {
                case "row_number" -> QuarrelWindow.Function.ROW_NUMBER;
                case "rank" -> QuarrelWindow.Function.RANK;
                case "dense_rank" -> QuarrelWindow.Function.DENSE_RANK;
                case "lag" -> QuarrelWindow.Function.LAG;
                case "lead" -> QuarrelWindow.Function.LEAD;
                case "first_value" -> QuarrelWindow.Function.FIRST_VALUE;
                case "last_value" -> QuarrelWindow.Function.LAST_VALUE;
                case "count" -> arguments == 0 ? QuarrelWindow.Function.COUNT_STAR : QuarrelWindow.Function.COUNT;
                case "min" -> QuarrelWindow.Function.MIN;
                case "max" -> QuarrelWindow.Function.MAX;
                case "sum" -> QuarrelWindow.Function.SUM;
                default -> throw unsupported("window function " + name);
            };
        }

        private RelNode window(RelNode rel, Spec spec, List<RexOver> group, Map<RexOver, QuarrelWindow.Call> calls) {
            List<RelFieldCollation> keys = new ArrayList<>();
            spec.partition().forEach(column -> keys.add(new RelFieldCollation(column)));
            keys.addAll(spec.order());
            RelNode sorted = keys.isEmpty() ? rel : conversion.sorted(rel, RelCollations.of(keys));
            RelDataTypeFactory.Builder rowType =
                    conversion.cluster().getTypeFactory().builder();
            rowType.addAll(rel.getRowType().getFieldList());
            group.forEach(over -> rowType.add("window$", over.getType()));
            return new QuarrelWindow(
                    conversion.cluster(),
                    conversion.traits(),
                    sorted,
                    spec.partition(),
                    spec.order().stream().map(RelFieldCollation::getFieldIndex).toList(),
                    group.stream().map(calls::get).toList(),
                    rowType.uniquify().build());
        }
    }
}
