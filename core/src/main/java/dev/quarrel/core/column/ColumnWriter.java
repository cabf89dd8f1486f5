package dev.quarrel.core.column;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.SpecialNumeric;
import dev.quarrel.core.type.UuidWords;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/// Builds one column, value by value or in bulk.
///
/// - Nulls: `appendNull` marks a row; a column without any has no bitmap.
/// - Memory: buffers come from the allocator given and double when full; `finish` hands them to the column and leaves
///   the writer empty, ready for the next column (its buffers are new then).
/// - Errors: appending a value of another width than the type's is an [IllegalStateException]; text beyond 2 GiB in one
///   column is an [ArithmeticException].
public final class ColumnWriter {
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final DataType type;
    private final int width;
    private final Allocator allocator;
    private final TextCodes codes; // null where values are kept as they are
    private MemorySegment values; // fixed-width values, bits of booleans, or bytes of text
    private MemorySegment offsets; // text only
    private MemorySegment validity;
    private long dataBytes; // text only
    private int rowCount;
    private int nullCount;

    public ColumnWriter(DataType type, Allocator allocator) {
        this(type, allocator, 1024);
    }

    /// @param expectedRows how many rows to make room for at first
    public ColumnWriter(DataType type, Allocator allocator, int expectedRows) {
        this(type, allocator, expectedRows, null);
    }

    private ColumnWriter(DataType type, Allocator allocator, int expectedRows, TextCodes codes) {
        this.type = type;
        this.width = type.byteWidth();
        this.allocator = allocator;
        this.codes = codes;
        reset(Math.max(64, expectedRows));
    }

    /// A writer of a text column as codes of four bytes: `finish` makes a [DictionaryColumn], whose dictionary is of
    /// that column alone. For columns of few values.
    public static ColumnWriter coded(DataType type, Allocator allocator, int expectedRows) {
        if (type.byteWidth() != -1) {
            throw new IllegalArgumentException(type + " needs no codes");
        }
        return new ColumnWriter(type, allocator, expectedRows, new TextCodes());
    }

    private void reset(int expectedRows) {
        // All of it is written before it is read.
        values = allocator.allocateUnset(
                switch (width) {
                    case 0 -> (expectedRows + 7L) / 8;
                    case -1 -> expectedRows * (codes == null ? 16L : 4L);
                    default -> (long) expectedRows * width;
                });
        offsets = width == -1 && codes == null ? allocator.allocateUnset((expectedRows + 1L) * 4) : null;
        if (offsets != null) {
            offsets.set(INT32, 0, 0);
        }
        validity = null;
        dataBytes = 0;
        rowCount = 0;
        nullCount = 0;
    }

    public DataType type() {
        return type;
    }

    public int rowCount() {
        return rowCount;
    }

    /// Bytes that `finish` would hand over.
    public long byteCount() {
        long valueBytes = width == 0
                ? (rowCount + 7L) / 8
                : width == -1
                        ? codes == null ? dataBytes + (rowCount + 1L) * 4 : rowCount * 4L
                        : (long) rowCount * width;
        return valueBytes + (nullCount > 0 ? (rowCount + 7L) / 8 : 0);
    }

    public void appendBool(boolean value) {
        expectWidth(0);
        reserveValues((rowCount + 8L) / 8);
        if ((rowCount & 7) == 0) {
            values.set(ValueLayout.JAVA_BYTE, rowCount >>> 3, (byte) 0); // the bits behind the last row are 0
        }
        if (value) {
            setBit(values, rowCount);
        } else {
            clearBit(values, rowCount);
        }
        endRow();
    }

    public void appendInt16(short value) {
        expectWidth(2);
        reserveValues((rowCount + 1L) * 2);
        values.set(INT16, rowCount * 2L, value);
        endRow();
    }

    /// Int32 and Date.
    public void appendInt32(int value) {
        expectWidth(4);
        reserveValues((rowCount + 1L) * 4);
        values.set(INT32, rowCount * 4L, value);
        endRow();
    }

    /// Int64, Time and Timestamp.
    public void appendInt64(long value) {
        expectWidth(8);
        reserveValues((rowCount + 1L) * 8);
        values.set(INT64, rowCount * 8L, value);
        endRow();
    }

    public void appendFloat32(float value) {
        appendInt32(Float.floatToRawIntBits(value));
    }

    public void appendFloat64(double value) {
        appendInt64(Double.doubleToRawLongBits(value));
    }

    /// The unscaled value of a Decimal: `high` its upper 64 bits with the sign, `low` the lower 64. Of an Interval
    /// `high` is the microseconds and `low` the months and days.
    public void appendDecimal(long high, long low) {
        expectWidth(16);
        reserveValues((rowCount + 1L) * 16);
        values.set(INT64, rowCount * 16L, low);
        values.set(INT64, rowCount * 16L + 8, high);
        endRow();
    }

    public void appendInterval(Interval value) {
        appendDecimal(value.micros(), value.calendar());
    }

    /// A Numeric that is no number.
    public void appendNumeric(SpecialNumeric value) {
        appendNumeric(value.high(), value.low(), SpecialNumeric.SCALE);
    }

    /// A Numeric: the unscaled value as in `appendDecimal`, and its display scale.
    public void appendNumeric(long high, long low, int scale) {
        expectWidth(24);
        reserveValues((rowCount + 1L) * 24);
        values.set(INT64, rowCount * 24L, low);
        values.set(INT64, rowCount * 24L + 8, high);
        values.set(INT64, rowCount * 24L + 16, scale & 0xFFFF_FFFFL);
        endRow();
    }

    /// The two words of a Uuid, as [UuidWords] has them.
    public void appendUuid(long high, long low) {
        expectWidth(16);
        reserveValues((rowCount + 1L) * 16);
        UuidWords.put(values, rowCount * 16L, high, low);
        endRow();
    }

    public void appendUuid(UUID value) {
        appendUuid(UuidWords.high(value), UuidWords.low(value));
    }

    public void appendBytes(Bytes value) {
        appendUtf8(MemorySegment.ofArray(value.toArray()), 0, value.length());
    }

    public void appendUtf8(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        appendUtf8(MemorySegment.ofArray(bytes), 0, bytes.length);
    }

    /// Text, or bytes of a Binary.
    ///
    /// @param source holds valid UTF-8 (any bytes for a Binary) at [offset, offset + length); copied
    public void appendUtf8(MemorySegment source, long offset, int length) {
        expectWidth(-1);
        if (codes != null) {
            byte[] text = source.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
            reserveValues((rowCount + 1L) * 4);
            values.set(INT32, rowCount * 4L, codes.code(text, 0, length));
            endRow();
            return;
        }
        reserveValues(dataBytes + length);
        MemorySegment.copy(source, offset, values, dataBytes, length);
        dataBytes += length;
        endText();
    }

    /// Int16, in bulk.
    ///
    /// @param present a bit a row, or null where all rows have a value; the value under a 0 bit is 0
    public void appendInt16s(short[] source, long[] present, int count) {
        expectWidth(2);
        reserveValues((rowCount + (long) count) * 2);
        MemorySegment.copy(source, 0, values, INT16, rowCount * 2L, count);
        endRows(present, count);
    }

    /// Whatever has four bytes, in bulk.
    ///
    /// @param present a bit a row, or null where all rows have a value; the value under a 0 bit is 0
    public void appendInt32s(int[] source, long[] present, int count) {
        expectWidth(4);
        reserveValues((rowCount + (long) count) * 4);
        MemorySegment.copy(source, 0, values, INT32, rowCount * 4L, count);
        endRows(present, count);
    }

    /// Whatever has eight bytes, in bulk.
    ///
    /// @param present a bit a row, or null where all rows have a value; the value under a 0 bit is 0
    public void appendInt64s(long[] source, long[] present, int count) {
        expectWidth(8);
        reserveValues((rowCount + (long) count) * 8);
        MemorySegment.copy(source, 0, values, INT64, rowCount * 8L, count);
        endRows(present, count);
    }

    /// Texts, or the bytes of a Binary, in bulk.
    ///
    /// @param source holds valid UTF-8 at [starts[i], starts[i] + lengths[i]); copied
    /// @param present a bit a row, or null where all rows have a value; the length under a 0 bit is 0
    public void appendTexts(byte[] source, int[] starts, int[] lengths, long[] present, int count) {
        expectWidth(-1);
        long sum = 0;
        for (int row = 0; row < count; row++) {
            Objects.checkFromIndexSize(starts[row], lengths[row], source.length);
            sum += lengths[row];
        }
        if (codes != null) {
            reserveValues((rowCount + (long) count) * 4);
            appendCodes(source, starts, lengths, present, count);
        } else {
            Math.toIntExact(dataBytes + sum);
            reserveValues(dataBytes + sum + Long.BYTES); // a short text is written as a whole word
            reserveOffsets(count);
            copyTexts(source, starts, lengths, count);
        }
        endRows(present, count);
    }

    private void appendCodes(byte[] source, int[] starts, int[] lengths, long[] present, int count) {
        for (int row = 0; row < count; row++) {
            boolean isPresent = present == null || (present[row >>> 6] >>> row & 1) != 0;
            int code = isPresent ? codes.code(source, starts[row], lengths[row]) : 0;
            values.set(INT32, (rowCount + (long) row) * 4, code);
        }
    }

    private void copyTexts(byte[] source, int[] starts, int[] lengths, int count) {
        long end = dataBytes;
        for (int row = 0; row < count; row++) {
            copyText(source, starts[row], lengths[row], end);
            end += lengths[row];
            offsets.set(INT32, (rowCount + row + 1L) * 4, (int) end);
        }
        dataBytes = end;
    }

    private void copyText(byte[] source, int start, int length, long target) {
        if (length <= 8) {
            if (start <= source.length - 8) {
                values.set(INT64, target, (long) WORD.get(source, start));
            } else {
                MemorySegment.copy(source, start, values, ValueLayout.JAVA_BYTE, target, length);
            }
        } else if (length <= 16) {
            // The second word overlaps the first: no tail to put together.
            values.set(INT64, target, (long) WORD.get(source, start));
            values.set(INT64, target + length - 8, (long) WORD.get(source, start + length - 8));
        } else {
            MemorySegment.copy(source, start, values, ValueLayout.JAVA_BYTE, target, length);
        }
    }

    /// Appends all rows of a column of values of the same width, in bulk.
    public void appendAll(FixedColumn column) {
        expectWidth(column.type().byteWidth());
        int count = column.rowCount();
        reserveValues((rowCount + (long) count) * width);
        MemorySegment.copy(column.values(), 0, values, (long) rowCount * width, (long) count * width);
        long[] present = words(column.validity(), count);
        for (int row = nextNull(present, 0, count); row < count; row = nextNull(present, row + 1, count)) {
            values.asSlice((rowCount + (long) row) * width, width).fill((byte) 0); // whatever stood there
        }
        endRows(present, count);
    }

    /// Appends all rows of a column of texts or bytes, in bulk where no NULL has bytes.
    public void appendAll(Utf8Column column) {
        expectWidth(-1);
        int count = column.rowCount();
        long[] present = words(column.validity(), count);
        if (codes != null || count == 0 || !isEmptyWhereNull(column, present)) {
            for (int row = 0; row < count; row++) {
                if (column.validity().isPresent(row)) {
                    long start = column.offset(row);
                    appendUtf8(column.data(), start, (int) (column.offset(row + 1) - start));
                } else {
                    appendNull();
                }
            }
            return;
        }
        long start = column.offset(0);
        long bytes = column.offset(count) - start;
        Math.toIntExact(dataBytes + bytes);
        reserveValues(dataBytes + bytes);
        reserveOffsets(count);
        MemorySegment.copy(column.data(), start, values, dataBytes, bytes);
        for (int row = 1; row <= count; row++) {
            offsets.set(INT32, (rowCount + (long) row) * 4, (int) (dataBytes + column.offset(row) - start));
        }
        dataBytes += bytes;
        endRows(present, count);
    }

    private static boolean isEmptyWhereNull(Utf8Column column, long[] present) {
        int count = column.rowCount();
        for (int row = nextNull(present, 0, count); row < count; row = nextNull(present, row + 1, count)) {
            if (column.offset(row) != column.offset(row + 1)) {
                return false;
            }
        }
        return true;
    }

    /// Appends all rows of a column of codes to a writer of codes: each value that it has is looked up once.
    public void appendAll(DictionaryColumn column) {
        Utf8Column texts = column.dictionary().values();
        int[] known = new int[texts.rowCount()]; // the code here and 1; 0 where it is not known yet
        int count = column.rowCount();
        reserveValues((rowCount + (long) count) * 4);
        for (int row = 0; row < count; row++) {
            int code = 0;
            if (column.validity().isPresent(row)) {
                int given = column.code(row);
                if (known[given] == 0) {
                    byte[] text = texts.bytes(given).toArray(ValueLayout.JAVA_BYTE);
                    known[given] = codes.code(text, 0, text.length) + 1;
                }
                code = known[given] - 1;
            }
            values.set(INT32, (rowCount + (long) row) * 4, code);
        }
        endRows(words(column.validity(), count), count);
    }

    /// A bit a row; null where all are present.
    private static long[] words(Validity validity, int count) {
        if (validity.isAllPresent()) {
            return null;
        }
        long[] words = new long[(count + 63) / 64];
        for (int word = 0; word < words.length; word++) {
            words[word] = validity.word(word * 64L);
        }
        return words;
    }

    /// The first row from this one on that is NULL; `count` where none is.
    ///
    /// @param present null where all are
    private static int nextNull(long[] present, int from, int count) {
        int row = from;
        while (present != null && row < count) {
            long nulls = ~present[row >>> 6] >>> row;
            if (nulls != 0) {
                return Math.min(count, row + Long.numberOfTrailingZeros(nulls));
            }
            row = (row | 63) + 1;
        }
        return count;
    }

    private void endRows(long[] present, int count) {
        int nulls = 0;
        if (present != null) {
            for (int row = 0; row < count; row += 64) {
                long mask = count - row >= 64 ? -1L : (1L << (count - row)) - 1;
                nulls += Long.bitCount(~present[row >>> 6] & mask);
            }
        }
        if (nulls > 0 && validity == null) {
            startValidity();
        }
        if (validity != null) {
            reserveValidity(count);
            setValidity(present, count);
        }
        nullCount += nulls;
        rowCount = Math.addExact(rowCount, count);
    }

    private void setValidity(long[] present, int count) {
        if (rowCount == 0 && present != null) {
            for (int row = 0; row < count; row += Byte.SIZE) {
                validity.set(ValueLayout.JAVA_BYTE, row >>> 3, (byte) (present[row >>> 6] >>> row));
            }
            return;
        }
        for (int row = 0; row < count; row++) {
            if (present == null || (present[row >>> 6] >>> row & 1) != 0) {
                setBit(validity, rowCount + row);
            } else {
                clearBit(validity, rowCount + row);
            }
        }
    }

    private void startValidity() {
        validity = allocator.allocate(Math.max(64, (rowCount + 64L) / 8 * 2));
        validity.asSlice(0, rowCount >>> 3).fill((byte) -1);
        for (int row = rowCount & ~7; row < rowCount; row++) {
            setBit(validity, row);
        }
    }

    private void endText() {
        reserveOffsets(1);
        offsets.set(INT32, (rowCount + 1L) * 4, Math.toIntExact(dataBytes));
        endRow();
    }

    /// Appends a value by its type.
    ///
    /// @param value in canonical form (see [dev.quarrel.core.ir.Literal]); null for NULL
    public void append(Object value) {
        if (value == null) {
            appendNull();
            return;
        }
        switch (type) {
            case DataType.Bool _ -> appendBool((Boolean) value);
            case DataType.Int16 _ -> appendInt16(((Long) value).shortValue());
            case DataType.Int32 _, DataType.Date _ -> appendInt32(Math.toIntExact((Long) value));
            case DataType.Int64 _, DataType.Time _, DataType.Timestamp _ -> appendInt64((Long) value);
            case DataType.Float32 _ -> appendFloat32((Float) value);
            case DataType.Float64 _ -> appendFloat64((Double) value);
            case DataType.Decimal(int _, int scale) -> {
                BigInteger unscaled = ((BigDecimal) value).setScale(scale).unscaledValue();
                appendDecimal(unscaled.shiftRight(64).longValue(), unscaled.longValue());
            }
            case DataType.Numeric _ when value instanceof SpecialNumeric special -> appendNumeric(special);
            case DataType.Numeric _ -> {
                BigDecimal number = (BigDecimal) value;
                BigInteger unscaled = number.unscaledValue();
                appendNumeric(unscaled.shiftRight(64).longValue(), unscaled.longValue(), number.scale());
            }
            case DataType.Uuid _ -> appendUuid((UUID) value);
            case DataType.Interval _ -> appendInterval((Interval) value);
            case DataType.Utf8 _ -> appendUtf8((String) value);
            case DataType.Binary _ -> appendBytes((Bytes) value);
        }
    }

    public void appendNull() {
        switch (width) {
            case 0 -> {
                reserveValues((rowCount + 8L) / 8);
                if ((rowCount & 7) == 0) {
                    values.set(ValueLayout.JAVA_BYTE, rowCount >>> 3, (byte) 0);
                }
                clearBit(values, rowCount);
            }
            case -1 -> {
                if (codes != null) {
                    reserveValues((rowCount + 1L) * 4);
                    values.set(INT32, rowCount * 4L, 0);
                    break;
                }
                reserveOffsets(1);
                offsets.set(INT32, (rowCount + 1L) * 4, Math.toIntExact(dataBytes));
            }
            default -> {
                reserveValues((rowCount + 1L) * width);
                values.asSlice((long) rowCount * width, width).fill((byte) 0);
            }
        }
        if (validity == null) {
            startValidity();
        }
        reserveValidity(1);
        clearBit(validity, rowCount);
        nullCount++;
        rowCount++;
    }

    private void endRow() {
        if (validity != null) {
            reserveValidity(1);
            setBit(validity, rowCount);
        }
        rowCount = Math.incrementExact(rowCount);
    }

    /// Forgets the last rows.
    ///
    /// @param newRowCount how many stay
    public void truncate(int newRowCount) {
        Objects.checkIndex(newRowCount, rowCount + 1);
        if (validity != null) {
            for (int row = newRowCount; row < rowCount; row++) {
                nullCount -= (validity.get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1) == 0 ? 1 : 0;
            }
        }
        dataBytes = offsets == null ? 0 : offsets.get(INT32, newRowCount * 4L);
        rowCount = newRowCount;
    }

    /// The rows appended so far as a column; the writer starts again from none.
    public Column finish() {
        Column column = finishLast();
        reset(64);
        return column;
    }

    /// As `finish`, for a writer that is not used again.
    Column finishLast() {
        Validity present = nullCount == 0 ? Validity.allPresent() : Validity.of(validity, rowCount, nullCount);
        return switch (width) {
            case 0 -> new BoolColumn(rowCount, values, present);
            case -1 ->
                codes == null
                        ? new Utf8Column(type, rowCount, offsets, false, values.asSlice(0, dataBytes), present)
                        : new DictionaryColumn(rowCount, values, 4, codes.dictionary(type, allocator), present);
            default -> new FixedColumn(type, rowCount, values, present);
        };
    }

    /// Makes room for what is foreseen, so that buffers need not double on the way there.
    ///
    /// @param rows of the whole column
    /// @param growth how many times as much of everything as there is now
    public void foresee(int rows, double growth) {
        long bytes =
                switch (width) {
                    case 0 -> (rows + 7L) / 8;
                    case -1 -> codes == null ? (long) (dataBytes * growth) + Long.BYTES : rows * 4L;
                    default -> (long) rows * width;
                };
        if (bytes > values.byteSize()) {
            values = grown(values, bytes, bytes);
        }
        if (offsets != null && (rows + 1L) * 4 > offsets.byteSize()) {
            offsets = grown(offsets, (rows + 1L) * 4, 0);
        }
    }

    /// Finishes all writers of one batch together.
    public static List<Column> finishAll(List<ColumnWriter> writers) {
        return writers.stream().map(ColumnWriter::finish).toList();
    }

    private void expectWidth(int expected) {
        if (width != expected) {
            throw new IllegalStateException("a value of width " + expected + " appended to a column of " + type);
        }
    }

    private void reserveValues(long bytes) {
        if (bytes > values.byteSize()) {
            values = grown(values, bytes, values.byteSize() * 2);
        }
    }

    private void reserveOffsets(int count) {
        long bytes = (rowCount + 1L + count) * 4;
        if (bytes > offsets.byteSize()) {
            offsets = grown(offsets, bytes, offsets.byteSize() * 2);
        }
    }

    private void reserveValidity(int count) {
        long bytes = (rowCount + count + 7L) / 8;
        if (bytes > validity.byteSize()) {
            validity = grown(validity, bytes, validity.byteSize() * 2);
        }
    }

    private MemorySegment grown(MemorySegment old, long bytes, long wanted) {
        MemorySegment larger = allocator.allocateUnset(Math.max(bytes, wanted));
        MemorySegment.copy(old, 0, larger, 0, old.byteSize());
        allocator.discard(old);
        return larger;
    }

    private static void setBit(MemorySegment bits, int index) {
        byte old = bits.get(ValueLayout.JAVA_BYTE, index >>> 3);
        bits.set(ValueLayout.JAVA_BYTE, index >>> 3, (byte) (old | 1 << (index & 7)));
    }

    private static void clearBit(MemorySegment bits, int index) {
        byte old = bits.get(ValueLayout.JAVA_BYTE, index >>> 3);
        bits.set(ValueLayout.JAVA_BYTE, index >>> 3, (byte) (old & ~(1 << (index & 7))));
    }
}
