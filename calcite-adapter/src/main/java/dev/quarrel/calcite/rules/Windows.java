package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.lower.WindowCalls;
import dev.quarrel.calcite.rel.QuarrelWindow;
import dev.quarrel.calcite.sql.WindowEdges;
import dev.quarrel.calcite.sql.function.AggregateFunction;
import dev.quarrel.calcite.sql.function.Operators;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.LocalAggregate;
import dev.quarrel.core.ir.WindowCall;
import dev.quarrel.core.ir.WindowFrame;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexFieldCollation;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.rex.RexWindow;
import org.apache.calcite.rex.RexWindowBound;
import org.apache.calcite.util.ImmutableBitSet;

/// Extracts window functions from expressions, into one [QuarrelWindow] for each combination of PARTITION BY and
/// ORDER BY.
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
        if (overs.isEmpty()) {
            return new Windows(input, expressions);
        }
        ImmutableBitSet read = RelOptUtil.InputFinder.bits(expressions, null);
        if (!read.isEmpty() && read.cardinality() < input.getRowType().getFieldCount()) {
            // A window keeps all columns that it is given.
            List<RexNode> columns = new ArrayList<>();
            read.forEachInt(
                    column -> columns.add(conversion.cluster().getRexBuilder().makeInputRef(input, column)));
            RexShuttle places = new RexShuttle() {
                @Override
                public RexNode visitInputRef(RexInputRef column) {
                    return new RexInputRef(read.indexOf(column.getIndex()), column.getType());
                }
            };
            return extract(conversion, conversion.projectRows(input, columns), places.visitList(expressions));
        }
        return new Extraction(conversion, input, overs).run(expressions);
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
            Map<RexOver, WindowCall> calls = new LinkedHashMap<>();
            for (RexOver over : overs) {
                Spec spec = spec(over.getWindow());
                bySpec.computeIfAbsent(spec, _ -> new ArrayList<>()).add(over);
                calls.put(over, call(over));
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

        /// The column that orders as the expression does, and whose values are equal where that's are.
        private int key(RexNode node) {
            return column(Operators.orderKey(new RexMaker(rexBuilder), node));
        }

        private Spec spec(RexWindow window) {
            List<Integer> partition =
                    window.partitionKeys.stream().map(this::key).toList();
            List<RelFieldCollation> order = new ArrayList<>();
            for (RexFieldCollation key : window.orderKeys) {
                order.add(new RelFieldCollation(key(key.left), key.getDirection(), key.getNullDirection()));
            }
            return new Spec(partition, order);
        }

        private WindowCall call(RexOver over) {
            String name = over.getAggOperator().getName().toLowerCase(Locale.ROOT);
            if (over.isDistinct() || over.ignoreNulls()) {
                throw unsupported("DISTINCT or IGNORE NULLS of window function " + name);
            }
            RexWindow window = over.getWindow();
            int count = over.getOperands().size();
            for (RexWindowBound bound : List.of(window.getLowerBound(), window.getUpperBound())) {
                count = bound.getOffset() == null ? count : Math.min(count, place(bound));
            }
            List<Integer> arguments = over.getOperands().subList(0, count).stream()
                    .map(this::column)
                    .toList();
            int first = arguments.isEmpty() ? -1 : arguments.getFirst();
            int second = arguments.size() > 1 ? arguments.get(1) : -1;
            int third = arguments.size() > 2 ? arguments.get(2) : -1;
            return switch (name) {
                case "row_number" -> new WindowCall.Position(WindowCall.PositionKind.ROW_NUMBER);
                case "rank" -> new WindowCall.Position(WindowCall.PositionKind.RANK);
                case "dense_rank" -> new WindowCall.Position(WindowCall.PositionKind.DENSE_RANK);
                case "percent_rank" -> new WindowCall.Position(WindowCall.PositionKind.PERCENT_RANK);
                case "cume_dist" -> new WindowCall.Position(WindowCall.PositionKind.CUME_DIST);
                case "ntile" -> new WindowCall.Ntile(first);
                case "lag", "lead" -> new WindowCall.Shift(first, second, third, name.equals("lead"));
                case "first_value" -> new WindowCall.Pick(WindowCall.PickKind.FIRST_VALUE, first, -1, frame(over));
                case "last_value" -> new WindowCall.Pick(WindowCall.PickKind.LAST_VALUE, first, -1, frame(over));
                case "nth_value" -> new WindowCall.Pick(WindowCall.PickKind.NTH_VALUE, first, second, frame(over));
                default -> {
                    if (over.getAggOperator() instanceof AggregateFunction ours
                            && ours.keepsNulls()
                            && arguments.size() == ours.argumentCount() + 1) {
                        yield new WindowCall.Aggregate(
                                new AggregateCall(
                                        ours.kind(),
                                        arguments.subList(0, ours.argumentCount()),
                                        arguments.getLast(),
                                        List.of(),
                                        ours.local()),
                                frame(over));
                    }
                    AggregateKind kind = over.getAggOperator() instanceof AggregateFunction ours
                            ? ours.argumentCount() == arguments.size() ? ours.kind() : null
                            : aggregate(name, arguments.size());
                    if (kind == null) {
                        throw unsupported("window function " + name);
                    }
                    LocalAggregate local =
                            over.getAggOperator() instanceof AggregateFunction ours ? ours.local() : null;
                    yield new WindowCall.Aggregate(
                            new AggregateCall(kind, arguments, -1, List.of(), local), frame(over));
                }
            };
        }

        private static AggregateKind aggregate(String name, int arguments) {
            if (name.equals("count")) {
                return arguments == 0 ? AggregateKind.COUNT_STAR : arguments == 1 ? AggregateKind.COUNT : null;
            }
            if (arguments != 1) {
                return null;
            }
            return switch (name) {
                case "sum" -> AggregateKind.SUM;
                case "avg" -> AggregateKind.AVG;
                case "min" -> AggregateKind.MIN;
                case "max" -> AggregateKind.MAX;
                case "bool_and", "every" -> AggregateKind.BOOL_AND;
                case "bool_or" -> AggregateKind.BOOL_OR;
                default -> null;
            };
        }

        private WindowFrame frame(RexOver over) {
            RexWindow window = over.getWindow();
            boolean isGroups = isGroups(window.getLowerBound()) || isGroups(window.getUpperBound());
            WindowFrame.Mode mode = window.isRows()
                    ? WindowFrame.Mode.ROWS
                    : isGroups ? WindowFrame.Mode.GROUPS : WindowFrame.Mode.RANGE;
            WindowFrame.Exclusion exclusion =
                    switch (window.getExclude()) {
                        case EXCLUDE_NO_OTHER -> WindowFrame.Exclusion.NO_OTHERS;
                        case EXCLUDE_CURRENT_ROW -> WindowFrame.Exclusion.CURRENT_ROW;
                        case EXCLUDE_GROUP -> WindowFrame.Exclusion.GROUP;
                        case EXCLUDE_TIES -> WindowFrame.Exclusion.TIES;
                    };
            return new WindowFrame(
                    mode, edge(over, window.getLowerBound()), edge(over, window.getUpperBound()), exclusion);
        }

        private WindowFrame.Edge edge(RexOver over, RexWindowBound bound) {
            if (bound.isCurrentRow()) {
                return WindowFrame.Edge.of(WindowFrame.EdgeKind.CURRENT_ROW);
            }
            if (bound.isUnbounded()) {
                return WindowFrame.Edge.of(
                        bound.isPreceding()
                                ? WindowFrame.EdgeKind.UNBOUNDED_PRECEDING
                                : WindowFrame.EdgeKind.UNBOUNDED_FOLLOWING);
            }
            WindowFrame.EdgeKind kind =
                    bound.isPreceding() ? WindowFrame.EdgeKind.PRECEDING : WindowFrame.EdgeKind.FOLLOWING;
            int operand = column(over.getOperands().get(place(bound)));
            return over.getWindow().isRows() || isGroups(bound)
                    ? new WindowFrame.Edge(kind, operand, -1)
                    : new WindowFrame.Edge(kind, column(over.getOperands().get(place(bound) + 1)), operand);
        }

        /// Where the operands of an edge begin, as the analysis left it in the bound.
        private static int place(RexWindowBound bound) {
            int place = WindowEdges.placeOf(bound);
            return place < 0 ? ~place : place;
        }

        /// An edge that counts groups of peers has the complement of its place.
        private static boolean isGroups(RexWindowBound bound) {
            return bound.getOffset() != null && WindowEdges.placeOf(bound) < 0;
        }

        private RelNode window(RelNode rel, Spec spec, List<RexOver> group, Map<RexOver, WindowCall> calls) {
            RelDataTypeFactory.Builder rowType =
                    conversion.cluster().getTypeFactory().builder();
            rowType.addAll(rel.getRowType().getFieldList());
            for (RexOver over : group) {
                String obstacle = WindowCalls.obstacle(calls.get(over), rel.getRowType(), over.getType());
                if (obstacle != null) {
                    throw unsupported(obstacle);
                }
                rowType.add("window$", over.getType());
            }
            Conversion.requireEquality(rel, spec.partition());
            conversion.requireComparable(
                    rel,
                    spec.order().stream().map(RelFieldCollation::getFieldIndex).toList());
            return new QuarrelWindow(
                    conversion.cluster(),
                    conversion.traits(),
                    rel,
                    spec.partition(),
                    spec.order(),
                    group.stream().map(calls::get).toList(),
                    rowType.uniquify().build());
        }
    }
}
