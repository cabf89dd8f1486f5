package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.export.Exporter;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.config.RowRules;
import dev.quarrel.export.source.PostgresSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Random arrays of composites in files of several increments, rows of which are deleted: random statements about their
/// lengths and elements have PostgreSQL's rows.
class StructListsTest {
    private static final List<String> MEMBERS =
            List.of("p", "q", "n", "b", "l", "d", "g", "(r).f", "(r).s", "u", "w", "z");
    private static final List<String> NUMBERS = List.of("p", "n", "l", "g", "(r).f");

    private final long seed = Long.getLong("quarrel.seed", System.nanoTime() >>> 10);
    private final Random random = new Random(seed);

    @TempDir
    private Path root;

    @AfterEach
    void drop() { // other tests list the oracle's tables
        PostgresOracle.shared()
                .run(
                        "DROP TABLE IF EXISTS struct_lists; DROP TYPE IF EXISTS sl_whole, sl_item, sl_part, sl_inner, sl_mood");
    }

    @Test
    void elementsAreThoseOfPostgresql() throws SQLException {
        System.out.println("StructListsTest: -Dquarrel.seed=" + seed);
        PostgresOracle oracle = PostgresOracle.shared();
        oracle.run("""
                DROP TABLE IF EXISTS struct_lists;
                DROP TYPE IF EXISTS sl_whole, sl_item, sl_part, sl_inner, sl_mood;
                CREATE TYPE sl_mood AS ENUM ('low', 'fair', 'high');
                CREATE TYPE sl_inner AS (f float8, s text);
                CREATE TYPE sl_part AS (x int4, t text[], g sl_inner);
                CREATE TYPE sl_item AS (p int4, q text, n numeric(8, 2), b bool, l int8, d date, g real, r sl_inner, u uuid,
                    w varchar(5), z timestamptz, m sl_part[], e int4[]);
                CREATE TYPE sl_whole AS (p int4, n numeric, o sl_mood, c char(3), r sl_inner, y interval, j jsonb, e numeric[], m sl_inner[],
                    g int4range, i inet, b bytea);
                CREATE TABLE struct_lists (id int PRIMARY KEY, k int, v sl_item[], a int4[], s text[], d date[], f float8[], z timestamptz[],
                    cw sl_whole, ci sl_inner);
                """);
        insert(0, 1 + random.nextInt(200));
        export();
        insert(1000, random.nextInt(150));
        oracle.run("DELETE FROM struct_lists WHERE id % 7 = 3; UPDATE struct_lists SET k = k + 1 WHERE id % 11 = 4");
        export();
        insert(2000, random.nextInt(60));
        export();
        List<String> problems = new ArrayList<>();
        try (QuarrelServer tiny = QuarrelServer.start(root, Configuration.ALL.get(2));
                QuarrelServer whole = QuarrelServer.start(root, Configuration.ALL.get(1));
                Connection right = oracle.connect();
                Connection ours = whole.connect();
                Connection other = tiny.connect()) {
            for (int index = 0; index < Integer.getInteger("count", 150) && problems.size() < 9; index++) {
                String sql = statement();
                if (SqlAnswer.of(right, sql) instanceof SqlAnswer.Rows rows) {
                    compare(rows, SqlAnswer.of(ours, sql), sql, problems);
                    compare(rows, SqlAnswer.of(other, sql), sql, problems);
                } else {
                    problems.add("PostgreSQL has no rows for " + sql + ": " + SqlAnswer.of(right, sql));
                }
            }
        }
        assertThat(problems).as("seed " + seed).isEmpty();
    }

    private static void compare(SqlAnswer.Rows right, SqlAnswer ours, String sql, List<String> problems) {
        if (!(ours instanceof SqlAnswer.Rows rows)) {
            problems.add(sql + "\n    " + ours);
        } else if (!withoutModifiers(rows).equals(withoutModifiers(right))
                || !rows.lines(true).equals(right.lines(true))) {
            List<String> extra = new ArrayList<>(rows.lines(true));
            right.lines(true).forEach(extra::remove);
            List<String> missing = new ArrayList<>(right.lines(true));
            rows.lines(true).forEach(missing::remove);
            problems.add(sql + "\n    " + withoutModifiers(rows) + " " + withoutModifiers(right) + "\n    extra "
                    + extra.stream().limit(3).toList() + "\n    missing "
                    + missing.stream().limit(3).toList());
        }
    }

    /// Files do not tell which composites and varchars there are in a composite; elements of arrays of numeric have no
    /// modifier here.
    private static List<String> withoutModifiers(SqlAnswer.Rows rows) {
        return rows.columns().stream()
                .map(column -> column.replaceAll("\\([0-9,]+\\)$", "")
                        .replaceAll(" varchar$", " text")
                        .replaceAll(" sl_(item|part)$", " record"))
                .toList();
    }

    private void export() {
        Exporter.run(ExportConfig.builder(
                        PostgresSource.parse(PostgresOracle.shared().url()), root)
                .tables("struct_lists")
                .workers(1)
                .rows(new RowRules(List.of(), List.of("xmin"), List.of(), Optional.empty(), true, false))
                .build());
    }

    // Rows

    private void insert(int first, int count) {
        boolean hasNulls = chance(2);
        String rows = IntStream.range(first, first + count)
                .mapToObj(id -> "(%d, %d, %s, %s, %s, %s, %s, %s, %s, %s)"
                        .formatted(
                                id,
                                random.nextInt(4),
                                array("sl_item", () -> hasNulls && chance(5) ? "NULL" : item(hasNulls)),
                                array("int4", () -> scalar("p", hasNulls)),
                                array("text", () -> scalar("q", hasNulls)),
                                array("date", () -> scalar("d", hasNulls)),
                                array("float8", () -> scalar("(r).f", hasNulls)),
                                array("timestamptz", () -> scalar("z", hasNulls)),
                                chance(9) ? "NULL" : whole(hasNulls),
                                chance(9) ? "NULL" : inner(hasNulls)))
                .collect(Collectors.joining(", "));
        if (count > 0) {
            PostgresOracle.shared().run("INSERT INTO struct_lists VALUES " + rows);
        }
    }

    private String array(String type, java.util.function.Supplier<String> element) {
        if (chance(6)) {
            return "NULL";
        }
        return IntStream.range(0, random.nextInt(5))
                .mapToObj(_ -> element.get())
                .collect(Collectors.joining(", ", "ARRAY[", "]::" + type + "[]"));
    }

    private String inner(boolean hasNulls) {
        return hasNulls && chance(4)
                ? "NULL"
                : "ROW(" + scalar("(r).f", hasNulls) + ", " + scalar("(r).s", hasNulls) + ")::sl_inner";
    }

    /// Few different ones, whose texts differ where they are equal.
    private String whole(boolean hasNulls) {
        return Stream.of(
                        Integer.toString(random.nextInt(2)),
                        pick(List.of("1.0", "1.00", "'NaN'", "-2.50")),
                        pick(List.of("'low'", "'fair'", "'high'")),
                        pick(List.of("'a'", "'a '", "'b'")),
                        inner(hasNulls),
                        pick(List.of("'1 day'", "'24:00'", "'1 mon'")),
                        pick(List.of("'{\"a\": 1.0}'", "'{\"a\": 1.00}'", "'null'")),
                        pick(List.of("'{1,2}'", "'{1.0,2}'", "'{NULL}'", "'{}'")),
                        pick(List.of("'{}'", "ARRAY[" + inner(hasNulls) + "]::sl_inner[]")),
                        pick(List.of("'[1,3)'", "'empty'")),
                        pick(List.of("'10.0.0.1'", "'10.0.0.0/8'")),
                        pick(List.of("'\\x00'", "''")))
                .map(field -> hasNulls && chance(9) ? "NULL" : field)
                .collect(Collectors.joining(", ", "ROW(", ")::sl_whole"));
    }

    private String item(boolean hasNulls) {
        String inner = inner(hasNulls);
        return "ROW("
                + MEMBERS.stream()
                        .filter(member -> !member.equals("(r).s"))
                        .map(member -> member.equals("(r).f") ? inner : scalar(member, hasNulls))
                        .collect(Collectors.joining(", "))
                + ", " + array("sl_part", () -> hasNulls && chance(5) ? "NULL" : part(hasNulls)) + ", "
                + array("int4", () -> scalar("p", hasNulls)) + ")::sl_item";
    }

    private String part(boolean hasNulls) {
        String inner = inner(hasNulls);
        return "ROW(" + scalar("p", hasNulls) + ", " + array("text", () -> scalar("q", hasNulls)) + ", " + inner
                + ")::sl_part";
    }

    private String scalar(String member, boolean hasNulls) {
        if (hasNulls && chance(5)) {
            return "NULL";
        }
        return switch (member) {
            case "p" -> Integer.toString(random.nextInt(-3, 5));
            case "l" -> random.nextInt(3) + "000000000";
            case "n" -> random.nextInt(400) + "." + random.nextInt(10, 100);
            case "b" -> chance(2) ? "true" : "false";
            case "g", "(r).f" -> pick(List.of("0.1", "-2.5", "'NaN'", "1e20"));
            case "d" -> "date '2024-01-01' + " + random.nextInt(40);
            case "z" -> "timestamptz '2024-03-30 12:00+02' + interval '1 hour' * " + random.nextInt(40);
            case "u" -> "'00000000-0000-0000-0000-00000000000" + random.nextInt(10) + "'::uuid";
            default -> pick(List.of("''", "'a'", "'b,c'", "'NULL'", "'\"x\\'", "'é'", "'{}'"));
        };
    }

    // Statements

    private String statement() {
        String where = chance(2) ? "" : " WHERE " + condition("t");
        return switch (random.nextInt(30)) {
            case 21 -> {
                String key = pick(List.of("t.cw", "t.ci", "t.v", "(t.cw).r", "(t.cw).m"));
                yield "SELECT " + shown(key) + " x, count(*), min(t.id), count(DISTINCT " + composite("t")
                        + ") FROM struct_lists t" + where + " GROUP BY " + key;
            }
            case 22 ->
                "SELECT row_number() OVER (ORDER BY " + composite("t") + pick(List.of("", " DESC", " NULLS FIRST"))
                        + ", t.id), t.id FROM struct_lists t" + where;
            case 23 ->
                "SELECT t.id, rank() OVER (PARTITION BY " + composite("t") + " ORDER BY " + composite("t")
                        + ") FROM struct_lists t" + where;
            case 24 ->
                "SELECT t.k, " + shown("max(" + composite("t") + ")") + " x, " + shown("min(" + composite("t") + ")")
                        + " y FROM struct_lists t" + where + " GROUP BY t.k";
            case 25 -> {
                String of = pick(List.of("cw", "ci", "v", "(cw).r", "(cw).m"));
                yield "SELECT " + shown("c") + " x FROM (SELECT " + of + " c FROM struct_lists t" + where
                        + pick(List.of(
                                " UNION", " INTERSECT", " EXCEPT", " EXCEPT ALL", " INTERSECT ALL", " UNION ALL"))
                        + " SELECT " + of + " FROM struct_lists WHERE id % 3 = 1) q";
            }
            case 26 -> {
                String of = composite("a");
                yield "SELECT a.id, b.id o FROM struct_lists a JOIN struct_lists b ON " + of
                        + pick(List.of(" = ", " IS NOT DISTINCT FROM ", " < ")) + of.replace("a.", "b.")
                        + " WHERE a.id % 5 = 1 AND b.id % 3 = 0";
            }
            case 27 ->
                "SELECT q.id, " + ofWhole("q.c") + " x, " + ofWhole("q.c")
                        + " y FROM (SELECT id, cw c FROM struct_lists t"
                        + where + pick(List.of(" UNION", " UNION ALL", " EXCEPT"))
                        + " SELECT id, cw FROM struct_lists WHERE id % 5 = 1) q";
            case 28 ->
                "WITH q AS MATERIALIZED (SELECT t.id, t.cw c, t.v FROM struct_lists t" + where + ") SELECT q.id, "
                        + ofWhole("q.c") + " x, " + ofWhole("q.c") + " y, ((q.v[1]).m["
                        + number("q").replace("q.k", "q.id")
                        + "]).x z FROM q";
            case 29 ->
                "SELECT t.id, " + ofItem("u") + " x, " + ofItem("u") + " y FROM struct_lists t" + joined("t.v", "u")
                        + where;
            case 15, 16 ->
                "SELECT t.id, u.p, "
                        + pick(List.of(
                                "i.*", "i.x, (i.g).f", "(i.g).s, i.t", "cardinality(i.t)", "to_json(i.t)", "o.*"))
                        + " FROM struct_lists t" + joined("t.v", "u") + joined("u.m", "i") + joined("i.t", "o(y)")
                        + where;
            case 17 ->
                "SELECT "
                        + pick(List.of("(i.g).s, count(*), sum(i.x)", "i.t[1], max((u.r).f), min(i.x)"))
                        + " FROM struct_lists t" + joined("t.v", "u") + joined("u.m", "i") + where + " GROUP BY 1";
            case 18 ->
                "SELECT t.id, u.e, y, a.b FROM struct_lists t" + joined("t.v", "u") + joined("u.e", "o(y)")
                        + joined("t." + pick(List.of("a", "s", "z")), "a(b)") + where;
            case 20 -> "SELECT t.id, row_to_json(i) FROM struct_lists t, unnest(t.v) i" + where;
            case 19 ->
                "SELECT t.id, "
                        + pick(List.of(
                                "(i.r).f, (i.r).s, i.m IS NULL",
                                "cardinality(i.m), array_length(i.m, 1), cardinality(i.e)",
                                "to_json(i.m)",
                                "i.m",
                                "i.e[2]"))
                        + " FROM struct_lists t" + joined("t.v", "i") + where;
            case 13 ->
                "SELECT "
                        + pick(List.of(
                                "t.id, to_json(t.v)",
                                "array_to_json(t.v)",
                                "to_jsonb(t)",
                                "row_to_json(t)",
                                "json_build_array(t.v, t.id)"))
                        + " x FROM " + pick(List.of("struct_lists t", "(SELECT * FROM struct_lists OFFSET 0) t"))
                        + where;
            case 14 ->
                "SELECT t.k, "
                        + pick(List.of(
                                "json_agg(t.v ORDER BY t.id)",
                                "jsonb_agg(t ORDER BY t.id)",
                                "jsonb_object_agg(t.id, t.v)"))
                        + " x FROM struct_lists t" + where + " GROUP BY t.k";
            case 10 -> {
                String numbered = chance(2) ? "u" : "WITH ORDINALITY u";
                yield "SELECT t.id, " + value("t") + " x, u.* FROM struct_lists t LEFT JOIN unnest(t.v) " + numbered
                        + " ON " + elementCondition() + where;
            }
            case 11 ->
                "SELECT t.id FROM struct_lists t WHERE " + (chance(2) ? "" : "NOT ")
                        + "EXISTS (SELECT FROM unnest(t.v) u WHERE " + elementCondition() + ")";
            case 12 ->
                "SELECT t.id, (SELECT " + pick(List.of("sum(u.n)", "max(u.d)", "count(u.q)", "min(u.z)"))
                        + " FROM unnest(t.v) u WHERE " + elementCondition()
                        + ") x, a.y FROM struct_lists t LEFT JOIN unnest(t."
                        + pick(List.of("a", "d", "f")) + ") a(y) ON a.y::text > t.k::text" + where;
            case 9 ->
                "SELECT t.id, " + value("o") + " x, " + value("o") + " y FROM struct_lists t LEFT JOIN struct_lists o"
                        + " ON o.id = t.id + " + pick(List.of("5", "60", "900")) + where;
            case 0, 1, 2 ->
                "SELECT t.id, " + value("t") + " x, " + (chance(6) ? "unnest(t.v)" : value("t"))
                        + " y FROM struct_lists t" + where;
            case 3 -> {
                String key = element("t", pick(MEMBERS));
                yield "SELECT " + key + " x, count(*), min(" + element("t", pick(NUMBERS)) + ") y FROM struct_lists t"
                        + where + " GROUP BY " + key;
            }
            case 4 ->
                "SELECT t.id, o.id o, " + value("o") + " x FROM struct_lists t JOIN struct_lists o ON "
                        + element("t", "p") + " = " + element("o", "p") + " AND t.k = o.k WHERE t.id % 5 = 1";
            case 5 ->
                "SELECT q.id, " + value("q") + " x FROM (SELECT * FROM struct_lists t" + where + ") q WHERE "
                        + condition("q");
            case 6 -> {
                String numbered = chance(2) ? "u" : "WITH ORDINALITY u";
                yield "SELECT t.id, " + value("t") + " x, u.* FROM struct_lists t "
                        + pick(List.of(
                                "CROSS JOIN unnest(t.v) " + numbered, "LEFT JOIN unnest(t.v) " + numbered + " ON true"))
                        + where;
            }
            case 7 ->
                "SELECT u.p, count(*), sum(u.n) FROM struct_lists t LEFT JOIN LATERAL unnest(t.v) u ON true" + where
                        + " GROUP BY u.p";
            default ->
                "SELECT t.id, x FROM struct_lists t LEFT JOIN unnest(t." + pick(List.of("a", "s", "d", "f", "z"))
                        + ") x ON true" + where;
        };
    }

    private String composite(String table) {
        return pick(List.of(
                table + ".cw",
                table + ".ci",
                "(" + table + ".cw).r",
                "(" + table + ".cw).m",
                table + ".v",
                table + ".v[1]",
                "(" + table + ".v[1]).r",
                "(" + table + ".v[1]).m"));
    }

    /// Of equal values whose texts differ any may be shown.
    private static String shown(String composite) {
        return "(" + composite + " IS NULL)";
    }

    /// A field of a sub-query's composite.
    private String ofWhole(String composite) {
        return pick(List.of(
                        "(C).p",
                        "(C).n + 1",
                        "(C).o",
                        "(C).o < 'high'",
                        "(C).c || '|'",
                        "((C).r).f",
                        "((C).r).s",
                        "(C).r IS NULL",
                        "(C).y * 2",
                        "(C).j -> 'a'",
                        "(C).e[1]",
                        "((C).m[1]).s",
                        "(C).m[1]",
                        "cardinality((C).m)",
                        "(C).g @> 2",
                        "(C).i",
                        "(C).b",
                        "C IS NULL",
                        "to_jsonb((C).r)",
                        "C = C"))
                .replace("C", composite);
    }

    /// A field of an element of a list in one.
    private String ofItem(String item) {
        return pick(List.of(
                        "(E.m[1]).x",
                        "(E.m[2]).t",
                        "((E.m[1]).g).s",
                        "(E.m[1]).g",
                        "(E.m[cardinality(E.m)]).x",
                        "(E.m[1]) IS NULL",
                        "(E.m[1]).t[1]"))
                .replace("E", item);
    }

    private String joined(String lists, String alias) {
        return pick(List.of(
                ", unnest(" + lists + ") " + alias,
                " LEFT JOIN unnest(" + lists + ") " + alias + " ON true",
                " CROSS JOIN LATERAL unnest(" + lists + ") " + alias));
    }

    private String value(String table) {
        String list = table + "." + pick(List.of("a", "s", "d", "f", "z"));
        return switch (random.nextInt(10)) {
            case 9 -> "(" + table + ".v" + (chance(2) ? slice(table) : "[" + number(table) + "]") + ")::text";
            case 0 -> "cardinality(" + table + ".v)";
            case 1 -> "array_length(" + table + ".v, " + pick(List.of("1", "1", "2", table + ".k")) + ")";
            case 2 -> "(" + table + ".v IS " + pick(List.of("", "NOT ")) + "NULL)";
            case 3 -> "(" + list + " IS " + pick(List.of("", "NOT ")) + "NULL)";
            case 4 -> list + "[" + number(table) + "]";
            case 5 -> list + slice(table);
            default -> element(table, pick(MEMBERS));
        };
    }

    private String slice(String table) {
        return switch (random.nextInt(4)) {
            case 0 -> "[:" + number(table) + "]";
            case 1 -> "[" + number(table) + ":]";
            case 2 -> "[:]";
            default -> "[" + number(table) + ":" + number(table) + "]";
        };
    }

    private String number(String table) {
        return switch (random.nextInt(8)) {
            case 0, 1, 2 -> Integer.toString(1 + random.nextInt(3));
            case 3 -> Integer.toString(random.nextInt(-1, 7));
            case 4 -> table + ".k";
            case 5 -> table + ".id % 4 + 1";
            case 6 -> "cardinality(" + table + ".v)";
            default -> chance(4) ? "NULL" : "(" + table + ".v[1]).p";
        };
    }

    private String element(String table, String member) {
        String element = table + ".v[" + number(table) + "]";
        return member.startsWith("(r)") ? "((" + element + ").r)" + member.substring(3) : "(" + element + ")." + member;
    }

    private String condition(String table) {
        return switch (random.nextInt(6)) {
            case 0 -> element(table, "q") + pick(List.of(" = ", " <> ", " < ")) + "'a'";
            case 1 -> element(table, pick(NUMBERS)) + pick(List.of(" > ", " <= ", " = ")) + "1";
            case 2 -> element(table, pick(MEMBERS)) + " IS " + pick(List.of("", "NOT ")) + "NULL";
            case 3 -> "cardinality(" + table + ".v) > " + random.nextInt(4);
            case 4 -> table + ".v IS " + pick(List.of("", "NOT ")) + "NULL";
            default -> "(" + condition(table) + pick(List.of(" AND ", " OR ")) + condition(table) + ")";
        };
    }

    private String elementCondition() {
        return switch (random.nextInt(4)) {
            case 0 -> "u.p > t.k";
            case 1 -> "u.q = 'a' OR u.b";
            case 2 ->
                "u." + pick(List.of("p", "n", "d", "u", "w", "z", "l", "g")) + " IS " + pick(List.of("", "NOT "))
                        + "NULL";
            default -> "u." + pick(List.of("p", "n", "g")) + pick(List.of(" > ", " <= ", " = ")) + "1";
        };
    }

    private boolean chance(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    private <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
