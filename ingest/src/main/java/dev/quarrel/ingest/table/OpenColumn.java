package dev.quarrel.ingest.table;

import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.function.LongConsumer;

/// One column of an [OpenBlock]: rows are set in ascending order, and what is not set is NULL.
///
/// - Memory: in the block's arena. A buffer of texts that has grown leaves the old one behind, since a reader may have
///   it.
final class OpenColumn {
    private static final ValueLayout.OfShort INT16 =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong INT64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int FIRST_TEXT_BYTES = 12; // a row

    private final ColumnKind kind;
    private final Arena arena;
    private final LongConsumer allocated;
    private final MemorySegment values; // of texts: offsets
    private final MemorySegment validity;
    private MemorySegment texts;
    private int textBytes;
    private int filled; // texts: rows whose end is set
    private int presentCount;

    /// @param allocated told how many bytes were allocated
    OpenColumn(ColumnKind kind, int capacity, Arena arena, LongConsumer allocated) {
        this.kind = kind;
        this.arena = arena;
        this.allocated = allocated;
        this.validity = allocate((capacity + 7L) / 8);
        this.values = allocate(
                switch (kind.width()) {
                    case 0 -> (capacity + 7L) / 8;
                    case -1 -> (capacity + 1L) * Integer.BYTES;
                    default -> (long) capacity * kind.width();
                });
        this.texts = kind.width() == -1 ? allocate((long) capacity * FIRST_TEXT_BYTES) : null;
    }

    private MemorySegment allocate(long bytes) {
        allocated.accept(bytes);
        return arena.allocate(bytes, 8);
    }

    private void present(int row) {
        int at = row >>> 3;
        byte old = validity.get(ValueLayout.JAVA_BYTE, at);
        byte bits = (byte) (old | 1 << (row & 7));
        if (bits != old) {
            validity.set(ValueLayout.JAVA_BYTE, at, bits);
            presentCount++;
        }
    }

    void setBool(int row, boolean value) {
        int at = row >>> 3;
        int old = values.get(ValueLayout.JAVA_BYTE, at);
        int bit = 1 << (row & 7);
        values.set(ValueLayout.JAVA_BYTE, at, (byte) (value ? old | bit : old & ~bit));
        present(row);
    }

    void setInt16(int row, short value) {
        values.set(INT16, row * 2L, value);
        present(row);
    }

    void setInt32(int row, int value) {
        values.set(INT32, row * 4L, value);
        present(row);
    }

    void setInt64(int row, long value) {
        values.set(INT64, row * 8L, value);
        present(row);
    }

    /// - Errors: [RejectedException] where the block's texts would be more than 2 GiB.
    void setText(int row, byte[] source, int start, int length) {
        fill(row);
        int begin = values.get(INT32, row * 4L); // a second text of a row takes the first one's place
        long end = begin + (long) length;
        if (end > texts.byteSize()) {
            grow(begin, end);
        }
        MemorySegment.copy(source, start, texts, ValueLayout.JAVA_BYTE, begin, length);
        textBytes = (int) end;
        values.set(INT32, (row + 1L) * 4, textBytes);
        filled = row + 1;
        present(row);
    }

    private void grow(int used, long wanted) {
        if (wanted > Integer.MAX_VALUE - 8) {
            throw new RejectedException("its texts have more than 2 GiB together with those before it");
        }
        MemorySegment larger = allocate(Math.min(Integer.MAX_VALUE - 8, Math.max(wanted, 2 * texts.byteSize())));
        MemorySegment.copy(texts, 0, larger, 0, used);
        texts = larger;
    }

    /// Says where the texts of rows before this one end.
    private void fill(int row) {
        for (; filled < row; filled++) {
            values.set(INT32, (filled + 1L) * 4, textBytes);
        }
    }

    boolean isPresent(int row) {
        return (validity.get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1) != 0;
    }

    /// Takes back what a row has.
    void clear(int row) {
        int at = row >>> 3;
        byte old = validity.get(ValueLayout.JAVA_BYTE, at);
        byte bits = (byte) (old & ~(1 << (row & 7)));
        if (bits != old) {
            validity.set(ValueLayout.JAVA_BYTE, at, bits);
            presentCount--;
        }
        if (kind.width() == -1 && filled > row) {
            textBytes = values.get(INT32, row * 4L);
            filled = row;
        }
    }

    /// The first rows as a column, which stays as it is when more rows are set.
    Column view(int rowCount) {
        Validity present = Validity.of(validity, rowCount, (long) rowCount - presentCount);
        return switch (kind.width()) {
            case 0 -> new BoolColumn(rowCount, values, present);
            case -1 -> {
                fill(rowCount);
                yield new Utf8Column(kind.type(), rowCount, values, false, texts.asSlice(0, textBytes), present);
            }
            default -> new FixedColumn(kind.type(), rowCount, values, present);
        };
    }
}
