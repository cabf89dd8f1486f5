package dev.quarrel.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.source.PostgresSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tables that somebody else has locked.
final class LockWaitTest {
    private static TestDatabase database;

    @TempDir
    Path folder;

    @BeforeAll
    static void tables() throws SQLException {
        database = TestDatabase.create("locks").execute("CREATE TABLE wanted AS SELECT generate_series(1, 10) AS id");
    }

    private ExportConfig.Builder config(String options) {
        return ExportConfig.builder(PostgresSource.parse(database.url() + options), folder)
                .tables("wanted")
                .workers(2);
    }

    @Test
    void whatIsWaitedForIsSaid() throws Exception {
        BlockingQueue<String> notices = new LinkedBlockingQueue<>();
        ExportProgress progress = new ExportProgress() {
            @Override
            public void notice(String text) {
                notices.add(text);
            }
        };
        try (Connection holder = database.connect();
                Statement statement = holder.createStatement()) {
            statement.execute("BEGIN");
            statement.execute("LOCK TABLE wanted");
            CompletableFuture<ExportReport> export =
                    CompletableFuture.supplyAsync(() -> Exporter.run(config("").build(), progress, new Cancellation()));
            assertThat(notices.poll(30, TimeUnit.SECONDS))
                    .contains("waiting for a lock on wanted: before it is process ")
                    .contains(" of postgres")
                    .contains("idle in transaction: LOCK TABLE wanted");
            assertThat(export).isNotDone();
            statement.execute("COMMIT");
            assertThat(export.get(30, TimeUnit.SECONDS).rowCount()).isEqualTo(10);
        }
    }

    /// By the option, or by what the role, the database or PGOPTIONS say.
    @Test
    void theWaitHasAnEnd() throws SQLException {
        try (Connection holder = database.connect();
                Statement statement = holder.createStatement()) {
            statement.execute("BEGIN");
            statement.execute("LOCK TABLE wanted");
            assertThatThrownBy(() -> Exporter.run(
                            config("").lockTimeout(Duration.ofSeconds(2)).build()))
                    .isInstanceOfSatisfying(QueryException.class, failure -> {
                        assertThat(failure.state().code()).isEqualTo("55P03");
                        assertThat(failure.detail()).contains("wanted").contains("process");
                        assertThat(failure.hint()).contains("--lock-timeout");
                    })
                    .hasMessageContaining("could not lock the tables within 2 s");
            assertThatThrownBy(() -> Exporter.run(
                            config("?options=-c%20lock_timeout%3D300ms").build()))
                    .isInstanceOfSatisfying(
                            QueryException.class,
                            failure -> assertThat(failure.state().code()).isEqualTo("55P03"))
                    .hasMessageContaining("within 0.3 s");
        }
    }

    @Test
    void passwordsAreBlamedForWhatTheyDid() {
        String url = database.url().replace("/locks", "/no_such_database");
        assertThatThrownBy(() -> Exporter.run(ExportConfig.builder(PostgresSource.parse(url), folder)
                        .tables("wanted")
                        .build()))
                .isInstanceOfSatisfying(QueryException.class, failure -> {
                    assertThat(failure.state().code()).isEqualTo("3D000");
                    assertThat(failure.hint()).isNull();
                })
                .hasMessageContaining("no_such_database");
        for (String mode : new String[] {"require", "verify-full", "nonsense"}) {
            assertThatThrownBy(() -> Exporter.run(config("?sslmode=" + mode).build()))
                    .as(mode)
                    .isInstanceOfSatisfying(
                            QueryException.class,
                            failure -> assertThat(failure.getMessage() + failure.hint())
                                    .doesNotContain("password")
                                    .containsAnyOf("SSL", "sslmode"));
        }
    }
}
