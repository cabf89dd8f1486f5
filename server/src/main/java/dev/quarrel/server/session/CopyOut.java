package dev.quarrel.server.session;

import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.server.rows.CopyEncoder;
import dev.quarrel.server.rows.TextStyle;
import dev.quarrel.server.wire.BackendMessage;
import java.io.IOException;
import java.io.UncheckedIOException;

/// Sends the rows of a COPY … TO STDOUT.
final class CopyOut {
    private CopyOut() {}

    /// - Errors: the query's, on the way as well: the client gets an ErrorResponse among the data then.
    ///
    /// @return how many rows
    static long send(PreparedQuery query, Execution execution, TextStyle style, Output out, Cancellation cancellation) {
        CopyEncoder encoder = CopyEncoder.of(query.columns(), query.copy(), style, (bytes, length) -> {
            BackendMessage.CopyData.encode(bytes, length, out.buffer());
            if (out.isFull()) {
                out.flush();
                cancellation.check();
            }
        });
        out.write(new BackendMessage.CopyOutResponse(
                query.copy().isBinary(), query.columns().size()));
        long rowCount = 0;
        try {
            encoder.begin();
            while (true) {
                try (Batch batch = execution.cursor().next()) {
                    if (batch == null) {
                        break;
                    }
                    encoder.write(batch);
                    rowCount += batch.rowCount();
                }
            }
            encoder.end();
        } catch (IOException impossible) {
            throw new UncheckedIOException("a buffer in memory", impossible);
        }
        out.write(new BackendMessage.CopyDone());
        return rowCount;
    }
}
