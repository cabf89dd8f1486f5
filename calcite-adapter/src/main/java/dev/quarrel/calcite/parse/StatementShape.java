package dev.quarrel.calcite.parse;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/// A statement's text with a mark for the kind of each literal in its place, and the literals apart: the key under
/// which plans are cached that serve statements of other literals, too.
///
/// Texts of one key are made of the same lexemes but for the values of literals; a number's type (int4, int8, or
/// numeric of a scale) is a part of the key. Semicolons at the end are left out.
///
/// @param key without the literals' values
/// @param start where the first lexeme begins, as a Java string index
/// @param end where the last lexeme ends
public record StatementShape(String key, List<Written> literals, int start, int end) {
    public StatementShape {
        literals = List.copyOf(literals);
    }

    /// A literal as it is written.
    ///
    /// @param text a number's digits, or a string's value
    /// @param at where it begins in the text, as a Java string index
    /// @param signAt where the minus sign before a number is, which may be a part of it; negative where there is
    /// none
    public record Written(boolean isNumber, String text, int at, int signAt) {
        /// Whether it is written alike, wherever.
        public boolean isAs(Written other) {
            return isNumber == other.isNumber && text.equals(other.text);
        }
    }

    /// The shape of a text of one statement.
    ///
    /// - Errors: as the parser's, for a text that it refuses to cut.
    public static StatementShape of(String text) {
        return of(text, 0);
    }

    /// The shape of a statement that stands in a longer text, where all places are the text's.
    static StatementShape of(String text, int start, int end) {
        return of(text.substring(start, end), start);
    }

    private static StatementShape of(String statement, int offset) {
        List<Lexeme> lexemes = Lexer.scan(statement);
        int last = lexemes.size() - 1;
        while (last > 0 && lexemes.get(last - 1).isSymbol(";")) {
            last--;
        }
        StringBuilder key = new StringBuilder(statement.length() + 64);
        List<Written> literals = new ArrayList<>();
        Lexeme before = lexemes.getLast();
        for (Lexeme lexeme : lexemes.subList(0, last)) {
            String mark =
                    switch (lexeme.kind()) {
                        case STRING -> "s";
                        case INTEGER -> integerMark(lexeme.text());
                        case DECIMAL -> decimalMark(lexeme.text());
                        default -> null;
                    };
            if (mark == null) {
                append(key, lexeme);
            } else {
                key.append(mark);
                boolean isNumber = lexeme.kind() != Lexeme.Kind.STRING;
                boolean isSigned = isNumber && before.isSymbol("-");
                literals.add(new Written(
                        isNumber, lexeme.text(), offset + lexeme.start(), isSigned ? offset + before.start() : -1));
            }
            before = lexeme;
        }
        return new StatementShape(
                key.toString(),
                literals,
                offset + lexemes.getFirst().start(),
                last == 0 ? offset : offset + lexemes.get(last - 1).end());
    }

    /// The key of texts with these very literals.
    public String withLiterals() {
        StringBuilder all = new StringBuilder(key.length() + 16 * literals.size()).append(key);
        for (Written literal : literals) {
            all.append('|').append(literal.text().length()).append(':').append(literal.text());
        }
        return all.toString();
    }

    /// Kinds of other lexemes are upper-case letters.
    private static void append(StringBuilder key, Lexeme lexeme) {
        key.append((char) ('A' + lexeme.kind().ordinal()))
                .append(lexeme.text().length())
                .append(':')
                .append(lexeme.text());
    }

    /// null for an integer that is no int8.
    private static String integerMark(String digits) {
        int length = digits.length();
        if (length <= 9) {
            return "i";
        }
        if (length > 19) {
            return null;
        }
        int bits = new java.math.BigInteger(digits).bitLength();
        return bits <= 31 ? "i" : bits <= 63 ? "l" : null;
    }

    /// null for a number with an exponent, or one of many digits.
    private static String decimalMark(String digits) {
        if (digits.length() > 38 || digits.indexOf('e') >= 0 || digits.indexOf('E') >= 0) {
            return null;
        }
        return "d" + new BigDecimal(digits).scale() + ".";
    }
}
