package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.parse.Lexeme.Kind;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// Reads the lexemes of one statement from left to right.
///
/// - Errors: 42601 with PostgreSQL's message and position, from all that expect something.
final class LexemeReader {
    private final String text;
    private final List<Lexeme> lexemes;
    private int at;
    private int last;

    /// @param lexemes of the whole text
    LexemeReader(String text, List<Lexeme> lexemes) {
        this.text = text;
        this.lexemes = lexemes;
    }

    /// Goes on with the statement [begin, end), whose end is a semicolon or END.
    void open(int begin, int end) {
        at = begin;
        last = end;
    }

    String text() {
        return text;
    }

    boolean isAtEnd() {
        return at >= last;
    }

    int place() {
        return at;
    }

    void skip(int count) {
        at += count;
    }

    void skipAll() {
        at = last;
    }

    /// Where the statement's text ends.
    int endOfText() {
        return lexemes.get(last - 1).end();
    }

    /// The query from here to the statement's end.
    Statement.Query query() {
        return query(last);
    }

    /// The query from here up to the lexeme `end`.
    Statement.Query query(int end) {
        if (at == end) {
            throw syntaxError(lexemes.get(end));
        }
        Statement.Query query = QueryParser.parse(text, lexemes.subList(at, end), lexemes.get(end));
        at = end;
        return query;
    }

    /// The query of these lexemes, which stand for all from here to the statement's end.
    Statement.Query query(List<Lexeme> read) {
        Statement.Query query = QueryParser.parse(text, read, lexemes.get(last));
        at = last;
        return query;
    }

    /// The query from here to the statement's end, read without a part of it.
    Statement.Query queryWithout(int cutFrom, int cutTo) {
        List<Lexeme> left = new ArrayList<>(lexemes.subList(at, cutFrom));
        left.addAll(lexemes.subList(cutTo, last));
        return query(left);
    }

    /// The index behind the statement's last lexeme.
    int end() {
        return last;
    }

    /// The lexeme that closes the parenthesis which opens here; the statement's end if none does.
    int closingParenthesis() {
        int depth = 0;
        for (int index = at; index < last; index++) {
            Lexeme lexeme = lexemes.get(index);
            depth += lexeme.isSymbol("(") ? 1 : lexeme.isSymbol(")") ? -1 : 0;
            if (depth == 0) {
                return index;
            }
        }
        return last;
    }

    /// The lexeme of a number in the statement; its end beyond it.
    Lexeme lexeme(int index) {
        return lexemes.get(Math.min(index, last));
    }

    /// Those from one place up to another.
    List<Lexeme> lexemes(int begin, int end) {
        return lexemes.subList(begin, end);
    }

    Lexeme peek() {
        return next(0);
    }

    Lexeme next(int distance) {
        return lexemes.get(Math.min(at + distance, last));
    }

    boolean isAnyWord(String... words) {
        for (String word : words) {
            if (peek().isWord(word)) {
                return true;
            }
        }
        return false;
    }

    boolean acceptWord(String word) {
        if (at < last && peek().isWord(word)) {
            at++;
            return true;
        }
        return false;
    }

    boolean acceptSymbol(String symbol) {
        if (at < last && peek().isSymbol(symbol)) {
            at++;
            return true;
        }
        return false;
    }

    /// `(name, …)`.
    List<String> namesInParentheses() {
        expectSymbol("(");
        List<String> names = names();
        expectSymbol(")");
        return names;
    }

    /// `name, …`.
    List<String> names() {
        List<String> names = new ArrayList<>();
        do {
            names.add(name());
        } while (acceptSymbol(","));
        return names;
    }

    void expectWord(String word) {
        if (!acceptWord(word)) {
            throw syntaxError(peek());
        }
    }

    void expectSymbol(String symbol) {
        if (!acceptSymbol(symbol)) {
            throw syntaxError(peek());
        }
    }

    String name() {
        if (at >= last || !peek().isName()) {
            throw syntaxError(peek());
        }
        return lexemes.get(at++).text();
    }

    /// A name and those in front of it, `schema.table`.
    List<String> qualifiedName() {
        List<String> name = new ArrayList<>();
        do {
            name.add(name());
        } while (acceptSymbol("."));
        return name;
    }

    List<List<String>> qualifiedNames() {
        List<List<String>> names = new ArrayList<>();
        do {
            names.add(qualifiedName());
        } while (acceptSymbol(","));
        return names;
    }

    boolean acceptIfExists() {
        boolean isThere = acceptWord("if");
        if (isThere) {
            expectWord("exists");
        }
        return isThere;
    }

    boolean acceptIfNotExists() {
        boolean isThere = acceptWord("if");
        if (isThere) {
            expectWord("not");
            expectWord("exists");
        }
        return isThere;
    }

    /// The text of a column's type, up to the first lexeme outside of brackets that is behind it.
    ///
    /// - Errors: 42601 where there is none.
    String typeText(Predicate<Lexeme> isBehind) {
        Lexeme first = peek();
        if (isAtEnd() || isBehind.test(first)) {
            throw syntaxError(first);
        }
        int depth = 0;
        Lexeme end = first;
        while (!isAtEnd() && (depth > 0 || !isBehind.test(peek()))) {
            end = peek();
            depth += end.isSymbol("(") || end.isSymbol("[") ? 1 : 0;
            depth -= end.isSymbol(")") || end.isSymbol("]") ? 1 : 0;
            skip(1);
        }
        return text.substring(first.start(), end.end());
    }

    int position(Lexeme lexeme) {
        return Positions.of(text, lexeme.start());
    }

    QueryException syntaxError(Lexeme lexeme) {
        return syntaxError(text, lexeme);
    }

    static QueryException syntaxError(String text, Lexeme lexeme) {
        String message = lexeme.kind() == Kind.END
                ? "syntax error at end of input"
                : "syntax error at or near \"" + text.substring(lexeme.start(), lexeme.end()) + "\"";
        return new QueryException(SqlState.SYNTAX_ERROR, message).withPosition(Positions.of(text, lexeme.start()));
    }
}
