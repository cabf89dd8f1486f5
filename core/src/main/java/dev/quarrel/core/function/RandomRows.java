package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.FLOAT8;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.INT8;
import static dev.quarrel.core.pg.PgType.INTERVAL;
import static dev.quarrel.core.pg.PgType.NUMERIC;
import static dev.quarrel.core.pg.PgType.TEXT;
import static dev.quarrel.core.pg.PgType.TIMESTAMPTZ;
import static dev.quarrel.core.pg.PgType.UUID;
import static dev.quarrel.core.type.SqlState.INVALID_PARAMETER_VALUE;

import java.util.List;

/// Functions that answer anew in every row. Their answers cannot be repeated: nobody seeds them.
final class RandomRows {
    static final List<FunctionRow> ALL = List.of(
            function("random").gives(FLOAT8).random().expression(),
            function("random", INT4, INT4)
                    .gives(INT4)
                    .random()
                    .fails(INVALID_PARAMETER_VALUE)
                    .expression(),
            function("random", INT8, INT8)
                    .gives(INT8)
                    .random()
                    .fails(INVALID_PARAMETER_VALUE)
                    .expression(),
            function("random", NUMERIC, NUMERIC)
                    .gives(NUMERIC)
                    .random()
                    .fails(INVALID_PARAMETER_VALUE)
                    .expression(),
            // PostgreSQL's has defaults: 0 and 1.
            function("random_normal").gives(FLOAT8).random().expression(),
            function("random_normal", FLOAT8).gives(FLOAT8).random().expression(),
            function("random_normal", FLOAT8, FLOAT8).gives(FLOAT8).random().expression(),
            function("gen_random_uuid").gives(UUID).random().expression(),
            function("uuidv4").gives(UUID).random().expression(),
            function("uuidv7").gives(UUID).random().expression(),
            function("uuidv7", INTERVAL).gives(UUID).random().expression(),
            function("clock_timestamp").gives(TIMESTAMPTZ).random().expression(),
            function("timeofday").gives(TEXT).random().expression());

    private RandomRows() {}
}
