package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.parse.Lexeme.Kind;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Splits a SQL text into lexemes by PostgreSQL's rules: nested comments, `E''`, `U&''`, `$tag$`, strings
/// continued over a line break, operators of several characters, `$1`.
///
/// - Errors: 42601 with PostgreSQL's message and position; nothing is returned then.
/// - Source: PostgreSQL's `scan.l`, with `standard_conforming_strings = on`.
final class Lexer {
    private static final String OPERATOR_CHARACTERS = "+-*/<>=~!@#%^&|`?";
    private static final String OPERATOR_MAY_END_IN_SIGN = "~!@#%^&|`?";
    private static final int MAX_IDENTIFIER_BYTES = 63;

    private final String text;
    private final List<Lexeme> lexemes = new ArrayList<>();
    private int at;

    private Lexer(String text) {
        this.text = text;
    }

    /// All lexemes of `text`, the last one of kind END.
    static List<Lexeme> scan(String text) {
        Lexer lexer = new Lexer(text);
        lexer.scanAll();
        return lexer.lexemes;
    }

    private void scanAll() {
        while (skipBlanksAndComments()) {
            scanOne();
        }
        lexemes.add(new Lexeme(Kind.END, "", text.length(), text.length()));
    }

    private void scanOne() {
        int start = at;
        char first = text.charAt(at);
        switch (first) {
            case '\'' -> {
                at++;
                add(Kind.STRING, continued(start, quoted(start, '\'', "unterminated quoted string")), start);
            }
            case '"' -> {
                at++;
                addIdentifier(quoted(start, '"', "unterminated quoted identifier"), start);
            }
            case '$' -> scanDollar(start);
            case '(', ')', '[', ']', ',', ';' -> addSymbol(Kind.PUNCTUATION, 1);
            case ':' -> addSymbol(Kind.PUNCTUATION, follows("::") || follows(":=") ? 2 : 1);
            case '.' -> {
                if (isDigit(peek(1))) {
                    scanNumber(start);
                } else {
                    addSymbol(Kind.PUNCTUATION, follows("..") ? 2 : 1);
                }
            }
            default -> {
                if (isDigit(first)) {
                    scanNumber(start);
                } else if (isIdentifierStart(first)) {
                    scanWord(start, first);
                } else if (OPERATOR_CHARACTERS.indexOf(first) >= 0) {
                    scanOperator(start);
                } else {
                    at++;
                    throw error("syntax error", start);
                }
            }
        }
    }

    private void scanWord(int start, char first) {
        char next = peek(1);
        if (next == '\'') {
            switch (first) {
                case 'e', 'E' -> {
                    at += 2;
                    add(Kind.STRING, continued(start, escaped(start)), start);
                    return;
                }
                case 'n', 'N' -> {
                    at += 2;
                    add(Kind.STRING, continued(start, quoted(start, '\'', "unterminated quoted string")), start);
                    return;
                }
                case 'b', 'B', 'x', 'X' -> {
                    at += 2;
                    String what = first == 'b' || first == 'B' ? "bit" : "hexadecimal";
                    add(Kind.BIT_STRING, quoted(start, '\'', "unterminated " + what + " string literal"), start);
                    return;
                }
                default -> {}
            }
        }
        if ((first == 'u' || first == 'U') && next == '&' && (peek(2) == '\'' || peek(2) == '"')) {
            char quote = peek(2);
            at += 3;
            String raw = quoted(
                    start, quote, quote == '"' ? "unterminated quoted identifier" : "unterminated quoted string");
            if (quote == '"') {
                addIdentifier(unicode(raw, unicodeEscape(), start), start);
            } else {
                String value = continued(start, raw);
                add(Kind.STRING, unicode(value, unicodeEscape(), start), start);
            }
            return;
        }
        while (at < text.length() && isIdentifierPart(text.charAt(at))) {
            at++;
        }
        add(Kind.WORD, clip(foldAscii(text.substring(start, at))), start);
    }

    /// The escape character of a `U&` literal: a backslash, or what UESCAPE says.
    private char unicodeEscape() {
        int after = at;
        if (skipBlanksAndComments() && text.regionMatches(true, at, "uescape", 0, 7) && !isIdentifierPart(peek(7))) {
            at += 7;
            if (skipBlanksAndComments()
                    && text.charAt(at) == '\''
                    && peek(2) == '\''
                    && "+'\" \t\n\r\f".indexOf(peek(1)) < 0
                    && Character.digit(peek(1), 16) < 0) {
                char escape = peek(1);
                at += 3;
                return escape;
            }
            throw error("invalid Unicode escape character", at);
        }
        at = after;
        return '\\';
    }

    private String unicode(String raw, char escape, int start) {
        StringBuilder out = new StringBuilder(raw.length());
        for (int index = 0; index < raw.length(); index++) {
            char each = raw.charAt(index);
            if (each != escape) {
                out.append(each);
                continue;
            }
            if (index + 1 < raw.length() && raw.charAt(index + 1) == escape) {
                out.append(escape);
                index++;
                continue;
            }
            boolean long6 = index + 1 < raw.length() && raw.charAt(index + 1) == '+';
            int digits = long6 ? 6 : 4;
            int from = index + (long6 ? 2 : 1);
            out.appendCodePoint(hex(raw, from, digits, start, "invalid Unicode escape"));
            index = from + digits - 1;
        }
        return out.toString();
    }

    private int hex(String raw, int from, int digits, int start, String message) {
        int value = 0;
        for (int index = from; index < from + digits; index++) {
            int digit = index < raw.length() ? Character.digit(raw.charAt(index), 16) : -1;
            if (digit < 0) {
                throw error(message, start);
            }
            value = value * 16 + digit;
        }
        if (value == 0 || !Character.isValidCodePoint(value)) {
            throw error("invalid Unicode escape value", start);
        }
        return value;
    }

    private void scanDollar(int start) {
        if (isDigit(peek(1))) {
            at++;
            while (isDigit(peek(0))) {
                at++;
            }
            if (isIdentifierStart(peek(0))) {
                throw junk("trailing junk after parameter", start);
            }
            add(Kind.PARAMETER, text.substring(start + 1, at), start);
            return;
        }
        int end = start + 1;
        while (end < text.length() && text.charAt(end) != '$' && isIdentifierPart(text.charAt(end))) {
            end++;
        }
        if (end >= text.length() || text.charAt(end) != '$') {
            at++;
            throw error("syntax error", start);
        }
        String tag = text.substring(start, end + 1);
        int close = text.indexOf(tag, end + 1);
        if (close < 0) {
            at = text.length();
            throw error("unterminated dollar-quoted string", start);
        }
        at = close + tag.length();
        add(Kind.STRING, text.substring(end + 1, close), start);
    }

    private void scanNumber(int start) {
        boolean decimal = false;
        skipDigits();
        if (peek(0) == '.' && peek(1) != '.') {
            decimal = true;
            at++;
            skipDigits();
        }
        char exponent = peek(0);
        if (exponent == 'e' || exponent == 'E') {
            int sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
            if (isDigit(peek(1 + sign))) {
                decimal = true;
                at += 1 + sign;
                skipDigits();
            }
        }
        if (isIdentifierStart(peek(0))) {
            throw junk("trailing junk after numeric literal", start);
        }
        add(decimal ? Kind.DECIMAL : Kind.INTEGER, text.substring(start, at), start);
    }

    private void skipDigits() {
        while (isDigit(peek(0))) {
            at++;
        }
    }

    private QueryException junk(String message, int start) {
        while (at < text.length() && isIdentifierPart(text.charAt(at))) {
            at++;
        }
        return error(message, start);
    }

    private void scanOperator(int start) {
        int end = start;
        while (end < text.length() && OPERATOR_CHARACTERS.indexOf(text.charAt(end)) >= 0) {
            if (end > start && (text.startsWith("--", end) || text.startsWith("/*", end))) {
                break;
            }
            end++;
        }
        // "a=-1" is two operators: a name of several characters ends in a sign only if it has an odder one too.
        while (end - start > 1
                && (text.charAt(end - 1) == '+' || text.charAt(end - 1) == '-')
                && text.substring(start, end).chars().noneMatch(each -> OPERATOR_MAY_END_IN_SIGN.indexOf(each) >= 0)) {
            end--;
        }
        at = end;
        String operator = text.substring(start, end);
        if (operator.equals("=>")) {
            add(Kind.PUNCTUATION, operator, start);
        } else {
            add(Kind.OPERATOR, operator.equals("!=") ? "<>" : operator, start);
        }
    }

    /// Reads to the closing quote; `at` is behind the opening one. A doubled quote is one of them.
    private String quoted(int start, char quote, String unterminated) {
        StringBuilder value = new StringBuilder();
        while (at < text.length()) {
            char each = text.charAt(at++);
            if (each == quote) {
                if (peek(0) != quote) {
                    return value.toString();
                }
                at++;
            }
            value.append(each);
        }
        throw error(unterminated, start);
    }

    /// Reads an `E''` string; octal and hexadecimal escapes are bytes, so the whole must be UTF-8.
    private String escaped(int start) {
        ByteArrayOutputStream value = new ByteArrayOutputStream();
        while (at < text.length()) {
            int each = text.codePointAt(at);
            at += Character.charCount(each);
            if (each == '\'') {
                if (peek(0) != '\'') {
                    return utf8(value.toByteArray(), start);
                }
                at++;
                value.write('\'');
            } else if (each == '\\' && at < text.length()) {
                escape(value, start);
            } else {
                value.writeBytes(Character.toString(each).getBytes(StandardCharsets.UTF_8));
            }
        }
        throw error("unterminated quoted string", start);
    }

    private void escape(ByteArrayOutputStream value, int start) {
        int each = text.codePointAt(at);
        at += Character.charCount(each);
        switch (each) {
            case 'b' -> value.write('\b');
            case 'f' -> value.write('\f');
            case 'n' -> value.write('\n');
            case 'r' -> value.write('\r');
            case 't' -> value.write('\t');
            case 'u', 'U' -> {
                int digits = each == 'u' ? 4 : 8;
                int codePoint = hex(text, at, digits, start, "invalid Unicode escape");
                at += digits;
                if (Character.isSurrogate((char) codePoint) && codePoint <= Character.MAX_VALUE) {
                    codePoint = surrogatePair(codePoint, start);
                }
                value.writeBytes(Character.toString(codePoint).getBytes(StandardCharsets.UTF_8));
            }
            case 'x' -> {
                int digits = 0;
                int number = 0;
                while (digits < 2 && Character.digit(peek(0), 16) >= 0) {
                    number = number * 16 + Character.digit(text.charAt(at++), 16);
                    digits++;
                }
                value.write(digits == 0 ? 'x' : number);
            }
            case '0', '1', '2', '3', '4', '5', '6', '7' -> {
                int number = each - '0';
                for (int digits = 1; digits < 3 && peek(0) >= '0' && peek(0) <= '7'; digits++) {
                    number = number * 8 + text.charAt(at++) - '0';
                }
                value.write(number);
            }
            default -> value.writeBytes(Character.toString(each).getBytes(StandardCharsets.UTF_8));
        }
    }

    private int surrogatePair(int high, int start) {
        if (text.startsWith("\\u", at)) {
            int low = hex(text, at + 2, 4, start, "invalid Unicode escape");
            if (Character.isSurrogatePair((char) high, (char) low)) {
                at += 6;
                return Character.toCodePoint((char) high, (char) low);
            }
        }
        throw error("invalid Unicode surrogate pair", start);
    }

    private String utf8(byte[] bytes, int start) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new QueryException(
                            SqlState.CHARACTER_NOT_IN_REPERTOIRE, "invalid byte sequence for encoding \"UTF8\"", e)
                    .withPosition(Positions.of(text, start));
        }
    }

    /// A string goes on in the next one if only blanks with a line break are between.
    private String continued(int start, String value) {
        StringBuilder whole = null;
        while (true) {
            int after = at;
            if (!skipBlanksAndComments()
                    || text.charAt(at) != '\''
                    || text.substring(after, at).chars().noneMatch(each -> each == '\n' || each == '\r')) {
                at = after;
                return whole == null ? value : whole.toString();
            }
            at++;
            if (whole == null) {
                whole = new StringBuilder(value);
            }
            whole.append(quoted(start, '\'', "unterminated quoted string"));
        }
    }

    private boolean skipBlanksAndComments() {
        while (at < text.length()) {
            char each = text.charAt(at);
            if (each == ' ' || each == '\t' || each == '\n' || each == '\r' || each == '\f' || each == 0x0B) {
                at++;
            } else if (follows("--")) {
                while (at < text.length() && text.charAt(at) != '\n' && text.charAt(at) != '\r') {
                    at++;
                }
            } else if (follows("/*")) {
                skipComment();
            } else {
                return true;
            }
        }
        return false;
    }

    private void skipComment() {
        int start = at;
        int depth = 0;
        do {
            if (follows("/*")) {
                depth++;
                at += 2;
            } else if (follows("*/")) {
                depth--;
                at += 2;
            } else if (at >= text.length()) {
                throw error("unterminated /* comment", start);
            } else {
                at++;
            }
        } while (depth > 0);
    }

    private void addIdentifier(String name, int start) {
        if (name.isEmpty()) {
            throw error("zero-length delimited identifier", start);
        }
        add(Kind.QUOTED, clip(name), start);
    }

    private void add(Kind kind, String value, int start) {
        lexemes.add(new Lexeme(kind, value, start, at));
    }

    private void addSymbol(Kind kind, int length) {
        at += length;
        lexemes.add(new Lexeme(kind, text.substring(at - length, at), at - length, at));
    }

    private QueryException error(String message, int start) {
        return new QueryException(
                        SqlState.SYNTAX_ERROR,
                        message + " at or near \"" + text.substring(start, Math.min(at, text.length())) + "\"")
                .withPosition(Positions.of(text, start));
    }

    private boolean follows(String symbol) {
        return text.startsWith(symbol, at);
    }

    private char peek(int distance) {
        return at + distance < text.length() ? text.charAt(at + distance) : 0;
    }

    private static boolean isDigit(char each) {
        return each >= '0' && each <= '9';
    }

    private static boolean isIdentifierStart(char each) {
        return each >= 'a' && each <= 'z' || each >= 'A' && each <= 'Z' || each == '_' || each >= 0x80;
    }

    private static boolean isIdentifierPart(char each) {
        return isIdentifierStart(each) || isDigit(each) || each == '$';
    }

    private static String foldAscii(String word) {
        StringBuilder folded = new StringBuilder(word);
        for (int index = 0; index < word.length(); index++) {
            char each = word.charAt(index);
            if (each >= 'A' && each <= 'Z') {
                folded.setCharAt(index, (char) (each + ('a' - 'A')));
            }
        }
        return folded.toString();
    }

    /// PostgreSQL cuts names to 63 bytes.
    private static String clip(String name) {
        if (name.length() * 3 <= MAX_IDENTIFIER_BYTES) {
            return name;
        }
        int bytes = 0;
        for (int index = 0; index < name.length(); ) {
            int codePoint = name.codePointAt(index);
            bytes += codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
            if (bytes > MAX_IDENTIFIER_BYTES) {
                return name.substring(0, index);
            }
            index += Character.charCount(codePoint);
        }
        return name;
    }
}
