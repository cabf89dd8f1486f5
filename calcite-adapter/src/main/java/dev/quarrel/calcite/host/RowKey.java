package dev.quarrel.calcite.host;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/// Writes a row as bytes that are those of another row exactly if SQL takes the two for one: NULLs are alike, and so
/// are 1.0 and 1.00, the two zeros of a float, a month and 30 days, texts of char that differ in blanks at the end.
final class RowKey {
    private final boolean[] padded;
    private ByteBuffer bytes = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);

    /// @param padded by column, whether it is of char(n) or bpchar
    RowKey(boolean[] padded) {
        this.padded = padded.clone();
    }

    void read(Batch batch, int row) {
        bytes.clear();
        for (int index = 0; index < padded.length; index++) {
            Column column = batch.column(index);
            boolean isPresent = column.validity().isPresent(row);
            room(40);
            bytes.put((byte) (isPresent ? 1 : 0));
            if (!isPresent) {
                continue;
            }
            switch (column) {
                case BoolColumn bools ->
                    bytes.put((byte) (bools.bits().get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1));
                case Utf8Column text -> addText(text, row, padded[index]);
                case DictionaryColumn codes -> addText(codes.dictionary().values(), codes.code(row), padded[index]);
                case FixedColumn fixed -> addFixed(fixed, row);
            }
        }
    }

    private void addText(Utf8Column text, int row, boolean isPadded) {
        long start = text.offset(row);
        long end = text.offset(row + 1);
        while (isPadded && end > start && text.data().get(ValueLayout.JAVA_BYTE, end - 1) == ' ') {
            end--;
        }
        int length = Math.toIntExact(end - start);
        room(length + Integer.BYTES);
        bytes.putInt(length);
        MemorySegment.copy(text.data(), ValueLayout.JAVA_BYTE, start, bytes.array(), bytes.position(), length);
        bytes.position(bytes.position() + length);
    }

    private void addFixed(FixedColumn column, int row) {
        MemorySegment values = column.values();
        long at = (long) row * column.type().byteWidth();
        switch (column.type()) {
            case DataType.Int16 _ -> bytes.putShort(values.get(INT16, at));
            case DataType.Int32 _, DataType.Date _ -> bytes.putInt(values.get(INT32, at));
            case DataType.Int64 _, DataType.Time _, DataType.Timestamp _ -> bytes.putLong(values.get(INT64, at));
            // Adding 0 makes one zero of the two; floatToIntBits makes one of all NaNs.
            case DataType.Float32 _ ->
                bytes.putInt(Float.floatToIntBits(Float.intBitsToFloat(values.get(INT32, at)) + 0f));
            case DataType.Float64 _ ->
                bytes.putLong(Double.doubleToLongBits(Double.longBitsToDouble(values.get(INT64, at)) + 0d));
            case DataType.Decimal _, DataType.Uuid _ ->
                bytes.putLong(values.get(INT64, at)).putLong(values.get(INT64, at + 8));
            case DataType.Interval _ -> {
                long calendar = values.get(INT64, at);
                long micros = values.get(INT64, at + 8);
                boolean isFinite = Interval.isFinite(calendar, micros);
                bytes.put((byte) (isFinite ? 1 : 0));
                bytes.putLong(isFinite ? Interval.spanDays(calendar, micros) : calendar);
                bytes.putLong(isFinite ? Interval.spanMicros(micros) : micros);
            }
            case DataType.Numeric _ -> {
                Object value = HostCells.read(column, row);
                Object reduced = value instanceof BigDecimal number ? number.stripTrailingZeros() : value;
                byte[] text = reduced.toString().getBytes(java.nio.charset.StandardCharsets.US_ASCII);
                room(text.length + Integer.BYTES);
                bytes.putInt(text.length).put(text);
            }
            case DataType.Bool _, DataType.Utf8 _, DataType.Binary _ ->
                throw new IllegalStateException(column.type() + " has no fixed width");
        }
    }

    private void room(int more) {
        if (bytes.remaining() < more) {
            int size = Math.max(bytes.position() + more, 2 * bytes.capacity());
            ByteBuffer larger = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
            larger.put(bytes.flip());
            bytes = larger;
        }
    }

    int length() {
        return bytes.position();
    }

    /// The bytes; those behind `length` are of no meaning.
    byte[] bytes() {
        return bytes.array();
    }

    int hash() {
        int hash = 1;
        for (int index = 0; index < bytes.position(); index++) {
            hash = 31 * hash + bytes.array()[index];
        }
        return (hash ^ hash >>> 16) * 0x9E37_79B1;
    }

    @Override
    public String toString() {
        return Arrays.toString(Arrays.copyOf(bytes.array(), length()));
    }
}
