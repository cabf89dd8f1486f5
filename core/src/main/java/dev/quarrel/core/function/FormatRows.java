package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.DATE;
import static dev.quarrel.core.pg.PgType.FLOAT4;
import static dev.quarrel.core.pg.PgType.FLOAT8;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.INT8;
import static dev.quarrel.core.pg.PgType.INTERVAL;
import static dev.quarrel.core.pg.PgType.NUMERIC;
import static dev.quarrel.core.pg.PgType.TEXT;
import static dev.quarrel.core.pg.PgType.TIMESTAMP;
import static dev.quarrel.core.pg.PgType.TIMESTAMPTZ;
import static dev.quarrel.core.type.SqlState.DATETIME_FIELD_OVERFLOW;
import static dev.quarrel.core.type.SqlState.FEATURE_NOT_SUPPORTED;
import static dev.quarrel.core.type.SqlState.INVALID_DATETIME_FORMAT;
import static dev.quarrel.core.type.SqlState.INVALID_TEXT_REPRESENTATION;
import static dev.quarrel.core.type.SqlState.INVALID_TIME_ZONE_DISPLACEMENT_VALUE;
import static dev.quarrel.core.type.SqlState.NUMERIC_VALUE_OUT_OF_RANGE;
import static dev.quarrel.core.type.SqlState.SYNTAX_ERROR;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;

/// Functions that write values in a format, and read them.
final class FormatRows {
    static final List<FunctionRow> ALL = all();

    private FormatRows() {}

    private static List<FunctionRow> all() {
        SqlState[] faults = {
            DATETIME_FIELD_OVERFLOW,
            FEATURE_NOT_SUPPORTED,
            INVALID_DATETIME_FORMAT,
            INVALID_TEXT_REPRESENTATION,
            INVALID_TIME_ZONE_DISPLACEMENT_VALUE,
            NUMERIC_VALUE_OUT_OF_RANGE,
            SYNTAX_ERROR
        };
        List<FunctionRow> rows = new ArrayList<>();
        for (PgType type : List.of(INT4, INT8, FLOAT4, FLOAT8, NUMERIC, TIMESTAMP, TIMESTAMPTZ, INTERVAL)) {
            FunctionRow.Draft row =
                    function("to_char", type, TEXT).gives(TEXT).stable().fails(faults);
            if (type == TIMESTAMP || type == TIMESTAMPTZ || type == INTERVAL) {
                row.givesNull();
            }
            if (type == TIMESTAMPTZ) {
                row.zoned();
            }
            rows.add(row.kernel(type.typeName() + "_to_char"));
        }
        rows.add(function("to_number", TEXT, TEXT)
                .gives(NUMERIC)
                .givesNull()
                .stable()
                .fails(faults)
                .kernel("numeric_to_number"));
        rows.add(function("to_date", TEXT, TEXT)
                .gives(DATE)
                .stable()
                .zoned()
                .fails(faults)
                .kernel("to_date"));
        rows.add(function("to_timestamp", TEXT, TEXT)
                .gives(TIMESTAMPTZ)
                .stable()
                .zoned()
                .fails(faults)
                .kernel("to_timestamp"));
        return List.copyOf(rows);
    }
}
