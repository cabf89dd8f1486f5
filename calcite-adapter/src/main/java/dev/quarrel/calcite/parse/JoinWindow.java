package dev.quarrel.calcite.parse;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/// The window of a WINDOW JOIN: `RANGE BETWEEN 10 seconds PRECEDING AND CURRENT ROW EXCLUDE PREVAILING`.
///
/// @param low null for UNBOUNDED PRECEDING
/// @param high null for UNBOUNDED FOLLOWING
/// @param prevailing whether the last row at or before the window's begin is in it, as it is unless EXCLUDE PREVAILING
/// is written
public record JoinWindow(Edge low, Edge high, boolean prevailing) {
    private static final Set<String> UNITS =
            Set.of("nanosecond", "microsecond", "millisecond", "second", "minute", "hour", "day");

    private static final Set<String> INTERVAL_UNITS =
            Set.of("microsecond", "millisecond", "second", "minute", "hour", "day", "week", "month", "year");
    private static final Pattern DIGITS = Pattern.compile("\\d{1,9}");

    /// An end of the window.
    ///
    /// @param count of the unit; 0 for CURRENT ROW
    /// @param unit in the singular
    /// @param isBefore whether it is before the left row's time
    public record Edge(long count, String unit, boolean isBefore) {}

    /// What the lexer makes one token of.
    ///
    /// @param image words with a blank between each
    /// @param count of lexemes
    record Found(String image, int count) {}

    /// The window whose RANGE stands at a place, or null: elsewhere `range` is a name, or part of a window function.
    static Found find(List<Lexeme> lexemes, int at) {
        if (!is(lexemes, at + 1, "between")) {
            return null;
        }
        int end = edge(lexemes, at + 2);
        if (end < 0 || !is(lexemes, end, "and") || !isBehindWindowJoin(lexemes, at)) {
            return null;
        }
        end = edge(lexemes, end + 1);
        if (end < 0) {
            return null;
        }
        if ((is(lexemes, end, "include") || is(lexemes, end, "exclude")) && is(lexemes, end + 1, "prevailing")) {
            end += 2;
        }
        List<String> words = new ArrayList<>();
        for (Lexeme each : lexemes.subList(at + 2, end)) {
            words.add(each.text());
        }
        return new Found(String.join(" ", words), end - at);
    }

    /// Where the edge ends that begins at a place; -1 where there is none.
    private static int edge(List<Lexeme> lexemes, int at) {
        if (is(lexemes, at, "current") && is(lexemes, at + 1, "row")) {
            return at + 2;
        }
        boolean isUnbounded = is(lexemes, at, "unbounded");
        boolean isStep = at + 1 < lexemes.size()
                && lexemes.get(at).kind() == Lexeme.Kind.INTEGER
                && lexemes.get(at + 1).kind() == Lexeme.Kind.WORD
                && UNITS.contains(singular(lexemes.get(at + 1).text()));
        int end = isUnbounded ? at + 1 : isStep ? at + 2 : -1;
        return end > 0 && (is(lexemes, end, "preceding") || is(lexemes, end, "following")) ? end + 1 : -1;
    }

    /// Whether a number of units stands here as the distance of a window function's frame: `10 seconds PRECEDING`,
    /// `'10' SECOND PRECEDING`. PostgreSQL, which wants an interval there, has a syntax error.
    static boolean isStep(List<Lexeme> lexemes, int at) {
        Lexeme count = lexemes.get(at);
        return (count.kind() == Lexeme.Kind.INTEGER || count.kind() == Lexeme.Kind.STRING)
                && (is(lexemes, at + 2, "preceding") || is(lexemes, at + 2, "following"))
                && lexemes.get(at + 1).kind() == Lexeme.Kind.WORD
                && INTERVAL_UNITS.contains(singular(lexemes.get(at + 1).text()))
                && at > 0
                && (is(lexemes, at - 1, "range") || is(lexemes, at - 1, "between") || is(lexemes, at - 1, "and"))
                && DIGITS.matcher(count.text()).matches();
    }

    private static boolean isBehindWindowJoin(List<Lexeme> lexemes, int at) {
        int depth = 0;
        for (int before = at - 1; before > 0 && depth >= 0; before--) {
            if (lexemes.get(before).isSymbol(")")) {
                depth++;
            } else if (lexemes.get(before).isSymbol("(")) {
                depth--;
            } else if (depth == 0 && is(lexemes, before, "join")) {
                return is(lexemes, before - 1, "window");
            }
        }
        return false;
    }

    private static boolean is(List<Lexeme> lexemes, int at, String word) {
        return at < lexemes.size() && lexemes.get(at).isWord(word);
    }

    private static String singular(String unit) {
        return unit.endsWith("s") ? unit.substring(0, unit.length() - 1) : unit;
    }

    /// What [#find] has found.
    public static JoinWindow read(String image) {
        String[] words = image.split(" ");
        int[] at = {0};
        Edge low = edge(words, at);
        boolean isLowOpen = low == null && words[1].equals("preceding");
        at[0]++; // AND
        int second = at[0];
        Edge high = edge(words, at);
        boolean isHighOpen = high == null && words[second + 1].equals("following");
        boolean prevailing = at[0] == words.length || words[at[0]].equals("include");
        if (low == null && !isLowOpen || high == null && !isHighOpen) {
            return new JoinWindow(null, null, prevailing).turned();
        }
        return new JoinWindow(low, high, prevailing);
    }

    /// No window: it begins behind all rows, or ends before them.
    private JoinWindow turned() {
        return new JoinWindow(new Edge(1, "day", false), new Edge(1, "day", true), prevailing);
    }

    private static Edge edge(String[] words, int[] at) {
        String first = words[at[0]];
        if (first.equals("current")) {
            at[0] += 2;
            return new Edge(0, "second", true);
        }
        if (first.equals("unbounded")) {
            at[0] += 2;
            return null;
        }
        Edge edge =
                new Edge(SeriesWords.count(first), singular(words[at[0] + 1]), words[at[0] + 2].equals("preceding"));
        at[0] += 3;
        return edge;
    }
}
