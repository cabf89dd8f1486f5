package dev.quarrel.cli.imports;

import dev.quarrel.core.arrow.NestedType;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The rows of a file, or of several.
public interface ImportSource extends AutoCloseable {
    Schema schema();

    /// The columns whose batches bring lists, structs and maps ([Batch#nested]), by name.
    default Map<String, NestedType> nested() {
        return Map.of();
    }

    /// The columns that hold NULLs of no type, which are texts else.
    default Set<String> untyped() {
        return Set.of();
    }

    /// The next rows, which the caller closes, also after this source; null at the end.
    Batch next() throws IOException;

    /// What was passed over, for people; complete once there are no rows more.
    default List<String> notes() {
        return List.of();
    }

    @Override
    void close() throws IOException;
}
