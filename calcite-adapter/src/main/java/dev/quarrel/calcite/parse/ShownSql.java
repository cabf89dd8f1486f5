package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.parse.Lexeme.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// Expressions as catalogs show them, and how they are read again.
///
/// PostgreSQL shows what an expression means; here it is what was written, in PostgreSQL's letters, without comments.
final class ShownSql {
    private static final Set<String> UPPER = Set.of(
            "current_date",
            "current_time",
            "current_timestamp",
            "localtime",
            "localtimestamp",
            "current_user",
            "session_user",
            "current_role",
            "current_catalog",
            "current_schema",
            "user",
            "case",
            "when",
            "then",
            "else",
            "end",
            "and",
            "or",
            "not",
            "is",
            "null",
            "array");

    private ShownSql() {}

    /// @param text that they stand in
    static String of(String text, List<Lexeme> lexemes) {
        boolean isNegative = lexemes.size() == 2 && lexemes.getFirst().isSymbol("-");
        if (isNegative && lexemes.get(1).kind() == Kind.INTEGER) {
            return "'-" + lexemes.get(1).text() + "'::" + (lexemes.get(1).text().length() < 10 ? "integer" : "bigint");
        }
        if (isNegative && lexemes.get(1).kind() == Kind.DECIMAL) {
            return "'-" + lexemes.get(1).text() + "'::numeric";
        }
        StringBuilder shown = new StringBuilder();
        for (int index = 0; index < lexemes.size(); index++) {
            Lexeme lexeme = lexemes.get(index);
            if (index > 0 && lexemes.get(index - 1).end() < lexeme.start()) {
                shown.append(' ');
            }
            shown.append(
                    switch (lexeme.kind()) {
                        case WORD ->
                            UPPER.contains(lexeme.text()) ? lexeme.text().toUpperCase(Locale.ROOT) : lexeme.text();
                        case QUOTED -> '"' + lexeme.text().replace("\"", "\"\"") + '"';
                        case STRING -> "'" + lexeme.text().replace("'", "''") + "'";
                        default -> text.substring(lexeme.start(), lexeme.end());
                    });
        }
        return shown.toString();
    }

    /// The lexemes of an expression, in parentheses, as if they stood where another one stands.
    static List<Lexeme> lexemes(String sql, Lexeme place) {
        List<Lexeme> placed = new ArrayList<>();
        placed.add(new Lexeme(Kind.PUNCTUATION, "(", place.start(), place.end()));
        for (Lexeme lexeme : Lexer.scan(sql)) {
            if (lexeme.kind() != Kind.END) {
                placed.add(new Lexeme(lexeme.kind(), lexeme.text(), place.start(), place.end()));
            }
        }
        placed.add(new Lexeme(Kind.PUNCTUATION, ")", place.start(), place.end()));
        return placed;
    }
}
