package dev.quarrel.export;

import static dev.quarrel.export.ExportFailure.assertFails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.Inspection;
import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.export.config.ColumnRules;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.config.RowRules;
import dev.quarrel.export.source.PostgresSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Runs that read what has changed since the one before: the dataset has the source's rows after each.
final class IncrementalExportTest {
    private static final long SEED = Long.getLong("quarrel.seed", System.nanoTime());
    private static final int ROWS = 20_000;

    @TempDir
    Path folder;

    private final List<String> notices = new ArrayList<>();

    @BeforeEach
    void tables() throws SQLException {
        TestPostgres.execute(
                "DROP TABLE IF EXISTS fresh, fresh_tree, fresh_loose, fresh_old CASCADE",
                """
                CREATE TABLE fresh (id int PRIMARY KEY, name text NOT NULL, n numeric(10,2), flag boolean, tag text,
                    list int[], at timestamptz DEFAULT now(), version bigint NOT NULL)""",
                "CREATE SEQUENCE IF NOT EXISTS fresh_version",
                "INSERT INTO fresh SELECT g, 'row ' || g, g / 7.0, g % 3 = 0, 'tag ' || g % 5, ARRAY[g, NULL], now(),"
                        + " nextval('fresh_version') FROM generate_series(1, " + ROWS + ") g",
                "CREATE INDEX ON fresh (at)",
                "ANALYZE fresh");
    }

    private static RowRules rules(String... columns) {
        return new RowRules(List.of(), List.of(columns), List.of(), Optional.empty(), true, false);
    }

    private ExportConfig.Builder config(RowRules rules, String... tables) {
        return ExportConfig.builder(PostgresSource.parse(TestPostgres.url()), folder)
                .tables(tables)
                .workers(2)
                .rows(rules);
    }

    private ExportReport.TableReport run(ExportConfig.Builder config) {
        notices.clear();
        ExportProgress progress = new ExportProgress() {
            @Override
            public void notice(String text) {
                notices.add(text);
            }
        };
        return Exporter.run(config.build(), progress, new Cancellation())
                .tables()
                .getFirst();
    }

    private void assertSame(String table) throws SQLException {
        List<String> columns;
        try (DatasetCatalog catalog = DatasetCatalog.open(folder);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            columns = snapshot.table("public", table).shownSchema().fields().stream()
                    .map(field -> '"' + field.name() + '"')
                    .toList();
            assertThat(snapshot.table("public", table).stats().rowCount())
                    .isEqualTo(Rows.ofPostgres(table, List.of("1")).size());
        }
        assertThat(Rows.ofTable(folder, "public", table)).isEqualTo(Rows.ofPostgres(table, columns));
        assertThat(Inspection.of(folder, true).isSound()).isTrue();
    }

    private Manifest.TableEntry entry(String table) {
        return Manifest.read(folder).tables().stream()
                .filter(each -> each.name().equals(table))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void anUpdatedRowTakesThePlaceOfItsOldVersionAndFilesStay() throws SQLException {
        ExportReport.TableReport first = run(config(rules("xmin"), "fresh"));
        assertThat(first.change()).isNull();
        assertThat(first.rowCount()).isEqualTo(ROWS);
        String file = entry("fresh").files().getFirst().path();
        assertThat(run(config(rules("xmin"), "fresh")).rowCount()).isZero();
        assertThat(entry("fresh").files()).hasSize(1);
        TestPostgres.execute(
                "UPDATE fresh SET name = 'new name', n = NULL WHERE id % 100 = 7",
                "DELETE FROM fresh WHERE id % 1000 = 1",
                "INSERT INTO fresh SELECT g, 'added', 1, NULL, 'tag 9', NULL, now(), 0 FROM generate_series(90001, 90010) g");
        ExportReport.TableReport second = run(config(rules("xmin"), "fresh"));
        assertThat(second.rowCount()).isEqualTo(210);
        assertThat(second.change()).isEqualTo(new ExportReport.Change(200, 20, ROWS - 10));
        assertThat(notices).isEmpty();
        assertSame("fresh");
        assertThat(entry("fresh").files().getFirst().path()).isEqualTo(file);
        assertThat(entry("fresh").files().getFirst().deleted().count()).isEqualTo(220);
        assertThat(entry("fresh").uniqueKeys())
                .containsExactly(new UniqueKey("fresh_pkey", UniqueKey.Kind.PRIMARY, List.of("id"), true));
        // An ordinary run makes plain files again.
        run(config(RowRules.DEFAULT, "fresh"));
        assertThat(entry("fresh").files()).hasSize(1);
        assertThat(entry("fresh").files().getFirst().deleted().isEmpty()).isTrue();
        assertSame("fresh");
    }

    @ParameterizedTest
    @CsvSource({"xmin,0", "at,0", "version,0", "xmin,3", "at,2"})
    void randomChangesOverSeveralRuns(String column, int keptRuns) throws SQLException {
        Random random = new Random(SEED);
        System.out.println("IncrementalExportTest: -Dquarrel.seed=" + SEED);
        List<List<String>> states = new ArrayList<>();
        for (int run = 0; run < 7; run++) {
            run(config(rules(column), "fresh").keptRuns(keptRuns).batchBytes(100_000));
            assertSame("fresh");
            states.add(Rows.ofTable(folder, "public", "fresh"));
            for (int change = 0; change < 5; change++) {
                TestPostgres.execute(change(random));
            }
        }
        List<Integer> runs =
                Manifest.read(folder).runs().stream().map(Manifest.Run::id).toList();
        assertThat(runs.getLast()).isEqualTo(7);
        for (int back = 1; back <= keptRuns; back++) {
            try (DatasetCatalog catalog = DatasetCatalog.openRun(folder, 7 - back, null, folder.resolve("../copies"));
                    CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(snapshot.table("public", "fresh").stats().rowCount())
                        .isEqualTo(states.get(6 - back).size());
            }
        }
    }

    private static String change(Random random) {
        int low = random.nextInt(ROWS);
        int high = low + random.nextInt(200);
        String rises = "at = clock_timestamp(), version = nextval('fresh_version')";
        return switch (random.nextInt(6)) {
            case 0 ->
                "UPDATE fresh SET name = 'changed ' || id, " + rises + " WHERE id BETWEEN " + low + " AND " + high;
            case 1 -> "UPDATE fresh SET id = -id - " + random.nextInt(1 << 20) + ", " + rises + " WHERE id = " + low;
            case 2 -> "DELETE FROM fresh WHERE id BETWEEN " + low + " AND " + high;
            case 3 ->
                "INSERT INTO fresh SELECT g, 'again', 0, true, 'tag ' || g % 7, '{}', clock_timestamp(),"
                        + " nextval('fresh_version') FROM generate_series(" + low + ", " + high
                        + ") g ON CONFLICT (id) DO UPDATE SET n = fresh.n + 1, " + rises;
            case 4 -> "UPDATE fresh SET list = list || 1, " + rises + " WHERE id % 97 = " + random.nextInt(97);
            default -> "SELECT 1";
        };
    }

    @Test
    void aTransactionThatCommitsLateIsSeenByTheNextRun() throws SQLException {
        for (String column : List.of("xmin", "at")) {
            tables();
            run(config(rules(column), "fresh"));
            try (Connection late = TestPostgres.connect();
                    Statement statement = late.createStatement()) {
                statement.execute("BEGIN");
                statement.execute("UPDATE fresh SET name = 'first', at = now() WHERE id = 1");
                TestPostgres.execute("UPDATE fresh SET name = 'other', at = clock_timestamp() WHERE id = 2");
                run(config(rules(column), "fresh"));
                statement.execute("SAVEPOINT s");
                statement.execute("UPDATE fresh SET name = 'late', at = now() WHERE id = 3");
                statement.execute("COMMIT");
            }
            run(config(rules(column), "fresh"));
            assertThat(notices).isEmpty();
            assertSame("fresh");
        }
    }

    @Test
    void aValueInTheFutureHidesNothing() throws SQLException {
        TestPostgres.execute(
                "UPDATE fresh SET at = '2199-01-01' WHERE id = 1",
                "UPDATE fresh SET at = 'infinity' WHERE id = 2",
                "UPDATE fresh SET at = NULL WHERE id = 3");
        run(config(rules("at"), "fresh"));
        TestPostgres.execute(
                "UPDATE fresh SET name = 'seen', at = now() WHERE id = 4",
                "UPDATE fresh SET name = 'also seen' WHERE id IN (2, 3)");
        run(config(rules("at"), "fresh"));
        assertSame("fresh");
    }

    @Test
    void partitionsComeAndGo() throws SQLException {
        TestPostgres.execute(
                "CREATE TABLE fresh_tree (k text, id int, v text, at date NOT NULL, PRIMARY KEY (k, id)) PARTITION BY RANGE (id)",
                "CREATE TABLE fresh_tree_a PARTITION OF fresh_tree FOR VALUES FROM (0) TO (1000)",
                "CREATE TABLE fresh_tree_b PARTITION OF fresh_tree FOR VALUES FROM (1000) TO (2000)",
                "INSERT INTO fresh_tree SELECT repeat('k', g % 40), g, 'v', '2024-01-01' FROM generate_series(0, 1999) g",
                "CREATE TABLE fresh_old (k text NOT NULL, id int NOT NULL, v text, at date NOT NULL)",
                "INSERT INTO fresh_old SELECT 'o', g, 'old', '2001-01-01' FROM generate_series(2000, 2099) g");
        run(config(rules("xmin"), "fresh_tree"));
        TestPostgres.execute(
                "ALTER TABLE fresh_old ADD PRIMARY KEY (k, id)",
                "ALTER TABLE fresh_tree ATTACH PARTITION fresh_old FOR VALUES FROM (2000) TO (3000)",
                "UPDATE fresh_tree SET id = id + 2500 WHERE id < 20",
                "UPDATE fresh_tree SET v = 'w' WHERE id = 1500");
        ExportReport.TableReport second = run(config(rules("xmin"), "fresh_tree"));
        assertThat(second.change().deleted()).isEqualTo(20);
        assertSame("fresh_tree");
        TestPostgres.execute("ALTER TABLE fresh_tree DETACH PARTITION fresh_tree_b");
        assertThat(run(config(rules("xmin"), "fresh_tree")).change().rowCount()).isEqualTo(1100);
        assertSame("fresh_tree");
        TestPostgres.execute("TRUNCATE fresh_tree");
        run(config(rules("xmin"), "fresh_tree"));
        assertSame("fresh_tree");
    }

    @Test
    void whatCannotBeToldApartIsExportedInFull() throws SQLException {
        run(config(rules("xmin"), "fresh"));
        TestPostgres.execute("ALTER TABLE fresh ADD COLUMN more int DEFAULT 7");
        assertThat(run(config(rules("xmin"), "fresh")).change()).isNull();
        assertThat(notices).containsExactly("public.fresh is exported in full: its list of columns is not what it was");
        assertSame("fresh");
        assertThat(run(config(rules("at"), "fresh")).change()).isNull();
        assertThat(notices).containsExactly("public.fresh is exported in full: the last run went by column xmin");
        RowRules some = new RowRules(List.of("id > 10"), List.of("at"), List.of(), Optional.empty(), true, false);
        assertThat(run(config(some, "fresh")).change()).isNull();
        assertThat(notices).containsExactly("public.fresh is exported in full: its condition is not what it was");
        TestPostgres.execute("UPDATE fresh SET id = -5, at = clock_timestamp() WHERE id = 11");
        TestPostgres.execute("DELETE FROM fresh WHERE id = 5");
        assertThat(run(config(some, "fresh")).change().rowCount()).isEqualTo(ROWS - 11);
        // A run of another kind says nothing of what it has read.
        run(config(RowRules.DEFAULT, "fresh"));
        assertThat(run(config(rules("at"), "fresh")).change()).isNull();
        assertThat(notices)
                .containsExactly("public.fresh is exported in full: the dataset does not say up to where it was read");
        for (int rest = 0; rest < 2; rest++) {
            TestPostgres.execute("UPDATE fresh SET name = 'x', at = clock_timestamp() WHERE id % 10 > " + rest);
            assertThat(run(config(rules("at"), "fresh")).change()).isNotNull();
        }
        assertThat(run(config(rules("at"), "fresh")).change()).isNull();
        assertThat(notices.getFirst()).contains("in its files are old versions");
        assertSame("fresh");
    }

    /// Lists stand in the way of that: files that have them stay as they are.
    @Test
    void filesOfManyRunsAreMerged() throws SQLException {
        TestPostgres.execute(
                "CREATE TABLE fresh_old AS SELECT id, name, n, flag, tag, at, n AS m, at::date AS d, id::real AS r,"
                        + " decode(md5(name), 'hex') AS b, NULL::text AS never FROM fresh",
                "ALTER TABLE fresh_old ALTER m TYPE numeric, ADD PRIMARY KEY (id)");
        int most = 0;
        for (int run = 0; run < 45; run++) {
            ExportReport.TableReport report = run(config(rules("xmin"), "fresh_old", "fresh"));
            assertThat(report.change() == null).isEqualTo(run == 0);
            most = Math.max(most, entry("fresh_old").files().size());
            TestPostgres.execute(
                    "UPDATE fresh_old SET name = 'run " + run
                            + "', n = NULL, m = m / 3, flag = NOT flag WHERE id % 100 = " + run,
                    "DELETE FROM fresh_old WHERE id % 1000 = " + (run + 7),
                    "INSERT INTO fresh_old (id, tag) SELECT g, 'of " + run + "' FROM generate_series("
                            + (100_000 + 9 * run) + ", " + (100_004 + 9 * run) + ") g",
                    "UPDATE fresh SET name = 'run " + run + "' WHERE id = " + run + " + 1");
        }
        run(config(rules("xmin"), "fresh_old", "fresh"));
        assertThat(notices).isEmpty();
        assertThat(most).isBetween(32, 36);
        assertThat(entry("fresh_old").files()).hasSizeLessThan(30);
        assertThat(entry("fresh_old").uniqueKeys()).hasSize(1);
        assertThat(entry("fresh_old").watermark()).isNotNull();
        assertThat(entry("fresh").files()).hasSizeGreaterThan(40);
        assertSame("fresh_old");
        assertSame("fresh");
    }

    @Test
    void rowsThatTheColumnMissesAreFoundByTheirNumber() throws SQLException {
        run(config(rules("version"), "fresh"));
        assertThat(notices.getFirst()).contains("--incremental xmin misses none");
        TestPostgres.execute("INSERT INTO fresh VALUES (99999, 'behind', 0, true, '', NULL, now(), -5)");
        assertThat(run(config(rules("version"), "fresh")).change()).isNull();
        assertThat(notices.getLast())
                .isEqualTo("public.fresh is exported in full: the source has 20001 rows, and with what changed since"
                        + " the last run there would be 20000");
        assertSame("fresh");
    }

    @Test
    void aTableWithoutKeyNeedsOne() throws SQLException {
        TestPostgres.execute(
                "CREATE TABLE fresh_loose AS SELECT g AS a, 'b' || g % 10 AS b, g::float8 AS v FROM generate_series(1, 500) g");
        run(config(rules("xmin"), "fresh_loose"));
        assertThat(run(config(rules("xmin"), "fresh_loose")).change()).isNull();
        assertThat(notices.getFirst()).contains("it declares no key that its rows are told apart by; --key names one");
        RowRules keyed =
                new RowRules(List.of(), List.of("xmin"), List.of("fresh_loose:b,a"), Optional.empty(), true, false);
        run(config(keyed, "fresh_loose"));
        TestPostgres.execute("UPDATE fresh_loose SET v = -v WHERE a < 20", "DELETE FROM fresh_loose WHERE a = 100");
        assertThat(run(config(keyed, "fresh_loose")).change()).isEqualTo(new ExportReport.Change(19, 1, 499));
        assertSame("fresh_loose");
        assertThat(entry("fresh_loose").uniqueKeys()).isEmpty();
        TestPostgres.execute("INSERT INTO fresh_loose VALUES (1000, 'twice', 1), (1000, 'twice', 2)");
        assertThatThrownBy(() -> run(config(keyed, "fresh_loose")))
                .isInstanceOfSatisfying(
                        QueryException.class,
                        failure -> assertThat(failure.state().code()).isEqualTo("23505"));
        assertThat(Rows.ofTable(folder, "public", "fresh_loose")).hasSize(499);
    }

    @Test
    void rowsMayStayThatTheSourceHasDeleted() throws SQLException {
        RowRules rules = new RowRules(List.of(), List.of("xmin"), List.of(), Optional.empty(), false, false);
        run(config(rules, "fresh"));
        TestPostgres.execute("DELETE FROM fresh WHERE id > 5", "UPDATE fresh SET name = 'y' WHERE id = 1");
        assertThat(run(config(rules, "fresh")).change()).isEqualTo(new ExportReport.Change(1, 0, ROWS));
    }

    @Test
    void foldersByKeysChangeToo() throws SQLException {
        ColumnRules by = new ColumnRules(false, List.of(), Optional.empty(), Optional.empty(), false, List.of("tag"));
        run(config(rules("xmin"), "fresh").columns(by));
        TestPostgres.execute(
                "UPDATE fresh SET tag = 'tag 1' WHERE id % 50 = 0", "DELETE FROM fresh WHERE id % 500 = 3");
        run(config(rules("xmin"), "fresh").columns(by));
        assertSame("fresh");
    }

    @ParameterizedTest
    @ValueSource(strings = {"fresh:id <= 100", "id <= 100 -- a comment", "public.fresh:id <= 100"})
    void conditionsChooseRows(String where) {
        RowRules rules = new RowRules(List.of(where), List.of(), List.of(), Optional.empty(), true, false);
        assertThat(run(config(rules, "fresh")).rowCount()).isEqualTo(100);
    }

    @Test
    void whatIsWrongIsSaid() {
        assertFails(config(rules("xmin"), "fresh").append(true), "22023", "changes the dataset's rows");
        assertFails(config(rules("nothing"), "fresh"), "42703", "no exported table has column nothing");
        assertFails(config(rules("xmin", "at"), "fresh"), "22023", "is to go by several columns");
        assertFails(config(rules("name"), "fresh"), "0A000", "does not say which rows are new");
        RowRules elsewhere = new RowRules(List.of("gone:id > 1"), List.of(), List.of(), Optional.empty(), true, false);
        assertFails(config(elsewhere, "fresh"), "42P01", "no exported table is named");
    }
}
