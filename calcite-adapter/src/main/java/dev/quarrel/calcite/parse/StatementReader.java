package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.parse.Lexeme.Kind;
import dev.quarrel.calcite.parse.Statement.TransactionModes;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// Reads a SQL text as a list of statements. It parses session statements itself and leaves queries to
/// [QueryParser].
///
/// - Shape: one [Statement] for each part between semicolons that is not blank; a blank text is one
///   [Statement.Empty].
/// - Errors: 42601 with PostgreSQL's message and position. One bad statement refuses the whole text, as in
///   PostgreSQL, before any is run.
public final class StatementReader {
    private static final Set<String> ROW_WRITES = Set.of("insert", "update", "delete", "merge");
    private static final Set<String> QUERY_WORDS = Set.of("select", "with", "values", "table");

    private static final Set<String> WRITES = Set.of(
            "insert",
            "update",
            "delete",
            "merge",
            "truncate",
            "create",
            "drop",
            "alter",
            "comment",
            "grant",
            "revoke",
            "vacuum",
            "analyze",
            "analyse",
            "cluster",
            "reindex",
            "refresh",
            "import",
            "reassign",
            "security",
            "call",
            "do",
            "notify");

    private static final Set<String> UNSUPPORTED = Set.of("listen", "load", "checkpoint");

    /// First words whose tag has the second word in it: CREATE TABLE, DROP VIEW.
    private static final Set<String> TWO_WORD_TAGS = Set.of("create", "drop", "alter", "refresh");

    private static final Map<String, String> SHORT_NAMES = Map.of(
            "names", "client_encoding",
            "schema", "search_path",
            "role", "role");

    private final String text;
    private final List<Lexeme> lexemes;
    private final LexemeReader in;

    private StatementReader(String text, List<Lexeme> lexemes) {
        this.text = text;
        this.lexemes = lexemes;
        this.in = new LexemeReader(text, lexemes);
    }

    public static List<Statement> read(String text) {
        return new StatementReader(text, Lexer.scan(text)).readAll();
    }

    private List<Statement> readAll() {
        List<Statement> statements = new ArrayList<>();
        int begin = 0;
        for (int index = 0; index < lexemes.size(); index++) {
            Lexeme lexeme = lexemes.get(index);
            if (lexeme.kind() == Kind.END || lexeme.isSymbol(";")) {
                if (index > begin) {
                    in.open(begin, index);
                    statements.add(readOne());
                }
                begin = index + 1;
            }
        }
        if (statements.isEmpty()) {
            statements.add(new Statement.Empty(text, 0, text.length()));
        }
        return List.copyOf(statements);
    }

    /// INSERT, UPDATE, DELETE or MERGE within WITH, or behind it; null for a query.
    private Statement.Unbuilt writeWithin() {
        int depth = 0;
        for (int index = in.place(); index < in.end(); index++) {
            Lexeme lexeme = in.lexeme(index);
            depth += lexeme.isSymbol("(") ? 1 : lexeme.isSymbol(")") ? -1 : 0;
            Lexeme before = index == in.place() ? lexeme : in.lexeme(index - 1);
            Lexeme opening = index < in.place() + 2 ? lexeme : in.lexeme(index - 2);
            boolean isWrite = lexeme.kind() == Kind.WORD && ROW_WRITES.contains(lexeme.text());
            boolean isWithin =
                    depth == 1 && before.isSymbol("(") && (opening.isWord("as") || opening.isWord("materialized"));
            boolean isBehind = depth == 0 && before.isSymbol(")");
            if (isWrite && (isWithin || isBehind)) {
                String word = lexeme.text().toUpperCase(Locale.ROOT);
                return new Statement.Unbuilt(
                        text,
                        in.peek().start(),
                        in.endOfText(),
                        word,
                        new QueryException(
                                SqlState.FEATURE_NOT_SUPPORTED,
                                word + (isWithin ? " in WITH" : " with WITH") + " is not supported"));
            }
        }
        return null;
    }

    private Statement readOne() {
        Lexeme first = in.peek();
        if (first.isSymbol("(") || QUERY_WORDS.contains(first.text()) && first.kind() == Kind.WORD) {
            Statement.Unbuilt write = first.isWord("with") ? writeWithin() : null;
            if (write != null) {
                in.skipAll();
                return write;
            }
            Statement into = new DefinitionReader(in, first.start(), in.endOfText()).selectInto();
            return into == null ? in.query() : into;
        }
        if (first.kind() != Kind.WORD) {
            throw in.syntaxError(first);
        }
        int from = first.start();
        int to = in.endOfText();
        String word = first.text();
        Statement foreign = new ForeignReader(in, from, to).read();
        Statement definition = foreign == null ? new DefinitionReader(in, from, to).read() : foreign;
        if (definition != null) {
            if (!in.isAtEnd()) {
                throw in.syntaxError(in.peek());
            }
            return definition;
        }
        if (WRITES.contains(word)) {
            String tag = word.toUpperCase(Locale.ROOT);
            if (TWO_WORD_TAGS.contains(word)) {
                in.skip(1);
                while (in.isAnyWord("or", "replace", "temp", "temporary", "unlogged", "global", "local", "recursive")) {
                    in.skip(1);
                }
                boolean twoWords = in.isAnyWord("materialized", "foreign", "event", "access");
                tag += " " + in.name().toUpperCase(Locale.ROOT);
                if (twoWords) {
                    tag += " " + in.name().toUpperCase(Locale.ROOT);
                }
            }
            return new Statement.ReadOnlyRejected(text, from, to, tag.equals("TRUNCATE") ? "TRUNCATE TABLE" : tag);
        }
        if (UNSUPPORTED.contains(word)) {
            return new Statement.Unsupported(text, from, to, word.toUpperCase(Locale.ROOT));
        }
        in.skip(1);
        Statement statement =
                switch (word) {
                    case "explain" -> new ExplainReader(in, from, to).read();
                    case "set" -> set(from, to);
                    case "show" -> new Statement.Show(text, from, to, settingName());
                    case "reset" -> new Statement.Reset(text, from, to, settingName());
                    case "begin" -> {
                        skipWork();
                        yield new Statement.Begin(text, from, to, false, modes(false));
                    }
                    case "start" -> {
                        in.expectWord("transaction");
                        yield new Statement.Begin(text, from, to, true, modes(false));
                    }
                    case "commit", "end" -> {
                        skipWork();
                        yield new Statement.Commit(text, from, to, chain());
                    }
                    case "rollback", "abort" -> rollback(from, to);
                    case "savepoint" ->
                        new Statement.Savepoint(text, from, to, Statement.Savepoint.Action.SAVEPOINT, in.name());
                    case "release" -> {
                        in.acceptWord("savepoint");
                        yield new Statement.Savepoint(text, from, to, Statement.Savepoint.Action.RELEASE, in.name());
                    }
                    case "discard" -> discard(from, to);
                    case "copy" -> new CopyReader(in, from, to).read();
                    case "declare" -> new CommandReader(in, from, to).declare();
                    case "fetch" -> new CommandReader(in, from, to).fetch(false);
                    case "move" -> new CommandReader(in, from, to).fetch(true);
                    case "close" -> new CommandReader(in, from, to).close();
                    case "prepare" -> new CommandReader(in, from, to).prepare();
                    case "execute" -> new CommandReader(in, from, to).execute();
                    case "lock" -> new CommandReader(in, from, to).lock();
                    case "unlisten" -> new CommandReader(in, from, to).unlisten();
                    case "deallocate" -> {
                        in.acceptWord("prepare");
                        yield new Statement.Deallocate(text, from, to, in.acceptWord("all") ? null : in.name());
                    }
                    default -> throw in.syntaxError(first);
                };
        if (!in.isAtEnd()) {
            throw in.syntaxError(in.peek());
        }
        return statement;
    }

    static boolean startsQuery(Lexeme lexeme) {
        return lexeme.isSymbol("(") || lexeme.kind() == Kind.WORD && QUERY_WORDS.contains(lexeme.text());
    }

    private Statement set(int from, int to) {
        boolean session = in.peek().isWord("session")
                && !in.next(1).isSymbol("=")
                && !in.next(1).isWord("to")
                && !in.next(1).isWord("authorization");
        boolean local = in.peek().isWord("local");
        if (session || local) {
            in.skip(1);
        }
        if (session && in.acceptWord("characteristics")) {
            in.expectWord("as");
            in.expectWord("transaction");
            return new Statement.SetTransaction(text, from, to, true, modes(true));
        }
        if (in.peek().isWord("transaction")
                && !in.next(1).isSymbol("=")
                && !in.next(1).isWord("to")) {
            in.skip(1);
            return new Statement.SetTransaction(text, from, to, false, modes(true));
        }
        if (in.peek().isWord("time") && in.next(1).isWord("zone")) {
            in.skip(2);
            return new Statement.Set(text, from, to, "timezone", zone(), local);
        }
        if (in.peek().isWord("session") && in.next(1).isWord("authorization")) {
            in.skip(2);
            return new Statement.Set(text, from, to, "session_authorization", List.of(value()), local);
        }
        String shortName =
                in.peek().kind() == Kind.WORD ? SHORT_NAMES.get(in.peek().text()) : null;
        if (shortName != null
                && !in.next(1).isSymbol("=")
                && !in.next(1).isWord("to")
                && !in.next(1).isSymbol(".")) {
            in.skip(1);
            List<String> values = in.isAtEnd() || in.acceptWord("default") ? List.of() : List.of(value());
            return new Statement.Set(text, from, to, shortName, values, local);
        }
        String name = dottedName();
        if (!in.acceptSymbol("=") && !in.acceptWord("to")) {
            throw in.syntaxError(in.peek());
        }
        if (in.acceptWord("default")) {
            return new Statement.Set(text, from, to, name, List.of(), local);
        }
        List<String> values = new ArrayList<>();
        do {
            values.add(value());
        } while (in.acceptSymbol(","));
        return new Statement.Set(text, from, to, name, values, local);
    }

    private List<String> zone() {
        if (in.acceptWord("local") || in.acceptWord("default")) {
            return List.of();
        }
        if (in.peek().isWord("interval") && in.next(1).kind() == Kind.STRING) {
            in.skip(1);
            String value = value();
            while (!in.isAtEnd() && in.peek().kind() == Kind.WORD) {
                in.skip(1);
            }
            return List.of(value);
        }
        return List.of(value());
    }

    private String value() {
        String sign = in.acceptSymbol("-") ? "-" : in.acceptSymbol("+") ? "" : null;
        Lexeme value = in.peek();
        boolean number = value.kind() == Kind.INTEGER || value.kind() == Kind.DECIMAL;
        boolean word = value.isName() || value.kind() == Kind.STRING;
        if (in.isAtEnd() || !(number || sign == null && word)) {
            throw in.syntaxError(in.peek());
        }
        in.skip(1);
        return sign == null ? value.text() : sign + value.text();
    }

    private String settingName() {
        if (in.peek().isWord("time") && in.next(1).isWord("zone")) {
            in.skip(2);
            return "timezone";
        }
        if (in.peek().isWord("transaction")
                && in.next(1).isWord("isolation")
                && in.next(2).isWord("level")) {
            in.skip(3);
            return "transaction_isolation";
        }
        if (in.peek().isWord("session") && in.next(1).isWord("authorization")) {
            in.skip(2);
            return "session_authorization";
        }
        if (in.acceptWord("all")) {
            return "all";
        }
        return dottedName();
    }

    private String dottedName() {
        return String.join(".", in.qualifiedName()).toLowerCase(Locale.ROOT);
    }

    private void skipWork() {
        if (!in.acceptWord("work")) {
            in.acceptWord("transaction");
        }
    }

    private boolean chain() {
        if (!in.acceptWord("and")) {
            return false;
        }
        boolean chain = !in.acceptWord("no");
        in.expectWord("chain");
        return chain;
    }

    private Statement rollback(int from, int to) {
        skipWork();
        if (in.acceptWord("to")) {
            in.acceptWord("savepoint");
            return new Statement.Savepoint(text, from, to, Statement.Savepoint.Action.ROLLBACK_TO, in.name());
        }
        return new Statement.Rollback(text, from, to, chain());
    }

    private Statement discard(int from, int to) {
        Lexeme what = in.peek();
        String name =
                switch (what.kind() == Kind.WORD ? what.text() : "") {
                    case "all" -> "ALL";
                    case "plans" -> "PLANS";
                    case "sequences" -> "SEQUENCES";
                    case "temp", "temporary" -> "TEMP";
                    default -> throw in.syntaxError(what);
                };
        in.skip(1);
        return new Statement.Discard(text, from, to, name);
    }

    private TransactionModes modes(boolean required) {
        String isolation = null;
        Boolean readOnly = null;
        Boolean deferrable = null;
        boolean any = false;
        while (!in.isAtEnd()) {
            if (any) {
                in.acceptSymbol(",");
            }
            any = true;
            if (in.acceptWord("isolation")) {
                in.expectWord("level");
                isolation = isolation();
            } else if (in.acceptWord("read")) {
                readOnly = in.acceptWord("only");
                if (!readOnly) {
                    in.expectWord("write");
                }
            } else if (in.acceptWord("not")) {
                in.expectWord("deferrable");
                deferrable = false;
            } else if (in.acceptWord("deferrable")) {
                deferrable = true;
            } else {
                throw in.syntaxError(in.peek());
            }
        }
        if (required && !any) {
            throw in.syntaxError(in.peek());
        }
        return new TransactionModes(isolation, readOnly, deferrable);
    }

    private String isolation() {
        if (in.acceptWord("serializable")) {
            return "serializable";
        }
        if (in.acceptWord("repeatable")) {
            in.expectWord("read");
            return "repeatable read";
        }
        in.expectWord("read");
        if (in.acceptWord("committed")) {
            return "read committed";
        }
        in.expectWord("uncommitted");
        return "read uncommitted";
    }
}
