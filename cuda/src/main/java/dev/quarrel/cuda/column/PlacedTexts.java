package dev.quarrel.cuda.column;

import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.cuda.backend.CommandQueue;
import dev.quarrel.cuda.backend.DeviceMemory;
import dev.quarrel.cuda.encode.NoKernel;
import dev.quarrel.cuda.vm.ParameterBlock;
import dev.quarrel.cuda.vm.Physical;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/// Texts without a dictionary on the device, batch behind batch: a piece of memory for the bytes of each, and the
/// records that [Physical#TEXT] describes.
///
/// The texts of a tile lie together: where a batch ends within one, they go along with those of the next batch again.
final class PlacedTexts implements AutoCloseable {
    private static final int TILE = ParameterBlock.PADDED_ROWS;
    private static final int MOST_OPEN = 64 << 20;
    private static final int ENDS = Physical.TEXT_RECORD - 4 * TILE;

    private final ResidentColumns resident;
    private final CommandQueue queue;
    private List<DeviceMemory> pieces = new ArrayList<>();
    private final int[] openEnds = new int[TILE]; // of the tile in which the batches so far end
    private byte[] open = {}; // its texts, or null where they are too many to go along

    PlacedTexts(ResidentColumns resident, CommandQueue queue) {
        this.resident = resident;
        this.queue = queue;
    }

    /// Copies the texts of a batch, and their records.
    ///
    /// - Memory: `column` and `room` are of no use to it once it has returned.
    /// - Errors: [NoKernel] for offsets that do not ascend, or too far; `DeviceFault`.
    ///
    /// @param start where the batches before end
    /// @param records of all batches
    void add(Utf8Column column, long start, DeviceMemory records, SegmentAllocator room) {
        int inTile = (int) (start % TILE);
        if (open == null && inTile > 0) {
            throw new NoKernel("texts of so many bytes where a batch ends have no CUDA kernel");
        }
        int rows = column.rowCount();
        long first = column.offset(0);
        long bytes = column.offset(rows) - first;
        if (first < 0 || bytes < 0 || bytes > column.data().byteSize() - first) {
            throw unordered();
        }
        DeviceMemory piece = resident.allocate(open.length + bytes + Physical.TEXT_PADDING);
        pieces.add(piece);
        if (open.length > 0) {
            queue.upload(room.allocate(open.length, 8).copyFrom(MemorySegment.ofArray(open)), piece, 0);
        }
        MemorySegment texts = column.data().asSlice(first, bytes);
        if (bytes > 0) {
            queue.upload(ColumnUpload.outside(texts, room), piece, open.length);
        }
        MemorySegment made = room.allocate(Physical.TEXT.bytes(inTile + (long) rows), 16);
        long tileBegin = -open.length; // from the batch's first text
        for (int row = -inTile; row < rows; ) {
            long record = (row + (long) inTile) / TILE * Physical.TEXT_RECORD;
            made.set(INT64, record, piece.address() + open.length + tileBegin);
            made.set(INT64, record + Long.BYTES, 0); // the first text begins at 0: kernels read it as the end before
            int end = 0;
            for (int at = 0; at < TILE; at++, row++) {
                if (row < 0) {
                    end = openEnds[at];
                } else if (row < rows) {
                    long next = column.offset(row + 1) - first - tileBegin;
                    if (next < end || next > Integer.MAX_VALUE) {
                        throw unordered();
                    }
                    end = (int) next;
                }
                made.set(INT32, record + ENDS + at * 4L, end);
            }
            if (row <= rows) {
                tileBegin += end;
            }
        }
        queue.upload(made, records, Physical.TEXT.bytes(start - inTile));
        leaveOpen(made, (int) ((start + rows) % TILE), tileBegin, texts);
    }

    /// Keeps the texts of a tile that the next batch fills further.
    ///
    /// @param count rows of it
    /// @param begin of its first text, from the batch's first
    private void leaveOpen(MemorySegment records, int count, long begin, MemorySegment texts) {
        if (count == 0) {
            open = new byte[0];
            return;
        }
        long ends = records.byteSize() - 4L * TILE;
        MemorySegment.copy(records, INT32, ends, openEnds, 0, count);
        int length = openEnds[count - 1];
        if (length > MOST_OPEN) {
            open = null;
            return;
        }
        byte[] kept = new byte[length];
        int before = begin < 0 ? open.length : 0; // all of it: no tile has ended
        System.arraycopy(open, 0, kept, 0, before);
        MemorySegment.copy(
                texts, ValueLayout.JAVA_BYTE, Math.max(0, begin), kept, before, Math.max(0, length - before));
        open = kept;
    }

    private static NoKernel unordered() {
        return new NoKernel("texts that do not follow each other, or of 2 GiB together, have no CUDA kernel");
    }

    /// The texts' memory, once the queue has been waited for.
    ///
    /// - Memory: the caller's from here on.
    List<DeviceMemory> take() {
        List<DeviceMemory> taken = pieces;
        pieces = new ArrayList<>();
        return taken;
    }

    @Override
    public void close() {
        pieces.forEach(DeviceMemory::close);
        pieces.clear();
    }
}
