package dev.quarrel.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.config.Selection;
import dev.quarrel.export.source.PostgresSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Which snapshot is exported, by whom, and from what kind of server.
final class SnapshotTest {
    private static TestDatabase database;

    @TempDir
    Path folder;

    @BeforeAll
    static void tables() throws SQLException {
        database = TestDatabase.create("snapshots")
                .execute(
                        "CREATE TABLE counted AS SELECT generate_series(1, 20000) AS id",
                        "CREATE UNLOGGED TABLE unlogged AS SELECT 1 AS id");
    }

    private ExportConfig.Builder config(String url) {
        return ExportConfig.builder(PostgresSource.parse(url), folder).workers(2);
    }

    @Test
    void aSerializableSnapshotMayBeWaitedFor() {
        ExportReport report = Exporter.run(
                config(database.url()).tables("counted").deferrable(true).build());
        assertThat(report.rowCount()).isEqualTo(20_000);
        assertThat(Manifest.read(folder).runs().getFirst().origin()).isEqualTo(report.origin());
    }

    @Test
    void aSnapshotThatSomebodyElseHoldsIsExported() throws SQLException {
        database.execute("DROP TABLE IF EXISTS growing", "CREATE TABLE growing AS SELECT generate_series(1, 10) AS id");
        String id;
        try (Connection holder = database.connect();
                Statement statement = holder.createStatement()) {
            id = TestPostgres.holdSnapshot(statement);
            database.execute("INSERT INTO growing SELECT generate_series(11, 20)");
            ExportReport report = Exporter.run(
                    config(database.url()).tables("growing").snapshot(id).build());
            assertThat(report.rowCount()).isEqualTo(10);
            assertThat(report.origin().snapshotId()).isEqualTo(id);
            assertThat(report.lsn()).isNull();
            statement.execute("COMMIT");
        }
        for (String gone : new String[] {id, "no such snapshot"}) {
            assertThatThrownBy(() -> Exporter.run(config(database.url())
                            .tables("growing")
                            .snapshot(gone)
                            .build()))
                    .isInstanceOfSatisfying(
                            QueryException.class,
                            failure -> assertThat(failure.hint()).contains("pg_export_snapshot()"))
                    .hasMessageContaining("could not use snapshot " + gone);
        }
        assertThat(Rows.ofTable(folder, "public", "growing")).hasSize(10);
    }

    @Test
    void anOrdinaryRoleExportsWhatItMayRead() throws SQLException {
        database.execute(
                "DROP ROLE IF EXISTS plain_reader",
                "CREATE ROLE plain_reader LOGIN",
                "GRANT SELECT ON counted TO plain_reader",
                "CREATE TABLE IF NOT EXISTS secret (id int)",
                "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC");
        try {
            ExportReport report = Exporter.run(
                    config(database.url("plain_reader")).tables("counted").build());
            assertThat(report.rowCount()).isEqualTo(20_000);
            assertThat(report.origin().systemIdentifier()).isNull();
            assertThatThrownBy(() -> Exporter.run(config(database.url("plain_reader"))
                            .tables("secret")
                            .build()))
                    .isInstanceOfSatisfying(
                            QueryException.class,
                            failure -> assertThat(failure.state().code()).isEqualTo("42501"))
                    .hasMessageContaining("permission denied for table secret");
        } finally {
            database.execute(
                    "GRANT EXECUTE ON FUNCTION pg_control_system() TO PUBLIC",
                    "DROP TABLE secret",
                    "DROP OWNED BY plain_reader",
                    "DROP ROLE plain_reader");
        }
    }

    @Test
    void aHotStandbyIsExportedFrom() throws Exception {
        database.execute(
                "CREATE TABLE parted (id int) PARTITION BY RANGE (id)",
                "CREATE TABLE parted_a PARTITION OF parted FOR VALUES FROM (0) TO (10)",
                "CREATE UNLOGGED TABLE parted_b PARTITION OF parted FOR VALUES FROM (10) TO (20)",
                "INSERT INTO parted SELECT generate_series(0, 19)");
        try (TestStandby standby = TestStandby.start(folder.resolve("standby"))) {
            String url = "postgresql://postgres@localhost:" + standby.port() + "/" + database.name();
            ExportReport report = Exporter.run(ExportConfig.builder(PostgresSource.parse(url), folder.resolve("data"))
                    .workers(3)
                    .select(new Selection(List.of("count*", "unlog*"), List.of(), false, List.of()))
                    .build());
            assertThat(report.rowCount()).isEqualTo(20_000);
            assertThat(report.tables()).hasSize(1);
            assertThat(report.lsn()).matches("[0-9A-F]+/[0-9A-F]+");
            ExportReport primary =
                    Exporter.run(ExportConfig.builder(PostgresSource.parse(database.url()), folder.resolve("primary"))
                            .tables("counted")
                            .build());
            assertThat(report.origin().systemIdentifier())
                    .isNotNull()
                    .isEqualTo(primary.origin().systemIdentifier());
            assertThatThrownBy(
                            () -> Exporter.run(ExportConfig.builder(PostgresSource.parse(url), folder.resolve("data"))
                                    .tables("counted")
                                    .deferrable(true)
                                    .build()))
                    .isInstanceOf(QueryException.class)
                    .hasMessageContaining("is a hot standby, which has no serializable snapshots");
            assertThatThrownBy(
                            () -> Exporter.run(ExportConfig.builder(PostgresSource.parse(url), folder.resolve("parted"))
                                    .tables("parted")
                                    .build()))
                    .hasMessageContaining("public.parted_b, a part of public.parted, is unlogged");
            assertThat(folder.resolve("parted")).doesNotExist();
            ExportReport part = Exporter.run(ExportConfig.builder(PostgresSource.parse(url), folder.resolve("parted"))
                    .select(new Selection(List.of("parted"), List.of(), false, List.of("parted_b")))
                    .build());
            assertThat(part.rowCount()).isEqualTo(10);
        }
    }
}
