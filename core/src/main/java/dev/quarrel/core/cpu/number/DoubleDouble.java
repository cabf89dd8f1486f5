package dev.quarrel.core.cpu.number;

/// A number as the sum of two floats, of some 106 bits: for functions whose last bit must be right.
///
/// - Source: T. J. Dekker, "A Floating-Point Technique for Extending the Available Precision" (1971).
///
/// @param low less than half a unit in the last place of `high`
record DoubleDouble(double high, double low) {
    static final DoubleDouble ZERO = of(0);
    static final DoubleDouble ONE = of(1);
    static final DoubleDouble PI = new DoubleDouble(Math.PI, 1.2246467991473532e-16);
    private static final DoubleDouble LN_2 = new DoubleDouble(0.6931471805599453, 2.3190468138462996e-17);

    /// Terms of a Taylor series of which the last one makes no difference, of arguments up to ln 2 / 2.
    private static final int TERMS = 30;

    static DoubleDouble of(double value) {
        return new DoubleDouble(value, 0);
    }

    /// The exact sum of two floats.
    static DoubleDouble sum(double one, double other) {
        double sum = one + other;
        double part = sum - one;
        return new DoubleDouble(sum, one - (sum - part) + (other - part));
    }

    /// The exact product of two floats.
    static DoubleDouble product(double one, double other) {
        double product = one * other;
        return new DoubleDouble(product, Math.fma(one, other, -product));
    }

    private static DoubleDouble normal(double high, double low) {
        double sum = high + low;
        return new DoubleDouble(sum, low - (sum - high));
    }

    DoubleDouble plus(DoubleDouble other) {
        DoubleDouble sum = sum(high, other.high);
        DoubleDouble rest = sum(low, other.low);
        DoubleDouble first = normal(sum.high, sum.low + rest.high);
        return normal(first.high, first.low + rest.low);
    }

    DoubleDouble minus(DoubleDouble other) {
        return plus(other.negated());
    }

    DoubleDouble negated() {
        return new DoubleDouble(-high, -low);
    }

    DoubleDouble abs() {
        return high < 0 ? negated() : this;
    }

    DoubleDouble times(DoubleDouble other) {
        DoubleDouble product = product(high, other.high);
        return normal(product.high, product.low + (high * other.low + low * other.high));
    }

    DoubleDouble times(double other) {
        return times(of(other));
    }

    DoubleDouble over(DoubleDouble other) {
        double first = high / other.high;
        DoubleDouble rest = minus(other.times(first));
        double second = rest.high / other.high;
        double third = rest.minus(other.times(second)).high / other.high;
        return normal(first, second).plus(of(third));
    }

    DoubleDouble over(double other) {
        return over(of(other));
    }

    /// e to this power; as a number of its own and a power of two, since either may be out of a float's range.
    ///
    /// @param exponent takes the power of two
    DoubleDouble exp(int[] exponent) {
        int power = (int) Math.rint(high / LN_2.high);
        DoubleDouble rest = minus(LN_2.times(power));
        DoubleDouble term = ONE;
        DoubleDouble sum = ONE;
        for (int number = 1; number < TERMS; number++) {
            term = term.times(rest).over(number);
            sum = sum.plus(term);
        }
        exponent[0] = power;
        return sum;
    }

    /// The natural logarithm of a positive number.
    DoubleDouble log() {
        int power = Math.getExponent(high);
        DoubleDouble scaled = new DoubleDouble(Math.scalb(high, -power), Math.scalb(low, -power));
        double first = Math.log(scaled.high);
        int[] exponent = new int[1];
        DoubleDouble inverse = of(-first).exp(exponent);
        DoubleDouble unit = scaled.times(inverse).times(Math.scalb(1.0, exponent[0]));
        return of(first).plus(unit.minus(ONE)).plus(LN_2.times(power));
    }

    /// The sine of pi times a float.
    static DoubleDouble sinOfPi(double turns) {
        double rest = turns - Math.rint(turns);
        DoubleDouble angle = PI.times(rest);
        DoubleDouble square = angle.times(angle).negated();
        DoubleDouble term = angle;
        DoubleDouble sum = angle;
        for (int number = 3; number < 2 * TERMS; number += 2) {
            term = term.times(square).over((double) number * (number - 1));
            sum = sum.plus(term);
        }
        boolean isOdd = Math.rint(turns) % 2 != 0;
        return isOdd ? sum.negated() : sum;
    }

    double value() {
        return high + low;
    }
}
