package dev.quarrel.tests;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/// Makes statements that search random documents by random SQL/JSON paths.
final class RandomPath {
    private static final String[] STRINGS = {
        "\"\"",
        "\"a\"",
        "\"ab\"",
        "\"Ab\\nc\"",
        "\"1\"",
        "\" 1.50 \"",
        "\"-2e3\"",
        "\"0x1F\"",
        "\"1_0\"",
        "\"NaN\"",
        "\"inf\"",
        "\"true\"",
        "\"of\"",
        "\"x1\"",
        "\"2017-03-10\"",
        "\"2017-02-30\"",
        "\"12:34:56\"",
        "\"12:34:56.789\"",
        "\"12:34:56+05:30\"",
        "\"12:34 -03\"",
        "\"2017-03-10 12:34:56\"",
        "\"2017-03-10T12:34:56.7891\"",
        "\"2017-03-10 12:34:56+03\"",
        "\"2017-07-10T23:34:56.5 -05:20\"",
        "\"10-03-2017\"",
        "\"10-03-2017 12:34\"",
        "\"2017-03-10 25:00:00\"",
        "\"294277-01-01\"",
        "\"12:34:56 PST\"",
        "\"2017-03-10 12:34:56 EST\"",
        "\"ééééé\""
    };
    private static final String[] NUMBERS = {
        "0",
        "1",
        "-1",
        "2",
        "1.5",
        "-2.50",
        "1e3",
        "0.001",
        "123456789012345678901234567890",
        "2147483648",
        "1E-3",
        "3.0"
    };
    private static final String[] METHODS = {
        "type()",
        "size()",
        "abs()",
        "floor()",
        "ceiling()",
        "double()",
        "bigint()",
        "integer()",
        "number()",
        "decimal()",
        "decimal(5,2)",
        "decimal(3,-1)",
        "decimal(0)",
        "boolean()",
        "string()",
        "keyvalue()",
        "keyvalue().id",
        "datetime()",
        "datetime(\"dd-mm-yyyy\")",
        "datetime(\"HH24:MI TZH\")",
        "datetime(\"yyyy-mm-dd HH24:MI:SS\")",
        "datetime(\"HH24:MI:SS.FF3\")",
        "datetime(\"yyyy@mm\")",
        "datetime(\"dd-mm-yyyy HH24:MI\")",
        "date()",
        "time()",
        "time(2)",
        "time_tz()",
        "time_tz(0)",
        "timestamp()",
        "timestamp(1)",
        "timestamp_tz()",
        "timestamp_tz(3)"
    };
    private static final String[] STEPS = {
        ".a",
        ".b",
        ".\"a\"",
        ".*",
        ".**",
        ".**{1}",
        ".**{0 to 1}",
        ".**{last}",
        "[*]",
        "[0]",
        "[1]",
        "[last]",
        "[0 to last]",
        "[last - 1 to 5]",
        "[0, 1]",
        "[-1]",
        "[$.b]",
        "[\"x\"]"
    };
    private static final String[] COMPARISONS = {"==", "!=", "<", "<=", ">", ">=", "<>"};
    private static final String[] PATTERNS = {"a", "^a.c$", "A", "[0-9]+", ".b", "(", "\\\\d", "b$", "a.*c", ""};
    private static final String[] FLAGS = {
        "",
        "",
        " flag \"i\"",
        " flag \"s\"",
        " flag \"im\"",
        " flag \"q\"",
        " flag \"xq\"",
        " flag \"x\"",
        " flag \"a\""
    };
    private static final String[] ZONES = {"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"};
    private static final String[] FUNCTIONS = {"exists", "match", "query", "query_array", "query_first"};
    private static final String VARIABLES =
            "{\"x\": 1, \"s\": \"a\", \"d\": \"2017-03-10\", \"o\": {\"a\": {\"b\": 1}, \"k\": [2.50, {\"c\": null}]}}";

    private final Random random;

    RandomPath(Random random) {
        this.random = random;
    }

    String zone() {
        return pick(ZONES);
    }

    String statement() {
        String path = (random.nextInt(4) == 0 ? "strict " : "")
                + (random.nextInt(4) == 0 ? predicate(3, false) : value(3, false));
        if (random.nextInt(6) == 0) {
            return "SELECT " + quoted(random.nextInt(3) == 0 ? path : mutilated(path)) + "::jsonpath";
        }
        String silent = random.nextInt(3) == 0 ? "true" : "false";
        return "SELECT jsonb_path_" + pick(FUNCTIONS) + (random.nextBoolean() ? "_tz" : "") + "(" + quoted(document(3))
                + ", " + quoted(path) + ", " + quoted(VARIABLES) + ", " + silent + ")";
    }

    private String mutilated(String path) {
        int at = random.nextInt(path.length());
        int end = Math.min(path.length(), at + random.nextInt(3));
        String[] pieces = {
            "", "", " ", "(", ".", "\"", "\\u00e9", "\\x4", "1a", "/*", "@", "last", "is", "!", "1.e", " && "
        };
        return path.substring(0, at) + pick(pieces) + path.substring(end);
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    private String pick(String[] from) {
        return from[random.nextInt(from.length)];
    }

    private String document(int depth) {
        return switch (random.nextInt(depth == 0 ? 4 : 9)) {
            case 0, 1 -> pick(STRINGS);
            case 2 -> pick(NUMBERS);
            case 3 -> pick(new String[] {"null", "true", "false"});
            case 4, 5, 6 ->
                "{" + list(() -> pick(new String[] {"\"a\"", "\"b\"", "\"cc\""}) + ": " + document(depth - 1)) + "}";
            default -> "[" + list(() -> document(depth - 1)) + "]";
        };
    }

    private String list(Supplier<String> item) {
        List<String> items = new ArrayList<>();
        int count = random.nextInt(4);
        for (int index = 0; index < count; index++) {
            items.add(item.get());
        }
        return String.join(", ", items);
    }

    private String value(int depth, boolean inFilter) {
        int kind = random.nextInt(12);
        if (depth > 0 && kind == 0) {
            return value(depth - 1, inFilter) + " " + pick(new String[] {"+", "-", "*", "/", "%"}) + " "
                    + value(depth - 1, inFilter);
        }
        if (depth > 0 && kind == 1) {
            return pick(new String[] {"-", "+"}) + value(depth - 1, inFilter);
        }
        if (depth > 0 && kind == 2) {
            return "(" + (random.nextBoolean() ? value(depth - 1, inFilter) : predicate(depth - 1, inFilter)) + ")"
                    + steps(depth, true);
        }
        if (kind == 3) {
            return pick(new String[] {"$x", "$s", "$d", "$o", "$\"o\"", "$none"}) + steps(depth, inFilter);
        }
        if (kind == 4) {
            return random.nextBoolean() ? pick(STRINGS) + steps(depth, inFilter) : pick(NUMBERS);
        }
        return (inFilter && kind < 9 ? "@" : "$") + steps(depth, inFilter);
    }

    private String steps(int depth, boolean isShort) {
        StringBuilder steps = new StringBuilder();
        int count = random.nextInt(isShort ? 3 : 4);
        for (int step = 0; step < count; step++) {
            switch (random.nextInt(5)) {
                case 0, 1 -> steps.append(pick(STEPS));
                case 2 -> steps.append(depth == 0 ? "" : " ? (" + predicate(depth - 1, true) + ")");
                default -> steps.append('.').append(pick(METHODS));
            }
        }
        return steps.toString();
    }

    private String predicate(int depth, boolean inFilter) {
        int kind = random.nextInt(10);
        if (depth > 0) {
            switch (kind) {
                case 0 -> {
                    return predicate(depth - 1, inFilter)
                            + (random.nextBoolean() ? " && " : " || ")
                            + predicate(depth - 1, inFilter);
                }
                case 1 -> {
                    return "!(" + predicate(depth - 1, inFilter) + ")";
                }
                case 2 -> {
                    return "(" + predicate(depth - 1, inFilter) + ") is unknown";
                }
                default -> {}
            }
        }
        return switch (kind) {
            case 3 -> "exists(" + value(Math.max(depth - 1, 0), inFilter) + ")";
            case 4 -> value(0, inFilter) + " starts with " + (random.nextBoolean() ? "\"a\"" : "$s");
            case 5 -> value(0, inFilter) + " like_regex \"" + pick(PATTERNS) + "\"" + pick(FLAGS);
            default -> value(Math.max(depth - 1, 0), inFilter) + " " + pick(COMPARISONS) + " " + value(0, inFilter);
        };
    }
}
