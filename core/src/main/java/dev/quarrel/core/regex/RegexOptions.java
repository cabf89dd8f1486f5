package dev.quarrel.core.regex;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// The options of a regular expression, which a flags argument sets and the expression's own beginning may change.
///
/// @param isExtended whether it is an ERE or an ARE; otherwise it is a BRE
/// @param isAdvanced whether it is an ARE
/// @param isLiteral whether it is a text to be found as it stands
/// @param isExpanded whether blanks and comments in it count for nothing
/// @param newlineEndsDot whether `.` and negated brackets leave out newlines
/// @param newlineSplitsAnchors whether `^` and `$` see lines
/// @param isGlobal whether a function is asked for every match
/// @param characters what their classes and cases are
public record RegexOptions(
        boolean ignoreCase,
        boolean isExtended,
        boolean isAdvanced,
        boolean isLiteral,
        boolean isExpanded,
        boolean newlineEndsDot,
        boolean newlineSplitsAnchors,
        boolean isGlobal,
        Characters characters) {
    public static final RegexOptions NONE =
            new RegexOptions(false, true, true, false, false, false, false, false, Characters.ASCII);

    public static final RegexOptions IGNORE_CASE =
            new RegexOptions(true, true, true, false, false, false, false, false, Characters.ASCII);

    /// What a flags argument says.
    ///
    /// - Errors: 22023 for a flag that PostgreSQL does not have.
    /// - Source: PostgreSQL's `regexp.c` (parse_re_flags).
    public static RegexOptions parse(String flags) {
        RegexOptions options = NONE;
        for (int index = 0; index < flags.length(); ) {
            int flag = flags.codePointAt(index);
            index += Character.charCount(flag);
            options = switch (flag) {
                case 'g' -> options.global();
                // PostgreSQL takes 'e' for 'b': it clears what makes an expression extended right after it has set it.
                case 'b', 'e' -> options.kind(false, false, false);
                case 'q' -> options.kind(false, false, true);
                default -> {
                    RegexOptions changed = options.changed(flag);
                    if (changed == null) {
                        throw new QueryException(
                                SqlState.INVALID_PARAMETER_VALUE,
                                "invalid regular expression option: \"" + Character.toString(flag) + "\"");
                    }
                    yield changed;
                }
            };
        }
        return options;
    }

    /// What XQuery's flags `i`, `s` and `m` come to.
    public static RegexOptions xquery(boolean ignores, boolean dotTakesNewlines, boolean splitsAnchors) {
        return NONE.matching(ignores, false, !dotTakesNewlines, splitsAnchors);
    }

    /// Of a text that is to be found as it stands, XQuery's flag `q`.
    public static RegexOptions quoted(boolean ignores) {
        return NONE.kind(false, false, true).matching(ignores, false, false, false);
    }

    /// With a flag that is the same as an argument's and in an expression; null for any other.
    RegexOptions changed(int flag) {
        return switch (flag) {
            case 'i' -> matching(true, isExpanded, newlineEndsDot, newlineSplitsAnchors);
            case 'c' -> matching(false, isExpanded, newlineEndsDot, newlineSplitsAnchors);
            case 'm', 'n' -> matching(ignoreCase, isExpanded, true, true);
            case 'p' -> matching(ignoreCase, isExpanded, true, false);
            case 'w' -> matching(ignoreCase, isExpanded, false, true);
            case 's' -> matching(ignoreCase, isExpanded, false, false);
            case 't' -> matching(ignoreCase, false, newlineEndsDot, newlineSplitsAnchors);
            case 'x' -> matching(ignoreCase, true, newlineEndsDot, newlineSplitsAnchors);
            default -> null;
        };
    }

    private RegexOptions matching(boolean ignores, boolean expanded, boolean endsDot, boolean splitsAnchors) {
        return new RegexOptions(
                ignores, isExtended, isAdvanced, isLiteral, expanded, endsDot, splitsAnchors, isGlobal, characters);
    }

    RegexOptions kind(boolean extended, boolean advanced, boolean literal) {
        return new RegexOptions(
                ignoreCase,
                extended,
                advanced,
                literal,
                isExpanded,
                newlineEndsDot,
                newlineSplitsAnchors,
                isGlobal,
                characters);
    }

    /// Without what has no meaning for a literal text.
    RegexOptions plain() {
        return matching(ignoreCase, false, false, false);
    }

    RegexOptions by(Characters newCharacters) {
        return new RegexOptions(
                ignoreCase,
                isExtended,
                isAdvanced,
                isLiteral,
                isExpanded,
                newlineEndsDot,
                newlineSplitsAnchors,
                isGlobal,
                newCharacters);
    }

    private RegexOptions global() {
        return new RegexOptions(
                ignoreCase,
                isExtended,
                isAdvanced,
                isLiteral,
                isExpanded,
                newlineEndsDot,
                newlineSplitsAnchors,
                true,
                characters);
    }
}
