package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Map;
import java.util.function.Supplier;

/// Functions of double precision numbers.
///
/// The last digit of a transcendental function may differ from PostgreSQL's, which is its C library's.
///
/// - Source: PostgreSQL's `float.c`.
final class FloatKernels {
    private FloatKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        kernels.put("dsign", () -> FloatKernels::sign);
        kernels.put("dsqrt", () -> FloatKernels::sqrt);
        kernels.put("dlog1", () -> FloatKernels::ln);
        kernels.put("dpow", () -> FloatKernels::power);
    }

    /// NaN has none.
    private static void sign(Arguments in, Vector out) {
        double[] results = ((DoubleVector) out).values();
        while (in.next()) {
            double value = in.float64(0);
            results[in.row()] = value > 0 ? 1 : value < 0 ? -1 : 0;
        }
    }

    private static void sqrt(Arguments in, Vector out) {
        double[] results = ((DoubleVector) out).values();
        while (in.next()) {
            double value = in.float64(0);
            if (value < 0) {
                throw negativeRoot();
            }
            results[in.row()] = Math.sqrt(value);
        }
    }

    private static void ln(Arguments in, Vector out) {
        double[] results = ((DoubleVector) out).values();
        while (in.next()) {
            double value = in.float64(0);
            if (value <= 0) {
                throw logarithmOf(value == 0);
            }
            results[in.row()] = Math.log(value);
        }
    }

    private static void power(Arguments in, Vector out) {
        double[] results = ((DoubleVector) out).values();
        while (in.next()) {
            results[in.row()] = power(in.float64(0), in.float64(1));
        }
    }

    private static double power(double base, double exponent) {
        if (Double.isNaN(base) || Double.isNaN(exponent)) {
            return exponent == 0 || base == 1 ? 1 : Double.NaN;
        }
        if (base == 0 && exponent < 0) {
            throw zeroToNegativePower();
        }
        if (base < 0 && Math.floor(exponent) != exponent) {
            throw complexPower();
        }
        if (Double.isInfinite(exponent) && Math.abs(base) == 1) {
            return 1;
        }
        double result = Math.pow(base, exponent);
        if (Double.isInfinite(base) || Double.isInfinite(exponent)) {
            return result;
        }
        if (Double.isInfinite(result)) {
            throw RowErrors.floatOverflow();
        }
        if (result == 0 && base != 0) {
            throw RowErrors.floatUnderflow();
        }
        return result;
    }

    static QueryException negativeRoot() {
        return new QueryException(
                SqlState.INVALID_ARGUMENT_FOR_POWER_FUNCTION, "cannot take square root of a negative number");
    }

    static QueryException logarithmOf(boolean isZero) {
        return new QueryException(
                SqlState.INVALID_ARGUMENT_FOR_LOGARITHM,
                isZero ? "cannot take logarithm of zero" : "cannot take logarithm of a negative number");
    }

    static QueryException zeroToNegativePower() {
        return new QueryException(
                SqlState.INVALID_ARGUMENT_FOR_POWER_FUNCTION, "zero raised to a negative power is undefined");
    }

    static QueryException complexPower() {
        return new QueryException(
                SqlState.INVALID_ARGUMENT_FOR_POWER_FUNCTION,
                "a negative number raised to a non-integer power yields a complex result");
    }
}
