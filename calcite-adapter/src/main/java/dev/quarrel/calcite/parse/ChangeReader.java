package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.parse.Lexeme.Kind;
import dev.quarrel.core.arrow.dataset.FoundRows;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Reads DELETE and UPDATE as queries: of where the rows lie that go, and of what becomes of them.
///
/// - Errors: 42601; [DefinitionReader.NotBuilt] for what PostgreSQL has in such statements and Quarrel has not.
/// - Source: PostgreSQL 18's `gram.y`: `DeleteStmt`, `UpdateStmt`.
final class ChangeReader {
    // No clause of a DELETE or UPDATE, but for the first: what begins so is for the reader of statements.
    private static final String[] BEHIND_CONDITION = {
        "returning", "limit", "order", "group", "having", "union", "intersect", "except", "window", "offset", "fetch"
    };

    private final LexemeReader in;
    private final String text;
    private final int from;
    private final int to;

    // Of the statement that is read.
    private List<String> name;
    private String alias;
    private List<Lexeme> relation; // with its alias
    private List<Lexeme> others = List.of(); // USING, or FROM of UPDATE
    private List<Lexeme> condition; // null without one

    ChangeReader(LexemeReader in, int from, int to) {
        this.in = in;
        this.text = in.text();
        this.from = from;
        this.to = to;
    }

    Statement delete() {
        in.skip(1);
        in.expectWord("from");
        relation("using", "where", "returning");
        if (in.acceptWord("using")) {
            others = upTo("where", "returning");
        }
        condition();
        return new Statement.Delete(text, from, to, name, found());
    }

    Statement update() {
        in.skip(1);
        relation("set");
        in.expectWord("set");
        Map<String, List<Lexeme>> assigned = new LinkedHashMap<>();
        do {
            if (in.peek().isSymbol("(")) {
                assignments(assigned);
            } else {
                assignment(assigned);
            }
        } while (in.acceptSymbol(","));
        if (in.acceptWord("from")) {
            others = upTo("where", "returning");
        }
        condition();
        Statement.ChangedRows changed = columns -> {
            List<Lexeme> values = new ArrayList<>(columnOf(FoundRows.COLUMN));
            for (String column : columns) {
                values.add(symbol(",", from));
                List<Lexeme> value = assigned.get(column);
                values.addAll(value == null ? columnOf(column) : value);
            }
            return query(values, everything());
        };
        return new Statement.Update(text, from, to, name, List.copyOf(assigned.keySet()), changed);
    }

    /// `[ONLY] name [*] [[AS] alias]`.
    private void relation(String... behind) {
        in.acceptWord("only");
        int begin = in.place();
        name = List.copyOf(in.qualifiedName());
        alias = name.getLast();
        List<Lexeme> lexemes = new ArrayList<>(in.lexemes(begin, in.place()));
        in.acceptSymbol("*");
        boolean isNamed = in.acceptWord("as");
        if (isNamed || !in.isAtEnd() && !in.isAnyWord(behind)) {
            int at = in.place();
            alias = in.name();
            lexemes.addAll(in.lexemes(at, in.place()));
        }
        relation = List.copyOf(lexemes);
    }

    /// What follows up to the first of these words outside of parentheses.
    ///
    /// - Errors: 42601 for nothing.
    private List<Lexeme> upTo(String... words) {
        int begin = in.place();
        int depth = 0;
        while (!in.isAtEnd()) {
            boolean isDistinctFrom = in.peek().isWord("from")
                    && in.place() > begin
                    && in.lexeme(in.place() - 1).isWord("distinct");
            if (depth == 0 && !isDistinctFrom && in.isAnyWord(words)) {
                break;
            }
            depth += in.peek().isSymbol("(") || in.peek().isSymbol("[") ? 1 : 0;
            depth -= in.peek().isSymbol(")") || in.peek().isSymbol("]") ? 1 : 0;
            if (depth < 0 || depth == 0 && in.peek().isSymbol(",") && words[0].equals(",")) {
                break;
            }
            in.skip(1);
        }
        if (in.place() == begin) {
            throw in.syntaxError(in.peek());
        }
        return List.copyOf(in.lexemes(begin, in.place()));
    }

    /// WHERE, and what may follow it.
    private void condition() {
        if (in.acceptWord("where")) {
            if (in.peek().isWord("current") && in.next(1).isWord("of")) {
                throw new DefinitionReader.NotBuilt("WHERE CURRENT OF");
            }
            condition = upTo(BEHIND_CONDITION);
        }
        if (in.isAnyWord("returning")) {
            throw new DefinitionReader.NotBuilt("RETURNING");
        }
    }

    /// `column = value`.
    private void assignment(Map<String, List<Lexeme>> assigned) {
        Lexeme column = in.peek();
        String target = in.name();
        if (in.peek().isSymbol("[") || in.peek().isSymbol(".")) {
            throw new DefinitionReader.NotBuilt("UPDATE of a part of a column");
        }
        in.expectSymbol("=");
        assign(assigned, target, column, value());
    }

    /// `(column, …) = [ROW] (value, …)`.
    private void assignments(Map<String, List<Lexeme>> assigned) {
        List<Lexeme> columns = new ArrayList<>();
        in.expectSymbol("(");
        do {
            columns.add(in.peek());
            in.name();
        } while (in.acceptSymbol(","));
        in.expectSymbol(")");
        in.expectSymbol("=");
        in.acceptWord("row");
        in.expectSymbol("(");
        if (in.isAnyWord("select", "with", "values")) {
            throw new DefinitionReader.NotBuilt("UPDATE of columns by the row of a query");
        }
        List<List<Lexeme>> values = new ArrayList<>();
        do {
            values.add(value());
        } while (in.acceptSymbol(","));
        in.expectSymbol(")");
        if (values.size() != columns.size()) {
            throw new QueryException(SqlState.SYNTAX_ERROR, "number of columns does not match number of values")
                    .withPosition(in.position(columns.getFirst()));
        }
        for (int index = 0; index < columns.size(); index++) {
            assign(assigned, columns.get(index).text(), columns.get(index), values.get(index));
        }
    }

    private List<Lexeme> value() {
        if (in.isAnyWord("default")) {
            Lexeme written = in.peek();
            in.skip(1);
            return List.of(word("null", Kind.WORD, written.start())); // there are no others
        }
        List<Lexeme> value = new ArrayList<>();
        value.add(symbol("(", in.peek().start()));
        value.addAll(upTo(",", "from", "where", "returning"));
        value.add(symbol(")", in.lexeme(in.place() - 1).end()));
        return value;
    }

    private void assign(Map<String, List<Lexeme>> assigned, String target, Lexeme column, List<Lexeme> value) {
        if (assigned.putIfAbsent(target, value) != null) {
            throw new QueryException(SqlState.SYNTAX_ERROR, "multiple assignments to same column \"" + target + "\"")
                    .withPosition(in.position(column));
        }
    }

    private static Lexeme word(String word, Kind kind, int at) {
        return new Lexeme(kind, word, at, at);
    }

    private static Lexeme symbol(String symbol, int at) {
        return new Lexeme(Kind.PUNCTUATION, symbol, at, at);
    }

    private static List<Lexeme> words(int at, String... words) {
        List<Lexeme> all = new ArrayList<>();
        for (String word : words) {
            all.add(word(word, Kind.WORD, at));
        }
        return all;
    }

    private List<Lexeme> columnOf(String column) {
        return List.of(word(alias, Kind.QUOTED, from), symbol(".", from), word(column, Kind.QUOTED, from));
    }

    /// The relation with the others, and the condition.
    private List<Lexeme> everything() {
        List<Lexeme> all = new ArrayList<>(relation);
        if (!others.isEmpty()) {
            all.add(symbol(",", from));
            all.addAll(others);
        }
        if (condition != null) {
            all.addAll(words(from, "where"));
            all.addAll(condition);
        }
        return all;
    }

    /// The query of where the rows lie that go; null for all of them.
    private Statement.Query found() {
        return condition == null && others.isEmpty() ? null : query(columnOf(FoundRows.COLUMN), everything());
    }

    private Statement.Query query(List<Lexeme> values, List<Lexeme> source) {
        List<Lexeme> all = new ArrayList<>(words(from, "select"));
        all.addAll(values);
        all.addAll(words(from, "from"));
        all.addAll(source);
        return QueryParser.parse(text, all, word("", Kind.END, to));
    }
}
