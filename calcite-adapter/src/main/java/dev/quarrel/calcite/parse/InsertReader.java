package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.parse.Lexeme.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/// Reads INSERT.
///
/// - Errors: 42601; [DefinitionReader.NotBuilt].
/// - Source: PostgreSQL 18's `gram.y`: `InsertStmt`.
final class InsertReader {
    private final LexemeReader in;
    private final String text;
    private final int from;
    private final int to;

    InsertReader(LexemeReader in, int from, int to) {
        this.in = in;
        this.text = in.text();
        this.from = from;
        this.to = to;
    }

    Statement insert() {
        in.skip(1);
        in.expectWord("into");
        int begin = in.place();
        List<String> name = in.qualifiedName();
        List<Lexeme> relation = new ArrayList<>(in.lexemes(begin, in.place()));
        String alias = name.getLast();
        if (in.acceptWord("as")) {
            relation.add(in.peek());
            alias = in.name();
        }
        List<String> columns = List.of();
        if (in.peek().isSymbol("(") && !startsQuery(in.next(1))) {
            columns = in.namesInParentheses();
        }
        String overriding = null;
        if (in.acceptWord("overriding")) {
            overriding = in.isAnyWord("user", "system") ? in.peek().text().toUpperCase(Locale.ROOT) : null;
            if (overriding == null) {
                throw in.syntaxError(in.peek());
            }
            in.skip(1);
            in.expectWord("value");
        }
        boolean isDefault =
                columns.isEmpty() && in.isAnyWord("default") && in.next(1).isWord("values");
        if (!isDefault && !startsQuery(in.peek())) {
            throw in.syntaxError(in.peek());
        }
        int end = endOfRows();
        Rows rows = isDefault ? defaultRow(end) : rows(end);
        in.skip(end - in.place());
        Statement.OnConflict conflict = null;
        if (in.acceptWord("on")) {
            in.skip(1);
            conflict = new ChangeReader(in, from, to).conflict(name, alias, relation);
        }
        Statement.Returning returning = null;
        if (in.acceptWord("returning")) {
            returning = ReturningList.query(in, text, from, to, alias);
        }
        if (!in.isAtEnd()) {
            throw in.syntaxError(in.peek());
        }
        Statement.InsertedValues values =
                new Statement.InsertedValues(rows.defaulted(), rows.mixed(), rows.literal(), rows.remade(), overriding);
        return new Statement.Insert(text, from, to, name, columns, rows.query(), values, conflict, returning);
    }

    /// Where ON CONFLICT or RETURNING begins, or the end.
    private int endOfRows() {
        int depth = 0;
        for (int index = in.place(); index < in.end(); index++) {
            Lexeme lexeme = in.lexeme(index);
            depth += lexeme.isSymbol("(") ? 1 : lexeme.isSymbol(")") ? -1 : 0;
            boolean isConflict = lexeme.isWord("on") && in.lexeme(index + 1).isWord("conflict");
            if (depth == 0 && (lexeme.isWord("returning") || isConflict)) {
                return index;
            }
        }
        return in.end();
    }

    /// @param query with NULL in place of DEFAULT
    private record Rows(
            Statement.Query query,
            Set<Integer> defaulted,
            Set<Integer> mixed,
            Set<Integer> literal,
            Statement.RemadeValues remade) {}

    /// `DEFAULT VALUES`, a row of which nothing is said.
    private Rows defaultRow(int end) {
        Lexeme row = in.peek();
        if (in.place() + 2 < end) {
            throw in.syntaxError(in.next(2));
        }
        Statement.Query query = query(
                List.of(
                        new Lexeme(Kind.WORD, "values", row.start(), row.end()),
                        new Lexeme(Kind.PUNCTUATION, "(", row.start(), row.end()),
                        nullAt(row),
                        new Lexeme(Kind.PUNCTUATION, ")", row.start(), row.end())),
                end);
        return new Rows(query, Set.of(0), Set.of(), Set.of(), null);
    }

    private Statement.Query query(List<Lexeme> lexemes, int end) {
        return QueryParser.parse(text, lexemes, in.lexeme(end));
    }

    /// The query whose rows are added, and where DEFAULT stands in rows that are written out.
    private Rows rows(int end) {
        List<Lexeme> read = new ArrayList<>(in.lexemes(in.place(), end));
        if (read.isEmpty()) {
            throw in.syntaxError(in.peek());
        }
        List<Integer> places = new ArrayList<>(); // of DEFAULT, by lexeme
        List<Integer> columns = new ArrayList<>(); // the same, by column
        Set<Integer> others = new HashSet<>(); // columns of values that are no numbers or strings
        int rowCount = 0;
        int column = 0;
        int depth = read.getFirst().isWord("values") ? 0 : end;
        for (int index = 0; index < read.size(); index++) {
            Lexeme lexeme = read.get(index);
            depth += lexeme.isSymbol("(") || lexeme.isSymbol("[") ? 1 : 0;
            depth -= lexeme.isSymbol(")") || lexeme.isSymbol("]") ? 1 : 0;
            if (depth == 1 && lexeme.isSymbol("(")) {
                rowCount++;
                column = 0;
            } else if (depth == 1 && lexeme.isSymbol(",")) {
                column++;
            } else if (depth == 1 && lexeme.isWord("default") && isItem(read, index)) {
                places.add(index);
                columns.add(column);
            } else if (depth >= 1 && !isLiteral(lexeme)) {
                others.add(column);
            }
        }
        List<Lexeme> nulls = new ArrayList<>(read);
        places.forEach(place -> nulls.set(place, nullAt(read.get(place))));
        Set<Integer> defaulted = new HashSet<>();
        Set<Integer> mixed = new HashSet<>();
        for (int each : columns) {
            boolean isAll = java.util.Collections.frequency(columns, each) == rowCount;
            (isAll ? defaulted : mixed).add(each);
        }
        return new Rows(
                query(nulls, end),
                defaulted,
                mixed,
                mixed.stream().filter(each -> !others.contains(each)).collect(Collectors.toSet()),
                mixed.isEmpty()
                        ? null
                        : expressions -> {
                            List<Lexeme> remade = new ArrayList<>();
                            for (int index = 0; index < nulls.size(); index++) {
                                int place = places.indexOf(index);
                                if (place >= 0 && mixed.contains(columns.get(place))) {
                                    remade.addAll(
                                            ShownSql.lexemes(expressions.apply(columns.get(place)), read.get(index)));
                                } else {
                                    remade.add(nulls.get(index));
                                }
                            }
                            return query(remade, end);
                        });
    }

    private static boolean isLiteral(Lexeme lexeme) {
        return lexeme.kind() == Kind.INTEGER
                || lexeme.kind() == Kind.STRING
                || lexeme.isSymbol("-")
                || lexeme.isSymbol("(")
                || lexeme.isSymbol(")")
                || lexeme.isSymbol(",");
    }

    /// Whether a lexeme is all between two commas or parentheses.
    private static boolean isItem(List<Lexeme> read, int index) {
        Lexeme before = read.get(index - 1);
        Lexeme behind = index + 1 < read.size() ? read.get(index + 1) : before;
        return (before.isSymbol("(") || before.isSymbol(",")) && (behind.isSymbol(",") || behind.isSymbol(")"));
    }

    private static Lexeme nullAt(Lexeme place) {
        return new Lexeme(Kind.WORD, "null", place.start(), place.end());
    }

    private static boolean startsQuery(Lexeme lexeme) {
        return lexeme.isSymbol("(")
                || lexeme.kind() == Kind.WORD
                        && Set.of("select", "with", "values", "table").contains(lexeme.text());
    }
}
