package dev.quarrel.calcite.sql.convert;

import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Operations on values that are held only as text: enums can be ordered, and values of other types can be
/// compared for equality where their texts decide it.
///
/// - Source: PostgreSQL's `enum.c`.
public final class OtherTypes {
    private OtherTypes() {}

    /// A comparison, of values of one type, or of an enum with a label; null where texts do not tell.
    ///
    /// - Errors: 22P02 for a literal that is none of the enum's labels.
    public static RexNode compare(RexMaker maker, String symbol, Expr left, Expr right) {
        SqlOperator operator =
                switch (symbol) {
                    case "=" -> SqlStdOperatorTable.EQUALS;
                    case "<>" -> SqlStdOperatorTable.NOT_EQUALS;
                    case "<" -> SqlStdOperatorTable.LESS_THAN;
                    case "<=" -> SqlStdOperatorTable.LESS_THAN_OR_EQUAL;
                    case ">" -> SqlStdOperatorTable.GREATER_THAN;
                    case ">=" -> SqlStdOperatorTable.GREATER_THAN_OR_EQUAL;
                    default -> null;
                };
        RelDataType type = type(maker, left.type() == SqlType.OTHER ? left : right);
        OtherType other = SqlTypes.other(type);
        if (operator == null || other == null || !other.isEqualAsText()) {
            return null;
        }
        RexNode one = operand(maker, left, type);
        RexNode two = operand(maker, right, type);
        if (one == null || two == null) {
            return null;
        }
        if (operator == SqlStdOperatorTable.EQUALS || operator == SqlStdOperatorTable.NOT_EQUALS) {
            return maker.call(operator, maker.bool(), one, two);
        }
        RexNode onePlace = place(maker, one);
        return onePlace == null ? null : maker.call(operator, maker.bool(), onePlace, place(maker, two));
    }

    private static RelDataType type(RexMaker maker, Expr expr) {
        return maker.nullable(((Expr.Value) expr).rex().getType(), false);
    }

    private static RexNode operand(RexMaker maker, Expr expr, RelDataType type) {
        return switch (expr) {
            case Expr.Value value ->
                value.type() == SqlType.OTHER && type(maker, value).equals(type) ? value.rex() : null;
            case Expr.Text(String text, int _, Collating _) -> {
                OtherType other = SqlTypes.other(type);
                if (!other.isEnum()) {
                    yield null;
                }
                if (!other.labels().contains(text)) {
                    throw new QueryException(
                            SqlState.INVALID_TEXT_REPRESENTATION,
                            "invalid input value for enum " + other.name() + ": \"" + text + "\"");
                }
                yield maker.string(text, type);
            }
            case Expr.Null _ -> maker.nullOf(type);
            case Expr.Parameter _, Expr.Row _, Expr.Array _ -> null;
        };
    }

    /// The place of an enum's value among its labels, counted from 0; null for what is no enum.
    public static RexNode place(RexMaker maker, RexNode value) {
        OtherType other = SqlTypes.other(value.getType());
        if (other == null || !other.isEnum()) {
            return null;
        }
        RelDataType type = maker.nullable(value.getType(), false);
        if (value instanceof RexLiteral literal) {
            return literal.isNull()
                    ? maker.nullOf(maker.rel(SqlType.INT4))
                    : maker.integer(other.labels().indexOf(literal.getValueAs(String.class)), SqlType.INT4);
        }
        List<RexNode> operands = new ArrayList<>();
        for (int place = 0; place < other.labels().size(); place++) {
            RexNode label = maker.string(other.labels().get(place), type);
            operands.add(maker.call(SqlStdOperatorTable.EQUALS, maker.bool(), value, label));
            operands.add(maker.integer(place, SqlType.INT4));
        }
        operands.add(maker.nullOf(maker.rel(SqlType.INT4)));
        return maker.builder()
                .makeCall(maker.nullable(maker.rel(SqlType.INT4), true), SqlStdOperatorTable.CASE, operands);
    }

    /// `format_type()`'s name of an expression's type.
    public static String displayName(Expr expr) {
        return expr instanceof Expr.Value value && SqlTypes.other(value.rex().getType()) != null
                ? SqlTypes.other(value.rex().getType()).name()
                : expr.type().displayName();
    }
}
