package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.sql.function.Operators;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.function.FunctionCatalog;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.function.FunctionRow.Kind;
import dev.quarrel.core.function.FunctionRow.Volatility;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.server.catalog.SystemCatalog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The rows of the function catalog beside PostgreSQL's own: what they declare, what is made from them, and what the
/// functions answer. With `-Dupdate=true` the files are written anew.
class FunctionCatalogTest {
    static final Path ROOT = Path.of("../..");
    private static final Path NAMES =
            ROOT.resolve("core/src/main/resources/dev/quarrel/core/function/postgres-functions.txt");
    private static final Path OPERATORS =
            ROOT.resolve("core/src/main/resources/dev/quarrel/core/function/operator-functions.tsv");
    private static final Path PARAMETERS =
            ROOT.resolve("core/src/main/resources/dev/quarrel/core/function/function-parameters.tsv");
    private static final Path PG_PROC =
            ROOT.resolve("server/src/main/resources/dev/quarrel/server/catalog/pg_proc.tsv");
    private static final Path DOCS = ROOT.resolve("docs/functions.md");
    private static final long SEED = Long.getLong("quarrel.seed", 20261123L);
    private static final int CALLS = Integer.getInteger("quarrel.calls", 16);
    /// The one function whose calls are compared; empty for all.
    private static final String ONLY = System.getProperty("quarrel.function", "");

    /// Pieces that formats of to_char and its like are made of.
    private static final List<String> TIME_FORMATS = List.of(
            "YYYY", "FMYYYY", "YY", "Y,YYY", "MM", "FMMM", "Month", "FMMON", "DD", "DDth", "FMDDTH", "DDD", "D", "ID",
            "IYYY", "IW", "IDDD", "WW", "W", "J", "Q", "CC", "RM", "HH24", "HH12", "FMHH", "MI", "SS", "MS", "US",
            "FF3", "SSSSS", "AM", "p.m.", "AD", "b.c.", "Day", "dy", "TZH", "TZM", "OF", "FX", "-", " ", ":", "/",
            "\"of\"", "x");

    private static final List<String> NUMBER_FORMATS = List.of(
            "9", "99", "9999", "0", "00", ",", "G", ".", "D", "FM", "S", "MI", "PL", "SG", "PR", "V", "TH", "th", "L",
            "B", "RN", "EEEE", " ", "x", "\"q\"");

    /// Functions that PostgreSQL does not have, or not for these types.
    private static final Set<String> OWN = Set.of("hll_sketch_histogram", "json_in", "jsonb_in", "jsonpath_in");

    /// Overloads that stand for default values of one function of PostgreSQL's.
    private static final Set<String> DEFAULTED = Set.of(
            "make_interval",
            "parse_ident",
            "random_normal",
            "json_strip_nulls",
            "jsonb_strip_nulls",
            "jsonb_set",
            "jsonb_set_lax",
            "jsonb_insert",
            "jsonb_path_exists",
            "jsonb_path_match",
            "jsonb_path_query",
            "jsonb_path_query_array",
            "jsonb_path_query_first",
            "jsonb_path_exists_tz",
            "jsonb_path_match_tz",
            "jsonb_path_query_tz",
            "jsonb_path_query_array_tz",
            "jsonb_path_query_first_tz");

    /// Functions of which the last digit is the C library's.
    private static final Set<String> TRANSCENDENTAL = Set.of(
            "ln", "power", "pow", "dpow", "dcbrt", "exp", "log", "log10", "cbrt", "sin", "cos", "tan", "cot", "asin",
            "acos", "atan", "atan2", "sind", "cosd", "tand", "cotd", "asind", "acosd", "atand", "atan2d", "dexp",
            "dlog1", "dlog10", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "gamma", "lgamma");

    /// A function of SQL that PostgreSQL writes out where its arguments are columns: it is not strict there, for it
    /// fails for a wrong escape character beside a NULL.
    private static final Set<String> WRITTEN_OUT = Set.of("substring(text, text, text)");

    private static final double LAST_DIGIT = 1e-15;

    static List<String> query(String sql) {
        try (Connection oracle = PostgresOracle.shared().connect()) {
            SqlAnswer answer = SqlAnswer.of(oracle, sql);
            if (!(answer instanceof SqlAnswer.Rows rows)) {
                throw new IllegalStateException(answer + " to " + sql);
            }
            return rows.rows().stream()
                    .map(row -> row.stream()
                            .map(value -> value == null ? "\\N" : value)
                            .collect(Collectors.joining("\t")))
                    .toList();
        } catch (SQLException problem) {
            throw new IllegalStateException(problem);
        }
    }

    /// Requires that a file has these lines, or writes them.
    static void require(Path file, List<String> lines) throws IOException {
        if (Boolean.getBoolean("update")) {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.write(file, lines);
        }
        assertThat(Files.readAllLines(file)).as(file.toString()).isEqualTo(lines);
    }

    @Test
    void namesAreThoseOfPostgresql() throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add("# Names of the functions and aggregates of PostgreSQL 18 that a statement can call.");
        lines.addAll(query("""
                SELECT DISTINCT proname FROM pg_proc
                WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind IN ('f', 'a', 'w')
                  AND prorettype::regtype::text NOT IN ('internal', 'trigger', 'event_trigger', 'cstring',
                      'language_handler', 'fdw_handler', 'index_am_handler', 'table_am_handler', 'tsm_handler')
                  AND NOT ('internal'::regtype = ANY (proargtypes) OR 'cstring'::regtype = ANY (proargtypes))
                ORDER BY proname
                """));
        require(NAMES, lines);
    }

    /// A new file counts from the next run on: the rows are read at the first use.
    @Test
    void operatorsHaveTheirFunctions() throws IOException {
        Set<String> others = FunctionCatalog.all().stream()
                .filter(row -> !(row.kind() instanceof Kind.Operator))
                .map(FunctionRow::signature)
                .collect(Collectors.toSet());
        Map<String, SqlType> types = java.util.Arrays.stream(SqlType.values())
                .filter(type -> type.pgType() != null)
                .collect(Collectors.toMap(type -> type.pgType().typeName(), type -> type));
        Map<String, String> rows = new java.util.TreeMap<>();
        for (String line : query("""
                SELECT p.proname, o.oprname, p.provolatile, (SELECT typname FROM pg_type WHERE oid = p.prorettype),
                       (SELECT string_agg(typname, ' ' ORDER BY n)
                        FROM unnest(p.proargtypes) WITH ORDINALITY a (t, n) JOIN pg_type y ON y.oid = t),
                       p.proname || '(' || (SELECT string_agg(format_type(t, NULL), ', ' ORDER BY n)
                                            FROM unnest(p.proargtypes) WITH ORDINALITY a (t, n)) || ')'
                FROM pg_operator o
                JOIN pg_proc q ON q.oid = o.oprcode
                JOIN pg_language l ON l.oid = q.prolang
                JOIN pg_proc p ON p.oid = q.oid OR l.lanname = 'internal' AND p.prosrc = q.prosrc
                                  AND p.proargtypes = q.proargtypes AND p.prorettype = q.prorettype
                WHERE o.oprnamespace = 'pg_catalog'::regnamespace AND p.provariadic = 0
                ORDER BY p.proname, o.oprname
                """)) {
            String[] cells = line.split("\t");
            List<SqlType> operands = java.util.Arrays.stream(cells[4].split(" "))
                    .map(types::get)
                    .filter(type -> type != null)
                    .toList();
            boolean isThere = operands.size() == cells[4].split(" ").length
                    && types.containsKey(cells[3])
                    && !others.contains(cells[5])
                    && Operators.exact(cells[1], operands)
                            .filter(each -> each.result() == types.get(cells[3]))
                            .isPresent();
            if (isThere) {
                rows.putIfAbsent(cells[5], String.join("\t", List.of(cells).subList(0, 5)));
            }
        }
        List<String> lines = new ArrayList<>();
        lines.add("# Functions of PostgreSQL 18 that are operators which Quarrel has.");
        lines.addAll(rows.values());
        require(OPERATORS, lines);
    }

    /// A new file counts from the next run on, as that of the operators does.
    @Test
    void parametersHaveTheirNames() throws IOException {
        String names = FunctionCatalog.all().stream()
                .map(FunctionRow::name)
                .distinct()
                .map(name -> "'" + name + "'")
                .collect(Collectors.joining(", "));
        List<String> lines = new ArrayList<>();
        lines.add("# Functions of PostgreSQL 18 whose parameters have names.");
        for (String line : query("""
                SELECT proname, string_agg(
                           CASE WHEN proargmodes[n] = 'v' THEN '*' ELSE '' END || proargnames[n] || ':' || typname
                           || coalesce('=' || trim(BOTH '''' FROM split_part(
                                  pg_get_function_arg_default(p.oid, n::int), '::', 1)), ''), ' ' ORDER BY n),
                       string_agg(typname, ' ')
                FROM pg_proc p
                CROSS JOIN LATERAL unnest(coalesce(proallargtypes, proargtypes::oid[])) WITH ORDINALITY a (t, n)
                JOIN pg_type y ON y.oid = t
                WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' AND proargnames IS NOT NULL
                  AND coalesce(proargmodes[n], 'i') IN ('i', 'v') AND proname IN (
                """ + names + ") GROUP BY p.oid, proname ORDER BY proname, pronargs, p.oid")) {
            String[] cells = line.split("\t");
            if (java.util.Arrays.stream(cells[2].split(" "))
                    .allMatch(type -> java.util.Arrays.stream(PgType.values())
                            .anyMatch(each -> each.typeName().equals(type)))) {
                lines.add(cells[0] + "\t" + cells[1].replace(' ', '\t'));
            }
        }
        require(PARAMETERS, lines);
    }

    @Test
    void rowsDeclareWhatPgProcDoes() {
        Map<String, String> declared = query("""
                        SELECT proname || '(' || (SELECT coalesce(string_agg(format_type(t, NULL), ', ' ORDER BY n), '')
                                   FROM unnest(proargtypes) WITH ORDINALITY AS a(t, n)) || ')',
                               concat_ws(' ', format_type(prorettype, NULL), provolatile, proisstrict, proretset)
                        FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace
                        """).stream()
                .map(line -> line.split("\t", -1))
                .collect(Collectors.toMap(cells -> cells[0], cells -> cells[1], (one, _) -> one));
        List<String> problems = new ArrayList<>();
        for (FunctionRow row : FunctionCatalog.all()) {
            if (OWN.contains(row.name()) || DEFAULTED.contains(row.name())) {
                continue;
            }
            String ours = row.result().formatName() + " "
                    + row.volatility().name().toLowerCase(java.util.Locale.ROOT).charAt(0) + " "
                    + (row.isStrict() ? "t" : "f") + " "
                    + (row.kind() instanceof Kind.Rows ? "t" : "f");
            String theirs = declared.get(row.signature());
            if (!ours.equals(theirs)) {
                problems.add(row.signature() + ": " + ours + ", PostgreSQL: " + theirs);
            }
        }
        assertThat(problems).isEmpty();
    }

    /// Clients see a function by the row of `pg_proc` that PostgreSQL has for it.
    @Test
    void pgProcHasEveryRow() throws IOException {
        List<String> lines = Files.readAllLines(PG_PROC);
        String[] header = lines.getFirst().split("\t", -1);
        List<String> known =
                lines.stream().skip(1).map(line -> line.split("\t", -1)[0]).toList();
        String wanted = FunctionCatalog.all().stream()
                .filter(row -> !(row.kind() instanceof Kind.Declined) && !OWN.contains(row.name()))
                .map(row -> "('" + row.name() + "', '"
                        + (DEFAULTED.contains(row.name())
                                ? "*"
                                : row.arguments().stream()
                                        .map(type -> Integer.toString(type.oid()))
                                        .collect(Collectors.joining(" ")))
                        + "')")
                .distinct()
                .collect(Collectors.joining(", "));
        String columns =
                java.util.Arrays.stream(header).map(FunctionCatalogTest::castOf).collect(Collectors.joining(", "));
        String ofServer = SystemCatalog.install(EngineConfig.defaults(), List.of()).systemFunctions().stream()
                .map(function -> "'" + function.name() + "'")
                .distinct()
                .collect(Collectors.joining(", "));
        List<String> rows = query("SELECT " + columns
                + " FROM pg_proc p WHERE pronamespace = 'pg_catalog'::regnamespace"
                + " AND (oid::text = ANY ('{" + String.join(",", known) + "}') OR EXISTS (SELECT FROM (VALUES " + wanted
                + ") AS w(n, a) WHERE n = proname AND (a = '*' OR a = proargtypes::text)) OR p.proname IN (" + ofServer
                + ") OR prokind IN ('f', 'a', 'w') AND " + FunctionCoverage.callable() + ") ORDER BY p.oid");
        List<String> all = new ArrayList<>();
        all.add(lines.getFirst());
        all.addAll(rows);
        require(PG_PROC, all);
    }

    private static String castOf(String column) {
        return switch (column) {
            case "proargtypes", "proallargtypes", "proargmodes", "proargnames", "protrftypes", "proconfig", "proacl" ->
                column + "::text";
            case "prosqlbody", "proargdefaults" -> "NULL";
            case "prosupport" -> "0";
            case "provariadic", "prorettype", "prolang", "pronamespace", "proowner", "oid" -> column + "::int8";
            default -> column;
        };
    }

    @Test
    void docsListEveryRow() throws IOException {
        List<String> lines = new ArrayList<>(List.of(
                "# Functions",
                "",
                "Made from the rows of `core.function` by `FunctionCatalogTest`; aggregates, window functions and what the",
                "grammar treats apart (COALESCE, EXTRACT, array functions, …) are in [reference.md](reference.md). How a"
                        + " function is computed:",
                "",
                "- *opcode*: an instruction with loops of its own, which the CUDA device may have too;",
                "- *batch*: Java over the vectors of a tile, in the CPU device's pipelines, over a dictionary once an entry;",
                "- *expression*: the planner writes it as an expression of other functions;",
                "- *operator*: the planner writes it as that operator;",
                "- *rows*: stands in FROM;",
                "- *declined*: an error (0A000) with its reason.",
                "",
                "| function | result | computed as |",
                "|---|---|---|"));
        FunctionCatalog.all().stream()
                .sorted(java.util.Comparator.comparing(FunctionRow::signature))
                .forEach(row -> lines.add(
                        "| `" + row.signature() + "` | " + row.result().formatName() + " | " + computed(row) + " |"));
        lines.addAll(List.of("", "Declined by name:", "", "| function | reason |", "|---|---|"));
        FunctionCatalog.declined().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(entry -> lines.add("| `" + entry.getKey() + "` | " + entry.getValue() + " |"));
        lines.addAll(List.of(
                "",
                "Every other function of PostgreSQL 18 is declined too: Quarrel does not have it yet. A name that"
                        + " PostgreSQL does not have is 42883.",
                ""));
        List<String> coverage = FunctionCoverage.lines();
        coverage.stream().filter(line -> line.startsWith("|")).forEach(System.out::println);
        lines.addAll(coverage);
        require(DOCS, lines);
    }

    private static String computed(FunctionRow row) {
        String kind =
                switch (row.kind()) {
                    case Kind.Instruction _ -> "opcode";
                    case Kind.Kernel _ -> "batch";
                    case Kind.Expression _ -> "expression";
                    case Kind.Operator(String symbol) -> "operator `" + symbol.replace("|", "\\|") + "`";
                    case Kind.Rows _ -> "rows";
                    case Kind.Declined(String reason) -> "declined: " + reason;
                };
        return kind;
    }

    /// Types of elements for which functions of arrays are called.
    private static final List<PgType> ELEMENTS = List.of(
            PgType.BOOL,
            PgType.INT2,
            PgType.INT4,
            PgType.INT8,
            PgType.FLOAT4,
            PgType.FLOAT8,
            PgType.NUMERIC,
            PgType.TEXT,
            PgType.BPCHAR,
            PgType.BYTEA,
            PgType.DATE,
            PgType.TIME,
            PgType.TIMESTAMP,
            PgType.TIMESTAMPTZ,
            PgType.INTERVAL,
            PgType.UUID);

    /// Types of what ranges are made of.
    private static final List<PgType> RANGED =
            List.of(PgType.INT4, PgType.INT8, PgType.NUMERIC, PgType.DATE, PgType.TIMESTAMP, PgType.TIMESTAMPTZ);

    private static final Map<PgType, List<String>> SAMPLES = samples();

    private static Map<PgType, List<String>> samples() {
        Map<PgType, List<String>> samples = new EnumMap<>(PgType.class);
        samples.put(PgType.BOOL, List.of("true", "false"));
        samples.put(PgType.INT2, List.of("0", "1", "-7", "32767", "-32768"));
        samples.put(
                PgType.INT4, List.of("0", "1", "-1", "2", "3", "5", "-3", "12", "2024", "2147483647", "-2147483648"));
        samples.put(PgType.INT8, List.of("0", "1", "-1", "7", "100", "9223372036854775807", "-9223372036854775808"));
        samples.put(PgType.FLOAT4, List.of("0", "-0", "1.5", "-2.25", "NaN", "Infinity", "-Infinity", "3e38"));
        samples.put(
                PgType.FLOAT8,
                List.of(
                        "0",
                        "-0",
                        "1",
                        "-1",
                        "0.5",
                        "2",
                        "-3",
                        "1.5",
                        "1e-300",
                        "1e300",
                        "123456.789",
                        "NaN",
                        "Infinity",
                        "-Infinity",
                        "59.999"));
        samples.put(
                PgType.NUMERIC,
                List.of(
                        "0",
                        "0.00",
                        "1",
                        "-1",
                        "2",
                        "0.5",
                        "-2.50",
                        "10",
                        "3.14159",
                        "99999999",
                        "1e-10",
                        "1e20",
                        "123456789012345678901234567890",
                        "0.9999",
                        "1.0001",
                        "7.000",
                        "-3",
                        "NaN",
                        "Infinity",
                        "-Infinity"));
        samples.put(
                PgType.TEXT,
                List.of(
                        "",
                        "a",
                        "abc",
                        "Hello wORLD x9-y",
                        "  pad  ",
                        "äöü€😀",
                        "a,b,,c",
                        ",",
                        "xy",
                        "a.b",
                        "[ab]+",
                        "hex",
                        "b*",
                        "\\d",
                        "^a",
                        "(",
                        "aXbXc",
                        "i",
                        "UTF8"));
        samples.put(
                PgType.UUID,
                List.of(
                        "41db1265-8bc1-4ab3-992f-885799a4af1d",
                        "c232ab00-9414-11ec-b3c8-9f6bdeced846",
                        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
                        "00000000-0000-0000-0000-000000000000",
                        "ffffffff-ffff-ffff-ffff-ffffffffffff"));
        List<String> documents = List.of(
                "null",
                "true",
                " -12.50e1 ",
                "\"a\"",
                "\"\\u00e9\\n\\\"\"",
                "[]",
                "{}",
                "{ \"a\" : 1 , \"b\":[1, 2,{\"c\":null}], \"a\":\"twice\" }",
                "[1, \"a\", null, [3.0, 3.00], {\"a\": 4}]",
                "{\"Zürich\": \"日本語\", \"\": {\"\": null}, \"abc\": {\"a\": [0]}}",
                "[[1, 2], 3]",
                "[1]",
                "1.0",
                "3000000000");
        samples.put(
                PgType.JSONPATH,
                List.of(
                        "$",
                        "strict $",
                        "$.a",
                        "strict $.a",
                        "$[*]",
                        "strict $[*] ? (@ > 1)",
                        "$.**",
                        "$.b[last] ? (exists (@.c))",
                        "lax $[0 to 1, last].a + 1",
                        "-$[*].a",
                        "$ == 1 || $.a == \"twice\"",
                        "$.*.type()",
                        "$.size()",
                        "$[*].double() / 3",
                        "$x + $.a",
                        "($.a starts with \"tw\") is unknown",
                        "$.b[*] ? (@ >= 1 && @ != 2)",
                        "$.abs()",
                        "strict $.b.boolean()",
                        "$.**{1 to 2}.string()"));
        samples.put(PgType.JSON, documents);
        samples.put(PgType.JSONB, documents);
        samples.put(
                PgType.TEXT_ARRAY,
                List.of(
                        "{}",
                        "{a}",
                        "{b,2,c}",
                        "{0}",
                        "{-1}",
                        "{NULL}",
                        "{abc,a,0}",
                        "{\"\",\"\"}",
                        "{4,a}",
                        "{x,NULL}"));
        samples.put(PgType.NAME, List.of("UTF8", "utf-8"));
        samples.put(PgType.BPCHAR, List.of("", "ab  ", "ä "));
        samples.put(PgType.BYTEA, List.of("", "\\x00", "\\x616263", "\\xff00ff", "\\x0102030405060708090a"));
        samples.put(PgType.DATE, List.of("2000-01-01", "2024-02-29", "infinity", "-infinity", "0044-03-15 BC"));
        samples.put(PgType.TIME, List.of("00:00", "12:34:56.789", "24:00"));
        samples.put(
                PgType.TIMESTAMP,
                List.of(
                        "2000-01-01 00:00",
                        "2024-02-29 12:34:56.789",
                        "1969-12-31 23:59:59",
                        "2024-03-31 02:30",
                        "2024-10-27 02:30:00.25",
                        "1890-04-01 00:00:30",
                        "infinity",
                        "-infinity"));
        samples.put(
                PgType.TIMESTAMPTZ,
                List.of(
                        "2000-01-01 00:00",
                        "2024-02-29 12:34:56.789",
                        "2024-03-10 02:30",
                        "2024-11-03 05:30",
                        "2011-12-30 10:00",
                        "1883-11-18 12:00",
                        "2345-07-01 01:00",
                        "0044-03-15 10:00 BC",
                        "infinity",
                        "-infinity"));
        samples.put(
                PgType.INTERVAL,
                List.of("0", "1 day", "-1 mon 3 days", "36:00", "1 year 40 days 100:00", "15 min", "infinity"));
        List<String> bits = List.of("", "0", "1", "10", "0101", "11111111", "000000000", "1010101010101");
        samples.put(PgType.BIT, bits);
        samples.put(PgType.VARBIT, bits);
        samples.put(
                PgType.INET,
                List.of(
                        "0.0.0.0",
                        "10.1.2.3/8",
                        "10.1.2.3",
                        "255.255.255.255",
                        "::",
                        "2001:db8::1/64",
                        "::ffff:1.2.3.4",
                        "10.0.0.0/30",
                        "1:0:0:2:0:0:0:3/127"));
        samples.put(
                PgType.CIDR,
                List.of("0.0.0.0/0", "10.0.0.0/8", "10.1.2.3/32", "::/0", "2001:db8::/32", "::ffff:1.2.3.0/120"));
        samples.put(PgType.MACADDR, List.of("00:00:00:00:00:00", "08:00:2b:01:02:03", "ff:ff:ff:ff:ff:ff"));
        samples.put(
                PgType.MACADDR8,
                List.of("00:00:00:00:00:00:00:00", "08:00:2b:ff:fe:01:02:03", "08:00:2b:01:02:03:04:05"));
        samples.put(
                PgType.TIMETZ,
                List.of("00:00+00", "24:00-15:59", "12:34:56.789+05:30", "10:00-01:02:03", "23:59:59.999999+14"));
        samples.put(
                PgType.MONEY,
                List.of("0", "1", "-1", "0.01", "1234567.89", "-92233720368547758.08", "92233720368547758.07"));
        for (PgType element : RANGED) {
            List<String> ranges = new ArrayList<>(List.of("empty", "(,)"));
            List<String> values = samples.get(element).stream().sorted().toList();
            for (String low : values) {
                ranges.add("[\"" + low + "\",)");
                ranges.add("(,\"" + low + "\")");
                ranges.add("[\"" + low + "\",\"" + low + "\"]");
            }
            // The last value of all has none behind it.
            ranges.removeIf(range -> range.matches(".*(2147483647|9223372036854775807).*\\]"));
            samples.put(element.range(), ranges);
            List<String> multiranges = new ArrayList<>(List.of("{}"));
            for (int index = 0; index < ranges.size() - 2; index++) {
                multiranges.add("{" + ranges.get(index) + "," + ranges.get(index + 2) + "}");
            }
            samples.put(element.multirange(), multiranges);
        }
        for (PgType element : ELEMENTS) {
            samples.put(element.array().orElseThrow(), arrays(samples.get(element)));
        }
        return samples;
    }

    /// Arrays of some values: without elements, with NULLs, of several dimensions, counted from another number than 1.
    private static List<String> arrays(List<String> values) {
        List<String> some = new ArrayList<>(values.subList(0, Math.min(3, values.size())));
        List<String> withNull = new ArrayList<>(some.reversed());
        withNull.add(1, null);
        withNull.add(values.getFirst());
        String plain = ArrayText.format(some);
        return List.of(
                "{}",
                plain,
                ArrayText.format(withNull),
                ArrayText.format(List.of(values.getLast())),
                "[0:" + (some.size() - 1) + "]=" + plain,
                "{" + plain + "," + plain + "}");
    }

    private static Stream<PgType> elements(FunctionRow row) {
        boolean isOfRanges =
                row.arguments().contains(PgType.ANYRANGE) || row.arguments().contains(PgType.ANYMULTIRANGE);
        return ELEMENTS.stream().filter(element -> !isOfRanges || RANGED.contains(element));
    }

    /// The rows that may be called: of a polymorphic one, one for each type of elements.
    private static List<FunctionRow> rows() {
        return FunctionCatalog.all().stream()
                .flatMap(row -> row.isPolymorphic() ? elements(row).map(row::of) : Stream.of(row))
                .toList();
    }

    /// Edges of every argument's type, NULLs among them, as constants and as columns.
    @Test
    void functionsAnswerAsPostgresqlDoes() throws SQLException {
        Random random = new Random(SEED);
        List<String> problems = new ArrayList<>();
        int declined = 0;
        int calls = 0;
        try (Connection oracle = PostgresOracle.shared().connect();
                Connection ours =
                        QuarrelServer.shared(Configuration.ALL.getFirst()).connect()) {
            for (FunctionRow row : rows()) {
                if (!isComparable(row)) {
                    continue;
                }
                List<Call> made = new ArrayList<>();
                for (int call = 0; call < CALLS; call++) {
                    String arguments = "(" + String.join(", ", arguments(row, random)) + ")";
                    made.add(new Call(arguments, SqlAnswer.of(oracle, "SELECT " + called(row) + arguments)));
                }
                boolean areSame = areSameTogether(row, made, ours);
                List<String> answered = new ArrayList<>();
                for (Call call : made) {
                    calls++;
                    if (areSame && call.isAnswered()) {
                        answered.add(call.arguments);
                        continue;
                    }
                    String sql = "SELECT " + called(row) + call.arguments;
                    SqlAnswer actual = SqlAnswer.of(ours, sql);
                    if (isDeclined(actual)) {
                        declined++;
                    } else if (!isSame(row, call.expected, actual)) {
                        problems.add(sql + "\n  " + actual + "\n  PostgreSQL: " + call.expected);
                    } else if (call.isAnswered()) {
                        answered.add(call.arguments);
                    }
                }
                if (answered.size() > 1 && !row.arguments().isEmpty() && !WRITTEN_OUT.contains(row.signature())) {
                    String sql = columns(row, answered);
                    SqlAnswer expected = SqlAnswer.of(oracle, sql);
                    SqlAnswer actual = SqlAnswer.of(ours, sql);
                    if (!isDeclined(actual) && !isSame(row, expected, actual)) {
                        problems.add(sql + "\n  " + actual + "\n  PostgreSQL: " + expected);
                    }
                }
            }
        }
        assertThat(problems).as("seed " + SEED).isEmpty();
        assertThat(declined).as("declined of " + calls).isLessThan(calls / 10);
    }

    /// A call of a function with constants, and PostgreSQL's answer.
    private record Call(String arguments, SqlAnswer expected) {
        boolean isAnswered() {
            return expected instanceof SqlAnswer.Rows;
        }
    }

    /// Whether one statement of all calls that PostgreSQL answers gives what it gave to each alone. Where it does not,
    /// each is to be made alone: the statements are planned one by one, which is most of what they take.
    private static boolean areSameTogether(FunctionRow row, List<Call> made, Connection ours) {
        List<Call> answered = made.stream().filter(Call::isAnswered).toList();
        String calls =
                answered.stream().map(call -> called(row) + call.arguments).collect(Collectors.joining(", "));
        if (answered.isEmpty()
                || !(SqlAnswer.of(ours, "SELECT " + calls) instanceof SqlAnswer.Rows(var columns, var rows))
                || rows.size() != 1
                || columns.size() != answered.size()) {
            return false;
        }
        for (int index = 0; index < answered.size(); index++) {
            SqlAnswer actual = new SqlAnswer.Rows(
                    List.of(columns.get(index)),
                    List.of(Collections.singletonList(rows.getFirst().get(index))));
            if (!isSame(row, answered.get(index).expected, actual)) {
                return false;
            }
        }
        return true;
    }

    /// What is not built, and numerics of more digits than Quarrel holds.
    private static boolean isDeclined(SqlAnswer answer) {
        return answer instanceof SqlAnswer.Failure failure
                && (failure.sqlState().equals("0A000") || failure.message().equals("value overflows numeric format"));
    }

    /// In quotes, so that no word of the grammar's is meant.
    private static String called(FunctionRow row) {
        return "pg_catalog.\"" + row.name() + "\"";
    }

    private static boolean isComparable(FunctionRow row) {
        // With a single argument, age() goes on to now.
        boolean isOfSession = row.volatility() == Volatility.STABLE
                && !row.arguments().isEmpty()
                && !(row.name().equals("age") && row.arguments().size() == 1);
        return (row.volatility() == Volatility.IMMUTABLE || isOfSession)
                && (ONLY.isEmpty() || ONLY.equals(row.name()))
                && !(row.kind() instanceof Kind.Declined)
                && !(row.kind() instanceof Kind.Rows)
                && !OWN.contains(row.name())
                && SAMPLES.keySet().containsAll(row.arguments());
    }

    /// Functions that take the names of units, or of time zones.
    private static final Set<String> OF_UNITS =
            Set.of("timezone", "date_trunc", "date_part", "extract", "date_add", "date_subtract");

    private static final List<String> UNITS = List.of(
            "year",
            "Quarter",
            "mon",
            "d",
            "hours",
            "min",
            "s",
            "milliseconds",
            "us",
            "dow",
            "isodow",
            "doy",
            "week",
            "isoyear",
            "decade",
            "c",
            "mil",
            "epoch",
            "julian",
            "timezone",
            "timezone_hour",
            "timezone_m",
            "now");

    private static final List<String> ZONES = List.of(
            "America/New_York",
            "europe/berlin",
            "Asia/Kolkata",
            "Australia/Lord_Howe",
            "Pacific/Apia",
            "UTC",
            "EST",
            "cest",
            "IST",
            "PST8PDT",
            "EST5EDT",
            "+02",
            "-5:30",
            "<X>3",
            "CET-1CEST,M3.5.0,M10.5.0/3",
            "Nowhere",
            "Europe/Moscow",
            "America/St_Johns",
            "Asia/Tehran");

    private static final Set<String> FORMATTED = Set.of("to_char", "to_number", "to_date", "to_timestamp");

    /// Texts that formats are to read.
    private static final List<String> WRITTEN = List.of(
            "2024-02-29 13:14:15.678",
            "29/02/2024",
            "20240229",
            "1,234.5-",
            "<12>",
            "+7",
            "  12",
            "Feb 3rd, 24",
            "44 BC",
            "12 a.m.",
            "XIV",
            "5",
            "060",
            "-8:30",
            "abc",
            "");

    private static String format(FunctionRow row, Random random) {
        boolean isOfTimes = !row.name().equals("to_number")
                && !Set.of(PgType.INT4, PgType.INT8, PgType.FLOAT4, PgType.FLOAT8, PgType.NUMERIC)
                        .contains(row.arguments().getFirst());
        List<String> pieces = isOfTimes ? TIME_FORMATS : NUMBER_FORMATS;
        StringBuilder format = new StringBuilder();
        for (int count = random.nextInt(7); count >= 0; count--) {
            format.append(pieces.get(random.nextInt(pieces.size())));
        }
        return format.toString();
    }

    private static List<String> arguments(FunctionRow row, Random random) {
        List<String> arguments = new ArrayList<>();
        for (PgType type : row.arguments()) {
            List<String> values = SAMPLES.get(type);
            String value = values.get(random.nextInt(values.size()));
            if (type == PgType.TEXT && OF_UNITS.contains(row.name()) && random.nextInt(6) > 0) {
                List<String> words = arguments.isEmpty() && !row.name().equals("timezone") ? UNITS : ZONES;
                value = words.get(random.nextInt(words.size()));
            }
            if (arguments.size() == 1 && FORMATTED.contains(row.name()) && random.nextInt(8) > 0) {
                value = format(row, random);
            } else if (arguments.isEmpty() && FORMATTED.contains(row.name()) && type == PgType.TEXT) {
                value = WRITTEN.get(random.nextInt(WRITTEN.size()));
            }
            // Longer texts than PostgreSQL's memory likes are for the limits' own tests.
            boolean isHuge = value.equals("2147483647")
                    && Set.of("lpad", "rpad", "repeat").contains(row.name());
            arguments.add((random.nextInt(12) == 0 ? "NULL" : "'" + (isHuge ? "40" : value) + "'") + "::"
                    + type.formatName());
        }
        return arguments;
    }

    private static String columns(FunctionRow row, List<String> answered) {
        StringBuilder names = new StringBuilder();
        for (int index = 0; index < row.arguments().size(); index++) {
            names.append(index == 0 ? "" : ", ").append((char) ('a' + index));
        }
        return "SELECT " + called(row) + "(" + names + ") FROM (VALUES " + String.join(", ", answered) + ") AS v ("
                + names + ")";
    }

    private static boolean isSame(FunctionRow row, SqlAnswer expected, SqlAnswer actual) {
        if (expected instanceof SqlAnswer.Failure theirs && actual instanceof SqlAnswer.Failure ours) {
            return theirs.sqlState().equals(ours.sqlState()) && theirs.message().equals(ours.message());
        }
        if (TRANSCENDENTAL.contains(row.name())
                && row.result() == PgType.FLOAT8
                && expected instanceof SqlAnswer.Rows theirs
                && actual instanceof SqlAnswer.Rows ours) {
            return isNearly(theirs.rows(), ours.rows());
        }
        return expected.equals(actual);
    }

    private static boolean isNearly(List<List<String>> theirs, List<List<String>> ours) {
        for (int row = 0; row < theirs.size(); row++) {
            String expected = theirs.get(row).getFirst();
            String actual = ours.get(row).getFirst();
            if (expected == null || actual == null) {
                if (expected != actual) {
                    return false;
                }
            } else if (!expected.equals(actual)) {
                double one = Double.parseDouble(expected);
                double other = Double.parseDouble(actual);
                if (!(Math.abs(one - other) <= Math.abs(one) * LAST_DIGIT)) {
                    return false;
                }
            }
        }
        return theirs.size() == ours.size();
    }
}
