package dev.quarrel.calcite.sql.convert;

import dev.quarrel.calcite.sql.function.CatalogFunction;
import dev.quarrel.calcite.sql.function.Operators;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.function.EnumRows;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.Field;
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
    public static RexNode compare(RexMaker maker, Conversions conversions, String symbol, Expr left, Expr right) {
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
        if (operator != null && SqlTypes.isKeyedRow(type)) {
            return compareRows(maker, operator, type, left, right);
        }
        if (operator == null || other == null || !other.isEqualAsText()) {
            return null;
        }
        RexNode one = operand(maker, conversions, left, type);
        RexNode two = operand(maker, conversions, right, type);
        if (one == null || two == null) {
            return null;
        }
        if (operator == SqlStdOperatorTable.EQUALS || operator == SqlStdOperatorTable.NOT_EQUALS) {
            return maker.call(operator, maker.bool(), one, two);
        }
        RexNode onePlace = place(maker, one);
        return onePlace == null ? null : maker.call(operator, maker.bool(), onePlace, place(maker, two));
    }

    /// Rows, or arrays of rows, by their keys.
    ///
    /// - Errors: 42804 for rows that have not the same types of fields.
    private static RexNode compareRows(RexMaker maker, SqlOperator operator, RelDataType type, Expr left, Expr right) {
        List<RexNode> keys = new ArrayList<>();
        for (Expr expr : List.of(left, right)) {
            RelDataType own = expr instanceof Expr.Value value ? value.rex().getType() : null;
            if (own != null && !SqlTypes.isKeyedRow(own) || own == null && !(expr instanceof Expr.Null)) {
                return null;
            }
            if (own != null
                    && SqlTypes.other(own).isRow() != SqlTypes.other(type).isRow()) {
                return null;
            }
            if (own != null) {
                requireAlike(SqlTypes.other(type).fields(), SqlTypes.other(own).fields());
            }
            keys.add(
                    own == null
                            ? maker.nullOf(maker.rel(SqlType.BYTEA))
                            : Operators.orderKey(maker, ((Expr.Value) expr).rex()));
        }
        return maker.call(operator, maker.bool(), keys);
    }

    private static void requireAlike(List<Field> one, List<Field> other) {
        if (one.size() != other.size()) {
            throw new QueryException(
                    SqlState.DATATYPE_MISMATCH, "cannot compare record types with different numbers of columns");
        }
        for (int index = 0; index < one.size(); index++) {
            PgType.Declared first = PgType.Declared.of(one.get(index));
            PgType.Declared second = PgType.Declared.of(other.get(index));
            if (first.type() != second.type()
                    || first.other() != null && !first.other().isSame(second.other())) {
                throw new QueryException(
                        SqlState.DATATYPE_MISMATCH,
                        "cannot compare dissimilar column types " + typeName(first) + " and " + typeName(second)
                                + " at record column " + (index + 1));
            }
        }
    }

    private static String typeName(PgType.Declared declared) {
        return declared.other() != null
                ? declared.other().name()
                : declared.type().formatName();
    }

    private static RelDataType type(RexMaker maker, Expr expr) {
        return maker.nullable(((Expr.Value) expr).rex().getType(), false);
    }

    private static RexNode operand(RexMaker maker, Conversions conversions, Expr expr, RelDataType type) {
        OtherType known = SqlTypes.other(type);
        if (known.isEnum() && expr.type() == SqlType.UNKNOWN) {
            return cast(maker, conversions, expr, known).rex();
        }
        return switch (expr) {
            case Expr.Value value ->
                value.type() == SqlType.OTHER && type(maker, value).equals(type) ? value.rex() : null;
            case Expr.Null _ -> maker.nullOf(type);
            case Expr.Text _, Expr.Parameter _, Expr.Row _, Expr.Array _ -> null;
        };
    }

    /// A value as one of an enum; null where there is no such cast.
    ///
    /// - Errors: 22P02 for a text that is none of the enum's labels.
    static Expr.Value cast(RexMaker maker, Conversions conversions, Expr expr, OtherType other) {
        RelDataType type = SqlTypes.relType(maker.factory(), other);
        return switch (expr) {
            case Expr.Text(String text, int at, Collating _) -> {
                if (!other.labels().contains(text)) {
                    throw conversions.statement().located(OtherType.noLabel(other.name(), text), at);
                }
                yield new Expr.Value(maker.string(text, type), SqlType.OTHER, at);
            }
            case Expr.Null(int at) -> new Expr.Value(maker.nullOf(type), SqlType.OTHER, at);
            case Expr.Parameter parameter -> ofText(maker, conversions.implicit(parameter, SqlType.TEXT), other, type);
            case Expr.Value value
            when value.type() == SqlType.OTHER ->
                type(maker, value).equals(type) || RexLiteral.isNullLiteral(value.rex())
                        ? new Expr.Value(maker.cast(type, value.rex()), SqlType.OTHER, value.at())
                        : null;
            case Expr.Value value
            when value.type().isString() -> ofText(maker, conversions.implicit(value, SqlType.TEXT), other, type);
            case Expr.Value _, Expr.Row _, Expr.Array _ -> null;
        };
    }

    private static Expr.Value ofText(RexMaker maker, Expr.Value text, OtherType other, RelDataType type) {
        RelDataType words = maker.rel(SqlType.TEXT);
        List<RexNode> operands = List.of(
                text.rex(), maker.string(other.name(), words), maker.string(ArrayText.format(other.labels()), words));
        RexNode checked = CatalogFunction.call(maker, EnumRows.OF_TEXT, operands);
        return new Expr.Value(maker.cast(type, checked), SqlType.OTHER, text.at());
    }

    /// The enum that an expression is of; null for anything else.
    public static OtherType enumOf(Expr expr) {
        OtherType other =
                expr instanceof Expr.Value value ? SqlTypes.other(value.rex().getType()) : null;
        return other != null && other.isEnum() ? other : null;
    }

    /// The label at a place, which is counted from 0.
    public static RexNode label(RexMaker maker, RexNode place, OtherType other) {
        RelDataType type = SqlTypes.relType(maker.factory(), other);
        List<RexNode> operands = new ArrayList<>();
        for (int each = 0; each < other.labels().size(); each++) {
            RexNode number = maker.integer(each, SqlType.INT4);
            operands.add(maker.call(SqlStdOperatorTable.EQUALS, maker.bool(), place, number));
            operands.add(maker.string(other.labels().get(each), type));
        }
        operands.add(maker.nullOf(type));
        return maker.builder().makeCall(maker.nullable(type, true), SqlStdOperatorTable.CASE, operands);
    }

    /// What sorts as a value does: an enum's place, or the value itself.
    public static RexNode orderKey(RexMaker maker, RexNode value) {
        RexNode place = place(maker, value);
        return place == null ? value : place;
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
        if (expr instanceof Expr.Row row) {
            return row.of().name();
        }
        return expr instanceof Expr.Value value && SqlTypes.other(value.rex().getType()) != null
                ? SqlTypes.other(value.rex().getType()).name()
                : expr.type().displayName();
    }
}
