package dev.quarrel.core.csv;

import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.pg.BitStrings;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.core.type.Utf8Text;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/// Appends the texts of one column's fields as its values. What is written as usual is read from the bytes as they
/// stand; everything else as PostgreSQL reads a literal of the type.
///
/// - Errors: `QueryException` with PostgreSQL's states and messages, such as 22P02.
public final class CsvValues {
    private static final double[] POWERS = new double[23];
    private static final long[] LONG_POWERS = new long[19];

    static {
        POWERS[0] = 1;
        LONG_POWERS[0] = 1;
        for (int power = 1; power < POWERS.length; power++) {
            POWERS[power] = POWERS[power - 1] * 10;
        }
        for (int power = 1; power < LONG_POWERS.length; power++) {
            LONG_POWERS[power] = LONG_POWERS[power - 1] * 10;
        }
    }

    private final PgType.Declared declared;
    private final PgParse.Moment moment;
    private final boolean isFound;
    private final DataType type;
    private final boolean isPlainText;
    // What `readDigits` found last.
    private long digits;
    private int digitCount;
    private int fraction; // digits behind the point
    private boolean isNegative;

    /// @param moment how texts of times are read
    /// @param isFound whether the type was found by first values: those that are written otherwise are none of it,
    ///                though PostgreSQL may read them so, such as 012 as a number
    public CsvValues(PgType.Declared declared, PgParse.Moment moment, boolean isFound) {
        this.moment = moment;
        this.isFound = isFound;
        this.declared = declared;
        this.type = declared.dataType();
        this.isPlainText = declared.type() == PgType.TEXT
                || declared.type() == PgType.VARCHAR && declared.typmod() == PgType.NO_TYPMOD;
    }

    /// @param source the same bytes as `bytes`
    public void append(ColumnWriter target, byte[] bytes, MemorySegment source, int start, int length) {
        if (isPlainText) {
            Utf8Text.require(bytes, start, length);
            target.appendUtf8(source, start, length);
            return;
        }
        boolean isDone = !(isFound && beginsWithZero(bytes, start, length))
                && switch (type) {
                    case DataType.Int16 _, DataType.Int32 _, DataType.Int64 _ -> integer(target, bytes, start, length);
                    case DataType.Float64 _ -> number(target, bytes, start, length);
                    case DataType.Decimal(int precision, int scale) ->
                        decimal(target, bytes, start, length, precision, scale);
                    case DataType.Date _ -> date(target, bytes, start, length);
                    case DataType.Timestamp _ -> timestamp(target, bytes, start, length);
                    default -> false;
                };
        if (!isDone) {
            Utf8Text.require(bytes, start, length);
            String text = new String(bytes, start, length, StandardCharsets.UTF_8);
            requireRoom(text);
            if (isFound && !isForm(text)) {
                throw new QueryException(
                        SqlState.INVALID_TEXT_REPRESENTATION,
                        "invalid input syntax for type " + declared.text() + ": \"" + text + "\"");
            }
            target.append(
                    isOfBits()
                            ? bits(text)
                            : PgParse.literal(text, declared, moment).value());
        }
    }

    /// Numbers of many digits come here, so that their form is looked at byte by byte; what is wrong in it the parser
    /// says.
    private boolean isForm(String text) {
        if (!(type instanceof DataType.Float64) || text.isEmpty() || text.charAt(0) == 'N') {
            return TypeGuess.isForm(declared.type(), text);
        }
        for (int at = 0; at < text.length(); at++) {
            char each = text.charAt(at);
            boolean isOfNumber = each >= '0' && each <= '9' || ".+-eE ".indexOf(each) >= 0;
            if (!isOfNumber) {
                return false;
            }
        }
        byte[] bare = text.strip().getBytes(StandardCharsets.US_ASCII);
        return !beginsWithZero(bare, 0, bare.length);
    }

    /// Whether a zero and another digit come first, behind a sign.
    private static boolean beginsWithZero(byte[] bytes, int start, int length) {
        int at = length > 0 && (bytes[start] == '-' || bytes[start] == '+') ? start + 1 : start;
        return at + 1 < start + length && bytes[at] == '0' && bytes[at + 1] >= '0' && bytes[at + 1] <= '9';
    }

    private boolean isOfBits() {
        return declared.typmod() >= 0 && (declared.type() == PgType.BIT || declared.type() == PgType.VARBIT);
    }

    private String bits(String text) {
        PgType.Declared plain = new PgType.Declared(declared.type(), PgType.NO_TYPMOD);
        String bits = (String) PgParse.literal(text, plain, moment).value();
        return BitStrings.sized(bits, declared.typmod(), false, declared.type() == PgType.BIT);
    }

    /// A cast cuts a text to its length; what is put into a table must fit, but for blanks.
    private void requireRoom(String text) {
        boolean isBounded = (declared.type() == PgType.VARCHAR || declared.type() == PgType.BPCHAR)
                && declared.typmod() != PgType.NO_TYPMOD;
        if (!isBounded || text.length() <= declared.length()) {
            return;
        }
        int characters = text.codePointCount(0, text.length());
        if (characters > declared.length()
                && !text.substring(text.offsetByCodePoints(0, declared.length()))
                        .chars()
                        .allMatch(each -> each == ' ')) {
            throw new QueryException(
                    SqlState.STRING_DATA_RIGHT_TRUNCATION, "value too long for type " + declared.text());
        }
    }

    /// Of digits and a sign; false for what is written in another way, and for what does not fit.
    private boolean integer(ColumnWriter target, byte[] bytes, int start, int length) {
        int at = start;
        int to = start + length;
        boolean isNegative = length > 0 && bytes[at] == '-';
        at += isNegative ? 1 : 0;
        if (at == to || to - at > 19) {
            return false;
        }
        int first = at;
        long value = 0;
        for (; at < to; at++) {
            int digit = bytes[at] - '0';
            boolean isTooLarge = at - first == 18 && value > (Long.MAX_VALUE - digit) / 10;
            if (digit < 0 || digit > 9 || isTooLarge) {
                return false;
            }
            value = value * 10 + digit;
        }
        value = isNegative ? -value : value;
        switch (type) {
            case DataType.Int16 _ -> {
                if (value != (short) value) {
                    return false;
                }
                target.appendInt16((short) value);
            }
            case DataType.Int32 _ -> {
                if (value != (int) value) {
                    return false;
                }
                target.appendInt32((int) value);
            }
            default -> target.appendInt64(value);
        }
        return true;
    }

    /// Of at most 15 digits, which a double has exactly, and so has their quotient by a power of ten.
    private boolean number(ColumnWriter target, byte[] bytes, int start, int length) {
        if (!readDigits(bytes, start, length, 15)) {
            return false;
        }
        double value = fraction > 0 ? digits / POWERS[fraction] : digits;
        target.appendFloat64(isNegative ? -value : value);
        return true;
    }

    private boolean decimal(ColumnWriter target, byte[] bytes, int start, int length, int precision, int scale) {
        if (!readDigits(bytes, start, length, 18)) {
            return false;
        }
        int missing = scale - fraction;
        // Whatever is rounded, or may be too large, is left to the other way.
        if (missing < 0 || digitCount + missing > Math.min(precision, 18)) {
            return false;
        }
        long value = digits * LONG_POWERS[missing];
        value = isNegative ? -value : value;
        target.appendDecimal(value >> 63, value);
        return true;
    }

    /// Reads a sign, digits and a point; false for what is written in another way, and for more digits than `most`.
    private boolean readDigits(byte[] bytes, int start, int length, int most) {
        digits = 0;
        digitCount = 0;
        isNegative = length > 0 && bytes[start] == '-';
        int end = start + length;
        int point = end;
        for (int at = isNegative ? start + 1 : start; at < end; at++) {
            int digit = bytes[at] - '0';
            if (bytes[at] == '.' && point == end) {
                point = at + 1;
            } else if (digit < 0 || digit > 9 || ++digitCount > most) {
                return false;
            } else {
                digits = digits * 10 + digit;
            }
        }
        fraction = end - point;
        return digitCount > 0;
    }

    private static boolean date(ColumnWriter target, byte[] bytes, int start, int length) {
        long day = length == 10 ? day(bytes, start) : Long.MIN_VALUE;
        if (day == Long.MIN_VALUE) {
            return false;
        }
        target.appendInt32((int) day);
        return true;
    }

    /// `2026-11-27 03:10:00.5`, with a T in the middle perhaps, and with Z or +00 behind it where there is a zone.
    private boolean timestamp(ColumnWriter target, byte[] bytes, int start, int length) {
        int end = start + length;
        if (((DataType.Timestamp) type).withZone()) {
            if (length > 1 && bytes[end - 1] == 'Z') {
                end--;
            } else if (length > 3 && bytes[end - 3] == '+' && bytes[end - 2] == '0' && bytes[end - 1] == '0') {
                end -= 3;
            } else {
                return false;
            }
        }
        if (end - start < 19 || bytes[start + 10] != ' ' && bytes[start + 10] != 'T') {
            return false;
        }
        long day = day(bytes, start);
        int hour = two(bytes, start + 11);
        int minute = two(bytes, start + 14);
        int second = two(bytes, start + 17);
        boolean isWhole = day != Long.MIN_VALUE
                && hour >= 0
                && hour < 24
                && minute >= 0
                && minute < 60
                && second >= 0
                && second < 60
                && bytes[start + 13] == ':'
                && bytes[start + 16] == ':';
        long micros = 0;
        if (isWhole && end - start > 19) {
            int digits = end - start - 20;
            if (bytes[start + 19] != '.' || digits < 1 || digits > 6) {
                return false;
            }
            for (int at = start + 20; at < end; at++) {
                int digit = bytes[at] - '0';
                if (digit < 0 || digit > 9) {
                    return false;
                }
                micros = micros * 10 + digit;
            }
            micros *= LONG_POWERS[6 - digits];
        }
        if (!isWhole || declared.typmod() != PgType.NO_TYPMOD && micros != 0) {
            return false;
        }
        target.appendInt64(
                day * CivilDate.MICROS_PER_DAY + (hour * 3600L + minute * 60L + second) * 1_000_000L + micros);
        return true;
    }

    private static int two(byte[] bytes, int at) {
        int tens = bytes[at] - '0';
        int ones = bytes[at + 1] - '0';
        return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1 : tens * 10 + ones;
    }

    /// The day since 1970 of `YYYY-MM-DD`; the least number for what is none.
    private static long day(byte[] bytes, int at) {
        int century = two(bytes, at);
        int years = two(bytes, at + 2);
        int month = two(bytes, at + 5);
        int day = two(bytes, at + 8);
        if (century < 0
                || years < 0
                || month < 1
                || month > 12
                || day < 1
                || bytes[at + 4] != '-'
                || bytes[at + 7] != '-') {
            return Long.MIN_VALUE;
        }
        int year = century * 100 + years;
        return year == 0 || day > CivilDate.daysInMonth(year, month)
                ? Long.MIN_VALUE
                : CivilDate.toDays(year, month, day);
    }
}
