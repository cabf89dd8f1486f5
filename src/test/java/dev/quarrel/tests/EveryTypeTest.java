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
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Every type of PostgreSQL's, the whole way: exported, served, and equal to what PostgreSQL shows; what the engine
/// cannot do with such values is refused, never answered wrongly.
class EveryTypeTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final int RANDOM_ROWS = 60;

    /// What a statement over a type may end with instead of PostgreSQL's rows: not built, no such operator.
    private static final Set<String> REFUSALS = Set.of("0A000", "42883");

    /// A column: its type, an expression of random values, and values worth a look.
    private record Sample(String type, String random, List<String> edges) {
        Sample(String type, String random, String... edges) {
            this(type, random, List.of(edges));
        }
    }

    private static final Map<String, Sample> SAMPLES = samples();
    private static QuarrelServer quarrel;

    private static Map<String, Sample> samples() {
        Map<String, Sample> samples = new LinkedHashMap<>();
        String text = "substr(md5(random()::text), 1, (random() * 12)::int)";
        samples.put(
                "inet",
                new Sample(
                        "inet",
                        "'10.0.0.0'::inet + (random() * 1e6)::int",
                        "0.0.0.0/0",
                        "255.255.255.255",
                        "::ffff:1.2.3.4/96",
                        "2001:db8::1/64",
                        "::",
                        "fe80::1"));
        samples.put(
                "cidr",
                new Sample(
                        "cidr",
                        "network(set_masklen('10.0.0.0'::inet + (random() * 1e6)::int, 24))",
                        "0.0.0.0/0",
                        "10.1.2.3/32",
                        "2001:db8::/32",
                        "::1/128"));
        samples.put(
                "macaddr",
                new Sample(
                        "macaddr",
                        "('08:00:2b:01:02:' || lpad(to_hex((random() * 255)::int), 2, '0'))::macaddr",
                        "ff:ff:ff:ff:ff:ff"));
        samples.put(
                "macaddr8",
                new Sample(
                        "macaddr8",
                        "('08:00:2b:01:02:03:04:' || lpad(to_hex((random() * 255)::int), 2, '0'))::macaddr8"));
        samples.put(
                "json",
                new Sample(
                        "json",
                        "json_build_object('a', random(), 'b', " + text + ")",
                        "{\"a\" : 1 , \"a\": 2}",
                        "null",
                        "[]",
                        "\"\\u00e9 é\"",
                        " 1.0 "));
        samples.put(
                "jsonb",
                new Sample(
                        "jsonb",
                        "jsonb_build_object('a', (random() * 9)::int, 'b', " + text + ")",
                        "{\"b\" : 1 , \"a\": [1, 2.0, null, true]}",
                        "1.0",
                        "1",
                        "\"x\"",
                        "{}"));
        samples.put("jsonpath", new Sample("jsonpath", "'$.a[*] ? (@ > 3)'::jsonpath"));
        samples.put("money", new Sample("money", "(random() * 1e7)::numeric::money", "-92233720368547758.08", "0.01"));
        samples.put("bits", new Sample("bit(11)", "(random() * 2047)::int::bit(11)", "00000000000", "11111111111"));
        samples.put(
                "varbits", new Sample("bit varying", "(random() * 127)::int::bit(7)::varbit", "", "1", "101010101"));
        samples.put(
                "timetz",
                new Sample(
                        "timetz",
                        "((time '00:00' + random() * interval '23 hours')::text || '+05:30')::timetz",
                        "24:00:00-15:59",
                        "00:00:00+15:59:59",
                        "12:34:56.789012+00",
                        "12:00+01",
                        "11:00+00"));
        samples.put("point", new Sample("point", "point(random() * 10, -random())", "(1e300,-Infinity)", "(NaN,0)"));
        samples.put("box", new Sample("box", "box(point(random(), 1), point(-1, random()))"));
        samples.put("line", new Sample("line", "'{1,-1,0.5}'::line"));
        samples.put("lseg", new Sample("lseg", "lseg(point(random(), 1), point(-1, random()))"));
        samples.put("path", new Sample("path", "'[(0,0),(1,2.5)]'::path", "((0,0),(1,1),(2,0))"));
        samples.put("polygon", new Sample("polygon", "'((0,0),(1,1),(2,0))'::polygon"));
        samples.put("circle", new Sample("circle", "circle(point(random(), 1), random())"));
        samples.put(
                "tsvector", new Sample("tsvector", "to_tsvector('simple', " + text + " || ' a ' || " + text + ")", ""));
        samples.put("tsquery", new Sample("tsquery", "'fat & (rat | cat:AB)'::tsquery"));
        samples.put(
                "int4range", new Sample("int4range", "int4range(0, (random() * 50)::int)", "empty", "(,)", "[5,5]"));
        samples.put(
                "numrange",
                new Sample("numrange", "numrange(0, (random() * 50)::numeric(9, 3))", "[1.0,2)", "[1,2.00)"));
        samples.put(
                "daterange",
                new Sample(
                        "daterange",
                        "daterange('2020-01-01', '2020-01-02'::date + (random() * 50)::int)",
                        "[,infinity)"));
        samples.put("tstzrange", new Sample("tstzrange", "tstzrange(now(), NULL)", "[2020-01-01,2021-01-01]"));
        samples.put(
                "multi",
                new Sample(
                        "int4multirange",
                        "int4multirange(int4range(0, 1 + (random() * 50)::int))",
                        "{}",
                        "{[1,2],[5,9)}"));
        samples.put("xid", new Sample("xid", "(random() * 1e9)::int::text::xid", "0", "4294967295"));
        samples.put("xid8", new Sample("xid8", "(random() * 1e9)::int::text::xid8", "18446744073709551615"));
        samples.put("cid", new Sample("cid", "(random() * 1e9)::int::text::cid"));
        samples.put("tid", new Sample("tid", "'(7,8)'::tid", "(4294967295,65535)"));
        samples.put("lsn", new Sample("pg_lsn", "'16/B374D848'::pg_lsn", "0/0", "FFFFFFFF/FFFFFFFF"));
        samples.put("class", new Sample("regclass", "'pg_class'::regclass", "pg_type"));
        samples.put("type", new Sample("regtype", "'int4'::regtype", "double precision", "mood"));
        samples.put(
                "free",
                new Sample(
                        "numeric",
                        "round((random() * 1e9)::numeric, (random() * 9)::int)",
                        "0.00",
                        "-1.50",
                        "99999999999999999999999999999999999999"));
        samples.put("snapshot", new Sample("pg_snapshot", "'10:20:10,14,15'::pg_snapshot"));
        samples.put("int2vec", new Sample("int2vector", "'1 2 3'::int2vector"));
        samples.put("oidvec", new Sample("oidvector", "'1 2 3'::oidvector"));
        samples.put(
                "feeling",
                new Sample("mood", "(enum_range(NULL::mood))[1 + (random() * 2)::int]", "ok", "so, so \"x\""));
        samples.put("felt", new Sample("felt_mood", "(enum_range(NULL::mood))[1 + (random() * 2)::int]::felt_mood"));
        samples.put("small", new Sample("positive", "1 + (random() * 9)::int", "1"));
        samples.put(
                "pair",
                new Sample("pair", "ROW((random() * 9)::int, " + text + ")::pair", "(,)", "(1,\"a,b \"\"c\"\"\")"));
        samples.put(
                "pairs", new Sample("pair[]", "ARRAY[ROW((random() * 9)::int, " + text + ")::pair]", "{}", "{NULL}"));
        samples.put("moods", new Sample("mood[]", "ARRAY['ok', 'bad']::mood[]", "{}", "{{ok},{bad}}"));
        samples.put(
                "ints",
                new Sample(
                        "int[]",
                        "ARRAY[(random() * 9)::int, NULL, 3]",
                        "{}",
                        "{NULL}",
                        "{{1,2},{3,NULL}}",
                        "[0:1]={5,6}",
                        "[-1:0][2:3]={{1,2},{3,4}}",
                        "{{{1},{2}}}"));
        samples.put(
                "texts",
                new Sample(
                        "text[]",
                        "ARRAY[" + text + ", " + text + "]",
                        "{\"\",\"a b\",\"a,b\",\"{x}\",\"q\\\"q\",\"b\\\\b\",NULL,\"NULL\"}",
                        "{{a,b},{c,d}}"));
        samples.put("names", new Sample("name[]", "ARRAY[" + text + "]::name[]"));
        samples.put("oids", new Sample("oid[]", "ARRAY[(random() * 1e9)::int]::oid[]"));
        samples.put("numerics", new Sample("numeric[]", "ARRAY[random()::numeric, 1.50]", "{NaN,1e60,0.000}"));
        samples.put("floats", new Sample("float8[]", "ARRAY[random(), 'NaN', '-Infinity']", "{-0,1e-300}"));
        samples.put("bools", new Sample("bool[]", "ARRAY[random() < 0.5, NULL]"));
        samples.put("bytes", new Sample("bytea[]", "ARRAY[decode(md5(random()::text), 'hex')]"));
        samples.put("days", new Sample("date[]", "ARRAY['2020-02-29'::date, 'infinity']"));
        samples.put("moments", new Sample("timestamptz[]", "ARRAY[now(), '-infinity']"));
        samples.put("spans", new Sample("interval[]", "ARRAY[random() * interval '1 day', '1 mon -3 days']"));
        samples.put("uuids", new Sample("uuid[]", "ARRAY[gen_random_uuid()]"));
        samples.put("nets", new Sample("inet[]", "ARRAY['10.0.0.1'::inet, NULL]"));
        samples.put("ranges", new Sample("int4range[]", "ARRAY[int4range(1, 5)]", "{empty,\"[1,2)\"}"));
        return samples;
    }

    @BeforeAll
    static void export() {
        System.out.println("EveryTypeTest: -Dquarrel.seed=" + SEED);
        PostgresOracle oracle = PostgresOracle.shared();
        oracle.run("""
                DROP TABLE IF EXISTS every_type;
                DROP TYPE IF EXISTS mood CASCADE;
                DROP TYPE IF EXISTS pair CASCADE;
                DROP DOMAIN IF EXISTS positive CASCADE;
                CREATE TYPE mood AS ENUM ('bad', 'ok', 'Good', 'so, so "x"');
                CREATE TYPE pair AS (x int, y text);
                CREATE DOMAIN positive AS int CHECK (VALUE > 0);
                CREATE DOMAIN felt_mood AS mood;
                """);
        StringBuilder create = new StringBuilder("CREATE TABLE every_type (id int NOT NULL");
        SAMPLES.forEach((name, sample) ->
                create.append(", \"").append(name).append("\" ").append(sample.type()));
        oracle.run(create.append(")").toString());
        String values = SAMPLES.values().stream()
                .map(sample -> "CASE WHEN random() < 0.1 THEN NULL ELSE " + sample.random() + " END")
                .collect(Collectors.joining(", "));
        oracle.run("SELECT setseed(" + (SEED % 1000) / 1000.0 + "); INSERT INTO every_type SELECT g, " + values
                + " FROM generate_series(1, " + RANDOM_ROWS + ") g");
        int id = RANDOM_ROWS;
        for (Map.Entry<String, Sample> column : SAMPLES.entrySet()) {
            for (String edge : column.getValue().edges()) {
                id++;
                oracle.run("INSERT INTO every_type (id, \"" + column.getKey() + "\") VALUES (" + id + ", '"
                        + edge.replace("'", "''") + "')");
            }
        }
        Path root = QuarrelServer.export(oracle, "every_type");
        quarrel = QuarrelServer.start(root, Configuration.ALL.get(1));
    }

    @AfterAll
    static void stop() {
        if (quarrel != null) {
            quarrel.close();
        }
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
                        .isSubsetOf("inet", "cidr", "pair"));
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
    void zonesInsideOtherTypesAreShownInUtcOnly() throws SQLException {
        try (Connection ours = quarrel("");
                Statement statement = ours.createStatement()) {
            statement.execute("SET TIME ZONE 'Asia/Tokyo'");
            assertThat(answer(ours, "SELECT tstzrange FROM every_type")).isEqualTo("0A000");
            assertThat(answer(ours, "SELECT tstzrange::text FROM every_type")).isEqualTo("0A000");
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
