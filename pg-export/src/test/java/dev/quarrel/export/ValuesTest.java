package dev.quarrel.export;

import static dev.quarrel.export.ExportFailure.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.Storage;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.config.RowRules;
import dev.quarrel.export.config.ValueRules;
import dev.quarrel.export.source.PostgresSource;
import dev.quarrel.export.source.ServerError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/// What PostgreSQL makes of values before it sends them, what is found before, and what is said of what goes wrong.
final class ValuesTest {
    @TempDir
    Path folder;

    @BeforeAll
    static void tables() throws SQLException {
        TestPostgres.execute(
                "DROP TABLE IF EXISTS valued, valued_nan",
                """
                CREATE TABLE valued AS SELECT g AS id, g * interval '1 month 1 hour' AS iv, g / 8.0 AS n,
                    CASE WHEN g = 5 THEN 'NaN'::numeric ELSE 1e20 + g END AS odd, 'v' || g % 4 AS few,
                    'm' || g AS many, now() AS at FROM generate_series(1, 5000) g""",
                "ALTER TABLE valued ADD PRIMARY KEY (id)",
                "CREATE TABLE valued_nan AS SELECT g AS id, (CASE WHEN g = 900 THEN 'NaN' ELSE g::numeric END)::numeric(10,2) AS n"
                        + " FROM generate_series(1, 1000) g");
    }

    private ExportConfig.Builder config() {
        return ExportConfig.builder(PostgresSource.parse(TestPostgres.url()), folder.resolve("data"));
    }

    private static ValueRules rules(ValueRules.Intervals intervals, boolean byValues, String... casts) {
        return new ValueRules(List.of(casts), intervals, byValues);
    }

    private Schema schema(String table) {
        try (DatasetCatalog catalog = DatasetCatalog.open(folder.resolve("data"));
                CatalogSnapshot snapshot = catalog.snapshot()) {
            return snapshot.table("public", table).shownSchema();
        }
    }

    private void assertRows(String... expressions) throws SQLException {
        assertThat(Rows.ofTable(folder.resolve("data"), "public", "valued"))
                .isEqualTo(Rows.ofPostgres("valued", List.of(expressions)));
    }

    @Test
    void columnsAreCast() throws SQLException {
        Exporter.run(config().tables("valued")
                .values(rules(ValueRules.Intervals.KEEP, false, "valued.id=bigint", "iv=text", "n = numeric(12,3)"))
                .build());
        assertThat(schema("valued").type(0)).isEqualTo(DataType.INT64);
        assertThat(schema("valued").type(2)).isEqualTo(new DataType.Decimal(12, 3));
        assertRows("id", "iv", "n::numeric(12,3)", "odd", "few", "many", "at");
        Exporter.run(config().query("valued", "SELECT id, at FROM valued")
                .values(rules(ValueRules.Intervals.KEEP, false, "at=date"))
                .build());
        assertThat(schema("valued").type(1)).isEqualTo(DataType.DATE);
        assertRows("id", "at::date");
        assertFails(
                config().tables("valued").values(rules(ValueRules.Intervals.KEEP, false, "none=int")),
                "42703",
                "which is to be cast");
        assertFails(
                config().tables("valued").values(rules(ValueRules.Intervals.KEEP, false, "id=nonsense")),
                "42704",
                "nonsense");
        assertFails(
                config().tables("valued").values(rules(ValueRules.Intervals.KEEP, false, "id")), "22023", "a cast is");
    }

    @Test
    void intervalsBecomeWhatOtherReadersKnow() throws SQLException {
        Exporter.run(config().tables("valued")
                .values(rules(ValueRules.Intervals.MICROSECONDS, false))
                .build());
        assertThat(schema("valued").type(1)).isEqualTo(DataType.INT64);
        assertRows("id", "(extract(epoch from iv) * 1000000)::int8", "n", "odd", "few", "many", "at");
        Exporter.run(config().tables("valued")
                .values(rules(ValueRules.Intervals.TEXT, false))
                .build());
        assertThat(schema("valued").type(1)).isEqualTo(DataType.UTF8);
        assertRows("id", "iv", "n", "odd", "few", "many", "at");
    }

    @Test
    void numericsHaveTheDigitsOfTheirValues() throws SQLException {
        Exporter.run(config().tables("valued")
                .values(rules(ValueRules.Intervals.KEEP, true))
                .lz4(true)
                .settings(List.of("work_mem=8MB", "application_name=it's \\ me"))
                .build());
        DataType.Decimal n = (DataType.Decimal) schema("valued").type(2);
        assertThat(n.precision()).isEqualTo(38);
        assertThat(schema("valued").type(3)).isInstanceOf(DataType.Numeric.class); // one is NaN
        assertRows("id", "iv", "n::numeric(38," + n.scale() + ")", "odd", "few", "many", "at");
        assertFails(config().tables("valued").settings(List.of("no_such=1")), "42704", "no_such");
        assertFails(config().tables("valued").settings(List.of("nothing")), "22023", "name=value");
        assertFails(config().tables("valued").lz4(true).zstdLevel(3), "22023", "not by both");
    }

    @Test
    void textsOfAQueryHaveDictionariesByItsFirstRows() throws IOException {
        Exporter.run(config().query("q", "SELECT few, many, id FROM valued").build());
        try (var files = Files.list(folder.resolve("data/q"));
                ArrowFile file = ArrowFile.open(files.findFirst().orElseThrow())) {
            assertThat(file.storage(0)).isInstanceOf(Storage.Coded.class);
            assertThat(file.storage(1)).isNotInstanceOf(Storage.Coded.class);
        }
    }

    @Test
    void rowsAreCounted() {
        List<String> notices = new ArrayList<>();
        ExportProgress progress = new ExportProgress() {
            @Override
            public void notice(String text) {
                notices.add(text);
            }
        };
        RowRules counted = new RowRules(List.of("id > 10"), List.of(), List.of(), Optional.empty(), true, true);
        Exporter.run(
                config().tables("valued")
                        .queries(List.of(new ExportConfig.Query("q", "SELECT id FROM valued -- all")))
                        .rows(counted)
                        .build(),
                progress,
                new Cancellation());
        assertThat(notices)
                .containsExactly(
                        "public.valued: 4,990 rows, as the source counts them",
                        "public.q: 4,990 rows, as the source counts them");
    }

    @Test
    void aDryRunFindsWhatWouldFailAndWritesNothing() {
        List<String> lines = DryRun.of(
                config().tables("valued", "valued_nan")
                        .query("q", "SELECT 1 AS one")
                        .build(),
                _ -> {},
                new Cancellation());
        assertThat(String.join("\n", lines))
                .contains("  iv interval as interval", "  n numeric as struct(unscaled, scale)")
                .contains("  primary valued_pkey (id)")
                .contains("  WOULD FAIL: 1 values of n are NaN or infinite")
                .contains("public.q: an unknown number of rows")
                .contains("nothing was written");
        assertThat(folder.resolve("data")).doesNotExist();
    }

    @Test
    void aFirstRunThatFailsLeavesNothing() throws IOException {
        assertFails(config().tables("valued_nan"), "22003", "NaN");
        assertThat(folder.resolve("data")).doesNotExist();
        Files.createDirectory(folder.resolve("data"));
        assertFails(config().tables("valued_nan"), "22003", "NaN");
        assertThat(folder.resolve("data")).isEmptyDirectory();
        Exporter.run(config().tables("valued").build());
        assertFails(config().tables("valued_nan"), "22003", "NaN");
        assertThat(schema("valued").size()).isEqualTo(7);
    }

    @Test
    void whatIsWrongHasAReason() throws IOException {
        Files.createFile(folder.resolve("data"));
        assertFails(config().tables("valued"), "58030", "is a file, and a dataset is a folder");
        assertFails(
                ExportConfig.builder(PostgresSource.parse("postgresql://me@nowhere.invalid/x"), folder.resolve("other"))
                        .tables("t"),
                "08006",
                "could not translate host name \"nowhere.invalid\" to address");
        QueryException conflict = ServerError.of(
                "could not read t",
                new PSQLException(
                        new ServerErrorMessage("SERROR\0C40001\0Mcanceling statement due to conflict with recovery\0"
                                + "DUser query might have needed to see row versions that must be removed.\0")));
        assertThat(conflict.state().code()).isEqualTo("40001");
        assertThat(conflict.hint()).contains("hot_standby_feedback");
    }

    @Test
    void aTextThatIsNotUtf8IsOfAColumn() throws SQLException {
        TestPostgres.execute(
                "DROP DATABASE IF EXISTS any_bytes",
                "CREATE DATABASE any_bytes ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'");
        new TestDatabase("any_bytes")
                .execute(
                        "CREATE TABLE t (id int, good text, bad text)",
                        "INSERT INTO t VALUES (1, 'a', 'b'), (2, 'c', convert_from('\\xff'::bytea, 'SQL_ASCII'))");
        String url = new TestDatabase("any_bytes").url();
        try {
            Exporter.run(ExportConfig.builder(PostgresSource.parse(url), folder.resolve("data"))
                    .tables("t")
                    .build());
        } catch (QueryException failure) {
            assertThat(failure.state().code()).isEqualTo("22021");
            assertThat(failure.detail()).startsWith("It is in column t.bad;");
            return;
        }
        throw new AssertionError("0xff is no UTF-8");
    }
}
