package dev.quarrel.core.cpu.group;

import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.type.NumericScales;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;

/// Variances, covariances and regressions over lists of values, in decimals: the slow way, to compare with.
final class AggregateOracle {
    private static final MathContext DIGITS = new MathContext(60);

    private AggregateOracle() {}

    static Object variance(AggregateKind kind, List<Object> values) {
        boolean isSample = kind == AggregateKind.VAR_SAMP || kind == AggregateKind.STDDEV_SAMP;
        boolean isDeviation = kind == AggregateKind.STDDEV_POP || kind == AggregateKind.STDDEV_SAMP;
        long count = values.size();
        if (isSample && count == 1) {
            return null;
        }
        boolean isFloat = values.getFirst() instanceof Double || values.getFirst() instanceof Float;
        if (isFloat && values.stream().anyMatch(value -> Double.isNaN(((Number) value).doubleValue()))) {
            return Double.NaN;
        }
        List<BigDecimal> exact = values.stream().map(AggregateOracle::decimal).toList();
        BigDecimal numerator = moment(exact, exact);
        BigDecimal divisor = BigDecimal.valueOf(count * (isSample ? count - 1 : count));
        if (isFloat) {
            double variance = quotient(numerator, BigDecimal.valueOf(count)) / (isSample ? count - 1 : count);
            return isDeviation ? Math.sqrt(variance) : variance;
        }
        if (numerator.signum() == 0) {
            return BigDecimal.ZERO;
        }
        int scale = NumericScales.ofQuotient(numerator, divisor);
        BigDecimal variance = numerator.divide(divisor, scale, RoundingMode.HALF_UP);
        return isDeviation ? variance.sqrt(DIGITS).setScale(scale, RoundingMode.HALF_UP) : variance;
    }

    private static BigDecimal decimal(Object value) {
        return AggregateTest.exact(List.of(value));
    }

    /// count · Σab − Σa · Σb
    private static BigDecimal moment(List<BigDecimal> a, List<BigDecimal> b) {
        BigDecimal products = BigDecimal.ZERO;
        for (int index = 0; index < a.size(); index++) {
            products = products.add(a.get(index).multiply(b.get(index)));
        }
        return products.multiply(BigDecimal.valueOf(a.size())).subtract(sum(a).multiply(sum(b)));
    }

    private static BigDecimal sum(List<BigDecimal> values) {
        return values.stream().reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    /// @param pairs (y, x), all present
    static Object ofPairs(AggregateKind kind, List<List<Object>> pairs) {
        long count = pairs.size();
        if (kind == AggregateKind.REGR_COUNT) {
            return count;
        }
        if (count == 0 || kind == AggregateKind.COVAR_SAMP && count == 1) {
            return null;
        }
        boolean hasNan = pairs.stream()
                .anyMatch(pair -> isNan(pair, 0) && kind != AggregateKind.REGR_AVGX && kind != AggregateKind.REGR_SXX
                        || isNan(pair, 1) && kind != AggregateKind.REGR_AVGY && kind != AggregateKind.REGR_SYY);
        boolean usesFlatness =
                switch (kind) {
                    case CORR, REGR_R2, REGR_SLOPE, REGR_INTERCEPT -> true;
                    default -> false;
                };
        if (usesFlatness && isFlat(pairs, 1) || kind == AggregateKind.CORR && isFlat(pairs, 0)) {
            return null;
        }
        if (kind == AggregateKind.REGR_R2 && isFlat(pairs, 0)) {
            return 1.0;
        }
        if (hasNan) {
            return Double.NaN;
        }
        List<BigDecimal> y = pairs.stream()
                .map(pair -> isNan(pair, 0) ? BigDecimal.ZERO : decimal(pair.get(0)))
                .toList();
        List<BigDecimal> x = pairs.stream()
                .map(pair -> isNan(pair, 1) ? BigDecimal.ZERO : decimal(pair.get(1)))
                .toList();
        BigDecimal xx = moment(x, x);
        BigDecimal yy = moment(y, y);
        BigDecimal xy = moment(x, y);
        BigDecimal rows = BigDecimal.valueOf(count);
        boolean isFlatX = xx.signum() == 0;
        return switch (kind) {
            case COVAR_POP -> quotient(xy, rows) / count;
            case COVAR_SAMP -> quotient(xy, rows) / (count - 1);
            case REGR_AVGX -> AggregateTest.doubleSum(column(pairs, 1)) / count;
            case REGR_AVGY -> AggregateTest.doubleSum(column(pairs, 0)) / count;
            case REGR_SXX -> quotient(xx, rows);
            case REGR_SYY -> quotient(yy, rows);
            case REGR_SXY -> quotient(xy, rows);
            case REGR_SLOPE -> isFlatX ? null : quotient(xy, rows) / quotient(xx, rows);
            case REGR_INTERCEPT ->
                isFlatX
                        ? null
                        : (Object) ((AggregateTest.doubleSum(column(pairs, 0))
                                        - AggregateTest.doubleSum(column(pairs, 1))
                                                * quotient(xy, rows)
                                                / quotient(xx, rows))
                                / count);
            case CORR ->
                isFlatX || yy.signum() == 0
                        ? null
                        : (Object) correlation(quotient(xx, rows), quotient(yy, rows), quotient(xy, rows));
            case REGR_R2 ->
                isFlatX
                        ? null
                        : yy.signum() == 0
                                ? (Object) 1.0
                                : (Object) (quotient(xy, rows)
                                        * quotient(xy, rows)
                                        / (quotient(xx, rows) * quotient(yy, rows)));
            default -> throw new IllegalStateException();
        };
    }

    private static double correlation(double xx, double yy, double xy) {
        double root = Double.isInfinite(xx * yy) ? Math.sqrt(xx) * Math.sqrt(yy) : Math.sqrt(xx * yy);
        return Math.clamp(xy / root, -1.0, 1.0);
    }

    private static List<Object> column(List<List<Object>> pairs, int index) {
        return pairs.stream().map(pair -> pair.get(index)).toList();
    }

    private static boolean isFlat(List<List<Object>> pairs, int index) {
        return !isNan(pairs.getFirst(), index)
                && pairs.stream()
                        .allMatch(pair -> decimalOrNull(pair, index) != null
                                && decimalOrNull(pair, index)
                                                .compareTo(
                                                        decimal(pairs.getFirst().get(index)))
                                        == 0);
    }

    private static BigDecimal decimalOrNull(List<Object> pair, int index) {
        return isNan(pair, index) ? null : decimal(pair.get(index));
    }

    private static boolean isNan(List<Object> pair, int index) {
        return Double.isNaN((Double) pair.get(index));
    }

    private static double quotient(BigDecimal dividend, BigDecimal divisor) {
        return dividend.divide(divisor, DIGITS).doubleValue();
    }
}
