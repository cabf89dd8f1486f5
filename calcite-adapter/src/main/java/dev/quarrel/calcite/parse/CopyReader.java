package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.CopyOptions;
import dev.quarrel.calcite.parse.CopyOptionList.Option;
import dev.quarrel.calcite.parse.Lexeme.Kind;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Reads COPY, from behind its first word on.
///
/// - Errors: 42601. What is wrong with a COPY that is written well is found when it is run: a
///   [Statement.Refused].
/// - Source: PostgreSQL 18's `gram.y`, `CopyStmt`.
final class CopyReader {
    private static final String TAG = "COPY";

    private final LexemeReader in;
    private final String text;
    private final int from;
    private final int to;

    CopyReader(LexemeReader in, int from, int to) {
        this.in = in;
        this.text = in.text();
        this.from = from;
        this.to = to;
    }

    Statement read() {
        List<Option> options = new ArrayList<>();
        if (in.peek().isWord("binary")
                && !in.next(1).isSymbol("(")
                && !in.next(1).isWord("to")) {
            options.add(new Option("format", List.of("binary"), in.peek()));
            in.skip(1);
        }
        Statement.Query query = null;
        List<String> table = List.of();
        List<String> columns = List.of();
        String written = null;
        if (in.peek().isSymbol("(")) {
            int end = in.closingParenthesis();
            in.skip(1);
            written = writes(in.peek());
            if (written == null) {
                query = in.query(end);
            } else {
                in.skip(end - in.place());
            }
            in.expectSymbol(")");
        } else {
            table = in.qualifiedName();
            columns = in.peek().isSymbol("(") ? in.namesInParentheses() : List.of();
        }
        boolean isFrom = !table.isEmpty() && in.acceptWord("from");
        if (!isFrom) {
            in.expectWord("to");
        }
        boolean isProgram = in.acceptWord("program");
        boolean isFile = in.peek().kind() == Kind.STRING;
        String file = in.peek().text();
        if (isFile) {
            in.skip(1);
        } else if (isProgram || !in.acceptWord("stdout") && !in.acceptWord("stdin")) {
            throw in.syntaxError(in.peek());
        }
        if (in.acceptWord("using") || in.peek().isWord("delimiters")) {
            Lexeme place = in.peek();
            in.expectWord("delimiters");
            options.add(new Option("delimiter", List.of(string()), place));
        }
        in.acceptWord("with");
        if (in.peek().isSymbol("(")) {
            listedOptions(options);
        } else {
            oldOptions(options);
        }
        boolean isFiltered = isFrom && in.peek().isWord("where");
        if (isFiltered) {
            in.skipAll();
        }
        if (!in.isAtEnd()) {
            throw in.syntaxError(in.peek());
        }
        if (isFrom && isFiltered && !isProgram) {
            return refused(new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "COPY FROM … WHERE is not supported"));
        }
        if (isFrom && !isProgram) {
            return copyFrom(table, columns, isFile ? file : null, options);
        }
        if (isFile) {
            return refused(fileRefused(isFrom, isProgram));
        }
        if (written != null) {
            return new Statement.ReadOnlyRejected(text, from, to, written);
        }
        try {
            CopyOptions checked = CopyOptionList.check(text, options, table.isEmpty() ? null : columns);
            return new Statement.Copy(
                    text, from, to, query == null ? table(table, columns) : query, table, columns, checked);
        } catch (QueryException wrong) {
            return refused(wrong);
        }
    }

    /// @param file null for what the client sends
    private Statement copyFrom(List<String> table, List<String> columns, String file, List<Option> options) {
        try {
            Statement.CopyRules rules = CopyOptionList.checkFrom(text, options, columns);
            return new Statement.CopyFrom(text, from, to, table, columns, file, rules);
        } catch (QueryException wrong) {
            return refused(wrong);
        }
    }

    private Statement refused(QueryException why) {
        return new Statement.Refused(text, from, to, TAG, why);
    }

    /// The tag of a statement that would write, such as INSERT … RETURNING; else null.
    private static String writes(Lexeme first) {
        return first.isWord("insert") || first.isWord("update") || first.isWord("delete") || first.isWord("merge")
                ? first.text().toUpperCase(Locale.ROOT)
                : null;
    }

    static QueryException fileRefused(boolean isFrom, boolean isProgram) {
        String what =
                isProgram ? "COPY to or from an external program" : isFrom ? "COPY from a file" : "COPY to a file";
        String role =
                isProgram ? "pg_execute_server_program" : isFrom ? "pg_read_server_files" : "pg_write_server_files";
        return new QueryException(SqlState.INSUFFICIENT_PRIVILEGE, "permission denied to " + what)
                .withDetail("Only roles with privileges of the \"" + role + "\" role may " + what + ".")
                .withHint("Anyone can COPY to stdout or from stdin. psql's \\copy command also works for anyone.");
    }

    /// A query of a table's rows. It is a text of its own: its errors have no place in the statement's.
    ///
    /// @param columns empty for all
    static Statement.Query table(List<String> name, List<String> columns) {
        String sql = "SELECT " + (columns.isEmpty() ? "*" : quoted(columns, ", ")) + " FROM " + quoted(name, ".");
        return (Statement.Query) StatementReader.read(sql).getFirst();
    }

    private static String quoted(List<String> names, String separator) {
        return String.join(
                separator,
                names.stream()
                        .map(name -> '"' + name.replace("\"", "\"\"") + '"')
                        .toList());
    }

    private String string() {
        Lexeme value = in.peek();
        if (value.kind() != Kind.STRING) {
            throw in.syntaxError(value);
        }
        in.skip(1);
        return value.text();
    }

    /// `(FORMAT csv, HEADER)`
    private void listedOptions(List<Option> options) {
        do {
            in.skip(1);
            Lexeme name = in.peek();
            in.name();
            options.add(new Option(name.text(), values(), name));
        } while (in.peek().isSymbol(","));
        in.expectSymbol(")");
    }

    private List<String> values() {
        if (in.peek().isSymbol(",") || in.peek().isSymbol(")")) {
            return List.of();
        }
        if (in.peek().isSymbol("(")) {
            return in.namesInParentheses();
        }
        if (in.acceptSymbol("*")) {
            return null;
        }
        String sign = in.acceptSymbol("-") ? "-" : "";
        Lexeme value = in.peek();
        boolean isValue = value.isName()
                || value.kind() == Kind.STRING
                || value.kind() == Kind.INTEGER
                || value.kind() == Kind.DECIMAL;
        if (!isValue) {
            throw in.syntaxError(value);
        }
        in.skip(1);
        return List.of(sign + value.text());
    }

    /// `CSV HEADER NULL 'x'`, as before PostgreSQL 9.0.
    private void oldOptions(List<Option> options) {
        while (!in.isAtEnd() && !in.peek().isWord("where")) {
            Lexeme name = in.peek();
            in.skip(1);
            switch (name.kind() == Kind.WORD ? name.text() : "") {
                case "binary" -> options.add(new Option("format", List.of("binary"), name));
                case "csv" -> options.add(new Option("format", List.of("csv"), name));
                case "freeze", "header" -> options.add(new Option(name.text(), List.of("true"), name));
                case "delimiter", "null", "quote", "escape" -> {
                    in.acceptWord("as");
                    options.add(new Option(name.text(), List.of(string()), name));
                }
                case "encoding" -> options.add(new Option(name.text(), List.of(string()), name));
                case "force" -> {
                    String what = in.acceptWord("quote") ? "force_quote" : null;
                    if (what == null) {
                        what = in.acceptWord("not") ? "force_not_null" : "force_null";
                        in.expectWord("null");
                    }
                    options.add(new Option(what, in.acceptSymbol("*") ? null : in.names(), name));
                }
                default -> throw in.syntaxError(name);
            }
        }
    }
}
