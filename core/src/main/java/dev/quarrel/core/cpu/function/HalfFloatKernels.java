package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Map;
import java.util.function.Supplier;

/// Half floats: IEEE 754's binary16.
final class HalfFloatKernels {
    private HalfFloatKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        kernels.put(
                "float8_to_half",
                () -> BatchFunction.eachRow(
                        (in, out, row) -> ((FloatVector) out).values()[row] = rounded(in.float64(0))));
    }

    /// - Errors: 22003 for a number that is beyond 65504 once it is rounded.
    static float rounded(double number) {
        float near = (float) number;
        if (Float.isFinite(near) && near != number) {
            // Rounded towards zero, with the last bit set for what is lost: then the next rounding is the only one.
            int bits = Float.floatToRawIntBits(near);
            near = Float.intBitsToFloat((Math.abs((double) near) > Math.abs(number) ? bits - 1 : bits) | 1);
        }
        float half = Float.float16ToFloat(Float.floatToFloat16(near));
        if (Float.isInfinite(half) && !Double.isInfinite(number)) {
            throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value out of range: overflow");
        }
        return half;
    }
}
