package dev.quarrel.core.cpu.group;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.type.DataType;
import java.util.Arrays;

/// What groups hold, in columns: of groups [from, from + count), or of those that `order` names. States are gathered in
/// loops without branches, so that the core overlaps their cache misses.
final class StateColumns {
    private StateColumns() {}

    /// A bit a group that has been seen; null where all have.
    static long[] present(boolean[] seen, int[] order, int from, int count) {
        long[] bits = new long[Bits.words(count)];
        int found = 0;
        for (int index = 0; index < count; index++) {
            long bit = seen[order == null ? from + index : order[from + index]] ? 1 : 0;
            bits[index >>> 6] |= bit << index;
            found += (int) bit;
        }
        return found == count ? null : bits;
    }

    /// @param present as of [#present]: the others are 0
    static long[] words(long[] states, int[] order, int from, int count, long[] present) {
        long[] words = order == null ? Arrays.copyOfRange(states, from, from + count) : new long[count];
        for (int index = 0; order != null && index < count; index++) {
            words[index] = states[order[from + index]];
        }
        for (int index = 0; present != null && index < count; index++) {
            words[index] &= -(present[index >>> 6] >>> index & 1);
        }
        return words;
    }

    static Column int64s(long[] words, long[] present, Allocator allocator) {
        return column(DataType.INT64, words, present, allocator);
    }

    /// A column of the words' lowest bytes.
    ///
    /// @param type of 2, 4 or 8 bytes; floats are bits of theirs
    /// @param present as of [#present]: the others are 0
    static Column column(DataType type, long[] words, long[] present, Allocator allocator) {
        int count = words.length;
        ColumnWriter writer = new ColumnWriter(type, allocator, count);
        switch (type.byteWidth()) {
            case Short.BYTES -> {
                short[] shorts = new short[count];
                for (int index = 0; index < count; index++) {
                    shorts[index] = (short) words[index];
                }
                writer.appendInt16s(shorts, present, count);
            }
            case Integer.BYTES -> {
                int[] ints = new int[count];
                for (int index = 0; index < count; index++) {
                    ints[index] = (int) words[index];
                }
                writer.appendInt32s(ints, present, count);
            }
            case Long.BYTES -> writer.appendInt64s(words, present, count);
            default -> throw new IllegalArgumentException("words as " + type);
        }
        return writer.finish();
    }
}
