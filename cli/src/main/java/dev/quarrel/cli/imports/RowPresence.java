package dev.quarrel.cli.imports;

import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Validity;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// Which rows of a list or struct are there, one after another.
public final class RowPresence {
    private long[] words;
    private int count;
    private int present;

    /// @param expected how many rows come, perhaps
    public RowPresence(int expected) {
        words = new long[Math.max(1, (expected + 63) / 64)];
    }

    public void add(boolean isPresent) {
        if (count >> 6 == words.length) {
            words = Arrays.copyOf(words, words.length * 2);
        }
        if (isPresent) {
            words[count >> 6] |= 1L << count;
            present++;
        }
        count++;
    }

    public int count() {
        return count;
    }

    /// A bit a row; null where all are there.
    long[] words() {
        return present == count ? null : Arrays.copyOf(words, (count + 63) / 64);
    }

    /// - Memory: the bits live in the allocator's.
    public Validity validity(Allocator memory) {
        if (present == count) {
            return Validity.allPresent();
        }
        int wordCount = (count + 63) / 64;
        MemorySegment bits = memory.allocateUnset(wordCount * 8L);
        MemorySegment.copy(words, 0, bits, INT64, 0, wordCount);
        return Validity.of(bits, count, count - present);
    }
}
