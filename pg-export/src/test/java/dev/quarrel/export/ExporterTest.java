package dev.quarrel.export;

import static dev.quarrel.export.ExportFailure.assertFails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.copy.Unfit;
import dev.quarrel.export.source.PostgresSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Exports from a real PostgreSQL, read back and compared with what PostgreSQL prints.
final class ExporterTest {
    private static final long SEED = Long.getLong("quarrel.seed", System.nanoTime());

    @TempDir
    Path folder;

    @BeforeAll
    static void tables() throws SQLException {
        System.out.println("ExporterTest: -Dquarrel.seed=" + SEED);
        TestPostgres.execute(
                "SELECT setseed(" + (SEED % 1000) / 1000.0 + ")",
                """
                CREATE TABLE every_type (
                    id int NOT NULL, b bool, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8,
                    n numeric(38,10), n0 numeric(5,0), n9 numeric(9,9), nn numeric(4,-2), ns numeric(2,4),
                    t text, v varchar(10), c char(6), nm name, ch "char", o oid,
                    d date, ts timestamp, ts3 timestamp(3), tz timestamptz)""",
                """
                INSERT INTO every_type VALUES
                (0, NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL),
                (1, true, -32768, -2147483648, -9223372036854775808, 'NaN', 'NaN',
                 -9999999999999999999999999999.9999999999, -99999, -0.999999999, -999900, 0.0099,
                 '', '', '', '', '', 0, '4713-01-01 BC', '4713-01-01 BC', '0001-01-01 BC', '4713-01-01 BC'),
                (2, false, 32767, 2147483647, 9223372036854775807, 'Infinity', '-Infinity',
                 9999999999999999999999999999.9999999999, 99999, 0.999999999, 999900, -0.0099,
                 'Grüße, 世界 🏹', 'äöü', 'ab', repeat('x', 63), E'\\\\377', 4294967295,
                 '5874897-12-31', '294246-12-31 23:59:59.999999', '2024-02-29 12:00:00.5', '294246-12-31 23:59:59.999999+00'),
                (3, true, 0, 0, 0, '-0', '-0', 0, 0, 0, 0, 0, E'\\n\\t|"\\\\', ' x ', 'abcdef', 'n', 'A', 1,
                 '1970-01-01', '1970-01-01', '1969-12-31 23:59:59.999', '1969-12-31 23:59:59.999999+00'),
                (4, false, 1, -1, 1, 1.17549435e-38, 5e-324, 0.0000000001, 1, 0.000000001, 100, 0.0001,
                 repeat('long ', 100000), 'v', 'c', 'nm', 'z', 16384,
                 '2000-01-01', '2000-01-01', '1999-12-31 23:59:59.999', '2000-01-01+00')""",
                """
                INSERT INTO every_type
                SELECT g, random() < 0.5, (random() * 65535 - 32768)::int2, (random() * 4294967295 - 2147483648)::int4,
                    (random() * 1e18)::int8, (random() * 10 ^ (random() * 60 - 30))::float4, random() * 10 ^ (random() * 600 - 300),
                    (random() * 10 ^ (random() * 37 - 10))::numeric * (CASE WHEN random() < 0.5 THEN -1 ELSE 1 END),
                    random() * 99998, random() * 0.99, random() * 999000, random() * 0.0098,
                    repeat(md5(g::text), (random() * 5)::int), left(md5(g::text), (random() * 10)::int), chr(65 + g % 26),
                    'n' || g, chr(65 + g % 26)::"char", g, date '1970-01-01' + (random() * 100000 - 50000)::int,
                    timestamp '1970-01-01' + random() * interval '100 years', timestamp '1970-01-01' - random() * interval '1 day',
                    timestamptz '1970-01-01' + (random() - 0.5) * interval '1000 years'
                FROM generate_series(5, 5000) g""",
                "CREATE TABLE newer_types (id int NOT NULL, u uuid, b bytea, c time, c2 time(2), s interval, sy interval year to month)",
                """
                INSERT INTO newer_types VALUES
                (0, NULL, NULL, NULL, NULL, NULL, NULL),
                (1, '00000000-0000-0000-0000-000000000000', '', '00:00', '00:00', '0', '0'),
                (2, 'ffffffff-ffff-ffff-ffff-ffffffffffff', '\\x00ff', '24:00', '23:59:59.999', '1 mon -1 day 00:00:00.000001', '-1 year'),
                (3, '80000000-0000-0000-7fff-ffffffffffff', decode(repeat('00ff7f80', 5000), 'hex'), '23:59:59.999999', '12:00:00.125',
                    '-178000000 years 2147483647 days -2562047:47:16.854775', '178000000 years 11 mons'),
                (4, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'text', '12:34:56.789', '24:00', 'infinity', '-infinity')""",
                """
                INSERT INTO newer_types
                SELECT g, md5(g::text)::uuid, decode(left(md5(g::text), g % 16 * 2), 'hex'), time '00:00' + g * interval '17.3 sec',
                    time '00:00' + g * interval '17.337 sec', make_interval(g % 7 - 3, g % 11, 0, g % 40 - 20, 0, 0, g * 1.000001),
                    make_interval(g % 9 - 4, g % 5)
                FROM generate_series(5, 3000) g""",
                "CREATE TABLE empty_table (a int, b text)",
                "CREATE TABLE many AS SELECT g AS id, g * 7 % 1000 AS k, 'value ' || g AS t,"
                        + " CASE WHEN g % 3 = 0 THEN NULL ELSE g % 2 = 0 END AS f FROM generate_series(1, 120000) g",
                "CREATE SCHEMA \"Odd Schema\"",
                "CREATE TABLE \"Odd Schema\".\"a.b\"\"c/d\" (\"Select\" int, \"x y\" text)",
                "INSERT INTO \"Odd Schema\".\"a.b\"\"c/d\" VALUES (1, 'one')");
    }

    private static ExportConfig.Builder config(Path output) {
        return ExportConfig.builder(PostgresSource.parse(TestPostgres.url()), output);
    }

    private static List<String> columns(Path root, String table) {
        return schema(root, "public", table).fields().stream()
                .map(field -> '"' + field.name() + '"')
                .toList();
    }

    private static Schema schema(Path root, String schema, String table) {
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            return snapshot.table(schema, table).shownSchema();
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "2, 0", "2, 3"})
    void everyTypeReadsBackAsPostgresPrintsIt(int workers, int zstdLevel) throws SQLException {
        ExportReport report = Exporter.run(config(folder)
                .tables("every_type")
                .workers(workers)
                .zstdLevel(zstdLevel)
                .build());
        assertThat(report.rowCount()).isEqualTo(5001);
        assertThat(Rows.ofTable(folder, "public", "every_type"))
                .isEqualTo(Rows.ofPostgres("every_type", columns(folder, "every_type")));
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "2, 3"})
    void newerTypesReadBackAsPostgresPrintsThem(int workers, int zstdLevel) throws SQLException {
        Exporter.run(config(folder)
                .tables("newer_types")
                .workers(workers)
                .zstdLevel(zstdLevel)
                .build());
        assertThat(Rows.ofTable(folder, "public", "newer_types"))
                .isEqualTo(Rows.ofPostgres("newer_types", columns(folder, "newer_types")));
        assertThat(schema(folder, "public", "newer_types").fields().stream().map(field -> field.pgType()))
                .containsExactly(
                        "integer",
                        "uuid",
                        "bytea",
                        "time without time zone",
                        "time(2) without time zone",
                        "interval",
                        "interval year to month");
    }

    @Test
    void fieldsTellPostgresTypes() {
        Exporter.run(config(folder).tables("every_type").build());
        Schema schema = schema(folder, "public", "every_type");
        assertThat(schema.fields().stream().map(field -> field.name() + " " + field.pgType()))
                .containsExactly(
                        "id integer",
                        "b boolean",
                        "i2 smallint",
                        "i4 integer",
                        "i8 bigint",
                        "f4 real",
                        "f8 double precision",
                        "n numeric(38,10)",
                        "n0 numeric(5,0)",
                        "n9 numeric(9,9)",
                        "nn numeric(4,-2)",
                        "ns numeric(2,4)",
                        "t text",
                        "v character varying(10)",
                        "c character(6)",
                        "nm name",
                        "ch \"char\"",
                        "o oid",
                        "d date",
                        "ts timestamp without time zone",
                        "ts3 timestamp(3) without time zone",
                        "tz timestamp with time zone");
        assertThat(schema.field(0).nullable()).isFalse();
        assertThat(schema.field(1).nullable()).isTrue();
        assertThat(schema.type(schema.indexOf("nn"))).isEqualTo(new DataType.Decimal(6, 0));
        assertThat(schema.type(schema.indexOf("ns"))).isEqualTo(new DataType.Decimal(4, 4));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void rangesOfManyWorkersHoldEveryRowOnce(int workers) throws SQLException {
        ExportReport report = Exporter.run(config(folder)
                .tables("many", "empty_table", "every_type")
                .workers(workers)
                .batchBytes(300_000)
                .build());
        assertThat(Rows.ofTable(folder, "public", "many"))
                .isEqualTo(Rows.ofPostgres("many", List.of("id", "k", "t", "f")));
        assertThat(Rows.ofTable(folder, "public", "empty_table")).isEmpty();
        assertThat(report.tables().stream().map(ExportReport.TableReport::name))
                .containsExactly("many", "empty_table", "every_type");
        ExportReport.TableReport many = report.tables().getFirst();
        assertThat(many.rowCount()).isEqualTo(120_000);
        // About 4 MB of columns; leftovers are merged, so there are few small batches.
        assertThat(many.batchCount()).isBetween(8, 20);
    }

    @Test
    void oneWorkerKeepsTheTablesOrder() {
        Exporter.run(
                config(folder).tables("many").workers(1).batchBytes(300_000).build());
        try (DatasetCatalog catalog = DatasetCatalog.open(folder);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            assertThat(snapshot.table("public", "many").sortedBy()).containsExactly(0);
        }
    }

    @Test
    void manifestTellsTheSnapshot() {
        ExportReport report = Exporter.run(config(folder).tables("empty_table").build());
        Manifest.Run run = Manifest.read(folder).runs().getFirst();
        assertThat(run.origin()).isEqualTo(report.origin());
        assertThat(run.origin().source())
                .isEqualTo(PostgresSource.parse(TestPostgres.url()).toString());
        assertThat(run.origin().snapshot()).isEqualTo(report.snapshot()).matches("\\d+:\\d+:.*");
        assertThat(run.origin().snapshotId()).matches("[0-9A-F]+-[0-9A-F]+-\\d+");
        assertThat(run.origin().lsn()).isEqualTo(report.lsn()).matches("[0-9A-F]+/[0-9A-F]+");
        assertThat(run.origin().systemIdentifier()).matches("\\d{19}");
        assertThat(run.origin().serverVersion()).startsWith("18.");
    }

    @Test
    void namesAreReadAsPostgresReadsThem() {
        Exporter.run(config(folder)
                .tables("\"Odd Schema\".\"a.b\"\"c/d\"", "PUBLIC.Empty_Table")
                .build());
        assertThat(Rows.ofTable(folder, "Odd Schema", "a.b\"c/d")).containsExactly("1|one");
        assertThat(Rows.ofTable(folder, "public", "empty_table")).isEmpty();
    }

    @Test
    void aQueryBecomesATable() throws SQLException {
        Exporter.run(config(folder)
                .query(
                        "q",
                        "SELECT k, count(*) AS n, sum(id)::numeric(20,2) AS s, max(t)::varchar(20) m FROM many GROUP BY k; ")
                .build());
        assertThat(Rows.ofTable(folder, "public", "q"))
                .isEqualTo(Rows.ofPostgres(
                        "(SELECT k, count(*) AS n, sum(id)::numeric(20,2) AS s, max(t) m FROM many GROUP BY k) q",
                        List.of("k", "n", "s", "m")));
        assertThat(schema(folder, "public", "q").fields().stream().map(field -> field.pgType()))
                .containsExactly("integer", "bigint", "numeric(20,2)", "character varying(20)");
    }

    @Test
    void oneTableMayGoToOneFile() throws SQLException {
        Path file = folder.resolve("x.arrow");
        ExportReport report = Exporter.run(config(file).tables("many").build());
        assertThat(Rows.ofFile(file)).isEqualTo(Rows.ofPostgres("many", List.of("id", "k", "t", "f")));
        try (ArrowFile arrow = ArrowFile.open(file);
                Stream<Path> files = Files.list(folder)) {
            assertThat(arrow.fileMetadata())
                    .containsEntry("quarrel.lsn", report.lsn())
                    .containsEntry("quarrel.snapshot", report.snapshot());
            assertThat(files).containsExactly(file);
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    @Test
    void runsAppendOrReplace() throws SQLException {
        TestPostgres.execute("DROP TABLE IF EXISTS runs", "CREATE TABLE runs AS SELECT 1 AS a");
        Exporter.run(config(folder).tables("runs").build());
        Exporter.run(config(folder).tables("runs").append(true).build());
        assertThat(Rows.ofTable(folder, "public", "runs")).containsExactly("1", "1");
        TestPostgres.execute("UPDATE runs SET a = 2");
        Exporter.run(config(folder).tables("runs").build());
        assertThat(Rows.ofTable(folder, "public", "runs")).containsExactly("2");
    }

    @Test
    void partitionsViewsChildrenAndDomainsAreExported() throws SQLException {
        TestPostgres.execute(
                "CREATE DOMAIN money2 AS numeric(12,2)",
                "CREATE DOMAIN price AS money2 CHECK (VALUE >= 0)",
                "CREATE TABLE parts (k int, p price, dropped int) PARTITION BY RANGE (k)",
                "CREATE TABLE parts_a PARTITION OF parts FOR VALUES FROM (0) TO (50000)",
                "CREATE TABLE parts_b (p price, k int, dropped int)",
                "ALTER TABLE parts ATTACH PARTITION parts_b FOR VALUES FROM (50000) TO (100000)",
                "INSERT INTO parts SELECT g, g / 100.0, 0 FROM generate_series(0, 99999) g",
                "ALTER TABLE parts DROP COLUMN dropped",
                "CREATE TABLE base (a int)",
                "CREATE TABLE child () INHERITS (base)",
                "INSERT INTO base SELECT generate_series(1, 40000)",
                "INSERT INTO child SELECT generate_series(40001, 200000)",
                "CREATE VIEW a_view AS SELECT k, p FROM parts WHERE k < 10",
                "CREATE MATERIALIZED VIEW a_matview AS SELECT k, p FROM parts WHERE k < 10");
        ExportReport report = Exporter.run(config(folder)
                .tables("parts", "base", "a_view", "a_matview")
                .workers(4)
                .build());
        assertThat(Rows.ofTable(folder, "public", "parts")).isEqualTo(Rows.ofPostgres("parts", List.of("k", "p")));
        assertThat(Rows.ofTable(folder, "public", "base")).isEqualTo(Rows.ofPostgres("base", List.of("a")));
        assertThat(Rows.ofTable(folder, "public", "a_view")).isEqualTo(Rows.ofPostgres("a_view", List.of("k", "p")));
        assertThat(Rows.ofTable(folder, "public", "a_matview"))
                .isEqualTo(Rows.ofPostgres("a_matview", List.of("k", "p")));
        assertThat(report.rowCount()).isEqualTo(300_020);
        assertThat(schema(folder, "public", "parts").field(1).pgType()).isEqualTo("numeric(12,2)");
    }

    @Test
    void textOfFewValuesGetsADictionary() throws SQLException {
        TestPostgres.execute(
                "CREATE TABLE coded AS SELECT g AS id, (ARRAY['red','green',NULL,'blue'])[g % 4 + 1] AS color,"
                        + " 'text ' || g AS unique_text FROM generate_series(1, 20000) g",
                "ANALYZE coded");
        Exporter.run(
                config(folder).tables("coded").workers(2).batchBytes(100_000).build());
        assertThat(Rows.ofTable(folder, "public", "coded"))
                .isEqualTo(Rows.ofPostgres("coded", List.of("id", "color", "unique_text")));
        try (DatasetCatalog catalog = DatasetCatalog.open(folder);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            assertThat(snapshot.table("public", "coded").dictionary(1).size()).isEqualTo(3);
            assertThat(snapshot.table("public", "coded").dictionary(2)).isNull();
        }
    }

    @Test
    void oldStatisticsDoNotMakeDictionariesTooNarrow() throws SQLException {
        TestPostgres.execute(
                "CREATE TABLE grown AS SELECT 'a' AS word FROM generate_series(1, 2000)",
                "ANALYZE grown",
                "INSERT INTO grown SELECT 'word ' || g FROM generate_series(1, 3000) g");
        Exporter.run(config(folder).tables("grown").build());
        assertThat(Rows.ofTable(folder, "public", "grown")).isEqualTo(Rows.ofPostgres("grown", List.of("word")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "numeric; 1e38; 22003; column wrong.v has a value of more than 38 digits; --numeric-overflow text",
                "numeric; 1e-39; 22003; column wrong.v has a value of more than 38 digits; --numeric-overflow null",
                "numeric(9,2); 'NaN'; 22003; column wrong.v has the numeric value NaN; --numeric-overflow null",
                "numeric(9,2); 'NaN'; 22003; column wrong.v has the numeric value NaN; --exclude wrong.v",
                "timestamp; '294270-01-01'; 22008; column wrong.v has a timestamp after; ``",
            })
    void whatCannotBeWrittenIsRefused(String type, String value, String state, String message, String hint)
            throws SQLException {
        Exporter.run(config(folder).tables("many").build());
        List<String> before = Rows.ofTable(folder, "public", "many");
        TestPostgres.execute(
                "DROP TABLE IF EXISTS wrong",
                "CREATE TABLE wrong (id int, v " + type + ")",
                "INSERT INTO wrong VALUES (1, " + value + ")");
        assertThatThrownBy(() ->
                        Exporter.run(config(folder).tables("many", "wrong").build()))
                .isInstanceOfSatisfying(QueryException.class, failure -> {
                    assertThat(failure.state().code()).isEqualTo(state);
                    assertThat(failure).hasMessageContaining(message);
                    assertThat(String.valueOf(failure.hint())).contains(hint == null ? "" : hint);
                });
        assertThat(Rows.ofTable(folder, "public", "many")).isEqualTo(before);
        assertThat(filesWithout(folder, "many"))
                .noneMatch(path -> path.toString().contains("wrong"));
        Exporter.run(config(folder).tables("wrong").excluded(List.of("wrong.v")).build());
        assertThat(Rows.ofTable(folder, "public", "wrong")).containsExactly("1");
    }

    @Test
    void numericsThatAreNoNumbersComeThrough() throws SQLException {
        TestPostgres.execute(
                "DROP TABLE IF EXISTS specials",
                "CREATE TABLE specials (v numeric)",
                "INSERT INTO specials VALUES ('NaN'), ('Infinity'), ('-Infinity'), (1.50), (NULL)");
        Exporter.run(config(folder).tables("specials").build());
        assertThat(Rows.ofTable(folder, "public", "specials"))
                .isEqualTo(Rows.ofPostgres("specials", List.of("v")))
                .contains("NaN", "Infinity", "-Infinity", "1.50");
    }

    private static List<Path> filesWithout(Path root, String table) {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(path ->
                            Files.isRegularFile(path) && !path.toString().contains(table))
                    .toList();
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "2, 3"})
    void numericsKeepTheirScales(int workers, int zstdLevel) throws SQLException {
        TestPostgres.execute(
                "DROP TABLE IF EXISTS free",
                "CREATE TABLE free (id int NOT NULL, n numeric, wide numeric(60,3), d date NOT NULL, t timestamptz)",
                "SELECT setseed(" + (SEED % 1000) / 1000.0 + ")",
                """
                INSERT INTO free VALUES
                (0, NULL, NULL, '2020-01-01', NULL),
                (1, 0, 0, 'infinity', '-infinity'),
                (2, 0.00, 1, '-infinity', 'infinity'),
                (3, -1.50, -0.001, '2020-02-29', now()),
                (4, 99999999999999999999999999999999999999, 99999999999999999999999999999999999.999, '2020-01-01', NULL),
                (5, -0.00000000000000000000000000000000000001, -99999999999999999999999999999999999.999, '2020-01-01', NULL),
                (6, 1e37, 1e30, '2020-01-01', NULL), (7, 100000000.0000, 10000, '2020-01-01', NULL)""",
                """
                INSERT INTO free SELECT g, CASE WHEN random() < 0.9 THEN
                    round((random() - 0.5)::numeric * (10::numeric ^ (g % 20)), g % 17) END,
                    (random() * 1e15)::numeric, '2020-01-01', now()
                FROM generate_series(8, 3000) g""");
        Exporter.run(config(folder)
                .tables("free")
                .workers(workers)
                .zstdLevel(zstdLevel)
                .build());
        assertThat(schema(folder, "public", "free").type(1)).isEqualTo(DataType.NUMERIC);
        assertThat(Rows.ofTable(folder, "public", "free"))
                .isEqualTo(Rows.ofPostgres("free", List.of("id", "n", "wide", "d", "t")));
    }

    @Test
    void whatDoesNotFitBecomesWhatIsAsked() throws SQLException {
        TestPostgres.execute(
                "DROP TABLE IF EXISTS unfit",
                "CREATE TABLE unfit (id int NOT NULL, n numeric NOT NULL, p numeric(9,2), d date NOT NULL, t timestamp)",
                """
                INSERT INTO unfit VALUES (1, 'NaN', 'NaN', 'infinity', '-infinity'), (2, 1e60, 1.25, '2020-01-01', now()),
                (3, 1.50, NULL, '-infinity', 'infinity')""");
        Exporter.run(config(folder)
                .tables("unfit")
                .unfit(Unfit.Overflow.NULL, Unfit.Infinity.NULL)
                .build());
        assertThat(Rows.ofTable(folder, "public", "unfit"))
                .isEqualTo(Rows.ofPostgres(
                        "(SELECT id, CASE WHEN id <> 2 THEN n END n, nullif(p, 'NaN') p, CASE WHEN isfinite(d) THEN d END d,"
                                + " CASE WHEN isfinite(t) THEN t END t FROM unfit) u",
                        List.of("id", "n", "p", "d", "t")));
        Exporter.run(config(folder)
                .query("texts", "SELECT id, n FROM unfit -- as they are")
                .unfit(Unfit.Overflow.TEXT, Unfit.Infinity.KEEP)
                .build());
        assertThat(Rows.ofTable(folder, "public", "texts")).isEqualTo(Rows.ofPostgres("unfit", List.of("id", "n")));
        assertThat(schema(folder, "public", "texts").field(1))
                .isEqualTo(new Field("n", DataType.UTF8, true, "numeric"));
        assertFails(
                config(folder)
                        .tables("unfit")
                        .excluded(List.of("n", "p"))
                        .unfit(Unfit.Overflow.ERROR, Unfit.Infinity.ERROR),
                "22008",
                "column unfit.d has the value infinity");
    }

    @Test
    void queriesHaveColumnsOfEveryType() throws SQLException {
        TestPostgres.execute("DROP TYPE IF EXISTS \"Odd Mood\"", "CREATE TYPE \"Odd Mood\" AS ENUM ('a', 'B')");
        Exporter.run(config(folder)
                .query(
                        "q",
                        "SELECT '10.0.0.1'::inet AS \"In et\", 'B'::\"Odd Mood\" AS m, ARRAY[1,2] AS a, '{}'::json AS j, ROW(1, 'x') AS r"
                                + " -- and no more")
                .build());
        assertThat(Rows.ofTable(folder, "public", "q")).containsExactly("10.0.0.1|B|{1,2}|{}|(1,x)");
        assertThat(schema(folder, "public", "q").fields().stream().map(field -> field.pgType()))
                .containsExactly("inet", "\"Odd Mood\"", "integer[]", "json", "record");
        assertThat(schema(folder, "public", "q").field(1).other().labels()).containsExactly("a", "B");
    }

    @Test
    void numericsOfManyDigitsKeepThemAll() throws SQLException {
        TestPostgres.execute(
                "DROP TABLE IF EXISTS wide",
                "CREATE TABLE wide (id int NOT NULL, n numeric(50,2), m numeric(200,150))",
                "INSERT INTO wide VALUES (1, 1e47, 1e-150), (2, 'NaN', -1), (3, NULL, 12345678901234567890.5)");
        Exporter.run(config(folder).tables("wide").build());
        assertThat(Rows.ofTable(folder, "public", "wide")).isEqualTo(Rows.ofPostgres("wide", List.of("id", "n", "m")));
        assertThat(schema(folder, "public", "wide").field(1))
                .isEqualTo(new Field("n", DataType.UTF8, true, "numeric(50,2)"));
    }

    @Test
    void numericWithoutPrecisionBecomesWhatIsAsked() throws SQLException {
        TestPostgres.execute(
                "DROP TABLE IF EXISTS loose",
                "CREATE TABLE loose (v numeric)",
                "INSERT INTO loose VALUES (1), (1.50), (-123456789.123400), (NULL)");
        Exporter.run(config(folder).tables("loose").numeric(38, 4).build());
        assertThat(Rows.ofTable(folder, "public", "loose")).containsExactly("-123456789.1234", "1.0000", "1.5000", "∅");
        for (int scale : new int[] {3, 37}) {
            assertThatThrownBy(() -> Exporter.run(
                            config(folder).tables("loose").numeric(38, scale).build()))
                    .isInstanceOfSatisfying(
                            QueryException.class,
                            failure -> assertThat(failure.state()).isEqualTo(SqlState.NUMERIC_VALUE_OUT_OF_RANGE))
                    .hasMessageContaining("column loose.v has a value");
        }
    }

    @Test
    void mistakesAreToldWithSqlstates() {
        assertFails(config(folder).tables("no_such_table"), "42P01", "relation \"no_such_table\" does not exist");
        assertFails(config(folder).tables("many", "public.many"), "22023", "named twice");
        assertFails(config(folder).tables("many").excluded(List.of("nothing")), "42703", "nothing");
        assertFails(config(folder).query("q", "SELECT 1 AS a, 2 AS a"), "42701", "two columns named a");
        assertFails(config(folder).query("q", "SELECT FROM nowhere"), "42P01", "nowhere");
        assertFails(config(folder).query("q", "SELECT 1 / 0 AS a"), "22012", "division by zero");
        assertFails(
                ExportConfig.builder(PostgresSource.parse("postgresql://nobody:secret@localhost:1/none"), folder)
                        .tables("many"),
                "08006",
                "could not connect to postgresql://nobody@localhost:1/none");
        assertThat(filesWithout(folder, "_")).isEmpty();
        try (DatasetCatalog catalog = DatasetCatalog.open(folder);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            assertThat(snapshot.tables("public")).isEmpty();
        }
    }

    @Test
    void cancellingStopsAtOnceAndLeavesNothing() {
        Exporter.run(config(folder).tables("many").build());
        List<String> before = Rows.ofTable(folder, "public", "many");
        Cancellation cancellation = new Cancellation();
        ExportProgress canceller = new ExportProgress() {
            @Override
            public void advanced(String table, long rows, long bytes) {
                cancellation.cancel();
            }
        };
        ExportConfig slow = config(folder)
                .query("slow", "SELECT g, pg_sleep(0.01)::text AS s FROM generate_series(1, 100000) g")
                .tables("many")
                .workers(2)
                .build();
        long start = System.nanoTime();
        assertThatThrownBy(() -> Exporter.run(slow, canceller, cancellation))
                .isInstanceOfSatisfying(
                        QueryException.class,
                        failure -> assertThat(failure.state()).isEqualTo(SqlState.QUERY_CANCELED));
        assertThat(System.nanoTime() - start).isLessThan(10_000_000_000L);
        assertThat(Rows.ofTable(folder, "public", "many")).isEqualTo(before);
        assertThat(filesWithout(folder, "many"))
                .noneMatch(path -> path.toString().contains("slow"));
    }
}
