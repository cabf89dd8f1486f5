package dev.quarrel.core.parquet;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Writes values in the encoding PLAIN, booleans as a byte each.
///
/// - Errors: `QueryException` 22008 for what Parquet's types do not hold: intervals with a negative part, or one below
///   the millisecond, the time 24:00, dates and timestamps that are infinite.
final class ValueEncoder {
    private final Field field;
    private final ParquetType type;
    private final TextBuffer text = new TextBuffer();
    private byte[] scratch = new byte[64];

    ValueEncoder(Field field, ParquetType type) {
        this.field = field;
        this.type = type;
    }

    /// The code of a present row's text, or -1 where the dictionary has no room.
    int code(Column column, int row, TextDictionary dictionary) {
        return switch (column) {
            case DictionaryColumn coded -> dictionary.code(coded.dictionary(), coded.code(row));
            case Utf8Column texts -> {
                long start = texts.offset(row);
                int length = Math.toIntExact(texts.offset(row + 1) - start);
                if (length > scratch.length) {
                    scratch = new byte[Math.max(length, (int) Math.min(scratch.length * 2L, Integer.MAX_VALUE - 8))];
                }
                MemorySegment.copy(texts.data(), ValueLayout.JAVA_BYTE, start, scratch, 0, length);
                yield dictionary.code(scratch, length);
            }
            case FixedColumn _, BoolColumn _ -> {
                text.clear();
                PgText.append(column, row, text);
                yield dictionary.code(text.array(), text.length());
            }
        };
    }

    /// Appends the value of a present row.
    void append(Column column, int row, ByteQueue to, Bounds bounds) {
        switch (column) {
            case BoolColumn bools -> {
                int value = bools.bits().get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1;
                to.put(value);
                bounds.see(value);
            }
            case DictionaryColumn coded -> appendText(coded.dictionary().values(), coded.code(row), to, bounds);
            case Utf8Column texts -> appendText(texts, row, to, bounds);
            case FixedColumn fixed -> appendFixed(fixed, row, to, bounds);
        }
    }

    private static void appendText(Utf8Column texts, int row, ByteQueue to, Bounds bounds) {
        long start = texts.offset(row);
        int length = Math.toIntExact(texts.offset(row + 1) - start);
        to.putInt(length);
        int first = to.size();
        to.put(texts.data(), start, length);
        bounds.see(to.array(), first, length);
    }

    private void appendFixed(FixedColumn column, int row, ByteQueue to, Bounds bounds) {
        MemorySegment values = column.values();
        int first = to.size();
        switch (column.type()) {
            case DataType.Int16 _ -> appendInt(values.get(INT16, row * 2L), to, bounds);
            case DataType.Int32 _ -> appendInt(values.get(INT32, row * 4L), to, bounds);
            case DataType.Int64 _ -> appendLong(values.get(INT64, row * 8L), to, bounds);
            case DataType.Float32 _ -> {
                int bits = values.get(INT32, row * 4L);
                to.putInt(bits);
                bounds.see((double) Float.intBitsToFloat(bits));
            }
            case DataType.Float64 _ -> {
                long bits = values.get(INT64, row * 8L);
                to.putLong(bits);
                bounds.see(Double.longBitsToDouble(bits));
            }
            case DataType.Date _ -> {
                int day = values.get(INT32, row * 4L);
                require(!CivilDate.isInfinite(day), "an infinite date");
                appendInt(day, to, bounds);
            }
            case DataType.Time _ -> {
                long micros = values.get(INT64, row * 8L);
                require(micros < CivilDate.MICROS_PER_DAY, "the time 24:00:00");
                appendLong(micros, to, bounds);
            }
            case DataType.Timestamp _ -> {
                long micros = values.get(INT64, row * 8L);
                require(!CivilDate.isInfinite(micros), "an infinite timestamp");
                appendLong(micros, to, bounds);
            }
            case DataType.Decimal _ ->
                appendDecimal(values.get(INT64, row * 16L + 8), values.get(INT64, row * 16L), to, bounds);
            case DataType.Numeric _ -> {
                text.clear();
                PgText.append(column, row, text);
                to.putInt(text.length());
                to.put(text.array(), 0, text.length());
                bounds.see(to.array(), first + Integer.BYTES, text.length());
            }
            case DataType.Uuid _ -> {
                to.put(values, row * 16L, 16);
                bounds.see(to.array(), first, 16);
            }
            case DataType.Interval _ ->
                appendInterval(values.get(INT64, row * 16L), values.get(INT64, row * 16L + 8), to);
            case DataType.Bool _, DataType.Utf8 _, DataType.Binary _ ->
                throw new IllegalStateException(column.type() + " in a column of fixed width");
        }
    }

    private static void appendInt(int value, ByteQueue to, Bounds bounds) {
        to.putInt(value);
        bounds.see((long) value);
    }

    private static void appendLong(long value, ByteQueue to, Bounds bounds) {
        to.putLong(value);
        bounds.see(value);
    }

    private void appendDecimal(long high, long low, ByteQueue to, Bounds bounds) {
        int length = type.length();
        if (type.physical() != ParquetType.FIXED_LEN_BYTE_ARRAY) {
            boolean fits = high == low >> 63 && (length == Long.BYTES || low == (int) low);
            requireFits(fits);
            to.putLow(low, length);
            bounds.see(low);
            return;
        }
        int first = to.size();
        requireFits(length == 16 || high >> 8 * (length - 8) - 1 == high >> 63);
        for (int at = length - 1; at >= 0; at--) {
            to.put((int) (at >= 8 ? high >> 8 * (at - 8) : low >>> 8 * at));
        }
        bounds.see(to.array(), first, length);
    }

    private void requireFits(boolean fits) {
        if (!fits) {
            throw new QueryException(
                    SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
                    "column \"" + field.name() + "\" has a value of more digits than " + field.type());
        }
    }

    private void appendInterval(long calendar, long micros, ByteQueue to) {
        int months = Interval.months(calendar);
        int days = Interval.days(calendar);
        long millis = micros / 1000;
        boolean fits = Interval.isFinite(calendar, micros)
                && months >= 0
                && days >= 0
                && micros >= 0
                && micros % 1000 == 0
                && millis <= 0xFFFF_FFFFL;
        require(fits, "an interval that is negative, infinite or finer than a millisecond");
        to.putInt(months);
        to.putInt(days);
        to.putInt((int) millis);
    }

    private void require(boolean holds, String what) {
        if (!holds) {
            throw new QueryException(
                            SqlState.DATETIME_FIELD_OVERFLOW,
                            "column \"" + field.name() + "\" has " + what + ", which Parquet cannot hold")
                    .withHint("Cast the column to text.");
        }
    }
}
