package dev.quarrel.export;

import static dev.quarrel.export.ExportFailure.assertFails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.Inspection;
import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.export.config.ColumnRules;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.source.PostgresSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tables in folders by keys, read once: every row comes once, into the folder of its key.
final class PartitionedExportTest {
    private static final long SEED = Long.getLong("quarrel.seed", System.nanoTime());
    private static final int ROWS = 40_000;

    @TempDir
    Path folder;

    @BeforeAll
    static void tables() throws SQLException {
        System.out.println("PartitionedExportTest: -Dquarrel.seed=" + SEED);
        TestPostgres.execute(
                "SELECT setseed(" + (SEED % 1000) / 1000.0 + ")",
                "DROP TABLE IF EXISTS keyed, keyed_tree, keyed_empty CASCADE",
                "DROP TYPE IF EXISTS keyed_mood CASCADE",
                "CREATE TYPE keyed_mood AS ENUM ('glad', 'sad')",
                """
                CREATE TABLE keyed AS SELECT g AS id, (random() * 2999)::int AS many, g / 100 AS clustered,
                    CASE WHEN random() < 0.97 THEN 'most' ELSE 'rare ' || (random() * 5)::int END AS skewed,
                    (ARRAY['', 'a/b', 'c d', 'é=ü%%', NULL, '..', 'x.tmp', '_', E'line\\n"', '世界', repeat('k', 70)])
                        [1 + floor(random() * 11)::int] AS odd,
                    CASE WHEN random() < 0.9 THEN date '2020-01-01' + (random() * 800)::int END AS d,
                    random() < 0.5 AS b, (random() * 100)::numeric(10,2) AS n,
                    CASE WHEN random() < 0.8 THEN repeat(md5(g::text), (random() * 4)::int) END AS t,
                    CASE WHEN random() < 0.5 THEN 'glad'::keyed_mood WHEN random() < 0.8 THEN 'sad' END AS mood,
                    CASE WHEN random() < 0.1 THEN ARRAY[g, NULL, 7] END AS list
                FROM generate_series(1, %d) g""".formatted(ROWS),
                "ANALYZE keyed",
                "CREATE VIEW keyed_view AS SELECT * FROM keyed WHERE id % 2 = 0",
                "CREATE TABLE keyed_tree (k int, id int, t text) PARTITION BY RANGE (id)",
                "CREATE TABLE keyed_tree_a PARTITION OF keyed_tree FOR VALUES FROM (0) TO (10000)",
                "CREATE TABLE keyed_tree_b (t text, gone int, id int, k int)",
                "ALTER TABLE keyed_tree_b DROP COLUMN gone",
                "ALTER TABLE keyed_tree ATTACH PARTITION keyed_tree_b FOR VALUES FROM (10000) TO (90000)",
                "INSERT INTO keyed_tree SELECT g % 5, g, repeat('t', g % 60) FROM generate_series(1, 30000) g",
                "CREATE TABLE keyed_empty (id int NOT NULL, k text, at timestamp)");
    }

    private static ColumnRules by(String... expressions) {
        return new ColumnRules(false, List.of(), Optional.empty(), Optional.empty(), true, List.of(expressions));
    }

    private ExportConfig.Builder config(String... expressions) {
        return ExportConfig.builder(PostgresSource.parse(TestPostgres.url()), folder)
                .columns(by(expressions));
    }

    private List<String> columns(String table) {
        try (DatasetCatalog catalog = DatasetCatalog.open(folder);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            return snapshot.table("public", table).shownSchema().fields().stream()
                    .map(Field::name)
                    .toList();
        }
    }

    private Manifest.TableEntry entry(String table) {
        return Manifest.read(folder).tables().stream()
                .filter(each -> each.name().equals(table))
                .findFirst()
                .orElseThrow();
    }

    /// Every row of `relation` once, and each in the folder of its keys.
    ///
    /// @param keys `name=expression`, for keys that are no columns
    private void assertSame(String table, String relation, String... keys) throws SQLException {
        List<String> names = columns(table);
        List<String> expressions = new ArrayList<>();
        for (String name : names) {
            String expression = Stream.of(keys)
                    .filter(key -> key.startsWith(name + "="))
                    .map(key -> key.substring(name.length() + 1))
                    .findFirst()
                    .orElse('"' + name + '"');
            expressions.add("(" + expression + ")");
        }
        assertThat(Rows.ofTable(folder, "public", table))
                .as("seed %d, columns %s", SEED, names)
                .isEqualTo(Rows.ofPostgres(relation, expressions));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "odd; 1; 67108864; 0; 11",
                "odd; 3; 200000; 3; 11",
                "odd; 4; 1; 0; 11",
                "skewed; 3; 300000; 0; 7",
                "skewed; 8; 67108864; 0; 7",
                "clustered; 1; 100000; 0; 401",
                "clustered; 4; 1000000; 0; 401",
                "many; 3; 6000000; 0; 3000",
                "d; 2; 67108864; 0; 802",
                "b,odd,mood; 3; 400000; 0; 66",
            })
    void everyRowComesOnce(String keys, int workers, long batchBytes, int zstdLevel, int folders)
            throws SQLException, IOException {
        ExportReport report = Exporter.run(config(keys)
                .tables("keyed")
                .workers(workers)
                .batchBytes(batchBytes)
                .zstdLevel(zstdLevel)
                .build());
        assertSame("keyed", "keyed");
        List<Manifest.FileEntry> files = entry("keyed").files();
        assertThat(files).hasSize(folders);
        assertThat(files.stream().map(Manifest.FileEntry::keys).distinct()).hasSize(folders);
        assertThat(report.tables()).hasSize(1);
        ExportReport.TableReport table = report.tables().getFirst();
        assertThat(table.rowCount()).isEqualTo(ROWS);
        assertThat(table.file()).isEqualTo(folder.resolve("keyed"));
        assertThat(table.byteSize())
                .isEqualTo(files.stream().mapToLong(Manifest.FileEntry::bytes).sum());
        if (batchBytes > 1 << 24) {
            assertThat(table.batchCount()).as("batches").isEqualTo(folders);
        }
        assertThat(Inspection.of(folder, true).isSound()).isTrue();
    }

    @Test
    void pgjdbcReadsThemToo() throws SQLException {
        System.setProperty("quarrel.export.pgjdbc", "true");
        try {
            Exporter.run(config("odd", "id % 7 AS rest")
                    .tables("keyed")
                    .workers(2)
                    .batchBytes(500_000)
                    .build());
        } finally {
            System.clearProperty("quarrel.export.pgjdbc");
        }
        assertSame("keyed", "keyed", "rest=id % 7");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void viewsQueriesAndTreesAreReadToo(int workers) throws SQLException {
        Exporter.run(config("(id % 3)::text || 'x' AS rest")
                .tables("keyed_view", "keyed_tree")
                .queries(List.of(
                        new ExportConfig.Query("q", "SELECT id, t FROM keyed WHERE id < 5000 -- no more"),
                        new ExportConfig.Query(
                                "cut",
                                "SELECT id, d FROM keyed WHERE id % $(N_WORKERS) = $(WORKER_ID)",
                                List.of(),
                                List.of())))
                .workers(workers)
                .batchBytes(200_000)
                .build());
        String rest = "rest=(id % 3)::text || 'x'";
        assertSame("keyed_view", "keyed_view", rest);
        assertSame("keyed_tree", "keyed_tree", rest);
        assertSame("q", "(SELECT * FROM keyed WHERE id < 5000) q", rest);
        assertSame("cut", "keyed", rest);
        assertThat(entry("q").files()).hasSize(3);
        assertThat(entry("cut").files()).hasSize(3);
    }

    @Test
    void rangesOfAColumnAreReadToo() throws SQLException {
        Exporter.run(config("many % 50 AS m")
                .tables("keyed")
                .splitBy(List.of("id"))
                .workers(3)
                .batchBytes(300_000)
                .build());
        assertSame("keyed", "keyed", "m=many % 50");
    }

    /// A folder's rows follow one another as they do in the table, where one worker reads.
    @ParameterizedTest
    @ValueSource(longs = {1, 100_000, 1 << 26})
    void rowsKeepTheirOrder(long batchBytes) {
        Exporter.run(
                config("odd").tables("keyed").workers(1).batchBytes(batchBytes).build());
        for (Manifest.FileEntry file : entry("keyed").files()) {
            assertThat(file.stats().sortedBy())
                    .as("%s, seed %d", file.path(), SEED)
                    .contains("id");
        }
    }

    @Test
    void namesOfFoldersAreEncoded() throws IOException {
        Exporter.run(config("odd").tables("keyed").build());
        try (Stream<Path> folders = Files.list(folder.resolve("keyed"))) {
            assertThat(folders.map(each -> each.getFileName().toString()))
                    .containsExactlyInAnyOrder(
                            "odd=",
                            "odd=a%2Fb",
                            "odd=c%20d",
                            "odd=%C3%A9%3D%C3%BC%25",
                            "odd=__HIVE_DEFAULT_PARTITION__",
                            "odd=..",
                            "odd=x%2Etmp",
                            "odd=_",
                            "odd=line%0A%22",
                            "odd=%E4%B8%96%E7%95%8C",
                            "odd=" + "k".repeat(70));
        }
    }

    @Test
    void rowsLargerThanTheMemoryArePassedOn() throws SQLException {
        Exporter.run(config("id % 3 AS rest")
                .query(
                        "large",
                        "SELECT g AS id, repeat(md5(g::text), CASE WHEN g % 10 = 0 THEN 200000 ELSE 3 END) AS t"
                                + " FROM generate_series(1, 100) g")
                .workers(1)
                .batchBytes(1 << 20)
                .build());
        assertSame(
                "large",
                "(SELECT g AS id, repeat(md5(g::text), CASE WHEN g % 10 = 0 THEN 200000 ELSE 3 END) AS t"
                        + " FROM generate_series(1, 100) g) q",
                "rest=id % 3");
    }

    @Test
    void anEmptyTableIsThereAllTheSame() throws SQLException {
        ExportConfig config =
                config("k", "at::date AS day").tables("keyed_empty").build();
        ExportReport report = Exporter.run(config);
        assertThat(report.rowCount()).isZero();
        assertThat(columns("keyed_empty")).containsExactly("id", "at", "k", "day");
        assertThat(Rows.ofTable(folder, "public", "keyed_empty")).isEmpty();
        TestPostgres.execute("INSERT INTO keyed_empty VALUES (1, 'x', '2024-01-02 03:04:05'), (2, NULL, NULL)");
        try {
            Exporter.run(config("k", "at::date AS day")
                    .tables("keyed_empty")
                    .append(true)
                    .build());
        } finally {
            TestPostgres.execute("TRUNCATE keyed_empty");
        }
        assertThat(Rows.ofTable(folder, "public", "keyed_empty"))
                .containsExactly("1|2024-01-02 03:04:05|x|2024-01-02", "2|∅|∅|∅");
    }

    /// A key that the rows before did not have is NULL in those.
    @Test
    void runsInFoldersFollowOthers() {
        Exporter.run(ExportConfig.builder(PostgresSource.parse(TestPostgres.url()), folder)
                .query("r", "SELECT 1 AS id, 'a' AS kind")
                .build());
        Exporter.run(config("kind", "id + 1 AS next")
                .query("r", "SELECT 2 AS id, 'b' AS kind")
                .append(true)
                .build());
        assertThat(columns("r")).containsExactly("id", "kind", "next");
        assertThat(Rows.ofTable(folder, "public", "r")).containsExactly("1|a|∅", "2|b|3");
    }

    @Test
    void tooManyFoldersAreRefused() throws IOException {
        assertFails(
                config("id").query("q", "SELECT g AS id, 'x' AS t FROM generate_series(1, 10001) g"),
                "54000",
                "more than 10000 partitions");
        try (Stream<Path> left = Files.walk(folder)) {
            assertThat(left.filter(Files::isDirectory)
                            .map(each -> folder.relativize(each).toString()))
                    .allMatch(each -> each.isEmpty() || each.equals("q"));
        }
    }

    @Test
    void whatWouldChangeTheRowsIsRefused() {
        assertFails(
                config("generate_series(1, 2)").tables("keyed"), "0A000", "set-returning functions are not allowed");
        assertFails(config("row_number() OVER ()").tables("keyed"), "42P20", "window functions are not allowed");
        assertFails(config("max(id)").tables("keyed"), "42803", "aggregate functions are not allowed");
        assertFails(config("1 / (id - 20000)").tables("keyed"), "22012", "division by zero");
    }

    /// Any keys, workers and batches.
    @Test
    void generatedExports() throws SQLException {
        Random random = new Random(SEED);
        List<String> keys = List.of("odd", "skewed", "clustered", "d", "b", "mood", "many % 10 AS m", "n > 50 AS half");
        Map<String, String> named = Map.of("many % 10 AS m", "m=many % 10", "n > 50 AS half", "half=n > 50");
        for (int round = 0; round < 8; round++) {
            List<String> chosen = new ArrayList<>(keys);
            chosen.sort(Comparator.comparingInt(_ -> random.nextInt()));
            chosen = List.copyOf(chosen.subList(0, 1 + random.nextInt(3)));
            if (chosen.contains("clustered") && chosen.size() > 1 || chosen.contains("d") && chosen.size() > 1) {
                chosen = List.of("clustered"); // else there are too many
            }
            String relation = random.nextBoolean() ? "keyed" : "keyed_view";
            Exporter.run(config(chosen.toArray(String[]::new))
                    .tables(relation)
                    .workers(1 + random.nextInt(4))
                    .batchBytes(1L << (12 + random.nextInt(14)))
                    .dictionaries(random.nextBoolean())
                    .build());
            assertSame(
                    relation,
                    relation,
                    chosen.stream().map(named::get).filter(each -> each != null).toArray(String[]::new));
        }
    }

    @Test
    void whatIsStoppedLeavesNothing() throws IOException {
        Cancellation cancellation = new Cancellation();
        ExportProgress progress = new ExportProgress() {
            @Override
            public void advanced(String table, long rows, long bytes) {
                cancellation.cancel();
            }
        };
        assertThatThrownBy(() -> Exporter.run(
                        config("many")
                                .tables("keyed")
                                .workers(2)
                                .batchBytes(1000)
                                .build(),
                        progress,
                        cancellation))
                .isInstanceOf(QueryException.class);
        try (Stream<Path> left = Files.walk(folder)) {
            assertThat(left.filter(each -> each.toString().contains("many="))).isEmpty();
        }
    }

    /// One file of each folder opens by itself, without the key's column.
    @Test
    void filesHaveTheOtherColumns() {
        Exporter.run(config("b").tables("keyed").build());
        for (Manifest.FileEntry file : entry("keyed").files()) {
            try (ArrowFile arrow = ArrowFile.open(folder.resolve(file.path()))) {
                assertThat(arrow.schema().indexOf("b")).isNegative();
                assertThat(arrow.rowCount()).isEqualTo(file.rows());
            }
        }
    }
}
