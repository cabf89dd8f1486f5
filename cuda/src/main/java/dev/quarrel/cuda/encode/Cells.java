package dev.quarrel.cuda.encode;

import dev.quarrel.cuda.vm.VmProgram;

/// The words that aggregates take in a group's cells, or in a thread's own ones. Word 0 counts rows.
final class Cells {
    private final boolean isGrouped;
    private int words = 1;
    private long wordKinds;

    Cells(boolean isGrouped) {
        this.isGrouped = isGrouped;
    }

    /// Takes words.
    ///
    /// @param kind how threads' own words come together
    /// @return the first of them
    int take(int count, int kind) {
        int word = words;
        words += count;
        if (!isGrouped && words <= VmProgram.MAX_OWN_WORDS) {
            for (int at = word; at < words; at++) {
                wordKinds |= (long) kind << 2 * at;
            }
        }
        return word;
    }

    boolean isGrouped() {
        return isGrouped;
    }

    int words() {
        return words;
    }

    long wordKinds() {
        return wordKinds;
    }
}
