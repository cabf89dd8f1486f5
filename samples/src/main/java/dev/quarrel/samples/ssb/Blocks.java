package dev.quarrel.samples.ssb;

/// A table cut into blocks of rows that can be made in any order, by any thread.
interface Blocks {
    int blockCount();

    /// Rows of one block, or a number close to it where it is not known before they are made.
    int rowCount(int block);

    /// Adds the columns of one block.
    void fill(int block, BlockColumns columns);

    /// Blocks of `unitsPerBlock` units each, but for the last.
    static int blockCount(long units, int unitsPerBlock) {
        return Math.toIntExact((units + unitsPerBlock - 1) / unitsPerBlock);
    }

    /// Rows of the table.
    static long rowCount(Blocks blocks) {
        long rows = 0;
        for (int block = 0; block < blocks.blockCount(); block++) {
            rows += blocks.rowCount(block);
        }
        return rows;
    }
}
