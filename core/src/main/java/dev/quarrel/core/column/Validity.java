package dev.quarrel.core.column;

import static dev.quarrel.core.column.LittleEndian.INT64;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// The validity bitmap of a column, which says which rows are present: one bit per row, least significant first,
/// 1 = present.
///
/// A view: it owns nothing. The value under a 0 bit is undefined, and so are the bits past the last row.
///
/// - Source: Arrow columnar format, section "Validity bitmaps".
public final class Validity {
    private static final Validity ALL_PRESENT = new Validity(null, 0);

    private final MemorySegment bits;
    private final long nullCount;

    private Validity(MemorySegment bits, long nullCount) {
        this.bits = bits;
        this.nullCount = nullCount;
    }

    /// Every row is present; there is no bitmap.
    public static Validity allPresent() {
        return ALL_PRESENT;
    }

    /// @param bits at least `ceil(rowCount / 8)` bytes, little endian; or null for "every row is present"
    /// @param nullCount rows whose bit is 0, or -1 where that is not known
    public static Validity of(MemorySegment bits, int rowCount, long nullCount) {
        if (bits == null || nullCount == 0) {
            return ALL_PRESENT;
        }
        if (bits.byteSize() < (rowCount + 7L) / 8) {
            throw new IllegalArgumentException(
                    "a validity bitmap of " + bits.byteSize() + " bytes for " + rowCount + " rows");
        }
        return new Validity(bits, nullCount);
    }

    public boolean isAllPresent() {
        return bits == null;
    }

    /// Rows that are null, or -1 where that is not known.
    public long nullCount() {
        return nullCount;
    }

    /// The bitmap, or null when every row is present.
    public MemorySegment bits() {
        return bits;
    }

    public boolean isPresent(int row) {
        return bits == null || (bits.get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1) != 0;
    }

    /// The bits of the 64 rows from `firstRow` on, which need not be a multiple of 64. Bits past the bitmap's end are
    /// 0.
    public long word(long firstRow) {
        if (bits == null) {
            return -1L;
        }
        long firstByte = firstRow >>> 3;
        int shift = (int) (firstRow & 7);
        long size = bits.byteSize();
        long low = loadWord(firstByte, size);
        if (shift == 0) {
            return low;
        }
        long next = firstByte + 8 < size ? bits.get(ValueLayout.JAVA_BYTE, firstByte + 8) & 0xFFL : 0;
        return low >>> shift | next << (64 - shift);
    }

    private long loadWord(long firstByte, long size) {
        if (firstByte + 8 <= size) {
            return bits.get(INT64, firstByte);
        }
        long word = 0;
        for (long index = firstByte; index < size; index++) {
            word |= (bits.get(ValueLayout.JAVA_BYTE, index) & 0xFFL) << (8 * (index - firstByte));
        }
        return word;
    }
}
