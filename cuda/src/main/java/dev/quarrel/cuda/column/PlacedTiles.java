package dev.quarrel.cuda.column;

import static dev.quarrel.core.column.LittleEndian.INT16;

import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.cpu.encoded.Narrowing;
import dev.quarrel.cuda.encode.NoKernel;
import dev.quarrel.cuda.vm.ColumnForm;
import dev.quarrel.cuda.vm.ParameterBlock;
import dev.quarrel.cuda.vm.Physical;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;

/// Integers of batches that follow each other, as [Physical#I24] has them: a batch that begins within a tile goes on
/// where the one before has ended.
final class PlacedTiles {
    private static final int ROWS = ParameterBlock.PADDED_ROWS;
    private static final int BYTES = (int) Physical.I24.bytes(ROWS);

    private final ColumnForm form;
    private final byte[] last = new byte[BYTES]; // the tile that the batches so far have not filled
    private final short[] low = new short[Narrowing.MAX_ROWS];
    private final byte[] high = new byte[Narrowing.MAX_ROWS];

    PlacedTiles(ColumnForm form) {
        this.form = form;
    }

    /// The first row of the tile that a row is in.
    static long tileStart(long row) {
        return row / ROWS * ROWS;
    }

    /// Tiles from that of row `start` on; rows behind the batch's last one are anything.
    ///
    /// - Errors: [NoKernel] for a value that does not fit.
    ///
    /// @param start where the batches before end
    MemorySegment place(FixedColumn column, long start, SegmentAllocator room) {
        int rows = column.rowCount();
        int within = (int) (start % ROWS);
        long tiles = ((long) within + rows + ROWS - 1) / ROWS;
        MemorySegment to = room.allocate(tiles * BYTES, 16);
        MemorySegment.copy(last, 0, to, ValueLayout.JAVA_BYTE, 0, BYTES);
        Narrowing narrowing = ColumnUpload.narrowing(form);
        for (int done = 0; done < rows; done += Narrowing.MAX_ROWS) {
            int count = Math.min(Narrowing.MAX_ROWS, rows - done);
            int[] numbers = narrowing.numbers(column, done, count);
            if (numbers == null) {
                throw new NoKernel(ColumnUpload.UNLIKE_STATISTICS);
            }
            cut(numbers, count);
            int piece;
            for (int from = 0; from < count; from += piece) {
                long row = (long) within + done + from;
                int at = (int) (row % ROWS);
                piece = Math.min(count - from, ROWS - at);
                long tile = row / ROWS * BYTES;
                MemorySegment.copy(low, from, to, INT16, tile + at * 2L, piece);
                MemorySegment.copy(high, from, to, ValueLayout.JAVA_BYTE, tile + ROWS * 2L + at, piece);
            }
        }
        MemorySegment.copy(to, ValueLayout.JAVA_BYTE, (tiles - 1) * BYTES, last, 0, BYTES);
        return to;
    }

    /// A loop for each part, so that both become vector instructions.
    private void cut(int[] numbers, int count) {
        for (int row = 0; row < count; row++) {
            low[row] = (short) numbers[row];
        }
        for (int row = 0; row < count; row++) {
            high[row] = (byte) (numbers[row] >> Short.SIZE);
        }
    }
}
