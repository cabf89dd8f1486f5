package dev.quarrel.core.cpu.function;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Supplier;

/// Trigonometry in degrees: exact at the multiples of 30 and 45 where the result is.
///
/// Each function is put together from two that are scaled by their own value at such an angle, so that the quotient
/// there is 1 whatever the last digit of a sine is.
///
/// - Source: PostgreSQL's `float.c`.
final class DegreeKernels {
    private static final double RADIANS_PER_DEGREE = 0.0174532925199432957692;
    private static final double SIN_30 = Math.sin(30 * RADIANS_PER_DEGREE);
    private static final double ONE_MINUS_COS_60 = 1 - Math.cos(60 * RADIANS_PER_DEGREE);
    private static final double ASIN_HALF = Math.asin(0.5);
    private static final double ACOS_HALF = Math.acos(0.5);
    private static final double ATAN_1 = Math.atan(1);
    private static final double TAN_45 = sineOfQuarter(45) / cosineOfQuarter(45);
    private static final double COT_45 = cosineOfQuarter(45) / sineOfQuarter(45);

    private DegreeKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        unary(kernels, "dsind", value -> new Angle(value).sine());
        unary(kernels, "dcosd", value -> new Angle(value).cosine());
        unary(kernels, "dtand", value -> new Angle(value).tangent());
        unary(kernels, "dcotd", value -> new Angle(value).cotangent());
        unary(kernels, "dasind", value -> within(value) < 0 ? -arcsine(-value) : arcsine(value));
        unary(kernels, "dacosd", value -> within(value) < 0 ? 90 + arcsine(-value) : arccosine(value));
        unary(kernels, "datand", value -> Math.atan(value) / ATAN_1 * 45);
        kernels.put(
                "datan2d",
                () -> BatchFunction.eachRow((in, out, row) ->
                        Results.float64(out, row, Math.atan2(in.float64(0), in.float64(1)) / ATAN_1 * 45)));
    }

    private static void unary(Map<String, Supplier<BatchFunction>> kernels, String id, DoubleUnaryOperator function) {
        kernels.put(
                id,
                () -> BatchFunction.eachRow((in, out, row) -> {
                    double value = in.float64(0);
                    Results.float64(out, row, Double.isNaN(value) ? value : function.applyAsDouble(value));
                }));
    }

    /// An angle of the first quarter, and the signs that its functions have in the quarter where it was.
    private static final class Angle {
        private final double degrees;
        private final int sineSign;
        private final int cosineSign;

        /// - Errors: 22003 for an infinite one.
        Angle(double value) {
            if (Double.isInfinite(value)) {
                throw outOfRange();
            }
            double rest = value % 360;
            int sine = rest < 0 ? -1 : 1;
            int cosine = 1;
            rest = Math.abs(rest);
            if (rest > 180) {
                rest = 360 - rest;
                sine = -sine;
            }
            if (rest > 90) {
                rest = 180 - rest;
                cosine = -1;
            }
            degrees = rest;
            sineSign = sine;
            cosineSign = cosine;
        }

        double sine() {
            return sineSign * sineOfQuarter(degrees);
        }

        double cosine() {
            return cosineSign * cosineOfQuarter(degrees);
        }

        double tangent() {
            // Plus zero makes zero of minus zero.
            return sineSign * cosineSign * (sineOfQuarter(degrees) / cosineOfQuarter(degrees) / TAN_45) + 0.0;
        }

        double cotangent() {
            return sineSign * cosineSign * (cosineOfQuarter(degrees) / sineOfQuarter(degrees) / COT_45) + 0.0;
        }
    }

    private static double sineOfQuarter(double degrees) {
        return degrees <= 30 ? sineTo30(degrees) : cosineTo60(90 - degrees);
    }

    private static double cosineOfQuarter(double degrees) {
        return degrees <= 60 ? cosineTo60(degrees) : sineTo30(90 - degrees);
    }

    private static double sineTo30(double degrees) {
        return Math.sin(degrees * RADIANS_PER_DEGREE) / SIN_30 / 2;
    }

    private static double cosineTo60(double degrees) {
        return 1 - (1 - Math.cos(degrees * RADIANS_PER_DEGREE)) / ONE_MINUS_COS_60 / 2;
    }

    private static double arcsine(double value) {
        return value <= 0.5 ? Math.asin(value) / ASIN_HALF * 30 : 90 - Math.acos(value) / ACOS_HALF * 60;
    }

    private static double arccosine(double value) {
        return value <= 0.5 ? 90 - Math.asin(value) / ASIN_HALF * 30 : Math.acos(value) / ACOS_HALF * 60;
    }

    private static double within(double value) {
        if (value < -1 || value > 1) {
            throw outOfRange();
        }
        return value;
    }

    private static QueryException outOfRange() {
        return new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "input is out of range");
    }
}
