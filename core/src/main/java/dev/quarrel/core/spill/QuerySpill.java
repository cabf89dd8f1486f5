package dev.quarrel.core.spill;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;

/// One query's temporary files.
///
/// Threads share it. The query owns it, and closes it when no step of it runs.
public final class QuerySpill implements AutoCloseable {
    /// No bound on bytes.
    public static final long NO_LIMIT = -1;

    private final SpillFolder folder;
    private final long limitBytes;
    private final List<SpillFile> files = new ArrayList<>();
    private long writtenBytes;

    /// @param folder null where nothing may be spilled
    /// @param limitBytes of all files of the query together, or NO_LIMIT
    public QuerySpill(SpillFolder folder, long limitBytes) {
        this.folder = folder;
        this.limitBytes = limitBytes;
    }

    /// For queries that must do with their memory.
    public static QuerySpill none() {
        return new QuerySpill(null, NO_LIMIT);
    }

    public boolean isEnabled() {
        return folder != null && limitBytes != 0;
    }

    /// A new file; deleted when it or this is closed.
    public synchronized SpillFile open() {
        SpillFile file = folder.create(this);
        files.add(file);
        return file;
    }

    /// Says that a file is going to grow.
    ///
    /// - Errors: `QueryException` 53400 when the bound would be exceeded, as PostgreSQL's temp_file_limit.
    synchronized void grow(long bytes) {
        if (limitBytes >= 0 && writtenBytes + bytes > limitBytes) {
            throw new QueryException(
                    SqlState.CONFIGURATION_LIMIT_EXCEEDED,
                    "temporary file size exceeds temp_file_limit (" + limitBytes / 1024 + "kB)");
        }
        writtenBytes += bytes;
        folder.written(bytes);
    }

    /// Says that a file is gone.
    synchronized void forget(SpillFile file, long bytes) {
        files.remove(file);
        writtenBytes -= bytes;
    }

    /// Deletes all files.
    @Override
    public void close() {
        List<SpillFile> open;
        synchronized (this) {
            open = List.copyOf(files);
        }
        open.forEach(SpillFile::close);
    }
}
