package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.BOOL;
import static dev.quarrel.core.pg.PgType.DATE;
import static dev.quarrel.core.pg.PgType.FLOAT8;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.INTERVAL;
import static dev.quarrel.core.pg.PgType.TIME;
import static dev.quarrel.core.pg.PgType.TIMESTAMP;
import static dev.quarrel.core.pg.PgType.TIMESTAMPTZ;

import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.pg.PgType;
import java.util.ArrayList;
import java.util.List;

/// Functions of dates, times and intervals.
final class TimeRows {
    static final List<FunctionRow> ALL = all();

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
        return List.copyOf(rows);
    }
}
