package dev.quarrel.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.config.Selection;
import dev.quarrel.export.copy.Unfit;
import dev.quarrel.export.source.MySqlSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Exports from a real MariaDB.
final class MariaDbTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);

    private static TestMariaDb server;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start(@TempDir Path data) throws IOException, InterruptedException {
        server = TestMariaDb.start(data);
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

    @Test
    void everyTypeIsExportedAsWhatItIs() throws SQLException {
        server.execute(
                "CREATE TABLE every (id INT PRIMARY KEY, t TINYINT, tu TINYINT UNSIGNED, s SMALLINT, su SMALLINT UNSIGNED,"
                        + " m MEDIUMINT UNSIGNED, i INT, iu INT UNSIGNED, b BIGINT, bu BIGINT UNSIGNED, d DECIMAL(12,3),"
                        + " dl DECIMAL(38,10), f FLOAT, g DOUBLE, bits BIT(5), y YEAR, dt DATE, ts DATETIME(6),"
                        + " tz TIMESTAMP(6) NULL, ti TIME(3), c CHAR(4), v VARCHAR(20), x TEXT, e ENUM('a','b'),"
                        + " st SET('p','q'), bi VARBINARY(8), bl BLOB, u UUID, ip INET6, p POINT) ENGINE=InnoDB",
                "SET time_zone = '+02:00'",
                "INSERT INTO every (id) VALUES (1)",
                "INSERT INTO every VALUES (2, -128, 255, -32768, 65535, 16777215, -2147483648, 4294967295,"
                        + " -9223372036854775808, 18446744073709551615, -123456789.125, -1234567890123456789012345678.0123456789,"
                        + " 0.1, 1e300, b'10010', 2026, '2026-11-21', '1969-12-31 23:59:59.999999', '2026-01-02 03:04:05.5',"
                        + " '-838:59:58.999', 'ab', 'Zoë 🎯', 'long', 'b', 'p,q', x'00ff', x'',"
                        + " '123e4567-e89b-12d3-a456-426655440000', '::1', POINT(1, 2))",
                "INSERT INTO every (id, d, dl, ts, dt, ti) VALUES (3, 0.001, 0.0000000001, '9999-12-31 23:59:59.999999',"
                        + " '1000-01-01', '838:59:58')");
        Exporter.run(to("types").tables("every").workers(1).build());
        assertThat(Rows.ofTable(folder.resolve("types"), "public", "every"))
                .containsExactly(
                        "1" + "|∅".repeat(29),
                        "2|-128|255|-32768|65535|16777215|-2147483648|4294967295|-9223372036854775808|18446744073709551615"
                                + "|-123456789.125|-1234567890123456789012345678.0123456789|0.1|1e+300|10010|2026|2026-11-21"
                                + "|1969-12-31 23:59:59.999999|2026-01-02 01:04:05.5+00|-838:59:58.999|ab|Zoë 🎯|long|b|p,q"
                                + "|\\x00ff|\\x|123e4567-e89b-12d3-a456-426655440000|::1"
                                + "|\\x0101000000000000000000f03f0000000000000040",
                        "3|∅|∅|∅|∅|∅|∅|∅|∅|∅|0.001|0.0000000001|∅|∅|∅|∅|1000-01-01|9999-12-31 23:59:59.999999|∅|838:59:58"
                                + "|∅".repeat(10));
        try (ArrowFile file = ArrowFile.open(onlyFile(folder.resolve("types/every")))) {
            assertThat(file.schema().fields().stream().map(Field::pgType).toList())
                    .startsWith(
                            "integer", "smallint", "smallint", "smallint", "integer", "integer", "integer", "bigint")
                    .contains("numeric(20,0)", "numeric(12,3)", "bit(5)", "interval", "character varying(20)", "inet");
        }
    }

    private static Path onlyFile(Path folder) {
        try (var files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".arrow"))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException problem) {
            throw new AssertionError(problem);
        }
    }

    @Test
    void rangesOfKeysHoldEveryRowOnce() throws SQLException {
        server.execute("CREATE TABLE many (k BIGINT UNSIGNED PRIMARY KEY, v INT, t VARCHAR(30)) ENGINE=InnoDB");
        Random random = new Random(SEED);
        List<String> expected = new ArrayList<>();
        try (Connection connection = server.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO many VALUES (?, ?, ?)")) {
            connection.setAutoCommit(false);
            long key = 0;
            for (int row = 0; row < 100_000; row++) {
                // Gaps, so that ranges of equal width hold different numbers of rows.
                key += random.nextInt(8) == 0 ? random.nextLong(1L << 40) : 1;
                insert.setLong(1, key);
                insert.setInt(2, row);
                insert.setString(3, row % 7 == 0 ? null : "row " + row);
                insert.addBatch();
                expected.add(key + "|" + row + "|" + (row % 7 == 0 ? "∅" : "row " + row));
                if (row % 5000 == 4999) {
                    insert.executeBatch();
                }
            }
            connection.commit();
            try (Statement statement = connection.createStatement()) {
                statement.execute("ANALYZE TABLE many");
            }
        }
        expected.sort(null);
        for (int workers : new int[] {1, 4}) {
            ExportReport report = Exporter.run(to("many" + workers)
                    .tables("many")
                    .workers(workers)
                    .batchBytes(1 << 20)
                    .build());
            assertThat(report.rowCount()).isEqualTo(expected.size());
            assertThat(Rows.ofTable(folder.resolve("many" + workers), "public", "many"))
                    .isEqualTo(expected);
        }
    }

    @Test
    void allTablesAreOfOneSnapshot() throws Exception {
        server.execute(
                "CREATE TABLE left_side (id INT PRIMARY KEY, amount BIGINT) ENGINE=InnoDB",
                "CREATE TABLE right_side (id INT PRIMARY KEY, amount BIGINT) ENGINE=InnoDB",
                "INSERT INTO left_side SELECT seq, 1000 FROM seq_1_to_50000",
                "INSERT INTO right_side SELECT seq, 1000 FROM seq_1_to_50000",
                "ANALYZE TABLE left_side, right_side");
        AtomicBoolean isOver = new AtomicBoolean();
        Thread mover = Thread.ofPlatform().start(() -> {
            Random random = new Random(SEED);
            try (Connection connection = server.connect();
                    Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                while (!isOver.get()) {
                    int amount = random.nextInt(100);
                    int id = 1 + random.nextInt(50_000);
                    statement.execute("UPDATE left_side SET amount = amount - " + amount + " WHERE id = " + id);
                    statement.execute("UPDATE right_side SET amount = amount + " + amount + " WHERE id = "
                            + (1 + random.nextInt(50_000)));
                    connection.commit();
                }
            } catch (SQLException problem) {
                throw new IllegalStateException(problem);
            }
        });
        try {
            for (int round = 0; round < 6; round++) {
                Path data = folder.resolve("round" + round);
                Exporter.run(ExportConfig.builder(MySqlSource.parse(server.url(), Map.of(), folder), data)
                        .tables("left_side", "right_side")
                        .workers(1 + round % 3)
                        .build());
                assertThat(sum(data, "left_side") + sum(data, "right_side"))
                        .as("round %d, seed %d", round, SEED)
                        .isEqualTo(100_000_000);
            }
        } finally {
            isOver.set(true);
            mover.join();
        }
    }

    private static long sum(Path data, String table) {
        return Rows.ofTable(data, "public", table).stream()
                .mapToLong(row -> Long.parseLong(row.substring(row.indexOf('|') + 1)))
                .sum();
    }

    @Test
    void datesThatNoCalendarKnowsAreAnErrorOrNull() throws SQLException {
        server.execute(
                "SET sql_mode = ''",
                "CREATE TABLE dates (id INT PRIMARY KEY, d DATE NOT NULL, t DATETIME) ENGINE=InnoDB",
                "INSERT INTO dates VALUES (1, '0000-00-00', '2024-02-00'), (2, '2024-02-29', NULL)");
        assertThatThrownBy(() -> Exporter.run(to("bad").tables("dates").build()))
                .isInstanceOfSatisfying(
                        QueryException.class,
                        error -> assertThat(error.state()).isEqualTo(SqlState.DATETIME_FIELD_OVERFLOW))
                .hasMessageContaining("column public.dates.d");
        assertThat(folder.resolve("bad")).doesNotExist();
        Exporter.run(to("null")
                .tables("dates")
                .unfit(Unfit.Overflow.ERROR, Unfit.Infinity.NULL)
                .build());
        assertThat(Rows.ofTable(folder.resolve("null"), "public", "dates")).containsExactly("1|∅|∅", "2|2024-02-29|∅");
    }

    @Test
    void tablesAreFoundByNamesPatternsAndDatabases() throws SQLException {
        server.execute(
                "CREATE DATABASE `other db`",
                "CREATE TABLE `other db`.`a table` (`the key` INT PRIMARY KEY, w FLOAT) ENGINE=InnoDB",
                "INSERT INTO `other db`.`a table` VALUES (1, 0.25)",
                "CREATE TABLE `other db`.empty (n INT) ENGINE=InnoDB",
                "CREATE VIEW `other db`.seen AS SELECT w * 2 AS twice FROM `other db`.`a table`",
                "CREATE TABLE picked_1 (n INT)",
                "CREATE TABLE picked_2 (n INT)");
        Exporter.run(to("db").select(new Selection(List.of("`other db`.seen"), List.of("other*"), false, List.of()))
                .build());
        assertThat(Rows.ofTable(folder.resolve("db"), "other db", "a table")).containsExactly("1|0.25");
        assertThat(Rows.ofTable(folder.resolve("db"), "other db", "empty")).isEmpty();
        assertThat(Rows.ofTable(folder.resolve("db"), "other db", "seen")).containsExactly("0.5");
        ExportReport report = Exporter.run(to("some")
                .select(new Selection(List.of("picked_?"), List.of(), false, List.of("picked_2")))
                .build());
        assertThat(report.tables()).extracting(ExportReport.TableReport::name).containsExactly("picked_1");
        assertThatThrownBy(() -> Exporter.run(to("none").tables("nowhere").build()))
                .isInstanceOfSatisfying(
                        QueryException.class, error -> assertThat(error.state()).isEqualTo(SqlState.UNDEFINED_TABLE));
    }

    @Test
    void withoutThePrivilegeOneConnectionReads() throws SQLException {
        server.execute(
                "CREATE TABLE plain (id INT PRIMARY KEY)",
                "INSERT INTO plain VALUES (1), (2)",
                "CREATE USER reader@'127.0.0.1' IDENTIFIED BY 'r'",
                "GRANT SELECT ON shop.* TO reader@'127.0.0.1'");
        List<String> notices = new ArrayList<>();
        ExportProgress heard = new ExportProgress() {
            @Override
            public void notice(String text) {
                notices.add(text);
            }
        };
        String url = server.url().replaceFirst("//.*@", "//reader:r@");
        ExportReport report = Exporter.run(
                ExportConfig.builder(MySqlSource.parse(url, Map.of(), folder), folder.resolve("reader"))
                        .tables("plain")
                        .workers(3)
                        .build(),
                heard,
                new Cancellation());
        assertThat(report.rowCount()).isEqualTo(2);
        assertThat(notices).singleElement().asString().startsWith("one connection reads everything");
        String wrong = url.replace(":r@", ":x@");
        assertThatThrownBy(() -> Exporter.run(
                        ExportConfig.builder(MySqlSource.parse(wrong, Map.of(), folder), folder.resolve("wrong"))
                                .tables("plain")
                                .build()))
                .isInstanceOfSatisfying(
                        QueryException.class,
                        error -> assertThat(error.state()).isEqualTo(SqlState.INVALID_AUTHORIZATION_SPECIFICATION))
                .hasMessageNotContaining(":x@");
    }

    @Test
    void keysAreThoseThatHoldInTheFiles() throws SQLException {
        server.execute(
                "CREATE TABLE declared (id INT PRIMARY KEY, a VARCHAR(20) COLLATE utf8mb4_general_ci, b DATE, f FLOAT,"
                        + " e ENUM('', 'x'), s CHAR(4) CHARACTER SET cp932, l TEXT, UNIQUE both_of (b, a), UNIQUE (f),"
                        + " UNIQUE (e), UNIQUE (s), UNIQUE start (l(3)), KEY (a)) ENGINE=InnoDB",
                "CREATE TABLE day_keyed (d DATE PRIMARY KEY, n INT NOT NULL UNIQUE) ENGINE=InnoDB",
                "CREATE TABLE old (id INT PRIMARY KEY) ENGINE=MyISAM");
        Exporter.run(
                to("keys").tables("declared", "day_keyed", "old").workers(2).build());
        try (DatasetCatalog catalog = DatasetCatalog.open(folder.resolve("keys"));
                CatalogSnapshot snapshot = catalog.snapshot()) {
            assertThat(snapshot.table("public", "declared").uniqueKeys())
                    .containsExactly(
                            new UniqueKey("declared_pkey", UniqueKey.Kind.PRIMARY, List.of("id"), true),
                            new UniqueKey("both_of", UniqueKey.Kind.CONSTRAINT, List.of("b", "a"), true));
            // A date of no calendar may have become NULL.
            assertThat(snapshot.table("public", "day_keyed").uniqueKeys())
                    .containsExactly(new UniqueKey("n", UniqueKey.Kind.CONSTRAINT, List.of("n"), true));
            assertThat(snapshot.table("public", "old").uniqueKeys()).isEmpty();
        }
    }

    @Test
    void urlsAreUnderstoodOrRefusedWithoutRepeatingThem() throws IOException {
        Files.writeString(folder.resolve(".my.cnf"), "[mysqld]\nuser=no\n[client]\nuser=me\npassword=\"se cret\"\n");
        assertThat(MySqlSource.parse("jdbc:mariadb://h/d", Map.of(), folder)).hasToString("mysql://me@h:3306/d");
        assertThat(MySqlSource.parse("mariadb://u:p@[::1]:33/d", Map.of(), folder))
                .hasToString("mysql://u@[::1]:33/d");
        for (String url :
                List.of("mysql://u:sec ret@h/d", "mysql://u:secret@h", "mysql:u:secret", "mysql://u:secret@h/d?a=b")) {
            assertThatThrownBy(() -> MySqlSource.parse(url, Map.of(), folder))
                    .isInstanceOf(QueryException.class)
                    .hasMessageNotContaining("ret");
        }
    }
}
