package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.cpu.number.SpecialFloats;
import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Supplier;

/// Functions of double precision numbers.
///
/// The last digit of a transcendental function may differ from PostgreSQL's, which is its C library's.
///
/// - Source: PostgreSQL's `float.c`.
final class FloatKernels {
    private FloatKernels() {}

    /// Beyond it one makes no difference to a square.
    private static final double LARGE = 1e8;

    private static final double LN_2 = 0.6931471805599453;

    /// PostgreSQL's pi / 180.
    private static final double RADIANS_PER_DEGREE = 0.0174532925199432957692;

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        kernels.put("dsqrt", () -> FloatKernels::sqrt);
        unary(kernels, "dsign", value -> value > 0 ? 1 : value < 0 ? -1 : 0); // NaN has none
        unary(kernels, "dtrunc", value -> value >= 0 ? Math.floor(value) : -Math.floor(-value));
        unary(kernels, "dcbrt", Math::cbrt);
        unary(kernels, "dexp", FloatKernels::exp);
        unary(kernels, "dlog1", value -> Math.log(positive(value)));
        unary(kernels, "dlog10", value -> Math.log10(positive(value)));
        unary(kernels, "dsin", value -> Math.sin(finite(value)));
        unary(kernels, "dcos", value -> Math.cos(finite(value)));
        unary(kernels, "dtan", value -> Math.tan(finite(value)));
        unary(kernels, "dcot", value -> 1 / Math.tan(finite(value)));
        unary(kernels, "dasin", value -> Math.asin(within(value, -1, 1)));
        unary(kernels, "dacos", value -> Math.acos(within(value, -1, 1)));
        unary(kernels, "datan", Math::atan);
        unary(kernels, "dsinh", Math::sinh);
        unary(kernels, "dcosh", Math::cosh);
        unary(kernels, "dtanh", Math::tanh);
        unary(kernels, "dasinh", FloatKernels::asinh);
        unary(kernels, "dacosh", FloatKernels::acosh);
        unary(kernels, "datanh", FloatKernels::atanh);
        unary(kernels, "degrees", value -> checked(value / RADIANS_PER_DEGREE, value));
        unary(kernels, "radians", value -> checked(value * RADIANS_PER_DEGREE, value));
        unary(kernels, "derf", SpecialFloats::erf);
        unary(kernels, "derfc", SpecialFloats::erfc);
        unary(kernels, "dgamma", FloatKernels::gamma);
        unary(
                kernels,
                "dlgamma",
                value -> checked(SpecialFloats.logGamma(value), Double.isInfinite(value) ? value : 0));
        kernels.put("dpi", () -> BatchFunction.eachRow((in, out, row) -> Results.float64(out, row, Math.PI)));
        kernels.put(
                "datan2",
                () -> BatchFunction.eachRow(
                        (in, out, row) -> Results.float64(out, row, Math.atan2(in.float64(0), in.float64(1)))));
        kernels.put(
                "dpow",
                () -> BatchFunction.eachRow(
                        (in, out, row) -> Results.float64(out, row, power(in.float64(0), in.float64(1)))));
        kernels.put(
                "width_bucket_float8",
                () -> BatchFunction.eachRow((in, out, row) -> Results.int32(out, row, bucket(in))));
    }

    private static void unary(Map<String, Supplier<BatchFunction>> kernels, String id, DoubleUnaryOperator function) {
        kernels.put(id, () -> (in, out) -> {
            double[] results = ((DoubleVector) out).values();
            while (in.next()) {
                results[in.row()] = function.applyAsDouble(in.float64(0));
            }
        });
    }

    private static double finite(double value) {
        if (Double.isInfinite(value)) {
            throw outOfRange();
        }
        return value;
    }

    private static double within(double value, double least, double most) {
        if (value < least || value > most) {
            throw outOfRange();
        }
        return value;
    }

    private static QueryException outOfRange() {
        return new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "input is out of range");
    }

    /// - Errors: 22003 where a finite argument that is not zero has an infinite result, or zero.
    private static double checked(double result, double argument) {
        if (Double.isInfinite(result) && !Double.isInfinite(argument)) {
            throw RowErrors.floatOverflow();
        }
        if (result == 0 && argument != 0) {
            throw RowErrors.floatUnderflow();
        }
        return result;
    }

    private static double exp(double value) {
        return Double.isInfinite(value) ? Math.exp(value) : checked(Math.exp(value), 1);
    }

    private static double gamma(double value) {
        if (Double.isNaN(value) || value == Double.POSITIVE_INFINITY) {
            return value;
        }
        double result = SpecialFloats.gamma(value);
        if (Double.isNaN(result)) {
            throw RowErrors.floatOverflow();
        }
        return checked(result, 1);
    }

    private static double positive(double value) {
        if (value <= 0) {
            throw logarithmOf(value == 0);
        }
        return value;
    }

    private static double asinh(double value) {
        double magnitude = Math.abs(value);
        double result = magnitude > LARGE
                ? Math.log(magnitude) + LN_2
                : Math.log1p(magnitude + magnitude * magnitude / (1 + Math.sqrt(magnitude * magnitude + 1)));
        return Math.copySign(result, value);
    }

    private static double acosh(double value) {
        double above = within(value, 1, Double.POSITIVE_INFINITY) - 1;
        return value > LARGE ? Math.log(value) + LN_2 : Math.log1p(above + Math.sqrt(2 * above + above * above));
    }

    private static double atanh(double value) {
        double magnitude = Math.abs(within(value, -1, 1));
        return magnitude == 1
                ? Math.copySign(Double.POSITIVE_INFINITY, value)
                : Math.copySign(Math.log1p(2 * magnitude / (1 - magnitude)) / 2, value);
    }

    /// `(operand, bound, other bound, count)`: which of so many buckets of equal width has the operand; 0 and count + 1
    /// lie outside.
    private static int bucket(Arguments in) {
        double operand = in.float64(0);
        double low = in.float64(1);
        double high = in.float64(2);
        int count = in.int32(3);
        requireBuckets(count);
        if (Double.isNaN(operand) || Double.isNaN(low) || Double.isNaN(high)) {
            throw wrongBuckets("operand, lower bound, and upper bound cannot be NaN");
        }
        if (Double.isInfinite(low) || Double.isInfinite(high)) {
            throw wrongBuckets("lower and upper bounds must be finite");
        }
        if (low == high) {
            throw wrongBuckets("lower bound cannot equal upper bound");
        }
        boolean isRising = low < high;
        if (isRising ? operand < low : operand > low) {
            return 0;
        }
        if (isRising ? operand >= high : operand <= high) {
            return afterLast(count);
        }
        double width = high - low;
        double share =
                Double.isInfinite(width) ? (operand / 2 - low / 2) / (high / 2 - low / 2) : (operand - low) / width;
        return Math.min((int) (count * share), count - 1) + 1;
    }

    static void requireBuckets(int count) {
        if (count <= 0) {
            throw wrongBuckets("count must be greater than zero");
        }
    }

    static int afterLast(int count) {
        if (count == Integer.MAX_VALUE) {
            throw RowErrors.outOfRange("integer");
        }
        return count + 1;
    }

    static QueryException wrongBuckets(String message) {
        return new QueryException(SqlState.INVALID_ARGUMENT_FOR_WIDTH_BUCKET_FUNCTION, message);
    }

    /// The hottest of them: a loop of its own calls nothing.
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
        return checked(result, base);
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
