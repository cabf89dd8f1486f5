package dev.quarrel.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.config.Selection;
import dev.quarrel.export.source.PostgresSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Tables chosen by schema, by pattern, and all of them.
final class SelectionTest {
    private static TestDatabase database;

    @TempDir
    Path folder;

    @BeforeAll
    static void tables() throws SQLException {
        database = TestDatabase.create("selection")
                .execute(
                        "CREATE SCHEMA sales",
                        "CREATE SCHEMA \"Odd.Schema\"",
                        "CREATE SCHEMA nothing_in_it",
                        "CREATE TABLE orders AS SELECT generate_series(1, 3) AS id",
                        "CREATE TABLE order_lines (id int)",
                        "CREATE TABLE \"Orders\" AS SELECT 1 AS id",
                        "CREATE TABLE no_columns ()",
                        "CREATE VIEW orders_view AS SELECT id FROM orders",
                        "CREATE MATERIALIZED VIEW refreshed AS SELECT id FROM orders",
                        "CREATE MATERIALIZED VIEW unrefreshed AS SELECT id FROM orders WITH NO DATA",
                        "CREATE SEQUENCE orders_seq",
                        "CREATE TABLE sales.orders AS SELECT 4 AS id",
                        "CREATE TABLE sales.tmp_1 AS SELECT 5 AS id",
                        "CREATE TABLE sales.tmp_2 AS SELECT 6 AS id",
                        "CREATE TABLE \"Odd.Schema\".\"a*b\" AS SELECT 7 AS id",
                        "CREATE TABLE \"Odd.Schema\".axb AS SELECT 8 AS id",
                        "CREATE TABLE events (id int, at date) PARTITION BY RANGE (at)",
                        "CREATE TABLE sales.events_2023 PARTITION OF events FOR VALUES FROM ('2023-01-01') TO ('2024-01-01')",
                        "CREATE TABLE events_2024 PARTITION OF events FOR VALUES FROM ('2024-01-01') TO ('2025-01-01')"
                                + " PARTITION BY RANGE (at)",
                        "CREATE TABLE events_2024_a PARTITION OF events_2024 FOR VALUES FROM ('2024-01-01') TO ('2024-07-01')",
                        "CREATE TABLE events_2024_b PARTITION OF events_2024 FOR VALUES FROM ('2024-07-01') TO ('2025-01-01')",
                        "INSERT INTO events SELECT g, date '2023-01-01' + g FROM generate_series(0, 700) g",
                        "CREATE TABLE parent AS SELECT 1 AS id",
                        "CREATE TABLE child () INHERITS (parent)",
                        "INSERT INTO child VALUES (2)");
    }

    private ExportReport export(Selection selection, ExportProgress progress) {
        return Exporter.run(
                ExportConfig.builder(PostgresSource.parse(database.url()), folder)
                        .select(selection)
                        .workers(3)
                        .build(),
                progress,
                new Cancellation());
    }

    private String exported(Selection selection) {
        export(selection, ExportProgress.NONE);
        return String.join(
                " ",
                Manifest.read(folder).tables().stream()
                        .map(table -> (table.schemaName().equals("public") ? "" : table.schemaName() + ".")
                                + table.name() + "="
                                + table.files().stream()
                                        .mapToLong(Manifest.FileEntry::rows)
                                        .sum())
                        .sorted()
                        .toList());
    }

    private static List<String> words(String text) {
        return text == null ? List.of() : List.of(text.split(" "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "order*; ; ; order_lines=0 orders=3 orders_view=3",
                "order?; ; ; orders=3",
                "\"Order\"*; ; ; Orders=1",
                "*.orders; ; ; orders=3 sales.orders=1",
                "sales.*; ; ; sales.events_2023=365 sales.orders=1 sales.tmp_1=1 sales.tmp_2=1",
                "*.tmp_[2-9]; ; ; sales.tmp_2=1",
                "\"Odd.Schema\".\"a*b\"; ; ; Odd.Schema.a*b=1",
                "\"Odd.Schema\".a*b; ; ; Odd.Schema.a*b=1 Odd.Schema.axb=1",
                "; sales; ; sales.events_2023=365 sales.orders=1 sales.tmp_1=1 sales.tmp_2=1",
                "; sales; sales.tmp_*; sales.events_2023=365 sales.orders=1",
                "; nothing*; ; ``",
                "; s* \"Odd.Schema\"; *.tmp_? *.ev*; Odd.Schema.a*b=1 Odd.Schema.axb=1 sales.orders=1",
                "orders; sales; *.tmp_*; orders=3 sales.events_2023=365 sales.orders=1",
                "*.events*; ; ; events=701",
                "events; ; ; events=701",
                "events; ; *.events_2023; events=336",
                "events; ; events_2024; events=365",
                "events; ; events_2024_a; events=519",
                "events; ; *.events_*; events=0",
                "parent; ; ; parent=2",
                "par* chi*; ; ; parent=2",
                "parent child; ; ; child=1 parent=2",
                "parent; ; child; parent=1",
                "child; ; ; child=1",
            })
    void patternsChoose(String tables, String schemas, String excluded, String expected) {
        assertThat(exported(new Selection(words(tables), words(schemas), false, words(excluded))))
                .isEqualTo(expected);
    }

    @Test
    void allAreTheTablesOfEverySchemaButTheSystems() {
        List<String> notices = new ArrayList<>();
        ExportProgress noting = new ExportProgress() {
            @Override
            public void notice(String text) {
                notices.add(text);
            }
        };
        ExportReport report = export(new Selection(List.of(), List.of(), true, List.of("sales.tmp_1")), noting);
        assertThat(report.tables().stream().map(table -> table.qualifiedName() + "=" + table.rowCount()))
                .containsExactlyInAnyOrder(
                        "Odd.Schema.a*b=1",
                        "Odd.Schema.axb=1",
                        "public.Orders=1",
                        "public.events=701",
                        "public.order_lines=0",
                        "public.orders=3",
                        "public.parent=2",
                        "public.refreshed=3",
                        "sales.orders=1",
                        "sales.tmp_2=1");
        assertThat(notices)
                .containsExactly(
                        "public.no_columns is left out: it has no columns",
                        "public.unrefreshed is left out: it is a materialized view without rows: REFRESH it first");
        assertThat(Rows.ofTable(folder, "public", "parent")).containsExactly("1", "2");
    }

    @Test
    void aDatabaseWithoutTablesIsOrdinary() throws SQLException {
        TestDatabase empty = TestDatabase.create("without_tables");
        ExportReport report = Exporter.run(ExportConfig.builder(PostgresSource.parse(empty.url()), folder)
                .select(new Selection(List.of(), List.of(), true, List.of()))
                .build());
        assertThat(report.tables()).isEmpty();
        assertThat(Manifest.read(folder).runs()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "none*; ; ; 42P01; no table matches none*",
                "tmp*; ; ; 42P01; no table matches tmp*",
                "*.no_such; ; ; 42P01; no table matches",
                "; none; ; 3F000; no schema matches none",
                "; pg_catalog; ; 3F000; no schema matches pg_catalog",
                "; pg*; ; 3F000; no schema matches pg*",
                "pg_catalog.*; ; ; 42P01; no table matches pg_catalog.*",
                "pg_class; ; ; 0A000; pg_catalog.pg_class is one of the system's tables",
                "orders; ; none*; 42P01; no table to exclude matches none*",
                "orders public.orders; ; ; 22023; named twice",
                "a.b.c*; ; ; 22023; too many dots",
                "; sa.les; ; 22023; a schema's name has no dot",
            })
    void whatMatchesNothingIsAnError(String tables, String schemas, String excluded, String state, String message) {
        assertThatThrownBy(() -> exported(new Selection(words(tables), words(schemas), false, words(excluded))))
                .isInstanceOfSatisfying(
                        QueryException.class,
                        failure -> assertThat(failure.state().code()).isEqualTo(state))
                .hasMessageContaining(message);
    }

    /// Tables come and go, and partitions are attached and emptied, while all of them are exported.
    @Test
    void definitionsMayChangeMeanwhile() throws Exception {
        TestDatabase changing = TestDatabase.create("changing")
                .execute(
                        "CREATE TABLE stays AS SELECT generate_series(1, 1000) AS id",
                        "CREATE TABLE whole (id int) PARTITION BY LIST (id)",
                        "CREATE TABLE whole_1 PARTITION OF whole FOR VALUES IN (1)",
                        "INSERT INTO whole VALUES (1)");
        AtomicBoolean stop = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread changer = Thread.ofPlatform().start(() -> {
            try (Connection connection = changing.connect();
                    Statement statement = connection.createStatement()) {
                while (!stop.get()) {
                    statement.execute("CREATE TABLE passing AS SELECT 1 AS id");
                    statement.execute("CREATE TABLE whole_2 (id int)");
                    statement.execute("INSERT INTO whole_2 VALUES (2)");
                    statement.execute("ALTER TABLE whole ATTACH PARTITION whole_2 FOR VALUES IN (2)");
                    statement.execute("DROP TABLE passing");
                    statement.execute("ALTER TABLE whole DETACH PARTITION whole_2");
                    statement.execute("DROP TABLE whole_2");
                }
            } catch (SQLException thrown) {
                failure.set(thrown);
            }
        });
        try {
            for (int run = 0; run < 10; run++) {
                ExportReport report;
                try {
                    report = Exporter.run(ExportConfig.builder(PostgresSource.parse(changing.url()), folder)
                            .select(new Selection(List.of(), List.of(), true, List.of()))
                            .workers(2)
                            .build());
                } catch (QueryException tooLate) {
                    assertThat(tooLate.state().code()).as(tooLate.getMessage()).isEqualTo("55P03");
                    continue;
                }
                assertThat(Rows.ofTable(folder, "public", "stays")).hasSize(1000);
                assertThat(Rows.ofTable(folder, "public", "whole")).contains("1");
                assertThat(report.rowCount()).isBetween(1001L, 1003L);
            }
        } finally {
            stop.set(true);
            changer.join();
        }
        assertThat((Object) failure.get()).isNull();
    }

    /// A role that may read a partitioned table, but not its partitions by their names, gets its rows all the same.
    @Test
    void aRoleWithoutRightsOnPartitionsReadsThemThroughTheirParent() throws SQLException {
        database.execute(
                "DROP ROLE IF EXISTS partitions_reader",
                "CREATE ROLE partitions_reader LOGIN",
                "GRANT SELECT ON events TO partitions_reader");
        ExportReport report =
                Exporter.run(ExportConfig.builder(PostgresSource.parse(database.url("partitions_reader")), folder)
                        .select(new Selection(List.of("events"), List.of(), false, List.of("events_2024_a")))
                        .workers(2)
                        .build());
        assertThat(report.rowCount()).isEqualTo(519);
        database.execute("DROP OWNED BY partitions_reader", "DROP ROLE partitions_reader");
    }
}
