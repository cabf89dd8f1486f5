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

    /// Adds rows that are not there.
    public void addAbsent(int rows) {
        count += rows;
        if (count + 63 >> 6 > words.length) {
            words = Arrays.copyOf(words, Math.max(count + 63 >> 6, words.length * 2));
        }
    }

    /// Forgets a row and all behind.
    public void truncate(int row) {
        for (int index = row; index < count; index++) {
            present -= isPresent(index) ? 1 : 0;
            words[index >> 6] &= ~(1L << index);
        }
        count = Math.min(count, row);
    }

    public int count() {
        return count;
    }

    public boolean isPresent(int row) {
        return (words[row >> 6] >>> row & 1) != 0;
    }

    /// The first row that is not there; how many there are where all are.
    public int firstAbsent() {
        int row = 0;
        while (row < count && isPresent(row)) {
            row++;
        }
        return row;
    }

    /// A bit a row; null where all are there.
    public long[] words() {
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
