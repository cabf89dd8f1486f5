package dev.quarrel.core.json.path;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/// Cuts the text of a SQL/JSON path into tokens.
///
/// - Source: PostgreSQL's `jsonpath_scan.l`.
final class PathLexer {
    private static final String SPECIAL = "?%$.[]{}()|&!=<>@#,*:-+/";
    private static final String[] OPERATORS = {"&&", "||", "**", "<=", "==", "<>", "!=", ">="};

    enum Type {
        STRING,
        VARIABLE,
        INTEGER,
        NUMBER,
        WORD,
        SYMBOL,
        END
    }

    /// @param text of a string what it says, of anything else what is written
    record Token(Type type, String text, BigDecimal number) {
        boolean is(String symbol) {
            return type == Type.SYMBOL && text.equals(symbol);
        }

        /// Whether it is that key word; null, true and false have to be written in lower case.
        boolean isWord(String word) {
            boolean isLowerOnly = word.equals("null") || word.equals("true") || word.equals("false");
            return type == Type.WORD && (isLowerOnly ? text.equals(word) : text.equalsIgnoreCase(word));
        }
    }

    private final String text;
    private int at;

    private PathLexer(String text) {
        this.text = text;
    }

    static List<Token> tokens(String text) {
        PathLexer lexer = new PathLexer(text);
        List<Token> tokens = new ArrayList<>();
        Token token;
        do {
            token = lexer.token();
            tokens.add(token);
        } while (token.type() != Type.END);
        return tokens;
    }

    private Token token() {
        skipBlanks();
        if (at == text.length()) {
            return new Token(Type.END, "", null);
        }
        char first = text.charAt(at);
        if (first == '"') {
            at++;
            return new Token(Type.STRING, quoted(), null);
        }
        if (first == '$') {
            return dollar();
        }
        if (isDigit(at) || first == '.' && isDigit(at + 1)) {
            return number();
        }
        for (String operator : OPERATORS) {
            if (text.startsWith(operator, at)) {
                at += 2;
                return new Token(Type.SYMBOL, operator.equals("<>") ? "!=" : operator, null);
            }
        }
        if (SPECIAL.indexOf(first) >= 0) {
            at++;
            return new Token(Type.SYMBOL, String.valueOf(first), null);
        }
        return new Token(Type.WORD, word(), null);
    }

    private Token dollar() {
        at++;
        if (at < text.length() && text.charAt(at) == '"') {
            at++;
            return new Token(Type.VARIABLE, quoted(), null);
        }
        int start = at;
        while (isOther(at)) {
            at++;
        }
        return start == at
                ? new Token(Type.SYMBOL, "$", null)
                : new Token(Type.VARIABLE, text.substring(start, at), null);
    }

    private void skipBlanks() {
        while (at < text.length()) {
            if (" \t\n\r\f".indexOf(text.charAt(at)) >= 0) {
                at++;
            } else if (text.startsWith("/*", at)) {
                int end = text.indexOf("*/", at + 2);
                if (end < 0) {
                    throw fault("unexpected end of comment");
                }
                at = end + 2;
            } else {
                return;
            }
        }
    }

    private String word() {
        StringBuilder word = new StringBuilder();
        while (at < text.length()) {
            if (text.charAt(at) == '\\') {
                escape(word);
            } else if (isOther(at)) {
                word.append(text.charAt(at++));
            } else {
                break;
            }
        }
        return word.toString();
    }

    private String quoted() {
        StringBuilder string = new StringBuilder();
        while (at < text.length() && text.charAt(at) != '"') {
            if (text.charAt(at) == '\\') {
                escape(string);
            } else {
                string.append(text.charAt(at++));
            }
        }
        if (at == text.length()) {
            throw fault("unterminated quoted string");
        }
        at++;
        return string.toString();
    }

    private void escape(StringBuilder out) {
        at++;
        if (at == text.length()) {
            throw fault("unexpected end after backslash");
        }
        char escaped = text.charAt(at++);
        switch (escaped) {
            case 'b' -> out.append('\b');
            case 'f' -> out.append('\f');
            case 'n' -> out.append('\n');
            case 'r' -> out.append('\r');
            case 't' -> out.append('\t');
            case 'v' -> out.append('\u000b');
            case 'x' -> out.append((char) hex(2, 2, "invalid hexadecimal character sequence"));
            case 'u' -> unicode(out);
            default -> out.append(escaped);
        }
    }

    private void unicode(StringBuilder out) {
        boolean inBraces = at < text.length() && text.charAt(at) == '{';
        at += inBraces ? 1 : 0;
        int code = hex(inBraces ? 1 : 4, inBraces ? 6 : 4, "invalid Unicode escape sequence");
        if (inBraces && (at == text.length() || text.charAt(at++) != '}')) {
            throw fault("invalid Unicode escape sequence");
        }
        if (code == 0) {
            throw new QueryException(SqlState.UNTRANSLATABLE_CHARACTER, "unsupported Unicode escape sequence")
                    .withDetail("\\u0000 cannot be converted to text.");
        }
        boolean isLow = code <= 0xFFFF && Character.isLowSurrogate((char) code);
        boolean isAfterHigh = !out.isEmpty() && Character.isHighSurrogate(out.charAt(out.length() - 1));
        boolean isHigh = code <= 0xFFFF && Character.isHighSurrogate((char) code);
        if (isLow != isAfterHigh || isHigh && !text.startsWith("\\u", at)) {
            throw new QueryException(SqlState.INVALID_TEXT_REPRESENTATION, "invalid input syntax for type jsonpath")
                    .withDetail(
                            isHigh && isAfterHigh
                                    ? "Unicode high surrogate must not follow a high surrogate."
                                    : "Unicode low surrogate must follow a high surrogate.");
        }
        if (code > Character.MAX_CODE_POINT) {
            throw fault("invalid Unicode escape sequence");
        }
        out.appendCodePoint(code);
    }

    private int hex(int least, int most, String problem) {
        int value = 0;
        int count = 0;
        while (count < most && at < text.length() && Character.digit(text.charAt(at), 16) >= 0) {
            value = value << 4 | Character.digit(text.charAt(at++), 16);
            count++;
        }
        if (count < least) {
            throw fault(problem);
        }
        return value;
    }

    private Token number() {
        int start = at;
        int radix = radix();
        if (radix != 10) {
            at += 2;
            digits(radix);
            String digits = text.substring(start + 2, at).replace("_", "");
            checkEnd(start);
            return new Token(Type.INTEGER, text.substring(start, at), new BigDecimal(new BigInteger(digits, radix)));
        }
        boolean isWhole = true;
        if (text.charAt(at) == '0') {
            at++;
        } else {
            digits(10);
        }
        if (at < text.length() && text.charAt(at) == '.') {
            at++;
            digits(10);
            isWhole = false;
        }
        if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
            exponent();
            isWhole = false;
        }
        checkEnd(start);
        String written = text.substring(start, at);
        BigDecimal number = new BigDecimal(written.replace("_", ""));
        return new Token(
                isWhole ? Type.INTEGER : Type.NUMBER, written, number.scale() < 0 ? number.setScale(0) : number);
    }

    private void exponent() {
        int start = at++;
        boolean isSigned = at < text.length() && (text.charAt(at) == '+' || text.charAt(at) == '-');
        at += isSigned ? 1 : 0;
        if (!isDigit(at)) {
            if (isSigned) {
                throw fault("invalid numeric literal");
            }
            at = start;
            return;
        }
        digits(10);
    }

    private int radix() {
        if (text.charAt(at) != '0' || at + 2 >= text.length()) {
            return 10;
        }
        int radix =
                switch (text.charAt(at + 1)) {
                    case 'x', 'X' -> 16;
                    case 'o', 'O' -> 8;
                    case 'b', 'B' -> 2;
                    default -> 10;
                };
        return radix != 10 && Character.digit(text.charAt(at + 2), radix) >= 0 ? radix : 10;
    }

    private void digits(int radix) {
        while (at < text.length()
                && (Character.digit(text.charAt(at), radix) >= 0
                        || text.charAt(at) == '_'
                                && at > 0
                                && Character.digit(text.charAt(at - 1), radix) >= 0
                                && at + 1 < text.length()
                                && Character.digit(text.charAt(at + 1), radix) >= 0)) {
            at++;
        }
    }

    private void checkEnd(int start) {
        if (isOther(at)) {
            at = start;
            throw fault("trailing junk after numeric literal");
        }
    }

    private boolean isDigit(int index) {
        return index < text.length() && text.charAt(index) >= '0' && text.charAt(index) <= '9';
    }

    private boolean isOther(int index) {
        return index < text.length()
                && SPECIAL.indexOf(text.charAt(index)) < 0
                && "\\\" \t\n\r\f".indexOf(text.charAt(index)) < 0;
    }

    private QueryException fault(String problem) {
        return fault(problem, at < text.length() ? text.substring(at) : "");
    }

    static QueryException fault(String problem, String rest) {
        return new QueryException(
                SqlState.SYNTAX_ERROR,
                rest.isEmpty()
                        ? problem + " at end of jsonpath input"
                        : problem + " at or near \"" + rest + "\" of jsonpath input");
    }
}
