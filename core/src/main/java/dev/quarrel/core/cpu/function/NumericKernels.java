package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.number.Int128;
import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SpecialNumeric;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.Supplier;

/// Functions of numerics. Roots, logarithms and powers have at least 16 significant digits, no fewer
/// behind the point than the arguments have, rounded half away from zero. NaN and the infinities go to
/// [SpecialFunctions].
///
/// - Errors: 0A000 where the result has more than 38 digits.
/// - Source: PostgreSQL's `numeric.c`.
final class NumericKernels {
    private static final int MIN_SIGNIFICANT_DIGITS = 16;
    private static final int ROUGH_DIGITS = 8;
    private static final int MAX_JAVA_EXPONENT = 999_999_999;
    private static final int MAX_SCALE = 1000;
    /// From here on e to a power is no numeric, or 0.
    private static final double MAX_EXPONENT = 6000;
    /// Decimal digits of PostgreSQL's largest numeric before the point.
    private static final int MAX_WEIGHT = 131_072;
    /// Digits of one digit of PostgreSQL's numeric.
    private static final int GROUP = 4;
    /// Beyond the digits of a result, so that it rounds as the exact number would.
    private static final int GUARD_DIGITS = 20;

    /// The greatest number whose factorial has at most 38 digits, and PostgreSQL's.
    private static final int MAX_FACTORIAL = 33;

    private static final int MAX_FACTORIAL_IN_POSTGRESQL = 32_177;

    private static final double LOG10_E = 0.434294481903252;
    private static final double LN_10 = 2.302585092994046;
    /// More than any logarithm of 38 digits needs.
    private static final MathContext LONG = new MathContext(160);

    /// Computed when the first logarithm is.
    private static final class Ln10 {
        private static final BigDecimal VALUE = computed(LONG);

        static BigDecimal value(MathContext digits) {
            return digits.getPrecision() <= LONG.getPrecision() ? VALUE : computed(digits);
        }

        private static BigDecimal computed(MathContext digits) {
            return naturalLog(BigDecimal.TEN.divide(BigDecimal.valueOf(8), digits), digits)
                    .add(naturalLog(BigDecimal.valueOf(2), digits).multiply(BigDecimal.valueOf(3)), digits);
        }
    }

    private NumericKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        kernels.put(
                "pg_size_bytes",
                () -> BatchFunction.eachRow((in, out, row) ->
                        Results.set(out, row, SizeText.bytes(in.text(0).string()))));
        kernels.put("numeric_sign", unary(number -> BigDecimal.valueOf(number.signum()), SpecialFunctions::sign));
        kernels.put("numeric_sqrt", unary(NumericKernels::sqrt, SpecialFunctions::sqrt));
        kernels.put("numeric_ln", unary(NumericKernels::ln, SpecialFunctions::ln));
        kernels.put("numeric_exp", unary(number -> exp(number, false), SpecialFunctions::exp));
        kernels.put(
                "numeric_log10",
                unary(number -> log(BigDecimal.TEN, number), special -> SpecialFunctions.log(BigDecimal.TEN, special)));
        kernels.put("numeric_trim_scale", unary(NumericKernels::trimmed, special -> special));
        kernels.put("numeric_scale", unary(number -> (long) number.scale(), _ -> null));
        kernels.put("numeric_min_scale", unary(number -> (long) trimmed(number).scale(), _ -> null));
        kernels.put("numeric_log", binary(NumericKernels::log, SpecialFunctions::log));
        kernels.put("numeric_power", binary((base, exponent) -> power(base, exponent, false), SpecialFunctions::power));
        kernels.put("numeric_div_trunc", binary(NumericKernels::quotient, SpecialFunctions::quotient));
        kernels.put(
                "numeric_gcd",
                binary((one, other) -> whole(BigInteger::gcd, one, other), (_, _) -> SpecialNumeric.NAN));
        kernels.put(
                "numeric_lcm",
                binary((one, other) -> whole(NumericKernels::lcm, one, other), (_, _) -> SpecialNumeric.NAN));
        kernels.put(
                "numeric_fac",
                () -> BatchFunction.eachRow((in, out, row) -> Results.set(out, row, factorial(in.int64(0), false))));
        kernels.put(
                "width_bucket_numeric",
                () -> BatchFunction.eachRow((in, out, row) ->
                        Results.int32(out, row, bucket(in.value(0), in.value(1), in.value(2), in.int32(3)))));
    }

    private static Supplier<BatchFunction> unary(
            Function<BigDecimal, Object> ofNumber, Function<SpecialNumeric, Object> ofSpecial) {
        return () -> BatchFunction.eachRow((in, out, row) -> {
            Object value = in.value(0);
            Results.set(
                    out,
                    row,
                    value instanceof BigDecimal number
                            ? ofNumber.apply(number)
                            : ofSpecial.apply((SpecialNumeric) value));
        });
    }

    /// @param ofOthers where one at least is no number
    private static Supplier<BatchFunction> binary(
            BiFunction<BigDecimal, BigDecimal, Object> ofNumbers, BiFunction<Object, Object, Object> ofOthers) {
        return () -> BatchFunction.eachRow((in, out, row) -> {
            Object one = in.value(0);
            Object other = in.value(1);
            Results.set(
                    out,
                    row,
                    one instanceof BigDecimal number && other instanceof BigDecimal second
                            ? ofNumbers.apply(number, second)
                            : ofOthers.apply(one, other));
        });
    }

    /// Towards zero.
    static BigDecimal quotient(BigDecimal dividend, BigDecimal divisor) {
        if (divisor.signum() == 0) {
            throw RowErrors.divisionByZero();
        }
        return dividend.divideToIntegralValue(divisor).setScale(0, RoundingMode.UNNECESSARY);
    }

    /// An operation on whole numbers for two numerics, in the units of the longer scale.
    static BigDecimal whole(BinaryOperator<BigInteger> operation, BigDecimal one, BigDecimal other) {
        int scale = Math.max(one.scale(), other.scale());
        BigInteger result = operation.apply(
                one.setScale(scale, RoundingMode.UNNECESSARY).unscaledValue(),
                other.setScale(scale, RoundingMode.UNNECESSARY).unscaledValue());
        return new BigDecimal(result, scale);
    }

    static BigInteger lcm(BigInteger one, BigInteger other) {
        return one.signum() == 0 || other.signum() == 0
                ? BigInteger.ZERO
                : one.divide(one.gcd(other)).multiply(other).abs();
    }

    /// @param isWide of any number of digits, here and below
    static BigDecimal factorial(long number, boolean isWide) {
        if (number < 0) {
            throw new QueryException(
                    SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "factorial of a negative number is undefined");
        }
        if (number > (isWide ? MAX_FACTORIAL_IN_POSTGRESQL : MAX_FACTORIAL)) {
            throw number > MAX_FACTORIAL_IN_POSTGRESQL
                    ? new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format")
                    : Results.tooLong();
        }
        return new BigDecimal(product(1, number));
    }

    /// Of the whole numbers above `low`, and up to `high`: halves of about as many digits are multiplied fast.
    private static BigInteger product(long low, long high) {
        if (high - low <= 1) {
            return BigInteger.valueOf(Math.max(1, high));
        }
        long middle = (low + high) / 2;
        return product(low, middle).multiply(product(middle, high));
    }

    static BigDecimal trimmed(BigDecimal value) {
        BigDecimal stripped = value.stripTrailingZeros();
        return stripped.scale() < 0 ? stripped.setScale(0, RoundingMode.UNNECESSARY) : stripped;
    }

    /// As [FloatKernels]' of the same name.
    static int bucket(Object tested, Object first, Object last, int count) {
        FloatKernels.requireBuckets(count);
        SpecialFunctions.requireBounds(tested, first, last);
        BigDecimal low = (BigDecimal) first;
        BigDecimal high = (BigDecimal) last;
        int direction = high.compareTo(low);
        if (direction == 0) {
            throw FloatKernels.wrongBuckets("lower bound cannot equal upper bound");
        }
        if (SpecialNumeric.compare(tested, low) * direction < 0) {
            return 0;
        }
        if (SpecialNumeric.compare(tested, high) * direction >= 0) {
            return FloatKernels.afterLast(count);
        }
        BigDecimal share = ((BigDecimal) tested).subtract(low).multiply(BigDecimal.valueOf(count));
        return share.divideToIntegralValue(high.subtract(low)).intValueExact() + 1;
    }

    static BigDecimal exp(BigDecimal value, boolean isWide) {
        double weight = value.doubleValue() * LOG10_E;
        if (isWide && Math.abs(value.doubleValue()) >= MAX_EXPONENT) {
            return vanishing(weight, MAX_SCALE);
        }
        checkWeight(weight, isWide);
        int scale = scale(MIN_SIGNIFICANT_DIGITS - (int) weight, value.scale());
        MathContext digits = new MathContext(Math.max(scale + (int) weight, 0) + GUARD_DIGITS);
        return exp(value, digits).setScale(scale, RoundingMode.HALF_UP);
    }

    static BigDecimal log(BigDecimal base, BigDecimal value) {
        for (BigDecimal each : new BigDecimal[] {base, value}) {
            if (each.signum() <= 0) {
                throw FloatKernels.logarithmOf(each.signum() == 0);
            }
        }
        int weight = logWeight(value) - logWeight(base);
        int scale = scale(MIN_SIGNIFICANT_DIGITS - weight, Math.max(base.scale(), value.scale()));
        BigDecimal divisor = lnExactly(base, scale + GUARD_DIGITS - logWeight(base));
        if (base.compareTo(BigDecimal.ONE) == 0) {
            throw RowErrors.divisionByZero();
        }
        return lnExactly(value, scale + GUARD_DIGITS).divide(divisor, scale, RoundingMode.HALF_UP);
    }

    static BigDecimal sqrt(BigDecimal value) {
        if (value.signum() < 0) {
            throw FloatKernels.negativeRoot();
        }
        int weight = weight(value) * GROUP / 2 + 1;
        int scale = scale(MIN_SIGNIFICANT_DIGITS - weight, value.scale());
        MathContext digits = new MathContext(Math.max(1, weight + GROUP + scale) + GUARD_DIGITS, RoundingMode.DOWN);
        return value.sqrt(digits).setScale(scale, RoundingMode.HALF_UP);
    }

    static BigDecimal ln(BigDecimal value) {
        if (value.signum() <= 0) {
            throw FloatKernels.logarithmOf(value.signum() == 0);
        }
        int scale = scale(MIN_SIGNIFICANT_DIGITS - logWeight(value), value.scale());
        return lnExactly(value, scale + GUARD_DIGITS).setScale(scale, RoundingMode.HALF_UP);
    }

    static BigDecimal power(BigDecimal base, BigDecimal exponent) {
        return power(base, exponent, false);
    }

    static BigDecimal power(BigDecimal base, BigDecimal exponent, boolean isWide) {
        if (base.signum() == 0 && exponent.signum() < 0) {
            throw FloatKernels.zeroToNegativePower();
        }
        boolean isWhole = exponent.stripTrailingZeros().scale() <= 0;
        if (isWhole && exponent.abs().compareTo(BigDecimal.valueOf(Integer.MAX_VALUE)) <= 0) {
            return wholePower(base, exponent.intValueExact(), exponent.scale(), isWide);
        }
        if (base.signum() == 0) {
            return BigDecimal.ZERO.setScale(MIN_SIGNIFICANT_DIGITS);
        }
        if (base.signum() < 0 && !isWhole) {
            throw FloatKernels.complexPower();
        }
        boolean isNegative = base.signum() < 0 && exponent.toBigInteger().testBit(0);
        BigDecimal result = generalPower(base.abs(), exponent, isWide);
        return isNegative ? result.negate() : result;
    }

    private static BigDecimal generalPower(BigDecimal base, BigDecimal exponent, boolean isWide) {
        // As roughly as PostgreSQL estimates it: the digits of the result hang on that.
        int roughly = Math.max(ROUGH_DIGITS - logWeight(base), 0);
        double logarithm = lnExactly(base, roughly + GUARD_DIGITS)
                .setScale(roughly, RoundingMode.HALF_UP)
                .multiply(exponent)
                .setScale(roughly, RoundingMode.HALF_UP)
                .doubleValue();
        double weight = logarithm * LOG10_E;
        if (isWide && Math.abs(logarithm) >= MAX_EXPONENT) {
            return vanishing(weight, MAX_SCALE);
        }
        checkWeight(weight, isWide);
        int scale = scale(MIN_SIGNIFICANT_DIGITS - (int) weight, Math.max(base.scale(), exponent.scale()));
        int digits = Math.max(scale + (int) weight, 0) + GUARD_DIGITS;
        BigDecimal exact = lnExactly(base, digits - logWeight(base) + exponent.precision() - exponent.scale())
                .multiply(exponent);
        return exp(exact, new MathContext(digits + 2)).setScale(scale, RoundingMode.HALF_UP);
    }

    private static BigDecimal wholePower(BigDecimal base, int exponent, int exponentScale, boolean isWide) {
        double weight = base.signum() == 0 ? 0 : exponent * log10(base.abs());
        if (isWide && weight + 1 < -MAX_SCALE) {
            return vanishing(weight, MAX_SCALE);
        }
        checkWeight(weight, isWide);
        int scale = scale(MIN_SIGNIFICANT_DIGITS - (int) weight, Math.max(base.scale(), exponentScale));
        if (exponent == 0) {
            return BigDecimal.ONE.setScale(scale);
        }
        if (base.signum() == 0) {
            return BigDecimal.ZERO.setScale(scale);
        }
        if (exponent == 1 || exponent == 2) {
            return (exponent == 1 ? base : base.multiply(base)).setScale(scale, RoundingMode.HALF_UP);
        }
        if (exponent == -1) {
            return BigDecimal.ONE.divide(base, scale, RoundingMode.HALF_UP);
        }
        MathContext digits = new MathContext(Math.max(scale + (int) weight, 0) + GUARD_DIGITS + Int128.MAX_DIGITS);
        BigDecimal magnitude = rounded(base, Math.abs(exponent), digits);
        BigDecimal result = exponent < 0 ? BigDecimal.ONE.divide(magnitude, digits) : magnitude;
        return result.setScale(scale, RoundingMode.HALF_UP);
    }

    /// Java's own power ends at an exponent of nine digits.
    private static BigDecimal rounded(BigDecimal base, int exponent, MathContext digits) {
        if (exponent <= MAX_JAVA_EXPONENT) {
            return base.pow(exponent, digits);
        }
        BigDecimal half = rounded(base, exponent / 2, digits);
        BigDecimal even = half.multiply(half, digits);
        return exponent % 2 == 0 ? even : even.multiply(base, digits);
    }

    /// What is too small to show a digit that is not 0.
    ///
    /// - Errors: 22003 for what is too large instead.
    private static BigDecimal vanishing(double weight, int scale) {
        if (weight > 0) {
            throw RowErrors.beyondNumeric();
        }
        return BigDecimal.ZERO.setScale(scale);
    }

    /// - Errors: 22003 where PostgreSQL's numeric ends, 0A000 where ours does.
    private static void checkWeight(double weight, boolean isWide) {
        if (weight > MAX_WEIGHT) {
            throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format");
        }
        if (!isWide && (weight > Int128.MAX_DIGITS || weight < -MAX_SCALE)) {
            throw Results.tooLong();
        }
    }

    private static int scale(int wanted, int scaleOfArguments) {
        return Math.clamp(Math.max(wanted, scaleOfArguments), 0, MAX_SCALE);
    }

    /// The decimal exponent of the first digit.
    private static int exponent(BigDecimal value) {
        return value.precision() - value.scale() - 1;
    }

    /// The weight of the first digit in base 10,000; 0 for zero.
    private static int weight(BigDecimal value) {
        return value.signum() == 0 ? 0 : Math.floorDiv(exponent(value), GROUP);
    }

    /// The first `groups` digits in base 10,000 as a number.
    private static double leading(BigDecimal value, int groups) {
        return value.movePointLeft((weight(value) - groups + 1) * GROUP)
                .setScale(0, RoundingMode.DOWN)
                .doubleValue();
    }

    private static double log10(BigDecimal value) {
        int groups = Math.min(GROUP, groups(value));
        return Math.log10(leading(value, groups)) + (weight(value) - groups + 1) * GROUP;
    }

    /// How many digits in base 10,000 the value has, without zeros at its end.
    private static int groups(BigDecimal value) {
        BigDecimal stripped = value.stripTrailingZeros();
        int last = Math.floorDiv(-stripped.scale(), GROUP);
        return weight(value) - last + 1;
    }

    /// About the decimal exponent of the logarithm, as PostgreSQL takes it.
    private static int logWeight(BigDecimal value) {
        boolean isNearOne = value.compareTo(new BigDecimal("0.9")) >= 0 && value.compareTo(new BigDecimal("1.1")) <= 0;
        if (isNearOne) {
            BigDecimal rest = value.subtract(BigDecimal.ONE).abs();
            return rest.signum() == 0 ? 0 : weight(rest) * GROUP + (int) Math.log10(leading(rest, 1));
        }
        int groups = Math.min(2, groups(value));
        double logarithm = Math.log(leading(value, groups)) + (weight(value) - groups + 1) * GROUP * LN_10;
        return (int) Math.log10(Math.abs(logarithm));
    }

    /// The natural logarithm with `scale` digits behind the point, about.
    private static BigDecimal lnExactly(BigDecimal value, int scale) {
        int exponent = exponent(value);
        MathContext context = new MathContext(Math.max(scale + GUARD_DIGITS, Int128.MAX_DIGITS));
        BigDecimal fraction = value.movePointLeft(exponent).round(context);
        return naturalLog(fraction, context).add(Ln10.value(context).multiply(BigDecimal.valueOf(exponent)), context);
    }

    /// The natural logarithm of a number between 1 and 10: of its eighth root, by the series of the inverse hyperbolic
    /// tangent.
    private static BigDecimal naturalLog(BigDecimal value, MathContext context) {
        int roots = 3;
        BigDecimal root = value;
        for (int index = 0; index < roots; index++) {
            root = root.sqrt(context);
        }
        BigDecimal ratio = root.subtract(BigDecimal.ONE).divide(root.add(BigDecimal.ONE), context);
        BigDecimal square = ratio.multiply(ratio, context);
        BigDecimal power = ratio;
        BigDecimal sum = BigDecimal.ZERO;
        for (int odd = 1; power.signum() != 0 && exponent(power) >= -context.getPrecision() - 2; odd += 2) {
            sum = sum.add(power.divide(BigDecimal.valueOf(odd), context), context);
            power = power.multiply(square, context);
        }
        return sum.multiply(BigDecimal.valueOf(1L << roots + 1), context);
    }

    /// e to a power: the series for a small part of the exponent, squared back.
    private static BigDecimal exp(BigDecimal exponent, MathContext context) {
        int halvings = Math.max(0, exponent(exponent) * 4 + 10);
        MathContext wide = new MathContext(context.getPrecision() + halvings / 3 + 5);
        BigDecimal part = exponent.divide(BigDecimal.valueOf(2).pow(halvings), wide);
        BigDecimal term = BigDecimal.ONE;
        BigDecimal sum = BigDecimal.ONE;
        for (int index = 1; term.signum() != 0 && exponent(term) >= -wide.getPrecision() - 2; index++) {
            term = term.multiply(part, wide).divide(BigDecimal.valueOf(index), wide);
            sum = sum.add(term, wide);
        }
        for (int index = 0; index < halvings; index++) {
            sum = sum.multiply(sum, wide);
        }
        return sum;
    }
}
