package dev.quarrel.cuda.column;

import static dev.quarrel.core.column.LittleEndian.INT64;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;

/// Bits of batches that follow each other, each batch where it belongs in bytes of all of them: one that
/// begins within a byte is shifted, and that byte begins with the last bits of the batch before.
final class PlacedBits {
    private int last; // bits of the byte that the batches so far have not filled

    /// The bytes from that of bit `start` on; bits behind the batch's last one are anything.
    ///
    /// @param bits at least `count` of them
    /// @param start where the batches before end
    /// @param count above 0
    MemorySegment place(MemorySegment bits, long start, long count, SegmentAllocator room) {
        int shift = (int) (start & 7);
        MemorySegment from = bits.asSlice(0, (count + 7) / 8);
        MemorySegment placed = shift == 0 ? ColumnUpload.outside(from, room) : shifted(from, shift, count, room);
        keep(placed.get(ValueLayout.JAVA_BYTE, (shift + count + 7) / 8 - 1), start + count);
        return placed;
    }

    private MemorySegment shifted(MemorySegment from, int shift, long count, SegmentAllocator room) {
        long bytes = from.byteSize();
        MemorySegment to = room.allocate((shift + count + 7) / 8, 8);
        long before = (long) last << Long.SIZE - shift; // its upper bits come next
        long at = 0;
        for (; at + Long.BYTES <= bytes; at += Long.BYTES) {
            long word = from.get(INT64, at);
            to.set(INT64, at, word << shift | before >>> Long.SIZE - shift);
            before = word;
        }
        int rest = (int) (before >>> Long.SIZE - shift);
        for (; at < bytes; at++) {
            int next = from.get(ValueLayout.JAVA_BYTE, at) & 0xFF;
            to.set(ValueLayout.JAVA_BYTE, at, (byte) (next << shift | rest));
            rest = next >>> Byte.SIZE - shift;
        }
        if (at < to.byteSize()) {
            to.set(ValueLayout.JAVA_BYTE, at, (byte) rest);
        }
        return to;
    }

    /// The same of bits that are all set: the first byte, where others begin it, or null; those behind it are whole.
    ///
    /// @param count 0 or more
    MemorySegment placeOnes(long start, long count, SegmentAllocator room) {
        int shift = (int) (start & 7);
        int first = last | 0xFF << shift;
        keep(start / 8 == (start + count) / 8 ? first : 0xFF, start + count);
        return shift == 0 || count == 0 ? null : room.allocateFrom(ValueLayout.JAVA_BYTE, (byte) first);
    }

    private void keep(int lastByte, long end) {
        last = lastByte & (1 << (int) (end & 7)) - 1;
    }
}
