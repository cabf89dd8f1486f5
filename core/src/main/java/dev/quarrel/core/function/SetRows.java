package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.ANYARRAY;
import static dev.quarrel.core.pg.PgType.ANYELEMENT;
import static dev.quarrel.core.pg.PgType.BOOL;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.INT8;
import static dev.quarrel.core.pg.PgType.INTERVAL;
import static dev.quarrel.core.pg.PgType.NUMERIC;
import static dev.quarrel.core.pg.PgType.REGCLASS;
import static dev.quarrel.core.pg.PgType.TEXT;
import static dev.quarrel.core.pg.PgType.TIMESTAMP;
import static dev.quarrel.core.pg.PgType.TIMESTAMPTZ;
import static dev.quarrel.core.type.SqlState.DATETIME_FIELD_OVERFLOW;
import static dev.quarrel.core.type.SqlState.FEATURE_NOT_SUPPORTED;
import static dev.quarrel.core.type.SqlState.INVALID_PARAMETER_VALUE;

import java.util.List;

/// Functions that give rows: they stand in FROM.
final class SetRows {
    static final List<FunctionRow> ALL = List.of(
            function("generate_series", INT4, INT4).gives(INT4).rows("generate_series_int8"),
            function("generate_series", INT4, INT4, INT4)
                    .gives(INT4)
                    .fails(INVALID_PARAMETER_VALUE)
                    .rows("generate_series_int8"),
            function("generate_series", INT8, INT8).gives(INT8).rows("generate_series_int8"),
            function("generate_series", INT8, INT8, INT8)
                    .gives(INT8)
                    .fails(INVALID_PARAMETER_VALUE)
                    .rows("generate_series_int8"),
            function("generate_series", NUMERIC, NUMERIC).gives(NUMERIC).rows("generate_series_numeric"),
            function("generate_series", NUMERIC, NUMERIC, NUMERIC)
                    .gives(NUMERIC)
                    .fails(INVALID_PARAMETER_VALUE)
                    .rows("generate_series_numeric"),
            function("generate_series", TIMESTAMP, TIMESTAMP, INTERVAL)
                    .gives(TIMESTAMP)
                    .fails(INVALID_PARAMETER_VALUE, DATETIME_FIELD_OVERFLOW)
                    .rows("generate_series_timestamp"),
            function("generate_series", TIMESTAMPTZ, TIMESTAMPTZ, INTERVAL)
                    .gives(TIMESTAMPTZ)
                    .stable()
                    .zoned()
                    .fails(INVALID_PARAMETER_VALUE, DATETIME_FIELD_OVERFLOW)
                    .rows("generate_series_timestamptz"),
            function("generate_series", TIMESTAMPTZ, TIMESTAMPTZ, INTERVAL, TEXT)
                    .gives(TIMESTAMPTZ)
                    .zoned()
                    .fails(INVALID_PARAMETER_VALUE, DATETIME_FIELD_OVERFLOW, FEATURE_NOT_SUPPORTED)
                    .rows("generate_series_timestamptz_at_zone"),
            function("unnest", ANYARRAY).gives(ANYELEMENT).givesNull().rows("array_unnest"),
            function("generate_subscripts", ANYARRAY, INT4).gives(INT4).rows("generate_subscripts_nodir"),
            function("generate_subscripts", ANYARRAY, INT4, BOOL).gives(INT4).rows("generate_subscripts"),
            // No table here is a part of another. psql asks for them in \d.
            function("pg_partition_ancestors", REGCLASS)
                    .gives(REGCLASS)
                    .random()
                    .rows("no_rows"));

    private SetRows() {}
}
