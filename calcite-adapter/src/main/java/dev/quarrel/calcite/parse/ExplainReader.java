package dev.quarrel.calcite.parse;

import dev.quarrel.core.type.QueryException;
import java.util.Locale;
import java.util.Set;

/// Reads EXPLAIN, from behind its first word on.
final class ExplainReader {
    private static final Set<String> CHANGES = Set.of("insert", "update", "delete", "merge", "create", "refresh");

    private final LexemeReader in;
    private final int from;
    private final int to;

    ExplainReader(LexemeReader in, int from, int to) {
        this.in = in;
        this.from = from;
        this.to = to;
    }

    Statement read() {
        if (!in.peek().isSymbol("(") || StatementReader.startsQuery(in.next(1))) {
            boolean analyze = in.acceptWord("analyze") || in.acceptWord("analyse");
            return read(ExplainOptions.of(analyze, in.acceptWord("verbose")));
        }
        ExplainOptionReader reader = new ExplainOptionReader(in);
        ExplainOptions options;
        try {
            options = reader.options();
        } catch (QueryException wrong) {
            // PostgreSQL looks at options when it runs the statement, which it has read to its end.
            Statement read = read(ExplainOptions.of(false, false));
            return new Statement.Refused(in.text(), from, to, read.commandTag(), wrong);
        }
        return read(options);
    }

    private Statement read(ExplainOptions options) {
        if (in.acceptWord("execute")) {
            Statement.Execute execute = new CommandReader(in, from, to).execute();
            return new Statement.ExplainExecute(in.text(), from, to, options, execute);
        }
        if (in.acceptWord("declare")) {
            Statement.Declare declare = new CommandReader(in, from, to).declare();
            return new Statement.Explain(in.text(), from, to, options, declare.query());
        }
        Statement.Query query = explained(options.analyze());
        if (query != null || StatementReader.startsQuery(in.peek())) {
            return new Statement.Explain(in.text(), from, to, options, query == null ? in.query() : query);
        }
        Lexeme next = in.peek();
        if (next.kind() != Lexeme.Kind.WORD || !CHANGES.contains(next.text())) {
            throw in.syntaxError(next);
        }
        in.skipAll();
        return new Statement.Unsupported(
                in.text(), from, to, "EXPLAIN " + next.text().toUpperCase(Locale.ROOT));
    }

    /// The query of a statement that makes a table of its rows, or adds them to one; null for others.
    private Statement.Query explained(boolean analyze) {
        if (analyze || in.isAtEnd()) {
            return null;
        }
        int place = in.place();
        DefinitionReader reader = new DefinitionReader(in, in.peek().start(), in.endOfText());
        Statement written = StatementReader.startsQuery(in.peek())
                ? reader.selectInto()
                : in.isAnyWord("create", "insert") ? reader.read() : null;
        Statement.Query query = written == null ? null : Statement.Explain.query(written);
        if (query == null) {
            in.skip(place - in.place());
        }
        return query;
    }
}
