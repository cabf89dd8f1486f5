package dev.quarrel.core.arrow;

/// Where the buffers of one record batch lie. Every range is inside the batch's body, and that inside the file.
///
/// @param firstRow in the record batch, of which these may be only some rows
/// @param nullCounts one a top-level field, 0 to `rowCount`; -1 where it has yet to be counted
/// @param elementNulls of each top-level field the NULLs of its first child; 0 where it has none
/// @param elementCounts of each top-level field the rows of its first child; 0 where it has none
/// @param firstBuffers one a top-level field: its first index into `offsets` and `lengths`
/// @param bufferCounts one a top-level field
/// @param viewBuffers one a top-level field: the data buffers of each column of views in it
/// @param widths of the numbers in each buffer ([ByteSwap]); null for a file that is little endian
/// @param offsets from the start of the file
record BatchLayout(
        int firstRow,
        int rowCount,
        Codec codec,
        long[] nullCounts,
        long[] elementNulls,
        long[] elementCounts,
        int[] firstBuffers,
        int[] bufferCounts,
        int[][] viewBuffers,
        long[] offsets,
        long[] lengths,
        byte[] widths) {
    /// Some rows of a whole batch.
    BatchLayout rows(int from, int count) {
        long[] nulls = new long[nullCounts.length];
        long[] elements = new long[elementCounts.length];
        for (int column = 0; column < nulls.length; column++) {
            nulls[column] = nullCounts[column] == 0 ? 0 : -1;
            elements[column] = part(elementCounts[column], count);
        }
        return new BatchLayout(
                from,
                count,
                codec,
                nulls,
                elementNulls,
                elements,
                firstBuffers,
                bufferCounts,
                viewBuffers,
                offsets,
                lengths,
                widths);
    }

    /// What so many rows have of a number for all of them, as an estimate.
    long part(long all, int rows) {
        return rows == rowCount ? all : (long) Math.ceil((double) all * rows / rowCount);
    }
}
