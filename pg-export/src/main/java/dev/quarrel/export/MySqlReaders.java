package dev.quarrel.export;

import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.config.ValueRules;
import dev.quarrel.export.files.BatchBuilder;
import dev.quarrel.export.files.FileRows;
import dev.quarrel.export.files.UnwrittenRows;
import dev.quarrel.export.mysql.MySqlRows;
import dev.quarrel.export.mysql.MySqlSnapshot;
import dev.quarrel.export.snapshot.ExportTable;
import dev.quarrel.export.snapshot.RowRange;
import dev.quarrel.export.source.MySqlSource;
import java.util.List;
import java.util.stream.IntStream;

/// Connections to MySQL or MariaDB that see one snapshot.
///
/// What there is for PostgreSQL alone is refused (0A000): joined queries, snapshots of others, runs that go
/// on, fields of composites, and folders by keys.
record MySqlReaders(MySqlSnapshot snapshot, Cancellation cancellation) implements ReaderGroup {
    // How often to look whether a batch is large enough, and whether to stop.
    private static final int CHECK_ROWS = 1024;

    static MySqlReaders open(ExportConfig config, MySqlSource source, Cancellation cancellation) {
        if (config.queries().stream().anyMatch(query -> !query.joins().isEmpty())) {
            throw unsupported("queries joined by --inner-join and --outer-join")
                    .withHint("write the join in the query itself");
        }
        if (config.resume()) {
            throw unsupported("runs to go on with (--resume)")
                    .withHint("its snapshots end with their connections: start the export again as a whole");
        }
        if (config.deferrable() || config.snapshot().isPresent()) {
            throw unsupported("serializable snapshots (--serializable-deferrable), or those of others (--snapshot),")
                    .withHint("leave the option out: all tables are of one snapshot of the export's own");
        }
        if (config.columns().flatten()) {
            throw unsupported("fields of composites (--flatten)").withHint("MySQL has no composites: leave it out");
        }
        if (!config.columns().partitionBy().isEmpty()) {
            throw unsupported("folders by keys (--partition-by)")
                    .withHint("export a query for each folder's rows, as a table of its own");
        }
        if (config.rows().isIncremental() || config.rows().verified()) {
            throw unsupported("changed rows alone (--incremental), and counted ones (--verify-rows),")
                    .withHint("leave the option out: all rows are exported");
        }
        if (!config.rows().where().isEmpty()) {
            throw unsupported("rows by a condition (--where)").withHint("export a query with the condition (-c)");
        }
        if (!config.settings().isEmpty()) {
            throw unsupported("settings of the session (--set)").withHint("set them for the user, or in the server");
        }
        if (!config.values().equals(ValueRules.DEFAULT)) {
            throw unsupported("casts (--cast), intervals as others (--interval) and numerics by their values")
                    .withHint("export a query that casts (-c)");
        }
        return new MySqlReaders(MySqlSnapshot.open(source.server(), config, cancellation), cancellation);
    }

    private static QueryException unsupported(String what) {
        return new QueryException(SqlState.FEATURE_NOT_SUPPORTED, what + " from MySQL or MariaDB are not exported yet");
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
        return false;
    }

    @Override
    public List<ExportTable> tables() {
        return snapshot.tables();
    }

    @Override
    public List<RowReader> readers() {
        return IntStream.range(0, snapshot.readerCount())
                .<RowReader>mapToObj(Reader::new)
                .toList();
    }

    /// One of the connections.
    private final class Reader implements RowReader {
        private final int number;

        Reader(int number) {
            this.number = number;
        }

        @Override
        public void read(TableExport table, RowRange range, UnwrittenRows unwritten, ExportProgress progress) {
            if (!(unwritten instanceof FileRows file)) {
                throw new IllegalStateException("folders of " + range);
            }
            try (MySqlRows rows = snapshot.rows(number, table.table(), range)) {
                try {
                    append(rows, table, range, file, progress);
                } catch (RuntimeException | Error failure) {
                    snapshot.abort(number); // else closing would wait for the rest of the rows
                    cancellation.check();
                    throw failure;
                }
            }
        }

        private void append(MySqlRows rows, TableExport table, RowRange range, FileRows file, ExportProgress progress) {
            BatchBuilder builder = file.builder();
            long taken = 0;
            int count = CHECK_ROWS;
            while (count == CHECK_ROWS) {
                cancellation.check();
                file.beginAt(range, taken);
                long before = builder.byteCount();
                count = rows.read(builder.writers(), CHECK_ROWS);
                taken += count;
                long bytes = builder.byteCount() - before;
                table.countCopyBytes(bytes);
                progress.advanced(table.table().qualifiedName(), count, bytes);
                file.offer();
            }
        }
    }

    @Override
    public long count(String statement) {
        throw unsupported("counted rows");
    }

    @Override
    public void close() {
        snapshot.close();
    }
}
