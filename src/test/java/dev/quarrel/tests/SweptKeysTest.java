package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.device.DeviceConfig;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// ASOF joins by several columns that may have more keys together than an integer counts: 65,536 values a column make
/// 2³² of two and 2⁶⁴ of four, which are 0 to one that wraps round.
///
/// The rows are PostgreSQL's. By default such a build side goes to a hash table, and one of few keys is swept; the
/// configurations of tests sweep both.
class SweptKeysTest {
    private static final String SWEPT = "the last row of each key in";
    private static final Configuration BY_DEFAULT =
            new Configuration("cpu-auto", 2, 2048, DeviceConfig.Tier.AUTO, 16_384, List.of());
    private static final List<String> FEW = List.of("l.few = r.few", "l.few = r.few AND l.pair = r.pair");
    private static final List<String> MANY = List.of(
            "l.a = r.a AND l.b = r.b",
            "l.a = r.a AND l.b = r.b AND l.c = r.c AND l.d = r.d",
            "l.a = r.a AND l.d = r.b");

    private static Path exported;

    @BeforeAll
    static void makeTables() throws SQLException {
        try (Connection oracle = PostgresOracle.shared().connect();
                Statement statement = oracle.createStatement()) {
            statement.execute("DROP SCHEMA IF EXISTS swept CASCADE; CREATE SCHEMA swept");
            // As many rows as a side has at least that is swept by default.
            statement.execute("CREATE TABLE swept.readings AS " + rows("generate_series(0, 262143)", "i"));
            statement.execute("CREATE TABLE swept.shuffled AS SELECT * FROM swept.readings ORDER BY id % 2, id");
            statement.execute(
                    "CREATE TABLE swept.probes AS " + rows("generate_series(75000, 327000, 1000)", "i - 70000"));
            for (String table : List.of("swept.readings", "swept.shuffled")) {
                statement.execute("CREATE INDEX ON " + table + " (a, ts); CREATE INDEX ON " + table
                        + " (few, ts); ANALYZE " + table);
            }
        }
        exported = QuarrelServer.export(PostgresOracle.shared(), 1, "swept.readings", "swept.shuffled", "swept.probes");
    }

    /// @param number that a row's keys are made of
    private static String rows(String series, String number) {
        return "SELECT i AS id, timestamp '2024-02-28 23:00' + interval '1 second' * i AS ts, n % 65536 AS a,"
                + " n * 3 % 65536 AS b, n * 5 % 65536 AS c, n * 7 % 65536 AS d, n % 5 AS few, n % 3 AS pair FROM (SELECT i, "
                + number + " AS n FROM " + series + " AS i) AS numbered ORDER BY i";
    }

    static List<Configuration> configurations() {
        return List.of(Configuration.ALL.get(0), Configuration.ALL.get(1), BY_DEFAULT);
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void rowsOfManyKeysAreThoseOfPostgresql(Configuration configuration) throws SQLException {
        boolean isSwept = !configuration.equals(BY_DEFAULT);
        for (String work : compare(configuration, "swept.readings", MANY)) {
            assertThat(work.contains(SWEPT)).as(work).isEqualTo(isSwept);
        }
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void rowsOfFewKeysAreThoseOfPostgresql(Configuration configuration) throws SQLException {
        assertThat(compare(configuration, "swept.readings", FEW))
                .allSatisfy(work -> assertThat(work).contains(SWEPT));
    }

    /// Their rows are kept, in lists by key that are to be sorted.
    @ParameterizedTest
    @MethodSource("configurations")
    void rowsOutOfOrderAreNotSwept(Configuration configuration) throws SQLException {
        List<String> all = Stream.concat(FEW.stream(), MANY.stream()).toList();
        assertThat(compare(configuration, "swept.shuffled", all))
                .allSatisfy(work -> assertThat(work).doesNotContain(SWEPT));
    }

    /// @return how Quarrel ran the joins
    private static List<String> compare(Configuration configuration, String table, List<String> conditions)
            throws SQLException {
        List<String> works = new ArrayList<>();
        try (Connection oracle = PostgresOracle.shared().connect();
                QuarrelServer server = QuarrelServer.start(exported, configuration);
                Connection quarrel = server.connect()) {
            for (String keys : conditions) {
                works.add(compare(oracle, quarrel, table, keys));
            }
        }
        return works;
    }

    private static String compare(Connection oracle, Connection quarrel, String table, String keys) {
        String ours = "SELECT l.id, r.id, r.ts FROM swept.probes l ASOF LEFT JOIN " + table + " r ON " + keys
                + " AND l.ts >= r.ts ORDER BY 1";
        SqlAnswer right = SqlAnswer.of(
                oracle,
                "SELECT l.id, r.id, r.ts FROM swept.probes l LEFT JOIN LATERAL (SELECT * FROM " + table + " r WHERE "
                        + keys + " AND l.ts >= r.ts ORDER BY r.ts DESC LIMIT 1) r ON true ORDER BY 1");
        SqlAnswer answer = SqlAnswer.of(quarrel, ours);
        assertThat(right).isInstanceOf(SqlAnswer.Rows.class);
        assertThat(answer).as(ours).isInstanceOf(SqlAnswer.Rows.class);
        assertThat(answer).as(ours).isEqualTo(right);
        return SqlAnswer.of(quarrel, "EXPLAIN ANALYZE " + ours).toString();
    }
}
