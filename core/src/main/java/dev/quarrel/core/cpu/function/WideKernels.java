package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.number.Int128;
import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.cpu.number.WideAggregates;
import dev.quarrel.core.cpu.number.WideArithmetic;
import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.NumericForm;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.type.SpecialNumeric;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/// Arithmetic and functions of numerics of any number of digits, which are held as texts: what [NumericKernels] and
/// the opcodes of numerics are to those of 38 digits.
///
/// - Errors: 22003 beyond the limits of PostgreSQL's numeric.
/// - Source: PostgreSQL's `numeric.c`.
final class WideKernels {
    private static final MathContext FLOAT4_DIGITS = new MathContext(6, RoundingMode.HALF_EVEN);
    private static final MathContext FLOAT8_DIGITS = new MathContext(15, RoundingMode.HALF_EVEN);

    private WideKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        binary(kernels, "add", WideArithmetic::add);
        binary(kernels, "sub", WideArithmetic::subtract);
        binary(kernels, "mul", WideArithmetic::multiply);
        binary(kernels, "div", WideArithmetic::divide);
        binary(kernels, "mod", WideArithmetic::remainder);
        unary(kernels, "uminus", WideArithmetic::negated);
        unary(kernels, "uplus", UnaryOperator.identity());
        unary(kernels, "abs", WideArithmetic::abs);
        unary(kernels, "inc", value -> WideArithmetic.add(value, BigDecimal.ONE));
        unary(kernels, "ceil", value -> WideArithmetic.whole(value, RoundingMode.CEILING));
        unary(kernels, "floor", value -> WideArithmetic.whole(value, RoundingMode.FLOOR));
        rounding(kernels, "round", RoundingMode.HALF_UP);
        rounding(kernels, "trunc", RoundingMode.DOWN);
        functions(kernels);
        casts(kernels);
        binary(kernels, "larger", (one, other) -> order(one, other) > 0 ? one : other);
        binary(kernels, "smaller", (one, other) -> order(one, other) < 0 ? one : other);
        extreme(kernels, "wide_greatest", 1);
        extreme(kernels, "wide_least", -1);
        aggregates(kernels);
    }

    private static void functions(Map<String, Supplier<BatchFunction>> kernels) {
        numbers(kernels, "sign", number -> BigDecimal.valueOf(number.signum()), SpecialFunctions::sign);
        numbers(kernels, "sqrt", NumericKernels::sqrt, SpecialFunctions::sqrt);
        numbers(kernels, "ln", NumericKernels::ln, SpecialFunctions::ln);
        numbers(kernels, "exp", number -> NumericKernels.exp(number, true), SpecialFunctions::exp);
        numbers(
                kernels,
                "log10",
                number -> NumericKernels.log(BigDecimal.TEN, number),
                special -> SpecialFunctions.log(BigDecimal.TEN, special));
        numbers(kernels, "trim_scale", NumericKernels::trimmed, special -> special);
        numbers(kernels, "log", NumericKernels::log, SpecialFunctions::log);
        numbers(
                kernels,
                "power",
                (base, exponent) -> NumericKernels.power(base, exponent, true),
                SpecialFunctions::power);
        numbers(kernels, "div_trunc", NumericKernels::quotient, SpecialFunctions::quotient);
        numbers(
                kernels,
                "gcd",
                (one, other) -> NumericKernels.whole(BigInteger::gcd, one, other),
                (_, _) -> SpecialNumeric.NAN);
        numbers(
                kernels,
                "lcm",
                (one, other) -> NumericKernels.whole(NumericKernels::lcm, one, other),
                (_, _) -> SpecialNumeric.NAN);
        BitKernels.put(
                kernels,
                "wide_scale",
                in -> value(in, 0) instanceof BigDecimal number ? (Long) (long) number.scale() : null);
        BitKernels.put(
                kernels,
                "wide_min_scale",
                in -> value(in, 0) instanceof BigDecimal number
                        ? (Long) (long) NumericKernels.trimmed(number).scale()
                        : null);
        BitKernels.put(kernels, "wide_fac", in -> text(NumericKernels.factorial(in.int64(0), true)));
        BitKernels.put(kernels, "wide_width_bucket", in ->
                (long) NumericKernels.bucket(value(in, 0), value(in, 1), value(in, 2), in.int32(3)));
    }

    /// The first of the values that none surpasses; NULLs do not count.
    private static void extreme(Map<String, Supplier<BatchFunction>> kernels, String name, int sign) {
        BitKernels.put(kernels, name, in -> {
            Object best = null;
            for (int argument = 0; argument < in.count(); argument++) {
                Object value = in.isNull(argument) ? null : value(in, argument);
                if (best == null || value != null && order(value, best) * sign > 0) {
                    best = value;
                }
            }
            return best == null ? null : NumericForm.text(best);
        });
    }

    /// Functions of the array of all values.
    private static void aggregates(Map<String, Supplier<BatchFunction>> kernels) {
        aggregate(kernels, "sum", WideAggregates::sum);
        aggregate(kernels, "avg", WideAggregates::average);
        for (boolean isSample : new boolean[] {false, true}) {
            String suffix = isSample ? "_samp" : "_pop";
            aggregate(kernels, "var" + suffix, values -> WideAggregates.variance(values, isSample, false));
            aggregate(kernels, "stddev" + suffix, values -> WideAggregates.variance(values, isSample, true));
        }
    }

    private static void aggregate(
            Map<String, Supplier<BatchFunction>> kernels, String name, Function<List<Object>, Object> function) {
        BitKernels.put(kernels, "wide_" + name + "_all", in -> {
            List<Object> values = ArrayText.parseNested(in.text(0).string()).elements().stream()
                    .filter(Objects::nonNull)
                    .map(NumericForm::value)
                    .toList();
            Object result = values.isEmpty() ? null : function.apply(values);
            return result == null ? null : NumericForm.text(result);
        });
    }

    private static void casts(Map<String, Supplier<BatchFunction>> kernels) {
        BitKernels.put(kernels, "wide_sized", in -> text(NumericForm.modified(value(in, 0), in.int32(1))));
        BitKernels.put(kernels, "wide_to_numeric", in -> narrow(value(in, 0)));
        BitKernels.put(kernels, "wide_of_float4", in -> text(ofFloat(in.float32(0), FLOAT4_DIGITS)));
        BitKernels.put(kernels, "wide_of_float8", in -> text(ofFloat(in.float64(0), FLOAT8_DIGITS)));
        BitKernels.put(
                kernels, "wide_to_float4", in -> PgParse.float4(in.text(0).string()));
        BitKernels.put(
                kernels, "wide_to_float8", in -> PgParse.float8(in.text(0).string()));
        BitKernels.put(kernels, "wide_to_int2", in -> integer(value(in, 0), Short.SIZE, "smallint"));
        BitKernels.put(kernels, "wide_to_int4", in -> integer(value(in, 0), Integer.SIZE, "integer"));
        BitKernels.put(kernels, "wide_to_int8", in -> integer(value(in, 0), Long.SIZE, "bigint"));
    }

    private static Object narrow(Object value) {
        if (value instanceof BigDecimal number && number.precision() > Int128.MAX_DIGITS) {
            throw PgParse.tooManyDigits(number.toPlainString());
        }
        return value;
    }

    private static Object value(Arguments in, int argument) {
        return NumericForm.value(in.text(argument).string());
    }

    private static String text(Object value) {
        return NumericForm.text(WideArithmetic.checked(value));
    }

    private static int order(Object one, Object other) {
        return SpecialNumeric.compare(one, other);
    }

    private static void unary(
            Map<String, Supplier<BatchFunction>> kernels, String name, UnaryOperator<Object> function) {
        BitKernels.put(kernels, "wide_" + name, in -> text(function.apply(value(in, 0))));
    }

    private static void binary(
            Map<String, Supplier<BatchFunction>> kernels, String name, BinaryOperator<Object> function) {
        BitKernels.put(kernels, "wide_" + name, in -> text(function.apply(value(in, 0), value(in, 1))));
    }

    private static void rounding(Map<String, Supplier<BatchFunction>> kernels, String name, RoundingMode mode) {
        BitKernels.put(
                kernels,
                "wide_" + name,
                in -> text(WideArithmetic.rounded(value(in, 0), in.count() > 1 ? in.int32(1) : 0, mode)));
    }

    private static void numbers(
            Map<String, Supplier<BatchFunction>> kernels,
            String name,
            Function<BigDecimal, Object> ofNumber,
            Function<SpecialNumeric, Object> ofSpecial) {
        unary(
                kernels,
                name,
                value -> value instanceof BigDecimal number
                        ? ofNumber.apply(number)
                        : ofSpecial.apply((SpecialNumeric) value));
    }

    /// @param ofOthers where one at least is no number
    private static void numbers(
            Map<String, Supplier<BatchFunction>> kernels,
            String name,
            BiFunction<BigDecimal, BigDecimal, Object> ofNumbers,
            BinaryOperator<Object> ofOthers) {
        binary(
                kernels,
                name,
                (one, other) -> one instanceof BigDecimal number && other instanceof BigDecimal second
                        ? ofNumbers.apply(number, second)
                        : ofOthers.apply(one, other));
    }

    /// The number that as many digits show as a float is good for.
    private static Object ofFloat(double value, MathContext digits) {
        SpecialNumeric special = SpecialNumeric.of(value);
        if (special != null) {
            return special;
        }
        BigDecimal number = new BigDecimal(value).round(digits).stripTrailingZeros();
        return number.scale() < 0 ? number.setScale(0, RoundingMode.UNNECESSARY) : number;
    }

    private static Long integer(Object value, int bits, String type) {
        if (value instanceof SpecialNumeric special) {
            throw RowErrors.noNumber(special, type);
        }
        BigInteger number =
                ((BigDecimal) value).setScale(0, RoundingMode.HALF_UP).unscaledValue();
        if (number.bitLength() >= bits) {
            throw RowErrors.outOfRange(type);
        }
        return number.longValue();
    }
}
