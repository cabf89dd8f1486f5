package dev.quarrel.samples.ssb;

import static dev.quarrel.core.column.LittleEndian.INT32;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.type.DataType;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Writes batches as the bytes of PostgreSQL's `COPY … FROM STDIN (FORMAT binary)`.
///
/// - Shape: columns of integers (int32) and texts without NULLs, which is all that the benchmark has.
/// - Memory: one buffer of about 1 MiB on the heap; `out` belongs to the caller, who closes it after [#finish].
/// - Errors: what `out` throws; [IllegalArgumentException] for a column of another type, before anything of it is
///   written.
/// - Source: PostgreSQL documentation, COPY, section "Binary Format".
public final class CopyBinaryEncoder {
    private static final VarHandle INT16_BIG_ENDIAN =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT32_BIG_ENDIAN =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final byte[] SIGNATURE = "PGCOPY\n\377\r\n\0".getBytes(StandardCharsets.ISO_8859_1);
    private static final int FLUSH_BYTES = 1 << 20;

    private final OutputStream out;
    private byte[] buffer = new byte[FLUSH_BYTES + (64 << 10)];
    private int length;

    public CopyBinaryEncoder(OutputStream out) {
        this.out = out;
        putBytes(SIGNATURE, SIGNATURE.length);
        putInt32(0); // flags
        putInt32(0); // length of the header extension
    }

    /// Writes the rows of `batch`, which is only read.
    public void write(Batch batch) throws IOException {
        ValueWriter[] fields = batch.columns().stream().map(this::valueWriter).toArray(ValueWriter[]::new);
        for (int row = 0; row < batch.rowCount(); row++) {
            putInt16(fields.length);
            for (ValueWriter field : fields) {
                field.put(row);
            }
            if (length >= FLUSH_BYTES) {
                flush();
            }
        }
    }

    /// Writes the end mark and everything still buffered.
    public void finish() throws IOException {
        putInt16(-1);
        flush();
        out.flush();
    }

    /// Appends the value of one row with its length in front.
    private interface ValueWriter {
        void put(int row);
    }

    private ValueWriter valueWriter(Column column) {
        if (!column.validity().isAllPresent()) {
            throw new IllegalArgumentException("a column with NULLs");
        }
        return switch (column) {
            case FixedColumn(DataType type, int _, MemorySegment values, var _)
            when type.equals(DataType.INT32) ->
                row -> {
                    putInt32(Integer.BYTES);
                    putInt32(values.getAtIndex(INT32, row));
                };
            case DictionaryColumn words -> {
                byte[][] entries = new byte[words.dictionary().size()][];
                for (int code = 0; code < entries.length; code++) {
                    entries[code] = words.dictionary().values().bytes(code).toArray(ValueLayout.JAVA_BYTE);
                }
                yield row -> {
                    byte[] entry = entries[words.code(row)];
                    putInt32(entry.length);
                    putBytes(entry, entry.length);
                };
            }
            case Utf8Column texts ->
                row -> {
                    long start = texts.offset(row);
                    int size = Math.toIntExact(texts.offset(row + 1) - start);
                    putInt32(size);
                    reserve(size);
                    MemorySegment.copy(texts.data(), ValueLayout.JAVA_BYTE, start, buffer, length, size);
                    length += size;
                };
            default -> throw new IllegalArgumentException("a column of " + column.type());
        };
    }

    private void putInt16(int value) {
        reserve(Short.BYTES);
        INT16_BIG_ENDIAN.set(buffer, length, (short) value);
        length += Short.BYTES;
    }

    private void putInt32(int value) {
        reserve(Integer.BYTES);
        INT32_BIG_ENDIAN.set(buffer, length, value);
        length += Integer.BYTES;
    }

    private void putBytes(byte[] bytes, int count) {
        reserve(count);
        System.arraycopy(bytes, 0, buffer, length, count);
        length += count;
    }

    private void reserve(int count) {
        if (buffer.length - length < count) {
            buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, Math.addExact(length, count)));
        }
    }

    private void flush() throws IOException {
        out.write(buffer, 0, length);
        length = 0;
    }
}
