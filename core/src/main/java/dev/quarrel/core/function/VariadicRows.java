package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.TEXT;
import static dev.quarrel.core.type.SqlState.INVALID_PARAMETER_VALUE;
import static dev.quarrel.core.type.SqlState.INVALID_TEXT_REPRESENTATION;
import static dev.quarrel.core.type.SqlState.NULL_VALUE_NOT_ALLOWED;
import static dev.quarrel.core.type.SqlState.NUMERIC_VALUE_OUT_OF_RANGE;

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
            format().variadic().kernel("text_format"),
            format().takesNull().kernel("text_format_nv"),
            function("num_nulls").variadic().gives(INT4).kernel("pg_num_nulls"),
            function("num_nonnulls").variadic().gives(INT4).kernel("pg_num_nonnulls"));

    private VariadicRows() {}

    private static FunctionRow.Draft format() {
        return function("format", TEXT)
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
