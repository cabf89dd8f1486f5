package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.BOOL;
import static dev.quarrel.core.pg.PgType.DATE;
import static dev.quarrel.core.pg.PgType.FLOAT8;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.INTERVAL;
import static dev.quarrel.core.pg.PgType.NUMERIC;
import static dev.quarrel.core.pg.PgType.TEXT;
import static dev.quarrel.core.pg.PgType.TIME;
import static dev.quarrel.core.pg.PgType.TIMESTAMP;
import static dev.quarrel.core.pg.PgType.TIMESTAMPTZ;
import static dev.quarrel.core.type.SqlState.DATETIME_FIELD_OVERFLOW;
import static dev.quarrel.core.type.SqlState.FEATURE_NOT_SUPPORTED;
import static dev.quarrel.core.type.SqlState.INVALID_DATETIME_FORMAT;
import static dev.quarrel.core.type.SqlState.INVALID_PARAMETER_VALUE;
import static dev.quarrel.core.type.SqlState.INVALID_TIME_ZONE_DISPLACEMENT_VALUE;

import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;

/// Functions of dates, times and intervals.
public final class TimeRows {
    private static final SqlState[] ZONE_FAULTS = {
        INVALID_PARAMETER_VALUE, DATETIME_FIELD_OVERFLOW, FEATURE_NOT_SUPPORTED
    };

    /// The local time in the session's zone.
    public static final FunctionRow TO_LOCAL = function("timezone", TIMESTAMPTZ)
            .gives(TIMESTAMP)
            .zoned()
            .stable()
            .fails(DATETIME_FIELD_OVERFLOW)
            .kernel("timestamptz_at_local");

    /// The instant of a local time in the session's zone.
    public static final FunctionRow TO_INSTANT = function("timezone", TIMESTAMP)
            .gives(TIMESTAMPTZ)
            .zoned()
            .stable()
            .fails(DATETIME_FIELD_OVERFLOW)
            .kernel("timestamp_at_local");

    /// Down to a unit of the session's zone.
    public static final FunctionRow DATE_TRUNC = function("date_trunc", TEXT, TIMESTAMPTZ)
            .gives(TIMESTAMPTZ)
            .zoned()
            .stable()
            .fails(INVALID_PARAMETER_VALUE, DATETIME_FIELD_OVERFLOW, FEATURE_NOT_SUPPORTED)
            .kernel("timestamptz_trunc");

    /// Moved by an interval in the session's zone.
    public static final FunctionRow DATE_ADD = function("date_add", TIMESTAMPTZ, INTERVAL)
            .gives(TIMESTAMPTZ)
            .zoned()
            .stable()
            .fails(DATETIME_FIELD_OVERFLOW)
            .kernel("timestamptz_pl_interval");

    /// Moved back by an interval in the session's zone.
    public static final FunctionRow DATE_SUBTRACT = function("date_subtract", TIMESTAMPTZ, INTERVAL)
            .gives(TIMESTAMPTZ)
            .zoned()
            .stable()
            .fails(DATETIME_FIELD_OVERFLOW)
            .kernel("timestamptz_mi_interval");

    /// The instant of a local time in the zone that `make_timestamptz` is told.
    public static final FunctionRow AT_OFFSET = function("timestamp_at_offset", TEXT, TIMESTAMP)
            .gives(TIMESTAMPTZ)
            .zoned()
            .fails(ZONE_FAULTS)
            .kernel("timestamp_at_offset");

    /// The instant at which a zone's clocks show a local time, or skip it.
    public static final FunctionRow SHOWN_AT_ZONE = function("timestamp_shown_zone", TEXT, TIMESTAMP)
            .gives(TIMESTAMPTZ)
            .zoned()
            .fails(ZONE_FAULTS)
            .kernel("timestamp_shown_zone");

    /// `age` in the session's zone.
    public static final FunctionRow AGE = function("timestamptz_age", TIMESTAMPTZ, TIMESTAMPTZ)
            .gives(INTERVAL)
            .zoned()
            .fails(DATETIME_FIELD_OVERFLOW)
            .kernel("timestamptz_age");

    /// A time as text, as the session's zone shows it.
    public static final FunctionRow TO_TEXT =
            function("timestamptz_out", TIMESTAMPTZ).gives(TEXT).zoned().kernel("timestamptz_out");

    /// Text read as a time in the session's zone.
    public static final FunctionRow OF_TEXT = function("timestamptz_in", TEXT)
            .gives(TIMESTAMPTZ)
            .zoned()
            .fails(
                    INVALID_DATETIME_FORMAT,
                    DATETIME_FIELD_OVERFLOW,
                    INVALID_TIME_ZONE_DISPLACEMENT_VALUE,
                    INVALID_PARAMETER_VALUE,
                    FEATURE_NOT_SUPPORTED)
            .kernel("timestamptz_in");

    static final List<FunctionRow> ALL = all();

    static final List<FunctionRow> INTERNAL = List.of(AGE, TO_TEXT, OF_TEXT, AT_OFFSET, SHOWN_AT_ZONE);

    private TimeRows() {}

    private static List<FunctionRow> all() {
        List<FunctionRow> rows = new ArrayList<>(List.of(
                function("justify_days", INTERVAL).gives(INTERVAL).opcode(Opcode.JUSTIFY_DAYS),
                function("justify_hours", INTERVAL).gives(INTERVAL).opcode(Opcode.JUSTIFY_HOURS),
                function("justify_interval", INTERVAL).gives(INTERVAL).opcode(Opcode.JUSTIFY_INTERVAL),
                function("age", TIMESTAMP, TIMESTAMP).gives(INTERVAL).opcode(Opcode.AGE_TIMESTAMP),
                function("age", TIMESTAMPTZ, TIMESTAMPTZ)
                        .gives(INTERVAL)
                        .zoned()
                        .opcode(Opcode.AGE_TIMESTAMP),
                function("age", TIMESTAMP).gives(INTERVAL).stable().expression(),
                function("age", TIMESTAMPTZ).gives(INTERVAL).stable().expression(),
                function("date_bin", INTERVAL, TIMESTAMP, TIMESTAMP)
                        .gives(TIMESTAMP)
                        .opcode(Opcode.BIN_TIMESTAMP),
                function("date_bin", INTERVAL, TIMESTAMPTZ, TIMESTAMPTZ)
                        .gives(TIMESTAMPTZ)
                        .opcode(Opcode.BIN_TIMESTAMP),
                function("isfinite", TIMESTAMP).gives(BOOL).opcode(Opcode.IS_FINITE_TIMESTAMP),
                function("isfinite", TIMESTAMPTZ).gives(BOOL).opcode(Opcode.IS_FINITE_TIMESTAMP),
                function("isfinite", DATE).gives(BOOL).opcode(Opcode.IS_FINITE_DATE),
                function("isfinite", INTERVAL).gives(BOOL).opcode(Opcode.IS_FINITE_INTERVAL),
                function("to_timestamp", FLOAT8).gives(TIMESTAMPTZ).opcode(Opcode.EPOCH_TIMESTAMP),
                function("make_date", INT4, INT4, INT4).gives(DATE).opcode(Opcode.MAKE_DATE),
                function("make_time", INT4, INT4, FLOAT8).gives(TIME).opcode(Opcode.MAKE_TIME),
                function("make_timestamp", INT4, INT4, INT4, INT4, INT4, FLOAT8)
                        .gives(TIMESTAMP)
                        .opcode(Opcode.MAKE_TIMESTAMP),
                function("make_timestamptz", INT4, INT4, INT4, INT4, INT4, FLOAT8)
                        .gives(TIMESTAMPTZ)
                        .stable()
                        .expression(),
                function("make_timestamptz", INT4, INT4, INT4, INT4, INT4, FLOAT8, TEXT)
                        .gives(TIMESTAMPTZ)
                        .stable()
                        .expression(),
                function("date", TIMESTAMP).gives(DATE).expression(),
                function("date", TIMESTAMPTZ).gives(DATE).stable().expression(),
                function("now").gives(TIMESTAMPTZ).stable().expression(),
                function("transaction_timestamp").gives(TIMESTAMPTZ).stable().expression()));
        // PostgreSQL fills what is not given with zero.
        List<PgType> fields = List.of(INT4, INT4, INT4, INT4, INT4, INT4, FLOAT8);
        for (int count = 0; count <= fields.size(); count++) {
            PgType[] given = fields.subList(0, count).toArray(PgType[]::new);
            rows.add(function("make_interval", given).gives(INTERVAL).expression());
        }
        for (PgType type : List.of(TIMESTAMPTZ, TIMESTAMP, TIME)) {
            for (PgType one : List.of(type, INTERVAL)) {
                for (PgType other : List.of(type, INTERVAL)) {
                    FunctionRow.Draft overlaps = function("overlaps", type, one, type, other)
                            .gives(BOOL)
                            .takesNull();
                    boolean isMoved = type == TIMESTAMPTZ && (one == INTERVAL || other == INTERVAL);
                    rows.add((isMoved ? overlaps.stable() : overlaps).expression());
                }
            }
        }
        zones(rows);
        parts(rows);
        return List.copyOf(rows);
    }

    /// The names of zones are zoned themselves: a zone may give abbreviations meanings of its own.
    private static void zones(List<FunctionRow> rows) {
        rows.add(function("timezone", TEXT, TIMESTAMPTZ)
                .gives(TIMESTAMP)
                .zoned()
                .fails(ZONE_FAULTS)
                .kernel("timestamptz_zone"));
        rows.add(function("timezone", TEXT, TIMESTAMP)
                .gives(TIMESTAMPTZ)
                .zoned()
                .fails(ZONE_FAULTS)
                .kernel("timestamp_zone"));
        rows.add(function("timezone", INTERVAL, TIMESTAMPTZ)
                .gives(TIMESTAMP)
                .fails(ZONE_FAULTS)
                .kernel("timestamptz_izone"));
        rows.add(function("timezone", INTERVAL, TIMESTAMP)
                .gives(TIMESTAMPTZ)
                .fails(ZONE_FAULTS)
                .kernel("timestamp_izone"));
        rows.add(TO_LOCAL);
        rows.add(TO_INSTANT);
        rows.add(DATE_TRUNC);
        rows.add(function("date_trunc", TEXT, TIMESTAMPTZ, TEXT)
                .gives(TIMESTAMPTZ)
                .zoned()
                .fails(ZONE_FAULTS)
                .kernel("timestamptz_trunc_zone"));
        rows.add(DATE_ADD);
        rows.add(DATE_SUBTRACT);
        for (String name : List.of("date_add", "date_subtract")) {
            rows.add(function(name, TIMESTAMPTZ, INTERVAL, TEXT)
                    .gives(TIMESTAMPTZ)
                    .zoned()
                    .fails(ZONE_FAULTS)
                    .kernel(
                            name.equals("date_add")
                                    ? "timestamptz_pl_interval_at_zone"
                                    : "timestamptz_mi_interval_at_zone"));
        }
    }

    /// Units that are no constants, or that no opcode has.
    private static void parts(List<FunctionRow> rows) {
        for (PgType type : List.of(DATE, TIME, TIMESTAMP, TIMESTAMPTZ, INTERVAL)) {
            FunctionRow.Draft exact = function("extract", TEXT, type)
                    .gives(NUMERIC)
                    .givesNull()
                    .fails(INVALID_PARAMETER_VALUE, FEATURE_NOT_SUPPORTED, DATETIME_FIELD_OVERFLOW);
            FunctionRow.Draft rounded = function("date_part", TEXT, type)
                    .gives(FLOAT8)
                    .givesNull()
                    .fails(INVALID_PARAMETER_VALUE, FEATURE_NOT_SUPPORTED, DATETIME_FIELD_OVERFLOW);
            if (type == TIMESTAMPTZ) {
                exact.stable().zoned();
                rounded.stable().zoned();
            }
            rows.add(exact.kernel("extract_" + type.typeName()));
            rows.add(rounded.kernel(type == DATE ? "date_part_date" : type.typeName() + "_part"));
        }
        rows.add(function("date_trunc", TEXT, TIMESTAMP)
                .gives(TIMESTAMP)
                .fails(ZONE_FAULTS)
                .kernel("timestamp_trunc"));
        rows.add(function("date_trunc", TEXT, INTERVAL)
                .gives(INTERVAL)
                .fails(ZONE_FAULTS)
                .kernel("interval_trunc"));
    }
}
