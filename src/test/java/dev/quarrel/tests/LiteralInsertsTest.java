package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.WriteAccess;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.server.Server;
import dev.quarrel.server.catalog.SystemCatalog;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// INSERT of literals of all forms into columns of all types: the same rows as in PostgreSQL, the same errors.
class LiteralInsertsTest {
    private static final int STATEMENTS = Integer.getInteger("count", 800);

    private static final List<String> TYPES = List.of(
            "smallint",
            "integer",
            "bigint",
            "real",
            "double precision",
            "numeric",
            "numeric(6,2)",
            "text",
            "varchar",
            "varchar(4)",
            "char(3)",
            "boolean",
            "date",
            "timestamp",
            "timestamp(2)",
            "timestamptz",
            "time",
            "interval",
            "uuid",
            "bytea",
            "json",
            "integer[]",
            "text[]",
            "inet");

    private static final List<String> LITERALS = List.of(
            "null",
            "0",
            "7",
            "-7",
            "- 12",
            "+3",
            "32767",
            "32768",
            "-32768",
            "2147483648",
            "-9223372036854775808",
            "9223372036854775808",
            "16777217",
            "0x1F",
            "1_000",
            "1.5",
            "-2.345",
            "2.50",
            "0.005",
            "99999.994",
            "12345.678901234567890123",
            "1e3",
            "1.25e-2",
            "true",
            "false",
            "'t'",
            "'yes'",
            "''",
            "' 7 '",
            "'12'",
            "'1.5'",
            "'NaN'",
            "'-Infinity'",
            "'1e30'",
            "'abc'",
            "'abcd '",
            "'abcdef'",
            "'ab   '",
            "'it''s'",
            "E'tab\\tnew\\nline\\\\'",
            "'back\\slash'",
            "'\\N'",
            "'\\.'",
            "'a\tb'",
            "'äöü€𝄞'",
            "U&'d\\0061t'",
            "$$dollar$$",
            "'2024-02-29'",
            "'2024-02-30'",
            "'29.2.2024'",
            "'infinity'",
            "'2024-02-29 12:34:56.789123'",
            "'2024-02-29 12:34:56.785'",
            "'2024-02-29 12:34:56+02'",
            "'2024-03-31 02:30 Europe/Berlin'",
            "date '2024-01-01'",
            "'2024-01-01'::date",
            "'2024-01-01 10:00:00.123456'::timestamp",
            "timestamp '2024-01-01 10:00:00.126'",
            "'2024-01-01 10:00+00'::timestamptz",
            "timestamp with time zone '2024-01-01 10:00-05'",
            "timestamp(0) '2024-01-01 10:00:00.6'",
            "'12:34:56'",
            "time '12:34:56.5'",
            "'1 day 02:00'",
            "interval '1 month'",
            "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'",
            "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid",
            "'\\x0aff'",
            "'{\"a\": 1}'",
            "'{1,2,null}'",
            "array[1, 2]",
            "'{a,b}'",
            "'10.0.0.1'",
            "'x'::varchar",
            "'abcdef'::varchar(4)",
            "'5'::int",
            "5::text",
            "B'101'",
            "X'1F'",
            "1 + 1",
            "(4)",
            "(select 6)",
            "default",
            "current_date",
            "'today'",
            "'epoch'");

    @TempDir
    private Path root;

    @Test
    void columnsTakeThemAsPostgresqlDoes() throws Exception {
        long seed = Long.getLong("quarrel.seed", 20_261_130);
        System.out.println("LiteralInsertsTest -Dquarrel.seed=" + seed);
        EngineConfig config = SystemCatalog.install(
                EngineConfig.defaults().withThreads(2).withWrites(new WriteAccess(true, List.of())), List.of());
        try (Engine engine = LocalEngine.open(DatasetCatalog.open(root), config)) {
            Server server = Server.start(engine, ServerConfig.defaults().with(ServerSetting.PORT, 0));
            try (Connection quarrel = DriverManager.getConnection(
                            "jdbc:postgresql://127.0.0.1:" + server.address().getPort() + "/quarrel?user=analyst");
                    Connection oracle = PostgresOracle.shared().connect()) {
                SqlAnswer.of(oracle, "set TimeZone = 'Asia/Kolkata'");
                SqlAnswer.of(quarrel, "set TimeZone = 'Asia/Kolkata'");
                compare(new Random(seed), oracle, quarrel);
            } finally {
                server.stop();
            }
        }
    }

    private static void compare(Random random, Connection oracle, Connection quarrel) {
        List<String> columns = new ArrayList<>();
        for (int column = 0; column < TYPES.size(); column++) {
            columns.add("c" + column + " " + TYPES.get(column));
        }
        String table = "literals (row_number int, " + String.join(", ", columns) + ")";
        assertThat(SqlAnswer.of(oracle, "create temp table " + table)).isEqualTo(new SqlAnswer.Done());
        assertThat(SqlAnswer.of(quarrel, "create temp table " + table)).isEqualTo(new SqlAnswer.Done());
        int done = 0;
        for (int row = 0; row < STATEMENTS; row++) {
            String sql = insert(random, row);
            SqlAnswer right = SqlAnswer.of(oracle, sql);
            SqlAnswer ours = SqlAnswer.of(quarrel, sql);
            if (ours instanceof SqlAnswer.Failure(String state, String _, int _) && state.equals("0A000")) {
                SqlAnswer.of(oracle, "delete from literals where row_number = " + row);
                continue; // says what is not built
            }
            boolean areBothWrong = right instanceof SqlAnswer.Failure && ours instanceof SqlAnswer.Failure;
            boolean isFirstOpen = sql.indexOf("), (") >= 0 || sql.indexOf(", c") >= 0; // which of two errors is told
            assertThat(right.isSameByState(ours) || areBothWrong && isFirstOpen)
                    .as("%s%n  PostgreSQL: %s%n  Quarrel: %s", sql, right, ours)
                    .isTrue();
            done += right instanceof SqlAnswer.Done ? 1 : 0;
            String look = "select * from literals where row_number = " + row + " order by 1, 2, 3, 4, 5";
            assertThat(SqlAnswer.of(quarrel, look)).as(sql).isEqualTo(SqlAnswer.of(oracle, look));
        }
        System.out.println(done + " of " + STATEMENTS + " without an error");
        assertThat(done).isGreaterThan(STATEMENTS / 5);
    }

    /// One or two rows for a column, or one for two columns.
    private static String insert(Random random, int row) {
        int column = random.nextInt(TYPES.size());
        String first = "c" + column;
        boolean keepsScales = TYPES.get(column).equals("numeric"); // of computed values a column has one scale
        return switch (keepsScales ? 2 : random.nextInt(4)) {
            case 0 ->
                "insert into literals (row_number, %s) values (%d, %s), (%d, %s)"
                        .formatted(first, row, literal(random), row, literal(random));
            case 1 -> {
                int other = (column + 1 + random.nextInt(TYPES.size() - 1)) % TYPES.size();
                yield "insert into literals (%s, row_number, c%d) values (%s, %d, %s)"
                        .formatted(first, other, literal(random), row, literal(random));
            }
            default -> "insert into literals (row_number, %s) values (%d, %s)".formatted(first, row, literal(random));
        };
    }

    private static String literal(Random random) {
        return LITERALS.get(random.nextInt(LITERALS.size()));
    }
}
