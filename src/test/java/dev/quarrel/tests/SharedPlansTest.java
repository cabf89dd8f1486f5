package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Random statements, each once more and again with other literals, so that they share plans where they may:
/// PostgreSQL's rows, those of a plan that is the statement's own, and those of the shared one must agree.
///
/// `-Dquarrel.seed=N` repeats a run, `-Dcount=N` makes a longer one.
class SharedPlansTest {
    private static final Pattern LITERAL =
            Pattern.compile("'((?:[^']|'')*)'|(?<![\\w.$\"])(\\d+)(\\.\\d+)?(?![\\w.\"])");
    // Other numbers of columns are no other literals, and where fewer are sorted by LIMIT may take any rows.
    private static final Pattern ORDINALS = Pattern.compile(" ORDER BY \\d+[A-Z0-9, ]*?(?= LIMIT |$)");
    private static final int LIKES = 4;

    @Test
    void sharedPlansAnswerAsOwnOnesDo() throws SQLException {
        compare(Integer.getInteger("count", 120), Long.getLong("quarrel.seed", 20_261_126));
    }

    @Test
    @Tag("nightly")
    void sharedPlansAnswerAsOwnOnesDoForLong() throws SQLException {
        compare(Integer.getInteger("count", 6_000), Long.getLong("quarrel.seed", System.nanoTime()));
    }

    private static void compare(int count, long seed) throws SQLException {
        System.out.println("SharedPlansTest -Dquarrel.seed=" + seed);
        Random random = new Random(seed);
        RandomQuery queries = new RandomQuery(new Random(seed));
        List<String> disagreements = new ArrayList<>();
        int answered = 0;
        QuarrelServer server = QuarrelServer.shared(Configuration.ALL.getFirst());
        try (Connection oracle = PostgresOracle.shared().connect();
                Connection own = connect(server, "force_custom_plan");
                Connection later = connect(server, "auto");
                Connection atOnce = connect(server, "force_generic_plan")) {
            for (int index = 0; index < count && disagreements.size() < 10; index++) {
                String written = queries.next();
                for (int like = 0; like <= LIKES; like++) {
                    String sql = like == 0 ? written : exchanged(written, random);
                    if (!(SqlAnswer.of(oracle, sql) instanceof SqlAnswer.Rows right)) {
                        continue;
                    }
                    // In this order: once a text has a plan of its own, the cache finds that one.
                    SqlAnswer shared = SqlAnswer.of(atOnce, sql);
                    SqlAnswer found = SqlAnswer.of(later, sql);
                    if (SqlAnswer.of(own, sql) instanceof SqlAnswer.Rows ours) {
                        answered++;
                        require(right, ours, sql, "own", disagreements);
                        require(right, found, sql, "auto", disagreements);
                        require(right, shared, sql, "shared", disagreements);
                    }
                }
            }
        }
        System.out.println("SharedPlansTest: " + answered + " compared");
        assertThat(disagreements).as("seed " + seed).isEmpty();
    }

    private static Connection connect(QuarrelServer server, String mode) throws SQLException {
        Connection connection = server.connect();
        try (Statement statement = connection.createStatement()) {
            statement.execute("set plan_cache_mode = " + mode);
        }
        return connection;
    }

    private static void require(
            SqlAnswer.Rows right, SqlAnswer answer, String sql, String plan, List<String> disagreements) {
        if (!(answer instanceof SqlAnswer.Rows rows) || !rows.lines(true).equals(right.lines(true))) {
            disagreements.add(plan + ": " + sql + "\n    " + answer + "\n    PostgreSQL: " + right);
        }
    }

    /// The statement with other values for some of its literals, of the same length mostly.
    private static String exchanged(String sql, Random random) {
        Matcher literal = LITERAL.matcher(sql);
        Matcher ordinals = ORDINALS.matcher(sql);
        int sorted = ordinals.find() ? ordinals.start() : sql.length();
        int limited = sorted < sql.length() ? ordinals.end() : sql.length();
        StringBuilder changed = new StringBuilder();
        while (literal.find()) {
            boolean isOrdinal = literal.start() >= sorted && literal.start() < limited;
            String other = isOrdinal || random.nextInt(3) == 0 ? literal.group() : other(literal, random);
            literal.appendReplacement(changed, Matcher.quoteReplacement(other));
        }
        return literal.appendTail(changed).toString();
    }

    private static String other(Matcher literal, Random random) {
        if (literal.group(1) == null) {
            return digits(literal.group(), random);
        }
        String text = literal.group(1);
        if (text.matches("[-0-9:. ]+")) {
            return "'" + digits(text, random) + "'";
        }
        if (text.isEmpty() || text.contains("'")) {
            return literal.group();
        }
        int at = random.nextInt(text.length());
        char old = text.charAt(at);
        char other = Character.isLetter(old) ? (char) (old + (random.nextBoolean() ? 1 : -1)) : old;
        return "'" + text.substring(0, at) + (Character.isLetter(other) ? other : old) + text.substring(at + 1) + "'";
    }

    private static String digits(String text, Random random) {
        StringBuilder changed = new StringBuilder(text);
        for (int at = 0; at < text.length(); at++) {
            if (Character.isDigit(text.charAt(at)) && random.nextInt(2) == 0) {
                int digit = random.nextInt(at == 0 ? 1 : 0, 10);
                changed.setCharAt(at, (char) ('0' + digit));
            }
        }
        return changed.toString();
    }
}
