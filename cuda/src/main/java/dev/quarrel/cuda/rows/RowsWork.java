package dev.quarrel.cuda.rows;

import dev.quarrel.core.device.Morsel;
import dev.quarrel.cuda.column.Chunk;
import java.util.ArrayList;
import java.util.List;

/// A morsel of a pipeline whose rows leave: batches of a chunk, between which may be some that statistics rule out.
///
/// @param batches those that count, ascending
/// @param isBackwards whether the last one promises more than the first
record RowsWork(Chunk chunk, List<Integer> batches, boolean isBackwards) {
    RowsWork {
        batches = List.copyOf(batches);
    }

    /// What a launch would look at: on a whole tile it begins, with rows of a batch before that do not come through.
    RowsPart part() {
        return new RowsPart(
                chunk, RowsPart.tileStart(chunk.start(batches.getFirst())), chunk.start(batches.getLast() + 1));
    }

    /// Rows of the batches that count, from a row of the chunk on, up to another.
    long rowCount(int from, int to) {
        return onCpu(0, from, to).stream().mapToLong(Morsel::rowCount).sum();
    }

    /// The CPU's work from a row of the chunk on, up to another.
    List<Morsel> onCpu(int index, int from, int to) {
        List<Morsel> parts = new ArrayList<>();
        for (int batch : batches) {
            int start = chunk.start(batch);
            int first = Math.max(from, start) - start;
            int end = Math.min(to, chunk.start(batch + 1)) - start;
            if (first < end) {
                parts.add(new Morsel(index, batch, first, end - first));
            }
        }
        return parts;
    }
}
