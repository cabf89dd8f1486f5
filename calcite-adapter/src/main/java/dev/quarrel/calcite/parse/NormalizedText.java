package dev.quarrel.calcite.parse;

/// Normalizes a statement's text to form the key under which plans are cached: texts that differ only in blanks,
/// comments, the case of unquoted words or the way a literal is quoted get the same one. Literals and parameters
/// stay in it.
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
