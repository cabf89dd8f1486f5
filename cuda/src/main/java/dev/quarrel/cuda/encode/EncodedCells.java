package dev.quarrel.cuda.encode;

import dev.quarrel.cuda.vm.VmProgram;

/// The words that aggregates take in a group's cells, or in a thread's own ones. Word 0 counts rows.
final class EncodedCells {
    /// Shared words are numbered from here on until all others are known.
    private static final int SHARED = 1 << 20;

    private static final int MOST_PARTS = 64;
    private static final int MOST_PART_WORDS = 1 << 16;

    private final boolean isGrouped;
    private int words = 1;
    private int sharedWords;
    private long wordKinds;
    private int pairs;

    EncodedCells(boolean isGrouped) {
        this.isGrouped = isGrouped;
    }

    /// Takes words.
    ///
    /// @param kind how words of threads, or of blocks, come together
    /// @return the first of them
    int take(int count, int kind) {
        int word = words;
        words += count;
        if (words <= VmProgram.MAX_OWN_WORDS) {
            for (int at = word; at < words; at++) {
                wordKinds |= (long) kind << 2 * at;
            }
        }
        return word;
    }

    /// Takes words that lie in the group's cells in any case, behind those that threads may have for themselves.
    ///
    /// @return the first of them, as [#place] takes it
    int takeShared(int count) {
        int word = SHARED + sharedWords;
        sharedWords += count;
        return word;
    }

    /// A word and the next are one number, in the cells of blocks.
    void pair(int word) {
        pairs |= 1 << word;
    }

    /// All words but the shared ones.
    int plainWords() {
        return words;
    }

    int pairs() {
        return pairs;
    }

    /// Where a word is in the end.
    int place(int word) {
        return word < SHARED ? word : word - SHARED + words;
    }

    /// Words that threads have for themselves.
    int ownWords() {
        return isGrouped ? 0 : words;
    }

    /// Parts of the one group where there are no keys, so that not all threads meet at its shared words: a
    /// power of two.
    int parts() {
        return sharedWords == 0 ? 1 : Integer.highestOneBit(Math.clamp(MOST_PART_WORDS / words(), 1, MOST_PARTS));
    }

    boolean isGrouped() {
        return isGrouped;
    }

    int words() {
        return words + sharedWords;
    }

    long wordKinds() {
        return wordKinds;
    }
}
