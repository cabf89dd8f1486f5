package dev.quarrel.cli.imports.pcap;

import dev.quarrel.core.column.Validity;

/// The packets that have a header, or a value: columns of one header share it.
final class Presence {
    private final long[] words;
    private final int rows;
    private Validity validity; // null before it is asked for

    Presence(int rows) {
        this.rows = rows;
        this.words = new long[rows + Long.SIZE - 1 >>> 6];
    }

    void add(int row) {
        words[row >>> 6] |= 1L << row;
    }

    boolean has(int row) {
        return (words[row >>> 6] >>> row & 1) != 0;
    }

    /// How many these are.
    int count() {
        int count = 0;
        for (long word : words) {
            count += Long.bitCount(word);
        }
        return count;
    }

    /// - Memory: its bits are in the memory of the first call.
    Validity validity(OffHeap memory) {
        if (validity == null) {
            int nulls = rows - count();
            validity = nulls == 0 ? Validity.allPresent() : Validity.of(memory.of(words), rows, nulls);
        }
        return validity;
    }
}
