package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.DATE;
import static dev.quarrel.core.pg.PgType.FLOAT8;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.INTERVAL;
import static dev.quarrel.core.pg.PgType.NUMERIC;
import static dev.quarrel.core.pg.PgType.TEXT;
import static dev.quarrel.core.pg.PgType.TIME;
import static dev.quarrel.core.pg.PgType.TIMESTAMPTZ;
import static dev.quarrel.core.pg.PgType.TIMETZ;
import static dev.quarrel.core.type.SqlState.DATETIME_FIELD_OVERFLOW;
import static dev.quarrel.core.type.SqlState.FEATURE_NOT_SUPPORTED;
import static dev.quarrel.core.type.SqlState.INVALID_PARAMETER_VALUE;

import java.util.List;

/// Functions of times of day with zones.
final class TimeTzRows {
    static final List<FunctionRow> ALL = List.of(
            function("timetz", TIME).gives(TIMETZ).stable().zoned().kernel("time_timetz"),
            function("timetz", TIMESTAMPTZ)
                    .gives(TIMETZ)
                    .stable()
                    .zoned()
                    .givesNull()
                    .fails(DATETIME_FIELD_OVERFLOW)
                    .kernel("timestamptz_timetz"),
            function("timetz", TIMETZ, INT4).gives(TIMETZ).kernel("timetz_scale"),
            function("time", TIMETZ).gives(TIME).kernel("timetz_time"),
            function("timetz_pl_interval", TIMETZ, INTERVAL)
                    .gives(TIMETZ)
                    .fails(DATETIME_FIELD_OVERFLOW)
                    .kernel("timetz_pl_interval"),
            function("timetz_mi_interval", TIMETZ, INTERVAL)
                    .gives(TIMETZ)
                    .fails(DATETIME_FIELD_OVERFLOW)
                    .kernel("timetz_mi_interval"),
            function("timestamptz", DATE, TIMETZ)
                    .gives(TIMESTAMPTZ)
                    .fails(DATETIME_FIELD_OVERFLOW)
                    .kernel("datetimetz_timestamptz"),
            function("timezone", TEXT, TIMETZ)
                    .gives(TIMETZ)
                    .zoned()
                    .stable()
                    .fails(INVALID_PARAMETER_VALUE, DATETIME_FIELD_OVERFLOW)
                    .kernel("timetz_zone"),
            function("timezone", INTERVAL, TIMETZ)
                    .gives(TIMETZ)
                    .fails(INVALID_PARAMETER_VALUE)
                    .kernel("timetz_izone"),
            function("timezone", TIMETZ).gives(TIMETZ).stable().zoned().kernel("timetz_at_local"),
            function("extract", TEXT, TIMETZ)
                    .gives(NUMERIC)
                    .fails(INVALID_PARAMETER_VALUE, FEATURE_NOT_SUPPORTED)
                    .kernel("extract_timetz"),
            function("date_part", TEXT, TIMETZ)
                    .gives(FLOAT8)
                    .fails(INVALID_PARAMETER_VALUE, FEATURE_NOT_SUPPORTED)
                    .kernel("timetz_part"));

    private TimeTzRows() {}
}
