package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.FLOAT4;
import static dev.quarrel.core.pg.PgType.FLOAT8;

import dev.quarrel.core.type.SqlState;
import java.util.List;

/// The cast to PG-Strom's `float2`: a number of 16 bits, which is held and shown as the real that it equals.
public final class HalfFloatRows {
    /// The half float next to a number; of two the one whose last bit is 0.
    public static final FunctionRow ROUND = function("float2", FLOAT8)
            .gives(FLOAT4)
            .fails(SqlState.NUMERIC_VALUE_OUT_OF_RANGE)
            .kernel("float8_to_half");

    static final List<FunctionRow> INTERNAL = List.of(ROUND);

    private HalfFloatRows() {}
}
