package dev.quarrel.export;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.copy.CopyBinaryReader;
import dev.quarrel.export.copy.CopyConnection;
import dev.quarrel.export.copy.CopyFrames;
import dev.quarrel.export.files.UnwrittenRows;
import dev.quarrel.export.snapshot.ExportSnapshot;
import dev.quarrel.export.snapshot.RowRange;
import dev.quarrel.export.source.PostgresSource;
import dev.quarrel.export.source.ServerError;
import java.sql.SQLException;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// One worker's connection: reads ranges, one COPY after another.
///
/// A connection that is lost is made again, and joins the snapshot as long as its leader lives. A range of pages goes
/// on behind the last row that was taken: PostgreSQL sends its rows in the order of their places, which do not change
/// under a snapshot. Another range begins anew, unless rows of it have been written.
///
/// - Memory: owns the connection. Being cancelled cuts it off, so a read that waits for the server ends too.
final class RangeReader implements RowReader, AutoCloseable {
    // How often to look whether a batch is large enough, and whether to stop.
    private static final int CHECK_ROWS = 4096;
    private static final int CHECK_BYTES = 1 << 20;

    private static final int MAX_ATTEMPTS = 5;
    private static final int FIRST_PAUSE_MILLIS = 50;
    private static final int PAUSE_FACTOR = 4;

    private final PostgresSource source;
    private final Cancellation cancellation;
    private final Runnable cutOff = this::abort;
    private final CopyFrames frames = new CopyFrames();
    private volatile CopyConnection connection;
    private ExportSnapshot joined;
    private boolean isOrdered;
    private final Map<TableExport, Long> scanned = new IdentityHashMap<>(); // rows looked at, in this transaction

    RangeReader(PostgresSource source, Cancellation cancellation) {
        this.source = source;
        this.cancellation = cancellation;
        this.connection = source.connectReader();
        cancellation.onCancel(cutOff);
    }

    private void abort() {
        connection.abort();
    }

    void join(ExportSnapshot snapshot) {
        isOrdered = false;
        snapshot.join(connection::execute);
        joined = snapshot;
    }

    /// Ends the transaction, if there is one; another snapshot can be joined then.
    void leave() {
        try {
            connection.execute("ROLLBACK");
        } catch (SQLException _) {
            // A broken connection shows when it is used next.
        }
    }

    @Override
    public void read(TableExport table, RowRange range, UnwrittenRows unwritten, ExportProgress progress) {
        Reading reading = new Reading(table, range, unwritten, progress);
        int attempt = 1;
        while (true) {
            long before = reading.rows;
            try {
                reading.run();
                return;
            } catch (SQLException failure) {
                cancellation.check();
                QueryException error = ServerError.of("could not read " + reading.name, failure);
                attempt = reading.rows > before ? 1 : attempt + 1;
                if (error.state() == SqlState.CHARACTER_NOT_IN_REPERTOIRE && joined.checkUtf8()) {
                    String column = joined.columnNotUtf8(table.table(), range);
                    throw column == null
                            ? error
                            : error.withDetail(
                                            "It is in column " + table.table().name() + "." + column
                                                    + "; the database is in SQL_ASCII, and takes any bytes.")
                                    .withHint("leave the column out with --exclude, or export its bytes with --cast "
                                            + table.table().name() + "." + column + "=bytea");
                }
                if (!isLost(failure) || attempt > MAX_ATTEMPTS || !reading.rewind()) {
                    throw error;
                }
                table.loseScanned();
                attempt = rejoin(attempt, error);
            } catch (QueryException failure) {
                // What a cut connection looks like to the decoder is not the reason.
                cancellation.check();
                throw failure;
            }
        }
    }

    /// One range on its way, over several connections where it must be.
    private final class Reading {
        private final TableExport table;
        private final RowRange range;
        private final UnwrittenRows unwritten;
        private final ExportProgress progress;
        private final String name;
        private long rows; // of the range, unwritten or written
        private boolean written;

        Reading(TableExport table, RowRange range, UnwrittenRows unwritten, ExportProgress progress) {
            this.table = table;
            this.range = range;
            this.unwritten = unwritten;
            this.progress = progress;
            this.name = table.table().qualifiedName();
            if (!hasOrder()) {
                unwritten.mark();
            }
        }

        void run() throws SQLException {
            keepOrder(hasOrder());
            CopyBinaryReader reader = table.newReader();
            reader.skip(rows);
            connection.startCopy(table.table().copyStatement(range));
            int newRows = 0;
            int newBytes = 0;
            unwritten.beginAt(range, rows);
            while (connection.read(frames)) {
                int accepted = unwritten.accept(reader, frames);
                rows += accepted;
                newRows += accepted;
                newBytes += frames.byteCount();
                if (newRows >= CHECK_ROWS || newBytes >= CHECK_BYTES) {
                    cancellation.check();
                    tell(newRows, newBytes);
                    newRows = 0;
                    newBytes = 0;
                }
            }
            reader.finish();
            tell(newRows, newBytes);
            if (table.countsScanned()) {
                long before = scanned.getOrDefault(table, 0L);
                long now = scannedRows(table.table().increment().now().relations());
                table.countScanned(now - before);
                scanned.put(table, now);
            }
        }

        private void tell(int newRows, int newBytes) {
            table.countCopyBytes(newBytes);
            progress.advanced(name, newRows, newBytes);
            written |= unwritten.offer();
            unwritten.beginAt(range, rows);
        }

        /// Whether the range's rows come in the same order each time.
        private boolean hasOrder() {
            return range.hasOrder();
        }

        /// Makes ready for another attempt.
        ///
        /// @return false where there can be none
        boolean rewind() {
            if (hasOrder()) {
                return true;
            }
            if (written) {
                return false;
            }
            unwritten.rewind();
            rows = 0;
            return true;
        }
    }

    /// The rows that this transaction's scans of some tables have seen: PostgreSQL counts them for its statistics.
    private long scannedRows(List<Long> relations) throws SQLException {
        String oids = relations.stream().map(String::valueOf).collect(Collectors.joining(",", "'{", "}'"));
        connection.startCopy("COPY (SELECT coalesce(sum(pg_catalog.pg_stat_get_xact_tuples_returned(r)), 0)"
                + " FROM unnest(" + oids + "::pg_catalog.oid[]) AS r) TO STDOUT");
        StringBuilder text = new StringBuilder();
        while (connection.read(frames)) {
            for (int index = 0; index < frames.count(); index++) {
                text.append(frames.text(index));
            }
        }
        return Long.parseLong(text.toString().strip());
    }

    /// Sees to it that rows come in the order of their places, or lets the server choose again.
    private void keepOrder(boolean ordered) throws SQLException {
        if (ordered == isOrdered) {
            return;
        }
        for (String setting : new String[] {"enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan"}) {
            connection.execute("SET " + setting + (ordered ? " = off" : " TO DEFAULT"));
        }
        connection.execute("SET max_parallel_workers_per_gather" + (ordered ? " = 0" : " TO DEFAULT"));
        isOrdered = ordered;
    }

    private static boolean isLost(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return isLost(state);
    }

    private static boolean isLost(String state) {
        return state.equals(SqlState.CONNECTION_FAILURE.code())
                || state.equals(SqlState.ADMIN_SHUTDOWN.code())
                || state.equals(SqlState.CANNOT_CONNECT_NOW.code())
                || state.startsWith("08") && !state.equals(SqlState.PROTOCOL_VIOLATION.code())
                || state.equals("57P02");
    }

    /// Connects again and joins the snapshot.
    ///
    /// @param why what to say where that does not work
    /// @return the number of attempts so far
    private int rejoin(int firstAttempt, QueryException why) {
        connection.abort();
        int attempt = firstAttempt;
        while (true) {
            pause(attempt);
            cancellation.check();
            try {
                connection = source.connectReader();
                if (cancellation.isCancelled()) {
                    connection.abort(); // it was not there to be cut off
                }
                join(joined);
                return attempt;
            } catch (QueryException failure) {
                cancellation.check();
                connection.abort();
                attempt++;
                boolean mayPass = isLost(failure.state().code()) || failure.state() == SqlState.LOCK_NOT_AVAILABLE;
                if (attempt > MAX_ATTEMPTS || !mayPass) {
                    why.addSuppressed(failure);
                    throw why.withDetail(
                            "The connection was lost, and another could not go on: " + failure.getMessage());
                }
            }
        }
    }

    private static void pause(int attempt) {
        long millis = FIRST_PAUSE_MILLIS;
        for (int power = 2; power < attempt; power++) {
            millis *= PAUSE_FACTOR;
        }
        try {
            Thread.sleep(millis);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new QueryException(SqlState.QUERY_CANCELED, "the export was interrupted");
        }
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
