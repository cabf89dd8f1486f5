package dev.quarrel.export;

import static dev.quarrel.export.ExportFailure.assertFails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.Inspection;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.export.config.ColumnRules;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.copy.Unfit;
import dev.quarrel.export.source.MySqlSource;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Queries of a real MariaDB, tables split by a column, and columns in other forms than their own.
final class MariaDbQueryTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final int RANDOM_ROWS = 3000;

    private static TestMariaDb server;

    @TempDir
    private Path folder;

    /// A column's type, literals of random values, and the extremes.
    private record Typed(String type, Function<Random, String> random, String... extremes) {}

    private static final List<Typed> TYPES = List.of(
            new Typed("TINYINT", random -> "" + (random.nextInt(256) - 128), "-128", "127"),
            new Typed("TINYINT UNSIGNED", random -> "" + random.nextInt(256), "255"),
            new Typed("SMALLINT", random -> "" + (short) random.nextInt(), "-32768", "32767"),
            new Typed("SMALLINT UNSIGNED", random -> "" + random.nextInt(65536), "65535"),
            new Typed("MEDIUMINT", random -> "" + (random.nextInt(1 << 24) - (1 << 23)), "-8388608", "8388607"),
            new Typed("MEDIUMINT UNSIGNED", random -> "" + random.nextInt(1 << 24), "16777215"),
            new Typed("INT", random -> "" + random.nextInt(), "-2147483648", "2147483647"),
            new Typed("INT UNSIGNED", random -> "" + random.nextLong(1L << 32), "4294967295"),
            new Typed("BIGINT", random -> "" + random.nextLong(), "-9223372036854775808", "9223372036854775807"),
            new Typed("BIGINT UNSIGNED", random -> Long.toUnsignedString(random.nextLong()), "18446744073709551615"),
            new Typed("DECIMAL(12,3)", random -> decimal(random, 9, 3), "-999999999.999", "0.001"),
            new Typed("DECIMAL(5,0) UNSIGNED", random -> "" + random.nextInt(99_999), "99999"),
            new Typed("DECIMAL(38,10)", random -> decimal(random, 28, 10), "-" + "9".repeat(28) + "." + "9".repeat(10)),
            new Typed("DECIMAL(60,5)", random -> decimal(random, 30, 5), "-0.00001"),
            new Typed("FLOAT", random -> "" + (float) random.nextGaussian() * 1e9, "1e-38", "-3.4e38"),
            new Typed(
                    "DOUBLE",
                    random -> "" + Math.scalb(random.nextGaussian(), random.nextInt(1800) - 900),
                    "1e300",
                    "0"),
            new Typed("BIT(5)", random -> "" + random.nextInt(32), "31", "0"),
            new Typed("BIT(64)", random -> Long.toUnsignedString(random.nextLong()), "18446744073709551615", "1"),
            new Typed("YEAR", random -> "" + (1901 + random.nextInt(255)), "1901", "2155", "0"),
            new Typed(
                    "DATE",
                    random -> date(random, 9999),
                    "'0000-01-01'",
                    "'0000-02-28'",
                    "'0000-03-01'",
                    "'9999-12-31'",
                    "'1582-10-10'"),
            new Typed(
                    "DATETIME",
                    random -> moment(random, 9999, ""),
                    "'0000-01-01 02:03:04'",
                    "'0000-02-28 23:59:59'",
                    "'0000-03-01'",
                    "'9999-12-31 23:59:59'"),
            new Typed("DATETIME(6)", random -> moment(random, 9999, ".123456"), "'1969-12-31 23:59:59.999999'"),
            new Typed("TIMESTAMP NULL", random -> moment(random, 2037, ""), "'1970-01-01 00:00:01'"),
            new Typed("TIMESTAMP(3) NULL", random -> moment(random, 2037, ".789"), "'2024-03-31 02:30:00.5'"),
            new Typed("TIME(6)", random -> "'" + (random.nextInt(1677) - 838) + ":00:59.000001'", "'-838:59:59'", "0"),
            new Typed("TIME", random -> "'00:" + random.nextInt(60) + ":01'", "'838:59:59'"),
            new Typed("CHAR(8)", random -> text(random, 8), "''"),
            new Typed("CHAR(8) CHARACTER SET latin1", random -> "'é" + random.nextInt(99) + "'", "'ÿ'"),
            new Typed("VARCHAR(300)", random -> text(random, 300), "''", "'Zoë 🎯'"),
            new Typed("TEXT", random -> text(random, 2000), "''", "'\\\\ \\n \\''"),
            new Typed("LONGTEXT", random -> text(random, 50), "REPEAT('long ', 100000)"),
            new Typed("ENUM('a','b c')", random -> random.nextBoolean() ? "'a'" : "'b c'"),
            new Typed("SET('p','q')", random -> "" + random.nextInt(4), "''"),
            new Typed("BINARY(4)", random -> "x'%08x'".formatted(random.nextInt()), "x''"),
            new Typed("VARBINARY(9)", random -> "x'%016x'".formatted(random.nextLong()), "x''"),
            new Typed("BLOB", random -> "x'%08x00ff'".formatted(random.nextInt()), "x''"),
            new Typed("UUID", random -> "'" + UUID.nameUUIDFromBytes(new byte[] {(byte) random.nextInt()}) + "'"),
            new Typed(
                    "INET6", random -> "'2001:db8::%x'".formatted(random.nextInt(1 << 16)), "'::'", "'::ffff:1.2.3.4'"),
            new Typed("JSON", random -> "'{\"a\": " + random.nextInt() + "}'", "'[]'"),
            new Typed("POINT", random -> "POINT(" + random.nextInt() + ", " + random.nextGaussian() + ")"),
            new Typed(
                    "GEOMETRY",
                    random -> "ST_GeomFromText('LINESTRING(0 0, 1 %d)', 4326)".formatted(random.nextInt(9))));

    private static String decimal(Random random, int digits, int scale) {
        StringBuilder text = new StringBuilder(random.nextBoolean() ? "-" : "");
        for (int digit = random.nextInt(digits); digit >= 0; digit--) {
            text.append((char) ('0' + random.nextInt(10)));
        }
        text.append('.');
        for (int digit = random.nextInt(scale + 1); digit > 0; digit--) {
            text.append((char) ('0' + random.nextInt(10)));
        }
        return text.append('0').toString();
    }

    private static String date(Random random, int lastYear) {
        int first = lastYear == 2037 ? 1971 : 1000;
        int year = first + random.nextInt(lastYear - first + 1);
        return "'%04d-%02d-%02d'".formatted(year, 1 + random.nextInt(12), 1 + random.nextInt(28));
    }

    private static String moment(Random random, int lastYear, String fraction) {
        return date(random, lastYear)
                .replaceFirst(
                        "'$",
                        " %02d:%02d:%02d%s'"
                                .formatted(random.nextInt(24), random.nextInt(60), random.nextInt(60), fraction));
    }

    private static String text(Random random, int most) {
        return "'"
                + "xyzäß €"
                        .repeat(1 + most / 7)
                        .substring(0, random.nextInt(most))
                        .strip() + "'";
    }

    @BeforeAll
    static void start(@TempDir Path data) throws IOException, InterruptedException, SQLException {
        System.out.println("MariaDbQueryTest: -Dquarrel.seed=" + SEED);
        server = TestMariaDb.start(data);
        Random random = new Random(SEED);
        StringBuilder create = new StringBuilder("CREATE TABLE every (id INT PRIMARY KEY");
        for (int number = 0; number < TYPES.size(); number++) {
            create.append(", c")
                    .append(number)
                    .append(' ')
                    .append(TYPES.get(number).type());
        }
        List<String> statements = new ArrayList<>(
                List.of("SET time_zone = '+00:00'", create + ") ENGINE=InnoDB", "INSERT INTO every (id) VALUES (0)"));
        for (int row = 1; row <= RANDOM_ROWS; row++) {
            StringBuilder values = new StringBuilder("INSERT INTO every VALUES (" + row);
            for (Typed typed : TYPES) {
                values.append(", ")
                        .append(
                                random.nextInt(10) == 0
                                        ? "NULL"
                                        : typed.random().apply(random));
            }
            statements.add(values + ")");
        }
        int id = -1;
        for (int number = 0; number < TYPES.size(); number++) {
            for (String extreme : TYPES.get(number).extremes()) {
                statements.add("INSERT INTO every (id, c" + number + ") VALUES (" + id-- + ", " + extreme + ")");
            }
        }
        statements.add(0, "SET autocommit = 0");
        statements.add("COMMIT");
        server.execute(statements.toArray(String[]::new));
    }

    @AfterAll
    static void stop() throws InterruptedException {
        if (server != null) {
            server.close();
        }
    }

    private ExportConfig.Builder to(String name) {
        return ExportConfig.builder(MySqlSource.parse(server.url(), Map.of(), folder), folder.resolve(name));
    }

    private List<String> rows(String name, String table) {
        return Rows.ofTable(folder.resolve(name), "public", table);
    }

    private Schema schema(String name, String table) {
        try (DatasetCatalog catalog = DatasetCatalog.open(folder.resolve(name));
                CatalogSnapshot snapshot = catalog.snapshot()) {
            return snapshot.table("public", table).shownSchema();
        }
    }

    private List<String> types(String name, String table) {
        return schema(name, table).fields().stream()
                .map(field -> field.pgType())
                .toList();
    }

    /// A query's rows as MariaDB has them, in the same form as [Rows] has them, sorted.
    private static List<String> rowsOfServer(String sql) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            List<String> rows = new ArrayList<>();
            while (found.next()) {
                List<String> fields = new ArrayList<>();
                for (int place = 1; place <= found.getMetaData().getColumnCount(); place++) {
                    String value = found.getString(place);
                    fields.add(value == null ? "∅" : value);
                }
                rows.add(String.join("|", fields));
            }
            rows.sort(null);
            return rows;
        }
    }

    /// Tables' dates, bits and shapes are made numbers and texts by the server, queries' by us: twins.
    @ParameterizedTest
    @ValueSource(strings = {"UTC", "Europe/Berlin", "America/St_Johns"})
    void aQueryReadsWhatItsTableHas(String zone) {
        TimeZone before = TimeZone.getDefault();
        try {
            TimeZone.setDefault(TimeZone.getTimeZone(zone));
            Exporter.run(to("twins")
                    .tables("every")
                    .query("q", "SELECT * FROM every ORDER BY c6 -- in any order")
                    .workers(2)
                    .build());
        } finally {
            TimeZone.setDefault(before);
        }
        List<String> ofTable = rows("twins", "every");
        List<String> ofQuery = rows("twins", "q");
        assertThat(ofQuery).hasSameSizeAs(ofTable);
        for (int row = 0; row < ofTable.size(); row++) {
            assertThat(ofQuery.get(row)).as("seed %d", SEED).isEqualTo(ofTable.get(row));
        }
        List<String> types = new ArrayList<>(types("twins", "every"));
        // The server calls these texts, where a query asks for them, and MariaDB's json is a text with a check.
        replace(types, "ENUM('a','b c')", "character varying(3)");
        replace(types, "SET('p','q')", "character varying(3)");
        replace(types, "INET6", "character varying(39)");
        replace(types, "JSON", "json");
        assertThat(types("twins", "q")).isEqualTo(types);
    }

    @Test
    void datesThatNoCalendarKnowsAreTheSameInTablesAndQueries() throws SQLException {
        server.execute(
                "SET sql_mode = 'ALLOW_INVALID_DATES'",
                "CREATE TABLE odd_days (id INT PRIMARY KEY, d DATE, t DATETIME(3), s TIMESTAMP NULL) ENGINE=InnoDB",
                "INSERT INTO odd_days VALUES (1, '0000-00-00', NULL, NULL), (2, '2024-02-29', '0000-00-00', NULL),"
                        + " (3, NULL, '2024-02-29 12:00:00.5', '0000-00-00'), (4, '2023-02-31', NULL, '2024-02-29 12:00:00')",
                "SET sql_mode = ''",
                "INSERT INTO odd_days VALUES (5, '2024-02-00', '2024-00-01 10:00:00', NULL)");
        for (int id = 1; id <= 5; id++) {
            String sql = "SELECT * FROM odd_days WHERE id = " + id;
            server.execute("CREATE OR REPLACE VIEW odd_day AS " + sql);
            assertFails(to("bad").query("q", sql), "22008", "a date that no calendar knows");
            assertFails(to("bad").tables("odd_day"), "22008", "a date that no calendar knows");
        }
        Exporter.run(to("odd")
                .tables("odd_days")
                .query("q", "SELECT * FROM odd_days")
                .unfit(Unfit.Overflow.ERROR, Unfit.Infinity.NULL)
                .build());
        assertThat(rows("odd", "q"))
                .isEqualTo(rows("odd", "odd_days"))
                .containsExactly(
                        "1|∅|∅|∅",
                        "2|2024-02-29|∅|∅",
                        "3|∅|2024-02-29 12:00:00.5|∅",
                        "4|∅|∅|2024-02-29 12:00:00+00",
                        "5|∅|∅|∅");
    }

    private static void replace(List<String> types, String declared, String type) {
        for (int number = 0; number < TYPES.size(); number++) {
            if (TYPES.get(number).type().equals(declared)) {
                types.set(number + 1, type);
            }
        }
    }

    @Test
    void expressionsHaveTheTypesThatTheServerSays() throws SQLException {
        String sql = "SELECT 1 AS one, 4000000000 AS big, 1.50 AS fine, 'abc' AS word, NULL AS nothing, TRUE AS yes,"
                + " COUNT(*) AS n, SUM(c6) AS sum, AVG(c10) AS mean, MAX(c19) AS day, MIN(c23) AS at,"
                + " CONCAT(MAX(c26), '{\"?\": \\'') AS joined, GROUP_CONCAT(c16 + 0 ORDER BY id) AS list, x'00ff' AS bytes,"
                + " CAST('2024-02-29 12:30:00.25' AS DATETIME(2)) AS leap, MAX(c35) AS u, '' AS empty FROM every";
        Exporter.run(to("expressions").query("q", sql).workers(3).build());
        assertThat(types("expressions", "q"))
                .containsExactly(
                        "integer",
                        "bigint",
                        "numeric(3,2)",
                        "character varying(3)",
                        "text",
                        "integer",
                        "bigint",
                        "numeric(32,0)",
                        "numeric(16,7)",
                        "date",
                        "timestamp with time zone",
                        "character varying(15)",
                        "text",
                        "bytea",
                        "timestamp without time zone",
                        "bytea",
                        "text");
        List<String> cut =
                rowsOfServer("SELECT one, big, fine, word, nothing, yes, n, sum, mean, day FROM (" + sql + ") AS q");
        assertThat(rows("expressions", "q")).singleElement().asString().startsWith(cut.getFirst() + "|");
    }

    @Test
    void aQueryKeepsItsOrder() throws SQLException {
        server.execute(
                "CREATE TABLE shuffled (id INT PRIMARY KEY, v INT NOT NULL, d DATE) ENGINE=InnoDB",
                "INSERT INTO shuffled SELECT seq, seq * 7919 % 30011, '2024-01-01' + INTERVAL seq % 100 DAY FROM seq_1_to_30000");
        Exporter.run(to("order")
                .query("q", "SELECT v, d, id FROM shuffled ORDER BY v;")
                .workers(4)
                .batchBytes(100_000)
                .build());
        assertThat(rows("order", "q")).isEqualTo(rowsOfServer("SELECT v, d, id FROM shuffled"));
        try (DatasetCatalog catalog = DatasetCatalog.open(folder.resolve("order"));
                CatalogSnapshot snapshot = catalog.snapshot()) {
            assertThat(snapshot.table("public", "q").sortedBy()).startsWith(0);
        }
    }

    @Test
    void partsHoldAllRows() throws SQLException {
        Exporter.run(to("parts")
                .queries(List.of(
                        new ExportConfig.Query(
                                "w", "SELECT id FROM every WHERE MOD(ABS(id), $(N_WORKERS)) = $(WORKER_ID)"),
                        new ExportConfig.Query(
                                "k",
                                "SELECT id, '$(PARALLEL_KEY)' AS k, $(PARALLEL_KEY)0000000 AS n, $(PARALLEL_KEY).$(PARALLEL_KEY) AS f"
                                        + " FROM every WHERE MOD(c6, 1000) = $(PARALLEL_KEY)",
                                List.of("7", "81", "999", "12"),
                                List.of())))
                .workers(3)
                .build());
        assertThat(rows("parts", "w")).isEqualTo(rowsOfServer("SELECT id FROM every"));
        assertThat(types("parts", "k")).containsExactly("integer", "character varying(3)", "bigint", "numeric(6,3)");
        assertThat(rows("parts", "k"))
                .isEqualTo(rowsOfServer("SELECT id, CAST(MOD(c6, 1000) AS CHAR), MOD(c6, 1000) * 10000000,"
                        + " CAST(ELT(FIELD(MOD(c6, 1000), 7, 81, 999, 12), '7.700', '81.810', '999.999', '12.120') AS CHAR)"
                        + " FROM every WHERE MOD(c6, 1000) IN (7, 81, 999, 12)"));
        assertFails(
                to("different")
                        .queries(List.of(new ExportConfig.Query(
                                "q", "SELECT $(PARALLEL_KEY) AS a", List.of("1", "CURDATE()"), List.of()))),
                "42804",
                "the parts of the query of table q have different columns");
        assertFails(to("half").query("q", "SELECT $(WORKER_ID) AS a"), "22023", "needs both");
    }

    @Test
    void queriesAreOfTheSameSnapshotAsTables() throws Exception {
        server.execute(
                "CREATE TABLE purse (id INT PRIMARY KEY, amount BIGINT) ENGINE=InnoDB",
                "INSERT INTO purse SELECT seq, 1000 FROM seq_1_to_20000");
        AtomicBoolean isOver = new AtomicBoolean();
        Thread mover = Thread.ofPlatform().start(() -> {
            Random random = new Random(SEED);
            try (Connection connection = server.connect();
                    PreparedStatement move =
                            connection.prepareStatement("UPDATE purse SET amount = amount + ? WHERE id = ?")) {
                connection.setAutoCommit(false);
                while (!isOver.get()) {
                    int amount = random.nextInt(100);
                    for (int sign : new int[] {1, -1}) {
                        move.setInt(1, amount * sign);
                        move.setInt(2, 1 + random.nextInt(20_000));
                        move.execute();
                    }
                    connection.commit();
                }
            } catch (SQLException problem) {
                throw new IllegalStateException(problem);
            }
        });
        try {
            for (int round = 0; round < 4; round++) {
                String name = "purse" + round;
                Exporter.run(to(name).tables("purse")
                        .queries(List.of(
                                new ExportConfig.Query(
                                        "half", "SELECT * FROM purse WHERE id % $(N_WORKERS) = $(WORKER_ID)"),
                                new ExportConfig.Query("rich", "SELECT * FROM purse")))
                        .splitBy(List.of("rich.amount"))
                        .workers(3)
                        .build());
                List<String> expected = rows(name, "purse");
                assertThat(expected.stream()
                                .mapToLong(row -> Long.parseLong(row.substring(row.indexOf('|') + 1)))
                                .sum())
                        .isEqualTo(20_000_000);
                assertThat(rows(name, "half")).as("seed %d", SEED).isEqualTo(expected);
                assertThat(rows(name, "rich")).as("seed %d", SEED).isEqualTo(expected);
            }
        } finally {
            isOver.set(true);
            mover.join();
        }
    }

    @Test
    void whatIsNoQueryIsRefusedBeforeItRuns() throws SQLException {
        server.execute("CREATE TABLE kept (id INT PRIMARY KEY)", "INSERT INTO kept VALUES (1)");
        for (String sql : List.of(
                "DELETE FROM kept", "DROP TABLE kept", "COMMIT", "INSERT INTO kept VALUES (2)", "SET autocommit = 1")) {
            // Some of these the server itself refuses already: the transaction only reads.
            assertThatThrownBy(() -> Exporter.run(to("none").query("q", sql).build()))
                    .isInstanceOfSatisfying(
                            QueryException.class,
                            failure -> assertThat(failure.state().code()).isIn("22023", "25006"));
        }
        assertThat(rowsOfServer("SELECT id FROM kept")).containsExactly("1");
        assertFails(
                to("none").query("q", "SELECT nothing FROM kept"), "42703", "could not prepare the query of table q: ");
        assertFails(to("none").query("q", "SELECT 1 FROM nowhere"), "42P01", "nowhere");
        assertFails(to("none").query("q", "SELECT FROM WHERE"), "42601", "SQL syntax");
        assertFails(to("none").query("q", "SELECT 1 AS a, 2 AS a"), "42701", "two columns named a");
        assertFails(to("none").query("q", "SELECT ''"), "42601", "without a name");
        assertFails(
                to("none").query("q", "SELECT id FROM kept").excluded(List.of("q.id")), "0A000", "cannot be excluded");
        assertFails(to("none").query("kept", "SELECT 1 AS a").tables("kept"), "42P07", "two exported tables");
    }

    @ParameterizedTest
    @CsvSource({"c0", "c6", "c9", "c10", "c12", "c13", "c14", "c15", "c18", "c19", "c20", "c21", "c22", "c23"})
    void rangesOfAColumnHoldEveryRowOnce(String column) throws SQLException {
        Exporter.run(to("split")
                .tables("every")
                .query("q", "SELECT id, " + column + " FROM every")
                .splitBy(List.of(column))
                .workers(3)
                .build());
        List<String> expected = rowsOfServer("SELECT id FROM every");
        for (String table : List.of("every", "q")) {
            assertThat(rows("split", table).stream()
                            .map(row -> row.substring(0, row.indexOf('|')))
                            .sorted())
                    .as("%s by %s, seed %d", table, column, SEED)
                    .isEqualTo(expected);
        }
    }

    @Test
    void rangesAreReadByAllConnections() throws SQLException {
        server.execute(
                "SET sql_mode = ''",
                "CREATE TABLE days (d DATE, t DATETIME, f FLOAT) ENGINE=InnoDB",
                "INSERT INTO days SELECT '2024-01-01' + INTERVAL seq DAY, '2024-01-01' + INTERVAL seq HOUR, seq / 7"
                        + " FROM seq_1_to_900",
                "INSERT INTO days VALUES ('0000-00-00', '0000-00-00', NULL), ('2024-02-00', '2025-00-01', 0),"
                        + " (NULL, NULL, NULL), ('2024-12-31', '2024-01-01 00:00:00', -1e30)",
                "CREATE VIEW seen_days AS SELECT d, t, f FROM days");
        for (String column : List.of("d", "t", "f")) {
            for (String table : List.of("days", "seen_days")) {
                ExportReport report = Exporter.run(to(column + table)
                        .tables(table)
                        .splitBy(List.of(table + "." + column))
                        .unfit(Unfit.Overflow.ERROR, Unfit.Infinity.NULL)
                        .workers(4)
                        .batchBytes(100)
                        .build());
                assertThat(report.rowCount()).isEqualTo(904);
                // Sixteen ranges, though some of them may be empty; a batch each. Of f one holds all but one row.
                assertThat(report.tables().getFirst().batchCount()).isBetween(column.equals("f") ? 1 : 13, 16);
            }
        }
        assertFails(to("bad").tables("every").splitBy(List.of("c29")), "0A000", "cannot be split by");
        assertFails(to("bad").tables("every").splitBy(List.of("c1", "c2")), "22023", "split by c1 and by c2");
        assertFails(to("bad").tables("every").splitBy(List.of("none")), "42703", "none, which is to be split by");
        assertFails(
                to("bad")
                        .query("q", "SELECT 1 AS a WHERE $(N_WORKERS) > $(WORKER_ID)")
                        .splitBy(List.of("a")),
                "22023",
                "in several ways");
    }

    /// Values that the server compares in ways of its own.
    @Test
    void oddValuesAreInOneRange() throws SQLException {
        server.execute(
                "SET sql_mode = ''",
                "CREATE TABLE odd (id INT, y YEAR NOT NULL, d DATE NOT NULL, t DATETIME NOT NULL, x DOUBLE NOT NULL)",
                "INSERT INTO odd SELECT seq, IF(seq % 5 = 0, 0, 1901 + seq % 255), '2024-01-01' + INTERVAL seq DAY,"
                        + " '2024-01-01' + INTERVAL seq HOUR, -2.6776566324440098E10 + seq * 1e-5 FROM seq_1_to_300",
                "INSERT INTO odd VALUES (301, 0, '0000-00-00', '0000-00-00', 0), (302, 2155, '0000-00-00',"
                        + " '0000-00-00', -2.6776566324440056E10), (303, 1963, '2024-12-31', '2025-01-01', -1e10)",
                "DELETE FROM odd WHERE x > -2.6e10 AND id < 301");
        List<String> expected = rowsOfServer("SELECT id FROM odd");
        for (String column : List.of("y", "d", "t", "x")) {
            for (int workers : new int[] {1, 6, 7, 8}) {
                Exporter.run(to("odd")
                        .tables("odd")
                        .queries(List.of(
                                new ExportConfig.Query("q", "SELECT * FROM odd"),
                                new ExportConfig.Query("limited", "SELECT * FROM odd LIMIT 1000")))
                        .splitBy(List.of(column))
                        .unfit(Unfit.Overflow.ERROR, Unfit.Infinity.NULL)
                        .workers(workers)
                        .build());
                for (String table : List.of("odd", "q", "limited")) {
                    assertThat(rows("odd", table).stream()
                                    .map(row -> row.substring(0, row.indexOf('|')))
                                    .sorted())
                            .as("%s by %s, %d workers", table, column, workers)
                            .isEqualTo(expected);
                }
            }
        }
    }

    private Inspection.FileReport inspected(String name) {
        Inspection.FileReport file = Inspection.of(folder.resolve(name), true)
                .tables()
                .getFirst()
                .files()
                .getFirst();
        assertThat(file.problems()).isEmpty();
        return file;
    }

    @Test
    void columnsHaveTheFormsThatAreAskedFor() throws SQLException {
        server.execute(
                "CREATE TABLE formed (id INT PRIMARY KEY, kind VARCHAR(10), feeling ENUM('good', 'bad'), f FLOAT, g DOUBLE,"
                        + " word VARCHAR(20), KEY (kind)) ENGINE=InnoDB",
                "INSERT INTO formed SELECT seq, CONCAT('kind ', seq % 5), 1 + seq % 2, seq / 3, seq / 3, CONCAT('w', seq)"
                        + " FROM seq_1_to_20000",
                "ANALYZE TABLE formed");
        Exporter.run(to("plain").tables("formed").build());
        List<String> arrow = inspected("plain").columns().stream()
                .map(Inspection.ColumnReport::arrowType)
                .toList();
        // An enum has a dictionary in any case; another text where an index tells that it has few values.
        assertThat(arrow.get(1)).startsWith("dictionary");
        assertThat(arrow.get(2)).startsWith("dictionary");
        assertThat(arrow.get(5)).isEqualTo("utf8");
        Exporter.run(to("formed")
                .tables("formed")
                .columns(new ColumnRules(
                        false,
                        List.of("formed.f", "G"),
                        Optional.of(List.of("shop.formed.word")),
                        Optional.of(List.of("id")),
                        true,
                        List.of()))
                .build());
        Inspection.FileReport file = inspected("formed");
        assertThat(file.columns().stream().map(Inspection.ColumnReport::arrowType))
                .satisfiesExactly(
                        type -> assertThat(type).isEqualTo("int32"),
                        type -> assertThat(type).isEqualTo("large_utf8"),
                        type -> assertThat(type).startsWith("dictionary"),
                        type -> assertThat(type).contains("float16"),
                        type -> assertThat(type).contains("float16"),
                        type -> assertThat(type).startsWith("dictionary"));
        assertThat(file.batches().getFirst().stats().get(0).max()).isEqualTo("20000");
        assertThat(file.batches().getFirst().stats().get(1).max()).isNull();
        assertThat(rows("formed", "formed")).contains("1|kind 1|bad|0.33325195|0.33325195|w1");
        assertThat(rows("formed", "formed").stream().map(row -> row.replaceAll("\\|[^|]*\\|[^|]*(\\|w)", "$1")))
                .isEqualTo(rowsOfServer("SELECT id, kind, feeling, word FROM formed"));
        Exporter.run(to("asked")
                .query("q", "SELECT word, g FROM formed WHERE id <= 100")
                .columns(new ColumnRules(
                        false, List.of("g"), Optional.of(List.of("q.word")), Optional.empty(), false, List.of()))
                .build());
        assertThat(inspected("asked").columns().stream().map(Inspection.ColumnReport::arrowType))
                .satisfiesExactly(
                        type -> assertThat(type).startsWith("dictionary"),
                        type -> assertThat(type).contains("float16"));
        assertFails(
                to("bad").tables("formed").columns(halves("id")), "42804", "half floats are made of float and double");
        assertFails(to("bad").tables("formed").columns(halves("gone")), "42703", "gone, which is to be float2");
        assertFails(
                to("bad").query("q", "SELECT 1e9 AS g").columns(halves("g")),
                "22003",
                "which a half float cannot hold");
        assertFails(
                to("bad")
                        .tables("formed")
                        .columns(new ColumnRules(
                                false, List.of(), Optional.of(List.of("id")), Optional.empty(), false, List.of())),
                "42804",
                "a dictionary holds texts");
    }

    private static ColumnRules halves(String... columns) {
        return new ColumnRules(false, List.of(columns), Optional.empty(), Optional.empty(), false, List.of());
    }

    @Test
    void decimalsOfManyDigitsKeepThemOrBecomeWhatIsAsked() throws SQLException {
        server.execute(
                "CREATE TABLE wide (id INT PRIMARY KEY, d DECIMAL(65,2)) ENGINE=InnoDB",
                "INSERT INTO wide VALUES (1, 1.50), (2, -" + "9".repeat(36) + ".99), (3, NULL)");
        Exporter.run(to("kept")
                .tables("wide")
                .query("q", "SELECT SUM(d) AS s FROM wide")
                .build());
        assertThat(rows("kept", "wide")).containsExactly("1|1.50", "2|-" + "9".repeat(36) + ".99", "3|∅");
        assertThat(rows("kept", "q")).containsExactly("-" + "9".repeat(35) + "8.49");
        server.execute("INSERT INTO wide VALUES (4, 1e40)");
        assertFails(to("many").tables("wide"), "22003", "column public.wide.d has a value of more than 38 digits");
        Exporter.run(to("nulls")
                .tables("wide")
                .unfit(Unfit.Overflow.NULL, Unfit.Infinity.KEEP)
                .build());
        assertThat(rows("nulls", "wide")).contains("1|1.50", "4|∅");
        Exporter.run(to("texts")
                .tables("wide")
                .unfit(Unfit.Overflow.TEXT, Unfit.Infinity.KEEP)
                .build());
        assertThat(rows("texts", "wide")).contains("1|1.50", "4|1" + "0".repeat(40) + ".00");
        server.execute("DELETE FROM wide WHERE id IN (2, 4)");
        Exporter.run(to("fixed").tables("wide").numeric(20, 3).build());
        assertThat(rows("fixed", "wide")).containsExactly("1|1.500", "3|∅");
        assertFails(to("short").tables("wide").numeric(20, 0), "22003", "that numeric(20,0) cannot hold");
    }

    @Test
    void whatIsPostgresqlsAloneIsRefused() {
        ColumnRules flat = new ColumnRules(true, List.of(), Optional.empty(), Optional.empty(), false, List.of());
        ColumnRules cut = new ColumnRules(false, List.of(), Optional.empty(), Optional.empty(), false, List.of("id"));
        ExportConfig.Query joined = new ExportConfig.Query(
                "q", "SELECT 1 AS a", List.of(), List.of(new ExportConfig.Join("SELECT $(a)", false)));
        for (ExportConfig.Builder config : Arrays.asList(
                to("no").tables("every").columns(flat),
                to("no").tables("every").columns(cut),
                to("no").queries(List.of(joined)),
                to("no").tables("every").resume(true),
                to("no").tables("every").deferrable(true),
                to("no").tables("every").snapshot("1-2-3"))) {
            assertThatThrownBy(() -> Exporter.run(config.build()))
                    .isInstanceOfSatisfying(QueryException.class, failure -> {
                        assertThat(failure.state().code()).isEqualTo("0A000");
                        assertThat(failure.hint()).isNotBlank();
                    })
                    .hasMessageContaining("from MySQL or MariaDB are not exported yet");
        }
        assertThat(folder.resolve("no")).doesNotExist();
    }
}
