package dev.quarrel.core.run;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.Schema;

/// Batches joined into one; a single one stays as it is.
///
/// - Memory: that of the batches that it is given, or their rows' own, until it is taken or closed.
public final class JoinedBatch implements AutoCloseable {
    private final Schema schema;
    private Batch only; // null for none, and where several are joined
    private BatchJoiner several;

    public JoinedBatch(Schema schema) {
        this.schema = schema;
    }

    public boolean isEmpty() {
        return only == null && several == null;
    }

    public int rowCount() {
        return several != null ? several.rowCount() : only == null ? 0 : only.rowCount();
    }

    /// What several batches take so far; 0 for one.
    public long byteCount() {
        return several == null ? 0 : several.byteCount();
    }

    /// @param batch this one's from here on, also when it fails
    /// @param expectedRows of all that are joined
    public void add(Batch batch, int expectedRows) {
        if (isEmpty()) {
            only = batch;
            return;
        }
        try (Batch owned = batch) {
            if (several == null) {
                several = new BatchJoiner(schema, expectedRows);
                several.add(only);
                only.close();
                only = null;
            }
            several.add(owned);
        }
    }

    /// The rows, which the caller closes; null for none. There are none after that.
    public Batch take() {
        Batch taken = several == null ? only : several.take();
        only = null;
        several = null;
        return taken;
    }

    @Override
    public void close() {
        if (only != null) {
            only.close();
        }
        if (several != null) {
            several.close();
        }
    }
}
