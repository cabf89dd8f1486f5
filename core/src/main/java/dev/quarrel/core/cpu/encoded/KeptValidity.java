package dev.quarrel.core.cpu.encoded;

import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.tile.Bits;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Copies of the validity of a column's batches.
///
/// - Memory: freed when nobody refers to it any more.
final class KeptValidity {
    private final MemorySegment[] present; // null where all rows are
    private final long[] nullCounts;

    KeptValidity(int batches) {
        this.present = new MemorySegment[batches];
        this.nullCounts = new long[batches];
    }

    void keep(int batch, Column values) {
        if (values.validity().isAllPresent()) {
            return;
        }
        int words = Bits.words(values.rowCount());
        MemorySegment bits = Arena.ofAuto().allocate(words * 8L, 8);
        long count = 0;
        for (int word = 0; word < words; word++) {
            long valid = values.validity().word(word * 64L);
            bits.setAtIndex(ValueLayout.JAVA_LONG, word, valid);
            count += Long.bitCount(word == words - 1 ? valid & -1L >>> -values.rowCount() : valid);
        }
        nullCounts[batch] = values.rowCount() - count;
        present[batch] = bits;
    }

    Validity of(int batch, int rowCount) {
        return present[batch] == null
                ? Validity.allPresent()
                : Validity.of(present[batch], rowCount, nullCounts[batch]);
    }
}
