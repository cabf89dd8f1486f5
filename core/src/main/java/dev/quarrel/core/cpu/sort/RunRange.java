package dev.quarrel.core.cpu.sort;

import dev.quarrel.core.cpu.sink.PartitionedRows;
import dev.quarrel.core.spill.SpillFile;
import java.util.List;

/// A part of a sorted run.
///
/// @param chunks none for no rows
/// @param firstRow of the first chunk
/// @param endRow where the rows of the last chunk end
record RunRange(List<SpillFile.Chunk> chunks, int firstRow, int endRow) {
    /// All of a run.
    static RunRange all(List<SpillFile.Chunk> run) {
        return new RunRange(run, 0, run.isEmpty() ? 0 : run.getLast().rowCount());
    }

    /// The rows from one place on to another.
    static RunRange between(List<SpillFile.Chunk> run, Place from, Place to) {
        if (from.compareTo(to) >= 0) {
            return new RunRange(List.of(), 0, 0);
        }
        return to.row == 0
                ? new RunRange(
                        run.subList(from.chunk, to.chunk),
                        from.row,
                        run.get(to.chunk - 1).rowCount())
                : new RunRange(run.subList(from.chunk, to.chunk + 1), from.row, to.row);
    }

    long rowCount() {
        return PartitionedRows.rowCount(chunks)
                - firstRow
                - (chunks.isEmpty() ? 0 : chunks.getLast().rowCount() - endRow);
    }

    /// A row of a run; behind the last one, row 0 of a chunk that is not there.
    record Place(int chunk, int row) implements Comparable<Place> {
        static final Place START = new Place(0, 0);

        @Override
        public int compareTo(Place other) {
            return chunk != other.chunk ? Integer.compare(chunk, other.chunk) : Integer.compare(row, other.row);
        }
    }
}
