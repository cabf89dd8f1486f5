package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.sql.function.CatalogFunction;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.arrow.FilePart;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.function.PackedArrays;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Asks columns of lists themselves where a function of arrays would ask their texts: how many elements there are, a
/// subscript, whether one is a value's equal; and structs, whether they are NULL. The table has hidden columns
/// for that ([FilePart.Kind]).
final class ListCalls extends RelHomogeneousShuttle {
    private static final int MAX_WANTED = 8;
    private static final int NONE = -1;
    private static final int LOST = -2;

    private final RexMaker maker;
    private final RexBuilder rexBuilder;

    private ListCalls(RelNode root) {
        this.rexBuilder = root.getCluster().getRexBuilder();
        this.maker = new RexMaker(rexBuilder);
    }

    static RelNode apply(RelNode root) {
        return new ListCalls(root).visit(root);
    }

    @Override
    public RelNode visit(RelNode node) {
        RelNode rel = super.visit(node);
        return switch (rel) {
            case Project project -> project.accept(new Calls(project.getInput()));
            case Filter filter -> {
                RexNode condition = filter.getCondition().accept(new Calls(filter.getInput()));
                yield filter.copy(filter.getTraitSet(), filter.getInput(), RexUtil.flatten(rexBuilder, condition));
            }
            default -> rel;
        };
    }

    /// Where a table's column of that name is, beside another column of the table; [#NONE] where the table has none,
    /// [#LOST] where a projection leaves it out.
    private static int beside(RelNode rel, int column, FilePart.Kind kind) {
        switch (rel) {
            case TableScan scan -> {
                List<String> names = scan.getRowType().getFieldNames();
                return names.indexOf(kind.of(names.get(column)));
            }
            case Filter filter -> {
                return beside(filter.getInput(), column, kind);
            }
            case Project project -> {
                int below = project.getProjects().get(column) instanceof RexInputRef input
                        ? beside(project.getInput(), input.getIndex(), kind)
                        : NONE;
                for (int index = 0; below >= 0 && index < project.getProjects().size(); index++) {
                    if (project.getProjects().get(index) instanceof RexInputRef input && input.getIndex() == below) {
                        return index;
                    }
                }
                return below < 0 ? below : LOST;
            }
            case Join join
            when join.getJoinType().projectsRight() -> {
                int width = join.getLeft().getRowType().getFieldCount();
                if (column < width) {
                    return beside(join.getLeft(), column, kind);
                }
                int below = beside(join.getRight(), column - width, kind);
                return below < 0 ? below : width + below;
            }
            default -> {
                return NONE;
            }
        }
    }

    private final class Calls extends RexShuttle {
        private final RelNode input;

        Calls(RelNode input) {
            this.input = input;
        }

        @Override
        public RexNode visitCall(RexCall call) {
            RexCall visited = (RexCall) super.visitCall(call);
            if (visited.getKind() == SqlKind.IS_NULL || visited.getKind() == SqlKind.IS_NOT_NULL) {
                RexNode part = presence(visited.getOperands().getFirst());
                return part == null
                        ? visited
                        : rexBuilder.makeCall(visited.getType(), visited.getOperator(), List.of(part));
            }
            if (!(visited.getOperator() instanceof CatalogFunction function)
                    || !(function.row().kind() instanceof FunctionRow.Kind.Kernel)) {
                return visited;
            }
            RexNode asked = asked(visited, function.row());
            return asked == null || !asked.getType().equals(visited.getType()) ? visited : asked;
        }

        /// What is NULL where lists, or structs, are; null for any other value.
        private RexNode presence(RexNode value) {
            RexNode count = of(value, FilePart.Kind.CARDINALITY);
            RexNode column = value instanceof RexCall cast && cast.getKind() == SqlKind.CAST
                    ? cast.getOperands().getFirst()
                    : value;
            return count == null ? of(column, FilePart.Kind.STRUCT) : count;
        }

        private RexNode asked(RexCall call, FunctionRow row) {
            String id = row.callee().id();
            List<RexNode> operands = call.getOperands();
            int colon = id.indexOf(':');
            return switch (colon < 0 ? id : id.substring(0, colon)) {
                case "array_cardinality" -> of(operands.getFirst(), FilePart.Kind.CARDINALITY);
                case "array_length" -> length(call);
                case "array_get" ->
                    operands.size() == 2 ? packed(PackedArrays::get, operands.get(0), operands.get(1)) : null;
                case "array_any_equal" -> packed(PackedArrays::has, operands.get(1), operands.get(0));
                case "arraycontains" -> ofEach(operands.get(0), operands.get(1), true);
                case "arrayoverlap" -> ofEach(operands.get(0), operands.get(1), false);
                default -> null;
            };
        }

        /// A part of a column of lists; null where there is none.
        private RexNode of(RexNode array, FilePart.Kind kind) {
            int column = array instanceof RexInputRef reference ? beside(input, reference.getIndex(), kind) : -1;
            return column < 0 ? null : rexBuilder.makeInputRef(input, column);
        }

        /// `array_length(a, 1)`, which is NULL of an empty array.
        private RexNode length(RexCall call) {
            boolean isFirst = call.getOperands().get(1) instanceof RexLiteral literal
                    && !literal.isNull()
                    && literal.getValueAs(Integer.class) == 1;
            RexNode count = isFirst ? of(call.getOperands().getFirst(), FilePart.Kind.CARDINALITY) : null;
            return count == null
                    ? null
                    : rexBuilder.makeCall(
                            call.getType(),
                            SqlStdOperatorTable.CASE,
                            List.of(
                                    rexBuilder.makeCall(
                                            SqlStdOperatorTable.GREATER_THAN,
                                            count,
                                            rexBuilder.makeExactLiteral(BigDecimal.ZERO, notNull(count.getType()))),
                                    count,
                                    rexBuilder.makeNullLiteral(call.getType())));
        }

        private RelDataType notNull(RelDataType type) {
            return rexBuilder.getTypeFactory().createTypeWithNullability(type, false);
        }

        private RexNode packed(PackedRow row, RexNode array, RexNode argument) {
            PgType type = SqlTypes.pgType(array.getType());
            PgType element = type.isArray() ? type.element() : null;
            RexNode bytes = element == null || !PackedArrays.isFor(element) ? null : of(array, FilePart.Kind.ELEMENTS);
            if (bytes == null) {
                return null;
            }
            List<RexNode> operands = new ArrayList<>(List.of(bytes));
            if (PackedArrays.hasEnds(element)) {
                RexNode ends = of(array, FilePart.Kind.ENDS);
                if (ends == null) {
                    return null;
                }
                operands.add(ends);
            }
            int presence = beside(input, ((RexInputRef) array).getIndex(), FilePart.Kind.PRESENCE);
            if (presence == LOST) {
                return null; // some elements are NULL, and it cannot be seen which
            }
            if (presence >= 0) {
                operands.add(rexBuilder.makeInputRef(input, presence));
            }
            operands.add(argument);
            return CatalogFunction.call(maker, row.of(element, presence >= 0), operands);
        }

        /// `a @> b` and `a && b` of an array that is written out.
        private RexNode ofEach(RexNode array, RexNode wanted, boolean isAll) {
            if (!(wanted instanceof RexLiteral literal) || literal.isNull()) {
                return null;
            }
            PgType type = SqlTypes.pgType(array.getType());
            List<String> texts =
                    ArrayText.parseNested(literal.getValueAs(String.class)).elements();
            if (!type.isArray() || texts.isEmpty() || texts.size() > MAX_WANTED || texts.contains(null)) {
                return null;
            }
            List<RexNode> tests = new ArrayList<>();
            for (String text : texts) {
                RexNode value = literal(type.element(), text);
                RexNode test = value == null ? null : packed(PackedArrays::holds, array, value);
                if (test == null) {
                    return null;
                }
                tests.add(test);
            }
            return isAll
                    ? RexUtil.composeConjunction(rexBuilder, tests)
                    : RexUtil.composeDisjunction(rexBuilder, tests);
        }

        private RexNode literal(PgType element, String text) {
            RelDataType type = SqlTypes.relType(rexBuilder.getTypeFactory(), element, -1);
            return switch (element) {
                case INT2, INT4, INT8 -> rexBuilder.makeExactLiteral(new BigDecimal(text), type);
                case TEXT -> maker.string(text, type);
                default -> null;
            };
        }
    }

    /// A row of [PackedArrays].
    @FunctionalInterface
    private interface PackedRow {
        FunctionRow of(PgType element, boolean hasPresence);
    }
}
