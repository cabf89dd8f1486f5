package dev.quarrel.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.copy.CopyConnection;
import dev.quarrel.export.copy.JdbcCopyConnection;
import dev.quarrel.export.copy.SocketCopyConnection;
import dev.quarrel.export.copy.Unfit;
import dev.quarrel.export.source.PostgresSource;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The same tables read by our own connection and by pgjdbc's CopyManager: the same files, or, where batches may end at
/// other rows, the same values.
final class CopyTwinsTest {
    private static final long SEED = Long.getLong("quarrel.seed", System.nanoTime());
    private static final String BY_DRIVER = "quarrel.export.pgjdbc";

    /// `SocketCopyConnection`'s buffer; a row's message has 5 bytes before it, each of its fields 4, and all of them 2.
    private static final int BUFFER_BYTES = 1 << 18;

    private static final int WIDE_COLUMNS = 500;

    @TempDir
    Path folder;

    /// A column's type, an expression of random values, and the extremes.
    private record Typed(String type, String random, String... extremes) {}

    private static final List<Typed> TYPES = List.of(
            new Typed("bool", "random() < 0.5", "true", "false"),
            new Typed("int2", "(random() * 65535 - 32768)::int2", "-32768", "32767"),
            new Typed("int4", "(random() * 4294967295 - 2147483648)::int4", "-2147483648", "2147483647"),
            new Typed("int8", "(random() * 1.8e19 - 9e18)::int8", "-9223372036854775808", "9223372036854775807"),
            new Typed("oid", "(random() * 4e9)::int8::oid", "0", "4294967295"),
            new Typed("float4", "(random() * 10 ^ (random() * 60 - 30))::float4", "NaN", "-0", "-Infinity", "1e-45"),
            new Typed("float8", "random() * 10 ^ (random() * 600 - 300)", "NaN", "-0", "Infinity", "5e-324"),
            new Typed("numeric", "round((random() - 0.5)::numeric * 1e15, (random() * 20)::int)", "0.000", "1e37"),
            new Typed("numeric(9,2)", "random() * 1e7", "-9999999.99", "0"),
            new Typed("numeric(38,10)", "random()::numeric * 1e20", "9999999999999999999999999999.9999999999"),
            new Typed("text", "repeat(md5(random()::text), (random() * 4)::int)", "", "Grüße, 世界 🏹", "a\n\t|\\"),
            new Typed("varchar(10)", "left(md5(random()::text), (random() * 10)::int)", "", "äöü"),
            new Typed("char(6)", "left(md5(random()::text), (random() * 6)::int)", "", " x"),
            new Typed("name", "left(md5(random()::text), 12)", "", "x"),
            new Typed("\"char\"", "chr(33 + (random() * 90)::int)::\"char\"", "", "\\377"),
            new Typed("bytea", "decode(repeat(md5(random()::text), (random() * 3)::int), 'hex')", "", "\\x00ff"),
            new Typed(
                    "date",
                    "date '1970-01-01' + (random() * 1e6 - 5e5)::int",
                    "infinity",
                    "-infinity",
                    "5874897-12-31"),
            new Typed("time", "time '00:00' + random() * interval '23:59:59'", "00:00", "24:00"),
            new Typed(
                    "timestamp",
                    "timestamp '1970-01-01' + random() * interval '99 years'",
                    "infinity",
                    "4713-01-01 BC"),
            new Typed(
                    "timestamptz",
                    "timestamptz '1970-01-01' - random() * interval '9 years'",
                    "-infinity",
                    "294246-12-31"),
            new Typed(
                    "interval",
                    "random() * interval '900 days' - random() * interval '9 years'",
                    "infinity",
                    "-1 mon 1 day"),
            new Typed("uuid", "gen_random_uuid()", "00000000-0000-0000-0000-000000000000"),
            new Typed("json", "json_build_object('a', random())", "null", " [1 ] "),
            new Typed("inet", "'10.0.0.0'::inet + (random() * 1e6)::int", "::1", "0.0.0.0/0"),
            new Typed("int4[]", "ARRAY[(random() * 9)::int, NULL]", "{}", "{{1,2},{3,NULL}}"),
            new Typed("int8[]", "ARRAY[(random() * 9)::int8, NULL]", "{}", "{-1}"),
            new Typed("text[]", "ARRAY[md5(random()::text), 'a b', '']", "{}", "{NULL,\"NULL\"}"),
            new Typed("twin_mood", "(enum_range(NULL::twin_mood))[1 + (random() * 2)::int]", "bad"),
            new Typed("twin_pair", "ROW((random() * 9)::int, md5(random()::text))::twin_pair", "(,)", "(1,\"a,b\")"),
            new Typed("int4range", "int4range(0, (random() * 50)::int)", "empty", "(,)"));

    @BeforeAll
    static void tables() throws SQLException {
        System.out.println("CopyTwinsTest: -Dquarrel.seed=" + SEED);
        List<String> statements = new ArrayList<>(List.of(
                "SELECT setseed(" + (SEED % 1000) / 1000.0 + ")",
                "CREATE TYPE twin_mood AS ENUM ('bad', 'ok', 'Good')",
                "CREATE TYPE twin_pair AS (x int, y text)"));
        String columns =
                eachType(number -> "c" + number + " " + TYPES.get(number).type());
        statements.add("CREATE TABLE twin_types (id int NOT NULL, " + columns + ")");
        statements.add("CREATE TABLE twin_empty (id int NOT NULL, " + columns + ")");
        statements.add("INSERT INTO twin_types SELECT g, "
                + eachType(number -> "CASE WHEN random() < 0.1 THEN NULL ELSE "
                        + TYPES.get(number).random() + " END")
                + " FROM generate_series(1, 20000) g");
        int id = -1;
        for (int number = 0; number < TYPES.size(); number++) {
            for (String extreme : TYPES.get(number).extremes()) {
                statements.add("INSERT INTO twin_types (id, c" + number + ") VALUES (" + id-- + ", '" + extreme + "')");
            }
        }
        // Rows of a few MiB, such as fill the buffer but for some bytes, and small ones between them.
        statements.add("CREATE TABLE twin_large (id int NOT NULL, t text, b bytea, n int2)");
        statements.add("ALTER TABLE twin_large ALTER t SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL");
        statements.add("""
                INSERT INTO twin_large SELECT g,
                    CASE WHEN g %% 97 = 0 THEN repeat(chr(97 + g %% 26), (random() * 4e6)::int)
                         WHEN g %% 41 = 0 THEN repeat('é', %1$d / 2 - (random() * 40)::int + 5)
                         WHEN g %% 7 <> 0 THEN repeat('s', (random() * 9)::int) END,
                    CASE WHEN g %% 89 = 0 THEN decode(repeat(md5(g::text), %1$d / 16 + (random() * 1e5)::int), 'hex')
                         WHEN g %% 5 <> 0 THEN decode(left(md5(g::text), g %% 16 * 2), 'hex') END,
                    CASE WHEN g %% 3 <> 0 THEN g END
                FROM generate_series(1, 1000) g""".formatted(BUFFER_BYTES));
        statements.add("CREATE TABLE twin_tiny AS SELECT CASE WHEN random() < 0.9 THEN random() < 0.5 END AS b"
                + " FROM generate_series(1, 200000)");
        statements.add("CREATE TABLE twin_wide (id int NOT NULL, "
                + IntStream.range(0, WIDE_COLUMNS)
                        .mapToObj(number -> "w" + number + (number % 3 == 0 ? " text" : " int"))
                        .collect(Collectors.joining(", "))
                + ")");
        statements.add("INSERT INTO twin_wide SELECT g, "
                + IntStream.range(0, WIDE_COLUMNS)
                        .mapToObj(number -> number % 3 == 0
                                ? "CASE WHEN g % 11 <> 0 THEN repeat('w', g % 7) END"
                                : "CASE WHEN (g + " + number + ") % 13 <> 0 THEN g * " + number + " END")
                        .collect(Collectors.joining(", "))
                + " FROM generate_series(1, 2000) g");
        statements.add(
                "CREATE TABLE twin_coded AS SELECT g AS id, (ARRAY['red', 'green', NULL, 'blue'])[g % 4 + 1] AS color,"
                        + " 'kind ' || (random() * 20)::int AS kind FROM generate_series(1, 50000) g");
        statements.add("ANALYZE twin_coded");
        TestPostgres.execute(statements.toArray(String[]::new));
    }

    private static String eachType(IntFunction<String> text) {
        return IntStream.range(0, TYPES.size()).mapToObj(text).collect(Collectors.joining(", "));
    }

    private static ExportReport exportTo(Path root, boolean byDriver, UnaryOperator<ExportConfig.Builder> settings) {
        if (byDriver) {
            System.setProperty(BY_DRIVER, "true");
        }
        try {
            return Exporter.run(settings.apply(ExportConfig.builder(PostgresSource.parse(TestPostgres.url()), root))
                    .build());
        } finally {
            System.clearProperty(BY_DRIVER);
        }
    }

    /// Exports by both, and compares all that they have written.
    ///
    /// @param isSame whether files have the same bytes, since all rows of a table are one batch
    private void compare(boolean isSame, UnaryOperator<ExportConfig.Builder> settings) throws IOException {
        Path ours = folder.resolve("ours");
        Path theirs = folder.resolve("theirs");
        ExportReport own = exportTo(ours, false, settings);
        ExportReport driver = exportTo(theirs, true, settings);
        assertThat(own.tables().stream().map(CopyTwinsTest::counts))
                .as("seed %d", SEED)
                .isEqualTo(driver.tables().stream().map(CopyTwinsTest::counts).toList());
        try (DatasetCatalog ownCatalog = DatasetCatalog.open(ours);
                DatasetCatalog driverCatalog = DatasetCatalog.open(theirs);
                CatalogSnapshot ownSnapshot = ownCatalog.snapshot();
                CatalogSnapshot driverSnapshot = driverCatalog.snapshot()) {
            for (ExportReport.TableReport table : own.tables()) {
                compare(
                        ownSnapshot.table(table.schema(), table.name()),
                        driverSnapshot.table(table.schema(), table.name()));
            }
        }
        if (isSame) {
            for (ExportReport.TableReport table : own.tables()) {
                assertThat(table.batchCount()).as(table.name()).isLessThanOrEqualTo(1);
                assertThat(Files.mismatch(file(ours, table), file(theirs, table)))
                        .as("first byte of %s to differ, seed %d", table.name(), SEED)
                        .isEqualTo(-1);
            }
        }
    }

    private static String counts(ExportReport.TableReport table) {
        return table.qualifiedName() + " " + table.rowCount() + " rows of " + table.copyBytes() + " bytes";
    }

    private static Path file(Path root, ExportReport.TableReport table) {
        return Manifest.read(root).tables().stream()
                .filter(entry -> entry.name().equals(table.name()))
                .map(entry -> root.resolve(entry.files().getFirst().path()))
                .findFirst()
                .orElseThrow();
    }

    private record Place(long id, Batch batch, int row) {}

    private static void compare(Table own, Table driver) {
        Schema schema = own.shownSchema();
        assertThat(schema).isEqualTo(driver.shownSchema());
        List<Batch> batches = new ArrayList<>();
        try {
            List<Place> ours = places(own, batches);
            List<Place> theirs = places(driver, batches);
            assertThat(ours).hasSameSizeAs(theirs);
            for (int column = 0; column < schema.size(); column++) {
                for (int index = 0; index < ours.size(); index++) {
                    if (!isEqual(ours.get(index), theirs.get(index), column)) {
                        throw new AssertionError("%s.%s differs in row %d (id %d), seed %d"
                                .formatted(
                                        own.name(),
                                        schema.field(column).name(),
                                        index,
                                        ours.get(index).id(),
                                        SEED));
                    }
                }
            }
        } finally {
            batches.forEach(Batch::close);
        }
    }

    /// All rows of a table: in the order of column `id`, or, without one, in the file's.
    private static List<Place> places(Table table, List<Batch> batches) {
        int[] columns = IntStream.range(0, table.shownSchema().size()).toArray();
        boolean hasId = table.schema().field(0).name().equals("id");
        List<Place> places = new ArrayList<>();
        for (int index = 0; index < table.batchCount(); index++) {
            Batch batch = table.read(index, columns);
            batches.add(batch);
            for (int row = 0; row < batch.rowCount(); row++) {
                long id = hasId ? id((FixedColumn) batch.column(0), row) : places.size();
                places.add(new Place(id, batch, row));
            }
        }
        places.sort(Comparator.comparingLong(Place::id));
        return places;
    }

    private static int id(FixedColumn column, int row) {
        return column.values().get(ValueLayout.JAVA_INT_UNALIGNED, row * 4L);
    }

    private static boolean isEqual(Place own, Place driver, int column) {
        Column ours = own.batch().column(column);
        Column theirs = driver.batch().column(column);
        boolean isPresent = ours.validity().isPresent(own.row());
        return isPresent == theirs.validity().isPresent(driver.row())
                && (!isPresent || bytes(ours, own.row()).mismatch(bytes(theirs, driver.row())) < 0);
    }

    /// A present value's bytes; a boolean's is one of its own.
    private static MemorySegment bytes(Column column, int row) {
        return switch (column) {
            case FixedColumn fixed -> {
                int width = fixed.type().byteWidth();
                yield fixed.values().asSlice((long) row * width, width);
            }
            case BoolColumn bool ->
                MemorySegment.ofArray(new byte[] {
                    (byte) (bool.bits().get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1)
                });
            case Utf8Column text -> text.bytes(row);
            case DictionaryColumn coded -> coded.dictionary().values().bytes(coded.code(row));
        };
    }

    @Test
    void eachReadsByWhatItIsNamedAfter() throws SQLException {
        PostgresSource target = PostgresSource.parse(TestPostgres.url());
        try (CopyConnection own = target.connectReader()) {
            assertThat(own).isInstanceOf(SocketCopyConnection.class);
        }
        System.setProperty(BY_DRIVER, "true");
        try (CopyConnection driver = target.connectReader()) {
            assertThat(driver).isInstanceOf(JdbcCopyConnection.class);
        } finally {
            System.clearProperty(BY_DRIVER);
        }
    }

    @Test
    void oneWorkersFilesHaveTheSameBytes() throws IOException {
        compare(
                true,
                config -> config.tables(
                                "twin_types", "twin_empty", "twin_large", "twin_tiny", "twin_wide", "twin_coded")
                        .workers(1));
    }

    @ParameterizedTest
    @CsvSource({"1, 300000, 0", "2, 300000, 3", "3, 2000000, 0", "8, 1, 0"})
    void severalWorkersAndBatchesHoldTheSameValues(int workers, long batchBytes, int zstdLevel) throws IOException {
        compare(
                false,
                config -> config.tables("twin_types", "twin_empty", "twin_large", "twin_wide", "twin_coded")
                        .workers(workers)
                        .batchBytes(batchBytes)
                        .zstdLevel(zstdLevel));
    }

    @Test
    void valuesThatBecomeNullOrTextDoSoInBoth() throws IOException, SQLException {
        TestPostgres.execute(
                "CREATE TABLE twin_unfit AS SELECT g AS id, CASE WHEN g % 50 = 0 THEN 'NaN' WHEN g % 51 = 0 THEN 1e60"
                        + " ELSE round(g::numeric / 7, g % 9) END AS n,"
                        + " CASE WHEN g % 60 = 0 THEN 'infinity' WHEN g % 61 <> 0 THEN date '2000-01-01' + g END AS d,"
                        + " CASE WHEN g % 70 = 0 THEN '-infinity' WHEN g % 71 <> 0 THEN now() + g * interval '1 s' END AS t"
                        + " FROM generate_series(1, 10000) g");
        compare(true, config -> config.tables("twin_unfit").workers(1).unfit(Unfit.Overflow.NULL, Unfit.Infinity.NULL));
        compare(true, config -> config.tables("twin_unfit").workers(1).unfit(Unfit.Overflow.TEXT, Unfit.Infinity.KEEP));
    }

    @Test
    void queriesAndTheirErrorsAreTheSame() throws IOException {
        compare(
                true,
                config -> config.query(
                                "q", "SELECT id, repeat('x', (id % 400) * 100) AS t FROM twin_coded WHERE id <= 1000")
                        .workers(1));
        List<String> errors = new ArrayList<>();
        for (boolean byDriver : new boolean[] {false, true}) {
            QueryException failure = catchThrowableOfType(
                    QueryException.class,
                    () -> exportTo(
                            folder.resolve("error" + byDriver),
                            byDriver,
                            config -> config.query("late", "SELECT 1 / (30000 - id) AS a FROM twin_coded")
                                    .workers(1)));
            errors.add(failure.state() + " " + failure.getMessage() + " " + failure.detail() + " " + failure.hint());
        }
        assertThat(errors.getFirst()).contains("division by zero").isEqualTo(errors.getLast());
    }
}
