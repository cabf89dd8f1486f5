package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;

import dev.quarrel.core.ir.Callee;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.SqlState;
import java.util.Set;

/// What statements do with values that are held as texts of a form of their own, other than by calling functions: rows
/// for casts from text, for comparisons, and for min and max. They are in no catalog, since no name calls them.
public final class ValueOperation {
    private ValueOperation() {}

    /// The value that a text is, as a cast reads it.
    public static FunctionRow read(PgType type) {
        FunctionRow.Draft draft =
                row("value_in", PgType.TEXT, type).fails(ElementCast.ERRORS).fails(ERRORS);
        return (type.form().isReadInZone() ? draft.stable().zoned() : draft).kernel(id("value_in", type));
    }

    /// What reading a text of any of these types may end with.
    static final SqlState[] ERRORS = {
        SqlState.INVALID_TEXT_REPRESENTATION,
        SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
        SqlState.INVALID_DATETIME_FORMAT,
        SqlState.DATETIME_FIELD_OVERFLOW,
        SqlState.INVALID_TIME_ZONE_DISPLACEMENT_VALUE,
        SqlState.INVALID_PARAMETER_VALUE,
        SqlState.DATA_EXCEPTION
    };

    /// Bytes that order as values do.
    public static FunctionRow key(PgType type) {
        return row("value_key", type, PgType.BYTEA).kernel(id("value_key", type));
    }

    /// Bytes that order as values do, arrays among them, and have the value in them: what min and max look at.
    public static FunctionRow ranked(PgType type) {
        return row("value_ranked", type, PgType.BYTEA).kernel(id("value_ranked", type));
    }

    /// The value in such bytes.
    public static FunctionRow unranked(PgType type) {
        return row("value_unranked", PgType.BYTEA, type).kernel(id("value_unranked", type));
    }

    private static FunctionRow.Draft row(String name, PgType argument, PgType result) {
        return function(name, argument).gives(result);
    }

    private static String id(String operation, PgType type) {
        return operation + ":" + type.typeName();
    }

    /// Whether a callee is what the operation of its id is for values of that type.
    public static boolean isCallee(Callee callee, String operation, PgType type) {
        boolean hasForm = type.form() != null;
        FunctionRow row =
                switch (operation) {
                    case "value_in" -> hasForm ? read(type) : null;
                    case "value_key" -> hasForm ? key(type) : null;
                    case "value_ranked" -> hasForm || type.isArray() ? ranked(type) : null;
                    case "value_unranked" -> hasForm || type.isArray() ? unranked(type) : null;
                    default -> null;
                };
        return row != null && row.callee().equals(callee);
    }

    /// Ids of the operations, without the types.
    public static Set<String> ids() {
        return Set.of("value_in", "value_key", "value_ranked", "value_unranked");
    }
}
