package dev.quarrel.core.pg;

import static dev.quarrel.core.type.CivilDate.MICROS_PER_SECOND;

import dev.quarrel.core.pg.DateTimeFields.FieldKind;
import dev.quarrel.core.pg.DateTimeFields.TextField;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// One text of an interval, read as PostgreSQL reads it under IntervalStyle postgres: `1 year 2 mons -3 days 04:05:06`,
/// `1-2`, `3` with a type that says of what, ISO 8601's `P1Y2M3DT4H5M6S` and `P0001-02-03T04:05:06`.
///
/// Fields are read from the last to the first, since a unit stands behind its number.
///
/// - Source: PostgreSQL's `datetime.c` (DecodeInterval, DecodeTimeForInterval, DecodeISO8601Interval).
final class IntervalParser {
    private static final long MICROS_PER_MINUTE = 60 * MICROS_PER_SECOND;
    private static final long MICROS_PER_HOUR = 60 * MICROS_PER_MINUTE;
    private static final int MONTHS_PER_YEAR = 12;
    private static final int MAX_WORD = 10;

    private enum Unit {
        MICROSECOND,
        MILLISECOND,
        SECOND,
        MINUTE,
        HOUR,
        DAY,
        WEEK,
        MONTH,
        YEAR,
        DECADE,
        CENTURY,
        MILLENNIUM,
        /// A unit that no number of an interval has.
        OTHER;

        int bit() {
            return 1 << ordinal();
        }
    }

    private static final int SECONDS = Unit.SECOND.bit() | Unit.MILLISECOND.bit() | Unit.MICROSECOND.bit();
    private static final int CLOCK = Unit.HOUR.bit() | Unit.MINUTE.bit() | SECONDS;
    private static final int EVERYTHING = CLOCK | Unit.DAY.bit() | Unit.MONTH.bit() | Unit.YEAR.bit();

    private static final Set<String> INFINITIES = Set.of("infinity", "+infinity", "-infinity");

    /// Words longer than ten letters are compared by their first ten.
    private static final Map<String, Unit> UNITS = units();

    private static Map<String, Unit> units() {
        Map<String, Unit> units = new HashMap<>();
        for (String line : List.of(
                "MICROSECOND microsecon us usec usecond useconds usecs",
                "MILLISECOND millisecon ms msec msecond mseconds msecs",
                "SECOND s sec second seconds secs",
                "MINUTE m min mins minute minutes",
                "HOUR h hour hours hr hrs",
                "DAY d day days",
                "WEEK w week weeks",
                "MONTH mon mons month months",
                "YEAR y year years yr yrs",
                "DECADE dec decade decades decs",
                "CENTURY c cent centuries century",
                "MILLENNIUM mil millennia millennium mils",
                "OTHER qtr quarter timezone timezone_h timezone_m")) {
            String[] words = line.split(" ");
            for (int index = 1; index < words.length; index++) {
                units.put(words[index], Unit.valueOf(words[0]));
            }
        }
        return Map.copyOf(units);
    }

    /// The text makes no sense as one form of an interval.
    private static final class BadFormat extends RuntimeException {
        private static final long serialVersionUID = 1;

        BadFormat() {
            super(null, null, false, false);
        }
    }

    private final String text;
    private final int range;
    private int years;
    private int months;
    private int days;
    private long micros;

    private IntervalParser(String text, int typmod) {
        this.text = text;
        this.range = IntervalFields.mask(typmod);
    }

    /// @param typmod as [IntervalFields] has it; -1 for none
    /// @param isStandard under IntervalStyle sql_standard: a sign in front, if it is the only one, counts for all
    /// - Errors: 22007, 22015, 22008.
    static Interval parse(String text, int typmod, boolean isStandard) {
        String trimmed = text.strip();
        if (!isStandard || !trimmed.startsWith("-") || !hasOneSign(trimmed)) {
            return parse(text, typmod);
        }
        Interval value = parse(trimmed.substring(1), PgType.NO_TYPMOD, typmod);
        try {
            Interval negated = new Interval(
                    Math.negateExact(value.months()), Math.negateExact(value.days()), Math.negateExact(value.micros()));
            return IntervalFields.adjusted(negated, typmod);
        } catch (ArithmeticException e) {
            throw new QueryException(
                    SqlState.INTERVAL_FIELD_OVERFLOW, "interval field value out of range: \"" + text + "\"", e);
        }
    }

    private static boolean hasOneSign(String text) {
        try {
            List<TextField> fields = DateTimeFields.of(text, "interval");
            return !fields.isEmpty()
                    && fields.getFirst().kind() != FieldKind.SIGNED_WORD
                    && fields.stream()
                            .skip(1)
                            .noneMatch(field ->
                                    field.text().startsWith("-") || field.text().startsWith("+"));
        } catch (QueryException _) {
            return false; // read it as it stands, and fail
        }
    }

    /// @param typmod as [IntervalFields] has it; -1 for none
    /// - Errors: 22007, 22015, 22008.
    static Interval parse(String text, int typmod) {
        return parse(text, typmod, typmod);
    }

    /// @param kept what the value keeps
    /// @param counted what a number without a unit counts
    private static Interval parse(String text, int kept, int counted) {
        IntervalParser parser = new IntervalParser(text, counted);
        Interval value;
        try {
            try {
                value = parser.decode();
            } catch (BadFormat _) {
                parser.clear();
                parser.decodeIso();
                value = parser.value();
            }
        } catch (BadFormat _) {
            throw badFormat(text);
        } catch (ArithmeticException e) {
            throw new QueryException(
                    SqlState.INTERVAL_FIELD_OVERFLOW, "interval field value out of range: \"" + text + "\"", e);
        }
        return IntervalFields.adjusted(value, kept);
    }

    private static QueryException badFormat(String text) {
        return new QueryException(
                SqlState.INVALID_DATETIME_FORMAT, "invalid input syntax for type interval: \"" + text + "\"");
    }

    private void clear() {
        years = 0;
        months = 0;
        days = 0;
        micros = 0;
    }

    private Interval value() {
        long total = (long) years * MONTHS_PER_YEAR + months;
        if (total != (int) total) {
            throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "interval out of range");
        }
        return new Interval((int) total, days, micros);
    }

    // ---- PostgreSQL's own form

    private Interval decode() {
        List<TextField> fields;
        try {
            fields = DateTimeFields.of(text, "interval");
        } catch (QueryException _) {
            throw new BadFormat();
        }
        int known = 0;
        Unit unit = null;
        boolean isAgo = false;
        boolean isUnitOpen = false;
        Interval infinity = null;
        for (int index = fields.size() - 1; index >= 0; index--) {
            TextField field = fields.get(index);
            boolean isLast = index == fields.size() - 1;
            int found = 0;
            switch (field.kind()) {
                case TIME -> {
                    decodeTime(field.text());
                    found = CLOCK;
                    unit = Unit.DAY;
                    isUnitOpen = false;
                }
                case ZONE, DATE, NUMBER -> {
                    if (field.kind() == FieldKind.ZONE && isSignedTime(field.text())) {
                        micros = field.text().charAt(0) == '-' ? Math.negateExact(micros) : micros;
                        found = CLOCK;
                        unit = Unit.DAY;
                    } else {
                        if (unit == null) {
                            unit = lastUnit();
                        } else if (unit == Unit.OTHER) {
                            throw new BadFormat();
                        }
                        boolean isYearMonth = isYearMonth(field.text());
                        unit = isYearMonth ? Unit.MONTH : unit;
                        found = decodeNumber(field.text(), unit);
                        // A number before hours, without a unit, counts days.
                        unit = unit == Unit.HOUR ? Unit.DAY : unit;
                    }
                    isUnitOpen = false;
                }
                case WORD, SIGNED_WORD -> {
                    if (isUnitOpen) {
                        throw new BadFormat();
                    }
                    String word =
                            field.text().length() > MAX_WORD ? field.text().substring(0, MAX_WORD) : field.text();
                    if (word.equals("at") || word.equals("on")) {
                        // What stands before it has lost its unit.
                        unit = null;
                        continue;
                    }
                    Unit named = UNITS.get(word);
                    if (named != null) {
                        unit = named;
                        isUnitOpen = true;
                    } else if (word.equals("ago") && isLast) {
                        isAgo = true;
                        unit = Unit.OTHER;
                    } else if (INFINITIES.contains(word) && isLast) {
                        infinity = word.equals("-infinity") ? Interval.MINUS_INFINITY : Interval.INFINITY;
                        found = EVERYTHING;
                    } else {
                        throw new BadFormat();
                    }
                }
            }
            if ((found & known) != 0) {
                throw new BadFormat();
            }
            known |= found;
        }
        if (known == 0 || isUnitOpen) {
            throw new BadFormat();
        }
        if (infinity != null) {
            return infinity;
        }
        if (isAgo) {
            years = Math.negateExact(years);
            months = Math.negateExact(months);
            days = Math.negateExact(days);
            micros = Math.negateExact(micros);
        }
        return value();
    }

    private boolean isSignedTime(String field) {
        if (field.indexOf(':') < 0) {
            return false;
        }
        try {
            decodeTime(field.substring(1));
            return true;
        } catch (BadFormat | ArithmeticException _) {
            // As a number it makes no sense either.
            throw new BadFormat();
        }
    }

    /// What the last number counts when no unit stands behind it.
    private Unit lastUnit() {
        if (range == IntervalFields.YEAR) {
            return Unit.YEAR;
        }
        if ((range & ~(IntervalFields.YEAR | IntervalFields.MONTH)) == 0) {
            return Unit.MONTH;
        }
        if (range == IntervalFields.DAY) {
            return Unit.DAY;
        }
        if ((range & (IntervalFields.MINUTE | IntervalFields.SECOND)) == 0) {
            return Unit.HOUR;
        }
        return (range & IntervalFields.SECOND) == 0 ? Unit.MINUTE : Unit.SECOND;
    }

    /// `1:02`, `1:02:03.4`, and `1:02.3`, which is minutes and seconds.
    private void decodeTime(String field) {
        String[] parts = field.split(":", -1);
        if (parts.length < 2 || parts.length > 3) {
            throw new BadFormat();
        }
        String last = parts[parts.length - 1];
        int point = last.indexOf('.');
        long hour = whole(parts[0]);
        long minute = small(parts.length == 2 && point >= 0 ? last.substring(0, point) : parts[1]);
        long second = 0;
        if (parts.length == 3) {
            second = small(point < 0 ? last : last.substring(0, point));
        } else if (point >= 0 || range == (IntervalFields.MINUTE | IntervalFields.SECOND)) {
            second = minute;
            minute = Math.toIntExact(hour);
            hour = 0;
        }
        long fraction = point < 0 ? 0 : (long) Math.rint(fraction(last.substring(point)) * MICROS_PER_SECOND);
        if (minute > 59 || second > 60) {
            throw new ArithmeticException("a field of a time");
        }
        micros = Math.addExact(
                Math.multiplyExact(hour, MICROS_PER_HOUR),
                minute * MICROS_PER_MINUTE + second * MICROS_PER_SECOND + fraction);
    }

    private static long whole(String digits) {
        for (int at = 0; at < digits.length(); at++) {
            if (!isDigit(digits.charAt(at))) {
                throw new BadFormat();
            }
        }
        if (digits.length() > 19 || digits.length() == 19 && digits.compareTo("9223372036854775807") > 0) {
            throw new ArithmeticException(digits);
        }
        return digits.isEmpty() ? 0 : Long.parseLong(digits);
    }

    private static int small(String digits) {
        return Math.toIntExact(whole(digits));
    }

    private static double fraction(String pointAndDigits) {
        if (pointAndDigits.length() == 1) {
            return 0;
        }
        for (int at = 1; at < pointAndDigits.length(); at++) {
            if (!isDigit(pointAndDigits.charAt(at))) {
                throw new BadFormat();
            }
        }
        return Double.parseDouble("0" + pointAndDigits);
    }

    private static boolean isYearMonth(String field) {
        int at = wholeEnd(field);
        return at < field.length() && field.charAt(at) == '-';
    }

    private static int wholeEnd(String field) {
        int at = field.charAt(0) == '-' || field.charAt(0) == '+' ? 1 : 0;
        while (at < field.length() && isDigit(field.charAt(at))) {
            at++;
        }
        return at;
    }

    /// @return the bits of the fields found
    private int decodeNumber(String field, Unit unit) {
        boolean isNegative = field.charAt(0) == '-';
        int start = isNegative || field.charAt(0) == '+' ? 1 : 0;
        int at = wholeEnd(field);
        String digits = field.substring(start, at);
        // The least number has no positive one.
        long value = isNegative && digits.equals("9223372036854775808")
                ? Long.MIN_VALUE
                : isNegative ? -whole(digits) : whole(digits);
        double part = 0;
        if (at < field.length()) {
            if (field.charAt(at) == '-') {
                int more = small(field.substring(at + 1));
                if (more >= MONTHS_PER_YEAR) {
                    throw new ArithmeticException("months");
                }
                value = Math.addExact(Math.multiplyExact(value, (long) MONTHS_PER_YEAR), isNegative ? -more : more);
            } else if (field.charAt(at) == '.') {
                part = fraction(field.substring(at));
                part = isNegative ? -part : part;
            } else {
                throw new BadFormat();
            }
        }
        add(value, part, unit);
        return unit == Unit.SECOND && part != 0 ? SECONDS : unit.bit();
    }

    private void add(long value, double part, Unit unit) {
        switch (unit) {
            case MICROSECOND -> addMicros(value, part, 1);
            case MILLISECOND -> addMicros(value, part, 1_000);
            case SECOND -> addMicros(value, part, MICROS_PER_SECOND);
            case MINUTE -> addMicros(value, part, MICROS_PER_MINUTE);
            case HOUR -> addMicros(value, part, MICROS_PER_HOUR);
            case DAY -> {
                addDays(value, 1);
                addPart(part, Interval.MICROS_PER_DAY);
            }
            case WEEK -> {
                addDays(value, 7);
                addPartOfDays(part, 7);
            }
            case MONTH -> {
                months = Math.addExact(months, Math.toIntExact(value));
                addPartOfDays(part, Interval.DAYS_PER_MONTH);
            }
            case YEAR -> addYears(value, part, 1);
            case DECADE -> addYears(value, part, 10);
            case CENTURY -> addYears(value, part, 100);
            case MILLENNIUM -> addYears(value, part, 1_000);
            case OTHER -> throw new BadFormat();
        }
    }

    private void addMicros(long value, double part, long scale) {
        micros = Math.addExact(micros, Math.multiplyExact(value, scale));
        addPart(part, scale);
    }

    private void addPart(double part, long scale) {
        double scaled = part * scale;
        long whole = (long) scaled;
        double rest = scaled - whole;
        micros = Math.addExact(micros, rest > 0.5 ? whole + 1 : rest < -0.5 ? whole - 1 : whole);
    }

    private void addDays(long value, int scale) {
        days = Math.addExact(days, Math.multiplyExact(Math.toIntExact(value), scale));
    }

    private void addPartOfDays(double part, int scale) {
        double scaled = part * scale;
        int whole = (int) scaled;
        days = Math.addExact(days, whole);
        addPart(scaled - whole, Interval.MICROS_PER_DAY);
    }

    private void addYears(long value, double part, int scale) {
        years = Math.addExact(years, Math.multiplyExact(Math.toIntExact(value), scale));
        months = Math.addExact(months, (int) Math.rint(part * scale * MONTHS_PER_YEAR));
    }

    // ---- ISO 8601

    private int at;
    private long number;
    private double numberPart;

    private void decodeIso() {
        if (text.length() < 2 || text.charAt(0) != 'P') {
            throw new BadFormat();
        }
        boolean isDatePart = true;
        boolean hasField = false;
        at = 1;
        while (at < text.length()) {
            if (text.charAt(at) == 'T') {
                isDatePart = false;
                hasField = false;
                at++;
                continue;
            }
            int start = at;
            readNumber();
            char unit = next();
            at++;
            Unit named = isDatePart ? dateUnit(unit) : timeUnit(unit);
            if (named != null) {
                add(number, numberPart, named);
                hasField = true;
            } else if (isDatePart && (unit == 'T' || unit == '\0' || unit == '-')) {
                boolean isRunTogether = unit != '-' && digitsAt(start) == 8;
                if (hasField) {
                    throw new BadFormat();
                }
                if (isRunTogether) {
                    addRunTogetherDay();
                } else {
                    decodeDashedDate(unit == '-');
                }
                isDatePart = false;
            } else if (!isDatePart && (unit == ':' || unit == '\0')) {
                if (hasField) {
                    throw new BadFormat();
                }
                if (unit == '\0' && digitsAt(start) == 6) {
                    addMicros(number / 10_000, 0, MICROS_PER_HOUR);
                    addMicros(number / 100 % 100, 0, MICROS_PER_MINUTE);
                    addMicros(number % 100, 0, MICROS_PER_SECOND);
                    addPart(numberPart, 1);
                } else {
                    decodeClock(unit == ':');
                }
                return;
            } else {
                throw new BadFormat();
            }
        }
    }

    private static Unit dateUnit(char unit) {
        return switch (unit) {
            case 'Y' -> Unit.YEAR;
            case 'M' -> Unit.MONTH;
            case 'W' -> Unit.WEEK;
            case 'D' -> Unit.DAY;
            default -> null;
        };
    }

    private static Unit timeUnit(char unit) {
        return switch (unit) {
            case 'H' -> Unit.HOUR;
            case 'M' -> Unit.MINUTE;
            case 'S' -> Unit.SECOND;
            default -> null;
        };
    }

    /// `20010203`: the number read.
    private void addRunTogetherDay() {
        addYears(number / 10_000, 0, 1);
        months = Math.addExact(months, Math.toIntExact(number / 100 % 100));
        addDays(number % 100, 1);
        addPart(numberPart, Interval.MICROS_PER_DAY);
    }

    /// Years, which are read; then months and days behind dashes, as far as they are there, and the T behind them.
    private void decodeDashedDate(boolean hasMore) {
        addYears(number, numberPart, 1);
        if (!hasMore) {
            return;
        }
        readNumber();
        add(number, numberPart, Unit.MONTH);
        if (next() == '-') {
            at++;
            readNumber();
            add(number, numberPart, Unit.DAY);
        }
        if (next() != '\0' && next() != 'T') {
            throw new BadFormat();
        }
        at++;
    }

    private void decodeClock(boolean hasMore) {
        addMicros(number, numberPart, MICROS_PER_HOUR);
        if (!hasMore) {
            return;
        }
        readNumber();
        addMicros(number, numberPart, MICROS_PER_MINUTE);
        if (next() == ':') {
            at++;
            readNumber();
            addMicros(number, numberPart, MICROS_PER_SECOND);
        }
        if (next() != '\0') {
            throw new BadFormat();
        }
    }

    private char next() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private int digitsAt(int start) {
        int first = text.charAt(start) == '-' ? start + 1 : start;
        int end = first;
        while (end < text.length() && isDigit(text.charAt(end))) {
            end++;
        }
        return end - first;
    }

    /// A number as C's strtod takes it, in `number` and `numberPart`.
    private void readNumber() {
        int start = at;
        if (!(isDigit(next()) || next() == '-' || next() == '.')) {
            throw new BadFormat();
        }
        int end = PgParse.decimalEnd(text.substring(start));
        if (end == 0) {
            throw new BadFormat();
        }
        at = start + end;
        double value = Double.parseDouble(text.substring(start, at));
        if (Math.abs(value) > 1.0e15) {
            throw new ArithmeticException("a number of more than 1e15");
        }
        number = (long) value;
        numberPart = value - number;
    }

    private static boolean isDigit(char character) {
        return character >= '0' && character <= '9';
    }
}
