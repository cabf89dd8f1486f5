package dev.quarrel.core.cpu.text;

/// A PostgreSQL regular expression (ARE) written as RE2 has it.
///
/// What differs: `\y \Y \Z` and the escapes for characters; bracket expressions, which are written out as
/// ranges; `^`, `$` and `.`, which see no lines unless an embedded option says so; case, which is ASCII's under
/// collation "C" and is written out as `[xX]`; bounds up to 255.
///
/// - Errors: 2201B for a malformed pattern; 0A000 for back references, look-around, `\m`, `\M` and collating
///   elements.
/// - Source: PostgreSQL documentation, section "POSIX Regular Expressions"; `regex/regc_lex.c`.
final class RegexTranslation {
    private static final int MAX_BOUND = 255;
    private static final int MAX_CODE_POINT = 0x10FFFF;

    private final String source;
    private final StringBuilder out = new StringBuilder();
    private final RegexSize size = new RegexSize();
    private int at;
    private boolean ignoreCase;
    private boolean newlineEndsDot;
    private boolean newlineSplitsAnchors;

    private boolean isLiteral;
    private boolean isLazy;
    private boolean isBehindQuantifier;

    private RegexTranslation(String source, RegexOptions options) {
        this.source = source;
        this.ignoreCase = options.ignoreCase();
        this.isLiteral = options.isLiteral();
        this.newlineEndsDot = options.newlineEndsDot();
        this.newlineSplitsAnchors = options.newlineSplitsAnchors();
    }

    static RegexTranslation of(String source, RegexOptions options) {
        RegexTranslation translation = new RegexTranslation(source, options);
        translation.run();
        return translation;
    }

    String pattern() {
        return out.toString();
    }

    boolean dotMatchesNewline() {
        return !newlineEndsDot;
    }

    boolean anchorsMatchLines() {
        return newlineSplitsAnchors;
    }

    /// Whether a quantifier matches as little as it can.
    boolean isLazy() {
        return isLazy;
    }

    private void run() {
        if (isLiteral) {
            literals();
            return;
        }
        if (source.startsWith("***=")) {
            at = 4;
            literals();
            return;
        }
        if (source.startsWith("***:")) {
            at = 4;
        } else if (source.startsWith("***")) {
            throw RegexMatcher.invalid("quantifier operand invalid", null);
        }
        if (options()) {
            literals();
            return;
        }
        while (at < source.length()) {
            step();
        }
    }

    private void literals() {
        while (at < source.length()) {
            literal(next());
        }
    }

    private int next() {
        int point = source.codePointAt(at);
        at += Character.charCount(point);
        return point;
    }

    private boolean isNext(String text) {
        return source.startsWith(text, at);
    }

    /// `(?xyz)` at the very start.
    ///
    /// - Returns: whether the rest is a literal string
    private boolean options() {
        int end = source.indexOf(')', at);
        if (!isNext("(?") || end < 0 || at + 2 >= source.length() || !Character.isLetter(source.charAt(at + 2))) {
            return false;
        }
        boolean literal = false;
        for (char option : source.substring(at + 2, end).toCharArray()) {
            switch (option) {
                case 'i' -> ignoreCase = true;
                case 'c' -> ignoreCase = false;
                case 's' -> {
                    newlineEndsDot = false;
                    newlineSplitsAnchors = false;
                }
                case 'n', 'm' -> {
                    newlineEndsDot = true;
                    newlineSplitsAnchors = true;
                }
                case 'p' -> {
                    newlineEndsDot = true;
                    newlineSplitsAnchors = false;
                }
                case 'w' -> {
                    newlineEndsDot = false;
                    newlineSplitsAnchors = true;
                }
                case 'q' -> literal = true;
                case 't' -> {}
                case 'b', 'e', 'x' -> throw RegexMatcher.unsupported("the embedded option " + option);
                default -> throw RegexMatcher.invalid("invalid embedded option", null);
            }
        }
        at = end + 1;
        return literal;
    }

    private void step() {
        boolean wasQuantifier = isBehindQuantifier;
        isBehindQuantifier = false;
        int point = next();
        switch (point) {
            case '\\' -> escape();
            case '[' -> bracket();
            case '(' -> {
                if (isNext("?:")) {
                    at += 2;
                    openGroup();
                } else if (isNext("?=") || isNext("?!") || isNext("?<=") || isNext("?<!")) {
                    throw RegexMatcher.unsupported("look-around");
                } else if (isNext("?")) {
                    throw RegexMatcher.invalid("quantifier operand invalid", null);
                } else {
                    openGroup();
                }
            }
            case '{' -> bound();
            case '.', '^', '$', '|', ')', '*', '+', '?' -> {
                switch (point) {
                    case '|' -> size.alternative();
                    case ')' -> size.closeGroup();
                    case '*', '+', '?' -> {
                        size.choice();
                        isBehindQuantifier = !wasQuantifier;
                        isLazy |= wasQuantifier && point == '?';
                    }
                    default -> size.part();
                }
                out.appendCodePoint(point);
            }
            default -> literal(point);
        }
    }

    private void openGroup() {
        size.openGroup();
        out.append("(?:");
    }

    /// `{` begins a bound if a digit follows, and is itself otherwise.
    private void bound() {
        if (at >= source.length() || !isDigit(source.charAt(at))) {
            size.part();
            out.append("\\{");
            return;
        }
        int least = number();
        int most = least;
        boolean isOpen = false;
        if (isNext(",")) {
            at++;
            isOpen = at < source.length() && !isDigit(source.charAt(at));
            most = isOpen ? MAX_BOUND : number();
        }
        if (!isNext("}") || least > most || most > MAX_BOUND) {
            throw RegexMatcher.invalid("invalid repetition count(s)", null);
        }
        at++;
        isBehindQuantifier = true;
        size.repeat(least, isOpen ? Math.max(least, 1) : most);
        out.append('{').append(least);
        out.append(isOpen ? "," : "," + most).append('}');
    }

    private int number() {
        int value = 0;
        int start = at;
        while (at < source.length() && isDigit(source.charAt(at))) {
            value = Math.min(MAX_BOUND + 1, value * 10 + source.charAt(at) - '0');
            at++;
        }
        if (at == start) {
            throw RegexMatcher.invalid("invalid repetition count(s)", null);
        }
        return value;
    }

    private static boolean isDigit(char character) {
        return character >= '0' && character <= '9';
    }

    private void literal(int point) {
        size.part();
        int other = otherCase(point);
        if (ignoreCase && other != point) {
            out.append('[').appendCodePoint(point).appendCodePoint(other).append(']');
        } else {
            appendQuoted(out, point);
        }
    }

    private static int otherCase(int point) {
        if (point >= 'a' && point <= 'z') {
            return point - 32;
        }
        return point >= 'A' && point <= 'Z' ? point + 32 : point;
    }

    private static void appendQuoted(StringBuilder out, int point) {
        if (point >= 0x80 || Character.isLetterOrDigit(point) || point == '_' || point == ' ') {
            out.appendCodePoint(point);
        } else {
            out.append(String.format("\\x{%x}", point));
        }
    }

    private void escape() {
        if (at >= source.length()) {
            throw RegexMatcher.invalid("invalid escape \\ sequence", null);
        }
        int point = source.codePointAt(at);
        switch (point) {
            case 'A' -> emit("\\A");
            case 'Z' -> emit("\\z");
            case 'y' -> emit("\\b");
            case 'Y' -> emit("\\B");
            case 'm', 'M' -> throw RegexMatcher.unsupported("\\" + (char) point);
            case 'd' -> emit("[0-9]");
            case 'D' -> emit(newlineEndsDot ? "[^0-9\\n]" : "[^0-9]");
            case 's' -> emit("[\\t-\\r ]");
            case 'S' -> emit("[^\\t-\\r ]");
            case 'w' -> emit("[0-9A-Za-z_]");
            case 'W' -> emit(newlineEndsDot ? "[^0-9A-Za-z_\\n]" : "[^0-9A-Za-z_]");
            default -> {
                if (point >= '1' && point <= '9') {
                    throw RegexMatcher.unsupported("back references");
                }
                literal(characterEscape());
            }
        }
    }

    private void emit(String text) {
        size.part();
        at++;
        out.append(text);
    }

    /// The character that the escape after a backslash stands for.
    private int characterEscape() {
        if (at >= source.length()) {
            throw RegexMatcher.invalid("invalid escape \\ sequence", null);
        }
        int point = next();
        switch (point) {
            case 'a' -> {
                return 7;
            }
            case 'b' -> {
                return 8;
            }
            case 'B' -> {
                return '\\';
            }
            case 'c' -> {
                if (at >= source.length()) {
                    throw RegexMatcher.invalid("invalid escape \\ sequence", null);
                }
                return next() & 0x1F;
            }
            case 'e' -> {
                return 0x1B;
            }
            case 'f' -> {
                return '\f';
            }
            case 'n' -> {
                return '\n';
            }
            case 'r' -> {
                return '\r';
            }
            case 't' -> {
                return '\t';
            }
            case 'v' -> {
                return 0x0B;
            }
            case 'u' -> {
                return hexadecimal(4, 4);
            }
            case 'U' -> {
                return hexadecimal(8, 8);
            }
            case 'x' -> {
                return hexadecimal(1, 255);
            }
            case '0' -> {
                int value = 0;
                for (int digits = 0; digits < 2 && at < source.length(); digits++) {
                    int digit = source.charAt(at) - '0';
                    if (digit < 0 || digit > 7) {
                        break;
                    }
                    value = value * 8 + digit;
                    at++;
                }
                return value;
            }
            default -> {
                if (Character.isLetterOrDigit(point)) {
                    throw RegexMatcher.invalid("invalid escape \\ sequence", null);
                }
                return point;
            }
        }
    }

    private int hexadecimal(int least, int most) {
        long value = 0;
        int count = 0;
        while (count < most && at < source.length() && Character.digit(source.charAt(at), 16) >= 0) {
            value = Math.min(MAX_CODE_POINT + 1L, value * 16 + Character.digit(source.charAt(at), 16));
            at++;
            count++;
        }
        if (count < least || value > MAX_CODE_POINT) {
            throw RegexMatcher.invalid("invalid escape \\ sequence", null);
        }
        return (int) value;
    }

    /// A bracket expression, written out as ranges of code points.
    private void bracket() {
        if (isNext("[:<:]]") || isNext("[:>:]]")) {
            throw RegexMatcher.unsupported("word boundaries [[:<:]] and [[:>:]]");
        }
        boolean negated = isNext("^");
        at += negated ? 1 : 0;
        StringBuilder ranges = new StringBuilder();
        boolean first = true;
        while (first || !isNext("]")) {
            if (at >= source.length()) {
                throw RegexMatcher.invalid("brackets [] not balanced", null);
            }
            first = false;
            element(ranges);
        }
        at++;
        if (negated && newlineEndsDot) {
            ranges.append("\\n");
        }
        size.part();
        out.append(negated ? "[^" : "[").append(ranges).append(']');
    }

    private void element(StringBuilder ranges) {
        if (isNext("[:")) {
            characterClass(ranges);
            return;
        }
        if (isNext("[.") || isNext("[=")) {
            throw RegexMatcher.unsupported("collating elements");
        }
        if (isNext("\\") && at + 1 < source.length()) {
            char escaped = source.charAt(at + 1);
            String members =
                    switch (escaped) {
                        case 'd' -> "0-9";
                        case 's' -> "\\t-\\r ";
                        case 'w' -> "0-9A-Za-z_";
                        case 'D', 'S', 'W' -> throw RegexMatcher.invalid("invalid escape \\ sequence", null);
                        default -> null;
                    };
            if (members != null) {
                at += 2;
                ranges.append(members);
                return;
            }
        }
        int low = member();
        int high = low;
        if (isNext("-") && at + 1 < source.length() && source.charAt(at + 1) != ']') {
            at++;
            high = member();
        }
        if (low > high) {
            throw RegexMatcher.invalid("invalid character range", null);
        }
        appendRange(ranges, low, high);
        if (ignoreCase) {
            appendOverlap(ranges, low, high, 'a', 'z', -32);
            appendOverlap(ranges, low, high, 'A', 'Z', 32);
        }
    }

    private int member() {
        int point = next();
        return point == '\\' ? characterEscape() : point;
    }

    private static void appendOverlap(StringBuilder ranges, int low, int high, int first, int last, int shift) {
        int from = Math.max(low, first);
        int to = Math.min(high, last);
        if (from <= to) {
            appendRange(ranges, from + shift, to + shift);
        }
    }

    private static void appendRange(StringBuilder ranges, int low, int high) {
        ranges.append(String.format("\\x{%x}", low));
        if (high > low) {
            ranges.append(String.format("-\\x{%x}", high));
        }
    }

    private void characterClass(StringBuilder ranges) {
        int end = source.indexOf(":]", at + 2);
        if (end < 0) {
            throw RegexMatcher.invalid("brackets [] not balanced", null);
        }
        String name = source.substring(at + 2, end);
        boolean anyCase = ignoreCase && (name.equals("upper") || name.equals("lower"));
        ranges.append(
                switch (anyCase ? "alpha" : name) {
                    case "alnum" -> "0-9A-Za-z";
                    case "alpha" -> "A-Za-z";
                    case "ascii" -> "\\x{0}-\\x{7f}";
                    case "blank" -> "\\t ";
                    case "cntrl" -> "\\x{0}-\\x{1f}\\x{7f}";
                    case "digit" -> "0-9";
                    case "graph" -> "\\x{21}-\\x{7e}";
                    case "lower" -> "a-z";
                    case "print" -> "\\x{20}-\\x{7e}";
                    case "punct" -> "\\x{21}-\\x{2f}\\x{3a}-\\x{40}\\x{5b}-\\x{60}\\x{7b}-\\x{7e}";
                    case "space" -> "\\t-\\r ";
                    case "upper" -> "A-Z";
                    case "word" -> "0-9A-Za-z_";
                    case "xdigit" -> "0-9A-Fa-f";
                    default -> throw RegexMatcher.invalid("invalid character class", null);
                });
        at = end + 2;
    }
}
