package dev.quarrel.core.cpu.text;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.collate.Utf8;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Arrays;

/// A compiled LIKE pattern over UTF-8 bytes: `_` is one character, `%` any run of them.
///
/// Patterns whose literals stand between `%`s alone are found by searching; others run through the tokens, going
/// back to the last `%` on a mismatch.
///
/// - Errors: 22025 from [#of] for an escape of several characters; from [#matches] when the text leads to an escape
///   that
///   ends the pattern, and only then, as in PostgreSQL.
/// - Source: PostgreSQL's `like_match.c`.
public final class LikeMatcher {
    public static final int ANY_CHARACTER = -1;
    public static final int ANY_RUN = -2;
    /// An escape that ends the pattern.
    public static final int LONE_ESCAPE = -3;

    private static final int WORK_BETWEEN_CHECKS = 1 << 20;

    /// Bytes as 0 to 255, or one of the above.
    private final int[] tokens;
    private final boolean ignoreCase;
    private final boolean isBytes; // each a character of its own
    /// The literals between runs, when there is nothing else; null otherwise.
    private final byte[][] segments;

    private LikeMatcher(int[] tokens, boolean ignoreCase, boolean isBytes, byte[][] segments) {
        this.tokens = tokens;
        this.ignoreCase = ignoreCase;
        this.isBytes = isBytes;
        this.segments = segments;
    }

    /// The pattern made ready, for a device that runs it itself.
    ///
    /// @param escape empty for none
    public static LikeMatcher of(String pattern, String escape, boolean ignoreCase) {
        return of(TextReader.of(pattern), TextReader.of(escape), ignoreCase);
    }

    static LikeMatcher of(TextReader pattern, TextReader escape, boolean ignoreCase) {
        return of(pattern, escape, ignoreCase, false);
    }

    /// A pattern over bytes that are no text; `_` is one byte.
    static LikeMatcher ofBytes(TextReader pattern, TextReader escape) {
        return of(pattern, escape, false, true);
    }

    private static int width(byte lead, boolean isBytes) {
        return isBytes ? 1 : Utf8.width(lead);
    }

    private static LikeMatcher of(TextReader pattern, TextReader escape, boolean ignoreCase, boolean isBytes) {
        if (escape.length > 0 && width(escape.bytes[escape.start], isBytes) != escape.length) {
            throw new QueryException(SqlState.INVALID_ESCAPE_SEQUENCE, "invalid escape string")
                    .withHint("Escape string must be empty or one character.");
        }
        int[] tokens = new int[pattern.length];
        int count = 0;
        boolean literalsAndRuns = true;
        int index = pattern.start;
        int end = pattern.end();
        while (index < end) {
            boolean escaped = escape.length > 0
                    && index + escape.length <= end
                    && Utf8.regionMatches(pattern.bytes, index, escape.bytes, escape.start, escape.length);
            if (escaped) {
                index += escape.length;
                if (index == end) {
                    tokens[count++] = LONE_ESCAPE;
                    literalsAndRuns = false;
                    break;
                }
            }
            byte lead = pattern.bytes[index];
            if (!escaped && (lead == '%' || lead == '_')) {
                tokens[count++] = lead == '%' ? ANY_RUN : ANY_CHARACTER;
                literalsAndRuns &= lead == '%';
                index++;
                continue;
            }
            for (int width = width(lead, isBytes); width > 0 && index < end; width--) {
                byte literal = ignoreCase ? Utf8.lower(pattern.bytes[index]) : pattern.bytes[index];
                tokens[count++] = literal & 0xFF;
                index++;
            }
        }
        int[] exact = Arrays.copyOf(tokens, count);
        return new LikeMatcher(exact, ignoreCase, isBytes, literalsAndRuns && !ignoreCase ? segments(exact) : null);
    }

    /// The literals before, between and after the runs: one more than there are runs.
    private static byte[][] segments(int[] tokens) {
        int runs = 0;
        for (int token : tokens) {
            runs += token == ANY_RUN ? 1 : 0;
        }
        byte[][] segments = new byte[runs + 1][];
        int start = 0;
        int segment = 0;
        for (int index = 0; index <= tokens.length; index++) {
            if (index == tokens.length || tokens[index] == ANY_RUN) {
                byte[] literal = new byte[index - start];
                for (int offset = 0; offset < literal.length; offset++) {
                    literal[offset] = (byte) tokens[start + offset];
                }
                segments[segment++] = literal;
                start = index + 1;
            }
        }
        return segments;
    }

    /// Bytes as 0 to 255, small letters where case is ignored, or one of the constants.
    public int[] tokens() {
        return tokens.clone();
    }

    /// The literals before, between and after runs, where there is nothing else and case counts; otherwise null.
    public byte[][] segments() {
        return segments == null ? null : segments.clone();
    }

    /// Whether a text matches, whole.
    public boolean matches(byte[] text, int start, int length) {
        return segments != null
                ? matchesSegments(text, start, start + length)
                : matchesTokens(text, start, start + length);
    }

    private boolean matchesSegments(byte[] text, int start, int end) {
        byte[] first = segments[0];
        byte[] last = segments[segments.length - 1];
        if (segments.length == 1) {
            return end - start == first.length && Utf8.regionMatches(text, start, first, 0, first.length);
        }
        if (end - start < first.length + last.length
                || !Utf8.regionMatches(text, start, first, 0, first.length)
                || !Utf8.regionMatches(text, end - last.length, last, 0, last.length)) {
            return false;
        }
        int from = start + first.length;
        int until = end - last.length;
        for (int segment = 1; segment < segments.length - 1; segment++) {
            byte[] literal = segments[segment];
            int found = Utf8.indexOf(text, from, until, literal, 0, literal.length);
            if (found < 0) {
                return false;
            }
            from = found + literal.length;
        }
        return true;
    }

    private boolean matchesTokens(byte[] text, int start, int end) {
        int index = start;
        int token = 0;
        int retryToken = -1;
        int retryIndex = 0;
        long work = 0;
        while (index < end) {
            int wanted = token < tokens.length ? tokens[token] : Integer.MIN_VALUE;
            if (wanted == ANY_RUN) {
                while (token < tokens.length && (tokens[token] == ANY_RUN || tokens[token] == ANY_CHARACTER)) {
                    if (tokens[token] == ANY_CHARACTER) {
                        if (index >= end) {
                            return false;
                        }
                        index += width(text[index], isBytes);
                    }
                    token++;
                }
                if (token == tokens.length) {
                    return true;
                }
                if (tokens[token] == LONE_ESCAPE) {
                    throw loneEscape();
                }
                retryToken = token;
                retryIndex = index;
            } else if (wanted == LONE_ESCAPE) {
                throw loneEscape();
            } else if (wanted == ANY_CHARACTER) {
                index += width(text[index], isBytes);
                token++;
            } else if (wanted == ((ignoreCase ? Utf8.lower(text[index]) : text[index]) & 0xFF)) {
                index++;
                token++;
            } else if (retryToken >= 0) {
                work += token - retryToken + 1L;
                if (work > WORK_BETWEEN_CHECKS) {
                    work = 0;
                    Cancellation.checkCurrent();
                }
                retryIndex += width(text[retryIndex], isBytes);
                index = retryIndex;
                token = retryToken;
            } else {
                return false;
            }
        }
        while (token < tokens.length && tokens[token] == ANY_RUN) {
            token++;
        }
        return token == tokens.length;
    }

    private static QueryException loneEscape() {
        return new QueryException(SqlState.INVALID_ESCAPE_SEQUENCE, "LIKE pattern must not end with escape character");
    }
}
