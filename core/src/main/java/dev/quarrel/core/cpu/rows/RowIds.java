package dev.quarrel.core.cpu.rows;

/// A numbering of rows that lie in several stores: the store's place in the upper bits, the row in the lower
/// ones.
///
/// @param shift bits of a row number, 1 to 31
public record RowIds(int shift) {
    /// Numbers for so many stores, or null if the rows of one do not fit beside the store's place.
    public static RowIds of(int storeCount, int mostRows) {
        int shift = 32 - Math.max(1, 32 - Integer.numberOfLeadingZeros(storeCount - 1));
        return mostRows - 1 > (int) ((1L << shift) - 1) ? null : new RowIds(shift);
    }

    public int id(int store, int row) {
        return store << shift | row;
    }

    int store(int id) {
        return id >>> shift;
    }

    int row(int id) {
        return id & mask();
    }

    int mask() {
        return (int) ((1L << shift) - 1);
    }
}
