package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.pg.Money;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SpecialNumeric;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.function.LongBinaryOperator;
import java.util.function.Supplier;

/// Functions of amounts of money.
///
/// - Source: PostgreSQL's `cash.c`.
final class MoneyKernels {
    private static final String[] SMALL = {
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen"
    };
    private static final String[] TENS = {
        "", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"
    };
    private static final String[] POWERS = {" quadrillion ", " trillion ", " billion ", " million ", " thousand "};

    private MoneyKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        BitKernels.put(kernels, "money_cents", in -> cents(in, 0));
        BitKernels.put(kernels, "money_of_cents", in -> ofCents(in.value(0)));
        BitKernels.put(kernels, "cash_pl", in -> exact(Math::addExact, cents(in, 0), cents(in, 1)));
        BitKernels.put(kernels, "cash_mi", in -> exact(Math::subtractExact, cents(in, 0), cents(in, 1)));
        BitKernels.put(kernels, "cash_div_cash", in -> {
            requireNonZero(cents(in, 1) == 0);
            return (double) cents(in, 0) / (double) cents(in, 1);
        });
        for (String kind : new String[] {"int2", "int4", "int8"}) {
            BitKernels.put(
                    kernels, "cash_mul_" + kind, in -> exact(Math::multiplyExact, cents(in, 0), (Long) in.value(1)));
            BitKernels.put(
                    kernels, kind + "_mul_cash", in -> exact(Math::multiplyExact, cents(in, 1), (Long) in.value(0)));
            BitKernels.put(kernels, "cash_div_" + kind, in -> {
                requireNonZero((Long) in.value(1) == 0);
                return exact(Math::divideExact, cents(in, 0), (Long) in.value(1));
            });
        }
        for (String kind : new String[] {"flt4", "flt8"}) {
            BitKernels.put(
                    kernels,
                    "cash_mul_" + kind,
                    in -> rounded(finite(cents(in, 0) * number(in.value(1)), number(in.value(1)))));
            BitKernels.put(
                    kernels,
                    kind + "_mul_cash",
                    in -> rounded(finite(cents(in, 1) * number(in.value(0)), number(in.value(0)))));
            BitKernels.put(kernels, "cash_div_" + kind, in -> {
                double divisor = number(in.value(1));
                requireNonZero(divisor == 0);
                return rounded(finite(cents(in, 0) / divisor, divisor));
            });
        }
        for (String type : new String[] {"int4", "int8", "numeric"}) {
            BitKernels.put(kernels, type + "_cash", in -> ofNumber(in.value(0)));
        }
        BitKernels.put(kernels, "cash_numeric", in -> BigDecimal.valueOf(cents(in, 0), 2));
        BitKernels.put(kernels, "cash_words", in -> words(cents(in, 0)));
    }

    private static long cents(Arguments in, int argument) {
        return Money.cents(BitKernels.text(in, argument));
    }

    private static double number(Object value) {
        return ((Number) value).doubleValue();
    }

    /// - Errors: 22003 where a finite operand made an infinite result.
    private static double finite(double result, double operand) {
        if (Double.isInfinite(result) && !Double.isInfinite(operand)) {
            throw RowErrors.floatOverflow();
        }
        return result;
    }

    private static String exact(LongBinaryOperator operator, long left, long right) {
        try {
            return Money.text(operator.applyAsLong(left, right));
        } catch (ArithmeticException _) {
            throw outOfRange();
        }
    }

    private static String rounded(double cents) {
        double whole = Math.rint(cents);
        if (!(whole >= Long.MIN_VALUE && whole < -(double) Long.MIN_VALUE)) {
            throw outOfRange();
        }
        return Money.text((long) whole);
    }

    private static void requireNonZero(boolean isZero) {
        if (isZero) {
            throw new QueryException(SqlState.DIVISION_BY_ZERO, "division by zero");
        }
    }

    /// A number of dollars.
    private static String ofNumber(Object value) {
        return ofCents(
                switch (value) {
                    case BigDecimal number -> number.movePointRight(2).setScale(0, RoundingMode.HALF_UP);
                    case Long number -> BigDecimal.valueOf(number).movePointRight(2);
                    default -> value;
                });
    }

    /// - Errors: 22003 out of range, 0A000 for NaN and infinities.
    private static String ofCents(Object value) {
        if (value instanceof SpecialNumeric special) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "cannot convert " + (special == SpecialNumeric.NAN ? "NaN" : "infinity") + " to bigint");
        }
        try {
            return Money.text(((BigDecimal) value).longValueExact());
        } catch (ArithmeticException _) {
            throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "bigint out of range");
        }
    }

    private static QueryException outOfRange() {
        return new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "money out of range");
    }

    private static String words(long cents) {
        StringBuilder text = new StringBuilder(cents < 0 ? "minus " : "");
        long value = Math.abs(cents);
        long dollars = Long.divideUnsigned(value, 100);
        long unit = 1_000_000_000_000_000L;
        for (String power : POWERS) {
            int group = (int) (dollars / unit % 1000);
            if (group != 0) {
                text.append(words(group)).append(power);
            }
            unit /= 1000;
        }
        int rest = (int) (dollars % 1000);
        text.append(rest != 0 ? words(rest) : dollars == 0 ? "zero" : "");
        int fraction = (int) Long.remainderUnsigned(value, 100);
        text.append(dollars == 1 ? " dollar and " : " dollars and ")
                .append(words(fraction))
                .append(fraction == 1 ? " cent" : " cents");
        text.setCharAt(0, Character.toUpperCase(text.charAt(0)));
        return text.toString();
    }

    private static String words(int group) {
        int rest = group % 100;
        String small = rest < 20 ? SMALL[rest] : TENS[rest / 10] + (rest % 10 == 0 ? "" : " " + SMALL[rest % 10]);
        if (group < 100) {
            return small;
        }
        String hundreds = SMALL[group / 100] + " hundred";
        return rest == 0 ? hundreds : hundreds + (rest < 20 ? " and " : " ") + small;
    }
}
