package dev.quarrel.export;

import dev.quarrel.core.run.Cancellation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.export.copy.CopyBinaryReader;
import dev.quarrel.export.snapshot.ExportSnapshot;
import dev.quarrel.export.snapshot.RowRange;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyOut;

/// One worker's connection: reads ranges, one COPY after another.
///
/// - Memory: owns the connection. Being cancelled cuts it off, so a read that waits for the server ends too.
final class RangeReader implements AutoCloseable {
    // How often to look whether a batch is large enough, and whether to stop.
    private static final int CHECK_ROWS = 1024;
    private static final int CHECK_BYTES = 1 << 20;

    // Batches are ordered by range, then by row within it.
    private static final int ROW_BITS = 40;

    private final Connection connection;
    private final Cancellation cancellation;
    private final Runnable cutOff = this::abort;

    RangeReader(Connection connection, Cancellation cancellation) {
        this.connection = connection;
        this.cancellation = cancellation;
        cancellation.onCancel(cutOff);
    }

    private void abort() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException _) {
            // It is cut off already.
        }
    }

    void join(ExportSnapshot snapshot) {
        snapshot.join(connection);
    }

    /// Ends the transaction, if there is one; another snapshot can be joined then.
    void leave() {
        try (Statement statement = connection.createStatement()) {
            statement.execute("ROLLBACK");
        } catch (SQLException _) {
            // A broken connection shows when it is used next.
        }
    }

    void read(TableExport table, RowRange range, BatchBuilder builder, ExportProgress progress) {
        String name = table.table().qualifiedName();
        try {
            readRange(table, range, builder, progress, name);
        } catch (SQLException failure) {
            cancellation.check();
            throw ServerError.of("could not read " + name, failure);
        } catch (QueryException failure) {
            // What a cut connection looks like to the decoder is not the reason.
            cancellation.check();
            throw failure;
        }
    }

    private void readRange(
            TableExport table, RowRange range, BatchBuilder builder, ExportProgress progress, String name)
            throws SQLException {
        CopyBinaryReader reader = table.newReader();
        CopyOut copy = connection
                .unwrap(PGConnection.class)
                .getCopyAPI()
                .copyOut(table.table().copyStatement(range));
        long rows = 0;
        int newRows = 0;
        int newBytes = 0;
        builder.beginAt((long) range.index() << ROW_BITS);
        for (byte[] piece = copy.readFromCopy(); piece != null; piece = copy.readFromCopy()) {
            newRows += reader.accept(piece, builder.writers());
            newBytes += piece.length;
            if (newRows >= CHECK_ROWS || newBytes >= CHECK_BYTES) {
                cancellation.check();
                rows += newRows;
                table.countCopyBytes(newBytes);
                progress.advanced(name, newRows, newBytes);
                table.offer(builder);
                builder.beginAt((long) range.index() << ROW_BITS | rows);
                newRows = 0;
                newBytes = 0;
            }
        }
        reader.finish();
        table.countCopyBytes(newBytes);
        progress.advanced(name, newRows, newBytes);
        table.offer(builder);
    }

    @Override
    public void close() {
        cancellation.forget(cutOff);
        try {
            connection.close();
        } catch (SQLException failure) {
            if (!cancellation.isCancelled()) {
                throw ServerError.of("could not close a connection", failure);
            }
        }
    }
}
