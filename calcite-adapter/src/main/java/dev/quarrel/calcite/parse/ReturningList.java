package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.parse.Lexeme.Kind;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// Reads what RETURNING lists, as the columns of a query.
///
/// - Errors: 42601; [DefinitionReader.NotBuilt].
final class ReturningList {
    // No clause of a list, but of the query that it becomes.
    private static final Set<String> CLAUSES = Set.of(
            "from",
            "where",
            "group",
            "having",
            "window",
            "union",
            "intersect",
            "except",
            "order",
            "limit",
            "offset",
            "fetch",
            "for",
            "into");

    private ReturningList() {}

    /// The list, up to the statement's end.
    ///
    /// @param alias of the table
    static List<Lexeme> read(LexemeReader in, String alias) {
        if (in.isAnyWord("with") && in.next(1).isSymbol("(")) {
            throw new DefinitionReader.NotBuilt("RETURNING WITH");
        }
        if (in.isAtEnd() || in.isAnyWord("distinct", "all")) {
            throw in.syntaxError(in.peek());
        }
        int begin = in.place();
        int depth = 0;
        for (int index = begin; index < in.end(); index++) {
            Lexeme lexeme = in.lexeme(index);
            Lexeme before = index == begin ? in.lexeme(in.end()) : in.lexeme(index - 1);
            depth += lexeme.isSymbol("(") ? 1 : lexeme.isSymbol(")") ? -1 : 0;
            boolean isName = before.isSymbol(".") || before.isWord("as") || before.isWord("distinct");
            if (depth < 0 || depth == 0 && lexeme.kind() == Kind.WORD && CLAUSES.contains(lexeme.text()) && !isName) {
                throw in.syntaxError(lexeme);
            }
            if (lexeme.isWord("over") && before.isSymbol(")")) {
                throw new QueryException(SqlState.WINDOWING_ERROR, "window functions are not allowed in RETURNING")
                        .withPosition(in.position(in.lexeme(begin)));
            }
            boolean isVersion = (lexeme.isWord("old") || lexeme.isWord("new"))
                    && in.lexeme(index + 1).isSymbol(".")
                    && !before.isSymbol(".")
                    && !lexeme.text().equals(alias);
            if (isVersion) {
                throw new DefinitionReader.NotBuilt(lexeme.text().toUpperCase(Locale.ROOT) + " in RETURNING");
            }
        }
        in.skipAll();
        return new ArrayList<>(in.lexemes(begin, in.end()));
    }

    /// The query of the list over the table's rows.
    ///
    /// @param alias of the table
    static Statement.Returning query(LexemeReader in, String text, int from, int to, String alias) {
        List<Lexeme> list = read(in, alias);
        if (list.stream().anyMatch(lexeme -> lexeme.kind() == Kind.PARAMETER)) {
            throw new DefinitionReader.NotBuilt("a parameter in RETURNING");
        }
        Statement.Returning returning = relation -> {
            List<Lexeme> all = new ArrayList<>();
            all.add(new Lexeme(Kind.WORD, "select", from, from));
            all.addAll(list);
            all.add(new Lexeme(Kind.WORD, "from", from, from));
            for (int part = 0; part < relation.size(); part++) {
                if (part > 0) {
                    all.add(new Lexeme(Kind.PUNCTUATION, ".", from, from));
                }
                all.add(new Lexeme(Kind.QUOTED, relation.get(part), from, from));
            }
            all.add(new Lexeme(Kind.WORD, "as", from, from));
            all.add(new Lexeme(Kind.QUOTED, alias, from, to)); // the query is known by the statement's text
            return QueryParser.parse(text, all, new Lexeme(Kind.END, "", to, to));
        };
        returning.of(List.of(alias)); // what is wrong with it is said at once
        return returning;
    }
}
