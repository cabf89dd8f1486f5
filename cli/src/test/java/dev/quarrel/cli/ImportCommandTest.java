package dev.quarrel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `quarrel import`: files of other formats as runs of a dataset.
final class ImportCommandTest extends ImportFixture {
    @Test
    void csvBecomesATableAndMoreRowsFollow() throws IOException {
        CommandRun first = run(file("sales.csv", "id,city,price\n1,Berlin,1.5\n2,\"New, York\",\n"));
        assertThat(first.exitCode()).as(first.err()).isZero();
        assertThat(first.err()).contains("2 rows of 1 file written to public.sales");
        assertThat(sql("select * from sales order by id")).isEqualTo("id,city,price\n1,Berlin,1.5\n2,\"New, York\",\n");
        Path more = folder.resolve("more.csv.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(more))) {
            out.write("id,city,price\n3,Paris,2\n".getBytes(StandardCharsets.UTF_8));
        }
        assertThat(run(more, "--name", "sales", "--append").exitCode()).isZero();
        assertThat(sql("select count(*), max(price) from sales")).isEqualTo("count,max\n3,2\n");
        assertThat(CommandRun.of("inspect", root, "--verify").exitCode()).isZero();
    }

    @Test
    void typesAreDeclared() throws IOException {
        Path file = file("x.txt", "1|1.50|'a|b'\n2|NULL|\n");
        CommandRun outcome = run(
                file,
                "--name",
                "s.t",
                "--columns",
                "id int not null, p numeric(10,2), t varchar(9)",
                "--no-header",
                "--delimiter",
                "|",
                "--quote",
                "'",
                "--null",
                "NULL");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(sql("select id, p, t, pg_typeof(p) from s.t order by 1"))
                .isEqualTo("id,p,t,pg_typeof\n1,1.50,a|b,numeric\n2,,\"\",numeric\n");
    }

    /// A folder's files, whose columns match by name and are as wide as all of their values; what their folders are
    /// called are columns, too.
    @Test
    void foldersAreReadWithTheirKeys() throws IOException {
        for (String day :
                List.of("2025/day=2025-03-01", "2025/day=2025-03-02", "2026/day=__HIVE_DEFAULT_PARTITION__")) {
            Files.createDirectories(folder.resolve("lake/year=" + day));
        }
        file("lake/year=2025/day=2025-03-01/a.csv", "id,v\n1,2\n2,\n");
        file("lake/year=2025/day=2025-03-02/b.csv", "v,id,note\n2.5,3,x\n");
        file("lake/year=2026/day=__HIVE_DEFAULT_PARTITION__/c.csv", "id,year\n4,2026.5\n");
        file("lake/year=2026/_d.csv", "id\n5\n");
        file("lake/notes.md", "no rows\n");
        CommandRun all = run(folder.resolve("lake"));
        assertThat(all.exitCode()).as(all.err()).isZero();
        assertThat(all.err()).contains("4 rows of 3 files written to public.lake");
        assertThat(sql("select *, pg_typeof(v), pg_typeof(year), pg_typeof(day) from lake order by id"))
                .isEqualTo("id,v,note,year,day,pg_typeof,pg_typeof,pg_typeof\n"
                        + "1,2,,2025,2025-03-01,double precision,double precision,date\n"
                        + "2,,,2025,2025-03-01,double precision,double precision,date\n"
                        + "3,2.5,x,2025,2025-03-02,double precision,double precision,date\n"
                        + "4,,,2026.5,,double precision,double precision,date\n");
        assertThat(run(folder.resolve("lake/year=2025/day=2025-03-02/b.csv"), "--no-keys", "--name", "b")
                        .exitCode())
                .isZero();
        assertThat(sql("select * from b")).isEqualTo("v,id,note\n2.5,3,x\n");
        CommandRun pattern = run(folder.resolve("lake/year=*/${d}/?.csv"), "--name", "p", "--append");
        assertThat(pattern.exitCode()).as(pattern.err()).isZero();
        assertThat(sql("select distinct d from p where d is not null order by d limit 1"))
                .isEqualTo("d\nday=2025-03-01\n");
        Files.createDirectory(folder.resolve("none"));
        for (String wrong : List.of("none", "nothing.csv", "x*.csv")) {
            CommandRun outcome = run(folder.resolve(wrong), "--name", "w");
            assertThat(outcome.exitCode()).isEqualTo(1);
            assertThat(outcome.err()).contains("58P01", wrong);
        }
        file("lake/x.parquet", "");
        assertThat(run(folder.resolve("lake"), "--name", "w").err()).contains("name files of one format");
    }

    /// Rows of many files are few batches.
    @Test
    void smallFilesAreJoined() throws IOException {
        Files.createDirectory(folder.resolve("many"));
        for (int file = 0; file < 300; file++) {
            file("many/f%03d.csv".formatted(file), "id,t\n" + file + ",t" + file % 3 + "\n");
        }
        assertThat(run(folder.resolve("many")).exitCode()).isZero();
        assertThat(sql("select count(*), sum(id), count(distinct t) from many"))
                .isEqualTo("count,sum,count\n300,44850,3\n");
        assertThat(CommandRun.of("inspect", written().toString()).out()).contains("1 batch");
    }

    @Test
    void encodingsAreRead() throws IOException {
        Path file = folder.resolve("latin.csv");
        Files.write(file, "t\nstra\u00dfe\n".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(run(file, "--encoding", "latin1").exitCode()).isZero();
        assertThat(sql("select * from latin")).isEqualTo("t\nstra\u00dfe\n");
    }

    @Test
    void nothingIsChangedWhereAValueIsWrong() throws IOException {
        assertThat(run(file("t.csv", "a\n1\n")).exitCode()).isZero();
        CommandRun wrong = run(file("w.csv", "a\n1\nx\n"), "--name", "t", "--columns", "a int");
        assertThat(wrong.exitCode()).isEqualTo(1);
        assertThat(wrong.err())
                .contains("invalid input syntax for type integer: \"x\"")
                .contains("w.csv, line 3, column a: \"x\"");
        assertThat(sql("select a from t")).isEqualTo("a\n1\n");
        assertThat(run(file("n.data", ""), "--name", "t").exitCode()).isEqualTo(2);
    }

    /// As pandas and R write them, with commas and without.
    @Test
    void filesOfOthersAreReadAsTheyAre() throws IOException {
        assertThat(run(file("pandas.csv", ",id,at\n0,5,2024/01/02 03:04\n1,,2024/01/03 03:04\n\n"))
                        .exitCode())
                .isZero();
        assertThat(sql("select column1 + id, at from pandas order by column1"))
                .isEqualTo("?column?,at\n5,2024-01-02 03:04:00\n,2024-01-03 03:04:00\n");
        CommandRun semicolons = run(file("semi.csv", "\"\";\"x\";\"x\"\n\"1\";NA;a,b\n\"2\"; 2.5;c\n"));
        assertThat(semicolons.err()).contains("only \"NA\" makes texts of x; --null 'NA' reads it as NULL");
        assertThat(run(folder.resolve("semi.csv"), "--null", "NA").exitCode()).isZero();
        assertThat(sql("select column1, x * 2, x_1 from semi order by 1"))
                .isEqualTo("column1,?column?,x_1\n1,,\"a,b\"\n2,5,c\n");
        CommandRun values = run(file("values.tsv", "1\t2.5\n2\t3\n"));
        assertThat(values.err()).contains("the first row has values and no names");
        assertThat(sql("select * from values order by 1")).isEqualTo("column1,column2\n1,2.5\n2,3\n");
        assertThat(run(folder.resolve("values.tsv"), "--header").exitCode()).isZero();
        assertThat(sql("select \"1\", \"2.5\" from values")).isEqualTo("1,2.5\n2,3\n");
        assertThat(run(file("named.csv", "a,b\nx,y\n"), "--no-header").exitCode())
                .isZero();
        assertThat(sql("select count(*), max(column2) from named")).isEqualTo("count,max\n2,y\n");
    }

    @Test
    void filesThatDifferInTheirFormAreRefused() throws IOException {
        Files.createDirectory(folder.resolve("two"));
        file("two/1.csv", "a,b\n1,2\n");
        file("two/2.csv", "a;b\n1;2\n");
        assertThat(run(folder.resolve("two")).err())
                .contains("are separated by ','")
                .contains("by ';'");
        Files.createDirectory(folder.resolve("parts"));
        file("parts/1.csv", "id,name\n1,x\n");
        file("parts/2.csv", "2,y\n3,z\n");
        assertThat(run(folder.resolve("parts")).err()).contains("--header or --no-header says");
        Process pipe = new ProcessBuilder("mkfifo", folder.resolve("pipe").toString()).start();
        assertThat(pipe.onExit().join().exitValue()).isZero();
        assertThat(run(folder.resolve("pipe"), "--format", "csv").err()).contains("is no file that can be read twice");
    }

    /// The fourth column to become wider has all rows looked at.
    @Test
    void manyLateValuesAreFoundAtOnce() throws IOException {
        StringBuilder csv = new StringBuilder("a,b,c,d,e,f\n");
        csv.append("1,1,1,1,1,1\n".repeat(12_000));
        for (int column = 0; column < 6; column++) {
            csv.append("1,".repeat(column))
                    .append("NA")
                    .append(",1".repeat(5 - column))
                    .append('\n');
        }
        CommandRun outcome = run(file("many.csv", csv.toString()));
        assertThat(outcome.err().lines()).hasSize(5);
        assertThat(outcome.err()).contains("more columns have later values");
        assertThat(sql("select max(a), max(f) from many")).isEqualTo("max,max\nNA,NA\n");
    }

    /// A value that comes late makes its column wider, but for a table that has it already.
    @Test
    void lateValuesMakeColumnsWider() throws IOException {
        StringBuilder csv = new StringBuilder("i,d,t\n");
        for (int row = 0; row < 12_000; row++) {
            csv.append(row).append(",2024-01-01,2024-01-01\n");
        }
        Path file = file("late.csv", csv + "0.5,2024-01-01 12:00,NA\n");
        CommandRun outcome = run(file);
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.err())
                .contains("column i is double precision, not bigint: ")
                .contains("column d is timestamp without time zone, not date: ")
                .contains("column t is text, not date: ")
                .contains("has \"NA\", which --null 'NA' reads as NULL; reading from the beginning")
                .contains("12,001 rows of 1 file written");
        assertThat(sql("select sum(i), max(d), max(t) from late"))
                .isEqualTo("sum,max,max\n71994000.5,2024-01-01 12:00:00,NA\n");
        assertThat(run(file("first.csv", "i,d,t\n1,2024-01-01,2024-01-01\n"), "--name", "kept")
                        .exitCode())
                .isZero();
        CommandRun refused = run(file, "--name", "kept", "--append");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err()).contains("line 12002, column i: \"0.5\"");
        assertThat(sql("select count(*) from kept")).isEqualTo("count\n1\n");
    }

    @Test
    void fewTextsGetADictionaryAndManyLeaveIt() throws IOException {
        StringBuilder csv = new StringBuilder("few,many\n");
        for (int row = 0; row < 300_000; row++) {
            csv.append('v')
                    .append(row % 7)
                    .append(",m")
                    .append(row < 262_144 ? row % 9 : row)
                    .append('\n');
        }
        assertThat(run(file("d.csv", csv.toString())).exitCode()).isZero();
        assertThat(sql("select count(distinct few), count(distinct many), count(*) from d"))
                .isEqualTo("count,count,count\n7,37865,300000\n");
        String first = written().toString();
        assertThat(CommandRun.of("inspect", first).out()).contains("dictionary");
    }

    private Path written() throws IOException {
        try (Stream<Path> parts = Files.walk(folder.resolve("root"))) {
            return parts.filter(path -> path.toString().endsWith(".arrow"))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void arrowFilesAreTakenOver() throws IOException {
        assertThat(run(file("a.csv", "n,s\n1,x\n2,y\n")).exitCode()).isZero();
        Path out = folder.resolve("copy.arrow");
        Files.copy(written(), out);
        assertThat(run(out, "--name", "b").exitCode()).isZero();
        assertThat(sql("select * from b order by n")).isEqualTo("n,s\n1,x\n2,y\n");
    }

    /// A file of pyarrow's, which has written the same rows as `arrow.arrow`.
    private static Path written(String name) throws URISyntaxException {
        return Path.of(ImportCommandTest.class.getResource("imports/" + name).toURI());
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "snappy", "zstd", "gzip", "lz4"})
    void parquetHasTheRowsThatArrowHas(String compression) throws Exception {
        assertThat(run(written("arrow.arrow"), "--name", "a").exitCode()).isZero();
        CommandRun outcome = run(written(compression + ".parquet"), "--name", "p");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.err()).contains("60 rows of 1 file written to public.p");
        String difference = "select (select count(*) from (select * from %s except all select * from %s) d)";
        assertThat(sql(difference.formatted("a", "p"))).isEqualTo("count\n0\n");
        assertThat(sql(difference.formatted("p", "a"))).isEqualTo("count\n0\n");
        assertThat(sql("select pg_typeof(tsz), pg_typeof(d9), pg_typeof(u64), pg_typeof(by) from p limit 1"))
                .contains("timestamp with time zone,numeric,numeric,bytea");
    }

    /// The rows of `nested.arrow`, and as pyarrow and DuckDB write them into Parquet: `nested.py` has made them.
    @ParameterizedTest
    @ValueSource(strings = {".arrow", "-snappy.parquet", "-pages.parquet", "-old.parquet", "-duckdb.parquet"})
    void listsStructsAndMapsHaveTheTextsThatArrowHas(String writer) throws Exception {
        CommandRun outcome = run(written("nested" + writer), "--name", "p");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        for (String question : List.of(
                "select * from %s order by id",
                "select pg_typeof(l_u64), pg_typeof(lll), pg_typeof(\"all\") from %s limit 1",
                "select count(*), sum((\"all\").i32), sum(cardinality(l_i32)), count((ls[1]).x) from %s",
                "select key, count(*), sum(value) from %s, unnest(m) group by key order by key")) {
            assertThat(sql(question.formatted("p"))).as(question).isEqualTo(sqlOfOriginal(question.formatted("a")));
        }
        assertThat(CommandRun.of("inspect", root, "--verify").exitCode()).isZero();
    }

    /// Lists that begin anywhere, NULL ones with elements, and members of all encodings: `odd.py` has made them.
    @Test
    void oddListsOfArrowAreTakenOver() throws Exception {
        CommandRun outcome = run(written("odd.arrow"), "--name", "p");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        for (String question : List.of(
                "select * from %s order by id",
                "select (struct).fixed[2], (struct).middle, (struct).coded, (struct).\"union\" from %s order by id",
                "select key, count(*), sum(cardinality(value)) from %s, unnest(map) group by key order by key",
                "select x, count(*) from %s, unnest(coded) x group by x order by x",
                "select sum((structs[1]).number), count((structs[1]).runs) from %s")) {
            assertThat(sql(question.formatted("p")))
                    .as(question)
                    .isEqualTo(sqlOf("odd.arrow", question.formatted("a")));
        }
        assertThat(CommandRun.of("inspect", root, "--verify").exitCode()).isZero();
        assertThat(CommandRun.of("inspect", written().toString()).out())
                .contains("list of struct(coded utf8, middle list of utf8, fixed list of int32, nothing utf8,"
                        + " number float64, runs utf8, union utf8)")
                .contains("list of struct(key utf8, value list of int16)");
    }

    private static String sqlOfOriginal(String text) throws URISyntaxException {
        return sqlOf("nested.arrow", text);
    }

    private static String sqlOf(String file, String text) throws URISyntaxException {
        CommandRun outcome = CommandRun.of("sql", "--table", "a=" + written(file), "--format", "csv", "-c", text);
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        return outcome.out();
    }

    /// Files of which each has columns that others lack, lists, structs and maps among them.
    @Test
    void unlikeParquetFilesAreOneTable() throws Exception {
        CommandRun both =
                run(written("nested-snappy.parquet"), written("odd.parquet").toString(), "--name", "u");
        assertThat(both.exitCode()).as(both.err()).isZero();
        String counts = "select count(*), count(req), count(m), count(\"all\"), sum((\"all\").i32) from %s";
        assertThat(sql(counts.formatted("u where narrow is null"))).isEqualTo(sqlOfOriginal(counts.formatted("a")));
        assertThat(sql(counts.formatted("u where narrow is not null")))
                .isEqualTo("count,count,count,count,sum\n3,0,0,0,\n");
        assertThat(CommandRun.of("inspect", root, "--verify").exitCode()).isZero();
        CommandRun other =
                run(written("nested-snappy.parquet"), written("zstd.parquet").toString(), "--name", "v");
        assertThat(other.exitCode()).isEqualTo(1);
        assertThat(other.err())
                .contains("42804", "zstd.parquet\" has column \"req\" as integer", "as struct(x integer, y text)");
    }

    /// Columns of the type NULL, and decimals of more digits than there is room for, where values have not so many.
    @Test
    void oddColumnsAreRead() throws Exception {
        CommandRun outcome = run(written("odd.parquet"));
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(sql("select wide, narrow, nothing, pg_typeof(wide) from odd order by narrow"))
                .isEqualTo("wide,narrow,nothing,pg_typeof\n"
                        + "-99999999999999999999999999999999999999,1,,numeric\n,2,,numeric\n"
                        + "12345678901234567890,3,,numeric\n");
        CommandRun wrong = run(written("wide.parquet"));
        assertThat(wrong.exitCode()).isEqualTo(1);
        assertThat(wrong.err()).contains("22003", "wide.parquet", "numeric field overflow");
    }

    /// pyarrow gives a column without values no type: it has that of other files, or of the table. The files are
    /// `pa.table({"id": [1, 2], "x": [None] * 2, "l": [None] * 2, "k": [None] * 2})` and, typed, 3 and 4, 1.5 and
    /// 2.5, [1] and [2, 3], and NULLs.
    @ParameterizedTest
    @ValueSource(strings = {"arrow", "parquet"})
    void columnsWithoutATypeHaveThatOfOthers(String format) throws Exception {
        Path untyped = written("untyped." + format);
        Path typed = written("typed." + format);
        String question = "select id, x, (l)[1] l, k, pg_typeof(x) from %s order by id";
        String rows = "id,x,l,k,pg_typeof\n1,,,,double precision\n2,,,,double precision\n"
                + "3,1.5,1,,double precision\n4,2.5,2,,double precision\n";
        for (List<Path> order : List.of(List.of(untyped, typed), List.of(typed, untyped))) {
            CommandRun outcome = run(order.getFirst(), order.getLast().toString(), "--name", "t");
            assertThat(outcome.exitCode()).as(outcome.err()).isZero();
            assertThat(sql(question.formatted("t"))).isEqualTo(rows);
        }
        assertThat(run(typed, "--name", "u").exitCode()).isZero();
        CommandRun appended = run(untyped, "--name", "u", "--append");
        assertThat(appended.exitCode()).as(appended.err()).isZero();
        assertThat(sql(question.formatted("u"))).isEqualTo(rows);
    }

    @Test
    void hivesTimestampsAreRead() throws Exception {
        assertThat(run(written("arrow.arrow"), "--name", "a").exitCode()).isZero();
        assertThat(run(written("int96.parquet"), "--name", "p").exitCode()).isZero();
        assertThat(sql("select count(*) from a join p using (req) where a.ts6 is not distinct from p.ts6"))
                .isEqualTo("count\n60\n");
    }

    @Test
    void parquetFilesFollowOneAnother() throws Exception {
        CommandRun both = CommandRun.of(
                "import",
                written("zstd.parquet").toString(),
                written("none.parquet").toString(),
                "-o",
                root,
                "--name",
                "p");
        assertThat(both.exitCode()).as(both.err()).isZero();
        assertThat(sql("select count(*), count(distinct req) from p")).isEqualTo("count,count\n120,60\n");
        CommandRun none = run(file("x.parquet", "no Parquet"));
        assertThat(none.exitCode()).isEqualTo(1);
        assertThat(none.err()).contains("22P04", "x.parquet", "cannot be read as Parquet");
        assertThat(sql("select count(*) from p")).isEqualTo("count\n120\n");
    }
}
