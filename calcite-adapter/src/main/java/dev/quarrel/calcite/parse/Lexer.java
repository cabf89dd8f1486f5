package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.parse.Lexeme.Kind;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
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
    private static final String UNTERMINATED = "unterminated quoted string";

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
                add(Kind.STRING, string(start, UNTERMINATED), start);
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
                    add(Kind.STRING, escaped(start), start);
                    return;
                }
                case 'n', 'N' -> {
                    at += 2;
                    add(Kind.STRING, string(start, UNTERMINATED), start);
                    return;
                }
                case 'b', 'B', 'x', 'X' -> {
                    at += 2;
                    String what = first == 'b' || first == 'B' ? "bit" : "hexadecimal";
                    // As the type's input function takes it: with the base in front.
                    add(Kind.BIT_STRING, first + string(start, "unterminated " + what + " string literal"), start);
                    return;
                }
                default -> {}
            }
        }
        if ((first == 'u' || first == 'U') && next == '&' && (peek(2) == '\'' || peek(2) == '"')) {
            char quote = peek(2);
            at += 3;
            if (quote == '"') {
                String raw = quoted(start, quote, "unterminated quoted identifier");
                addIdentifier(unicode(raw, unicodeEscape(), start), start);
            } else {
                String raw = string(start, UNTERMINATED);
                add(Kind.STRING, unicode(raw, unicodeEscape(), start), start);
            }
            return;
        }
        while (at < text.length() && isIdentifierPart(text.charAt(at))) {
            at++;
        }
        add(Kind.WORD, PgParse.name(foldAscii(text.substring(start, at))), start);
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

    /// Undoes the escapes of a `U&` literal whose quote is the third character behind `start`.
    private String unicode(String raw, char escape, int start) {
        StringBuilder out = new StringBuilder(raw.length());
        int high = 0; // of a surrogate pair whose other half must come next
        int index = 0;
        while (index < raw.length()) {
            int at = start + 3 + index;
            boolean isDoubled = raw.startsWith("" + escape + escape, index);
            if (raw.charAt(index) != escape || isDoubled) {
                if (high != 0) {
                    throw escapeError(SqlState.SYNTAX_ERROR, "invalid Unicode surrogate pair", at);
                }
                out.append(raw.charAt(index));
                index += isDoubled ? 2 : 1;
                continue;
            }
            boolean isLong = raw.startsWith("+", index + 1);
            int from = index + (isLong ? 2 : 1);
            int end = from + (isLong ? 6 : 4);
            int value = hex(raw, from, end);
            if (value < 0) {
                throw escapeError(SqlState.SYNTAX_ERROR, "invalid Unicode escape", at)
                        .withHint("Unicode escapes must be \\XXXX or \\+XXXXXX.");
            }
            if (value == 0 || !Character.isValidCodePoint(value)) {
                throw escapeError(SqlState.SYNTAX_ERROR, "invalid Unicode escape value", at);
            }
            boolean isLow = isSurrogate(value) && Character.isLowSurrogate((char) value);
            if (isLow != (high != 0)) {
                throw escapeError(SqlState.SYNTAX_ERROR, "invalid Unicode surrogate pair", at);
            }
            if (isSurrogate(value) && !isLow) {
                high = value;
            } else {
                out.appendCodePoint(isLow ? Character.toCodePoint((char) high, (char) value) : value);
                high = 0;
            }
            index = end;
        }
        if (high != 0) {
            throw escapeError(SqlState.SYNTAX_ERROR, "invalid Unicode surrogate pair", start + 3 + index);
        }
        return out.toString();
    }

    private static boolean isSurrogate(int codePoint) {
        return codePoint <= Character.MAX_VALUE && Character.isSurrogate((char) codePoint);
    }

    private QueryException escapeError(SqlState state, String message, int place) {
        return new QueryException(state, message).withPosition(Positions.of(text, place));
    }

    /// Negative if one of them is no hexadecimal digit.
    private static int hex(String raw, int from, int end) {
        int value = 0;
        for (int index = from; index < end; index++) {
            int digit = index < raw.length() ? Character.digit(raw.charAt(index), 16) : -1;
            if (digit < 0) {
                return -1;
            }
            value = value * 16 + digit;
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
        int radix = peek(0) == '0' ? radix(peek(1)) : 10;
        if (radix != 10) {
            scanOtherRadix(start, radix);
            return;
        }
        boolean decimal = false;
        skipDigits(10);
        if (peek(0) == '.' && peek(1) != '.') {
            decimal = true;
            at++;
            if (isDigit(peek(0))) {
                skipDigits(10);
            }
        }
        char exponent = peek(0);
        if (exponent == 'e' || exponent == 'E') {
            int sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
            if (isDigit(peek(1 + sign))) {
                decimal = true;
                at += 1 + sign;
                skipDigits(10);
            }
        }
        if (isIdentifierStart(peek(0))) {
            if (!decimal && scanUnit(start)) {
                return;
            }
            throw junk("trailing junk after numeric literal", start);
        }
        add(decimal ? Kind.DECIMAL : Kind.INTEGER, text.substring(start, at).replace("_", ""), start);
    }

    /// `1h` behind SAMPLE BY: a number and a word, whose case counts.
    private boolean scanUnit(int start) {
        int end = at;
        while (end < text.length() && isIdentifierPart(text.charAt(end))) {
            end++;
        }
        String unit = text.substring(at, end);
        if (!SeriesWords.takesUnit(lexemes) || !SeriesWords.isUnit(unit)) {
            return false;
        }
        add(Kind.INTEGER, text.substring(start, at), start);
        int from = at;
        at = end;
        add(Kind.WORD, unit, from);
        return true;
    }

    private static int radix(char letter) {
        return switch (letter) {
            case 'x', 'X' -> 16;
            case 'o', 'O' -> 8;
            case 'b', 'B' -> 2;
            default -> 10;
        };
    }

    /// An integer behind `0x`, `0o` or `0b`; its lexeme has the decimal digits.
    private void scanOtherRadix(int start, int radix) {
        at += 2;
        int digits = at;
        skipDigits(radix);
        if (at == digits) {
            at += peek(0) == '_' ? 1 : 0;
            if (!isIdentifierPart(peek(0))) {
                String name = radix == 16 ? "hexadecimal" : radix == 8 ? "octal" : "binary";
                throw error("invalid " + name + " integer", start);
            }
        }
        if (isIdentifierPart(peek(0)) || at == digits) {
            throw junk("trailing junk after numeric literal", start);
        }
        BigInteger value = new BigInteger(text.substring(digits, at).replace("_", ""), radix);
        add(Kind.INTEGER, value.toString(), start);
    }

    /// Underscores may stand between digits, and before the first one that is not decimal.
    private void skipDigits(int radix) {
        while (isDigit(peek(0), radix)
                || peek(0) == '_' && isDigit(peek(1), radix) && (radix != 10 || isDigit(text.charAt(at - 1)))) {
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
                if (peek(0) == '\'') {
                    at++;
                    value.write('\'');
                } else if (!goesOn()) {
                    return utf8(value.toByteArray(), start);
                }
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
            case 'v' -> value.write(0x0B);
            case 'u', 'U' -> {
                int escape = at - 2;
                int codePoint = escapedCodePoint(each == 'u' ? 4 : 8);
                if (isSurrogate(codePoint)) {
                    codePoint = surrogatePair(codePoint, escape);
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

    /// Of four digits behind `E'\\u`, or eight behind `\\U`; `at` is behind the letter.
    private int escapedCodePoint(int digits) {
        int escape = at - 2;
        int end = at + digits;
        if (end > text.length() || !text.substring(at, end).chars().allMatch(each -> Character.digit(each, 16) >= 0)) {
            throw escapeError(SqlState.INVALID_ESCAPE_SEQUENCE, "invalid Unicode escape", escape)
                    .withHint("Unicode escapes must be \\uXXXX or \\UXXXXXXXX.");
        }
        long value = Long.parseLong(text.substring(at, end), 16);
        at = end;
        if (value == 0 || value > Character.MAX_CODE_POINT) {
            throw error("invalid Unicode escape value", escape);
        }
        return (int) value;
    }

    private int surrogatePair(int high, int highEscape) {
        if (Character.isLowSurrogate((char) high)) {
            throw error("invalid Unicode surrogate pair", highEscape);
        }
        int escape = at;
        if (follows("\\u") || follows("\\U")) {
            at += 2;
            int low = escapedCodePoint(text.charAt(at - 1) == 'u' ? 4 : 8);
            if (isSurrogate(low) && Character.isLowSurrogate((char) low)) {
                return Character.toCodePoint((char) high, (char) low);
            }
        } else {
            at = Math.min(at + 1, text.length());
        }
        throw error("invalid Unicode surrogate pair", escape);
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

    /// Whether the string goes on behind a line break, in another of the same kind; `at` is behind its quote then. Of
    /// comments, only those to the end of a line may be between.
    private boolean goesOn() {
        int after = at;
        boolean isNewLine = false;
        while (at < text.length()) {
            char each = text.charAt(at);
            if (isBlank(each)) {
                isNewLine |= each == '\n' || each == '\r';
                at++;
            } else if (follows("--")) {
                skipLine();
            } else {
                break;
            }
        }
        if (isNewLine && peek(0) == '\'') {
            at++;
            return true;
        }
        at = after;
        return false;
    }

    /// A plain string, with those that continue it; `at` is behind its first quote.
    private String string(int start, String unterminated) {
        StringBuilder value = new StringBuilder(quoted(start, '\'', unterminated));
        while (goesOn()) {
            value.append(quoted(start, '\'', unterminated));
        }
        return value.toString();
    }

    private static boolean isBlank(char each) {
        return each == ' ' || each == '\t' || each == '\n' || each == '\r' || each == '\f' || each == 0x0B;
    }

    private void skipLine() {
        while (at < text.length() && text.charAt(at) != '\n' && text.charAt(at) != '\r') {
            at++;
        }
    }

    private boolean skipBlanksAndComments() {
        while (at < text.length()) {
            char each = text.charAt(at);
            if (isBlank(each)) {
                at++;
            } else if (follows("--")) {
                skipLine();
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
        add(Kind.QUOTED, PgParse.name(name), start);
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

    private static boolean isDigit(char each, int radix) {
        return each < 0x80 && Character.digit(each, radix) >= 0;
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
}
