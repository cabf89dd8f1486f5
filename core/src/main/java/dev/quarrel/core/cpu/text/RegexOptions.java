package dev.quarrel.core.cpu.text;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// The options that the flags argument of a regular expression sets; options embedded in the expression are
/// applied after them.
///
/// @param isLiteral whether the pattern is a text to be found as it stands
/// @param newlineEndsDot whether `.` and negated brackets leave out newlines
/// @param newlineSplitsAnchors whether `^` and `$` see lines
public record RegexOptions(
        boolean ignoreCase, boolean isLiteral, boolean newlineEndsDot, boolean newlineSplitsAnchors) {
    public static final RegexOptions NONE = new RegexOptions(false, false, false, false);

    static final RegexOptions IGNORE_CASE = new RegexOptions(true, false, false, false);

    /// - Errors: 22023 for a flag that PostgreSQL does not have, or not for this function; 0A000 for one that is not
    ///   supported.
    /// - Source: PostgreSQL's `regexp.c` (parse_re_flags).
    ///
    /// @param function the SQL name, for messages; null for one that takes `g`
    public static RegexOptions parse(String flags, String function) {
        RegexOptions options = NONE;
        for (int index = 0; index < flags.length(); index++) {
            options = options.with(flags.charAt(index), function);
        }
        return options;
    }

    private RegexOptions with(char flag, String function) {
        return switch (flag) {
            case 'i' -> new RegexOptions(true, isLiteral, newlineEndsDot, newlineSplitsAnchors);
            case 'c' -> new RegexOptions(false, isLiteral, newlineEndsDot, newlineSplitsAnchors);
            case 'm', 'n' -> new RegexOptions(ignoreCase, isLiteral, true, true);
            case 'p' -> new RegexOptions(ignoreCase, isLiteral, true, false);
            case 'w' -> new RegexOptions(ignoreCase, isLiteral, false, true);
            case 's' -> new RegexOptions(ignoreCase, isLiteral, false, false);
            case 'q' -> new RegexOptions(ignoreCase, true, newlineEndsDot, newlineSplitsAnchors);
            case 't' -> this;
            case 'b', 'e', 'x' -> throw RegexMatcher.unsupported("the flag " + flag);
            case 'g' -> {
                if (function == null) {
                    yield this;
                }
                throw new QueryException(
                        SqlState.INVALID_PARAMETER_VALUE, function + "() does not support the \"global\" option");
            }
            default ->
                throw new QueryException(
                        SqlState.INVALID_PARAMETER_VALUE, "invalid regular expression option: \"" + flag + "\"");
        };
    }
}
