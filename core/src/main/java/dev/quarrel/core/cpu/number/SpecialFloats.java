package dev.quarrel.core.cpu.number;

/// The error functions and the gamma function of floats, computed in twice their digits and rounded once.
///
/// - Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 6.1.40, 6.1.41, 7.1.5, 7.1.14.
public final class SpecialFloats {
    /// From here on erf is 1 but for what a float does not hold.
    private static final double ERF_IS_ONE = 6;
    /// Up to here the series of erf leaves enough digits of 1 - erf.
    private static final double SERIES_END = 4;
    /// erfc of more is 0.
    private static final double ERFC_IS_ZERO = 28;

    private static final int FRACTION_TERMS = 60;
    /// From here on Stirling's series is as good as the numbers are.
    private static final double STIRLING_START = 40;
    /// Beyond these bounds the gamma function is infinite, or zero.
    private static final double GAMMA_END = 172;
    private static final double GAMMA_START = -190;
    /// From here on logarithms of the gamma function are x (ln x - 1).
    private static final double HUGE = 1e17;
    /// So near to a zero of the logarithm, its series has three terms.
    private static final double NEAR = 1e-8;

    private static final double EULER = 0.5772156649015329;
    private static final double HALF_ZETA_2 = Math.PI * Math.PI / 12;
    private static final double THIRD_ZETA_3 = 0.40068563438653143;

    private static final double[][] STIRLING = {
        {1, 12},
        {-1, 360},
        {1, 1260},
        {-1, 1680},
        {1, 1188},
        {-691, 360_360},
        {1, 156},
        {-3617, 122_400},
        {43_867, 244_188},
        {-174_611, 125_400}
    };

    private static final DoubleDouble ROOT_OF_PI = new DoubleDouble(1.772453850905516, -7.666586499825799e-17);
    private static final DoubleDouble HALF_LOG_2_PI =
            DoubleDouble.PI.times(2).log().times(0.5);

    private SpecialFloats() {}

    public static double erf(double value) {
        if (Double.isNaN(value) || value == 0) {
            return value;
        }
        return Math.abs(value) >= ERF_IS_ONE
                ? Math.signum(value)
                : series(value).value();
    }

    public static double erfc(double value) {
        if (Double.isNaN(value)) {
            return value;
        }
        if (value <= -ERF_IS_ONE || value >= ERFC_IS_ZERO) {
            return value < 0 ? 2 : 0;
        }
        return value < SERIES_END ? DoubleDouble.ONE.minus(series(value)).value() : fraction(value);
    }

    private static DoubleDouble series(double value) {
        DoubleDouble square = DoubleDouble.product(value, value).negated();
        DoubleDouble power = DoubleDouble.of(value);
        DoubleDouble sum = power;
        for (int number = 1; Math.abs(power.high()) > Math.abs(value) * 1e-34 || number < 4; number++) {
            power = power.times(square).over(number);
            sum = sum.plus(power.over(2 * number + 1));
        }
        return sum.times(2).over(ROOT_OF_PI);
    }

    /// erfc by its continued fraction.
    private static double fraction(double value) {
        DoubleDouble x = DoubleDouble.of(value);
        DoubleDouble below = x;
        for (int number = FRACTION_TERMS; number > 0; number--) {
            below = x.plus(DoubleDouble.of(number / 2.0).over(below));
        }
        int[] exponent = new int[1];
        DoubleDouble power = DoubleDouble.product(value, value).negated().exp(exponent);
        return Math.scalb(power.over(below.times(ROOT_OF_PI)).value(), exponent[0]);
    }

    /// - Returns: an infinity beyond the range and at zero, NaN at negative integers and -infinity, zero below
    ///   the range.
    public static double gamma(double value) {
        if (Double.isNaN(value) || value == 0) {
            return 1 / value;
        }
        if (value <= 0 && value == Math.rint(value)) {
            return Double.NaN;
        }
        if (value > GAMMA_END || value < GAMMA_START) {
            return value > 0 ? Double.POSITIVE_INFINITY : 0;
        }
        int steps = value < STIRLING_START ? (int) Math.ceil(STIRLING_START - value) : 0;
        int[] exponent = new int[1];
        DoubleDouble gamma = stirling(DoubleDouble.sum(value, steps)).exp(exponent);
        for (int step = steps - 1; step >= 0; step--) {
            gamma = gamma.over(DoubleDouble.sum(value, step));
            // Back into the middle of the range.
            int size = Math.getExponent(gamma.high());
            gamma = new DoubleDouble(Math.scalb(gamma.high(), -size), Math.scalb(gamma.low(), -size));
            exponent[0] += size;
        }
        return Math.scalb(gamma.value(), exponent[0]);
    }

    /// The logarithm of the gamma function's absolute value.
    ///
    /// - Returns: infinity at zero and negative integers, and beyond the range.
    public static double logGamma(double value) {
        if (Double.isNaN(value)) {
            return value;
        }
        if (Double.isInfinite(value) || value <= 0 && value == Math.rint(value)) {
            return Double.POSITIVE_INFINITY;
        }
        if (value > HUGE) {
            return value * DoubleDouble.of(value).log().minus(DoubleDouble.ONE).value();
        }
        if (Math.abs(value - 1) < NEAR) {
            double off = value - 1;
            return 0.0 + off * (-EULER + off * (HALF_ZETA_2 - off * THIRD_ZETA_3)); // 0, not -0, at 1
        }
        if (Math.abs(value - 2) < NEAR) {
            double off = value - 2;
            return off * (1 - EULER + off * (HALF_ZETA_2 - 0.5 + off * (1 / 3.0 - THIRD_ZETA_3)));
        }
        if (value <= -STIRLING_START) {
            DoubleDouble sine = DoubleDouble.sinOfPi(value).abs();
            return DoubleDouble.PI
                    .over(sine)
                    .log()
                    .minus(stirling(DoubleDouble.sum(1, -value)))
                    .value();
        }
        int steps = value < STIRLING_START ? (int) Math.ceil(STIRLING_START - value) : 0;
        DoubleDouble product = DoubleDouble.ONE;
        for (int step = 0; step < steps; step++) {
            product = product.times(DoubleDouble.sum(value, step));
        }
        return stirling(DoubleDouble.sum(value, steps))
                .minus(product.abs().log())
                .value();
    }

    /// The logarithm by Stirling's series.
    ///
    /// @param value 40 or more
    private static DoubleDouble stirling(DoubleDouble value) {
        DoubleDouble sum = value.minus(DoubleDouble.of(0.5))
                .times(value.log())
                .minus(value)
                .plus(HALF_LOG_2_PI);
        DoubleDouble power = DoubleDouble.ONE.over(value);
        DoubleDouble square = power.times(power);
        for (double[] term : STIRLING) {
            sum = sum.plus(power.times(term[0]).over(term[1]));
            power = power.times(square);
        }
        return sum;
    }
}
