package dev.quarrel.core.regex;

import static dev.quarrel.core.regex.RegexErrors.invalid;

/// Splits a regular expression into tokens: one is looked at, until `advance` goes to the next.
///
/// - Errors: 2201B for a malformed expression.
/// - Source: PostgreSQL's `regex/regc_lex.c`.
final class RegexLexer {
    enum Type {
        /// Before the first token.
        NOTHING,
        END,
        /// The character `value`.
        PLAIN,
        DIGIT,
        OR,
        /// `value` is 1 for a group that is remembered.
        OPEN,
        CLOSE,
        /// `value` is 0 for a negated one.
        OPEN_BRACKET,
        CLOSE_BRACKET,
        RANGE,
        COLLATING,
        EQUIVALENT,
        CLASS,
        /// The end of the three before.
        END_OF_NAME,
        /// A class that an escape names: `value` is its letter, in upper case for the other characters.
        ESCAPED_CLASS,
        DOT,
        /// Quantifiers: `value` is 0 where as little as possible is to match.
        STAR,
        PLUS,
        OPTION,
        OPEN_BOUND,
        COMMA,
        CLOSE_BOUND,
        CARET,
        DOLLAR,
        TEXT_START,
        TEXT_END,
        WORD_START,
        WORD_END,
        WORD_EDGE,
        NO_WORD_EDGE,
        AHEAD,
        NOT_AHEAD,
        BEHIND,
        NOT_BEHIND,
        /// To the group `value`.
        REFERENCE
    }

    private enum Context {
        BASIC,
        EXTENDED,
        LITERAL,
        BASIC_BOUND,
        EXTENDED_BOUND,
        BRACKET,
        COLLATING,
        EQUIVALENT,
        CLASS
    }

    private final int[] source;
    private int at;
    private RegexOptions options;
    private Context context;
    private Type type = Type.NOTHING;
    private Type lastType = Type.NOTHING;
    private int value;
    private int groups;

    RegexLexer(String source, RegexOptions options) {
        this.source = source.codePoints().toArray();
        this.options = options;
        prefixes();
        if (this.options.isLiteral()) {
            context = Context.LITERAL;
        } else {
            context = outer();
        }
        advance();
    }

    RegexOptions options() {
        return options;
    }

    Type type() {
        return type;
    }

    int value() {
        return value;
    }

    boolean sees(Type wanted) {
        return type == wanted;
    }

    /// Goes behind the current token if it is of a type.
    boolean takes(Type wanted) {
        if (type != wanted) {
            return false;
        }
        advance();
        return true;
    }

    /// A group has been opened: references of two digits are told from octal numbers by their count.
    int newGroup() {
        return ++groups;
    }

    /// The characters of the name that begins here, and goes behind it.
    String name() {
        StringBuilder name = new StringBuilder();
        advance();
        while (type == Type.PLAIN) {
            name.appendCodePoint(value);
            advance();
        }
        advance(); // END_OF_NAME: all else is an error before
        return name.toString();
    }

    private Context outer() {
        return options.isExtended() ? Context.EXTENDED : Context.BASIC;
    }

    private boolean isAtEnd() {
        return at >= source.length;
    }

    private boolean isNext(String text) {
        if (source.length - at < text.length()) {
            return false;
        }
        for (int index = 0; index < text.length(); index++) {
            if (source[at + index] != text.charAt(index)) {
                return false;
            }
        }
        return true;
    }

    private boolean eats(String text) {
        boolean isThere = isNext(text);
        at += isThere ? text.length() : 0;
        return isThere;
    }

    private static boolean isLetter(int character) {
        return character >= 'a' && character <= 'z' || character >= 'A' && character <= 'Z';
    }

    private static boolean isDigit(int character) {
        return character >= '0' && character <= '9';
    }

    private void prefixes() {
        if (options.isLiteral()) {
            return;
        }
        if (source.length > 3 && isNext("***")) {
            switch (source[3]) {
                case '?' -> throw invalid("invalid regexp (reg version 0.8)");
                case '=' -> {
                    options = options.kind(options.isExtended(), false, true).plain();
                    at = 4;
                    return;
                }
                case ':' -> {
                    options = options.kind(true, true, false);
                    at = 4;
                }
                default -> throw invalid(RegexErrors.BAD_QUANTIFIER);
            }
        }
        if (!options.isAdvanced() || source.length - at < 3 || !isNext("(?") || !isLetter(source[at + 2])) {
            return;
        }
        for (at += 2; !isAtEnd() && isLetter(source[at]); at++) {
            options = switch (source[at]) {
                case 'b' -> options.kind(false, false, false);
                case 'e' -> options.kind(true, false, false);
                case 'q' -> options.kind(false, false, true);
                default -> {
                    RegexOptions changed = options.changed(source[at]);
                    if (changed == null) {
                        throw invalid(RegexErrors.BAD_OPTION);
                    }
                    yield changed;
                }
            };
        }
        if (!eats(")")) {
            throw invalid(RegexErrors.BAD_OPTION);
        }
        if (options.isLiteral()) {
            options = options.plain();
        }
    }

    private void set(Type newType, int newValue) {
        type = newType;
        value = newValue;
    }

    private void set(Type newType) {
        set(newType, 0);
    }

    void advance() {
        lastType = type;
        boolean isOuter = context == Context.EXTENDED || context == Context.BASIC;
        boolean isBound = context == Context.EXTENDED_BOUND || context == Context.BASIC_BOUND;
        if (options.isExpanded() && (isOuter || isBound)) {
            skipBlanks();
        }
        if (isAtEnd()) {
            if (isBound) {
                throw invalid(RegexErrors.BAD_BRACES);
            }
            if (!isOuter && context != Context.LITERAL) {
                throw invalid(RegexErrors.BAD_BRACKETS);
            }
            set(Type.END);
            return;
        }
        int character = source[at++];
        switch (context) {
            case BASIC -> basic(character);
            case EXTENDED -> extended(character);
            case LITERAL -> set(Type.PLAIN, character);
            case BASIC_BOUND, EXTENDED_BOUND -> bound(character);
            case BRACKET -> bracket(character);
            case COLLATING -> name(character, '.');
            case EQUIVALENT -> name(character, '=');
            case CLASS -> name(character, ':');
        }
    }

    private void skipBlanks() {
        while (!isAtEnd()) {
            if (CharSet.SPACES.contains(source[at])) {
                at++;
            } else if (source[at] == '#') {
                while (!isAtEnd() && source[at] != '\n') {
                    at++;
                }
            } else {
                return;
            }
        }
    }

    private void bound(int character) {
        if (isDigit(character)) {
            set(Type.DIGIT, character - '0');
        } else if (character == ',') {
            set(Type.COMMA);
        } else if (context == Context.EXTENDED_BOUND && character == '}') {
            context = Context.EXTENDED;
            set(Type.CLOSE_BOUND, options.isAdvanced() && eats("?") ? 0 : 1);
        } else if (context == Context.BASIC_BOUND && character == '\\' && eats("}")) {
            context = Context.BASIC;
            set(Type.CLOSE_BOUND, 1);
        } else {
            throw invalid(RegexErrors.BAD_COUNT);
        }
    }

    private void bracket(int character) {
        switch (character) {
            case ']' -> {
                if (lastType == Type.OPEN_BRACKET) {
                    set(Type.PLAIN, character);
                } else {
                    context = outer();
                    set(Type.CLOSE_BRACKET);
                }
            }
            case '\\' -> {
                if (!options.isAdvanced()) {
                    set(Type.PLAIN, character);
                    return;
                }
                if (isAtEnd()) {
                    throw invalid(RegexErrors.BAD_ESCAPE);
                }
                escape();
                if (type != Type.PLAIN && type != Type.ESCAPED_CLASS) {
                    throw invalid(RegexErrors.BAD_ESCAPE);
                }
            }
            case '-' -> set(lastType == Type.OPEN_BRACKET || isNext("]") ? Type.PLAIN : Type.RANGE, character);
            case '[' -> {
                if (isAtEnd()) {
                    throw invalid(RegexErrors.BAD_BRACKETS);
                }
                if (eats(".")) {
                    context = Context.COLLATING;
                    set(Type.COLLATING);
                } else if (eats("=")) {
                    context = Context.EQUIVALENT;
                    set(Type.EQUIVALENT);
                } else if (eats(":")) {
                    context = Context.CLASS;
                    set(Type.CLASS);
                } else {
                    set(Type.PLAIN, character);
                }
            }
            default -> set(Type.PLAIN, character);
        }
    }

    private void name(int character, char closing) {
        if (character == closing && eats("]")) {
            context = Context.BRACKET;
            set(Type.END_OF_NAME);
        } else {
            set(Type.PLAIN, character);
        }
    }

    private int greed() {
        return options.isAdvanced() && eats("?") ? 0 : 1;
    }

    private void extended(int character) {
        switch (character) {
            case '|' -> set(Type.OR);
            case '*' -> set(Type.STAR, greed());
            case '+' -> set(Type.PLUS, greed());
            case '?' -> set(Type.OPTION, greed());
            case '{' -> {
                if (options.isExpanded()) {
                    skipBlanks();
                }
                if (isAtEnd() || !isDigit(source[at])) {
                    set(Type.PLAIN, character);
                } else {
                    context = Context.EXTENDED_BOUND;
                    set(Type.OPEN_BOUND);
                }
            }
            case '(' -> {
                if (options.isAdvanced() && eats("?")) {
                    extension();
                } else {
                    set(Type.OPEN, 1);
                }
            }
            case ')' -> set(Type.CLOSE, character);
            case '[' -> openBracket();
            case '.' -> set(Type.DOT);
            case '^' -> set(Type.CARET);
            case '$' -> set(Type.DOLLAR);
            case '\\' -> {
                if (isAtEnd()) {
                    throw invalid(RegexErrors.BAD_ESCAPE);
                }
                if (options.isAdvanced()) {
                    escape();
                } else {
                    set(Type.PLAIN, source[at++]);
                }
            }
            default -> set(Type.PLAIN, character);
        }
    }

    private void openBracket() {
        if (eats("[:<:]]")) {
            set(Type.WORD_START);
        } else if (eats("[:>:]]")) {
            set(Type.WORD_END);
        } else {
            context = Context.BRACKET;
            set(Type.OPEN_BRACKET, eats("^") ? 0 : 1);
        }
    }

    /// What follows `(?`.
    private void extension() {
        if (eats(":")) {
            set(Type.OPEN, 0);
        } else if (eats("=")) {
            set(Type.AHEAD);
        } else if (eats("!")) {
            set(Type.NOT_AHEAD);
        } else if (eats("<=")) {
            set(Type.BEHIND);
        } else if (eats("<!")) {
            set(Type.NOT_BEHIND);
        } else if (eats("#")) {
            while (!isAtEnd() && source[at] != ')') {
                at++;
            }
            at = Math.min(at + 1, source.length);
            Type before = lastType;
            type = before;
            advance();
        } else {
            throw invalid(RegexErrors.BAD_QUANTIFIER);
        }
    }

    private void escape() {
        int character = source[at++];
        if (!isLetter(character) && !isDigit(character)) {
            set(Type.PLAIN, character);
            return;
        }
        switch (character) {
            case 'a' -> set(Type.PLAIN, 7);
            case 'A' -> set(Type.TEXT_START);
            case 'b' -> set(Type.PLAIN, '\b');
            case 'B' -> set(Type.PLAIN, '\\');
            case 'c' -> {
                if (isAtEnd()) {
                    throw invalid(RegexErrors.BAD_ESCAPE);
                }
                set(Type.PLAIN, source[at++] & 0x1F);
            }
            case 'd', 'D', 's', 'S', 'w', 'W' -> set(Type.ESCAPED_CLASS, character);
            case 'e' -> set(Type.PLAIN, 0x1B);
            case 'f' -> set(Type.PLAIN, '\f');
            case 'm' -> set(Type.WORD_START);
            case 'M' -> set(Type.WORD_END);
            case 'n' -> set(Type.PLAIN, '\n');
            case 'r' -> set(Type.PLAIN, '\r');
            case 't' -> set(Type.PLAIN, '\t');
            case 'u' -> set(Type.PLAIN, character(4, 4));
            case 'U' -> set(Type.PLAIN, character(8, 8));
            case 'v' -> set(Type.PLAIN, 0x0B);
            case 'x' -> set(Type.PLAIN, character(1, 255));
            case 'y' -> set(Type.WORD_EDGE);
            case 'Y' -> set(Type.NO_WORD_EDGE);
            case 'Z' -> set(Type.TEXT_END);
            case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> number(character);
            default -> throw invalid(RegexErrors.BAD_ESCAPE);
        }
    }

    /// A reference to a group, or the octal number of a character.
    private void number(int first) {
        int start = --at;
        if (first != '0') {
            int group = digits(10, 1, 255);
            if (at == start + 1 || group > 0 && group <= groups) {
                set(Type.REFERENCE, group);
                return;
            }
            at = start;
        }
        int character = digits(8, 1, 3);
        if (character > 0xFF) {
            at--;
            character >>= 3;
        }
        set(Type.PLAIN, character);
    }

    private int character(int least, int most) {
        int character = digits(16, least, most);
        if (character < 0 || character > CharSet.MAX) {
            throw invalid(RegexErrors.BAD_ESCAPE);
        }
        return character;
    }

    /// A number in 32 bits: those of longer ones are lost, as in PostgreSQL.
    private int digits(int base, int least, int most) {
        int number = 0;
        int count = 0;
        while (count < most && !isAtEnd() && source[at] < 0x80 && Character.digit(source[at], base) >= 0) {
            number = number * base + Character.digit(source[at++], base);
            count++;
        }
        if (count < least) {
            throw invalid(RegexErrors.BAD_ESCAPE);
        }
        return number;
    }

    private void basic(int character) {
        boolean isFirst = lastType == Type.NOTHING || lastType == Type.OPEN;
        switch (character) {
            case '*' -> {
                boolean isPlain = isFirst || lastType == Type.CARET;
                set(isPlain ? Type.PLAIN : Type.STAR, isPlain ? character : 1);
            }
            case '[' -> openBracket();
            case '.' -> set(Type.DOT);
            case '^' -> set(isFirst ? Type.CARET : Type.PLAIN, character);
            case '$' -> {
                if (options.isExpanded()) {
                    skipBlanks();
                }
                set(isAtEnd() || isNext("\\)") ? Type.DOLLAR : Type.PLAIN, character);
            }
            case '\\' -> {
                if (isAtEnd()) {
                    throw invalid(RegexErrors.BAD_ESCAPE);
                }
                basicEscape(source[at++]);
            }
            default -> set(Type.PLAIN, character);
        }
    }

    private void basicEscape(int character) {
        switch (character) {
            case '{' -> {
                context = Context.BASIC_BOUND;
                set(Type.OPEN_BOUND);
            }
            case '(' -> set(Type.OPEN, 1);
            case ')' -> set(Type.CLOSE, character);
            case '<' -> set(Type.WORD_START);
            case '>' -> set(Type.WORD_END);
            case '1', '2', '3', '4', '5', '6', '7', '8', '9' -> set(Type.REFERENCE, character - '0');
            default -> set(Type.PLAIN, character);
        }
    }
}
