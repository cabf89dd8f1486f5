package dev.quarrel.core.cpu.text;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.quarrel.core.cpu.tile.Utf8;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// A compiled regular expression, which matches in linear time whatever the pattern: RE2 after translation by
/// [RegexTranslation].
///
/// The one place that imports re2j.
///
/// - Errors: 2201B for a malformed pattern, and for one whose program would be too large ([RegexSize]); 0A000 for
///   what RE2 cannot do (back references, look-around).
public final class RegexMatcher {
    /// Instructions of a match that are run without a look whether the query is still wanted.
    private static final int SHORT_WORK = 1 << 20;

    private final Pattern pattern;

    private RegexMatcher(Pattern pattern) {
        this.pattern = pattern;
    }

    static RegexMatcher of(byte[] pattern, boolean ignoreCase) {
        return of(pattern, ignoreCase ? RegexOptions.IGNORE_CASE : RegexOptions.NONE);
    }

    /// A matcher that tells whether there is a match, whatever its length.
    public static RegexMatcher of(byte[] pattern, RegexOptions options) {
        return of(pattern, options, false);
    }

    /// A matcher whose matches are as long as they can be, for functions to which their length matters.
    ///
    /// - Errors: besides, 0A000 for quantifiers that match as little as they can.
    public static RegexMatcher ofLongest(byte[] pattern, RegexOptions options) {
        return of(pattern, options, true);
    }

    private static RegexMatcher of(byte[] pattern, RegexOptions options, boolean isLongest) {
        String text = new String(pattern, StandardCharsets.UTF_8);
        RegexTranslation translation = RegexTranslation.of(text, options);
        if (isLongest && translation.isLazy()) {
            throw unsupported("non-greedy quantifiers, where the length of a match counts,");
        }
        int flags = (isLongest ? Pattern.LONGEST_MATCH : 0)
                | (translation.dotMatchesNewline() ? Pattern.DOTALL : 0)
                | (translation.anchorsMatchLines() ? Pattern.MULTILINE : 0);
        try {
            return new RegexMatcher(Pattern.compile(translation.pattern(), flags));
        } catch (PatternSyntaxException problem) {
            throw invalid(reason(problem.getDescription()), problem);
        } catch (StackOverflowError _) {
            throw RegexSize.tooComplex();
        }
    }

    /// Whether a part of the text matches.
    ///
    /// - Errors: the query's reason to stop; 2201B where more parts can be empty at one place than the stack holds.
    public boolean find(byte[] bytes, int start, int length) {
        int size = pattern.programSize();
        try {
            return (long) length * size < SHORT_WORK
                    ? pattern.matcher(Arrays.copyOfRange(bytes, start, start + length))
                            .find()
                    : pattern.matcher(new WatchedText(bytes, start, length, size))
                            .find();
        } catch (StackOverflowError _) {
            throw RegexSize.tooComplex();
        }
    }

    /// The parts of a text that match, from a character on.
    ///
    /// - Errors: as `find`, from here and from the walk.
    public RegexMatches matches(byte[] bytes, int start, int length, int firstCharacter) {
        int end = start + length;
        int first = Utf8.skip(bytes, start, end, firstCharacter);
        if (first == end && Utf8.count(bytes, start, end) < firstCharacter) {
            return RegexMatches.none(bytes, start);
        }
        int size = pattern.programSize();
        if ((long) length * size < SHORT_WORK) {
            byte[] text = Arrays.copyOfRange(bytes, start, end);
            return new RegexMatches(pattern.matcher(text), null, bytes, start, length, first - start);
        }
        WatchedText text = new WatchedText(bytes, start, length, size);
        return new RegexMatches(pattern.matcher(text), text, bytes, start, text.length(), text.offset(first - start));
    }

    private static String reason(String description) {
        return switch (description) {
            case "missing closing )", "unexpected )" -> "parentheses () not balanced";
            case "missing closing ]" -> "brackets [] not balanced";
            case "missing argument to repetition operator", "invalid nested repetition operator" ->
                "quantifier operand invalid";
            case "invalid repeat count" -> "invalid repetition count(s)";
            case "invalid character class range" -> "invalid character range";
            case "trailing backslash at end of expression", "invalid escape sequence" -> "invalid escape \\ sequence";
            default -> description;
        };
    }

    static QueryException invalid(String reason, Throwable cause) {
        return new QueryException(SqlState.INVALID_REGULAR_EXPRESSION, "invalid regular expression: " + reason, cause);
    }

    static QueryException unsupported(String what) {
        return new QueryException(
                SqlState.FEATURE_NOT_SUPPORTED, "regular expressions with " + what + " are not supported");
    }
}
