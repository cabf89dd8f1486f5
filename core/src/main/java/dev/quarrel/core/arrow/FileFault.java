package dev.quarrel.core.arrow;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.file.Path;

/// Makes the errors about one file, each of which names the file.
public record FileFault(Path file) {
    /// The bytes are there and make no sense.
    public QueryException corrupt(String reason) {
        return new QueryException(SqlState.DATA_CORRUPTED, "file \"" + file + "\" is corrupt: " + reason);
    }

    /// Bytes that make no sense to `cause` either.
    QueryException corrupt(String reason, RuntimeException cause) {
        return new QueryException(SqlState.DATA_CORRUPTED, "file \"" + file + "\" is corrupt: " + reason, cause);
    }

    /// The bytes could not be had.
    public QueryException unreadable(String reason, Throwable cause) {
        return new QueryException(SqlState.IO_ERROR, "could not read file \"" + file + "\": " + reason, cause);
    }

    /// Good bytes of a kind that Quarrel does not read.
    public QueryException unsupported(String what) {
        return new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "file \"" + file + "\": " + what);
    }
}
