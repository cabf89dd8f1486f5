package dev.quarrel.export;

import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.snapshot.ExportTable;
import dev.quarrel.export.source.MySqlSource;
import dev.quarrel.export.source.PostgresSource;
import java.util.List;
import java.util.function.Consumer;

/// A snapshot of a database, what to read of it, and the connections that read.
///
/// - Memory: owns the connections.
sealed interface ReaderGroup extends AutoCloseable permits PostgresReaders, MySqlReaders {
    /// @param notices hears at once what is waited for
    static ReaderGroup open(ExportConfig config, Consumer<String> notices, Cancellation cancellation) {
        return switch (config.source()) {
            case PostgresSource postgres -> PostgresReaders.open(config, postgres, notices, cancellation);
            case MySqlSource mysql -> MySqlReaders.open(config, mysql, cancellation);
        };
    }

    /// Whose state the rows are.
    Manifest.Origin origin();

    /// What the user should know of the snapshot.
    List<String> notices();

    /// Whether the server does not vouch for its texts being UTF-8.
    boolean checkUtf8();

    List<ExportTable> tables();

    List<? extends RowReader> readers();

    /// What a statement that counts rows says, under the snapshot. One thread at a time is served.
    long count(String statement);

    /// Ends all transactions; their locks go with them.
    @Override
    void close();
}
