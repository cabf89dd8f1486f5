package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.run.BatchJoiner;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.util.List;

/// Rows that a transaction has added to a table a few at a time, and that lie in no file yet.
///
/// - Memory: its own, until it is closed.
final class PendingRows implements AutoCloseable {
    private static final int MOST_ROWS = 1 << 16;
    private static final long MOST_BYTES = 8L << 20;
    private static final int EXPECTED_ROWS = 1 << 8;

    private final String schemaName;
    private final String name;
    private final Schema columns;
    private final BatchJoiner rows;
    private final KeyCheck keys;

    /// @param keys holds them to the table's keys
    PendingRows(String schemaName, String name, Schema columns, KeyCheck keys) {
        this.schemaName = schemaName;
        this.name = name;
        this.columns = columns;
        this.rows = new BatchJoiner(columns, EXPECTED_ROWS);
        this.keys = keys;
    }

    KeyCheck keys() {
        return keys;
    }

    String schemaName() {
        return schemaName;
    }

    String name() {
        return name;
    }

    /// Whether rows of these columns can follow.
    boolean takes(Schema others) {
        return names(columns).equals(names(others)) && rows.rowCount() < MOST_ROWS && rows.byteCount() < MOST_BYTES;
    }

    private static List<String> names(Schema schema) {
        return schema.fields().stream().map(Field::name).toList();
    }

    /// Adds rows, which stay the caller's.
    void add(Batch batch) {
        rows.add(batch);
    }

    void writeTo(StagedTable staged) {
        try (TableLoad load = staged.load(columns, WriteOptions.PLAIN)) {
            load.append(rows.batch());
            load.finish();
        }
    }

    @Override
    public void close() {
        rows.close();
    }
}
