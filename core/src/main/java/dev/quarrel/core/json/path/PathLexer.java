package dev.quarrel.core.json.path;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.util.HexFormat;

/// Cuts the text of a SQL/JSON path into tokens.
///
/// - Source: PostgreSQL's `jsonpath_scan.l`.
final class PathLexer {
    private static final String SPECIAL = "?%$.[]{}()|&!=<>@#,*:-+/";
    private static final String[] OPERATORS = {"&&", "||", "**", "<=", "==", "<>", "!=", ">="};

    static final int MAX_DIGITS = 131_072;
    private static final int MAX_SCALE = 16_383;

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
    /// @param near what an error at it is said to be near to: PostgreSQL's scanner has got further at the end of
    ///     a word or a string
    record Token(Type type, String text, BigDecimal number, String near) {
        Token(Type type, String text, String near) {
            this(type, text, null, near);
        }

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

    PathLexer(String text) {
        this.text = text;
    }

    /// The next token; at the end [Type#END], however often.
    Token next() {
        skipBlanks();
        if (at == text.length()) {
            return new Token(Type.END, "", "");
        }
        char first = text.charAt(at);
        if (first == '"') {
            at++;
            return new Token(Type.STRING, quoted(), "\"");
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
                return new Token(Type.SYMBOL, operator.equals("<>") ? "!=" : operator, operator);
            }
        }
        if (SPECIAL.indexOf(first) >= 0) {
            at++;
            return new Token(Type.SYMBOL, String.valueOf(first), String.valueOf(first));
        }
        return word();
    }

    private Token dollar() {
        at++;
        if (at < text.length() && text.charAt(at) == '"') {
            at++;
            return new Token(Type.VARIABLE, quoted(), "\"");
        }
        int start = at;
        while (isOther(at)) {
            at++;
        }
        return start == at
                ? new Token(Type.SYMBOL, "$", "$")
                : new Token(Type.VARIABLE, text.substring(start, at), text.substring(start - 1, at));
    }

    private void skipBlanks() {
        while (at < text.length()) {
            if (isBlank()) {
                at++;
            } else if (text.startsWith("/*", at)) {
                int end = text.indexOf("*/", at + 2);
                if (end < 0) {
                    throw fault("unexpected end of comment", "");
                }
                at = end + 2;
            } else {
                return;
            }
        }
    }

    private boolean isBlank() {
        return at < text.length() && " \t\n\r\f".indexOf(text.charAt(at)) >= 0;
    }

    private Token word() {
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
        if (text.startsWith("/*", at)) {
            // PostgreSQL's scanner forgets a word that a comment follows without a blank.
            return next();
        }
        int end = at;
        while (isBlank()) {
            at++;
        }
        return new Token(Type.WORD, word.toString(), text.substring(end, at));
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
            throw fault("unterminated quoted string", "");
        }
        at++;
        return string.toString();
    }

    private void escape(StringBuilder out) {
        int start = at++;
        if (at == text.length() || text.charAt(at) == '\n') {
            throw fault("unexpected end after backslash", "\\");
        }
        char escaped = text.charAt(at++);
        switch (escaped) {
            case 'b' -> out.append('\b');
            case 'f' -> out.append('\f');
            case 'n' -> out.append('\n');
            case 'r' -> out.append('\r');
            case 't' -> out.append('\t');
            case 'v' -> out.append('\u000b');
            case 'x' -> appendCharacter(hex(start, 2, 2, "invalid hexadecimal character sequence"), out);
            case 'u' -> unicode(start, out);
            default -> out.append(escaped);
        }
    }

    /// @param start where the backslash stands
    private void unicode(int start, StringBuilder out) {
        boolean inBraces = at < text.length() && text.charAt(at) == '{';
        at += inBraces ? 1 : 0;
        int code = hex(start, inBraces ? 1 : 4, inBraces ? 6 : 4, "invalid Unicode escape sequence");
        if (inBraces && (at == text.length() || text.charAt(at++) != '}')) {
            throw fault("invalid Unicode escape sequence", text.substring(start, Math.min(at, text.length())));
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
        appendCharacter(code, out);
    }

    private static void appendCharacter(int code, StringBuilder out) {
        if (code == 0) {
            throw new QueryException(SqlState.UNTRANSLATABLE_CHARACTER, "unsupported Unicode escape sequence")
                    .withDetail("\\u0000 cannot be converted to text.");
        }
        if (code > Character.MAX_CODE_POINT) {
            throw new QueryException(SqlState.SYNTAX_ERROR, "invalid Unicode code point");
        }
        out.appendCodePoint(code);
    }

    private int hex(int start, int least, int most, String problem) {
        int value = 0;
        int count = 0;
        while (count < most && at < text.length() && HexFormat.isHexDigit(text.charAt(at))) {
            value = value << 4 | HexFormat.fromHexDigit(text.charAt(at++));
            count++;
        }
        if (count < least) {
            throw fault(problem, text.substring(start, at));
        }
        return value;
    }

    private Token number() {
        PathNumeral numeral = PathNumeral.at(text, at);
        switch (numeral.form()) {
            case WORD -> {
                return word();
            }
            case HALF_REAL -> throw fault("invalid numeric literal", numeral.written());
            case JUNK -> throw fault("trailing junk after numeric literal", numeral.written());
            default -> {
                at += numeral.written().length();
                return new Token(
                        numeral.isInteger() ? Type.INTEGER : Type.NUMBER,
                        numeral.written(),
                        value(numeral),
                        numeral.written());
            }
        }
    }

    /// - Errors: 22003 beyond numeric's range.
    private static BigDecimal value(PathNumeral numeral) {
        try {
            BigDecimal value = numeral.value();
            if (value.scale() <= MAX_SCALE && (long) value.precision() - value.scale() <= MAX_DIGITS) {
                return value;
            }
        } catch (ArithmeticException _) {
            // Its exponent is beyond an int.
        }
        throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format");
    }

    private boolean isDigit(int index) {
        return index < text.length() && text.charAt(index) >= '0' && text.charAt(index) <= '9';
    }

    private boolean isOther(int index) {
        return index < text.length()
                && SPECIAL.indexOf(text.charAt(index)) < 0
                && "\\\" \t\n\r\f".indexOf(text.charAt(index)) < 0;
    }

    static QueryException fault(String problem, String rest) {
        return new QueryException(
                SqlState.SYNTAX_ERROR,
                rest.isEmpty()
                        ? problem + " at end of jsonpath input"
                        : problem + " at or near \"" + rest + "\" of jsonpath input");
    }
}
