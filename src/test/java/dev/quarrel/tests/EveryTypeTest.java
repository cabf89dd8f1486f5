package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Every type of PostgreSQL's, the whole way: exported, served, and equal to what PostgreSQL shows; what the engine
/// cannot do with such values is refused, never answered wrongly.
class EveryTypeTest {
    private static final int RANDOM_ROWS = 60;

    /// What a statement over a type may end with instead of PostgreSQL's rows: not built, no such operator.
    private static final Set<String> REFUSALS = Set.of("0A000", "42883");

    private static final Map<String, TypeSamples.Sample> SAMPLES = TypeSamples.others();
    private static QuarrelServer quarrel;

    @BeforeAll
    static void export() {
        PostgresOracle oracle = PostgresOracle.shared();
        TypeSamples.fill(oracle, "every_type", SAMPLES, RANDOM_ROWS);
        Path root = QuarrelServer.export(oracle, "every_type");
        quarrel = QuarrelServer.start(root, Configuration.ALL.get(1));
    }

    @AfterAll
    static void stop() {
        if (quarrel != null) {
            quarrel.close();
        }
        PostgresOracle.shared().run("DROP TABLE IF EXISTS every_type"); // other tests list the oracle's tables
    }

    private static Connection quarrel(String properties) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + quarrel.port() + "/quarrel?user=analyst&" + properties);
    }

    private static Connection oracle(String properties) throws SQLException {
        String url = PostgresOracle.shared().url();
        return DriverManager.getConnection(url + (url.contains("?") ? "&" : "?") + properties);
    }

    @Test
    void textsAreThoseOfPostgresql() throws SQLException {
        compare("preferQueryMode=simple");
    }

    @Test
    void binaryFormsReadAsThoseOfPostgresql() throws SQLException {
        compare("prepareThreshold=-1");
    }

    private static void compare(String properties) throws SQLException {
        try (Connection ours = quarrel(properties);
                Connection theirs = oracle(properties)) {
            List<String> problems = new ArrayList<>();
            for (String column : SAMPLES.keySet()) {
                String sql = "SELECT id, \"" + column + "\" FROM every_type ORDER BY id";
                compare(sql, answer(ours, sql), answer(theirs, sql), problems);
            }
            assertThat(problems).isEmpty();
        }
    }

    @Test
    void columnsHaveTheTypesOfPostgresql() throws SQLException {
        try (Connection ours = quarrel("");
                Connection theirs = oracle("")) {
            assertThat(types(ours)).isEqualTo(types(theirs));
            String formatted = "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute a JOIN pg_class c"
                    + " ON c.oid = a.attrelid WHERE relname = 'every_type' AND attnum > 0 ORDER BY attnum";
            List<String> expected = rows(theirs, formatted).stream()
                    .map(row -> row.replace("positive", "integer").replace("felt_mood", "mood"))
                    .toList();
            assertThat(rows(ours, formatted)).isEqualTo(expected);
        }
    }

    private static List<String> types(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM every_type LIMIT 0")) {
            ResultSetMetaData meta = rows.getMetaData();
            List<String> types = new ArrayList<>();
            for (int column = 1; column <= meta.getColumnCount(); column++) {
                types.add(meta.getColumnName(column) + " " + meta.getColumnTypeName(column));
            }
            return types;
        }
    }

    @Test
    void whatCannotBeAnsweredRightIsRefused() throws SQLException {
        List<String> statements = List.of(
                "SELECT count(*) FROM every_type WHERE %s IS NULL",
                "SELECT count(%s), count(*) FROM every_type",
                "SELECT id, coalesce(%s, NULL) FROM every_type ORDER BY id",
                "SELECT id, CASE WHEN id > 7 THEN %s END FROM every_type ORDER BY id",
                "SELECT id, %s::text FROM every_type ORDER BY id",
                "SELECT id, concat(%s, '!') FROM every_type ORDER BY id",
                "SELECT pg_typeof(%s) FROM every_type WHERE id = 1",
                "SELECT id, first_value(%s) OVER (ORDER BY id) FROM every_type ORDER BY id",
                "SELECT %s, count(*) FROM every_type GROUP BY 1 ORDER BY 2, min(id)",
                "SELECT count(*) FROM (SELECT DISTINCT %s FROM every_type) d",
                "SELECT count(DISTINCT %s) FROM every_type",
                "SELECT id, %1$s FROM every_type ORDER BY %1$s, id",
                "SELECT %1$s FROM every_type ORDER BY 1 DESC, id",
                "SELECT min(%s) FROM every_type",
                "SELECT max(%s) FROM every_type",
                "SELECT greatest(%1$s, %1$s) FROM every_type ORDER BY id",
                "SELECT nullif(%1$s, %1$s) FROM every_type ORDER BY id",
                "SELECT a.id, b.id FROM every_type a JOIN every_type b ON a.%1$s = b.%1$s ORDER BY 1, 2",
                "SELECT a.id, b.id FROM every_type a JOIN every_type b ON a.%1$s < b.%1$s ORDER BY 1, 2",
                "SELECT a.id FROM every_type a JOIN every_type b USING (%1$s) ORDER BY 1",
                "SELECT count(*) FROM every_type a WHERE %1$s IN (SELECT %1$s FROM every_type WHERE id < 20)",
                "SELECT count(*) FROM every_type a WHERE EXISTS"
                        + " (SELECT 1 FROM every_type b WHERE b.%1$s = a.%1$s AND b.id > a.id)",
                "SELECT count(*) FROM every_type WHERE %1$s = (SELECT %1$s FROM every_type WHERE id = 3)",
                "SELECT count(*) FROM every_type WHERE %1$s <> %1$s",
                "SELECT count(*) FROM every_type WHERE %1$s >= %1$s",
                "SELECT count(*) FROM every_type WHERE %1$s IS NOT DISTINCT FROM %1$s",
                "SELECT count(*) FROM (SELECT %1$s FROM every_type UNION SELECT %1$s FROM every_type) u",
                "SELECT count(*) FROM (SELECT %1$s FROM every_type EXCEPT SELECT %1$s FROM every_type) u",
                "SELECT count(*) FROM (SELECT %1$s FROM every_type UNION ALL SELECT %1$s FROM every_type) u",
                "SELECT id, rank() OVER (PARTITION BY %s ORDER BY id) FROM every_type ORDER BY id",
                "SELECT id, rank() OVER (ORDER BY %s) FROM every_type ORDER BY 1",
                "SELECT id, %1$s || %1$s FROM every_type ORDER BY id",
                "SELECT length(%s) FROM every_type ORDER BY id",
                "SELECT mode() WITHIN GROUP (ORDER BY %s) FROM every_type",
                "SELECT count(*) FROM every_type WHERE %s LIKE '1%%'",
                "SELECT count(*) FROM every_type WHERE %s = '1'",
                "SELECT id, cardinality(%s) FROM every_type ORDER BY id",
                "SELECT id, array_length(%s, 1) FROM every_type WHERE id < 60 ORDER BY id",
                "SELECT id, (%s)[1] FROM every_type WHERE id < 60 ORDER BY id",
                "SELECT id, (%s)[2] FROM every_type WHERE id < 60 ORDER BY id",
                "SELECT id, cardinality(%1$s), array_length(%1$s, 1) FROM every_type WHERE id > 200 ORDER BY id",
                "SELECT id, array_to_string(%s, '/') FROM every_type WHERE id < 60 ORDER BY id",
                "SELECT id, array_to_string(%s, '/', '?') FROM every_type ORDER BY id",
                "SELECT id FROM every_type WHERE '3' = ANY (%s) AND id < 60 ORDER BY id",
                "SELECT id FROM every_type WHERE '3' = ANY (%s) ORDER BY id",
                "SELECT count(*) FROM every_type WHERE %s IN ('1', '2')",
                "SELECT count(*) FROM every_type WHERE %s BETWEEN '1' AND '2'");
        Map<String, List<String>> refused = new LinkedHashMap<>();
        List<String> problems = new ArrayList<>();
        try (Connection ours = quarrel("");
                Connection theirs = oracle("")) {
            for (String column : SAMPLES.keySet()) {
                for (String statement : statements) {
                    String sql = statement.formatted('"' + column + '"');
                    Object expected = answer(theirs, sql);
                    Object answer = answer(ours, sql);
                    // Domains are exported as their base types, which have more operators than enums' domains.
                    boolean isOfDomain = Set.of("small", "felt").contains(column)
                            && (REFUSALS.contains(expected) || sql.contains("pg_typeof"));
                    if (isOfDomain) {
                        continue;
                    }
                    boolean isRefused = answer instanceof String state && REFUSALS.contains(state);
                    if (isRefused) {
                        refused.computeIfAbsent(statement, _ -> new ArrayList<>())
                                .add(column);
                    } else {
                        compare(sql, answer, expected, problems);
                    }
                }
            }
            assertThat(problems).isEmpty();
        }
        // Handing values on is never refused, but for casts to text that differ from what is held, and what asks
        // whether a row is NULL, as one of NULLs is, too.
        statements
                .subList(0, 8)
                .forEach(statement -> assertThat(refused.getOrDefault(statement, List.of()))
                        .as(statement)
                        .isSubsetOf("inet", "cidr", "pair", "inner"));
    }

    @Test
    void enumsCompareByTheirLabelsOrder() throws SQLException {
        List<String> statements = List.of(
                "SELECT id FROM every_type WHERE feeling = 'ok' ORDER BY id",
                "SELECT id FROM every_type WHERE feeling <> 'ok' ORDER BY id",
                "SELECT id FROM every_type WHERE feeling IN ('ok', 'Good') ORDER BY id",
                "SELECT id FROM every_type WHERE feeling > 'bad' ORDER BY id",
                "SELECT id FROM every_type WHERE 'Good' >= feeling ORDER BY id",
                "SELECT id FROM every_type WHERE feeling BETWEEN 'ok' AND 'Good' ORDER BY id",
                "SELECT id FROM every_type WHERE feeling = 'awful' ORDER BY id",
                "SELECT feeling, count(*) FROM every_type GROUP BY feeling ORDER BY feeling",
                "SELECT feeling, count(*) FROM every_type GROUP BY 1 ORDER BY 1 DESC NULLS LAST",
                "SELECT id, feeling FROM every_type ORDER BY feeling DESC, id LIMIT 20",
                "SELECT a.feeling, count(*) FROM every_type a JOIN every_type b USING (feeling) GROUP BY 1 ORDER BY 2, 1");
        try (Connection ours = quarrel("");
                Connection theirs = oracle("")) {
            List<String> problems = new ArrayList<>();
            for (String sql : statements) {
                compare(sql, answer(ours, sql), answer(theirs, sql), problems);
            }
            assertThat(problems).isEmpty();
        }
    }

    @Test
    void zonesInsideRangesAreThoseOfTheSession() throws SQLException {
        try (Connection ours = quarrel("");
                Connection theirs = oracle("");
                Statement statement = ours.createStatement();
                Statement expected = theirs.createStatement()) {
            List<String> problems = new ArrayList<>();
            for (String zone : List.of("Asia/Tokyo", "America/New_York")) {
                statement.execute("SET TIME ZONE '" + zone + "'");
                expected.execute("SET TIME ZONE '" + zone + "'");
                for (String value : List.of("tstzrange", "tstzrange::text", "ARRAY[tstzrange]")) {
                    String sql = "SELECT id, " + value + " FROM every_type ORDER BY id";
                    compare(sql, answer(ours, sql), answer(theirs, sql), problems);
                }
            }
            assertThat(problems).isEmpty();
        }
    }

    /// Notes the first rows that differ.
    private static void compare(String sql, Object answer, Object expected, List<String> problems) {
        if (answer.equals(expected)) {
            return;
        }
        if (!(answer instanceof List<?> ours) || !(expected instanceof List<?> theirs)) {
            problems.add(sql + ": " + (answer instanceof List ? "rows" : answer) + " instead of "
                    + (expected instanceof List ? "rows" : expected));
            return;
        }
        for (int row = 0; row < Math.max(ours.size(), theirs.size()); row++) {
            Object one = row < ours.size() ? ours.get(row) : "nothing";
            Object other = row < theirs.size() ? theirs.get(row) : "nothing";
            if (!one.equals(other)) {
                problems.add(sql + ", row " + row + ": " + one + " instead of " + other);
                return;
            }
        }
    }

    /// The rows, or the SQLSTATE.
    private static Object answer(Connection connection, String sql) {
        try {
            return rows(connection, sql);
        } catch (SQLException refused) {
            return refused.getSQLState();
        } catch (DateTimeException drivers) {
            return drivers.getMessage(); // 24:00 with a zone is none to java.time
        }
    }

    private static List<String> rows(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet rows = statement.executeQuery()) {
            int columns = rows.getMetaData().getColumnCount();
            List<String> all = new ArrayList<>();
            while (rows.next()) {
                StringBuilder row = new StringBuilder();
                for (int column = 1; column <= columns; column++) {
                    row.append(column == 1 ? "" : "|").append(rows.getString(column));
                }
                all.add(row.toString());
            }
            return all;
        }
    }
}
