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
            "copy",
            "vacuum",
            "analyze",
            "analyse",
            "cluster",
            "reindex",
            "refresh",
            "lock",
            "import",
            "reassign",
            "security",
            "call",
            "do",
            "notify");

    private static final Set<String> UNSUPPORTED = Set.of(
            "declare", "fetch", "move", "close", "prepare", "execute", "listen", "unlisten", "load", "checkpoint");

    /// First words whose tag has the second word in it: CREATE TABLE, DROP VIEW.
    private static final Set<String> TWO_WORD_TAGS = Set.of("create", "drop", "alter", "refresh");

    private static final Map<String, String> SHORT_NAMES = Map.of(
            "names", "client_encoding",
            "schema", "search_path",
            "role", "role");

    private final String text;
    private final List<Lexeme> lexemes;
    private int at;
    private int last;

    private StatementReader(String text, List<Lexeme> lexemes) {
        this.text = text;
        this.lexemes = lexemes;
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
                    at = begin;
                    last = index;
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

    private Statement readOne() {
        Lexeme first = peek();
        if (first.isSymbol("(") || QUERY_WORDS.contains(first.text()) && first.kind() == Kind.WORD) {
            return query();
        }
        if (first.kind() != Kind.WORD) {
            throw syntaxError(first);
        }
        int from = first.start();
        int to = lexemes.get(last - 1).end();
        String word = first.text();
        if (WRITES.contains(word)) {
            String tag = word.toUpperCase(Locale.ROOT);
            if (TWO_WORD_TAGS.contains(word)) {
                at++;
                while (isAnyWord("or", "replace", "temp", "temporary", "unlogged", "global", "local", "recursive")) {
                    at++;
                }
                boolean twoWords = isAnyWord("materialized", "foreign", "event", "access");
                tag += " " + name().toUpperCase(Locale.ROOT);
                if (twoWords) {
                    tag += " " + name().toUpperCase(Locale.ROOT);
                }
            }
            return new Statement.ReadOnlyRejected(text, from, to, tag.equals("TRUNCATE") ? "TRUNCATE TABLE" : tag);
        }
        if (UNSUPPORTED.contains(word)) {
            return new Statement.Unsupported(text, from, to, word.toUpperCase(Locale.ROOT));
        }
        at++;
        Statement statement =
                switch (word) {
                    case "explain" -> explain(from, to);
                    case "set" -> set(from, to);
                    case "show" -> new Statement.Show(text, from, to, settingName());
                    case "reset" -> new Statement.Reset(text, from, to, settingName());
                    case "begin" -> {
                        skipWork();
                        yield new Statement.Begin(text, from, to, false, modes(false));
                    }
                    case "start" -> {
                        expectWord("transaction");
                        yield new Statement.Begin(text, from, to, true, modes(false));
                    }
                    case "commit", "end" -> {
                        skipWork();
                        yield new Statement.Commit(text, from, to, chain());
                    }
                    case "rollback", "abort" -> rollback(from, to);
                    case "savepoint" ->
                        new Statement.Savepoint(text, from, to, Statement.Savepoint.Action.SAVEPOINT, name());
                    case "release" -> {
                        acceptWord("savepoint");
                        yield new Statement.Savepoint(text, from, to, Statement.Savepoint.Action.RELEASE, name());
                    }
                    case "discard" -> discard(from, to);
                    case "deallocate" -> {
                        acceptWord("prepare");
                        yield new Statement.Deallocate(text, from, to, acceptWord("all") ? null : name());
                    }
                    default -> throw syntaxError(first);
                };
        if (at < last) {
            throw syntaxError(peek());
        }
        return statement;
    }

    private Statement.Query query() {
        Statement.Query query = QueryParser.parse(text, lexemes.subList(at, last), lexemes.get(last));
        at = last;
        return query;
    }

    private Statement explain(int from, int to) {
        boolean analyze = false;
        boolean verbose = false;
        boolean costs = true;
        Boolean timing = null;
        Boolean summary = null;
        boolean plans = false;
        String format = "TEXT";
        if (peek().isSymbol("(") && !startsQuery(at + 1)) {
            do {
                at++;
                Lexeme option = peek();
                switch (name()) {
                    case "analyze", "analyse" -> analyze = option();
                    case "verbose" -> verbose = option();
                    case "costs" -> costs = option();
                    case "timing" -> timing = option();
                    case "summary" -> summary = option();
                    case "plans" -> plans = option();
                    case "buffers", "settings", "wal" -> option();
                    case "format" -> {
                        format = name().toUpperCase(Locale.ROOT);
                        if (!Set.of("TEXT", "XML", "JSON", "YAML").contains(format)) {
                            throw new QueryException(
                                            SqlState.INVALID_PARAMETER_VALUE,
                                            "unrecognized value for EXPLAIN option \"format\": \""
                                                    + format.toLowerCase(Locale.ROOT) + "\"")
                                    .withPosition(position(option));
                        }
                    }
                    default ->
                        throw new QueryException(
                                        SqlState.SYNTAX_ERROR, "unrecognized EXPLAIN option \"" + option.text() + "\"")
                                .withPosition(position(option));
                }
            } while (peek().isSymbol(","));
            expectSymbol(")");
        } else {
            analyze = acceptWord("analyze") || acceptWord("analyse");
            verbose = acceptWord("verbose");
        }
        if (!startsQuery(at)) {
            Lexeme next = peek();
            if (next.kind() == Kind.WORD && (WRITES.contains(next.text()) || UNSUPPORTED.contains(next.text()))) {
                at = last;
                return new Statement.Unsupported(
                        text, from, to, "EXPLAIN " + next.text().toUpperCase(Locale.ROOT));
            }
            throw syntaxError(next);
        }
        return new Statement.Explain(
                text,
                from,
                to,
                analyze,
                verbose,
                costs,
                timing == null ? analyze : timing,
                summary == null ? analyze : summary,
                plans,
                format,
                query());
    }

    private boolean startsQuery(int index) {
        Lexeme lexeme = index < last ? lexemes.get(index) : lexemes.get(last);
        return lexeme.isSymbol("(") || lexeme.kind() == Kind.WORD && QUERY_WORDS.contains(lexeme.text());
    }

    /// The value of a Boolean EXPLAIN option: true if nothing is written.
    private boolean option() {
        Lexeme value = peek();
        if (value.isSymbol(",") || value.isSymbol(")")) {
            return true;
        }
        at++;
        return switch (value.text().toLowerCase(Locale.ROOT)) {
            case "true", "on", "1" -> true;
            case "false", "off", "0" -> false;
            default ->
                throw new QueryException(SqlState.SYNTAX_ERROR, "EXPLAIN option requires a Boolean value")
                        .withPosition(position(value));
        };
    }

    private Statement set(int from, int to) {
        boolean session = peek().isWord("session")
                && !next(1).isSymbol("=")
                && !next(1).isWord("to")
                && !next(1).isWord("authorization");
        boolean local = peek().isWord("local");
        if (session || local) {
            at++;
        }
        if (session && acceptWord("characteristics")) {
            expectWord("as");
            expectWord("transaction");
            return new Statement.SetTransaction(text, from, to, true, modes(true));
        }
        if (peek().isWord("transaction") && !next(1).isSymbol("=") && !next(1).isWord("to")) {
            at++;
            return new Statement.SetTransaction(text, from, to, false, modes(true));
        }
        if (peek().isWord("time") && next(1).isWord("zone")) {
            at += 2;
            return new Statement.Set(text, from, to, "timezone", zone(), local);
        }
        if (peek().isWord("session") && next(1).isWord("authorization")) {
            at += 2;
            return new Statement.Set(text, from, to, "session_authorization", List.of(value()), local);
        }
        String shortName = peek().kind() == Kind.WORD ? SHORT_NAMES.get(peek().text()) : null;
        if (shortName != null && !next(1).isSymbol("=") && !next(1).isWord("to") && !next(1).isSymbol(".")) {
            at++;
            List<String> values = at == last || acceptWord("default") ? List.of() : List.of(value());
            return new Statement.Set(text, from, to, shortName, values, local);
        }
        String name = dottedName();
        if (!acceptSymbol("=") && !acceptWord("to")) {
            throw syntaxError(peek());
        }
        if (acceptWord("default")) {
            return new Statement.Set(text, from, to, name, List.of(), local);
        }
        List<String> values = new ArrayList<>();
        do {
            values.add(value());
        } while (acceptSymbol(","));
        return new Statement.Set(text, from, to, name, values, local);
    }

    private List<String> zone() {
        if (acceptWord("local") || acceptWord("default")) {
            return List.of();
        }
        if (peek().isWord("interval") && next(1).kind() == Kind.STRING) {
            at++;
            String value = value();
            while (at < last && peek().kind() == Kind.WORD) {
                at++;
            }
            return List.of(value);
        }
        return List.of(value());
    }

    private String value() {
        String sign = acceptSymbol("-") ? "-" : acceptSymbol("+") ? "" : null;
        Lexeme value = peek();
        boolean number = value.kind() == Kind.INTEGER || value.kind() == Kind.DECIMAL;
        boolean word = value.isName() || value.kind() == Kind.STRING;
        if (at >= last || !(number || sign == null && word)) {
            throw syntaxError(peek());
        }
        at++;
        return sign == null ? value.text() : sign + value.text();
    }

    private String settingName() {
        if (peek().isWord("time") && next(1).isWord("zone")) {
            at += 2;
            return "timezone";
        }
        if (peek().isWord("transaction") && next(1).isWord("isolation") && next(2).isWord("level")) {
            at += 3;
            return "transaction_isolation";
        }
        if (peek().isWord("session") && next(1).isWord("authorization")) {
            at += 2;
            return "session_authorization";
        }
        if (acceptWord("all")) {
            return "all";
        }
        return dottedName();
    }

    private String dottedName() {
        StringBuilder name = new StringBuilder(name());
        while (acceptSymbol(".")) {
            name.append('.').append(name());
        }
        return name.toString().toLowerCase(Locale.ROOT);
    }

    private void skipWork() {
        if (!acceptWord("work")) {
            acceptWord("transaction");
        }
    }

    private boolean chain() {
        if (!acceptWord("and")) {
            return false;
        }
        boolean chain = !acceptWord("no");
        expectWord("chain");
        return chain;
    }

    private Statement rollback(int from, int to) {
        skipWork();
        if (acceptWord("to")) {
            acceptWord("savepoint");
            return new Statement.Savepoint(text, from, to, Statement.Savepoint.Action.ROLLBACK_TO, name());
        }
        return new Statement.Rollback(text, from, to, chain());
    }

    private Statement discard(int from, int to) {
        Lexeme what = peek();
        String name =
                switch (what.kind() == Kind.WORD ? what.text() : "") {
                    case "all" -> "ALL";
                    case "plans" -> "PLANS";
                    case "sequences" -> "SEQUENCES";
                    case "temp", "temporary" -> "TEMP";
                    default -> throw syntaxError(what);
                };
        at++;
        return new Statement.Discard(text, from, to, name);
    }

    private TransactionModes modes(boolean required) {
        String isolation = null;
        Boolean readOnly = null;
        Boolean deferrable = null;
        boolean any = false;
        while (at < last) {
            if (any) {
                acceptSymbol(",");
            }
            any = true;
            if (acceptWord("isolation")) {
                expectWord("level");
                isolation = isolation();
            } else if (acceptWord("read")) {
                readOnly = acceptWord("only");
                if (!readOnly) {
                    expectWord("write");
                }
            } else if (acceptWord("not")) {
                expectWord("deferrable");
                deferrable = false;
            } else if (acceptWord("deferrable")) {
                deferrable = true;
            } else {
                throw syntaxError(peek());
            }
        }
        if (required && !any) {
            throw syntaxError(peek());
        }
        return new TransactionModes(isolation, readOnly, deferrable);
    }

    private String isolation() {
        if (acceptWord("serializable")) {
            return "serializable";
        }
        if (acceptWord("repeatable")) {
            expectWord("read");
            return "repeatable read";
        }
        expectWord("read");
        if (acceptWord("committed")) {
            return "read committed";
        }
        expectWord("uncommitted");
        return "read uncommitted";
    }

    private Lexeme peek() {
        return next(0);
    }

    private Lexeme next(int distance) {
        return lexemes.get(Math.min(at + distance, last));
    }

    private boolean isAnyWord(String... words) {
        for (String word : words) {
            if (peek().isWord(word)) {
                return true;
            }
        }
        return false;
    }

    private boolean acceptWord(String word) {
        if (at < last && peek().isWord(word)) {
            at++;
            return true;
        }
        return false;
    }

    private boolean acceptSymbol(String symbol) {
        if (at < last && peek().isSymbol(symbol)) {
            at++;
            return true;
        }
        return false;
    }

    private void expectWord(String word) {
        if (!acceptWord(word)) {
            throw syntaxError(peek());
        }
    }

    private void expectSymbol(String symbol) {
        if (!acceptSymbol(symbol)) {
            throw syntaxError(peek());
        }
    }

    private String name() {
        if (at >= last || !peek().isName()) {
            throw syntaxError(peek());
        }
        return lexemes.get(at++).text();
    }

    private int position(Lexeme lexeme) {
        return Positions.of(text, lexeme.start());
    }

    private QueryException syntaxError(Lexeme lexeme) {
        return syntaxError(text, lexeme);
    }

    static QueryException syntaxError(String text, Lexeme lexeme) {
        String message = lexeme.kind() == Kind.END
                ? "syntax error at end of input"
                : "syntax error at or near \"" + text.substring(lexeme.start(), lexeme.end()) + "\"";
        return new QueryException(SqlState.SYNTAX_ERROR, message).withPosition(Positions.of(text, lexeme.start()));
    }
}
