package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.TEXT;
import static dev.quarrel.core.type.SqlState.INVALID_PARAMETER_VALUE;
import static dev.quarrel.core.type.SqlState.INVALID_TEXT_REPRESENTATION;
import static dev.quarrel.core.type.SqlState.NULL_VALUE_NOT_ALLOWED;
import static dev.quarrel.core.type.SqlState.NUMERIC_VALUE_OUT_OF_RANGE;

import dev.quarrel.core.pg.PgType;
import java.util.List;

/// Functions of any number of values.
final class VariadicRows {
    static final List<FunctionRow> ALL = List.of(
            function("concat_ws", TEXT)
                    .variadic()
                    .gives(TEXT)
                    .givesNull()
                    .stable()
                    .kernel("text_concat_ws"),
            format(TEXT).variadic().kernel("text_format"),
            format(TEXT).takesNull().kernel("text_format_nv"),
            function("num_nulls").variadic().gives(INT4).kernel("pg_num_nulls"),
            function("num_nonnulls").variadic().gives(INT4).kernel("pg_num_nonnulls"));

    /// The same with an array in place of the values, which comes as its text.
    static final List<FunctionRow> INTERNAL = List.of(
            format(TEXT, TEXT).takesNull().kernel("text_format_array"),
            function("num_nulls", TEXT).gives(INT4).kernel("pg_num_nulls_array"),
            function("num_nonnulls", TEXT).gives(INT4).kernel("pg_num_nonnulls_array"));

    private VariadicRows() {}

    /// What computes a call of a variadic function with an array of its values; null where nothing does.
    static FunctionRow ofArray(String name, int argumentCount) {
        return INTERNAL.stream()
                .filter(row -> row.name().equals(name) && row.arguments().size() == argumentCount)
                .findFirst()
                .orElse(null);
    }

    private static FunctionRow.Draft format(PgType... arguments) {
        return function("format", arguments)
                .gives(TEXT)
                .givesNull()
                .stable()
                .fails(
                        INVALID_PARAMETER_VALUE,
                        NUMERIC_VALUE_OUT_OF_RANGE,
                        NULL_VALUE_NOT_ALLOWED,
                        INVALID_TEXT_REPRESENTATION);
    }
}
