package dev.quarrel.core.arrow.lists;

import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;

/// Makes of lists what FilePart has of them beside texts, a row each.
///
/// - Memory: values are views of the elements; of each list a number is made, in `memory`.
///
/// @param validity of the lists
public record ListParts(ListStarts starts, Validity validity, Allocator memory) {
    private static final int MAX_BYTES = Integer.MAX_VALUE - 8;

    /// Spreads the bits of a byte over eight bytes, where each stands at another place.
    private static final long EIGHT_TIMES = 0x0101_0101_0101_0101L;

    private static final long BIT_OF_BYTE = 0x8040_2010_0804_0201L;
    private static final long TO_HIGHEST_BIT = 0x7F7F_7F7F_7F7F_7F7FL;

    /// What becomes of the places of some lists.
    @FunctionalInterface
    private interface Block {
        /// @param starts of lists from `row` on, and the end of the last of them
        void make(int row, int[] starts, int count);
    }

    private void eachBlock(Block block) {
        int[] taken = new int[ListStarts.BLOCK + 1];
        for (int row = 0; row < starts.rowCount(); row += ListStarts.BLOCK) {
            int count = Math.min(ListStarts.BLOCK, starts.rowCount() - row);
            starts.take(row, count + 1, taken, 0);
            block.make(row, taken, count);
        }
    }

    /// Elements of all lists, and those before them.
    public int elementCount() {
        return starts.end();
    }

    public FixedColumn lengths() {
        MemorySegment lengths = memory.allocateUnset(starts.rowCount() * 4L);
        int[] made = new int[ListStarts.BLOCK];
        eachBlock((row, taken, count) -> {
            for (int index = 0; index < count; index++) {
                made[index] = taken[index + 1] - taken[index];
            }
            MemorySegment.copy(made, 0, lengths, INT32, row * 4L, count);
        });
        return new FixedColumn(DataType.INT32, starts.rowCount(), lengths, validity);
    }

    /// The bytes of each list's elements.
    public Utf8Column elements(Column elements) {
        return switch (elements) {
            case FixedColumn fixed -> packed(fixed.type().byteWidth(), fixed.values());
            case Utf8Column text -> texts(text);
            default -> throw new IllegalArgumentException("no packed elements are " + elements);
        };
    }

    /// Of each list those of the texts' ends that are its own.
    public Utf8Column ends(Utf8Column text) {
        return text.rowCount() == 0
                ? packed(1, MemorySegment.NULL)
                : packed(4, text.offsets().asSlice(4));
    }

    /// The values of each list, of `width` bytes.
    private Utf8Column packed(int width, MemorySegment values) {
        int rowCount = starts.rowCount();
        boolean isLarge = (long) width * elementCount() > MAX_BYTES;
        MemorySegment places = memory.allocateUnset((rowCount + 1L) * (isLarge ? 8 : 4));
        long[] wide = isLarge ? new long[ListStarts.BLOCK] : null;
        eachBlock((row, taken, count) -> {
            if (isLarge) {
                for (int index = 0; index < count; index++) {
                    wide[index] = (long) taken[index] * width;
                }
                MemorySegment.copy(wide, 0, places, INT64, row * 8L, count);
            } else {
                for (int index = 0; index < count; index++) {
                    taken[index] *= width;
                }
                MemorySegment.copy(taken, 0, places, INT32, row * 4L, count);
            }
        });
        if (isLarge) {
            places.set(INT64, rowCount * 8L, (long) elementCount() * width);
        } else {
            places.set(INT32, rowCount * 4L, elementCount() * width);
        }
        return new Utf8Column(DataType.BINARY, rowCount, places, isLarge, values, validity);
    }

    private Utf8Column texts(Utf8Column text) {
        if (text.rowCount() == 0) {
            return packed(1, MemorySegment.NULL);
        }
        int rowCount = starts.rowCount();
        MemorySegment places = memory.allocateUnset((rowCount + 1L) * 4);
        MemorySegment offsets = text.offsets();
        eachBlock((row, taken, count) -> {
            for (int index = 0; index < count; index++) {
                taken[index] = offsets.get(INT32, taken[index] * 4L);
            }
            MemorySegment.copy(taken, 0, places, INT32, row * 4L, count);
        });
        places.set(INT32, rowCount * 4L, (int) text.offset(elementCount()));
        return new Utf8Column(DataType.BINARY, rowCount, places, false, text.data(), validity);
    }

    /// Which of each list's elements are there.
    public Utf8Column presence(Validity elements) {
        int count = elementCount();
        if (count == 0 || elements.isAllPresent()) {
            int rowCount = starts.rowCount();
            Validity none = Validity.of(memory.allocate((rowCount + 7L) / 8), rowCount, rowCount);
            MemorySegment nowhere = memory.allocate((rowCount + 1L) * 4);
            return new Utf8Column(DataType.BINARY, rowCount, nowhere, false, MemorySegment.NULL, none);
        }
        MemorySegment each = memory.allocateUnset((count + 63L) / 64 * 64);
        for (int first = 0; first < count; first += 64) {
            long bits = elements.word(first);
            for (int eight = 0; eight < 64; eight += 8) {
                long own = (bits >>> eight & 0xFF) * EIGHT_TIMES & BIT_OF_BYTE;
                each.set(INT64, (long) first + eight, own + TO_HIGHEST_BIT >>> 7 & EIGHT_TIMES);
            }
        }
        return packed(1, each);
    }
}
