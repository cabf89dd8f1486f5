package dev.quarrel.core.arrow;

/// Where the buffers of one record batch lie. Every range is inside the batch's body, and that inside the file.
///
/// @param nullCounts one a top-level field, 0 to `rowCount`
/// @param elementNulls of each top-level field the NULLs of its first child; 0 where it has none
/// @param elementCounts of each top-level field the rows of its first child; 0 where it has none
/// @param firstBuffers one a top-level field: its first index into `offsets` and `lengths`
/// @param bufferCounts one a top-level field
/// @param viewBuffers one a top-level field: the data buffers of each column of views in it
/// @param widths of the numbers in each buffer ([ByteSwap]); null for a file that is little endian
/// @param offsets from the start of the file
record BatchLayout(
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
        byte[] widths) {}
