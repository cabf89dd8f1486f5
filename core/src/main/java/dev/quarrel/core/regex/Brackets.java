package dev.quarrel.core.regex;

import static dev.quarrel.core.regex.RegexErrors.invalid;

import dev.quarrel.core.regex.RegexLexer.Type;
import java.util.HashMap;
import java.util.Map;

/// Bracket expressions and the classes of characters.
///
/// - Source: PostgreSQL's `regex/regcomp.c` (brackpart), `regc_locale.c` (cnames).
final class Brackets {
    /// Names of the characters from 0 on that have any.
    private static final String[] CONTROLS =
            ("NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC"
                            + " IS4 IS3 IS2 IS1")
                    .split(" ");

    private static final Map<String, Integer> NAMES = new HashMap<>();

    static {
        for (int character = 0; character < CONTROLS.length; character++) {
            NAMES.put(CONTROLS[character], character);
        }
        name(7, "alert backspace tab newline vertical-tab form-feed carriage-return");
        name(
                0x1C,
                "FS GS RS US space exclamation-mark quotation-mark number-sign dollar-sign percent-sign ampersand"
                        + " apostrophe left-parenthesis right-parenthesis asterisk plus-sign comma hyphen period slash zero one"
                        + " two three four five six seven eight nine colon semicolon less-than-sign equals-sign"
                        + " greater-than-sign question-mark commercial-at");
        name('-', "hyphen-minus full-stop solidus");
        name('[', "left-square-bracket backslash right-square-bracket circumflex underscore grave-accent");
        name('\\', "reverse-solidus");
        name('^', "circumflex-accent low-line");
        name('{', "left-brace vertical-line right-brace tilde DEL");
        name('{', "left-curly-bracket");
        name('}', "right-curly-bracket");
    }

    private Brackets() {}

    private static void name(int first, String names) {
        int character = first;
        for (String name : names.split(" ")) {
            NAMES.put(name, character++);
        }
    }

    /// What an escape such as `\d` stands for; `\D` for all other characters.
    static CharSet escaped(int letter, RegexOptions options) {
        CharSet set =
                switch (letter) {
                    case 'd', 'D' -> options.characters().digits();
                    case 's', 'S' -> options.characters().spaces();
                    default -> options.characters().word();
                };
        return letter >= 'a' ? set : complement(set, options);
    }

    private static CharSet complement(CharSet set, RegexOptions options) {
        CharSet others = set.complement();
        return options.newlineEndsDot() ? others.without(CharSet.NEWLINE) : others;
    }

    /// From the opening bracket to the closing one, which stays.
    static CharSet read(RegexLexer lexer, RegexOptions options) {
        boolean isNegated = lexer.value() == 0;
        lexer.advance();
        CharSet set = CharSet.NONE;
        while (!lexer.sees(Type.CLOSE_BRACKET)) {
            set = set.with(item(lexer, options));
        }
        return isNegated ? complement(set, options) : set;
    }

    private static CharSet item(RegexLexer lexer, RegexOptions options) {
        int first;
        switch (lexer.type()) {
            case PLAIN -> {
                first = lexer.value();
                lexer.advance();
            }
            case COLLATING -> first = element(lexer.name());
            case EQUIVALENT -> {
                return options.characters().of(element(lexer.name()), options.ignoreCase());
            }
            case CLASS -> {
                return named(lexer.name(), options.ignoreCase(), options.characters());
            }
            case ESCAPED_CLASS -> {
                CharSet set = escaped(lexer.value(), options);
                lexer.advance();
                return set;
            }
            default -> throw invalid(RegexErrors.BAD_RANGE);
        }
        int last = first;
        if (lexer.takes(Type.RANGE)) {
            switch (lexer.type()) {
                case PLAIN, RANGE -> {
                    last = lexer.value();
                    lexer.advance();
                }
                case COLLATING -> last = element(lexer.name());
                default -> throw invalid(RegexErrors.BAD_RANGE);
            }
        }
        if (first > last) {
            throw invalid(RegexErrors.BAD_RANGE);
        }
        CharSet range = CharSet.of(first, last);
        return options.ignoreCase() ? options.characters().withOtherCase(range) : range;
    }

    private static int element(String name) {
        Integer character =
                name.codePointCount(0, name.length()) == 1 ? Integer.valueOf(name.codePointAt(0)) : NAMES.get(name);
        if (character == null) {
            throw invalid(RegexErrors.BAD_ELEMENT);
        }
        return character;
    }

    private static CharSet named(String name, boolean ignoreCase, Characters characters) {
        return switch (ignoreCase && (name.equals("upper") || name.equals("lower")) ? "alpha" : name) {
            case "alnum" -> characters.alnum();
            case "alpha" -> characters.alpha();
            case "ascii" -> CharSet.of(0, 0x7F);
            case "blank" -> CharSet.of('\t', '\t').with(CharSet.of(' ', ' '));
            case "cntrl" -> CharSet.of(0, 0x1F).with(CharSet.of(0x7F, 0x9F));
            case "digit" -> characters.digits();
            case "graph" -> characters.graph();
            case "lower" -> characters.lower();
            case "print" -> characters.print();
            case "punct" -> characters.punct();
            case "space" -> characters.spaces();
            case "upper" -> characters.upper();
            case "word" -> characters.word();
            case "xdigit" -> CharSet.DIGITS.with(CharSet.of('A', 'F')).with(CharSet.of('a', 'f'));
            default -> throw invalid(RegexErrors.BAD_CLASS);
        };
    }
}
