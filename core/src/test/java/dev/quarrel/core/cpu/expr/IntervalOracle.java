package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.ir.DateField;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.pg.IntervalFields;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;

/// Opcodes of intervals and times of day, one value at a time, in big numbers and java.time.
final class IntervalOracle {
    private static final long DAY = 86_400_000_000L;
    private static final BigInteger MICROS_PER_DAY = BigInteger.valueOf(DAY);

    private IntervalOracle() {}

    static int compare(Interval a, Interval b) {
        return span(a).compareTo(span(b));
    }

    private static BigInteger span(Interval value) {
        return BigInteger.valueOf(value.months())
                .multiply(BigInteger.valueOf(30))
                .add(BigInteger.valueOf(value.days()))
                .multiply(MICROS_PER_DAY)
                .add(BigInteger.valueOf(value.micros()));
    }

    private static long rounded(long micros, int digits) {
        return BigDecimal.valueOf(micros, 6)
                .setScale(Math.clamp(digits, 0, 6), RoundingMode.HALF_UP)
                .movePointRight(6)
                .longValueExact();
    }

    /// @param values none is null
    static Object evaluate(Opcode op, int immediate, List<Object> values) {
        Object a = values.getFirst();
        Object b = values.size() > 1 ? values.get(1) : null;
        return switch (op) {
            case ADD_TIMESTAMP_INTERVAL -> add((Long) a, (Interval) b);
            case SUB_TIMESTAMP_INTERVAL -> add((Long) a, negated((Interval) b));
            case SUB_TIMESTAMP_TIMESTAMP -> difference((Long) a, (Long) b);
            case AGE_TIMESTAMP -> age((Long) a, (Long) b);
            case BIN_TIMESTAMP -> bin((Interval) a, (Long) b, (Long) values.get(2));
            case EPOCH_TIMESTAMP -> ofEpoch((Double) a);
            case MAKE_DATE -> day((Long) a, (Long) b, (Long) values.get(2));
            case MAKE_TIME -> time((Long) a, (Long) b, (Double) values.get(2));
            case MAKE_TIMESTAMP -> {
                long day = day((Long) a, (Long) b, (Long) values.get(2));
                long time = time((Long) values.get(3), (Long) values.get(4), (Double) values.get(5));
                if (day > 106_751_991) {
                    throw fails();
                }
                yield valid(big(day).multiply(MICROS_PER_DAY).add(big(time)));
            }
            case MAKE_INTERVAL -> make(values);
            case ADD_DATE_TIME -> {
                long day = (Long) a;
                if (day == Integer.MAX_VALUE || day == Integer.MIN_VALUE) {
                    yield day > 0 ? Long.MAX_VALUE : Long.MIN_VALUE;
                }
                if (day > 106_751_991) {
                    throw fails();
                }
                yield valid(big(day).multiply(MICROS_PER_DAY).add(big((Long) b)));
            }
            case ADD_TIME_INTERVAL, SUB_TIME_INTERVAL -> {
                Interval interval = (Interval) b;
                if (!interval.isFinite()) {
                    throw fails();
                }
                BigInteger micros = big(interval.micros());
                BigInteger sum = op == Opcode.ADD_TIME_INTERVAL
                        ? big((Long) a).add(micros)
                        : big((Long) a).subtract(micros);
                // 64 bits wrap round, as PostgreSQL's do.
                yield Math.floorMod(sum.longValue(), DAY);
            }
            case SUB_TIME_TIME -> new Interval(0, 0, (Long) a - (Long) b);
            case ADD_INTERVAL -> sum((Interval) a, (Interval) b);
            case SUB_INTERVAL -> subtract((Interval) a, (Interval) b);
            case NEG_INTERVAL -> negated((Interval) a);
            case MUL_INTERVAL -> scaled((Interval) a, (Double) b, false);
            case DIV_INTERVAL -> scaled((Interval) a, (Double) b, true);
            case JUSTIFY_DAYS -> justified((Interval) a, true, false);
            case JUSTIFY_HOURS -> justified((Interval) a, false, true);
            case JUSTIFY_INTERVAL -> justified((Interval) a, true, true);
            case ROUND_TIME -> rounded((Long) a, ((Long) b).intValue());
            case ROUND_TIMESTAMP -> {
                if (isInfinite((Long) a)) {
                    yield a;
                }
                try {
                    long since2000 = Math.subtractExact((Long) a, 946_684_800_000_000L);
                    yield Math.addExact(946_684_800_000_000L, rounded(since2000, ((Long) b).intValue()));
                } catch (ArithmeticException e) {
                    throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "the oracle says so", e);
                }
            }
            case ADJUST_INTERVAL -> IntervalFields.adjusted((Interval) a, ((Long) b).intValue());
            case IS_FINITE_DATE -> (Long) a != Integer.MAX_VALUE && (Long) a != Integer.MIN_VALUE;
            case IS_FINITE_TIMESTAMP -> !isInfinite((Long) a);
            case IS_FINITE_INTERVAL -> ((Interval) a).isFinite();
            case EXTRACT_TIME -> part(DateField.of(immediate), new Interval(0, 0, (Long) a));
            case EXTRACT_INTERVAL -> {
                if (!((Interval) a).isFinite()) {
                    throw fails(SqlState.FEATURE_NOT_SUPPORTED);
                }
                yield part(DateField.of(immediate), (Interval) a);
            }
            case EPOCH_INTERVAL -> {
                Interval value = (Interval) a;
                if (!value.isFinite()) {
                    yield value.micros() > 0 ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
                }
                double time = value.micros() / 1e6;
                double years = time + value.months() / 12 * 31_557_600.0;
                double months = years + value.months() % 12 * 2_592_000.0;
                yield months + value.days() * 86_400.0;
            }
            case TRUNC_INTERVAL -> truncated(DateField.of(immediate), (Interval) a);
            default -> throw new IllegalArgumentException("no oracle for " + op);
        };
    }

    private static QueryException fails() {
        return fails(SqlState.DATETIME_FIELD_OVERFLOW);
    }

    private static QueryException fails(SqlState state) {
        return new QueryException(state, "the oracle says so");
    }

    private static BigInteger big(long value) {
        return BigInteger.valueOf(value);
    }

    private static boolean isInfinite(long micros) {
        return micros == Long.MAX_VALUE || micros == Long.MIN_VALUE;
    }

    private static Interval infinity(boolean positive) {
        return positive ? Interval.INFINITY : Interval.MINUS_INFINITY;
    }

    private static Interval exact(BigInteger months, BigInteger days, BigInteger micros) {
        if (months.bitLength() > 31 || days.bitLength() > 31 || micros.bitLength() > 63) {
            throw fails();
        }
        Interval value = new Interval(months.intValue(), days.intValue(), micros.longValue());
        if (!value.isFinite()) {
            throw fails();
        }
        return value;
    }

    private static Long valid(BigInteger micros) {
        if (micros.bitLength() > 63 || micros.longValue() < -2_440_588L * DAY || micros.longValue() == Long.MAX_VALUE) {
            throw fails();
        }
        return micros.longValue();
    }

    static Interval negated(Interval value) {
        return value.isFinite()
                ? exact(
                        big(value.months()).negate(),
                        big(value.days()).negate(),
                        big(value.micros()).negate())
                : infinity(value.micros() < 0);
    }

    private static Interval sum(Interval a, Interval b) {
        if (!a.isFinite() || !b.isFinite()) {
            if (!a.isFinite() && !b.isFinite() && !a.equals(b)) {
                throw fails();
            }
            return a.isFinite() ? b : a;
        }
        return exact(
                big(a.months()).add(big(b.months())),
                big(a.days()).add(big(b.days())),
                big(a.micros()).add(big(b.micros())));
    }

    private static Interval subtract(Interval a, Interval b) {
        if (!a.isFinite() || !b.isFinite()) {
            return sum(a, b.isFinite() ? b : negated(b));
        }
        return exact(
                big(a.months()).subtract(big(b.months())),
                big(a.days()).subtract(big(b.days())),
                big(a.micros()).subtract(big(b.micros())));
    }

    private static LocalDateTime time(long micros) {
        return LocalDateTime.ofEpochSecond(
                Math.floorDiv(micros, 1_000_000L), (int) Math.floorMod(micros, 1_000_000L) * 1_000, ZoneOffset.UTC);
    }

    private static BigInteger micros(LocalDateTime time) {
        return big(time.toEpochSecond(ZoneOffset.UTC)).multiply(big(1_000_000)).add(big(time.getNano() / 1_000));
    }

    private static Long add(long time, Interval interval) {
        if (!interval.isFinite()) {
            long infinity = interval.micros() > 0 ? Long.MAX_VALUE : Long.MIN_VALUE;
            if (isInfinite(time) && time != infinity) {
                throw fails();
            }
            return infinity;
        }
        if (isInfinite(time)) {
            return time;
        }
        try {
            long moved = valid(micros(time(time).plusMonths(interval.months())));
            moved = valid(big(moved).add(MICROS_PER_DAY.multiply(big(interval.days()))));
            return valid(big(moved).add(big(interval.micros())));
        } catch (DateTimeException _) {
            throw fails();
        }
    }

    private static Interval difference(long to, long from) {
        if (isInfinite(to) || isInfinite(from)) {
            if (to == from) {
                throw fails();
            }
            return infinity(isInfinite(to) ? to > 0 : from < 0);
        }
        BigInteger micros = big(to).subtract(big(from));
        if (micros.bitLength() > 63) {
            throw fails();
        }
        return justified(new Interval(0, 0, micros.longValue()), false, true);
    }

    private static Interval age(long to, long from) {
        if (isInfinite(to) || isInfinite(from)) {
            return difference(to, from);
        }
        LocalDateTime later = time(Math.max(to, from));
        LocalDateTime earlier = time(Math.min(to, from));
        long clock = later.toLocalTime().toNanoOfDay() / 1_000
                - earlier.toLocalTime().toNanoOfDay() / 1_000;
        long months = (later.getYear() - earlier.getYear()) * 12L + later.getMonthValue() - earlier.getMonthValue();
        int days = later.getDayOfMonth() - earlier.getDayOfMonth();
        if (clock < 0) {
            clock += DAY;
            days--;
        }
        while (days < 0) {
            days += earlier.toLocalDate().lengthOfMonth();
            months--;
        }
        int sign = to < from ? -1 : 1;
        return new Interval(Math.toIntExact(months) * sign, days * sign, clock * sign);
    }

    private static Long bin(Interval stride, long time, long origin) {
        if (isInfinite(time)) {
            return time;
        }
        if (isInfinite(origin) || !stride.isFinite()) {
            throw fails();
        }
        if (stride.months() != 0) {
            throw fails(SqlState.FEATURE_NOT_SUPPORTED);
        }
        BigInteger length = span(stride);
        BigInteger past = big(time).subtract(big(origin));
        if (length.bitLength() > 63 || length.signum() <= 0 || past.bitLength() > 63) {
            throw fails();
        }
        BigInteger rest = past.mod(length);
        return valid(big(time).subtract(rest));
    }

    private static Long ofEpoch(double seconds) {
        if (Double.isNaN(seconds)) {
            throw fails();
        }
        if (Double.isInfinite(seconds)) {
            return seconds > 0 ? Long.MAX_VALUE : Long.MIN_VALUE;
        }
        double since = (seconds - 946_684_800.0) * 1e6;
        if (Math.abs(since) > 9.2e18) {
            throw fails();
        }
        return valid(new BigDecimal(Math.rint(since)).toBigIntegerExact().add(big(946_684_800_000_000L)));
    }

    private static Long day(long year, long month, long day) {
        try {
            if (year == 0) {
                throw fails();
            }
            long days = LocalDate.of((int) (year < 0 ? year + 1 : year), (int) month, (int) day)
                    .toEpochDay();
            if (days < -2_440_588 || days >= 2_145_042_906) {
                throw fails();
            }
            return days;
        } catch (DateTimeException _) {
            throw fails();
        }
    }

    private static Long time(long hour, long minute, double second) {
        if (hour < 0 || hour > 24 || minute < 0 || minute > 59 || !(second >= 0 && second <= 60)) {
            throw fails();
        }
        long micros = (hour * 60 + minute) * 60_000_000 + (long) Math.rint(second * 1e6);
        if (micros > DAY) {
            throw fails();
        }
        return micros;
    }

    private static Interval make(List<Object> fields) {
        double second = (Double) fields.get(6);
        if (Double.isNaN(second) || Double.isInfinite(second)) {
            throw fails();
        }
        BigInteger months = big((Long) fields.get(0)).multiply(big(12));
        BigInteger weeks = big((Long) fields.get(2)).multiply(big(7));
        if (months.bitLength() > 31 || weeks.bitLength() > 31) {
            throw fails();
        }
        double micros = second * 1e6;
        if (Double.isInfinite(micros)) {
            throw fails(SqlState.NUMERIC_VALUE_OUT_OF_RANGE);
        }
        BigInteger time = big((Long) fields.get(4))
                .multiply(big(3_600_000_000L))
                .add(big((Long) fields.get(5)).multiply(big(60_000_000)));
        return exact(
                months.add(big((Long) fields.get(1))),
                weeks.add(big((Long) fields.get(3))),
                time.add(new BigDecimal(Math.rint(micros)).toBigInteger()));
    }

    private static Interval scaled(Interval value, double factor, boolean isDivision) {
        if (isDivision && factor == 0) {
            throw fails(SqlState.DIVISION_BY_ZERO);
        }
        if (Double.isNaN(factor)) {
            throw fails();
        }
        if (!value.isFinite()) {
            if (isDivision ? Double.isInfinite(factor) : factor == 0) {
                throw fails();
            }
            return factor < 0 ? negated(value) : value;
        }
        if (!isDivision && Double.isInfinite(factor)) {
            int sign = span(value).signum();
            if (sign == 0) {
                throw fails();
            }
            return infinity(factor > 0 == sign > 0);
        }
        double months = isDivision ? value.months() / factor : value.months() * factor;
        double days = isDivision ? value.days() / factor : value.days() * factor;
        double micros = isDivision ? value.micros() / factor : value.micros() * factor;
        BigInteger wholeMonths = whole(months, 31);
        BigInteger wholeDays = whole(days, 31);
        double restDays = Math.rint((months - wholeMonths.intValue()) * 30 * 1e6) / 1e6;
        double seconds = Math.rint((days - wholeDays.intValue() + restDays - (int) restDays) * 86_400 * 1e6) / 1e6;
        BigInteger carried = big(Math.abs(seconds) >= 86_400 ? (long) (seconds / 86_400) : 0);
        if (wholeDays.add(carried).bitLength() > 31) {
            throw fails();
        }
        double rest = seconds - carried.intValue() * 86_400.0;
        return exact(
                wholeMonths,
                wholeDays.add(carried).add(big((int) restDays)),
                whole(Math.rint(micros + rest * 1e6), 63));
    }

    private static BigInteger whole(double value, int bits) {
        double limit = Math.scalb(1.0, bits);
        if (Double.isNaN(value) || value < -limit || value >= limit) {
            throw fails();
        }
        return new BigDecimal(value).toBigInteger();
    }

    private static Interval justified(Interval value, boolean carriesDays, boolean carriesHours) {
        if (!value.isFinite()) {
            return value;
        }
        BigInteger months = big(value.months());
        BigInteger days = big(value.days());
        BigInteger micros = big(value.micros());
        if (carriesHours) {
            days = days.add(micros.divide(MICROS_PER_DAY));
            micros = micros.remainder(MICROS_PER_DAY);
        }
        BigInteger thirty = big(30);
        if (carriesDays) {
            months = months.add(days.divide(thirty));
            days = days.remainder(thirty);
            int belowMonths = carriesHours && days.signum() == 0 ? micros.signum() : days.signum();
            if (months.signum() * belowMonths < 0) {
                days = days.add(thirty.multiply(big(months.signum())));
                months = months.subtract(big(months.signum()));
            }
        }
        if (carriesHours && days.signum() * micros.signum() < 0) {
            micros = micros.add(MICROS_PER_DAY.multiply(big(days.signum())));
            days = days.subtract(big(days.signum()));
        }
        return exactOrInfinite(months, days, micros);
    }

    private static Interval exactOrInfinite(BigInteger months, BigInteger days, BigInteger micros) {
        if (months.bitLength() > 31 || days.bitLength() > 31) {
            throw fails();
        }
        return new Interval(months.intValue(), days.intValue(), micros.longValueExact());
    }

    private static BigDecimal part(DateField field, Interval value) {
        int years = value.months() / 12;
        int months = value.months() % 12;
        long rest = value.micros() % 60_000_000;
        return switch (field) {
            case YEAR -> BigDecimal.valueOf(years);
            case QUARTER -> BigDecimal.valueOf(value.months() < 0 ? months / 3 - 1 : months / 3 + 1);
            case MONTH -> BigDecimal.valueOf(months);
            case WEEK -> BigDecimal.valueOf(value.days() / 7);
            case DAY -> BigDecimal.valueOf(value.days());
            case HOUR -> BigDecimal.valueOf(value.micros() / 3_600_000_000L);
            case MINUTE -> BigDecimal.valueOf(value.micros() / 60_000_000 % 60);
            case SECOND -> BigDecimal.valueOf(rest, 6);
            case MILLISECONDS -> BigDecimal.valueOf(rest, 3);
            case MICROSECONDS -> BigDecimal.valueOf(rest);
            case DECADE -> BigDecimal.valueOf(years / 10);
            case CENTURY -> BigDecimal.valueOf(years / 100);
            case MILLENNIUM -> BigDecimal.valueOf(years / 1000);
            case EPOCH ->
                new BigDecimal("365.25")
                        .multiply(BigDecimal.valueOf(years))
                        .add(BigDecimal.valueOf(months * 30L))
                        .add(BigDecimal.valueOf(value.days()))
                        .multiply(BigDecimal.valueOf(86_400))
                        .add(BigDecimal.valueOf(value.micros(), 6))
                        .setScale(6);
            default -> throw new IllegalArgumentException(field.name());
        };
    }

    private static Interval truncated(DateField field, Interval value) {
        if (!value.isFinite()) {
            return value;
        }
        return switch (field) {
            case MILLENNIUM -> new Interval(value.months() / 12_000 * 12_000, 0, 0);
            case CENTURY -> new Interval(value.months() / 1_200 * 1_200, 0, 0);
            case DECADE -> new Interval(value.months() / 120 * 120, 0, 0);
            case YEAR -> new Interval(value.months() / 12 * 12, 0, 0);
            case QUARTER -> new Interval(value.months() / 3 * 3, 0, 0);
            case MONTH -> new Interval(value.months(), 0, 0);
            case DAY -> new Interval(value.months(), value.days(), 0);
            case HOUR -> floored(value, 3_600_000_000L);
            case MINUTE -> floored(value, 60_000_000);
            case SECOND -> floored(value, 1_000_000);
            case MILLISECONDS -> floored(value, 1_000);
            case MICROSECONDS -> value;
            default -> throw new IllegalArgumentException(field.name());
        };
    }

    private static Interval floored(Interval value, long unit) {
        return new Interval(value.months(), value.days(), value.micros() / unit * unit);
    }
}
