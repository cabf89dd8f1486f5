package dev.quarrel.calcite.sql;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// An interval as PostgreSQL keeps it: months, days and microseconds, which do not carry into one another.
///
/// @param micros microseconds
record IntervalValue(int months, int days, long micros) {
    private static final long SECOND = 1_000_000L;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    static final long DAY = 24 * HOUR;
    private static final BigDecimal DAYS_PER_MONTH = BigDecimal.valueOf(30);

    private static final Pattern PART = Pattern.compile(
            "\\s*(?:(?<time>(?<timesign>[+-]?)(?<h>\\d+):(?<m>\\d{1,2})(?::(?<s>\\d{1,2}(?:\\.\\d*)?))?)"
                    + "|(?<ym>(?<ymsign>[+-]?)(?<y>\\d+)-(?<mon>\\d{1,2}))"
                    + "|(?<number>[+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+))\\s*(?<unit>[a-zA-Z]*)"
                    + "|(?<ago>ago))");

    private static final Pattern ISO =
            Pattern.compile("P(?:(-?[\\d.]+)Y)?(?:(-?[\\d.]+)M)?(?:(-?[\\d.]+)W)?(?:(-?[\\d.]+)D)?"
                    + "(?:T(?:(-?[\\d.]+)H)?(?:(-?[\\d.]+)M)?(?:(-?[\\d.]+)S)?)?");

    private static final Map<String, String> UNITS = Map.ofEntries(
            Map.entry("y", "year"),
            Map.entry("yr", "year"),
            Map.entry("yrs", "year"),
            Map.entry("year", "year"),
            Map.entry("years", "year"),
            Map.entry("mon", "month"),
            Map.entry("mons", "month"),
            Map.entry("month", "month"),
            Map.entry("months", "month"),
            Map.entry("w", "week"),
            Map.entry("week", "week"),
            Map.entry("weeks", "week"),
            Map.entry("d", "day"),
            Map.entry("day", "day"),
            Map.entry("days", "day"),
            Map.entry("h", "hour"),
            Map.entry("hr", "hour"),
            Map.entry("hrs", "hour"),
            Map.entry("hour", "hour"),
            Map.entry("hours", "hour"),
            Map.entry("m", "minute"),
            Map.entry("min", "minute"),
            Map.entry("mins", "minute"),
            Map.entry("minute", "minute"),
            Map.entry("minutes", "minute"),
            Map.entry("s", "second"),
            Map.entry("sec", "second"),
            Map.entry("secs", "second"),
            Map.entry("second", "second"),
            Map.entry("seconds", "second"),
            Map.entry("ms", "millisecond"),
            Map.entry("msec", "millisecond"),
            Map.entry("msecs", "millisecond"),
            Map.entry("millisecond", "millisecond"),
            Map.entry("milliseconds", "millisecond"),
            Map.entry("us", "microsecond"),
            Map.entry("usec", "microsecond"),
            Map.entry("usecs", "microsecond"),
            Map.entry("microsecond", "microsecond"),
            Map.entry("microseconds", "microsecond"),
            Map.entry("decade", "decade"),
            Map.entry("decades", "decade"),
            Map.entry("decs", "decade"),
            Map.entry("century", "century"),
            Map.entry("centuries", "century"),
            Map.entry("c", "century"),
            Map.entry("cent", "century"),
            Map.entry("millennium", "millennium"),
            Map.entry("mil", "millennium"),
            Map.entry("mils", "millennium"),
            Map.entry("millennia", "millennium"));

    /// Reads `1 year 2 mons -3 days 04:05:06.7`, `1-2`, `3` with a field, or ISO 8601; null for anything else.
    ///
    /// - Errors: [ArithmeticException] beyond the ranges of months, days or microseconds.
    ///
    /// @param fields of `interval '3' month to …`, in lower case; empty for none
    static IntervalValue parse(String text, List<String> fields) {
        String trimmed = text.trim();
        Sum sum = new Sum();
        Matcher iso = ISO.matcher(trimmed);
        if (trimmed.length() > 1 && iso.matches()) {
            String[] units = {"year", "month", "week", "day", "hour", "minute", "second"};
            for (int group = 1; group <= units.length; group++) {
                if (iso.group(group) != null) {
                    sum.add(new BigDecimal(iso.group(group)), units[group - 1]);
                }
            }
            return sum.value(1, fields);
        }
        if (trimmed.startsWith("@")) {
            trimmed = trimmed.substring(1);
        }
        String plain = fields.isEmpty() ? "second" : fields.get(fields.size() - 1);
        int sign = 1;
        boolean any = false;
        Matcher part = PART.matcher(trimmed);
        int at = 0;
        while (at < trimmed.length()) {
            part.region(at, trimmed.length());
            if (!part.lookingAt() || sign < 0 || part.end() == at) {
                return null;
            }
            if (part.group("time") != null) {
                sum.addTime(part);
            } else if (part.group("ym") != null) {
                int direction = part.group("ymsign").equals("-") ? -1 : 1;
                sum.add(new BigDecimal(part.group("y")).multiply(BigDecimal.valueOf(direction)), "year");
                sum.add(new BigDecimal(part.group("mon")).multiply(BigDecimal.valueOf(direction)), "month");
            } else if (part.group("number") != null) {
                String unit = part.group("unit").toLowerCase(Locale.ROOT);
                String known = unit.isEmpty() ? plain : UNITS.get(unit);
                if (known == null) {
                    return null;
                }
                sum.add(new BigDecimal(part.group("number")), known);
            } else {
                sign = -1;
            }
            any = true;
            at = part.end();
        }
        return any ? sum.value(sign, fields) : null;
    }

    IntervalValue negated() {
        return new IntervalValue(Math.negateExact(months), Math.negateExact(days), Math.negateExact(micros));
    }

    private static final class Sum {
        private BigDecimal months = BigDecimal.ZERO;
        private BigDecimal days = BigDecimal.ZERO;
        private BigDecimal micros = BigDecimal.ZERO;

        void addTime(Matcher part) {
            BigDecimal time = BigDecimal.valueOf(HOUR)
                    .multiply(new BigDecimal(part.group("h")))
                    .add(BigDecimal.valueOf(MINUTE).multiply(new BigDecimal(part.group("m"))));
            if (part.group("s") != null) {
                time = time.add(BigDecimal.valueOf(SECOND).multiply(new BigDecimal(part.group("s"))));
            }
            micros = part.group("timesign").equals("-") ? micros.subtract(time) : micros.add(time);
        }

        void add(BigDecimal count, String unit) {
            switch (unit) {
                case "millennium" -> addMonths(count, 12_000);
                case "century" -> addMonths(count, 1_200);
                case "decade" -> addMonths(count, 120);
                case "year" -> addMonths(count, 12);
                case "month" -> {
                    // The part of a month is days of thirty.
                    BigDecimal whole = count.setScale(0, RoundingMode.DOWN);
                    months = months.add(whole);
                    addDays(count.subtract(whole).multiply(DAYS_PER_MONTH));
                }
                case "week" -> addDays(count.multiply(BigDecimal.valueOf(7)));
                case "day" -> addDays(count);
                case "hour" -> addMicros(count, HOUR);
                case "minute" -> addMicros(count, MINUTE);
                case "second" -> addMicros(count, SECOND);
                case "millisecond" -> addMicros(count, 1_000);
                case "microsecond" -> addMicros(count, 1);
                default -> throw new IllegalArgumentException("no interval unit is named " + unit);
            }
        }

        private void addMonths(BigDecimal count, int factor) {
            months = months.add(count.multiply(BigDecimal.valueOf(factor)).setScale(0, RoundingMode.HALF_EVEN));
        }

        private void addDays(BigDecimal count) {
            BigDecimal whole = count.setScale(0, RoundingMode.DOWN);
            days = days.add(whole);
            addMicros(count.subtract(whole), DAY);
        }

        private void addMicros(BigDecimal count, long factor) {
            micros = micros.add(count.multiply(BigDecimal.valueOf(factor)));
        }

        IntervalValue value(int sign, List<String> fields) {
            IntervalValue value = new IntervalValue(
                    months.intValueExact(),
                    days.intValueExact(),
                    micros.setScale(0, RoundingMode.HALF_EVEN).longValueExact());
            value = value.cutTo(fields);
            return sign < 0 ? value.negated() : value;
        }
    }

    /// Drops what is finer than the last field: `interval '1 day 5 hours' day` is one day.
    private IntervalValue cutTo(List<String> fields) {
        if (fields.isEmpty()) {
            return this;
        }
        return switch (fields.get(fields.size() - 1)) {
            case "year" -> new IntervalValue(months / 12 * 12, 0, 0);
            case "month" -> new IntervalValue(months, 0, 0);
            case "day" -> new IntervalValue(months, days, 0);
            case "hour" -> new IntervalValue(months, days, micros / HOUR * HOUR);
            case "minute" -> new IntervalValue(months, days, micros / MINUTE * MINUTE);
            default -> this;
        };
    }
}
