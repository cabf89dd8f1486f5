package dev.quarrel.core.cpu.number;

import dev.quarrel.core.type.NumericScales;
import dev.quarrel.core.type.SpecialNumeric;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.List;

/// Aggregates of numerics of any number of digits, of all values at once: BigDecimals and SpecialNumerics, one at
/// least. Results are such, or null for NULL.
///
/// - Source: PostgreSQL's `numeric.c`.
public final class WideAggregates {
    private WideAggregates() {}

    public static Object sum(List<Object> values) {
        // A partial sum may have more digits than the whole.
        Object sum = BigDecimal.ZERO;
        for (Object value : values) {
            sum = sum instanceof BigDecimal one && value instanceof BigDecimal other
                    ? one.add(other)
                    : WideArithmetic.add(sum, value);
        }
        return WideArithmetic.checked(sum);
    }

    public static Object average(List<Object> values) {
        return WideArithmetic.divide(sum(values), BigDecimal.valueOf(values.size()));
    }

    /// The variance, or its root.
    ///
    /// @param isSample whether the values are a sample of more
    public static Object variance(List<Object> values, boolean isSample, boolean isDeviation) {
        int rows = values.size();
        if (isSample && rows == 1) {
            return null;
        }
        BigDecimal sum = BigDecimal.ZERO;
        BigDecimal squares = BigDecimal.ZERO;
        for (Object value : values) {
            if (!(value instanceof BigDecimal number)) {
                return SpecialNumeric.NAN;
            }
            sum = sum.add(number);
            squares = squares.add(number.multiply(number));
        }
        BigDecimal count = BigDecimal.valueOf(rows);
        BigDecimal dividend = squares.multiply(count).subtract(sum.multiply(sum));
        if (dividend.signum() <= 0) {
            return BigDecimal.ZERO;
        }
        BigDecimal divisor = count.multiply(isSample ? count.subtract(BigDecimal.ONE) : count);
        int scale = NumericScales.ofQuotient(dividend, divisor);
        BigDecimal variance = dividend.divide(divisor, scale, RoundingMode.HALF_UP);
        if (!isDeviation) {
            return WideArithmetic.checked(variance);
        }
        // One digit more than asked for, cut off, and then rounded by it.
        BigInteger root =
                variance.unscaledValue().multiply(BigInteger.TEN.pow(scale + 2)).sqrt();
        return new BigDecimal(root, scale + 1).setScale(scale, RoundingMode.HALF_UP);
    }
}
