package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.function.OpcodeFunction;
import dev.quarrel.calcite.sql.function.Operators;
import dev.quarrel.calcite.sql.function.Overloads;
import dev.quarrel.calcite.sql.function.Signature;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.type.DataType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.NlsString;

/// Turns `x IN (…)` with a long list of constants into one call whose list is a single literal, the text of an
/// array, so that the planner's work does not grow with the list.
final class ConstantLists {
    /// From this many constants on; of fewer, comparisons can use more of what is known about a column.
    static final int LEAST = 64;

    private static final OpcodeFunction IN_INT64 =
            new OpcodeFunction(Opcode.IN_INT64, List.of(SqlType.INT8, SqlType.TEXT), SqlType.BOOL);
    private static final OpcodeFunction IN_TEXT =
            new OpcodeFunction(Opcode.IN_UTF8, List.of(SqlType.TEXT, SqlType.TEXT), SqlType.BOOL);

    private final RexMaker maker;
    private final Conversions conversions;

    ConstantLists(RexMaker maker, Conversions conversions) {
        this.maker = maker;
        this.conversions = conversions;
    }

    /// The condition that the left side equals one of the constants.
    ///
    /// @param rest items that must still be compared
    record Found(RexNode rex, List<Expr> rest) {}

    /// null where items are few, or of a type whose equality texts do not tell.
    Found in(Expr left, List<Expr> items) {
        SqlType type = items.size() < LEAST ? null : typeOf(items);
        if (type == null || left instanceof Expr.Row || left instanceof Expr.Array) {
            return null;
        }
        Signature signature = Overloads.operator(Operators.binary("="), List.of(left.type(), type))
                .signature();
        if (signature == null) {
            return null;
        }
        SqlType compared = signature.arguments().get(1);
        RexNode value = conversions.implicit(left, signature.arguments().get(0)).rex();
        Equality equality = equality(signature.arguments().get(0), compared, value);
        if (equality == null) {
            return null;
        }
        Set<String> texts = new LinkedHashSet<>();
        List<Expr> rest = new ArrayList<>();
        boolean hasNull = false;
        for (Expr item : items) {
            if (item.type() != type && item.type() != SqlType.UNKNOWN || item instanceof Expr.Parameter) {
                rest.add(item);
                continue;
            }
            RexNode constant = conversions.implicit(item, compared).rex();
            if (constant instanceof RexLiteral literal && literal.isNull()) {
                hasNull = true;
            } else if (!equality.add(constant, texts)) {
                rest.add(item);
            }
        }
        if (items.size() - rest.size() < LEAST) {
            return null;
        }
        RexNode list = maker.string(ArrayText.format(new ArrayList<>(texts)), maker.rel(SqlType.TEXT));
        RexNode found = maker.call(equality.operator(), maker.bool(), equality.value(), list);
        if (hasNull) {
            found = maker.call(SqlStdOperatorTable.OR, maker.bool(), found, maker.nullOf(maker.bool()));
        } else if (equality.operator() == IN_INT64 && !texts.isEmpty()) {
            found = within(value, compared, texts, found);
        }
        return new Found(found, rest);
    }

    /// Bounds say which parts of a table need not be read.
    private RexNode within(RexNode value, SqlType type, Set<String> texts, RexNode found) {
        List<Long> numbers = texts.stream().map(Long::valueOf).toList();
        RexNode least = maker.integer(Collections.min(numbers), type);
        RexNode most = maker.integer(Collections.max(numbers), type);
        return maker.and(List.of(
                maker.call(SqlStdOperatorTable.GREATER_THAN_OR_EQUAL, maker.bool(), value, least),
                maker.call(SqlStdOperatorTable.LESS_THAN_OR_EQUAL, maker.bool(), value, most),
                found));
    }

    /// The one type that the constants have, null if there are several or none.
    private static SqlType typeOf(List<Expr> items) {
        SqlType type = null;
        for (Expr item : items) {
            boolean isConstant = item instanceof Expr.Value value
                    && (value.rex() instanceof RexLiteral || value.rex().isA(SqlKind.CAST));
            if (!isConstant) {
                continue;
            }
            if (type != null && type != item.type()) {
                return null;
            }
            type = item.type();
        }
        return type;
    }

    /// The way to write constants as texts such that the value equals a constant if, and only if, its text is
    /// one of that constant's.
    private record Equality(OpcodeFunction operator, RexNode value, SqlType type, int scale) {
        /// Adds a constant's texts.
        ///
        /// @return false for what is no constant
        boolean add(RexNode constant, Set<String> texts) {
            if (!(constant instanceof RexLiteral literal)) {
                String text = cast(constant);
                if (text != null) {
                    texts.add(text);
                }
                return text != null;
            }
            switch (type) {
                case INT2, INT4, INT8, OID ->
                    texts.add(
                            literal.getValueAs(BigDecimal.class).toBigInteger().toString());
                case FLOAT4, FLOAT8 -> {
                    double number = literal.getValueAs(Double.class);
                    texts.add(number == 0 ? "-0" : PgText.text(new Literal(DataType.FLOAT64, number)));
                    if (number == 0) {
                        texts.add("0");
                    }
                }
                case NUMERIC -> {
                    BigDecimal number = literal.getValueAs(BigDecimal.class).stripTrailingZeros();
                    if (number.scale() <= scale) {
                        texts.add(number.setScale(scale).toPlainString());
                    }
                }
                case DATE ->
                    texts.add(PgText.text(new Literal(DataType.DATE, (long) literal.getValueAs(Integer.class))));
                case BPCHAR -> texts.add(literal.getValueAs(String.class).replaceAll(" +$", ""));
                case TEXT, VARCHAR, NAME, CHAR -> texts.add(literal.getValueAs(String.class));
                default -> {
                    return false;
                }
            }
            return true;
        }

        /// The text under a cast, where a type's constants are such.
        private String cast(RexNode constant) {
            boolean isCanonical = type == SqlType.UUID || type == SqlType.BYTEA || type == SqlType.TIME;
            return isCanonical
                            && constant instanceof RexCall call
                            && call.isA(SqlKind.CAST)
                            && call.getOperands().getFirst() instanceof RexLiteral text
                            && text.getValue() instanceof NlsString value
                            && !value.getValue().equals("now")
                    ? value.getValue()
                    : null;
        }
    }

    private Equality equality(SqlType left, SqlType right, RexNode value) {
        RexNode text = null;
        int scale = 0;
        boolean isInteger = (left.isInteger() || left == SqlType.OID) && (right.isInteger() || right == SqlType.OID);
        if (isInteger) {
            return new Equality(IN_INT64, maker.cast(maker.rel(SqlType.INT8), value), right, 0);
        }
        if (left.isFloat() && right.isFloat()) {
            text = shown(maker.cast(maker.rel(SqlType.FLOAT8), value));
        } else if (left == SqlType.NUMERIC && right == left && !SqlTypes.isNumeric(value.getType())) {
            scale = value.getType().getScale();
            text = shown(value);
        } else if (left == right) {
            text = switch (left) {
                case DATE, UUID, BYTEA, TIME, BPCHAR -> shown(value);
                case TEXT, VARCHAR, NAME, CHAR -> value;
                default -> null;
            };
        } else if (left.isText() && right.isText() && left != SqlType.BPCHAR && right != SqlType.BPCHAR) {
            text = value;
        }
        return text == null ? null : new Equality(IN_TEXT, text, right, scale);
    }

    private RexNode shown(RexNode value) {
        return maker.cast(maker.rel(SqlType.TEXT), value);
    }
}
