package dev.quarrel.bench;

import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.pg.PgType;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Arguments to call functions with: columns of typical values of every type, as SQL of a number `h` that differs from
/// row to row, and literals.
///
/// Of a function's arguments each has some that may suit it. Who calls it takes the first that raise no error.
final class FunctionSamples {
    /// A column that is made: of type `type`, for the argument of that index.
    ///
    /// @param sql of `h`, a number from 0 to 999,982
    record Made(String name, PgType type, String sql) {}

    private static final Map<PgType, List<String>> VALUES = new EnumMap<>(PgType.class);

    /// From the first bound of a range to the second one: further than values are apart.
    private static final Map<PgType, String> STEPS = Map.of(
            PgType.INT4, "30000",
            PgType.INT8, "2000000000",
            PgType.NUMERIC, "20000.0",
            PgType.DATE, "30000",
            PgType.TIMESTAMP, "interval '10000 days'",
            PgType.TIMESTAMPTZ, "interval '10000 days'");

    static {
        VALUES.put(PgType.BOOL, List.of("h % 3 = 0"));
        VALUES.put(PgType.INT2, List.of("(h % 181 - 90)::int2", "(h % 20 + 1)::int2", "2::int2"));
        VALUES.put(PgType.INT4, List.of("h % 20001 - 10000", "h % 7 + 1", "h"));
        VALUES.put(PgType.INT8, List.of("h::int8 * 1003 - 500000000", "(h % 7 + 1)::int8"));
        VALUES.put(PgType.OID, List.of("h::oid"));
        VALUES.put(PgType.FLOAT4, List.of("(h / 1000.0 - 500)::float4", "(h / 1000000.0)::float4"));
        VALUES.put(
                PgType.FLOAT8,
                List.of(
                        "h / 1000.0::float8 - 500",
                        "(h + 1) / 1000000.0::float8",
                        "h / 100000.0::float8 - 5",
                        "h / 1000.0::float8 + 1"));
        VALUES.put(
                PgType.NUMERIC,
                List.of(
                        "((h - 500000) / 100.0)::numeric(12, 2)::numeric",
                        "((h + 1) / 100.0)::numeric(12, 2)::numeric",
                        "(h % 9 + 1)::numeric"));
        VALUES.put(
                PgType.TEXT,
                List.of("'some Text ' || h", "h::text", "'[ab]' || h", "'1 kB'", "'UTF8'", "'NFC'", "'[)'", "'hour'"));
        VALUES.put(PgType.VARCHAR, List.of("('some Text ' || h)::varchar"));
        VALUES.put(PgType.BPCHAR, List.of("('some Text ' || h)::bpchar"));
        VALUES.put(PgType.NAME, List.of("('some_name' || h)::name"));
        VALUES.put(PgType.CHAR, List.of("substr('abcdefgh', h % 8 + 1, 1)::\"char\""));
        VALUES.put(PgType.BYTEA, List.of("('some Text ' || h)::bytea", "'ab'::bytea"));
        VALUES.put(
                PgType.UUID,
                List.of("(lpad(to_hex(h::bigint * 4201), 8, '0') || '-8bc1-4ab3-992f-885799a4af1d')::uuid"));
        VALUES.put(PgType.DATE, List.of("date '2000-01-01' + h % 20000"));
        VALUES.put(PgType.TIME, List.of("time '00:00' + (h % 86400) * interval '1 second'"));
        VALUES.put(PgType.TIMETZ, List.of("(lpad((h % 24)::text, 2, '0') || ':10:20.5+02')::timetz"));
        VALUES.put(PgType.TIMESTAMP, List.of("timestamp '2000-01-01' + (h % 700000) * interval '997.5 seconds'"));
        VALUES.put(PgType.TIMESTAMPTZ, List.of("timestamptz '2000-01-01' + (h % 700000) * interval '997.5 seconds'"));
        VALUES.put(
                PgType.INTERVAL,
                List.of(
                        "make_interval(0, h % 5, 0, h % 100, 0, h % 3600)",
                        "(h % 80) * interval '1 hour'", "interval '2 hours'"));
        List<String> documents = List.of(
                "'{\"a\": ' || h || ', \"b\": [1, 2, {\"c\": \"x' || h % 100 || '\"}]}'",
                "'[1, ' || h || ', \"three\"]'", "(h % 100)::text", "'true'");
        VALUES.put(
                PgType.JSON,
                documents.stream().map(text -> "(" + text + ")::json").toList());
        VALUES.put(
                PgType.JSONB,
                documents.stream().map(text -> "(" + text + ")::jsonb").toList());
        VALUES.put(PgType.JSONPATH, List.of("'$.a'::jsonpath", "'$.a == 1'::jsonpath"));
        VALUES.put(PgType.BIT, List.of("(h % 256)::bit(8)"));
        VALUES.put(PgType.VARBIT, List.of("(h % 256)::bit(8)::varbit"));
        VALUES.put(PgType.INET, List.of("('10.1.' || h % 250 || '.7/16')::inet", "'0.0.0.7'::inet"));
        VALUES.put(PgType.CIDR, List.of("('10.' || h % 250 || '.0.0/16')::cidr"));
        VALUES.put(
                PgType.MACADDR,
                List.of(
                        "('08:00:2b:01:' || lpad(to_hex(h % 256), 2, '0') || ':' || lpad(to_hex(h % 199), 2, '0'))::macaddr"));
        VALUES.put(PgType.MACADDR8, List.of("('08:00:2b:ff:fe:01:02:' || lpad(to_hex(h % 256), 2, '0'))::macaddr8"));
        VALUES.put(PgType.MONEY, List.of("(h / 100.0)::numeric::money"));
        ranges();
        for (PgType type : PgType.values()) {
            if (type.isArray() && VALUES.containsKey(type.element())) {
                VALUES.put(type, arrays(type, VALUES.get(type.element()).getFirst()));
            }
        }
    }

    /// Values of a function's text arguments, by its name, each in the order of the arguments that are texts; a
    /// hyphen is a column.
    private static final Map<String, List<String>> OF_FUNCTION = Map.ofEntries(
            Map.entry("date_part", List.of("'hour'", "'day'")),
            Map.entry("extract", List.of("'hour'", "'day'")),
            Map.entry("date_trunc", List.of("'day'", "'Europe/Berlin'")),
            Map.entry("timezone", List.of("'Europe/Berlin'")),
            Map.entry("date_add", List.of("'Europe/Berlin'")),
            Map.entry("date_subtract", List.of("'Europe/Berlin'")),
            Map.entry("to_number", List.of("-", "'S999G999'")),
            Map.entry("encode", List.of("'hex'")),
            Map.entry("decode", List.of("to_hex", "'hex'")),
            Map.entry("convert_from", List.of("'UTF8'")),
            Map.entry("convert_to", List.of("-", "'UTF8'")),
            Map.entry("convert", List.of("'UTF8'", "'UTF8'")),
            Map.entry("regexp_like", List.of("-", "'t [0-9]+5'", "'i'")),
            Map.entry("regexp_count", List.of("-", "'[1-5]'", "'i'")),
            Map.entry("regexp_instr", List.of("-", "'[1-5]'", "'i'")),
            Map.entry("regexp_substr", List.of("-", "'[1-5]+'", "'i'")),
            Map.entry("regexp_match", List.of("-", "'([a-z]+) ([1-5]+)'", "'i'")),
            Map.entry("regexp_replace", List.of("-", "'[1-5]+'", "'<\\&>'", "'g'")),
            Map.entry("regexp_split_to_array", List.of("-", "' +'", "'i'")),
            Map.entry("similar_to_escape", List.of("'a%b_'", "'#'")),
            Map.entry("similar_escape", List.of("'a%b_'", "'#'")),
            Map.entry("like_escape", List.of("-", "'#'")),
            Map.entry("split_part", List.of("-", "' '")),
            Map.entry("string_to_array", List.of("-", "' '", "'x'")),
            Map.entry("replace", List.of("-", "'e'", "'EE'")),
            Map.entry("translate", List.of("-", "'aeiou'", "'AEI'")),
            Map.entry("strpos", List.of("-", "'t'")),
            Map.entry("position", List.of("-", "'t'")),
            Map.entry("starts_with", List.of("-", "'some T'")),
            Map.entry("lpad", List.of("-", "'*'")),
            Map.entry("rpad", List.of("-", "'*'")),
            Map.entry("btrim", List.of("-", "'s0'")),
            Map.entry("ltrim", List.of("-", "'s0'")),
            Map.entry("rtrim", List.of("-", "'s0'")),
            Map.entry("normalize", List.of("-", "'NFC'")),
            Map.entry("is_normalized", List.of("-", "'NFC'")),
            Map.entry("format", List.of("'<%s> %I'")),
            Map.entry("unistr", List.of("'d\\0061t'")),
            Map.entry("parse_ident", List.of("'one.Two'")),
            Map.entry("jsonb_set_lax", List.of("'use_json_null'")),
            Map.entry("make_timestamptz", List.of("'Europe/Berlin'")),
            Map.entry("extract(text, date)", List.of("'day'")),
            Map.entry("length(bytea, name)", List.of("'UTF8'")),
            Map.entry("substring(text, text, text)", List.of("-", "'%#\"T[a-z]*#\"%'", "'#'")));

    private static final String LIKE = "'%ext%5'";
    private static final String REGEX = "'t [0-9]+5'";
    private static final Set<String> TRIMS = Set.of("btrim", "ltrim", "rtrim");

    private final Map<String, Made> columns;

    FunctionSamples(Map<String, Made> columns) {
        this.columns = columns;
    }

    private static void ranges() {
        STEPS.forEach((element, step) -> {
            String low = VALUES.get(element).getFirst();
            String range = element.range().typeName() + "((" + low + "), (" + low + ") + " + step + ")";
            VALUES.put(element.range(), List.of(range));
            VALUES.put(element.multirange(), List.of(element.multirange().typeName() + "(" + range + ")"));
        });
    }

    private static List<String> arrays(PgType type, String element) {
        String more = element.replaceAll("\\bh\\b", "(h + 17)");
        String array = "ARRAY[" + element + ", " + more + ", " + element.replaceAll("\\bh\\b", "(h / 2)") + "]::"
                + type.formatName();
        return switch (type) {
            case TEXT_ARRAY -> List.of(array, "'{a,b}'::text[]", "'{a}'::text[]", "'{1}'::text[]");
            case INT4_ARRAY -> List.of(array, "'{3}'::int4[]");
            default -> List.of(array);
        };
    }

    /// What may be written for each argument of a call of `row`, the likeliest first.
    List<List<String>> of(FunctionRow row) {
        List<List<String>> arguments = new ArrayList<>();
        int texts = 0;
        for (int index = 0; index < row.arguments().size(); index++) {
            PgType type = row.arguments().get(index);
            List<String> some = new ArrayList<>();
            if (type == PgType.TEXT || type == PgType.NAME) {
                named(row, texts++, some);
            }
            if (index == 1) {
                second(row, type, some);
            }
            List<String> values = VALUES.getOrDefault(type, List.of());
            for (int choice = 0; choice < values.size(); choice++) {
                some.add(written(type, index, choice, values.get(choice)));
            }
            if (index > 0 && isText(row.arguments().getFirst()) && type == PgType.INT4) {
                some.addFirst(written(type, index, 1, values.get(1)));
            }
            if (type == PgType.INT4 && some.size() > 0) {
                some.add("0");
                some.add("8");
            }
            if (!values.isEmpty()) {
                some.add(written(type, 0, 0, values.getFirst()));
            }
            arguments.add(some);
        }
        if (row.isVariadic()) {
            arguments.add(
                    List.of(written(PgType.TEXT, 6, 0, VALUES.get(PgType.TEXT).getFirst())));
            arguments.add(
                    List.of(written(PgType.INT4, 5, 0, VALUES.get(PgType.INT4).getFirst())));
        }
        return arguments;
    }

    private static boolean isText(PgType type) {
        return type == PgType.TEXT || type == PgType.BYTEA || type == PgType.BIT || type == PgType.VARBIT;
    }

    /// What is known of the text argument number `text`.
    private void named(FunctionRow row, int text, List<String> some) {
        List<String> known = OF_FUNCTION.getOrDefault(row.signature(), OF_FUNCTION.getOrDefault(row.name(), List.of()));
        if (text < known.size()) {
            String value = known.get(text);
            if (value.startsWith("'")) {
                some.add(value);
            } else if (!value.equals("-")) {
                some.add(written(PgType.TEXT, 8, 0, "'61' || lpad(to_hex(h), 6, '0') || '41'"));
            }
        }
        if (FunctionFamily.of(row) == FunctionFamily.FORMAT && known.isEmpty()) {
            format(row, text, some);
        }
    }

    /// What is known of the second argument: a pattern, the bytes to trim, the end of a range.
    private void second(FunctionRow row, PgType type, List<String> some) {
        String cast = "::" + type.formatName();
        if (row.result().form() != null && row.name().equals(row.result().typeName())) {
            // Greater than all of the first argument.
            some.add(written(type, 1, 9, "(" + VALUES.get(type).getFirst() + ") + " + STEPS.get(type)));
        } else if (row.name().contains("like") && !row.name().contains("escape")) {
            some.add(LIKE + cast);
        } else if (row.name().contains("regex")
                || row.name().equals("substring") && row.arguments().size() == 2 && type == PgType.TEXT) {
            some.add(REGEX + cast);
        } else if (TRIMS.contains(row.name()) && type == PgType.BYTEA) {
            some.add("'s0'::bytea");
        }
    }

    private void format(FunctionRow row, int text, List<String> some) {
        boolean isOfTimes = !row.arguments().getFirst().equals(PgType.TEXT)
                && !Set.of(PgType.INT4, PgType.INT8, PgType.FLOAT4, PgType.FLOAT8, PgType.NUMERIC)
                        .contains(row.arguments().getFirst());
        if (row.arguments().getFirst() != PgType.TEXT) {
            some.add(isOfTimes ? "'YYYY-MM-DD HH24:MI:SS'" : "'FM999G999G990D00'");
        } else if (text == 0) {
            some.add(written(PgType.TEXT, 7, 0, "'2024-02-' || lpad((h % 28 + 1)::text, 2, '0')"));
        } else {
            some.add("'YYYY-MM-DD'");
        }
    }

    private String written(PgType type, int argument, int choice, String sql) {
        if (!sql.matches("(?s).*\\bh\\b.*")) {
            return sql;
        }
        String name = type.typeName().replace("_", "a_") + "_" + argument + "_" + choice;
        columns.putIfAbsent(name, new Made(name, type, sql));
        return name;
    }
}
