package dev.quarrel.tests;

import java.sql.SQLException;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Random regular expressions on PostgreSQL and on Quarrel: matches, their groups, and errors must agree.
///
/// `-Dquarrel.seed=N` repeats a run, `-Dcount=N` makes a longer one.
class RandomRegexTest {
    private static final String[] ATOMS = {
        "a",
        "b",
        "c",
        "a",
        "b",
        ".",
        "[ab]",
        "[^a]",
        "\\w",
        "\\y",
        "^",
        "$",
        "\\m",
        "\\M",
        "ä",
        "\\s",
        "[[:alpha:]]",
        "\\Y"
    };
    private static final String[] QUANTIFIERS = {
        "", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,2}?", "{2,}?", "{1,1}?", "{0}"
    };
    private static final String[] LOOKS = {"(?=", "(?!", "(?<=", "(?<!"};
    private static final String[] FLAGS = {"", "", "i", "n", "p", "w", "x", "q", "b", "e"};
    private static final String TEXT = "aabbcAB \nä";

    @Test
    void matchesAreThoseOfPostgresql() throws SQLException {
        compare(Integer.getInteger("count", 300), Long.getLong("quarrel.seed", 20_261_123));
    }

    @Test
    @Tag("nightly")
    void matchesAreThoseOfPostgresqlForLong() throws SQLException {
        compare(Integer.getInteger("count", 20_000), Long.getLong("quarrel.seed", System.nanoTime()));
    }

    private static void compare(int count, long seed) throws SQLException {
        RandomStatements.compare(
                RandomRegexTest.class, count, seed, RandomRegexTest::statement, SqlAnswer::isSameByMessage);
    }

    private static String statement(Random random) {
        String pattern = quoted(expression(random, 3));
        String flags = quoted(pick(random, FLAGS));
        String texts = IntStream.range(0, 6)
                .mapToObj(_ -> "(" + quoted(text(random)) + ")")
                .collect(Collectors.joining(", "));
        return "SELECT regexp_match(t, " + pattern + ", " + flags + "), regexp_replace(t, " + pattern
                + ", '<\\1|\\2|\\&>', " + quoted(flags.replace("'", "") + "g") + "), t ~ " + pattern
                + ", regexp_split_to_array(t, " + pattern + ", " + flags + "), regexp_count(t, " + pattern
                + ", 2), regexp_substr(t, " + pattern + ", 1, 2, " + flags + ", 1), substring(t, " + pattern
                + ") FROM (VALUES " + texts + ") v (t)";
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    private static String pick(Random random, String[] from) {
        return from[random.nextInt(from.length)];
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(9);
        for (int index = 0; index < length; index++) {
            text.append(TEXT.charAt(random.nextInt(TEXT.length())));
        }
        return text.toString();
    }

    private static String expression(Random random, int depth) {
        StringBuilder expression = new StringBuilder();
        int branches = random.nextInt(4) == 0 ? 2 : 1;
        for (int branch = 0; branch < branches; branch++) {
            expression.append(branch > 0 ? "|" : "");
            int parts = 1 + random.nextInt(3);
            for (int part = 0; part < parts; part++) {
                expression.append(atom(random, depth)).append(pick(random, QUANTIFIERS));
            }
        }
        return expression.toString();
    }

    private static String atom(Random random, int depth) {
        int kind = random.nextInt(10);
        if (depth == 0 || kind < 5) {
            return pick(random, ATOMS);
        }
        return switch (kind) {
            case 5, 6, 7 -> "(" + expression(random, depth - 1) + ")";
            case 8 ->
                random.nextInt(3) == 0
                        ? pick(random, LOOKS) + expression(random, depth - 1) + ")"
                        : "(?:" + expression(random, depth - 1) + ")";
            default -> "\\" + (1 + random.nextInt(2));
        };
    }
}
