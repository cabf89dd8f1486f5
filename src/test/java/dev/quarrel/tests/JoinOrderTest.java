package dev.quarrel.tests;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Random joins of up to seven small relations on PostgreSQL and on Quarrel: inner and left ones, nested at will, with
/// EXISTS, IN and their negations between them, and conditions that do and do not reject NULLs. Whatever order is
/// chosen, the rows must agree.
class JoinOrderTest {
    private static final List<String> COLUMNS = List.of("k", "m", "n");

    @Test
    void everyOrderHasTheSameRows() throws SQLException {
        compare(Integer.getInteger("count", 150), Long.getLong("quarrel.seed", 1_800));
    }

    @Test
    @Tag("nightly")
    void everyOrderHasTheSameRowsForLong() throws SQLException {
        compare(Integer.getInteger("count", 10_000), Long.getLong("quarrel.seed", System.nanoTime()));
    }

    private static void compare(int count, long seed) throws SQLException {
        RandomStatements.compare(
                JoinOrderTest.class,
                count,
                seed,
                random -> new Statement(random).text(),
                (right, ours) -> right.equals(ours) || isRefused(ours));
    }

    private static boolean isRefused(SqlAnswer answer) {
        return answer instanceof SqlAnswer.Failure(String state, String _, int _) && state.equals("0A000");
    }

    private static final class Statement {
        private final Random random;
        private int names;

        Statement(Random random) {
            this.random = random;
        }

        String text() {
            List<String> aliases = new ArrayList<>();
            String from = tree(2 + random.nextInt(4), aliases);
            List<String> conditions = new ArrayList<>();
            for (int index = random.nextInt(4); index > 0; index--) {
                conditions.add(condition(aliases));
            }
            String sums = aliases.stream()
                    .map(alias -> "sum(" + alias + ".k), count(" + alias + ".n)")
                    .collect(Collectors.joining(", "));
            return "SELECT count(*), " + sums + " FROM " + from
                    + (conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions));
        }

        private String tree(int relations, List<String> aliases) {
            if (relations == 1) {
                String alias = "r" + names++;
                aliases.add(alias);
                return relation() + " " + alias;
            }
            int left = 1 + random.nextInt(relations - 1);
            List<String> lefts = new ArrayList<>();
            List<String> rights = new ArrayList<>();
            String one = tree(left, lefts);
            String other = tree(relations - left, rights);
            String kind = random.nextInt(5) < 2 ? " LEFT JOIN " : random.nextInt(12) == 0 ? " FULL JOIN " : " JOIN ";
            List<String> on = new ArrayList<>();
            on.add(column(lefts) + " = " + column(rights));
            if (!kind.equals(" FULL JOIN ") && random.nextInt(3) == 0) {
                on.add(
                        switch (random.nextInt(4)) {
                            case 0 -> column(lefts) + " <> " + column(rights);
                            case 1 -> single(rights);
                            case 2 -> single(lefts);
                            default -> column(lefts) + " = " + column(rights);
                        });
            }
            aliases.addAll(lefts);
            aliases.addAll(rights);
            return "(" + one + kind + other + " ON " + String.join(" AND ", on) + ")";
        }

        private String relation() {
            String table = random.nextBoolean() ? "types" : "spans";
            return "(SELECT id AS k, id % " + (3 + random.nextInt(6)) + " AS m, nullif(id % 5, 3) AS n FROM " + table
                    + " WHERE id " + (random.nextInt(6) == 0 ? ">= 4090" : "< " + (2 + random.nextInt(14))) + ")";
        }

        private String column(List<String> aliases) {
            return aliases.get(random.nextInt(aliases.size())) + "." + COLUMNS.get(random.nextInt(COLUMNS.size()));
        }

        private String single(List<String> aliases) {
            String column = column(aliases);
            return switch (random.nextInt(5)) {
                case 0 -> column + " IS NULL";
                case 1 -> column + " > 1";
                case 2 -> "coalesce(" + column + ", 9) > 3";
                case 3 -> column + " IS DISTINCT FROM 2";
                default -> "(" + column + " = 1 OR " + column(aliases) + " IS NULL)";
            };
        }

        private String condition(List<String> aliases) {
            return switch (random.nextInt(9)) {
                case 0, 1 -> single(aliases);
                case 2 -> column(aliases) + " = " + column(aliases);
                case 3 -> column(aliases) + " IN (SELECT z.n FROM " + relation() + " z)";
                case 4 ->
                    "(" + column(aliases) + " IN (SELECT z.n FROM " + relation() + " z) OR " + single(aliases) + ")";
                case 5 ->
                    "NOT EXISTS (SELECT FROM " + relation() + " z WHERE z.m = " + column(aliases) + " AND z.k <> "
                            + column(aliases) + ")";
                case 6 -> "(" + column(aliases) + " < " + column(aliases) + " OR " + single(aliases) + ")";
                default ->
                    "EXISTS (SELECT FROM " + relation() + " z WHERE z.k = " + column(aliases) + " AND z.m = "
                            + column(aliases) + ")";
            };
        }
    }
}
