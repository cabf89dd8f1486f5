package dev.quarrel.core.json;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.charset.StandardCharsets;

/// Checks that bytes are a JSON text, and finds where its values begin and end. A reader that is public goes from
/// value to value: [#begin] tells what one is, which [#value] or [#scalar] passes.
///
/// - Errors: `QueryException` 22P02 where they are none, 54001 for too many levels.
/// - Source: PostgreSQL's `jsonapi.c`.
public final class JsonScanner {
    /// Levels of nesting; PostgreSQL's bound is its stack's.
    static final int MAX_DEPTH = 5000;

    private final byte[] bytes;
    private final boolean decodes;
    private final boolean takesNonFinite;
    private int first;
    private int end;
    private int at;
    private boolean isEscaped;
    private boolean hasNonFinite;
    private int keyEnd;

    /// @param decodes whether Unicode escapes have to be characters of a text: jsonb's have to, json's need not before
    /// they are looked at
    JsonScanner(byte[] bytes, int start, int length, boolean decodes) {
        this(bytes, decodes, false);
        reset(start, length);
    }

    private JsonScanner(byte[] bytes, boolean decodes, boolean takesNonFinite) {
        this.bytes = bytes;
        this.decodes = decodes;
        this.takesNonFinite = takesNonFinite;
    }

    /// Of one text after the other, each of which [#reset] names. NaN, Infinity and -Infinity are numbers, as
    /// Python writes them.
    public static JsonScanner ofMany(byte[] bytes) {
        return new JsonScanner(bytes, false, true);
    }

    /// Begins with another text.
    public void reset(int start, int length) {
        first = start;
        at = start;
        end = start + length;
    }

    /// Requires a JSON text.
    ///
    /// - Errors: 22P02 where it is none, 54001 for too many levels.
    public static void check(byte[] bytes, int start, int length) {
        new JsonScanner(bytes, start, length, false).checkAll();
    }

    /// As [#check], and requires that escapes are characters of a text where there are any.
    ///
    /// - Errors: 22P05 for `\u0000`, 22P02 for half of a surrogate pair.
    public static void checkEscapes(byte[] bytes, int start, int length) {
        for (int index = start; index + 1 < start + length; index++) {
            if (bytes[index] == '\\' && bytes[index + 1] == 'u') {
                new JsonScanner(bytes, start, length, true).checkAll();
                return;
            }
        }
    }

    private void checkAll() {
        value(0);
        requireEnd();
    }

    public void requireEnd() {
        skipBlanks();
        if (at < end) {
            throw invalid("Expected the end of the input, but found");
        }
    }

    /// Goes behind the value that comes next.
    ///
    /// @param depth within how many others it is
    public void value(int depth) {
        switch (begin(depth)) {
            case '{' -> {
                at++;
                if (!closes('}')) {
                    do {
                        checkKey();
                        value(depth + 1);
                    } while (continues('}'));
                }
            }
            case '[' -> {
                at++;
                if (!closes(']')) {
                    do {
                        value(depth + 1);
                    } while (continues(']'));
                }
            }
            default -> scalar();
        }
    }

    /// The first byte of the value that comes next.
    public byte begin(int depth) {
        if (depth > MAX_DEPTH) {
            throw new QueryException(SqlState.STATEMENT_TOO_COMPLEX, "stack depth limit exceeded")
                    .withDetail("A JSON value has at most " + MAX_DEPTH + " levels.");
        }
        skipBlanks();
        if (at == end) {
            throw invalid("The input string ended unexpectedly.");
        }
        return bytes[at];
    }

    /// Goes behind the bracket or brace that [#begin] saw.
    public void advance() {
        at++;
    }

    public int at() {
        return at;
    }

    /// Goes behind a member's key and the colon behind it.
    ///
    /// @return where the key begins, at its first quote
    public int checkKey() {
        skipBlanks();
        int start = at;
        if (at == end || bytes[at] != '"') {
            throw invalid("Expected a string, but found");
        }
        string();
        keyEnd = at;
        skipBlanks();
        if (at == end || bytes[at] != ':') {
            throw invalid("Expected \":\", but found");
        }
        at++;
        return start;
    }

    /// Where the last key ended, behind its second quote.
    public int keyEnd() {
        return keyEnd;
    }

    /// Whether the object or array has no content.
    public boolean closes(char closing) {
        skipBlanks();
        if (at < end && bytes[at] == closing) {
            at++;
            return true;
        }
        return false;
    }

    /// Whether another member or element follows.
    public boolean continues(char closing) {
        skipBlanks();
        if (at < end && bytes[at] == ',') {
            at++;
            return true;
        }
        if (at < end && bytes[at] == closing) {
            at++;
            return false;
        }
        throw invalid("Expected \",\" or \"" + closing + "\", but found");
    }

    /// Goes behind a string, number, true, false or null.
    public void scalar() {
        byte opening = bytes[at];
        if (opening == '"') {
            string();
        } else if (opening == '-' || isDigit(opening)) {
            number();
        } else {
            word();
        }
    }

    /// Whether there was an escape in the last string.
    public boolean isEscaped() {
        return isEscaped;
    }

    /// Whether there was a NaN or an infinity since this was asked last.
    public boolean takeNonFinite() {
        boolean had = hasNonFinite;
        hasNonFinite = false;
        return had;
    }

    private void string() {
        int opening = at++;
        isEscaped = false;
        at = JsonStrings.findStop(bytes, at, end);
        while (at < end && bytes[at] != '"') {
            if (bytes[at] != '\\') {
                throw invalid(
                        "Character with value 0x%02x must be escaped.".formatted(bytes[at] & 0xFF), opening, at + 1);
            }
            isEscaped = true;
            escape();
            at = JsonStrings.findStop(bytes, at, end);
        }
        if (at == end) {
            throw invalid("Token is invalid:", opening, end);
        }
        at++;
    }

    private void escape() {
        int start = at;
        at += 2;
        if (start + 1 >= end) {
            throw invalid("Token is invalid:", start, end);
        }
        switch (bytes[start + 1]) {
            case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> {}
            case 'u' -> {
                int unit = unit(start);
                at = start + 6;
                if (decodes) {
                    checkUnit(unit, start);
                }
            }
            default -> throw invalid("Escape sequence is invalid:", start, Math.min(at, end));
        }
    }

    private int unit(int start) {
        if (start + 6 > end) {
            throw invalid("\"\\u\" must be followed by four hexadecimal digits.", start, end);
        }
        int unit = 0;
        for (int index = start + 2; index < start + 6; index++) {
            int digit = Character.digit(bytes[index], 16);
            if (digit < 0) {
                throw invalid("\"\\u\" must be followed by four hexadecimal digits.", start, index + 1);
            }
            unit = unit << 4 | digit;
        }
        return unit;
    }

    private void checkUnit(int unit, int start) {
        if (unit == 0) {
            throw new QueryException(SqlState.UNTRANSLATABLE_CHARACTER, "unsupported Unicode escape sequence")
                    .withDetail("\\u0000 cannot be converted to text.");
        }
        if (Character.isLowSurrogate((char) unit)) {
            throw invalid("Unicode low surrogate must follow a high surrogate.", start, at);
        }
        if (Character.isHighSurrogate((char) unit)) {
            boolean isPair = at + 1 < end && bytes[at] == '\\' && bytes[at + 1] == 'u';
            int low = isPair ? unit(at) : 0;
            if (!Character.isLowSurrogate((char) low)) {
                throw invalid("Unicode low surrogate must follow a high surrogate.", start, at);
            }
            at += 6;
        }
    }

    private void number() {
        int start = at;
        if (bytes[at] == '-') {
            at++;
        }
        if (takesNonFinite && at < end && bytes[at] == 'I') {
            word();
            return;
        }
        boolean isRight = at < end && isDigit(bytes[at]);
        if (isRight && bytes[at] == '0') {
            at++;
        } else {
            digits();
        }
        if (at < end && bytes[at] == '.') {
            at++;
            isRight &= digits() > 0;
        }
        if (at < end && (bytes[at] == 'e' || bytes[at] == 'E')) {
            at++;
            if (at < end && (bytes[at] == '+' || bytes[at] == '-')) {
                at++;
            }
            isRight &= digits() > 0;
        }
        if (!isRight || at < end && isWordPart(bytes[at])) {
            skipWord();
            throw invalid("Token is invalid:", start, at);
        }
    }

    private int digits() {
        int start = at;
        while (at < end && isDigit(bytes[at])) {
            at++;
        }
        return at - start;
    }

    private void word() {
        int start = at;
        skipWord();
        int length = at - start;
        boolean isKnown = length == 4 && (matches(start, "true") || matches(start, "null"))
                || length == 5 && matches(start, "false");
        if (takesNonFinite && (length == 3 && matches(start, "NaN") || length == 8 && matches(start, "Infinity"))) {
            hasNonFinite = true;
            isKnown = true;
        }
        if (!isKnown) {
            throw invalid("Token is invalid:", start, Math.max(at, start + 1));
        }
    }

    private void skipWord() {
        while (at < end && isWordPart(bytes[at])) {
            at++;
        }
    }

    private boolean matches(int start, String word) {
        for (int index = 0; index < word.length(); index++) {
            if (bytes[start + index] != word.charAt(index)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isWordPart(byte each) {
        return each < 0 || each == '_' || isDigit(each) || each >= 'a' && each <= 'z' || each >= 'A' && each <= 'Z';
    }

    private static boolean isDigit(byte each) {
        return each >= '0' && each <= '9';
    }

    private void skipBlanks() {
        at = skipBlanks(bytes, at, end);
    }

    private QueryException invalid(String detail) {
        return at == end && detail.endsWith("found")
                ? invalid("The input string ended unexpectedly.", at, at)
                : invalid(detail, at, Math.min(at + 1, end));
    }

    private QueryException invalid(String detail, int from, int to) {
        String shown = to > from && (detail.endsWith("found") || detail.endsWith(":"))
                ? detail + " \"" + new String(bytes, from, to - from, StandardCharsets.UTF_8) + "\"."
                : detail;
        return new QueryException(SqlState.INVALID_TEXT_REPRESENTATION, "invalid input syntax for type json")
                .withDetail(shown + " This is at byte " + (from - first + 1) + " of the text.");
    }

    // Walking over texts that are known to be JSON.

    static int skipBlanks(byte[] bytes, int from, int end) {
        int at = from;
        while (at < end && (bytes[at] == ' ' || bytes[at] == '\n' || bytes[at] == '\t' || bytes[at] == '\r')) {
            at++;
        }
        return at;
    }

    /// Behind the value that begins at `from`.
    static int skipValue(byte[] bytes, int from, int end) {
        int depth = 0;
        int at = from;
        do {
            switch (bytes[at]) {
                case '"' -> at = skipString(bytes, at);
                case '{', '[' -> {
                    depth++;
                    at++;
                }
                case '}', ']' -> {
                    depth--;
                    at++;
                }
                case ' ', '\n', '\t', '\r', ',', ':' -> at++;
                default -> at = skipPlain(bytes, at, end);
            }
        } while (depth > 0);
        return at;
    }

    private static int skipPlain(byte[] bytes, int from, int end) {
        int at = from;
        while (at < end) {
            switch (bytes[at]) {
                case ',', ':', '}', ']', ' ', '\n', '\t', '\r' -> {
                    return at;
                }
                default -> at++;
            }
        }
        return at;
    }

    /// Behind the string that begins at `from`, with its quotes.
    public static int skipString(byte[] bytes, int from) {
        int at = from + 1;
        while (bytes[at] != '"') {
            at += bytes[at] == '\\' ? 2 : 1;
        }
        return at + 1;
    }
}
