package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.parse.Lexeme.Kind;
import dev.quarrel.core.arrow.dataset.FoundRows;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/// Reads DELETE, UPDATE and MERGE as queries: of where the rows lie that go, of what becomes of them, and of new rows.
///
/// - Errors: 42601; [DefinitionReader.NotBuilt] for what PostgreSQL has in such statements and Quarrel has not.
/// - Source: PostgreSQL 18's `gram.y`: `DeleteStmt`, `UpdateStmt`, `MergeStmt`.
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
        if (in.acceptWord("returning")) {
            List<Lexeme> values = new ArrayList<>(columnOf(FoundRows.COLUMN));
            values.add(symbol(",", from));
            List<Lexeme> list = ReturningList.read(in, alias);
            values.addAll(list);
            return new Statement.Delete(text, from, to, name, query(values, everything()), query(list, everything()));
        }
        return new Statement.Delete(text, from, to, name, found(), null);
    }

    Statement update() {
        in.skip(1);
        relation("set");
        in.expectWord("set");
        Map<String, List<Lexeme>> assigned = assigned();
        if (in.acceptWord("from")) {
            others = upTo("where", "returning");
        }
        condition();
        Statement.ChangedRows changed = changed(assigned, everything());
        Statement.Returning returning = null;
        if (in.acceptWord("returning")) {
            if (!others.isEmpty()) {
                throw new DefinitionReader.NotBuilt("RETURNING of UPDATE with FROM");
            }
            returning = ReturningList.query(in, text, from, to, alias);
        }
        return new Statement.Update(
                text, from, to, name, List.copyOf(assigned.keySet()), defaulted(assigned), changed, returning);
    }

    private static Set<String> defaulted(Map<String, List<Lexeme>> assigned) {
        Set<String> defaulted = new HashSet<>();
        assigned.forEach((column, value) -> {
            if (isDefault(value)) {
                defaulted.add(column);
            }
        });
        return Set.copyOf(defaulted);
    }

    private static boolean isDefault(List<Lexeme> value) {
        return value.size() == 1 && value.getFirst().isWord("default");
    }

    /// What follows SET.
    private Map<String, List<Lexeme>> assigned() {
        Map<String, List<Lexeme>> assigned = new LinkedHashMap<>();
        do {
            if (in.peek().isSymbol("(")) {
                assignments(assigned);
            } else {
                assignment(assigned);
            }
        } while (in.acceptSymbol(","));
        return assigned;
    }

    private Statement.ChangedRows changed(Map<String, List<Lexeme>> assigned, List<Lexeme> source) {
        return (columns, expressions) -> query(values(assigned, columns, expressions), source);
    }

    /// Where a row lay, and what it becomes.
    private List<Lexeme> values(
            Map<String, List<Lexeme>> assigned, List<String> columns, UnaryOperator<String> expressions) {
        List<Lexeme> values = new ArrayList<>(columnOf(FoundRows.COLUMN));
        for (String column : columns) {
            values.add(symbol(",", from));
            List<Lexeme> value = assigned.get(column);
            if (value != null && isDefault(value)) {
                values.addAll(ShownSql.lexemes(expressions.apply(column), value.getFirst()));
            } else {
                values.addAll(value == null ? columnOf(column) : value);
            }
        }
        return values;
    }

    /// What follows ON CONFLICT.
    ///
    /// @param into the table that rows are inserted into
    Statement.OnConflict conflict(List<String> into, String intoAlias, List<Lexeme> intoRelation) {
        name = into;
        alias = intoAlias;
        relation = intoRelation;
        List<String> columns = List.of();
        String constraint = null;
        Lexeme begin = in.peek();
        if (in.acceptWord("on")) {
            in.expectWord("constraint");
            constraint = in.name();
        } else if (in.peek().isSymbol("(")) {
            int end = in.closingParenthesis() - in.place();
            for (int index = 1; index < end; index++) {
                boolean isName = index % 2 == 1;
                if (isName ? !in.next(index).isName() : !in.next(index).isSymbol(",")) {
                    throw new DefinitionReader.NotBuilt("ON CONFLICT of an expression");
                }
            }
            columns = List.copyOf(in.namesInParentheses());
            if (in.isAnyWord("where")) {
                throw new DefinitionReader.NotBuilt("ON CONFLICT … WHERE");
            }
        }
        in.expectWord("do");
        if (in.acceptWord("nothing")) {
            return new Statement.OnConflict(columns, constraint, null, Set.of(), null);
        }
        in.expectWord("update");
        in.expectWord("set");
        if (columns.isEmpty() && constraint == null) {
            throw new QueryException(
                            SqlState.SYNTAX_ERROR,
                            "ON CONFLICT DO UPDATE requires inference specification or constraint name")
                    .withPosition(in.position(begin))
                    .withHint("For example, ON CONFLICT (column_name).");
        }
        Map<String, List<Lexeme>> assigned = assigned();
        List<Lexeme> where = List.of();
        if (in.acceptWord("where")) {
            where = upTo("returning");
        }
        List<Lexeme> filter = where;
        return new Statement.OnConflict(
                columns,
                constraint,
                List.copyOf(assigned.keySet()),
                defaulted(assigned),
                (all, key, met, expressions) -> query(values(assigned, all, expressions), met(key, met, filter)));
    }

    /// The table's rows beside those to insert that are equal to them by a key.
    private List<Lexeme> met(List<String> key, List<String> excluded, List<Lexeme> filter) {
        List<Lexeme> source = new ArrayList<>(relation);
        source.add(symbol(",", from));
        for (int part = 0; part < excluded.size(); part++) {
            if (part > 0) {
                source.add(symbol(".", from));
            }
            source.add(word(excluded.get(part), Kind.QUOTED, from));
        }
        source.addAll(words(from, "as", "excluded"));
        String and = "where";
        for (String column : key) {
            source.addAll(words(from, and));
            source.addAll(columnOf(column));
            source.add(new Lexeme(Kind.OPERATOR, "=", from, from));
            source.add(word("excluded", Kind.QUOTED, from));
            source.add(symbol(".", from));
            source.add(word(column, Kind.QUOTED, from));
            and = "and";
        }
        if (!filter.isEmpty()) {
            source.addAll(guard(filter));
        }
        return source;
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

    /// What follows up to the first of these words outside of parentheses and CASE.
    ///
    /// - Errors: 42601 for nothing.
    private List<Lexeme> upTo(String... words) {
        int begin = in.place();
        Deque<String> open = new ArrayDeque<>();
        while (!in.isAtEnd()) {
            boolean isDistinctFrom = in.peek().isWord("from")
                    && in.place() > begin
                    && in.lexeme(in.place() - 1).isWord("distinct");
            boolean isWanted =
                    !isDistinctFrom && in.isAnyWord(words) || in.peek().isSymbol(",") && words[0].equals(",");
            if (open.isEmpty() && isWanted || !goesOn(open)) {
                break;
            }
            in.skip(1);
        }
        if (in.place() == begin) {
            throw in.syntaxError(in.peek());
        }
        return List.copyOf(in.lexemes(begin, in.place()));
    }

    /// Notes what opens and closes; false for what closes nothing that is open.
    private boolean goesOn(Deque<String> open) {
        Lexeme lexeme = in.peek();
        Lexeme before = in.place() == 0 ? lexeme : in.lexeme(in.place() - 1);
        boolean isName = before.isSymbol(".") || before.isWord("as");
        if (lexeme.isSymbol("(") || lexeme.isSymbol("[") || lexeme.isWord("case") && !isName) {
            open.push(lexeme.text());
        } else if (lexeme.isSymbol(")") || lexeme.isSymbol("]")) {
            return open.poll() != null;
        } else if (lexeme.isWord("end") && !isName && "case".equals(open.peek())) {
            open.pop();
        }
        return true;
    }

    /// WHERE, and what may follow it.
    private void condition() {
        if (in.acceptWord("where")) {
            if (in.peek().isWord("current") && in.next(1).isWord("of")) {
                throw new DefinitionReader.NotBuilt("WHERE CURRENT OF");
            }
            condition = upTo(BEHIND_CONDITION);
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
            return List.of(written);
        }
        List<Lexeme> value = new ArrayList<>();
        value.add(symbol("(", in.peek().start()));
        value.addAll(upTo(",", "from", "where", "returning", "when"));
        value.add(symbol(")", in.lexeme(in.place() - 1).end()));
        return value;
    }

    private void assign(Map<String, List<Lexeme>> assigned, String target, Lexeme column, List<Lexeme> value) {
        if (assigned.putIfAbsent(target, value) != null) {
            throw new QueryException(SqlState.SYNTAX_ERROR, "multiple assignments to same column \"" + target + "\"")
                    .withPosition(in.position(column));
        }
    }

    Statement merge() {
        in.skip(1);
        in.expectWord("into");
        relation("using");
        in.expectWord("using");
        others = source();
        in.expectWord("on");
        condition = upTo("when");
        List<Statement.MergeClause> clauses = new ArrayList<>();
        Map<Pairs, List<List<Lexeme>>> before = new EnumMap<>(Pairs.class);
        while (in.acceptWord("when")) {
            clauses.add(clause(before));
        }
        if (in.isAnyWord("returning")) {
            throw new DefinitionReader.NotBuilt("RETURNING of MERGE");
        }
        if (clauses.isEmpty()) {
            throw in.syntaxError(in.peek());
        }
        return new Statement.Merge(text, from, to, name, ones(everything()), List.copyOf(clauses));
    }

    /// What rows of a MERGE a clause is about.
    private enum Pairs {
        /// Those of the table with one of the source.
        MATCHED,
        /// Those of the source without one.
        NEW,
        /// Those of the table without one.
        LEFT
    }

    /// A table, a query, or a join of some, whose own ON come before that of MERGE.
    private List<Lexeme> source() {
        int begin = in.place();
        int last = -1;
        upTo(",", "on", "when"); // no comma: it is one table, query or join
        while (in.isAnyWord("on")) {
            last = in.place();
            in.skip(1);
            upTo(",", "on", "when");
        }
        if (last < 0 || in.peek().isSymbol(",")) {
            throw in.syntaxError(in.peek());
        }
        in.skip(last - in.place());
        return List.copyOf(in.lexemes(begin, last));
    }

    /// What follows WHEN.
    ///
    /// @param before conditions of clauses that come first, of rows of the same kind; null for one without
    private Statement.MergeClause clause(Map<Pairs, List<List<Lexeme>>> before) {
        Lexeme begin = in.peek();
        Pairs pairs = Pairs.MATCHED;
        if (in.acceptWord("not")) {
            pairs = Pairs.NEW;
        }
        in.expectWord("matched");
        if (pairs == Pairs.NEW && in.acceptWord("by")) {
            if (in.acceptWord("source")) {
                pairs = Pairs.LEFT;
            } else {
                in.expectWord("target");
            }
        }
        List<Lexeme> own = in.acceptWord("and") ? upTo("then") : null;
        List<List<Lexeme>> others = before.computeIfAbsent(pairs, _ -> new ArrayList<>());
        if (others.contains(null)) {
            throw new QueryException(
                            SqlState.SYNTAX_ERROR, "unreachable WHEN clause specified after unconditional WHEN clause")
                    .withPosition(in.position(begin));
        }
        List<Lexeme> guards = new ArrayList<>();
        others.forEach(each -> guards.addAll(guard(each, "is", "not", "true")));
        if (own != null) {
            guards.addAll(guard(own));
        }
        others.add(own);
        in.expectWord("then");
        return action(pairs, guards);
    }

    /// `AND (condition) IS …`.
    private List<Lexeme> guard(List<Lexeme> condition, String... is) {
        List<Lexeme> guard = new ArrayList<>(words(from, "and"));
        guard.add(symbol("(", from));
        guard.addAll(condition);
        guard.add(symbol(")", from));
        guard.addAll(words(from, is));
        return guard;
    }

    private Statement.MergeClause action(Pairs pairs, List<Lexeme> guards) {
        if (in.acceptWord("do")) {
            in.expectWord("nothing");
            return new Statement.MergeNothing(ones(guarded(pairs, guards)));
        }
        boolean isInsert = in.isAnyWord("insert");
        if (isInsert != (pairs == Pairs.NEW) || !in.isAnyWord("insert", "update", "delete")) {
            throw in.syntaxError(in.peek());
        }
        List<Lexeme> source = guarded(pairs, guards);
        if (in.acceptWord("delete")) {
            return new Statement.MergeDelete(query(columnOf(FoundRows.COLUMN), source));
        }
        if (isInsert) {
            return insert(source);
        }
        in.skip(1);
        in.expectWord("set");
        Map<String, List<Lexeme>> assigned = assigned();
        return new Statement.MergeUpdate(
                List.copyOf(assigned.keySet()), defaulted(assigned), changed(assigned, source));
    }

    /// The rows of a kind that conditions hold for.
    private List<Lexeme> guarded(Pairs pairs, List<Lexeme> guards) {
        if (pairs == Pairs.MATCHED) {
            List<Lexeme> all = everything();
            all.add(all.size() - condition.size(), symbol("(", from));
            all.add(symbol(")", from));
            all.addAll(guards);
            return all;
        }
        List<Lexeme> all = new ArrayList<>(pairs == Pairs.NEW ? others : relation);
        all.addAll(words(from, "where", "not", "exists"));
        all.add(symbol("(", from));
        all.addAll(words(from, "select"));
        all.add(word("1", Kind.INTEGER, from));
        all.addAll(words(from, "from"));
        all.addAll(pairs == Pairs.NEW ? relation : others);
        all.addAll(words(from, "where"));
        all.addAll(condition);
        all.add(symbol(")", from));
        all.addAll(guards);
        return all;
    }

    /// `INSERT [(column, …)] VALUES (value, …)`.
    private Statement.MergeClause insert(List<Lexeme> source) {
        in.skip(1);
        List<String> columns = in.peek().isSymbol("(") ? in.namesInParentheses() : List.of();
        if (in.isAnyWord("overriding", "default")) {
            throw new DefinitionReader.NotBuilt(in.peek().text().toUpperCase(Locale.ROOT) + " in MERGE");
        }
        in.expectWord("values");
        in.expectSymbol("(");
        List<Lexeme> values = new ArrayList<>();
        int valueCount = 0;
        Set<Integer> defaulted = new HashSet<>();
        do {
            values.addAll(valueCount == 0 ? List.of() : List.of(symbol(",", from)));
            List<Lexeme> value = value();
            if (isDefault(value)) {
                defaulted.add(valueCount);
                value = List.of(word("null", Kind.WORD, value.getFirst().start()));
            }
            if (value.size() > 2 && value.get(value.size() - 2).isSymbol("*")) {
                throw new DefinitionReader.NotBuilt("* in VALUES of MERGE");
            }
            values.addAll(value);
            valueCount++;
        } while (in.acceptSymbol(","));
        in.expectSymbol(")");
        return new Statement.MergeInsert(
                List.copyOf(columns), valueCount, Set.copyOf(defaulted), query(values, source));
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

    /// A query of no columns of its source, a one for each row.
    private Statement.Query ones(List<Lexeme> source) {
        return query(List.of(word("1", Kind.INTEGER, from)), source);
    }

    private Statement.Query query(List<Lexeme> values, List<Lexeme> source) {
        List<Lexeme> all = new ArrayList<>(words(from, "select"));
        all.addAll(values);
        all.addAll(words(from, "from"));
        all.addAll(source);
        return QueryParser.parse(text, all, word("", Kind.END, to));
    }
}
