package dev.quarrel.calcite.sql.convert;

import dev.quarrel.calcite.parse.PostgresTypeName;
import dev.quarrel.calcite.sql.function.CatalogFunction;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.function.ArrayOperation;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.pg.ArrayInput;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.VectorText;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.NlsString;

/// Analyses the arrays that a statement makes, `ARRAY[a, b]` and `'{1,2}'`, and casts to arrays.
///
/// - Source: PostgreSQL's `parse_expr.c` (transformArrayExpr).
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

    /// `x::text[]`; of ARRAY[…] each item is cast.
    Expr cast(Expr expr, TypeNames.Target target, int at) {
        SqlType type = target.type();
        if (target.other() != null) {
            return ofEnum(expr, target.other(), at);
        }
        if (type == SqlType.ARRAY) {
            if (expr instanceof Expr.Value value && value.type() == SqlType.TEXT) {
                return expr; // An array that is held as text stays so.
            }
            throw statement.unsupported(
                    at, "an array of type " + target.written().name());
        }
        if (expr instanceof Expr.Array(List<Expr> items, SqlType _, int arrayAt)) {
            TypeNames.Target element = element(target);
            List<Expr> converted = new ArrayList<>();
            boolean isNested = items.stream()
                    .anyMatch(item -> item instanceof Expr.Array || item.type().isArray());
            for (Expr item : items) {
                Expr cast = conversions.cast(item, isNested ? target : element, at);
                converted.add(cast instanceof Expr.Array inner ? value(inner) : cast);
            }
            return new Expr.Array(converted, isNested ? type : element.type(), arrayAt);
        }
        if (!expr.type().convertsTo(type, SqlType.Context.EXPLICIT)) {
            throw conversions.cannotCast(expr.type(), type, at);
        }
        return conversions.convert(expr, type, target.typmod()).at(at);
    }

    /// `'{a,b}'::mood[]`, which is a constant: an array that is written out.
    private Expr ofEnum(Expr expr, OtherType type, int at) {
        List<Expr> items =
                switch (expr) {
                    case Expr.Array(List<Expr> written, SqlType _, int _) -> written;
                    case Expr.Text(String text, int textAt, Collating _) -> items(text, textAt);
                    case Expr.Value value when value.type().isArray() -> items(value);
                    case Expr.Value _, Expr.Null _, Expr.Parameter _, Expr.Row _ -> null;
                };
        if (items == null) {
            throw statement.unsupported(at, "an array of type " + type.name());
        }
        List<Expr> converted = new ArrayList<>();
        for (Expr item : items) {
            Expr cast = OtherTypes.cast(maker, conversions, item, type);
            if (cast == null) {
                throw statement.unsupported(at, "this array of type " + type.name());
            }
            converted.add(cast);
        }
        return new Expr.Array(converted, SqlType.OTHER, expr.at());
    }

    /// An array of an enum's constants, where a table has a column of such arrays; null for other arrays.
    private Expr.Value ofLabels(Expr.Array array) {
        OtherType type = array.items().stream()
                .map(OtherTypes::enumOf)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        OtherType arrays = type == null ? null : conversions.typeNames().enums().arrayOf(type);
        if (arrays == null) {
            return null;
        }
        List<String> texts = new ArrayList<>();
        for (Expr item : array.items()) {
            Expr.Value value = OtherTypes.cast(maker, conversions, item, type);
            if (value == null || !(value.rex() instanceof RexLiteral literal)) {
                return null;
            }
            texts.add(literal.isNull() ? null : literal.getValueAs(String.class));
        }
        RexNode text = maker.string(ArrayText.format(texts), SqlTypes.relType(maker.factory(), arrays));
        return new Expr.Value(text, SqlType.OTHER, array.at());
    }

    private TypeNames.Target element(TypeNames.Target array) {
        PostgresTypeName written = array.written();
        return conversions
                .typeNames()
                .target(new PostgresTypeName(
                        written.getTypeName(), written.modifiers(), written.withTimeZone(), 0, written.getParserPos()));
    }

    /// The literal of an array's text.
    ///
    /// - Errors: 22P02 for what is no array, and those of the elements.
    RexNode read(String text, SqlType type, int typmod) {
        if (type.pgType().isVector()) {
            return maker.string(VectorText.read(text, type.pgType()), maker.rel(type));
        }
        PgType.Declared element = new PgType.Declared(type.pgType().element(), typmod);
        return maker.string(ArrayInput.read(text, element, moment), maker.rel(type));
    }

    /// The items of an array that is a constant of one dimension; null for another.
    public List<Expr> items(Expr.Value array) {
        if (!(array.rex() instanceof RexLiteral literal) || literal.isNull()) {
            return null;
        }
        ArrayText.Nested read = ArrayText.parseNested(literal.getValueAs(String.class));
        if (read.lengths().size() > 1) {
            return null;
        }
        List<Expr> items = new ArrayList<>();
        for (String element : read.elements()) {
            PgType.Declared type = new PgType.Declared(array.type().pgType().element(), PgType.NO_TYPMOD);
            // The text is the engine's own: a time in UTC is read as one.
            Expr item = element == null ? new Expr.Null(array.at()) : new Expr.Text(element, array.at());
            boolean isZoned =
                    type.type() == PgType.TIMESTAMPTZ && !moment.zone().equals(java.time.ZoneOffset.UTC);
            if (isZoned) {
                return null;
            }
            items.add(conversions.implicit(item, array.type().element()));
        }
        return items;
    }

    /// The items of `'{1,2}'` without a type, each without one.
    ///
    /// - Errors: 22P02 for what is no array, 0A000 for several dimensions.
    public List<Expr> items(String text, int at) {
        ArrayText.Nested read = ArrayInput.parse(text, each -> each);
        if (read.lengths().size() > 1) {
            throw statement.unsupported(at, "this array literal");
        }
        List<Expr> items = new ArrayList<>();
        read.elements().forEach(each -> items.add(each == null ? new Expr.Null(at) : new Expr.Text(each, at)));
        return items;
    }

    /// `ARRAY[a, b]` as a value: of constants a constant.
    ///
    /// - Errors: 42P18 without items, 42804 where they have no type in common.
    public Expr.Value value(Expr.Array array) {
        if (array.items().isEmpty() && array.element() == null) {
            throw statement
                    .error(SqlState.INDETERMINATE_DATATYPE, array.at(), "cannot determine type of empty array")
                    .withHint("Explicitly cast to the desired type, for example ARRAY[]::integer[].");
        }
        if (array.items().stream().anyMatch(Expr.Array.class::isInstance)) {
            List<Expr> closed = new ArrayList<>();
            array.items().forEach(each -> closed.add(each instanceof Expr.Array inner ? value(inner) : each));
            return value(new Expr.Array(closed, array.element(), array.at()));
        }
        Expr.Value ofLabels = ofLabels(array);
        if (ofLabels != null) {
            return ofLabels;
        }
        CommonTypes commonTypes = new CommonTypes(statement, maker, conversions);
        SqlType element = array.element() != null ? array.element() : commonTypes.of(array.items(), "ARRAY");
        if (element == SqlType.RECORD || !element.isArray() && element.array() == null) {
            throw statement.unsupported(array.at(), "an array of type " + element.displayName());
        }
        List<Expr.Value> items =
                array.items().isEmpty() ? List.of() : commonTypes.unified(array.items(), element, "ARRAY");
        if (element.isArray()) {
            return made(ArrayOperation.nest(element.pgType().element(), items.size()), items, element, array.at());
        }
        List<String> texts = new ArrayList<>();
        for (Expr.Value item : items) {
            if (RexLiteral.isNullLiteral(item.rex())) {
                texts.add(null);
                continue;
            }
            String text = constantText(item.rex());
            if (text == null) {
                FunctionRow row = ArrayOperation.make(element.pgType(), items.size());
                return made(row, items, element.array(), array.at());
            }
            // A value's text is the engine's own, whatever the session reads and shows.
            int typmod = element == SqlType.BPCHAR ? item.typmod() : PgType.NO_TYPMOD;
            PgType.Declared declared = new PgType.Declared(element.pgType(), typmod);
            texts.add(PgText.text(PgParse.literal(text, declared, PgParse.Moment.utc())));
        }
        RexNode literal = maker.string(ArrayText.format(texts), maker.rel(element.array()));
        return new Expr.Value(literal, element.array(), array.at());
    }

    private Expr.Value made(FunctionRow row, List<Expr.Value> items, SqlType type, int at) {
        List<RexNode> operands = items.stream().map(Expr.Value::rex).toList();
        return new Expr.Value(CatalogFunction.call(maker, row, operands), type, at);
    }

    /// The text of a constant; null for what is none.
    private static String constantText(RexNode rex) {
        if (rex instanceof RexLiteral literal) {
            return switch (literal.getValue()) {
                case BigDecimal number -> number.toPlainString();
                case NlsString text -> text.getValue();
                case Boolean truth -> truth.toString();
                case null, default -> null;
            };
        }
        // What Calcite has no literal of is a text under a cast.
        boolean isText = rex instanceof RexCall call
                && call.getKind() == SqlKind.CAST
                && call.getOperands().getFirst() instanceof RexLiteral text
                && SqlTypes.dataType(text.getType()) instanceof DataType.Utf8
                && !(SqlTypes.dataType(call.getType()) instanceof DataType.Utf8);
        return isText ? constantText(((RexCall) rex).getOperands().getFirst()) : null;
    }

    /// A text, or an array of other elements, as an array.
    ///
    /// - Errors: 0A000 for elements that have no such cast here.
    RexNode converted(Expr.Value value, SqlType type) {
        PgType to = type.pgType().element();
        if (type.pgType().isVector()) {
            throw statement.unsupported(value.at(), "a cast of text that is no constant to " + type.displayName());
        }
        if (!value.type().isArray()
                && to.form() != null
                && (to == PgType.TIMETZ || to.form().isShownInZone())) {
            throw statement.unsupported(value.at(), "a cast of text that is no constant to " + type.displayName());
        }
        if (!value.type().isArray()) {
            return CatalogFunction.call(maker, ArrayOperation.read(to), List.of(conversions.text(value)));
        }
        PgType from = value.type().pgType().element();
        boolean isAlike = from == to || from.isObjectId() && to.isObjectId() || isPlainText(from) && isPlainText(to);
        FunctionRow row = isAlike ? null : ArrayOperation.cast(from, to);
        if (row == null && !isAlike) {
            throw statement.unsupported(
                    value.at(), "a cast of " + value.type().displayName() + " to " + type.displayName());
        }
        return isAlike
                ? maker.cast(maker.rel(type), value.rex())
                : CatalogFunction.call(maker, row, List.of(value.rex()));
    }

    private static boolean isPlainText(PgType type) {
        return type == PgType.TEXT || type == PgType.VARCHAR;
    }
}
