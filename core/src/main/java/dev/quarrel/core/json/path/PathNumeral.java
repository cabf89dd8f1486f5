package dev.quarrel.core.json.path;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A number in the text of a path, or what begins like one: of what could stand here the longest is meant, and of those
/// as long the first.
///
/// - Source: PostgreSQL's `jsonpath_scan.l`.
///
/// @param written what it takes of the text
record PathNumeral(Form form, String written) {
    private static final String OTHER = "[^?%$.\\[\\]{}()|&!=<>@#,*:\\-+/\\\\\" \\t\\n\\r\\f]";
    private static final String WHOLE = "(?:0|[1-9](?:_?[0-9])*)";
    private static final String DIGITS = "[0-9](?:_?[0-9])*";
    private static final String DECIMAL = "(?:" + WHOLE + "\\.(?:" + DIGITS + ")?|\\." + DIGITS + ")";
    private static final String REAL = "(?:" + DECIMAL + "|" + WHOLE + ")[Ee][-+]?" + DIGITS;

    enum Form {
        REAL(PathNumeral.REAL),
        DECIMAL(PathNumeral.DECIMAL),
        WHOLE(PathNumeral.WHOLE),
        BASED("0(?:[xX][0-9A-Fa-f](?:_?[0-9A-Fa-f])*|[oO][0-7](?:_?[0-7])*|[bB][01](?:_?[01])*)"),
        HALF_REAL("(?:" + PathNumeral.DECIMAL + "|" + PathNumeral.WHOLE + ")[Ee][-+]"),
        JUNK("(?:" + PathNumeral.REAL + "|" + PathNumeral.DECIMAL + "|" + PathNumeral.WHOLE + ")" + OTHER),
        WORD(OTHER + "+");

        private final Pattern pattern;

        Form(String regex) {
            pattern = Pattern.compile(regex);
        }
    }

    /// - Preconditions: a digit stands at `at`, or a point and a digit.
    static PathNumeral at(String text, int at) {
        Form found = null;
        int end = at;
        for (Form form : Form.values()) {
            Matcher matcher = form.pattern.matcher(text).region(at, text.length());
            if (matcher.lookingAt() && matcher.end() > end) {
                end = matcher.end();
                found = form;
            }
        }
        return new PathNumeral(found, text.substring(at, end));
    }

    boolean isInteger() {
        return form == Form.WHOLE || form == Form.BASED;
    }

    /// - Errors: [ArithmeticException] for an exponent beyond all bounds.
    BigDecimal value() {
        String digits = written.replace("_", "");
        if (form == Form.BASED) {
            int radix =
                    switch (digits.charAt(1)) {
                        case 'x', 'X' -> 16;
                        case 'o', 'O' -> 8;
                        default -> 2;
                    };
            return new BigDecimal(new BigInteger(digits.substring(2), radix));
        }
        try {
            BigDecimal number = new BigDecimal(digits);
            return number.scale() < 0 && number.scale() > -PathLexer.MAX_DIGITS ? number.setScale(0) : number;
        } catch (NumberFormatException beyondInt) {
            throw new ArithmeticException(beyondInt.getMessage());
        }
    }
}
