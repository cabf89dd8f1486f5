package dev.quarrel.tests;

import dev.quarrel.core.function.FunctionCatalog;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.RangeForm;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// How much of PostgreSQL's `pg_proc` Quarrel answers: each function that a query can have a use for is called on both
/// servers, with a value of each argument's type.
///
/// A function that implements an operator or a cast is in when that is.
final class FunctionCoverage {
    /// Why a function is none that a query over Quarrel's tables could call.
    ///
    /// @param condition over `p`, the function's row in pg_proc
    private record Rule(String what, String condition) {}

    private static final String IS_OPERATOR = "EXISTS (SELECT FROM pg_operator o WHERE o.oprcode = p.oid)";

    private static final List<Rule> NOT_APPLICABLE = List.of(
            new Rule("input, output and modifiers of types", """
                    EXISTS (SELECT FROM pg_type t WHERE p.oid IN (t.typinput, t.typoutput, t.typreceive, t.typsend,
                        t.typmodin, t.typmodout, t.typanalyze, t.typsubscript))"""),
            new Rule("triggers, handlers, and what has internal arguments", """
                    EXISTS (SELECT FROM pg_type t WHERE t.oid = ANY (p.proargtypes::oid[] || p.prorettype)
                        AND (t.typname IN ('internal', 'cstring', 'trigger', 'event_trigger', 'void')
                            OR t.typname LIKE '%\\_handler'))"""),
            new Rule("support of indexes, sorting and the planner", "NOT " + IS_OPERATOR + """
                     AND (EXISTS (SELECT FROM pg_amproc a WHERE a.amproc = p.oid)
                        OR EXISTS (SELECT FROM pg_operator o WHERE p.oid IN (o.oprrest, o.oprjoin))
                        OR EXISTS (SELECT FROM pg_proc s WHERE s.prosupport = p.oid)
                        OR EXISTS (SELECT FROM pg_range r WHERE p.oid IN (r.rngsubdiff, r.rngcanonical)))"""),
            new Rule("steps of aggregates", "NOT " + IS_OPERATOR + """
                     AND EXISTS (SELECT FROM pg_aggregate a WHERE p.oid IN (aggtransfn, aggfinalfn, aggcombinefn,
                        aggserialfn, aggdeserialfn, aggmtransfn, aggminvtransfn, aggmfinalfn))"""),
            new Rule("over types that Quarrel has no values of", """
                    EXISTS (SELECT FROM unnest(p.proargtypes::oid[] || p.prorettype) AS u (t)
                        WHERE t <> ALL ('{TYPES}'::oid[]))"""),
            new Rule("the server's administration and state, and xml", """
                    p.proname ~ '^(has_.*_privilege|row_security_active|inet_(client|server)_.*|txid_.*|lo_.*|ts_.*)$'
                        OR p.proname ~ '^(current_setting|set_config|currval|lastval|nextval|setval|makeaclitem)$'
                        OR p.proname ~ '^(.*_description|to_reg.*|currtid2|amvalidate|brin_.*|gin_.*|binary_.*)$'
                        OR p.proname ~ '^(xml_.*|postgresql_fdw_validator|satisfies_hash_partition|getpgusername)$'
                        OR p.proname ~ '^pg_'
                            AND p.proname NOT IN ('pg_typeof', 'pg_size_pretty', 'pg_size_bytes')"""),
            new Rule("volatile: a value for each call", "p.provolatile = 'v' AND p.prokind = 'f'"));

    /// Types that stand for others.
    private static final Map<Integer, PgType> ANY = Map.of(
            2276, PgType.TEXT, // "any"
            2277, PgType.INT4_ARRAY, // anyarray
            2283, PgType.INT4, // anyelement
            3831, PgType.INT4RANGE, // anyrange
            4537, PgType.INT4MULTIRANGE, // anymultirange
            2776, PgType.INT4, // anynonarray
            5077, PgType.INT4, // anycompatible
            5078, PgType.INT4_ARRAY, // anycompatiblearray
            5079, PgType.INT4); // anycompatiblenonarray

    private static final Map<PgType, String> SAMPLES = samples();

    private static Map<PgType, String> samples() {
        Map<PgType, String> samples = new EnumMap<>(PgType.class);
        for (PgType type : PgType.values()) {
            samples.put(type, type.isArray() ? "{}" : "1");
        }
        samples.putAll(Map.of(
                PgType.BOOL, "true",
                PgType.FLOAT8, "0.5",
                PgType.BYTEA, "\\x01",
                PgType.NAME, "UTF8",
                PgType.REGCLASS, "pg_class",
                PgType.REGTYPE, "int4",
                PgType.REGPROC, "now",
                PgType.DATE, "2024-02-29",
                PgType.TIME, "12:34:56",
                PgType.INTERVAL, "1 day"));
        samples.put(PgType.TIMESTAMP, "2024-02-29 12:34:56");
        samples.put(PgType.UUID, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11");
        samples.put(PgType.TIMESTAMPTZ, "2024-02-29 12:34:56+00");
        samples.put(PgType.INET, "10.1.2.3/8");
        samples.put(PgType.CIDR, "10.0.0.0/8");
        samples.put(PgType.REGPROCEDURE, "now()");
        samples.put(PgType.REGNAMESPACE, "pg_catalog");
        samples.put(PgType.REGROLE, "-");
        samples.put(PgType.REGCOLLATION, "\"C\"");
        samples.put(PgType.MACADDR, "08:00:2b:01:02:03");
        samples.put(PgType.MACADDR8, "08:00:2b:ff:fe:01:02:03");
        samples.put(PgType.TIMETZ, "12:34:56+02");
        for (PgType type : PgType.values()) {
            if (type.form() instanceof RangeForm form) {
                String bound = samples.get(form.rangeOf());
                String range = "[\"" + bound + "\",\"" + bound + "\"]";
                samples.put(type, form.isMulti() ? "{" + range + "}" : range);
            }
        }
        for (PgType type : PgType.values()) {
            if (type.isVector()) {
                samples.put(type, "1 2");
            } else if (type.isArray()) {
                samples.put(
                        type,
                        "{\""
                                + samples.get(type.element())
                                        .replace("\\", "\\\\")
                                        .replace("\"", "\\\"") + "\"}");
            }
        }
        return samples;
    }

    /// What only the grammar can say, over the columns a, b, …
    private static final Map<String, String> WRITTEN = Map.ofEntries(
            Map.entry("extract", "extract(hour FROM b)"),
            Map.entry("overlay", "overlay(a PLACING b FROM c)"),
            Map.entry("position", "position(a IN b)"),
            Map.entry("like_escape", "a LIKE b ESCAPE '#'"),
            Map.entry("similar_to_escape", "a SIMILAR TO b"),
            Map.entry("timezone", "b AT TIME ZONE a"),
            Map.entry("overlaps", "(a, b) OVERLAPS (c, d)"),
            Map.entry("is_normalized", "a IS NORMALIZED"),
            Map.entry("normalize", "normalize(a)"),
            Map.entry("current_user", "current_user"),
            Map.entry("session_user", "session_user"),
            Map.entry("system_user", "system_user"));

    /// Texts that functions of names take, where any other is an error.
    private static final Map<String, String> TEXTS = Map.of(
            "date_trunc", "hour",
            "date_part", "hour",
            "extract", "hour",
            "timezone", "UTC",
            "encode", "hex",
            "decode", "hex",
            "make_timestamptz", "UTC",
            "format", "%s");

    /// Failures that say that there is no such thing.
    private static final Set<String> MISSING = Set.of("0A000", "42883", "42725", "42704", "42601", "42804", "42P01");

    /// One function of pg_proc that may be called.
    ///
    /// @param uses operators and casts that it implements, over the columns a and b
    private record Applicable(
            String name, char kind, char aggregateKind, int direct, List<PgType> arguments, List<String> uses) {
        String family() {
            if (kind != 'f') {
                return kind == 'a' ? "aggregates" : "window functions";
            }
            return arguments.stream()
                    .map(FunctionCoverage::family)
                    .min(java.util.Comparator.comparing(FAMILIES::indexOf))
                    .orElse("without arguments");
        }

        String signature() {
            return name + arguments.stream().map(PgType::formatName).collect(Collectors.joining(", ", "(", ")"));
        }
    }

    private static final List<String> FAMILIES = List.of(
            "arrays",
            "dates and times",
            "uuid",
            "bit strings",
            "addresses",
            "money",
            "ranges",
            "json",
            "bytea",
            "object identifiers",
            "text",
            "numbers",
            "boolean",
            "without arguments",
            "aggregates",
            "window functions");

    private static String family(PgType type) {
        return switch (type) {
            case BOOL -> "boolean";
            case INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC -> "numbers";
            case TEXT, VARCHAR, BPCHAR, NAME, CHAR -> "text";
            case OID, REGCLASS, REGTYPE, REGPROC -> "object identifiers";
            case DATE, TIME, TIMESTAMP, TIMESTAMPTZ, INTERVAL -> "dates and times";
            case BYTEA -> "bytea";
            case UUID -> "uuid";
            case BIT, VARBIT -> "bit strings";
            case INET, CIDR, MACADDR, MACADDR8 -> "addresses";
            case MONEY -> "money";
            case TIMETZ -> "dates and times";
            case JSON, JSONB, JSONPATH -> "json";
            default -> {
                if (type.isArray()) {
                    yield "arrays";
                }
                if (type.form() instanceof RangeForm) {
                    yield "ranges";
                }
                throw new IllegalArgumentException("no family of " + type);
            }
        };
    }

    private enum Verdict {
        IN,
        DECLINED,
        NOT_YET
    }

    private final Connection oracle;
    private final Connection ours;

    private FunctionCoverage(Connection oracle, Connection ours) {
        this.oracle = oracle;
        this.ours = ours;
    }

    /// The lines of the table.
    static List<String> lines() {
        try (Connection oracle = PostgresOracle.shared().connect();
                Connection ours =
                        QuarrelServer.shared(Configuration.ALL.getFirst()).connect()) {
            return new FunctionCoverage(oracle, ours).made();
        } catch (SQLException problem) {
            throw new IllegalStateException(problem);
        }
    }

    private List<String> made() {
        Map<String, Integer> notApplicable = new LinkedHashMap<>();
        NOT_APPLICABLE.forEach(rule -> notApplicable.put(rule.what(), 0));
        Map<String, Map<Verdict, Integer>> counts = new LinkedHashMap<>();
        FAMILIES.forEach(family -> counts.put(family, new EnumMap<>(Verdict.class)));
        Map<String, Set<String>> missing = new LinkedHashMap<>();
        FAMILIES.forEach(family -> missing.put(family, new TreeSet<>()));
        for (String row : FunctionCatalogTest.query(catalog())) {
            String[] cells = row.split("\t", -1);
            int rule = Integer.parseInt(cells[0]);
            if (rule >= 0) {
                notApplicable.merge(NOT_APPLICABLE.get(rule).what(), 1, Integer::sum);
                continue;
            }
            Applicable function = function(cells);
            Verdict verdict = verdict(function);
            counts.get(function.family()).merge(verdict, 1, Integer::sum);
            if (verdict == Verdict.NOT_YET) {
                missing.get(function.family())
                        .add(function.kind() == 'f' ? function.name() : "`" + function.signature() + "`");
            }
        }
        return written(notApplicable, counts, missing);
    }

    /// The condition, over `p`, that a function of pg_proc is one that statements here can call.
    static String callable() {
        String types = types();
        return NOT_APPLICABLE.stream()
                        .map(rule -> "(" + rule.condition().replace("TYPES", types) + ")")
                        .collect(Collectors.joining(" OR ", "NOT (", ")"))
                + " AND p.proname NOT IN ('to_ascii', 'int8_sum', 'icu_unicode_version', 'system_user')";
    }

    /// The oids of the types that a function may take and give, with commas between them.
    static String types() {
        return Arrays.stream(PgType.values())
                        .filter(type -> type != PgType.OTHER && type != PgType.UNKNOWN)
                        .map(type -> Integer.toString(type.oid()))
                        .collect(Collectors.joining(","))
                + ANY.keySet().stream().map(oid -> "," + oid).collect(Collectors.joining());
    }

    /// The rows of pg_proc, each with the number of the rule that leaves it out, or -1.
    private static String catalog() {
        String types = types();
        StringBuilder rules = new StringBuilder();
        for (int index = 0; index < NOT_APPLICABLE.size(); index++) {
            rules.append(" WHEN ")
                    .append(NOT_APPLICABLE.get(index).condition().replace("TYPES", types))
                    .append(" THEN ")
                    .append(index);
        }
        return "SELECT CASE" + rules + " ELSE -1 END, p.proname, p.prokind, coalesce(a.aggkind, 'n'),"
                + " coalesce(a.aggnumdirectargs, 0), p.proargtypes::text, p.provariadic::int8,"
                + " (SELECT coalesce(string_agg(CASE o.oprkind WHEN 'b' THEN 'a ' || oprname || ' b'"
                + " ELSE oprname || ' a' END, '|'), '') FROM pg_operator o WHERE o.oprcode = p.oid),"
                + " (SELECT coalesce(string_agg('a::' || CASE c.casttarget WHEN 'bpchar'::regtype THEN 'char(3)'"
                + " WHEN 'varchar'::regtype THEN 'varchar(3)' WHEN '\"char\"'::regtype THEN '\"char\"'"
                + " WHEN 'numeric'::regtype THEN 'numeric(10, 2)' ELSE format_type(c.casttarget, NULL) END, '|'), '')"
                + " FROM pg_cast c WHERE c.castfunc = p.oid)"
                + " FROM pg_proc p LEFT JOIN pg_aggregate a ON a.aggfnoid = p.oid"
                + " WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind IN ('f', 'a', 'w') ORDER BY p.oid";
    }

    private static Applicable function(String[] cells) {
        List<PgType> arguments = new ArrayList<>();
        for (String oid : cells[5].isEmpty() ? new String[0] : cells[5].split(" ")) {
            arguments.add(type(Integer.parseInt(oid)));
        }
        int variadic = Integer.parseInt(cells[6]);
        if (variadic != 0) {
            arguments.set(arguments.size() - 1, type(variadic));
        }
        List<String> uses = new ArrayList<>();
        for (String each : List.of(cells[7], cells[8])) {
            if (!each.isEmpty()) {
                uses.addAll(List.of(each.split("\\|(?=a |a::|$)")));
            }
        }
        return new Applicable(
                cells[1], cells[2].charAt(0), cells[3].charAt(0), Integer.parseInt(cells[4]), arguments, uses);
    }

    private static PgType type(int oid) {
        return ANY.containsKey(oid) ? ANY.get(oid) : PgType.ofOid(oid).orElseThrow();
    }

    private Verdict verdict(Applicable function) {
        for (String sql : statements(function)) {
            SqlAnswer answer = SqlAnswer.of(ours, sql);
            boolean isThere =
                    switch (answer) {
                        case SqlAnswer.Failure failure ->
                            !MISSING.contains(failure.sqlState())
                                    && SqlAnswer.of(oracle, sql) instanceof SqlAnswer.Failure theirs
                                    && theirs.sqlState().equals(failure.sqlState());
                        case SqlAnswer.Rows _ -> SqlAnswer.of(oracle, sql) instanceof SqlAnswer.Rows;
                        case SqlAnswer.Done() -> false;
                    };
            if (isThere) {
                return Verdict.IN;
            }
        }
        return FunctionCatalog.declined().containsKey(function.name()) ? Verdict.DECLINED : Verdict.NOT_YET;
    }

    /// Statements of which one is enough: over constants and over columns.
    private static List<String> statements(Applicable function) {
        List<String> columns = new ArrayList<>();
        List<String> constants = new ArrayList<>();
        for (int index = 0; index < function.arguments().size(); index++) {
            PgType type = function.arguments().get(index);
            columns.add(String.valueOf((char) ('a' + index)));
            String text = type == PgType.TEXT ? TEXTS.get(function.name()) : null;
            constants.add("'" + (text == null ? SAMPLES.get(type) : text) + "'::" + type.formatName());
        }
        List<String> forms = new ArrayList<>();
        String name = "pg_catalog.\"" + function.name() + "\"";
        switch (function.kind()) {
            case 'w' -> forms.add(call(name, columns) + " OVER (ORDER BY 1)");
            case 'a' -> {
                if (function.aggregateKind() == 'n') {
                    forms.add(call(name, columns));
                } else {
                    // A hypothetical row has as many arguments as the order has keys.
                    boolean isHypothetical = function.aggregateKind() == 'h';
                    List<String> direct = isHypothetical ? columns : constants.subList(0, function.direct());
                    List<String> keys = isHypothetical ? columns : columns.subList(function.direct(), columns.size());
                    forms.add(call(name, isHypothetical ? constants : direct) + " WITHIN GROUP (ORDER BY "
                            + String.join(", ", keys) + ")");
                    forms.add(call(name, arrays(direct, function)) + " WITHIN GROUP (ORDER BY "
                            + String.join(", ", keys) + ")");
                }
            }
            default -> {
                forms.addAll(function.uses());
                if (WRITTEN.containsKey(function.name())) {
                    forms.add(WRITTEN.get(function.name()));
                }
                forms.add(call(name, columns));
                forms.add(call(function.name(), columns));
            }
        }
        List<String> statements = new ArrayList<>();
        for (String form : forms) {
            if (columns.isEmpty()) {
                statements.add("SELECT " + form + " FROM (VALUES (1)) AS v (a)");
                continue;
            }
            statements.add("SELECT " + form + " FROM (VALUES (" + String.join(", ", constants) + ")) AS v ("
                    + String.join(", ", columns) + ")");
            statements.add("SELECT " + replaced(form, columns, constants));
        }
        if (function.kind() == 'f') {
            statements.add("SELECT * FROM " + call(name, constants));
        }
        return statements;
    }

    /// Fractions must be written out.
    private static List<String> arrays(List<String> direct, Applicable function) {
        List<String> written = new ArrayList<>();
        for (int index = 0; index < direct.size(); index++) {
            boolean isArray = function.arguments().get(index).isArray();
            written.add(isArray ? "ARRAY[0.5]" : direct.get(index));
        }
        return written;
    }

    private static String replaced(String form, List<String> columns, List<String> constants) {
        String text = form;
        for (int index = columns.size() - 1; index >= 0; index--) {
            text = text.replaceAll(
                    "(?<![\\w\"'])" + columns.get(index) + "(?![\\w\"'])",
                    java.util.regex.Matcher.quoteReplacement("(" + constants.get(index) + ")"));
        }
        return text;
    }

    private static String call(String name, List<String> arguments) {
        return name + "(" + String.join(", ", arguments) + ")";
    }

    private static List<String> written(
            Map<String, Integer> notApplicable,
            Map<String, Map<Verdict, Integer>> counts,
            Map<String, Set<String>> missing) {
        List<String> lines = new ArrayList<>(List.of(
                "## Coverage of pg_proc",
                "",
                "Each function of PostgreSQL 18's `pg_catalog` that a query can call, over types that Quarrel has values of,"
                        + " is called on both; one that implements",
                "an operator or a cast is in when that is.",
                "",
                "| family | in | declined with a reason | not yet | in, of all |",
                "|---|---|---|---|---|"));
        Map<Verdict, Integer> functions = new EnumMap<>(Verdict.class);
        Map<Verdict, Integer> total = new EnumMap<>(Verdict.class);
        counts.forEach((family, each) -> {
            boolean isFunction = !family.equals("aggregates") && !family.equals("window functions");
            each.forEach((verdict, count) -> {
                total.merge(verdict, count, Integer::sum);
                if (isFunction) {
                    functions.merge(verdict, count, Integer::sum);
                }
            });
            if (isFunction) {
                lines.add(row(family, each));
            }
        });
        lines.add(row("*functions*", functions));
        lines.add(row("*aggregates*", counts.get("aggregates")));
        lines.add(row("*window functions*", counts.get("window functions")));
        lines.add(row("**total**", total));
        lines.addAll(List.of("", "Not applicable:", "", "| what | functions |", "|---|---|"));
        notApplicable.forEach((what, count) -> lines.add("| " + what + " | " + count + " |"));
        lines.addAll(List.of("", "Not yet:", ""));
        missing.forEach((family, names) -> {
            if (!names.isEmpty()) {
                lines.add("- " + family + ": " + String.join(", ", names));
            }
        });
        return lines;
    }

    private static String row(String what, Map<Verdict, Integer> counts) {
        int all = counts.values().stream().mapToInt(Integer::intValue).sum();
        int in = counts.getOrDefault(Verdict.IN, 0);
        return "| " + what + " | " + in + " | " + counts.getOrDefault(Verdict.DECLINED, 0) + " | "
                + counts.getOrDefault(Verdict.NOT_YET, 0) + " | "
                + (all == 0 ? "" : String.format(Locale.ROOT, "%.0f %%", Math.floor(100.0 * in / all))) + " |";
    }
}
