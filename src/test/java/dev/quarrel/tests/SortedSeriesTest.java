package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Random ASOF joins over tables whose rows ascend in time, which are read as they are and not kept: the rows are those
/// that PostgreSQL finds one by one.
///
/// `-Dquarrel.seed=N` repeats a run, `-Dcount=N` makes a longer one.
class SortedSeriesTest {
    private static final String[] TABLES = {"series.trades", "series.quotes", "series.other"};

    private static final List<String> EXTREMES = List.of(
            "SELECT min(ts), max(ts) FROM series.quotes",
            "SELECT max(id) AS a, min(ts), max(ts) AS b, max(ts) AS c, min(id) FROM series.quotes WHERE code <> 2",
            "SELECT max(ts) FROM series.quotes WHERE code = 200 OR price < -1",
            "SELECT max(ts) - min(ts) FROM (SELECT ts FROM series.quotes WHERE price IS NOT NULL) q HAVING max(ts) > '2024-01-01'",
            "SELECT max(ts) FROM series.quotes WHERE id > 10 AND 100 / (id - 2499) < 1000",
            "SELECT (SELECT min(q.ts) FROM series.quotes q WHERE q.id > t.id) FROM series.trades t ORDER BY id LIMIT 3",
            "SELECT min(id), max(price) FROM series.quotes WHERE id > 5");

    /// Those of PostgreSQL, which each configuration is asked for.
    private static final Map<String, SqlAnswer> ANSWERS = new HashMap<>();

    private static Path exported;
    private static Path shreds;

    @BeforeAll
    static void makeTables() throws SQLException {
        try (Connection oracle = PostgresOracle.shared().connect();
                Statement statement = oracle.createStatement()) {
            statement.execute("DROP SCHEMA IF EXISTS series CASCADE; CREATE SCHEMA series");
            statement.execute(table("trades", 1_500, 3, 11));
            statement.execute(table("quotes", 2_500, 2, 7));
            statement.execute(table("other", 900, 9, 40));
            for (String table : TABLES) {
                statement.execute("CREATE INDEX ON " + table + " (symbol, ts); CREATE INDEX ON " + table
                        + " (code, ts); ANALYZE " + table);
            }
        }
        exported = QuarrelServer.export(PostgresOracle.shared(), TABLES);
        shreds = RelaidTables.SHREDS.write(exported);
    }

    /// Several rows have one time, some no symbol, and one symbol of each table is only there.
    private static String table(String name, int rows, int seconds, int symbols) {
        return "CREATE TABLE series." + name + " AS SELECT i AS id,"
                + " timestamp '2024-02-28 23:00' + interval '1 second' * (i * " + seconds + " / 3) AS ts,"
                + " CASE WHEN i % 17 = 0 THEN NULL WHEN i % 23 = 0 THEN '" + name + "' ELSE 's' || i * 31 % " + symbols
                + " END AS symbol, (i * 7 % " + symbols + ")::int AS code, CASE WHEN i % 5 = 0 THEN NULL ELSE i * 0.25"
                + " END::float8 AS price, 'note ' || i % 40 AS note,"
                + " (i / 3 * 0.5)::float8 AS level, date '2020-01-01' + i / 7 AS day FROM generate_series(1, " + rows
                + ") AS i";
    }

    static List<Configuration> configurations() {
        return Configuration.ALL;
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void rowsAreThoseOfPostgresql(Configuration configuration) throws SQLException {
        compare(configuration, exported, Integer.getInteger("count", 25));
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void rowsOfManySmallFilesAreTheSame(Configuration configuration) throws SQLException {
        compare(configuration, shreds, Integer.getInteger("count", 15));
    }

    /// The least and the greatest values are looked for at the ends of tables.
    @ParameterizedTest
    @MethodSource("configurations")
    void extremesAreThoseOfPostgresql(Configuration configuration) throws SQLException {
        try (Connection oracle = PostgresOracle.shared().connect();
                QuarrelServer server = QuarrelServer.start(exported, configuration);
                Connection quarrel = server.connect()) {
            for (String query : EXTREMES) {
                assertThat(SqlAnswer.of(quarrel, query)).as(query).isEqualTo(SqlAnswer.of(oracle, query));
            }
            assertThat(SqlAnswer.of(quarrel, "EXPLAIN " + EXTREMES.getFirst()).toString())
                    .contains("Top-N Sort");
        }
    }

    private static void compare(Configuration configuration, Path root, int count) throws SQLException {
        long seed = Long.getLong("quarrel.seed", 20_261_127);
        System.out.println(SortedSeriesTest.class.getSimpleName() + " -Dquarrel.seed=" + seed);
        Random random = new Random(seed);
        List<String> disagreements = new ArrayList<>();
        try (Connection oracle = PostgresOracle.shared().connect();
                QuarrelServer server = QuarrelServer.start(root, configuration);
                Connection quarrel = server.connect()) {
            for (int index = 0; index < count; index++) {
                Nearest join = Nearest.of(random);
                SqlAnswer right = ANSWERS.computeIfAbsent(join.theirs(), theirs -> SqlAnswer.of(oracle, theirs));
                SqlAnswer ours = SqlAnswer.of(quarrel, join.ours());
                boolean isSame = right instanceof SqlAnswer.Rows(var _, var expected)
                        && ours instanceof SqlAnswer.Rows(var _, var rows)
                        && rows.equals(expected);
                if (!isSame) {
                    disagreements.add(
                            join.ours() + "\n  " + ours + "\n  PostgreSQL: " + join.theirs() + "\n  " + right);
                }
            }
        }
        assertThat(disagreements).as("seed " + seed).isEmpty();
    }

    /// One statement in both languages.
    private record Nearest(String ours, String theirs) {
        static Nearest of(Random random) {
            String left = TABLES[random.nextInt(TABLES.length)];
            String right = TABLES[random.nextInt(TABLES.length)];
            String relation = random.nextInt(3) == 0 ? ">" : random.nextInt(6) == 0 ? "<=" : ">=";
            boolean isLeft = random.nextBoolean();
            String keys = pick(
                    random, "", "l.symbol = r.symbol", "l.code = r.code", "l.symbol = r.symbol AND l.code = r.code");
            String rightRows = pick(
                    random,
                    right,
                    "(SELECT * FROM " + right + " WHERE price > 100)",
                    "(SELECT * FROM " + right + " WHERE code < 3 AND note <> 'note 7')",
                    "(SELECT id, ts, symbol, code, price * 2 AS price, note, level, day FROM " + right
                            + " WHERE false OR id % 50 = 0)");
            String filter =
                    pick(random, "", "l.price > 40", "l.symbol = 's3'", "l.ts >= '2024-02-28 23:10'", "l.id % 97 = 0");
            int tolerance = random.nextInt(3) == 0 ? 1 + random.nextInt(60) : 0;
            String items = pick(random, "r.id, r.ts, r.price, r.note", "r.note, r.symbol", "r.price");
            String order = tolerance > 0 ? "ts" : pick(random, "ts", "ts", "id", "level", "day");
            String on = (keys.isEmpty() ? "" : keys + " AND ") + "l." + order + " " + relation + " r." + order;
            String end = (filter.isEmpty() ? "" : " WHERE " + filter) + " ORDER BY 1";
            String select = "SELECT l.id, " + items + " FROM " + left + " l ";
            boolean isBefore = relation.startsWith(">");
            String within = tolerance == 0
                    ? "true"
                    : isBefore
                            ? "r.ts >= l.ts - interval '" + tolerance + " seconds'"
                            : "r.ts <= l.ts + interval '" + tolerance + " seconds'";
            String direction = isBefore ? " DESC" : "";
            return new Nearest(
                    select + "ASOF " + (isLeft ? "LEFT " : "") + "JOIN " + rightRows + " r ON " + on
                            + (tolerance == 0 ? "" : " TOLERANCE " + tolerance + "s") + end,
                    select + (isLeft ? "LEFT " : "") + "JOIN LATERAL (SELECT * FROM " + rightRows + " r WHERE " + on
                            + " ORDER BY r." + order + direction + ", r.id" + direction + " LIMIT 1) r ON " + within
                            + end);
        }

        private static String pick(Random random, String... choices) {
            return choices[random.nextInt(choices.length)];
        }
    }
}
