package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.parse.Lexeme.Kind;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/// Reads statements about foreign tables.
///
/// - Errors: 42601; 0A000 for what foreign tables do not have here.
/// - Source: PostgreSQL 18's `gram.y`, `CreateForeignTableStmt` and `ImportForeignSchemaStmt`.
final class ForeignReader {
    private final LexemeReader in;
    private final String text;
    private final int from;
    private final int to;

    ForeignReader(LexemeReader in, int from, int to) {
        this.in = in;
        this.text = in.text();
        this.from = from;
        this.to = to;
    }

    /// The statement, or null where another one begins.
    Statement read() {
        boolean isForeign = in.next(1).isWord("foreign");
        boolean isTable = isForeign && in.next(2).isWord("table");
        if (in.peek().isWord("create") && isTable) {
            in.skip(3);
            return create();
        }
        if (in.peek().isWord("drop") && isTable) {
            in.skip(3);
            return drop();
        }
        if (in.peek().isWord("import") && isForeign && in.next(2).isWord("schema")) {
            in.skip(3);
            return importSchema();
        }
        return null;
    }

    private Statement create() {
        boolean ifNotExists = in.acceptIfNotExists();
        List<String> name = in.qualifiedName();
        if (in.isAnyWord("partition")) {
            throw unsupported("partitions that are foreign tables");
        }
        List<Statement.ForeignColumn> columns = new ArrayList<>();
        in.expectSymbol("(");
        if (!in.acceptSymbol(")")) {
            do {
                columns.add(column());
            } while (in.acceptSymbol(","));
            in.expectSymbol(")");
        }
        if (in.isAnyWord("inherits")) {
            throw unsupported("foreign tables that inherit");
        }
        in.expectWord("server");
        String server = in.name();
        return new Statement.CreateForeignTable(
                text, from, to, name, ifNotExists, List.copyOf(columns), server, options());
    }

    private Statement.ForeignColumn column() {
        if (in.isAnyWord("constraint", "check", "primary", "unique", "like", "exclude", "foreign")) {
            throw unsupported("constraints of foreign tables");
        }
        String name = in.name();
        String type = in.typeText(ForeignReader::isBehindType);
        SequencedMap<String, String> options = options();
        boolean isNotNull = false;
        while (in.isAnyWord("not", "null")) {
            isNotNull = in.acceptWord("not");
            in.expectWord("null");
        }
        if (!in.peek().isSymbol(",") && !in.peek().isSymbol(")")) {
            if (in.isAnyWord("collate", "default", "check", "constraint", "generated", "primary", "unique")) {
                throw unsupported(in.peek().text() + " of a foreign table's column");
            }
            throw in.syntaxError(in.peek());
        }
        return new Statement.ForeignColumn(name, type, isNotNull, options);
    }

    private static boolean isBehindType(Lexeme lexeme) {
        return lexeme.isSymbol(",")
                || lexeme.isSymbol(")")
                || lexeme.kind() == Kind.WORD
                        && List.of(
                                        "options",
                                        "not",
                                        "null",
                                        "collate",
                                        "default",
                                        "check",
                                        "constraint",
                                        "generated",
                                        "primary",
                                        "unique")
                                .contains(lexeme.text());
    }

    private SequencedMap<String, String> options() {
        SequencedMap<String, String> options = new LinkedHashMap<>();
        if (!in.acceptWord("options")) {
            return options;
        }
        in.expectSymbol("(");
        do {
            String name = in.name();
            Lexeme value = in.peek();
            if (value.kind() != Kind.STRING) {
                throw in.syntaxError(value);
            }
            in.skip(1);
            if (options.put(name, value.text()) != null) {
                throw new QueryException(SqlState.DUPLICATE_OBJECT, "option \"" + name + "\" provided more than once");
            }
        } while (in.acceptSymbol(","));
        in.expectSymbol(")");
        return options;
    }

    private Statement drop() {
        boolean ifExists = in.acceptIfExists();
        List<List<String>> names = in.qualifiedNames();
        if (!in.acceptWord("cascade")) {
            in.acceptWord("restrict"); // nothing depends on them
        }
        return new Statement.DropForeignTable(text, from, to, List.copyOf(names), ifExists);
    }

    private Statement importSchema() {
        String remote = in.name();
        boolean limit = in.acceptWord("limit");
        List<String> names = new ArrayList<>();
        if (limit) {
            in.expectWord("to");
        }
        if (limit || in.acceptWord("except")) {
            in.expectSymbol("(");
            do {
                names.add(in.name());
            } while (in.acceptSymbol(","));
            in.expectSymbol(")");
        }
        in.expectWord("from");
        in.expectWord("server");
        String server = in.name();
        in.expectWord("into");
        String local = in.name();
        return new Statement.ImportForeignSchema(
                text, from, to, remote, limit, List.copyOf(names), server, local, options());
    }

    private QueryException unsupported(String what) {
        return new QueryException(SqlState.FEATURE_NOT_SUPPORTED, what + " are not supported")
                .withPosition(in.position(in.peek()));
    }
}
