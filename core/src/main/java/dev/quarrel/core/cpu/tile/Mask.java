package dev.quarrel.core.cpu.tile;

import java.util.Arrays;

/// The selection mask of one tile: one bit per row, and the ascending indexes of the set bits, which are
/// computed when first asked for.
///
/// - Shape: bits of rows from `rowCount` on are 0 within the first `wordCount` words; words past those are
///   undefined.
/// - Memory: made once for a tile size and reused; one thread at a time uses it.
public final class Mask {
    private static final int SPARSE_FACTOR = 4;

    private final long[] bits;
    private final int[] indexes;
    private int rowCount;
    private int count;
    private int ownIndexes; // so many entries of `indexes` are their own places, as those of all rows are
    private boolean indexed;
    private boolean hasBits = true;

    /// @param tileRows the greatest number of rows it will hold
    public Mask(int tileRows) {
        int words = Bits.words(tileRows);
        this.bits = new long[words];
        this.indexes = new int[words * 64];
    }

    /// Rows of the tile, selected or not.
    public int rowCount() {
        return rowCount;
    }

    public int wordCount() {
        return Bits.words(rowCount);
    }

    /// Selected rows.
    public int count() {
        return count;
    }

    public boolean isEmpty() {
        return count == 0;
    }

    public boolean isFull() {
        return count == rowCount;
    }

    /// Whether a loop over indexes beats one over all rows.
    public boolean isSparse() {
        return isSparse(SPARSE_FACTOR);
    }

    /// Whether less than one row in `factor` is selected.
    public boolean isSparse(int factor) {
        return (long) count * factor < rowCount;
    }

    public boolean contains(int row) {
        return (bits()[row >>> 6] >>> row & 1) != 0;
    }

    /// The words of the selection. Who writes them calls `recount` after.
    public long[] bits() {
        if (!hasBits) {
            hasBits = true;
            Arrays.fill(bits, 0, wordCount(), 0);
            for (int index = 0; index < count; index++) {
                bits[indexes[index] >>> 6] |= 1L << indexes[index];
            }
        }
        return bits;
    }

    /// The selected rows, ascending: the first `count()` entries. Read only, valid until the mask changes.
    public int[] indexes() {
        if (!indexed) {
            extract();
            indexed = true;
        }
        return indexes;
    }

    private void extract() {
        if (count == rowCount) {
            for (int row = ownIndexes; row < count; row++) {
                indexes[row] = row;
            }
            ownIndexes = Math.max(ownIndexes, count);
            return;
        }
        ownIndexes = 0;
        int next = 0;
        int words = wordCount();
        for (int word = 0; word < words; word++) {
            int base = word << 6;
            long rest = bits[word];
            if (rest == -1L) {
                for (int row = 0; row < 64; row++) {
                    indexes[next + row] = base + row;
                }
                next += 64;
                continue;
            }
            while (rest != 0) {
                indexes[next++] = base + Long.numberOfTrailingZeros(rest);
                rest &= rest - 1;
            }
        }
    }

    /// Selects all rows of a tile of `newRowCount` rows.
    public void setAll(int newRowCount) {
        reset(newRowCount);
        int words = wordCount();
        for (int word = 0; word < words; word++) {
            bits[word] = -1L;
        }
        if ((newRowCount & 63) != 0) {
            bits[words - 1] = (1L << newRowCount) - 1;
        }
        count = newRowCount;
    }

    /// Selects no row of a tile of `newRowCount` rows.
    public void setEmpty(int newRowCount) {
        reset(newRowCount);
        int words = wordCount();
        for (int word = 0; word < words; word++) {
            bits[word] = 0;
        }
        count = 0;
    }

    /// Selects exactly the rows given.
    ///
    /// @param rows ascending, below `newRowCount`; copied
    public void setIndexes(int[] rows, int newCount, int newRowCount) {
        reset(newRowCount);
        System.arraycopy(rows, 0, indexes, 0, newCount);
        ownIndexes = 0;
        count = newCount;
        indexed = true;
        hasBits = false;
    }

    /// Selects the first `newCount` entries of `indexes()`, which the caller has moved to the front, ascending.
    public void keepFirst(int newCount) {
        ownIndexes = 0;
        count = newCount;
        hasBits = false;
    }

    /// Selects what `other` selects.
    public void set(Mask other) {
        if (!other.hasBits) {
            setIndexes(other.indexes, other.count, other.rowCount);
            return;
        }
        reset(other.rowCount);
        System.arraycopy(other.bits, 0, bits, 0, wordCount());
        count = other.count;
    }

    /// Selects the rows of `outer` whose bit in `words` is 1.
    public void setAnd(Mask outer, long[] words) {
        long[] from = outer.bits();
        reset(outer.rowCount);
        int wordCount = wordCount();
        int total = 0;
        for (int word = 0; word < wordCount; word++) {
            long both = from[word] & words[word];
            bits[word] = both;
            total += Long.bitCount(both);
        }
        count = total;
    }

    /// Selects the rows of `outer` whose bit in `words` is 0.
    public void setAndNot(Mask outer, long[] words) {
        long[] from = outer.bits();
        reset(outer.rowCount);
        int wordCount = wordCount();
        int total = 0;
        for (int word = 0; word < wordCount; word++) {
            long rest = from[word] & ~words[word];
            bits[word] = rest;
            total += Long.bitCount(rest);
        }
        count = total;
    }

    /// Sets the tile's row count before the first `wordCount()` words are written, bits past the last row as 0;
    /// `recount` follows.
    public void reset(int newRowCount) {
        if (newRowCount > indexes.length) {
            throw new IllegalArgumentException(newRowCount + " rows in a mask for " + indexes.length);
        }
        rowCount = newRowCount;
        indexed = false;
        hasBits = true;
    }

    /// Counts the bits that somebody wrote into `bits()`.
    public void recount() {
        int total = 0;
        int words = wordCount();
        for (int word = 0; word < words; word++) {
            total += Long.bitCount(bits[word]);
        }
        count = total;
        indexed = false;
    }

    @Override
    public String toString() {
        return "mask of " + count + " in " + rowCount + " rows";
    }
}
