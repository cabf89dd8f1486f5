package dev.quarrel.server.rows;

import dev.quarrel.calcite.CopyOptions;
import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.core.column.Batch;
import java.io.IOException;
import java.util.List;

/// Writes rows of batches as COPY … TO STDOUT does: `begin`, any number of batches, `end`.
///
/// - Memory: batches are only read, before `write` returns.
/// - Errors: [IOException] of the sink; `QueryException` 0A000 from `of` for a format that a type does not have.
/// - Source: PostgreSQL documentation, "COPY", section "File Formats".
public abstract sealed class CopyEncoder permits CopyArrow, CopyBinary, CopyParquet, CopyText {
    /// Takes what was written.
    @FunctionalInterface
    public interface Sink {
        /// A row, or another piece that stands together; the bytes are the encoder's again when it returns.
        void send(byte[] bytes, int length) throws IOException;
    }

    /// Chooses the encoder.
    public static CopyEncoder of(List<ResultColumn> columns, CopyOptions options, TextStyle style, Sink sink) {
        return switch (options.format()) {
            case TEXT, CSV -> new CopyText(columns, options, style, sink);
            case BINARY -> new CopyBinary(columns, style, sink);
            case ARROW -> new CopyArrow(columns, options.compression(), sink);
            case PARQUET -> new CopyParquet(columns, options, sink);
        };
    }

    public abstract void begin() throws IOException;

    public abstract void write(Batch batch) throws IOException;

    public abstract void end() throws IOException;
}
