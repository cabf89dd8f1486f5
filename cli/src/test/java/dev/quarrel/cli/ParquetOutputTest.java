package dev.quarrel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Results as Parquet files, read again by Hardwood.
final class ParquetOutputTest {
    /// Rows at the edges of pages and of groups of eight; every third value NULL, texts of few and of many values.
    private static final String ROWS = """
            select n::int as i4, case when n % 3 <> 0 then (n % 30000)::smallint end as i2, case when n % 3 <> 1 then n * 3000000000 end as i8,
              case when n % 3 <> 2 then n / 4.0::real end::real as f4, case when n % 7 <> 2 then -n / 8.0::float8 end as f8,
              case when n % 5 <> 2 then n % 2 = 0 end as b, case when n % 9 <> 2 then (n / 100.0)::numeric(9,2) end as d9,
              (-n / 100.0)::numeric(18,2) as d18, case when n % 2 = 0 then (n * -1000000007.5)::numeric(38,3) else (n + 0.5)::numeric(38,3) end as d38,
              case when n % 3 <> 0 then 'few ' || n % 5 end as few, 'many ' || n as many, repeat('\u00e4', n % 40) as long,
              date '2000-01-01' - n::int as d, time '00:00:00.000001' + n * interval '1 ms' as t, timestamp '1969-12-31 23:59:59.999999' + n * interval '1 s' as ts,
              timestamptz '2024-02-29 12:00:00+01' - n * interval '1 h' as tsz, decode(md5(n::text), 'hex') as by, md5(n::text)::uuid as u,
              null::int as nothing, null::text as no_text, make_interval(months => n::int, days => 3, secs => 0.5) as iv
            from generate_series(1, %d) as n
            """;

    @TempDir
    private Path folder;

    private CommandRun sql(String... arguments) {
        String[] all = Stream.concat(
                        Stream.of("sql", "--data", folder.resolve("data").toString()), Stream.of(arguments))
                .toArray(String[]::new);
        return CommandRun.of(all);
    }

    private CommandRun written(String rows, String options, Path file) {
        return sql("-c", rows, "--copy", "format parquet" + options, "-o", file.toString());
    }

    private void imported(Path file, String name) {
        CommandRun run = CommandRun.of(
                "import", file.toString(), "-o", folder.resolve("data").toString(), "--append", "--name", name);
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    private String answer(String query) {
        CommandRun run = sql("--format", "csv", "-c", query);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }

    private static String rows(int count) {
        return ROWS.replace("%d", String.valueOf(count));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ", compression none", ", compression lz4", ", row_group_size 1000"})
    void rowsAreReadAsTheyWere(String options) throws IOException {
        Files.writeString(folder.resolve("x.csv"), "a\n1\n");
        imported(folder.resolve("x.csv"), "x");
        for (int count : options.isEmpty() ? List.of(1, 9, 32_769) : List.of(2_049)) {
            Path file = folder.resolve("r.parquet");
            CommandRun run = written(rows(count), options, file);
            assertThat(run.exitCode()).as(run.err()).isZero();
            imported(file, "r" + count);
            String difference =
                    "select (select count(*) from ((%s) except all (%s)) d), count(*) as rows from r" + count;
            assertThat(answer(difference.formatted(rows(count), "select * from r" + count)))
                    .isEqualTo("count,rows\n0," + count + "\n");
        }
        assertThat(answer("select pg_typeof(i2), pg_typeof(d38), pg_typeof(tsz), pg_typeof(ts), pg_typeof(u),"
                        + " pg_typeof(iv), pg_typeof(by) from r"
                        + (options.isEmpty() ? 1 : 2_049)
                        + " limit 1"))
                .contains("smallint,numeric,timestamp with time zone,timestamp without time zone,uuid,interval,bytea");
    }

    @Test
    void anEmptyResultHasItsColumns() throws IOException {
        Files.writeString(folder.resolve("x.csv"), "a\n1\n");
        imported(folder.resolve("x.csv"), "x");
        Path file = folder.resolve("none.parquet");
        assertThat(written("select a, 'x' as t from x where a > 1", "", file).exitCode())
                .isZero();
        imported(file, "n");
        assertThat(answer("select * from n")).isEqualTo("a,t\n");
    }

    @Test
    void whatParquetCannotHoldIsAnErrorAndLeavesTheFileThatWasThere() throws IOException {
        Files.writeString(folder.resolve("x.csv"), "a\n1\n");
        imported(folder.resolve("x.csv"), "x");
        Path file = Files.writeString(folder.resolve("old.parquet"), "old");
        for (String value : List.of(
                "interval '-1 day'",
                "interval '1 microsecond'",
                "date 'infinity'",
                "timestamp '-infinity'",
                "time '24:00'")) {
            CommandRun run = written("select " + value + " as v from x", "", file);
            assertThat(run.exitCode()).as(value).isEqualTo(1);
            assertThat(run.err()).contains("22008", "column \"v\"", "Parquet cannot hold");
        }
        CommandRun second = sql("--format", "parquet", "-o", file.toString(), "-c", "select 1; select 2");
        assertThat(second.exitCode()).isEqualTo(1);
        assertThat(second.err()).contains("0A000", "one query's rows");
        assertThat(Files.readString(file)).isEqualTo("old");
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left.map(Path::getFileName).map(Path::toString))
                    .containsExactlyInAnyOrder("data", "old.parquet", "x.csv");
        }
    }

    @Test
    void optionsAreChecked() throws IOException {
        Files.writeString(folder.resolve("x.csv"), "a\n1\n");
        imported(folder.resolve("x.csv"), "x");
        assertThat(sql("-c", "copy x to stdout (format csv, row_group_size 5)").err())
                .contains("0A000", "ROW_GROUP_SIZE requires PARQUET mode");
        assertThat(sql("-c", "copy x to stdout (format parquet, row_group_size 0)")
                        .err())
                .contains("22023", "ROW_GROUP_SIZE \"0\" is not a number of rows");
        assertThat(sql("-c", "copy x to stdout (format parquet, header)").err())
                .contains("cannot specify HEADER in PARQUET mode");
    }

    /// A pipe stands for what cannot be replaced, such as /dev/null.
    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "makes a pipe")
    void linksStayAndPipesAreWritten() throws Exception {
        Path target = Files.writeString(folder.resolve("target.csv"), "old");
        Path link = Files.createSymbolicLink(folder.resolve("link.csv"), target);
        CommandRun run = CommandRun.of(
                "sql", "--data", folder.toString(), "--format", "csv", "-o", link.toString(), "-c", "select 1 as a");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(link).isSymbolicLink();
        assertThat(target).hasContent("a\n1\n");
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Process reader = new ProcessBuilder("cat", pipe.toString()).start();
        run = CommandRun.of(
                "sql", "--data", folder.toString(), "--format", "csv", "-o", pipe.toString(), "-c", "select 2 as a");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(new String(reader.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("a\n2\n");
        assertThat(Files.isRegularFile(pipe)).isFalse();
    }
}
