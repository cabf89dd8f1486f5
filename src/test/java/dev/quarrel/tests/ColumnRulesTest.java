package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.dataset.Inspection;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.export.Exporter;
import dev.quarrel.export.config.ColumnRules;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.copy.Unfit;
import dev.quarrel.export.source.PostgresSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What an export does besides types: half floats, flattened composites, folders by keys, runs that follow others; the
/// whole way, from PostgreSQL to our server's rows.
class ColumnRulesTest {
    private static final ColumnRules PLAIN = ColumnRules.DEFAULT;

    @TempDir
    private Path root;

    @BeforeAll
    static void tables() {
        PostgresOracle.shared().run("""
                DROP TABLE IF EXISTS sensors, places;
                DROP TYPE IF EXISTS spot, town CASCADE;
                CREATE TYPE town AS (name text, people int);
                CREATE TYPE spot AS (lat float8, lon float8, town town);
                CREATE TABLE sensors (id int NOT NULL, at timestamp NOT NULL, kind text, level real, exact float8);
                INSERT INTO sensors
                    SELECT g, '2024-01-01'::timestamp + g * interval '7 hours', (ARRAY['a/b', 'c d', NULL])[1 + g % 3],
                           g / 7.0, 1.0 / g FROM generate_series(1, 300) g;
                INSERT INTO sensors VALUES (301, '2024-02-01', 'c d', 'NaN', '-Infinity'), (302, '2024-02-01', '', '-0', 1e-9);
                CREATE TABLE places (id int, spot spot);
                INSERT INTO places VALUES (1, ROW(1.5, -2.25, ROW('a, b', 7)::town)), (2, ROW(NULL, 3, NULL)), (3, NULL);
                """);
    }

    @AfterAll
    static void dropTables() { // other tests list the oracle's tables
        PostgresOracle.shared().run("DROP TABLE IF EXISTS sensors, places, tall, log; DROP TYPE IF EXISTS spot, town");
    }

    private static ColumnRules partitioned(String... expressions) {
        return new ColumnRules(false, List.of(), Optional.empty(), Optional.empty(), false, List.of(expressions));
    }

    private static ColumnRules halves(String... columns) {
        return new ColumnRules(false, List.of(columns), Optional.empty(), Optional.empty(), false, List.of());
    }

    private ExportConfig.Builder export(ColumnRules rules) {
        return ExportConfig.builder(PostgresSource.parse(PostgresOracle.shared().url()), root)
                .workers(2)
                .columns(rules);
    }

    private static List<String> rows(Connection connection, String sql) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (connection;
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            while (result.next()) {
                StringBuilder row = new StringBuilder();
                for (int column = 1; column <= result.getMetaData().getColumnCount(); column++) {
                    row.append(column == 1 ? "" : "|").append(result.getString(column));
                }
                rows.add(row.toString());
            }
        }
        return rows;
    }

    private void assertEqual(String... statements) throws SQLException {
        try (QuarrelServer quarrel = QuarrelServer.start(root, Configuration.ALL.get(1))) {
            for (String sql : statements) {
                assertThat(rows(quarrel.connect(), sql))
                        .as(sql)
                        .isEqualTo(rows(PostgresOracle.shared().connect(), sql));
            }
        }
    }

    @Test
    void keysBecomeFoldersAndColumnsAgain() throws SQLException, IOException {
        Exporter.run(export(partitioned("kind, date_trunc('month', at)::date AS month"))
                .tables("sensors")
                .build());
        try (Stream<Path> files = Files.walk(root)) {
            assertThat(files.map(file -> root.relativize(file).toString()))
                    .contains(
                            "sensors/kind=a%2Fb/month=2024-01-01",
                            "sensors/kind=c%20d/month=2024-02-01",
                            "sensors/kind=__HIVE_DEFAULT_PARTITION__/month=2024-03-01",
                            "sensors/kind=/month=2024-02-01");
        }
        assertThat(Inspection.of(root, true).isSound()).isTrue();
        assertEqual(
                "SELECT id, at, kind, level, exact FROM sensors ORDER BY id",
                "SELECT count(*), min(id) FROM sensors WHERE kind = 'a/b'",
                "SELECT count(*) FROM sensors WHERE kind IS NULL",
                "SELECT kind, count(*), sum(id) FROM sensors GROUP BY kind ORDER BY kind",
                "SELECT a.id FROM sensors a JOIN sensors b ON a.kind = b.kind AND a.id = b.id + 3 ORDER BY 1");
        try (QuarrelServer quarrel = QuarrelServer.start(root, Configuration.ALL.get(1))) {
            assertThat(rows(quarrel.connect(), "SELECT count(*), min(month) FROM sensors WHERE month >= '2024-02-01'"))
                    .isEqualTo(
                            rows(
                                    PostgresOracle.shared().connect(),
                                    "SELECT count(*), min(date_trunc('month', at)::date) FROM sensors WHERE at >= '2024-02-01'"));
            assertThat(rows(
                            quarrel.connect(),
                            "EXPLAIN ANALYZE SELECT count(id) FROM sensors WHERE month = '2024-02-01'"))
                    .anyMatch(line -> line.contains("skipped") || line.contains("Batches"));
        }
    }

    @Test
    void furtherRunsFollowInFolders() throws SQLException {
        ExportConfig.Builder first = export(partitioned("kind")).tables("sensors");
        Exporter.run(first.resume(true).build());
        Exporter.run(export(partitioned("kind")).tables("sensors").append(true).build());
        assertThat(Inspection.of(root, true).isSound()).isTrue();
        try (QuarrelServer quarrel = QuarrelServer.start(root, Configuration.ALL.get(1))) {
            assertThat(rows(
                            quarrel.connect(),
                            "SELECT kind, count(*), count(DISTINCT id) FROM sensors GROUP BY 1 ORDER BY 1"))
                    .isEqualTo(rows(
                            PostgresOracle.shared().connect(),
                            "SELECT kind, 2 * count(*), count(*) FROM sensors GROUP BY 1 ORDER BY 1"));
        }
        assertThatThrownBy(() -> Exporter.run(export(partitioned("kind, id::text AS level"))
                        .tables("sensors")
                        .append(true)
                        .build()))
                .isInstanceOf(QueryException.class)
                .hasMessageContaining("has a column level besides the key of that name");
    }

    @Test
    void compositesAreFlattened() throws SQLException {
        Exporter.run(export(new ColumnRules(true, List.of(), Optional.empty(), Optional.empty(), true, List.of()))
                .tables("places")
                .build());
        try (QuarrelServer quarrel = QuarrelServer.start(root, Configuration.ALL.get(1))) {
            assertThat(rows(
                            quarrel.connect(),
                            "SELECT id, \"spot.lat\", \"spot.lon\", \"spot.town.name\", \"spot.town.people\" + 1"
                                    + " FROM places ORDER BY id"))
                    .isEqualTo(rows(
                            PostgresOracle.shared().connect(),
                            "SELECT id, (spot).lat, (spot).lon, ((spot).town).name, ((spot).town).people + 1"
                                    + " FROM places ORDER BY id"));
        }
    }

    @Test
    void realsAreRoundedToHalves() throws SQLException {
        Exporter.run(export(halves("level", "sensors.exact")).tables("sensors").build());
        assertThat(Inspection.of(root, true)
                        .tables()
                        .getFirst()
                        .files()
                        .getFirst()
                        .columns()
                        .get(3)
                        .arrowType())
                .isEqualTo("float16 as float32");
        try (QuarrelServer quarrel = QuarrelServer.start(root, Configuration.ALL.get(1))) {
            assertThat(
                            rows(
                                    quarrel.connect(),
                                    "SELECT level, exact, pg_typeof(exact) FROM sensors WHERE id IN (7, 20, 3, 301, 302) ORDER BY id"))
                    .containsExactly(
                            "0.4284668|0.33325195|real",
                            "1|0.14282227|real",
                            "2.8574219|0.049987793|real",
                            "NaN|-Infinity|real",
                            "-0|0|real");
        }
        PostgresOracle.shared()
                .run("DROP TABLE IF EXISTS tall; CREATE TABLE tall AS SELECT 65519.0::float8 AS h UNION ALL"
                        + " SELECT 65520.0 UNION ALL SELECT 'Infinity'");
        assertThatThrownBy(() -> Exporter.run(export(halves("h")).tables("tall").build()))
                .isInstanceOf(QueryException.class)
                .hasMessageContaining("65520.0, which a half float cannot hold");
        Exporter.run(export(halves("h"))
                .tables("tall")
                .unfit(Unfit.Overflow.NULL, Unfit.Infinity.KEEP)
                .build());
        try (QuarrelServer quarrel = QuarrelServer.start(root, Configuration.ALL.get(1))) {
            assertThat(rows(quarrel.connect(), "SELECT h FROM tall ORDER BY h"))
                    .containsExactly("65504", "Infinity", "null");
        }
    }

    @Test
    void runsFollowOnlyWhatTheyFit() throws SQLException {
        PostgresOracle oracle = PostgresOracle.shared();
        oracle.run(
                "DROP TABLE IF EXISTS log; CREATE TABLE log (a int NOT NULL, b text); INSERT INTO log VALUES (1, 'x')");
        Exporter.run(export(PLAIN).tables("log").build());
        oracle.run("ALTER TABLE log ADD c date; UPDATE log SET a = 2, c = '2024-01-01'");
        Exporter.run(export(PLAIN).tables("log").append(true).build());
        oracle.run("ALTER TABLE log DROP b; UPDATE log SET a = 3");
        Exporter.run(export(PLAIN).tables("log").append(true).build());
        List<String> expected = List.of("1|x|null", "2|x|2024-01-01", "3|null|2024-01-01");
        oracle.run("ALTER TABLE log ALTER a TYPE bigint");
        assertThatThrownBy(() ->
                        Exporter.run(export(PLAIN).tables("log").append(true).build()))
                .isInstanceOf(QueryException.class)
                .hasMessageContaining("column \"a\" of table \"log\" is integer in")
                .hasMessageContaining("and bigint in the rows to append");
        oracle.run("ALTER TABLE log DROP a; ALTER TABLE log ADD a2 int");
        assertThatThrownBy(() ->
                        Exporter.run(export(PLAIN).tables("log").append(true).build()))
                .isInstanceOf(QueryException.class)
                .hasMessageContaining("column \"a\" of table \"log\" is integer NOT NULL in");
        try (QuarrelServer quarrel = QuarrelServer.start(root, Configuration.ALL.get(1))) {
            assertThat(rows(quarrel.connect(), "SELECT a, b, c FROM log ORDER BY a"))
                    .isEqualTo(expected);
        }
    }

    @Test
    void dictionariesAndStatisticsAreThoseAskedFor() {
        Exporter.run(export(new ColumnRules(
                        false,
                        List.of(),
                        Optional.of(List.of("kind")),
                        Optional.of(List.of("id", "at")),
                        true,
                        List.of()))
                .tables("sensors")
                .build());
        Inspection.FileReport file =
                Inspection.of(root, true).tables().getFirst().files().getFirst();
        assertThat(file.problems()).isEmpty();
        assertThat(file.columns().get(2).arrowType()).isEqualTo("dictionary 2, int32 codes");
        List<Inspection.StatsReport> stats = file.batches().getFirst().stats();
        assertThat(stats.get(0).max()).isEqualTo("302");
        assertThat(stats.get(4).max()).isNull();
        assertThatThrownBy(() -> Exporter.run(export(new ColumnRules(
                                false, List.of(), Optional.of(List.of("id")), Optional.empty(), false, List.of()))
                        .tables("sensors")
                        .build()))
                .isInstanceOf(QueryException.class)
                .hasMessageContaining("a dictionary holds texts");
    }
}
