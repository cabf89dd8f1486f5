package dev.quarrel.core.json.path;

import dev.quarrel.core.regex.Regex;
import dev.quarrel.core.regex.RegexOptions;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.charset.StandardCharsets;

/// What `like_regex` compares with: a regular expression, and XQuery's flags for it.
///
/// - Source: PostgreSQL's `jsonpath_gram.y` (makeItemLikeRegex, jspConvertRegexFlags).
///
/// @param flags those that are set, in the order in which they are shown
public record LikePattern(String pattern, String flags) {
    private static final String FLAGS = "ismxq";

    /// - Errors: 42601 for an unknown flag, 0A000 for the flag `x`, 2201B for a malformed pattern.
    static LikePattern of(String pattern, String written) {
        for (int index = 0; index < written.length(); index++) {
            if (FLAGS.indexOf(written.charAt(index)) < 0) {
                throw new QueryException(SqlState.SYNTAX_ERROR, "invalid input syntax for type jsonpath")
                        .withDetail("Unrecognized flag character \"" + Character.toString(written.codePointAt(index))
                                + "\" in LIKE_REGEX predicate.");
            }
        }
        StringBuilder flags = new StringBuilder();
        FLAGS.chars().filter(flag -> written.indexOf(flag) >= 0).forEach(flag -> flags.append((char) flag));
        LikePattern like = new LikePattern(pattern, flags.toString());
        if (like.has('x') && !like.has('q')) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "XQuery \"x\" flag (expanded regular expressions) is not implemented");
        }
        like.compile();
        return like;
    }

    private boolean has(char flag) {
        return flags.indexOf(flag) >= 0;
    }

    /// One for a thread of its own.
    public Regex compile() {
        RegexOptions options =
                has('q') ? RegexOptions.quoted(has('i')) : RegexOptions.xquery(has('i'), has('s'), has('m'));
        return Regex.of(pattern.getBytes(StandardCharsets.UTF_8), options);
    }
}
