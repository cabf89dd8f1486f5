package dev.quarrel.core.cpu.join;

import dev.quarrel.core.cpu.sink.PartitionedRows;
import dev.quarrel.core.spill.SpillFile;
import java.util.List;

/// Some rows of one side of a join, in a file.
record SpilledRows(SpillFile file, List<SpillFile.Chunk> chunks) {
    static SpilledRows of(PartitionedRows from, int partition) {
        return new SpilledRows(from.file(), from.partition(partition));
    }

    static SpilledRows all(PartitionedRows from) {
        return new SpilledRows(from.file(), from.all());
    }

    boolean isEmpty() {
        return chunks.isEmpty();
    }

    long count() {
        return PartitionedRows.rowCount(chunks);
    }

    /// Some of the chunks, as far as they are there.
    SpilledRows slice(int from, int end) {
        return new SpilledRows(file, chunks.subList(from, Math.min(chunks.size(), end)));
    }
}
