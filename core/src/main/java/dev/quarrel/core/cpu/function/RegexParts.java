package dev.quarrel.core.cpu.function;

import dev.quarrel.core.regex.Regex;
import dev.quarrel.core.regex.RegexOptions;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// The matches of a regular expression in a text as arrays of their groups, and what lies between them.
///
/// - Source: PostgreSQL's `regexp.c` (build_regexp_match_result, build_regexp_split_result).
final class RegexParts {
    private RegexParts() {}

    /// What a flags argument says.
    ///
    /// - Errors: 22023.
    ///
    /// @param function the SQL name of one that has no option `g`; null for any other
    static RegexOptions options(String flags, String function) {
        RegexOptions options = RegexOptions.parse(flags);
        if (function != null && options.isGlobal()) {
            QueryException error = new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE, function + "() does not support the \"global\" option");
            throw function.equals("regexp_match") ? error.withHint("Use the regexp_matches function instead.") : error;
        }
        return options;
    }

    /// Appends the groups of the last match, or all of it if there are none.
    static void append(Regex regex, byte[] bytes, TextArray array) {
        for (int group = Math.min(regex.groupCount(), 1); group <= regex.groupCount(); group++) {
            int start = regex.start(group);
            if (start < 0) {
                array.appendNull();
            } else {
                array.append(bytes, start, regex.end(group) - start);
            }
        }
    }

    @FunctionalInterface
    interface Piece {
        void take(int from, int to);
    }

    /// Gives the pieces of a text from `start` to `end` between the matches. Those without characters count only within
    /// the text, and not right behind another match.
    static void split(Regex regex, int start, int end, Piece pieces) {
        int from = start;
        int last = start;
        while (regex.next(false)) {
            if (regex.start(0) < end && regex.end(0) > last) {
                pieces.take(from, regex.start(0));
                from = regex.end(0);
            }
            last = regex.end(0);
        }
        pieces.take(from, end);
    }

    /// `(text, pattern [, flags])`: an array for each match that is asked for.
    static List<String> matches(Object[] arguments) {
        byte[] text = bytes(arguments[0]);
        RegexOptions options = options(arguments, null);
        Regex regex = opened(text, arguments[1], options);
        TextArray array = new TextArray();
        List<String> matches = new ArrayList<>();
        while (regex.next(true)) {
            append(regex, text, array);
            matches.add(array.finish());
            if (!options.isGlobal()) {
                break;
            }
        }
        return matches;
    }

    /// `(text, pattern [, flags])`
    static List<String> pieces(Object[] arguments) {
        byte[] text = bytes(arguments[0]);
        Regex regex = opened(text, arguments[1], options(arguments, "regexp_split_to_table"));
        List<String> pieces = new ArrayList<>();
        split(
                regex,
                0,
                text.length,
                (from, to) -> pieces.add(new String(text, from, to - from, StandardCharsets.UTF_8)));
        return pieces;
    }

    private static RegexOptions options(Object[] arguments, String function) {
        return arguments.length > 2 ? options((String) arguments[2], function) : RegexOptions.NONE;
    }

    private static Regex opened(byte[] text, Object pattern, RegexOptions options) {
        Regex regex = Regex.of(bytes(pattern), options);
        regex.open(text, 0, text.length);
        return regex;
    }

    private static byte[] bytes(Object text) {
        return ((String) text).getBytes(StandardCharsets.UTF_8);
    }
}
