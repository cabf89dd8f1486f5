package dev.quarrel.core.pg;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;
import static dev.quarrel.core.type.CivilDate.MICROS_PER_DAY;
import static dev.quarrel.core.type.CivilDate.MICROS_PER_SECOND;

import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.SpecialNumeric;
import dev.quarrel.core.type.UuidWords;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.util.UUID;

/// Converts values to the text that PostgreSQL's output functions give (DateStyle ISO, extra_float_digits 1,
/// TimeZone UTC).
///
/// | type | text |
/// |---|---|
/// | bool | `t`, `f` |
/// | float | shortest digits that read back: `0.1`, `1e+15`, `1e-05`, `-0`, `NaN`, `Infinity` |
/// | decimal, numeric | all digits of the scale: `1.50` |
/// | date | `2024-02-29`, `10000-01-01`, `0044-03-15 BC`, `infinity` |
/// | timestamp | `2024-02-29 12:00:00.5`; with zone `2024-02-29 12:00:00.5+00` |
/// | time | `12:00:00.5`, `24:00:00` |
/// | interval | `1 year 2 mons -3 days +04:05:06.7`, `00:00:00`, `infinity` |
///
/// A date of `Integer.MAX_VALUE` or `MIN_VALUE`, and a timestamp of `Long.MAX_VALUE` or `MIN_VALUE`, are infinity and
/// -infinity. Nothing here allocates, but when the buffer grows.
public final class PgText {
    public static final int DATE_INFINITY = Integer.MAX_VALUE;
    public static final int DATE_MINUS_INFINITY = Integer.MIN_VALUE;
    public static final long TIMESTAMP_INFINITY = Long.MAX_VALUE;
    public static final long TIMESTAMP_MINUS_INFINITY = Long.MIN_VALUE;

    private static final int CHUNK = 1_000_000_000;
    private static final int MAX_INT128_DIGITS = 39;
    private static final int FLOAT8_DIGITS = 15;
    private static final int FLOAT4_DIGITS = 6;

    private PgText() {}

    /// Appends row `row` of `column`.
    ///
    /// - Nulls: the row must be present; the caller asks `column.validity()` first.
    /// - Errors: [IndexOutOfBoundsException] for a row, offset or code outside its column.
    public static void append(Column column, int row, TextBuffer out) {
        switch (column) {
            case FixedColumn fixed -> appendFixed(fixed, row, out);
            case BoolColumn bool ->
                appendBool((bool.bits().get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1) != 0, out);
            case Utf8Column text -> appendText(text, row, out);
            case DictionaryColumn codes -> appendText(codes.dictionary().values(), codes.code(row), out);
        }
    }

    private static void appendText(Utf8Column text, int row, TextBuffer out) {
        long start = text.offset(row);
        if (text.type() instanceof DataType.Binary) {
            appendBytea(text.data(), start, text.offset(row + 1) - start, out);
            return;
        }
        out.append(text.data(), start, text.offset(row + 1) - start);
    }

    private static void appendFixed(FixedColumn column, int row, TextBuffer out) {
        MemorySegment values = column.values();
        switch (column.type()) {
            case DataType.Int16 _ -> appendInt(values.get(INT16, row * 2L), out);
            case DataType.Int32 _ -> appendInt(values.get(INT32, row * 4L), out);
            case DataType.Int64 _ -> appendInt(values.get(INT64, row * 8L), out);
            case DataType.Float32 _ -> appendFloat4(Float.intBitsToFloat(values.get(INT32, row * 4L)), out);
            case DataType.Float64 _ -> appendFloat8(Double.longBitsToDouble(values.get(INT64, row * 8L)), out);
            case DataType.Date _ -> appendDate(values.get(INT32, row * 4L), out);
            case DataType.Time _ -> appendTime(values.get(INT64, row * 8L), out);
            case DataType.Interval _ ->
                appendInterval(values.get(INT64, row * 16L), values.get(INT64, row * 16L + 8), out);
            case DataType.Timestamp(boolean withZone) -> {
                long micros = values.get(INT64, row * 8L);
                if (withZone) {
                    appendTimestampTz(micros, 0, out);
                } else {
                    appendTimestamp(micros, out);
                }
            }
            case DataType.Decimal(int _, int scale) ->
                appendDecimal(values.get(INT64, row * 16L + 8), values.get(INT64, row * 16L), scale, out);
            case DataType.Numeric _ ->
                appendDecimal(
                        values.get(INT64, row * 24L + 8),
                        values.get(INT64, row * 24L),
                        values.get(INT32, row * 24L + 16),
                        out);
            case DataType.Uuid _ ->
                appendUuid(UuidWords.high(values, row * 16L), UuidWords.low(values, row * 16L), out);
            case DataType.Bool _, DataType.Utf8 _, DataType.Binary _ ->
                throw new IllegalStateException(column.type() + " in a column of fixed width");
        }
    }

    /// The text of a constant, or null for NULL.
    public static String text(Literal literal) {
        if (literal.isNull()) {
            return null;
        }
        TextBuffer out = new TextBuffer(32);
        append(literal, out);
        return out.toString();
    }

    /// Appends a constant that is not NULL.
    public static void append(Literal literal, TextBuffer out) {
        Object value = literal.value();
        switch (literal.type()) {
            case DataType.Bool _ -> appendBool((Boolean) value, out);
            case DataType.Int16 _, DataType.Int32 _, DataType.Int64 _ -> appendInt((Long) value, out);
            case DataType.Float32 _ -> appendFloat4((Float) value, out);
            case DataType.Float64 _ -> appendFloat8((Double) value, out);
            case DataType.Decimal _, DataType.Numeric _ ->
                out.appendAscii(value instanceof BigDecimal number ? number.toPlainString() : value.toString());
            case DataType.Date _ -> appendDate(((Long) value).intValue(), out);
            case DataType.Time _ -> appendTime((Long) value, out);
            case DataType.Interval _ -> {
                Interval interval = (Interval) value;
                appendInterval(interval.calendar(), interval.micros(), out);
            }
            case DataType.Timestamp(boolean withZone) -> {
                if (withZone) {
                    appendTimestampTz((Long) value, 0, out);
                } else {
                    appendTimestamp((Long) value, out);
                }
            }
            case DataType.Uuid _ -> appendUuid(UuidWords.high((UUID) value), UuidWords.low((UUID) value), out);
            case DataType.Utf8 _ -> out.append((String) value);
            case DataType.Binary _ -> out.appendAscii(value.toString());
        }
    }

    /// Appends `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`.
    ///
    /// @param high and `low` as [UuidWords] has them
    public static void appendUuid(long high, long low, TextBuffer out) {
        long first = high ^ Long.MIN_VALUE;
        appendHex(first >>> 32, 8, out);
        out.append('-');
        appendHex(first >>> 16, 4, out);
        out.append('-');
        appendHex(first, 4, out);
        out.append('-');
        appendHex(low >>> 48, 4, out);
        out.append('-');
        appendHex(low, 12, out);
    }

    private static void appendHex(long value, int digits, TextBuffer out) {
        for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
            out.append(ByteaFormat.digit((int) (value >>> shift) & 0xF));
        }
    }

    /// Appends bytes in hex, as `bytea_output = hex` has them.
    public static void appendBytea(MemorySegment data, long start, long length, TextBuffer out) {
        out.append('\\');
        out.append('x');
        for (long at = start; at < start + length; at++) {
            int value = data.get(ValueLayout.JAVA_BYTE, at);
            out.append(ByteaFormat.digit(value >> 4 & 0xF));
            out.append(ByteaFormat.digit(value & 0xF));
        }
    }

    public static void appendBool(boolean value, TextBuffer out) {
        out.append(value ? 't' : 'f');
    }

    public static void appendInt(long value, TextBuffer out) {
        if (value == Long.MIN_VALUE) {
            out.appendAscii("-9223372036854775808");
            return;
        }
        if (value < 0) {
            out.append('-');
        }
        appendDigits(Math.abs(value), out);
    }

    public static void appendFloat4(float value, TextBuffer out) {
        ShortestDecimal.append(value, out);
    }

    public static void appendFloat8(double value, TextBuffer out) {
        ShortestDecimal.append(value, out);
    }

    /// Under a setting of `extra_float_digits`: from 1 on the fewest digits that read back, below so many fewer than a
    /// float8 holds for sure.
    public static void appendFloat8(double value, int extraDigits, TextBuffer out) {
        if (extraDigits > 0) {
            ShortestDecimal.append(value, out);
        } else {
            RoundedDecimal.append(value, Math.max(1, FLOAT8_DIGITS + extraDigits), out);
        }
    }

    /// The same of a float4.
    public static void appendFloat4(float value, int extraDigits, TextBuffer out) {
        if (extraDigits > 0) {
            ShortestDecimal.append(value, out);
        } else {
            RoundedDecimal.append(value, Math.max(1, FLOAT4_DIGITS + extraDigits), out);
        }
    }

    /// Appends `unscaled * 10^-scale` with exactly `scale` digits after the point.
    ///
    /// @param high the upper 64 bits of the unscaled value, with the sign
    /// @param low the lower 64 bits
    /// @param scale 0 or more, or what [SpecialNumeric] says
    public static void appendDecimal(long high, long low, int scale, TextBuffer out) {
        if (SpecialNumeric.is(scale)) {
            out.appendAscii(SpecialNumeric.of(low).toString());
            return;
        }
        if (high == low >> 63 && low != Long.MIN_VALUE) {
            if (low < 0) {
                out.append('-');
            }
            long magnitude = Math.abs(low);
            int count = digitCount(magnitude);
            int padded = Math.max(count, scale + 1);
            int start = out.reserve(padded + 1);
            zeros(out.array(), start, padded - count);
            putDigits(magnitude, out.array(), start + padded - count, count);
            insertPoint(out, start, padded, scale);
            return;
        }
        long magnitudeHigh = high;
        long magnitudeLow = low;
        if (high < 0) {
            out.append('-');
            magnitudeLow = -low;
            magnitudeHigh = ~high + (low == 0 ? 1 : 0);
        }
        appendWide(magnitudeHigh, magnitudeLow, scale, out);
    }

    /// Nine digits at a time, from the right, by dividing four 32-bit limbs.
    private static void appendWide(long high, long low, int scale, TextBuffer out) {
        int width = Math.max(MAX_INT128_DIGITS, scale + 1);
        int start = out.reserve(width + 1);
        byte[] bytes = out.array();
        long limb3 = high >>> 32;
        long limb2 = high & 0xFFFF_FFFFL;
        long limb1 = low >>> 32;
        long limb0 = low & 0xFFFF_FFFFL;
        int at = start + width;
        while ((limb3 | limb2 | limb1 | limb0) != 0) {
            long rest = limb3 % CHUNK;
            limb3 /= CHUNK;
            long part = rest << 32 | limb2;
            limb2 = part / CHUNK;
            part = part % CHUNK << 32 | limb1;
            limb1 = part / CHUNK;
            part = part % CHUNK << 32 | limb0;
            limb0 = part / CHUNK;
            int count = (limb3 | limb2 | limb1 | limb0) != 0 ? 9 : digitCount(part % CHUNK);
            at -= count;
            putDigits(part % CHUNK, bytes, at, count);
        }
        int first = Math.min(at, start + width - scale - 1);
        zeros(bytes, first, at - first);
        int count = start + width - first;
        System.arraycopy(bytes, first, bytes, start, count);
        insertPoint(out, start, count, scale);
    }

    /// Sets the point before the last `scale` of `count` digits that stand at `start`.
    private static void insertPoint(TextBuffer out, int start, int count, int scale) {
        if (scale == 0) {
            out.advanceTo(start + count);
            return;
        }
        byte[] bytes = out.array();
        int point = start + count - scale;
        System.arraycopy(bytes, point, bytes, point + 1, scale);
        bytes[point] = '.';
        out.advanceTo(start + count + 1);
    }

    /// @param days since 1970-01-01
    public static void appendDate(int days, TextBuffer out) {
        if (days == DATE_INFINITY || days == DATE_MINUS_INFINITY) {
            out.appendAscii(days == DATE_INFINITY ? "infinity" : "-infinity");
            return;
        }
        long year = appendDay(days, out);
        if (year <= 0) {
            out.appendAscii(" BC");
        }
    }

    /// @param micros since midnight
    public static void appendTime(long micros, TextBuffer out) {
        IntervalText.appendClock(micros, out);
    }

    /// What reads back as the same interval: as it is shown, but for the least time, whose hours would be too many if
    /// they had no sign.
    public static String constant(Interval interval) {
        boolean isLeast = interval.micros() == Long.MIN_VALUE && !interval.equals(Interval.MINUS_INFINITY);
        return isLeast
                ? interval.months() + " mons " + interval.days() + " days " + interval.micros() + " us"
                : text(new Literal(DataType.INTERVAL, interval));
    }

    /// Under IntervalStyle postgres.
    ///
    /// @param calendar months and days, as [Interval#calendar] has them
    public static void appendInterval(long calendar, long micros, TextBuffer out) {
        appendInterval(calendar, micros, IntervalStyle.POSTGRES, out);
    }

    /// @param calendar months and days, as [Interval#calendar] has them
    public static void appendInterval(long calendar, long micros, IntervalStyle style, TextBuffer out) {
        IntervalText.append(calendar, micros, style, out);
    }

    /// @param micros since 1970-01-01T00:00
    public static void appendTimestamp(long micros, TextBuffer out) {
        if (isInfinite(micros, out)) {
            return;
        }
        long year = appendDayAndTime(micros, out);
        if (year <= 0) {
            out.appendAscii(" BC");
        }
    }

    /// @param micros since 1970-01-01T00:00 UTC
    /// @param offsetSeconds the session zone's offset at that time, east of UTC positive
    public static void appendTimestampTz(long micros, int offsetSeconds, TextBuffer out) {
        if (isInfinite(micros, out)) {
            return;
        }
        long year = appendDayAndTime(micros + offsetSeconds * MICROS_PER_SECOND, out);
        int magnitude = Math.abs(offsetSeconds);
        out.append(offsetSeconds < 0 ? '-' : '+');
        appendPadded(magnitude / 3600, 2, out);
        if (magnitude % 3600 != 0) {
            out.append(':');
            appendPadded(magnitude / 60 % 60, 2, out);
            if (magnitude % 60 != 0) {
                out.append(':');
                appendPadded(magnitude % 60, 2, out);
            }
        }
        if (year <= 0) {
            out.appendAscii(" BC");
        }
    }

    private static boolean isInfinite(long micros, TextBuffer out) {
        if (micros == TIMESTAMP_INFINITY || micros == TIMESTAMP_MINUS_INFINITY) {
            out.appendAscii(micros == TIMESTAMP_INFINITY ? "infinity" : "-infinity");
            return true;
        }
        return false;
    }

    private static long appendDayAndTime(long micros, TextBuffer out) {
        long day = Math.floorDiv(micros, MICROS_PER_DAY);
        long time = micros - day * MICROS_PER_DAY;
        long year = appendDay(day, out);
        int seconds = (int) (time / MICROS_PER_SECOND);
        int fraction = (int) (time % MICROS_PER_SECOND);
        int at = out.reserve(16);
        byte[] bytes = out.array();
        bytes[at] = ' ';
        putDigits(seconds / 3600, bytes, at + 1, 2);
        bytes[at + 3] = ':';
        putDigits(seconds / 60 % 60, bytes, at + 4, 2);
        bytes[at + 6] = ':';
        putDigits(seconds % 60, bytes, at + 7, 2);
        int end = at + 9;
        if (fraction != 0) {
            bytes[end] = '.';
            putDigits(fraction, bytes, end + 1, 6);
            end += 7;
            while (bytes[end - 1] == '0') {
                end--;
            }
        }
        out.advanceTo(end);
        return year;
    }

    /// Writes year, month and day of the proleptic Gregorian calendar; gives the year, where 0 is 1 BC.
    private static long appendDay(long days, TextBuffer out) {
        long packed = CivilDate.fromDays(days);
        long year = CivilDate.yearOf(packed);
        long shown = year > 0 ? year : 1 - year;
        appendPadded(shown, Math.max(4, digitCount(shown)), out);
        int at = out.reserve(6);
        byte[] bytes = out.array();
        bytes[at] = '-';
        putDigits(CivilDate.monthOf(packed), bytes, at + 1, 2);
        bytes[at + 3] = '-';
        putDigits(CivilDate.dayOfMonthOf(packed), bytes, at + 4, 2);
        out.advanceTo(at + 6);
        return year;
    }

    static void appendPadded(long value, int width, TextBuffer out) {
        int at = out.reserve(width);
        putDigits(value, out.array(), at, width);
        out.advanceTo(at + width);
    }

    private static void appendDigits(long value, TextBuffer out) {
        appendPadded(value, digitCount(value), out);
    }

    /// Decimal digits of a value that is not negative; 1 for 0.
    static int digitCount(long value) {
        int count = 1;
        for (long limit = 10; count < 19 && value >= limit; limit *= 10) {
            count++;
        }
        return count;
    }

    /// Writes the last `count` digits of a value that is not negative.
    static void putDigits(long value, byte[] bytes, int start, int count) {
        long rest = value;
        int at = start + count;
        while (at > start && rest > Integer.MAX_VALUE) {
            bytes[--at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        int small = (int) rest;
        while (at > start) {
            bytes[--at] = (byte) ('0' + small % 10);
            small /= 10;
        }
    }

    private static void zeros(byte[] bytes, int start, int count) {
        for (int index = start; index < start + count; index++) {
            bytes[index] = '0';
        }
    }
}
