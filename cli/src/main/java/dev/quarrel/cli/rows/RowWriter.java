package dev.quarrel.cli.rows;

import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.core.column.Batch;
import java.io.IOException;
import java.util.List;

/// Writes one statement's rows in one format: `begin`, then any number of batches, then `end`.
public interface RowWriter extends AutoCloseable {
    void begin(List<ResultColumn> columns) throws IOException;

    /// - Memory: `batch` is only read, and not kept.
    void write(Batch batch) throws IOException;

    /// @param rowCount rows written since `begin`
    void end(long rowCount) throws IOException;

    /// Whether statements without rows are told by their command tag, for people.
    default boolean tellsTags() {
        return false;
    }

    /// Gives back what an unfinished result holds.
    @Override
    default void close() throws IOException {}
}
