package dev.quarrel.export;

import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.snapshot.ExportSnapshot;
import dev.quarrel.export.snapshot.ExportTable;
import dev.quarrel.export.snapshot.SnapshotPlan;
import dev.quarrel.export.source.PostgresSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// A snapshot, what to read of it, and the connections that read.
///
/// Every connection holds its locks before the first row is read. Otherwise a TRUNCATE could queue between the leader's
/// lock and a later reader's, wait for the leader, and be waited for by the reader: a deadlock that PostgreSQL cannot
/// see. When one comes between nevertheless, all connections let go and the group is made again.
///
/// - Memory: owns the connections.
record PostgresReaders(
        ExportSnapshot snapshot, List<ExportTable> tables, List<RangeReader> readers, Cancellation cancellation)
        implements ReaderGroup {
    private static final int MAX_ATTEMPTS = 20;
    private static final int FIRST_PAUSE_MILLIS = 20;
    private static final int MAX_PAUSE_MILLIS = 2000;

    static PostgresReaders open(
            ExportConfig config, PostgresSource source, Consumer<String> notices, Cancellation cancellation) {
        List<RangeReader> readers = new ArrayList<>();
        try {
            // Connected beforehand, so that little time passes between the leader's lock and the last reader's.
            PostgresSource server = source.pinned();
            for (int reader = 0; reader < config.workers(); reader++) {
                cancellation.check();
                readers.add(new RangeReader(server, cancellation));
            }
            ExportSnapshot snapshot = join(config, server, readers, notices, cancellation);
            try {
                return new PostgresReaders(snapshot, SnapshotPlan.make(snapshot, config), readers, cancellation);
            } catch (RuntimeException failure) {
                snapshot.close();
                throw failure;
            }
        } catch (RuntimeException failure) {
            readers.forEach(RangeReader::close);
            throw failure;
        }
    }

    /// Takes the snapshot and lets every reader join it.
    private static ExportSnapshot join(
            ExportConfig config,
            PostgresSource server,
            List<RangeReader> readers,
            Consumer<String> notices,
            Cancellation cancellation) {
        int pause = FIRST_PAUSE_MILLIS;
        for (int attempt = 1; ; attempt++) {
            ExportSnapshot snapshot = ExportSnapshot.open(config, server, notices, cancellation);
            try {
                readers.forEach(reader -> reader.join(snapshot));
                return snapshot;
            } catch (RuntimeException failure) {
                readers.forEach(RangeReader::leave);
                snapshot.close();
                cancellation.check();
                if (attempt == MAX_ATTEMPTS
                        || !(failure instanceof QueryException error)
                        || error.state() != SqlState.LOCK_NOT_AVAILABLE) {
                    throw failure;
                }
                if (pause == MAX_PAUSE_MILLIS) {
                    notices.accept(error.getMessage() + "; all connections let go and try again");
                }
            }
            pause(pause);
            pause = Math.min(2 * pause, MAX_PAUSE_MILLIS);
        }
    }

    private static void pause(int millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new QueryException(SqlState.QUERY_CANCELED, "the export was interrupted");
        }
    }

    @Override
    public Manifest.Origin origin() {
        return snapshot.origin();
    }

    @Override
    public List<String> notices() {
        return snapshot.notices();
    }

    @Override
    public boolean checkUtf8() {
        return snapshot.checkUtf8();
    }

    @Override
    public long count(String statement) {
        return snapshot.count(statement, cancellation);
    }

    @Override
    public void close() {
        try (snapshot) {
            readers.forEach(RangeReader::close);
        }
    }
}
