package dev.quarrel.calcite.sql;

import static dev.quarrel.calcite.sql.type.SqlType.BOOL;
import static dev.quarrel.calcite.sql.type.SqlType.INT4;
import static dev.quarrel.calcite.sql.type.SqlType.INT4_ARRAY;
import static dev.quarrel.calcite.sql.type.SqlType.TEXT;
import static dev.quarrel.calcite.sql.type.SqlType.TEXT_ARRAY;

import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.function.ArrayFunctions;
import dev.quarrel.calcite.sql.function.OpcodeFunction;
import dev.quarrel.calcite.sql.function.ScalarFunctionOperator;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.pg.PgType;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Analyses functions and operators on arrays. An array's value is its text; it has one dimension, counted from
/// 1.
///
/// Arrays of the system catalog have the type text, so a text may be an array's.
///
/// - Source: PostgreSQL's `arrayfuncs.c`.
final class ArrayCalls {
    private static final OpcodeFunction CARDINALITY = new OpcodeFunction(Opcode.CARDINALITY, List.of(INT4_ARRAY), INT4);
    private static final OpcodeFunction HAS = new OpcodeFunction(Opcode.ARRAY_HAS, List.of(INT4_ARRAY, INT4), BOOL);
    private static final OpcodeFunction ITEM = new OpcodeFunction(Opcode.ARRAY_ITEM, List.of(INT4_ARRAY, INT4), TEXT);
    private static final OpcodeFunction CONTAINS =
            new OpcodeFunction(Opcode.ARRAY_CONTAINS, List.of(INT4_ARRAY, TEXT), BOOL);
    private static final OpcodeFunction HAS_NULL = new OpcodeFunction(Opcode.ARRAY_HAS_NULL, List.of(INT4_ARRAY), BOOL);
    private static final OpcodeFunction JOIN = new OpcodeFunction(Opcode.ARRAY_JOIN, List.of(TEXT_ARRAY, TEXT), TEXT);
    private static final OpcodeFunction JOIN_NULLS =
            new OpcodeFunction(Opcode.ARRAY_JOIN_NULLS, List.of(TEXT_ARRAY, TEXT, TEXT), TEXT);

    private final Analysis analysis;
    private final Scope scope;
    private final RexMaker maker;
    private final Conversions conversions;

    ArrayCalls(Analysis analysis, Scope scope) {
        this.analysis = analysis;
        this.scope = scope;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
    }

    /// An array that is written out, as a value where it stands beside an array.
    Expr operand(Expr expr, SqlType other) {
        boolean isBesideArray = other.isArray() || other == SqlType.ARRAY;
        return expr instanceof Expr.Array array && isBesideArray
                ? conversions.arrays().value(array)
                : expr;
    }

    /// A call of a function of arrays; null if it is none, or its first argument is no array.
    Expr call(String name, List<Expr> arguments, int at) {
        if (arguments.isEmpty() || !isKnown(name)) {
            return null;
        }
        SqlType type = arguments.getFirst().type();
        if (!type.isArray() && type != SqlType.ARRAY) {
            return null;
        }
        Expr.Value array = conversions.resolved(arguments.getFirst());
        int count = arguments.size();
        boolean fits =
                switch (name) {
                    case "cardinality", "array_ndims" -> count == 1;
                    case "array_to_string" -> (count == 2 || count == 3) && areTexts(arguments.subList(1, count));
                    default -> count == 2 && arguments.get(1).type().convertsTo(INT4, SqlType.Context.IMPLICIT);
                };
        if (!fits) {
            return null;
        }
        RexNode elements = maker.call(CARDINALITY, maker.rel(INT4), array.rex());
        return switch (name) {
            case "cardinality" -> new Expr.Value(elements, INT4, at);
            case "array_ndims" -> value(onlyIf(isAny(elements), maker.integer(1, INT4), INT4), INT4, at);
            case "array_to_string" -> joined(array, arguments.subList(1, count), at);
            default -> {
                RexNode dimension = conversions.implicit(arguments.get(1), INT4).rex();
                RexNode isFirst =
                        maker.call(SqlStdOperatorTable.EQUALS, maker.bool(), dimension, maker.integer(1, INT4));
                RexNode answer = name.equals("array_lower") ? maker.integer(1, INT4) : elements;
                yield value(onlyIf(maker.and(List.of(isFirst, isAny(elements))), answer, INT4), INT4, at);
            }
        };
    }

    private static boolean isKnown(String name) {
        return switch (name) {
            case "cardinality", "array_length", "array_lower", "array_upper", "array_ndims", "array_to_string" -> true;
            default -> false;
        };
    }

    private static boolean areTexts(List<Expr> exprs) {
        return exprs.stream().allMatch(expr -> expr.type().convertsTo(TEXT, SqlType.Context.IMPLICIT));
    }

    private static Expr.Value value(RexNode rex, SqlType type, int at) {
        return new Expr.Value(rex, type, at);
    }

    /// An array without elements has no dimension.
    private RexNode isAny(RexNode elements) {
        return maker.call(SqlStdOperatorTable.GREATER_THAN, maker.bool(), elements, maker.integer(0, INT4));
    }

    private RexNode onlyIf(RexNode condition, RexNode value, SqlType type) {
        RelDataType rel = maker.rel(type);
        return maker.cases(maker.nullable(rel, true), condition, value, maker.nullOf(rel));
    }

    private Expr joined(Expr.Value array, List<Expr> texts, int at) {
        RexNode separator = conversions.implicit(texts.getFirst(), TEXT).rex();
        RexNode plain = maker.call(JOIN, maker.rel(TEXT), array.rex(), separator);
        if (texts.size() == 1) {
            return value(plain, TEXT, at);
        }
        RexNode ofNull = conversions.implicit(texts.get(1), TEXT).rex();
        RexNode shown = maker.call(JOIN_NULLS, maker.rel(TEXT), array.rex(), separator, ofNull);
        RexNode isNull = maker.notNull(SqlStdOperatorTable.IS_NULL, maker.bool(), ofNull);
        return value(maker.cases(maker.nullable(maker.rel(TEXT), true), isNull, plain, shown), TEXT, at);
    }

    /// `array[index]`; NULL where there is no such element.
    ///
    /// - Errors: 0A000 for what is no array.
    Expr subscript(Expr array, Expr index, int at) {
        if (index.type().convertsTo(INT4, SqlType.Context.IMPLICIT)) {
            if (array instanceof Expr.Value value && value.type().isArray()) {
                return item(value, conversions.implicit(index, INT4).rex(), at);
            }
            if (isArrayText(array)) {
                RexNode number = conversions.implicit(index, INT4).rex();
                return value(textCall(ArrayFunctions.ITEM, TEXT, conversions.text(array), number), TEXT, at);
            }
        }
        throw analysis.unsupported(at, "a subscript here");
    }

    private Expr item(Expr.Value array, RexNode index, int at) {
        SqlType element = SqlType.of(array.type().pgType().element());
        RexNode text = maker.call(ITEM, maker.rel(TEXT), array.rex(), index);
        RexNode item = maker.cast(maker.rel(element), text);
        RexNode has = maker.call(HAS, maker.bool(), array.rex(), index);
        return value(onlyIf(has, item, element), element, at);
    }

    /// Whether an element equals a value: NULL if none does, and one is NULL.
    ///
    /// - Errors: 0A000 where texts do not tell.
    RexNode contains(Expr.Value array, Expr wanted, int at) {
        PgType element = array.type().pgType().element();
        SqlType type = SqlType.of(element);
        boolean isAlike = wanted.type() == SqlType.UNKNOWN
                || wanted.type() == type
                || wanted.type().isInteger() && type.isInteger()
                || wanted.type() != SqlType.BPCHAR && wanted.type().isString() && type.isString();
        if (!array.type().isEqualAsText() || !isAlike) {
            throw analysis.unsupported(at, "ANY and ALL over an array of this type");
        }
        Expr.Value value =
                wanted.type() == SqlType.UNKNOWN ? conversions.implicit(wanted, type) : conversions.resolved(wanted);
        RexNode text = value.type() == BOOL
                ? maker.call(
                        SqlStdOperatorTable.SUBSTRING,
                        maker.rel(TEXT),
                        conversions.text(value),
                        maker.integer(1, INT4),
                        maker.integer(1, INT4))
                : conversions.text(value);
        RexNode found = maker.call(CONTAINS, maker.bool(), array.rex(), text);
        RexNode hasNull = maker.call(HAS_NULL, maker.bool(), array.rex());
        RexNode unknown = onlyIf(maker.not(hasNull), maker.literal(false), BOOL);
        // Of no elements none is equal, not even where the value is NULL.
        RexNode any = maker.call(SqlStdOperatorTable.OR, maker.bool(), found, unknown);
        return maker.and(List.of(any, isAny(maker.call(CARDINALITY, maker.rel(INT4), array.rex()))));
    }

    /// Whether a text is an array's: what a function answers, or a column while the system catalog is in sight.
    boolean isArrayText(Expr expr) {
        return expr instanceof Expr.Value value
                && value.type() == SqlType.TEXT
                && !(value.rex() instanceof RexLiteral)
                && (scope.seesCatalog()
                        || value.rex() instanceof RexCall call && call.getOperator() instanceof ScalarFunctionOperator);
    }

    /// Whether it is an element of an array held as text.
    static boolean isItem(Expr expr) {
        return expr instanceof Expr.Value value
                && value.rex() instanceof RexCall call
                && call.getOperator() == ArrayFunctions.ITEM;
    }

    /// Whether an element of an array held as text has the value's text.
    RexNode textContains(Expr array, Expr wanted) {
        return textCall(ArrayFunctions.CONTAINS, BOOL, conversions.text(wanted), conversions.text(array));
    }

    private RexNode textCall(SqlOperator function, SqlType type, RexNode... arguments) {
        return maker.builder().makeCall(maker.nullable(maker.rel(type), true), function, List.of(arguments));
    }
}
