package dev.quarrel.bench;

import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.pg.PgType;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/// What kind of work a function is, and how many calls a second of it one core is to do.
enum FunctionFamily {
    ARITHMETIC("integers, floats and their comparisons", 50),
    TRANSCENDENTAL("exp, ln, power, trigonometry", 15),
    TEXT("short texts without a pattern", 10),
    PATTERN("patterns", 0),
    FORMAT("to_char and its like", 0),
    NUMERIC("numeric", 0),
    TIME("dates, times, intervals", 0),
    DIGEST("digests", 0),
    JSON("json", 0),
    ARRAY("arrays", 0),
    RANGE("ranges", 0),
    OTHER("networks, bit strings, money, uuid", 0);

    private static final Set<PgType> NUMBERS =
            EnumSet.of(PgType.BOOL, PgType.INT2, PgType.INT4, PgType.INT8, PgType.FLOAT4, PgType.FLOAT8, PgType.OID);

    private static final Set<PgType> TEXTS =
            EnumSet.of(PgType.TEXT, PgType.VARCHAR, PgType.BPCHAR, PgType.NAME, PgType.CHAR, PgType.BYTEA);

    private static final Set<PgType> TIMES =
            EnumSet.of(PgType.DATE, PgType.TIME, PgType.TIMETZ, PgType.TIMESTAMP, PgType.TIMESTAMPTZ, PgType.INTERVAL);

    private static final Set<PgType> DOCUMENTS = EnumSet.of(PgType.JSON, PgType.JSONB, PgType.JSONPATH);

    private static final Set<String> TRANSCENDENTAL_NAMES = Set.of(
            "ln", "power", "pow", "dpow", "dcbrt", "exp", "log", "log10", "cbrt", "sin", "cos", "tan", "cot", "asin",
            "acos", "atan", "atan2", "sind", "cosd", "tand", "cotd", "asind", "acosd", "atand", "atan2d", "dexp",
            "dlog1", "dlog10", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "gamma", "lgamma");

    private static final Set<String> FORMATS =
            Set.of("to_char", "to_number", "to_date", "to_timestamp", "format", "formatted");

    private static final Set<String> DIGESTS = Set.of("md5", "sha224", "sha256", "sha384", "sha512");

    private final String label;
    private final int goal;

    FunctionFamily(String label, int goal) {
        this.label = label;
        this.goal = goal;
    }

    String label() {
        return label;
    }

    /// Millions of calls a second; 0 where the rate is stated, and none is asked for.
    int goal() {
        return goal;
    }

    static FunctionFamily of(FunctionRow row) {
        List<PgType> types =
                Stream.concat(row.arguments().stream(), Stream.of(row.result())).toList();
        String name = row.name().toLowerCase(Locale.ROOT);
        if (DIGESTS.contains(name)) {
            return DIGEST;
        }
        if (FORMATS.contains(name)) {
            return FORMAT;
        }
        if (types.stream().anyMatch(DOCUMENTS::contains) || name.startsWith("json")) {
            return JSON;
        }
        if (row.isVariadic()) {
            return TEXT; // values come as their texts
        }
        if (types.stream().anyMatch(PgType::isArray)) {
            return name.startsWith("regexp") ? PATTERN : ARRAY;
        }
        if (types.stream().anyMatch(type -> type.name().endsWith("RANGE"))) {
            return RANGE;
        }
        if (types.stream().anyMatch(TIMES::contains)) {
            return TIME;
        }
        if (types.contains(PgType.NUMERIC)) {
            return NUMERIC;
        }
        if (NUMBERS.containsAll(types)) {
            return TRANSCENDENTAL_NAMES.contains(name) ? TRANSCENDENTAL : ARITHMETIC;
        }
        if (types.stream().allMatch(type -> NUMBERS.contains(type) || TEXTS.contains(type))) {
            return isPattern(row, name) ? PATTERN : TEXT;
        }
        return OTHER;
    }

    private static boolean isPattern(FunctionRow row, String name) {
        return name.contains("like")
                || name.contains("regex")
                || name.contains("similar")
                || name.equals("substring") && row.arguments().getLast() == PgType.TEXT;
    }
}
