package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.export.Exporter;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.source.PostgresSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Composites of several runs: of a type that has got fields, that ICU orders, and that a file holds as texts.
class CompositeRunsTest {
    private static final List<String> STATEMENTS = List.of(
            "SELECT id FROM composite_runs ORDER BY v, id",
            "SELECT id FROM composite_runs ORDER BY t DESC, id",
            "SELECT v, count(*), max(id) FROM composite_runs GROUP BY v ORDER BY v",
            "SELECT t, count(*) FROM composite_runs GROUP BY t ORDER BY t",
            "SELECT max(v), min(v), max(t), min(t) FROM composite_runs",
            "SELECT (v).z, (v).w, ((v).w[1]).a, id FROM composite_runs ORDER BY id",
            "SELECT (x).z, ((x).w[1]).b FROM (SELECT DISTINCT v AS x FROM composite_runs) q ORDER BY x",
            "SELECT (x).a, (x).b FROM (SELECT t AS x FROM composite_runs UNION SELECT t FROM composite_runs) q ORDER BY (x).a, x",
            "SELECT count(*) FROM composite_runs a JOIN composite_runs b ON a.v = b.v AND a.t < b.t",
            "SELECT x, count(*) FROM (SELECT m AS x FROM composite_runs) q GROUP BY x ORDER BY x",
            "SELECT (x).d FROM (SELECT DISTINCT m AS x FROM composite_runs) q ORDER BY x");

    @TempDir
    private Path root;

    @AfterEach
    void drop() { // other tests list the oracle's tables
        PostgresOracle.shared().run("""
                DROP TABLE IF EXISTS composite_runs;
                DROP TYPE IF EXISTS cr_grown, cr_text, cr_misfit, cr_part;
                DROP COLLATION IF EXISTS cr_german;
                """);
    }

    @Test
    void theirRowsAreThoseOfPostgresql() throws SQLException {
        PostgresOracle oracle = PostgresOracle.shared();
        oracle.run("""
                CREATE COLLATION cr_german (provider = icu, locale = 'de-DE');
                CREATE TYPE cr_part AS (a int, b text);
                CREATE TYPE cr_text AS (a text COLLATE cr_german, b varchar(10) COLLATE "C", n numeric);
                CREATE TYPE cr_grown AS (x int, t text);
                CREATE TYPE cr_misfit AS (n numeric(6, 2), d int[]);
                CREATE TABLE composite_runs (id int, v cr_grown, t cr_text, m cr_misfit);
                INSERT INTO composite_runs
                    SELECT g, ROW(g % 4, 'q' || g % 2)::cr_grown,
                           CASE WHEN g % 7 > 0 THEN ROW(CASE WHEN g % 5 > 0 THEN (ARRAY['a', 'B', 'ä', 'z', 'Z', 'b'])[1 + g % 6] END,
                               (ARRAY['a', 'B', 'ä', 'z'])[1 + g % 4], (g % 3)::numeric / 3)::cr_text END,
                           ROW(g % 2, ARRAY[g % 3, NULL])::cr_misfit
                    FROM generate_series(1, 80) g;
                """);
        export();
        oracle.run("""
                ALTER TYPE cr_grown ADD ATTRIBUTE z numeric(6, 2);
                ALTER TYPE cr_grown ADD ATTRIBUTE w cr_part[];
                """);
        oracle.run("""
                CREATE TABLE composite_runs_before AS SELECT * FROM composite_runs;
                DELETE FROM composite_runs;
                INSERT INTO composite_runs
                    SELECT g, ROW(g % 4, 'q' || g % 2, g % 3, ARRAY[ROW(g % 2, 'x')::cr_part])::cr_grown, NULL,
                           ROW(CASE WHEN g % 2 = 0 THEN 'NaN' ELSE 1.00 END, '{{1,2}}')::cr_misfit
                    FROM generate_series(101, 140) g;
                """);
        export();
        oracle.run("INSERT INTO composite_runs SELECT * FROM composite_runs_before; DROP TABLE composite_runs_before");
        List<String> problems = new ArrayList<>();
        try (QuarrelServer quarrel = QuarrelServer.start(root, Configuration.ALL.get(2));
                Connection right = oracle.connect();
                Connection ours = quarrel.connect()) {
            for (String sql : STATEMENTS) {
                if (!(SqlAnswer.of(right, sql) instanceof SqlAnswer.Rows wanted)
                        || !(SqlAnswer.of(ours, sql) instanceof SqlAnswer.Rows rows)) {
                    problems.add(sql + "\n    " + SqlAnswer.of(ours, sql) + "\n    " + SqlAnswer.of(right, sql));
                } else if (!rows.lines(true).equals(wanted.lines(true))) {
                    problems.add(sql + "\n    " + rows.lines(true) + "\n    " + wanted.lines(true));
                }
            }
        }
        assertThat(problems).isEmpty();
    }

    private void export() {
        Exporter.run(ExportConfig.builder(
                        PostgresSource.parse(PostgresOracle.shared().url()), root)
                .tables("composite_runs")
                .workers(1)
                .append(true)
                .build());
    }
}
