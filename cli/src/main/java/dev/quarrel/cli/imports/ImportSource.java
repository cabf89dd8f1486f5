package dev.quarrel.cli.imports;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.util.List;

/// The rows of some files.
public interface ImportSource extends AutoCloseable {
    Schema schema();

    /// The next rows, which the caller closes; null at the end.
    Batch next() throws IOException;

    /// What was passed over, for people; complete once there are no rows more.
    default List<String> notes() {
        return List.of();
    }

    @Override
    void close() throws IOException;
}
