package dev.quarrel.core.arrow.dataset;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.FixedColumn;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// The values that one column of 2, 4 or 8 bytes has in a set of keys, as a set of bits that fits a core's cache: with
/// 16 a value one of 16 others passes at most. Of many rows it tells most of those that are in no key by reading this
/// column alone.
final class KeyColumn {
    private static final long FACTOR = 0x9E3779B97F4A7C15L; // 2^64 by the golden ratio
    private static final int VALUE_BITS = 16;
    private static final int MOST_BITS = 1 << 28;

    // So that a batch is not copied as a whole.
    private static final int TILE_ROWS = 4096;

    private final int column;
    private final long[] words;
    private final int shift;
    private long least = Long.MAX_VALUE;
    private long greatest = Long.MIN_VALUE;

    /// @param column of the key
    /// @param count of values that will come
    KeyColumn(int column, long count) {
        this.column = column;
        long bits = Long.SIZE;
        while (bits < MOST_BITS && bits < count * VALUE_BITS) {
            bits *= 2;
        }
        this.words = new long[(int) (bits / Long.SIZE)];
        this.shift = Long.SIZE - Long.numberOfTrailingZeros(bits);
    }

    int column() {
        return column;
    }

    void add(long value) {
        int bit = bit(value, shift);
        words[bit >>> 6] |= 1L << bit;
        least = Math.min(least, value);
        greatest = Math.max(greatest, value);
    }

    /// How many values there are, or fewer.
    long count() {
        return Arrays.stream(words).map(Long::bitCount).sum();
    }

    /// Of numbers and times.
    long least() {
        return least;
    }

    long greatest() {
        return greatest;
    }

    private static int bit(long value, int shift) {
        return (int) (value * FACTOR >>> shift);
    }

    /// The rows whose values may be among these.
    ///
    /// @return ascending
    int[] rows(FixedColumn values) {
        int rowCount = values.rowCount();
        int width = values.type().byteWidth();
        int[] found = new int[Math.min(rowCount, TILE_ROWS)];
        int count = 0;
        Tile tile = new Tile(width, Math.min(rowCount, TILE_ROWS));
        for (int first = 0; first < rowCount; first += TILE_ROWS) {
            int rows = Math.min(TILE_ROWS, rowCount - first);
            if (count + rows > found.length) {
                found = Arrays.copyOf(found, Math.min(rowCount, Math.max(2 * found.length, count + rows)));
            }
            tile.load(values.values(), first, rows);
            count = tile.select(words, shift, first, rows, found, count);
        }
        return Arrays.copyOf(found, count);
    }

    // An increment is over before loops over segments are compiled well; those over arrays need no more than the first
    // compiler.
    private static final class Tile {
        private final int width;
        private final short[] shorts;
        private final int[] ints;
        private final long[] longs;

        Tile(int width, int rows) {
            this.width = width;
            this.shorts = new short[width == Short.BYTES ? rows : 0];
            this.ints = new int[width == Integer.BYTES ? rows : 0];
            this.longs = new long[width == Long.BYTES ? rows : 0];
        }

        void load(MemorySegment values, int first, int rows) {
            long start = (long) first * width;
            switch (width) {
                case Short.BYTES -> MemorySegment.copy(values, INT16, start, shorts, 0, rows);
                case Integer.BYTES -> MemorySegment.copy(values, INT32, start, ints, 0, rows);
                default -> MemorySegment.copy(values, INT64, start, longs, 0, rows);
            }
        }

        /// @return how many rows are found with these
        int select(long[] words, int shift, int first, int rows, int[] found, int count) {
            return switch (width) {
                case Short.BYTES -> shorts(words, shift, first, rows, found, count);
                case Integer.BYTES -> ints(words, shift, first, rows, found, count);
                default -> longs(words, shift, first, rows, found, count);
            };
        }

        private int shorts(long[] words, int shift, int first, int rows, int[] found, int count) {
            int end = count;
            for (int row = 0; row < rows; row++) {
                int bit = bit(shorts[row], shift);
                found[end] = first + row;
                end += (int) (words[bit >>> 6] >>> bit & 1);
            }
            return end;
        }

        private int ints(long[] words, int shift, int first, int rows, int[] found, int count) {
            int end = count;
            for (int row = 0; row < rows; row++) {
                int bit = bit(ints[row], shift);
                found[end] = first + row;
                end += (int) (words[bit >>> 6] >>> bit & 1);
            }
            return end;
        }

        private int longs(long[] words, int shift, int first, int rows, int[] found, int count) {
            int end = count;
            for (int row = 0; row < rows; row++) {
                int bit = bit(longs[row], shift);
                found[end] = first + row;
                end += (int) (words[bit >>> 6] >>> bit & 1);
            }
            return end;
        }
    }
}
