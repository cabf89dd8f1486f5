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
        ColumnWriter writer = new ColumnWriter(DataType.INT64, allocator, words.length);
        writer.appendInt64s(words, present, words.length);
        return writer.finish();
    }
}
