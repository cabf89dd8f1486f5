package dev.quarrel.ingest.table;

import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/// The rows of all tables that are in no file at one moment, and what came with them.
///
/// - Memory: the rows stay as they are until it is closed.
public final class OpenView<T> implements AutoCloseable {
    private final T beside;
    private final long changes;
    private final Map<String, OpenRows> tables;
    private final Runnable release;
    private final AtomicBoolean isOpen = new AtomicBoolean(true);

    OpenView(T beside, long changes, Map<String, OpenRows> tables, Runnable release) {
        this.beside = beside;
        this.changes = changes;
        this.tables = tables;
        this.release = release;
    }

    public T beside() {
        return beside;
    }

    /// What [OpenTables#changes] was.
    public long changes() {
        return changes;
    }

    /// The tables that have such rows, by name.
    public Map<String, OpenRows> tables() {
        return tables;
    }

    @Override
    public void close() {
        if (isOpen.getAndSet(false)) {
            release.run();
        }
    }
}
