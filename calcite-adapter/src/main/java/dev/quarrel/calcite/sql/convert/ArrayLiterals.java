package dev.quarrel.calcite.sql.convert;

import dev.quarrel.calcite.parse.PostgresTypeName;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.NlsString;

/// Analyses arrays that a statement spells out, `ARRAY[1, 2]` or `'{1,2}'`: their elements, and the text that
/// holds them.
///
/// - Source: PostgreSQL's `arrayfuncs.c` (array_in).
public final class ArrayLiterals {
    private final StatementText statement;
    private final PgParse.Moment moment;
    private final Conversions conversions;
    private final RexMaker maker;

    /// @param moment how elements of times and intervals are read
    ArrayLiterals(StatementText statement, Conversions conversions, RexMaker maker, PgParse.Moment moment) {
        this.statement = statement;
        this.conversions = conversions;
        this.maker = maker;
        this.moment = moment;
    }

    /// `'{a,b}'::text[]`, or ARRAY[…]::text[].
    Expr cast(Expr expr, TypeNames.Target target, int at) {
        PostgresTypeName written = target.written();
        PostgresTypeName element = new PostgresTypeName(
                written.getTypeName(), written.modifiers(), written.withTimeZone(), 0, written.getParserPos());
        TypeNames.Target elementTarget = conversions.typeNames().target(element);
        List<Expr> items =
                switch (expr) {
                    case Expr.Array(List<Expr> inner, SqlType _, int _) -> inner;
                    case Expr.Text(String text, int textAt) -> items(text, textAt);
                    case Expr.Value value
                    when value.type() == SqlType.TEXT
                            || value.type().isArray()
                                    && value.type().pgType().element()
                                            == elementTarget.type().pgType() -> null;
                    default -> throw statement.unsupported(at, "an array that is not a constant");
                };
        if (items == null) {
            return expr; // An array that is held as text stays so.
        }
        List<Expr> converted = new ArrayList<>();
        for (Expr item : items) {
            converted.add(conversions.cast(item, elementTarget, at));
        }
        return new Expr.Array(converted, elementTarget.type(), at);
    }

    /// The elements of an array's text.
    ///
    /// - Errors: 22P02 for what is no array, 0A000 for several dimensions.
    public List<Expr> items(String text, int at) {
        String trimmed = text.trim();
        if (!trimmed.startsWith("{") || !trimmed.endsWith("}")) {
            throw statement
                    .error(SqlState.INVALID_TEXT_REPRESENTATION, at, "malformed array literal: \"" + text + "\"")
                    .withDetail("Array value must start with \"{\" or dimension information.");
        }
        List<Expr> items = new ArrayList<>();
        StringBuilder item = new StringBuilder();
        boolean quoted = false;
        boolean wasQuoted = false;
        String body = trimmed.substring(1, trimmed.length() - 1);
        for (int index = 0; index <= body.length(); index++) {
            char each = index < body.length() ? body.charAt(index) : ',';
            if (index == body.length() && quoted || each == '{' && !quoted) {
                throw statement.unsupported(at, "this array literal");
            }
            if (each == '"') {
                quoted = !quoted;
                wasQuoted = true;
            } else if (each == '\\' && index + 1 < body.length()) {
                item.append(body.charAt(++index));
            } else if (each == ',' && !quoted) {
                String value = wasQuoted ? item.toString() : item.toString().trim();
                if (!body.isEmpty()) {
                    items.add(
                            !wasQuoted && value.equalsIgnoreCase("null")
                                    ? new Expr.Null(at)
                                    : new Expr.Text(value, at));
                }
                item.setLength(0);
                wasQuoted = false;
            } else {
                item.append(each);
            }
        }
        return items;
    }

    /// An array of constants, of the type that they have in common.
    ///
    /// - Errors: 0A000 as [#value(Expr.Array, SqlType)] has it, and for an array without elements.
    public Expr.Value value(Expr.Array array) {
        SqlType element = array.element() != null
                ? array.element()
                : array.items().isEmpty() ? null : CommonTypes.find(array.items());
        SqlType type = element == null ? null : element.array();
        if (type == null) {
            throw statement.unsupported(array.at(), "an array here");
        }
        return value(array, type);
    }

    /// An array of constants as the array type's text.
    ///
    /// - Errors: 0A000 for an element that is no constant, or a type whose arrays are none of ours.
    Expr.Value value(Expr.Array array, SqlType type) {
        PgType element = type.pgType().element();
        List<String> texts = new ArrayList<>();
        for (Expr item : array.items()) {
            String text = constantText(item, array.at());
            // A value's text is the engine's own, whatever the session reads and shows.
            PgParse.Moment how = item instanceof Expr.Text ? moment : PgParse.Moment.utc();
            boolean isPadded = element == PgType.BPCHAR && item instanceof Expr.Value;
            int typmod = isPadded ? ((Expr.Value) item).typmod() : PgType.NO_TYPMOD;
            texts.add(
                    text == null
                            ? null
                            : PgText.text(PgParse.literal(text, new PgType.Declared(element, typmod), how)));
        }
        return new Expr.Value(maker.string(ArrayText.format(texts), maker.rel(type)), type, array.at());
    }

    /// The text of a constant; null for NULL.
    private String constantText(Expr item, int at) {
        return switch (item) {
            case Expr.Text(String text, int _) -> text;
            case Expr.Null _ -> null;
            case Expr.Value value -> constantText(value.rex(), at);
            case Expr.Parameter _, Expr.Row _, Expr.Array _ ->
                throw statement.unsupported(at, "an array of what is no constant");
        };
    }

    private String constantText(RexNode rex, int at) {
        if (rex instanceof RexLiteral literal) {
            if (literal.isNull()) {
                return null;
            }
            Comparable<?> value = literal.getValue();
            return switch (value) {
                case BigDecimal number -> number.toPlainString();
                case NlsString text -> text.getValue();
                default -> String.valueOf(value);
            };
        }
        // What Calcite has no literal of is a text under a cast.
        if (rex instanceof RexCall call
                && call.getKind() == SqlKind.CAST
                && call.getOperands().getFirst() instanceof RexLiteral text
                && SqlTypes.dataType(text.getType()) instanceof DataType.Utf8) {
            return constantText(text, at);
        }
        throw statement.unsupported(at, "an array of what is no constant");
    }
}
