package dev.quarrel.export.files;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WrittenFile;
import dev.quarrel.core.column.Batch;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/// One of a table's folders: the file in it, and the rows left over for that.
///
/// - Memory: owns the file; the rows belong to [FolderFiles].
/// - Threads: any, but `finish` and `close` come after everything else.
final class Folder implements AutoCloseable {
    private final Map<String, String> keys;
    private final Supplier<ArrowFileWriter> opening;
    private final List<Leftover> leftovers = new ArrayList<>(); // guarded by this
    private ArrowFileWriter file; // guarded by this; null until there is something to write

    /// Rows of one worker, as [FolderBatches] takes them.
    ///
    /// @param sequence the first row's place in the table
    record Leftover(long sequence, long rowCount, MemorySegment rows) {}

    /// @param keys names and texts of the keys; null for NULL
    /// @param opening makes the file
    Folder(Map<String, String> keys, Supplier<ArrowFileWriter> opening) {
        this.keys = keys;
        this.opening = opening;
    }

    Map<String, String> keys() {
        return keys;
    }

    private synchronized ArrowFileWriter file() {
        if (file == null) {
            file = opening.get();
        }
        return file;
    }

    void append(long sequence, Batch batch) {
        file().append(sequence, batch);
    }

    synchronized void leave(Leftover rows) {
        leftovers.add(rows);
    }

    /// Writes what is left over, and finishes the file.
    ///
    /// @return null where there were no rows at all
    WrittenFile finish(FolderBatches batches) {
        // In the order of their places, so that neighbours in the table stay neighbours.
        leftovers.sort(Comparator.comparingLong(Leftover::sequence));
        batches.begin(this, leftovers.stream().mapToLong(Leftover::rowCount).sum());
        for (Leftover leftover : leftovers) {
            batches.beginAt(leftover.sequence());
            batches.add(leftover.rows(), 0, leftover.rows().byteSize());
        }
        batches.end();
        leftovers.clear();
        return file == null ? null : file.finish();
    }

    /// The file without rows.
    WrittenFile finishEmpty() {
        return file().finish();
    }

    /// An unfinished file is removed.
    @Override
    public synchronized void close() {
        if (file != null) {
            file.close();
        }
    }
}
