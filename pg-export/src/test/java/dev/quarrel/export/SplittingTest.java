package dev.quarrel.export;

import static dev.quarrel.export.ExportFailure.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.config.Selection;
import dev.quarrel.export.source.PostgresSource;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Rows divided among workers in every way: each of them comes once.
final class SplittingTest {
    private static TestDatabase database;

    @TempDir
    Path folder;

    @BeforeAll
    static void tables() throws SQLException {
        database = TestDatabase.create("splitting")
                .execute(
                        """
                        CREATE TABLE plain AS SELECT g AS id, CASE WHEN g % 10 = 0 THEN NULL ELSE g % 1000 END AS k,
                            CASE WHEN g % 7 > 0 THEN (g * 1.5)::numeric(12,2) END AS n, date '2020-01-01' + g % 900 AS d,
                            timestamptz '2020-01-01 00:00:00+00' + g * interval '1 hour' AS ts,
                            CASE g % 5 WHEN 0 THEN float8 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity' ELSE g END AS f,
                            CASE WHEN g % 3 = 0 THEN 'many' ELSE md5(g::text) END AS t, g * 1000003::int8 AS big
                        FROM generate_series(1, 30000) g""",
                        "CREATE VIEW seen AS SELECT * FROM plain WHERE id % 2 = 0",
                        "CREATE TABLE parts (id int, k int, t text) PARTITION BY LIST (k)",
                        "CREATE TABLE parts_0 PARTITION OF parts FOR VALUES IN (0)",
                        "CREATE TABLE parts_1 (t text, k int, gone int, id int)",
                        "ALTER TABLE parts_1 DROP COLUMN gone",
                        "ALTER TABLE parts ATTACH PARTITION parts_1 FOR VALUES IN (1)",
                        "CREATE TABLE parts_n PARTITION OF parts FOR VALUES IN (NULL) PARTITION BY HASH (id)",
                        "CREATE TABLE parts_n0 PARTITION OF parts_n FOR VALUES WITH (MODULUS 2, REMAINDER 0)",
                        "CREATE TABLE parts_n1 PARTITION OF parts_n FOR VALUES WITH (MODULUS 2, REMAINDER 1)",
                        "CREATE TABLE parts_empty PARTITION OF parts FOR VALUES IN (9)",
                        "INSERT INTO parts SELECT g, CASE WHEN g % 100 = 0 THEN 0 WHEN g % 3 = 0 THEN NULL ELSE 1 END,"
                                + " repeat('x', 60) FROM generate_series(1, 60000) g",
                        "CREATE TABLE base (id int, t text)",
                        "CREATE TABLE child_1 (own int) INHERITS (base)",
                        "CREATE TABLE child_2 () INHERITS (base)",
                        "CREATE TABLE grandchild () INHERITS (child_1, child_2)",
                        "INSERT INTO base SELECT g, 'base' FROM generate_series(1, 100) g",
                        "INSERT INTO child_1 SELECT g, 'child', 1 FROM generate_series(101, 40000) g",
                        "INSERT INTO grandchild SELECT g, 'grandchild', 2 FROM generate_series(40001, 41000) g",
                        "CREATE TABLE nobody_there (id int) PARTITION BY LIST (id)",
                        "ANALYZE plain",
                        "ANALYZE parts");
    }

    private ExportConfig.Builder config(int workers) {
        return ExportConfig.builder(PostgresSource.parse(database.url()), folder)
                .workers(workers)
                .batchBytes(200_000);
    }

    private static List<String> rows(String relation, String... columns) throws SQLException {
        StringBuilder row = new StringBuilder("concat_ws('|'");
        for (String column : columns) {
            row.append(", coalesce(").append(column).append("::text, '∅')");
        }
        return database.column("SELECT " + row + ") FROM " + relation);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8, 32})
    void partitionsAndChildrenAreReadOneByOne(int workers) throws SQLException {
        ExportReport report = Exporter.run(
                config(workers).tables("parts", "base", "nobody_there", "plain").build());
        assertThat(report.rowCount()).isEqualTo(60_000 + 41_000 + 30_000);
        assertThat(Rows.ofTable(folder, "public", "parts")).isEqualTo(rows("parts", "id", "k", "t"));
        assertThat(Rows.ofTable(folder, "public", "base")).isEqualTo(rows("base", "id", "t"));
        assertThat(Rows.ofTable(folder, "public", "nobody_there")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "id, 2", "id, 8", "id, 32", "k, 2", "k, 8", "n, 8", "d, 8", "ts, 8", "f, 8", "t, 8", "t, 32", "big, 1",
        "big, 8",
    })
    void rowsMayBeSplitByTheValuesOfAColumn(String column, int workers) throws SQLException {
        Exporter.run(config(workers)
                .tables("plain", "parts")
                .splitBy(List.of("plain." + column))
                .build());
        assertThat(Rows.ofTable(folder, "public", "plain"))
                .isEqualTo(rows("plain", "id", "k", "n", "d", "ts", "f", "t", "big"));
    }

    @ParameterizedTest
    @CsvSource({"id", "k", "n", "d", "ts", "f", "big"})
    void viewsAndQueriesAreSplitBetweenTheirExtremes(String column) throws SQLException {
        Exporter.run(config(4).tables("seen").splitBy(List.of(column)).build());
        List<String> expected = rows("seen", "id", "k", "n", "d", "ts", "f", "t", "big");
        assertThat(Rows.ofTable(folder, "public", "seen")).isEqualTo(expected);
        Exporter.run(config(4)
                .query("q", "SELECT * FROM plain WHERE id % 2 = 0 -- the even ones")
                .splitBy(List.of("q." + column))
                .build());
        assertThat(Rows.ofTable(folder, "public", "q")).isEqualTo(expected);
    }

    @Test
    void partitionedTablesMayBeSplitByAColumn() throws SQLException {
        Exporter.run(config(3).tables("parts").splitBy(List.of("id")).build());
        assertThat(Rows.ofTable(folder, "public", "parts")).isEqualTo(rows("parts", "id", "k", "t"));
        Exporter.run(config(3)
                .select(new Selection(List.of("parts"), List.of(), false, List.of("parts_1")))
                .splitBy(List.of("k"))
                .build());
        assertThat(Rows.ofTable(folder, "public", "parts"))
                .isEqualTo(rows("parts WHERE k IS DISTINCT FROM 1", "id", "k", "t"));
    }

    @Test
    void aWholeColumnOfNullsIsOneRange() throws SQLException {
        database.execute(
                "DROP TABLE IF EXISTS only_nulls",
                "CREATE TABLE only_nulls AS SELECT NULL::int AS a, g AS b FROM generate_series(1, 1000) g");
        Exporter.run(config(4).tables("only_nulls").splitBy(List.of("a")).build());
        assertThat(Rows.ofTable(folder, "public", "only_nulls")).hasSize(1000);
        database.execute("ANALYZE only_nulls");
        Exporter.run(config(4).tables("only_nulls").splitBy(List.of("a")).build());
        assertThat(Rows.ofTable(folder, "public", "only_nulls")).hasSize(1000);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void aQueryIsSplitByItsMacros(int workers) throws SQLException {
        Exporter.run(config(workers)
                .query("q", "SELECT id, t FROM plain WHERE id % $(N_WORKERS) = $(WORKER_ID);")
                .build());
        assertThat(Rows.ofTable(folder, "public", "q")).isEqualTo(rows("plain", "id", "t"));
    }

    @Test
    void aQueryIsSplitByKeys() throws SQLException {
        Exporter.run(config(2)
                .queries(List.of(new ExportConfig.Query(
                        "q",
                        "SELECT id, $(WORKER_ID) AS w, $(N_WORKERS) AS n FROM parts_$(PARALLEL_KEY)",
                        List.of("0", "1", "n0", "n1"),
                        List.of())))
                .build());
        assertThat(Rows.ofTable(folder, "public", "q"))
                .isEqualTo(rows(
                        "(SELECT id, array_position('{parts_0,parts_1,parts_n0,parts_n1}', tableoid::regclass::text) - 1 AS w,"
                                + " 4 AS n FROM parts) p",
                        "id",
                        "w",
                        "n"));
    }

    @Test
    void furtherQueriesJoin() throws SQLException {
        database.execute(
                "DROP TABLE IF EXISTS tags",
                "CREATE TABLE tags AS SELECT g % 100 AS tag_of, 'tag ' || g AS tag FROM generate_series(1, 150) g");
        Exporter.run(config(2)
                .queries(List.of(new ExportConfig.Query(
                        "q",
                        "SELECT id, k FROM plain WHERE id <= 300 AND id % $(N_WORKERS) = $(WORKER_ID)",
                        List.of(),
                        List.of(
                                new ExportConfig.Join("SELECT tag FROM tags WHERE tag_of = $(id) -- inner", false),
                                new ExportConfig.Join(
                                        "SELECT d AS day FROM plain p WHERE p.id = $(id) * 2 AND $(tag) LIKE '%7'",
                                        true)))))
                .build());
        assertThat(Rows.ofTable(folder, "public", "q"))
                .isNotEmpty()
                .isEqualTo(rows(
                        "(SELECT a.id, a.k, tag, p.d FROM plain a JOIN tags ON tag_of = a.id"
                                + " LEFT JOIN plain p ON p.id = a.id * 2 AND tag LIKE '%7' WHERE a.id <= 300) j",
                        "id", "k", "tag", "d"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "SELECT 1 AS a WHERE 0 = $(WORKER_ID); ; 22023; needs both",
                "SELECT $(N_WORKERS) AS a; ; 22023; needs both",
                "SELECT $(PARALLEL_KEY) AS a; ; 22023; there are no keys",
                "SELECT 1 AS a; 1 2; 22023; each of the keys would export all rows",
                "SELECT $(PARALLEL_KEY) AS a; 1 2.5; 42804; different columns",
            })
    void macrosThatLoseOrRepeatRowsAreRefused(String sql, String keys, String state, String message) {
        List<String> parts = keys == null ? List.of() : List.of(keys.split(" "));
        assertFails(config(2).queries(List.of(new ExportConfig.Query("q", sql, parts, List.of()))), state, message);
    }

    @Test
    void whatCannotBeSplitIsSaid() {
        assertFails(config(2).tables("plain").splitBy(List.of("nothing")), "42703", "nothing, which is to be split by");
        assertFails(config(2).tables("seen").splitBy(List.of("t")), "0A000", "has no statistics to split by");
        assertFails(config(2).tables("plain").splitBy(List.of("id", "k")), "22023", "split by id and by k");
        assertFails(
                config(2)
                        .queries(List.of(new ExportConfig.Query(
                                "q",
                                "SELECT 1 AS a",
                                List.of(),
                                List.of(new ExportConfig.Join("SELECT $(b)", false))))),
                "42703",
                "$(b)");
    }
}
