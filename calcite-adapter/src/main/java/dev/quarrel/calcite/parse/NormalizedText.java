package dev.quarrel.calcite.parse;

/// One spelling for all texts of a statement that differ in blanks, comments, the case of unquoted words and the way a
/// literal is quoted: what plans are kept by. Literals stay, and so do parameters.
public final class NormalizedText {
    private NormalizedText() {}

    /// The statement's lexemes, each with its kind and length, so that no two statements of different
    /// lexemes are alike.
    ///
    /// - Errors: as the parser's, for a text that it refuses to cut.
    public static String of(String statement) {
        StringBuilder normalized = new StringBuilder(statement.length() + 64);
        for (Lexeme lexeme : Lexer.scan(statement)) {
            normalized
                    .append((char) ('A' + lexeme.kind().ordinal()))
                    .append(lexeme.text().length())
                    .append(':')
                    .append(lexeme.text());
        }
        return normalized.toString();
    }
}
