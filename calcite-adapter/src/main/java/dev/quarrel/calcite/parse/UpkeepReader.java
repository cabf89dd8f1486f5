package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.parse.Lexeme.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Reads statements that ask for indexes, statistics and room, which Quarrel has without them.
///
/// - Errors: 42601.
/// - Source: PostgreSQL 18's `gram.y`: `IndexStmt`, `VacuumStmt`, `AnalyzeStmt`, `DropStmt`.
final class UpkeepReader {
    private final LexemeReader in;
    private final int from;
    private final int to;

    UpkeepReader(LexemeReader in, int from, int to) {
        this.in = in;
        this.from = from;
        this.to = to;
    }

    /// What an index is called, and what it is of.
    ///
    /// @param name null where it says none
    private record Index(String name, boolean ifNotExists, List<String> table) {}

    /// Up to the columns.
    private Index index() {
        in.expectWord("index");
        in.acceptWord("concurrently");
        boolean ifNotExists = in.acceptIfNotExists();
        String name = in.peek().isWord("on") ? null : in.name();
        in.expectWord("on");
        in.acceptWord("only");
        List<String> table = List.copyOf(in.qualifiedName());
        if (in.acceptWord("using")) {
            in.name();
        }
        return new Index(name, ifNotExists, table);
    }

    /// CREATE INDEX; a unique one is a key.
    Statement createIndex() {
        in.skip(1);
        if (in.acceptWord("unique")) {
            return uniqueIndex();
        }
        Index index = index();
        List<String> columns = new ArrayList<>();
        int end = in.closingParenthesis();
        in.expectSymbol("(");
        do {
            boolean isColumn = in.peek().kind() == Kind.WORD || in.peek().kind() == Kind.QUOTED;
            if (isColumn && !in.next(1).isSymbol("(") && !in.next(1).isSymbol(".")) {
                columns.add(in.name());
            }
            skipElement(end);
        } while (in.acceptSymbol(","));
        in.expectSymbol(")");
        in.skipAll(); // what else there is to say of an index
        return new Statement.Upkeep(
                in.text(),
                from,
                to,
                "CREATE INDEX",
                index.name(),
                List.of(new Statement.Kept(index.table(), List.copyOf(columns))));
    }

    /// CREATE UNIQUE INDEX of columns.
    private Statement uniqueIndex() {
        Index index = index();
        List<String> columns = new ArrayList<>();
        in.expectSymbol("(");
        do {
            boolean isColumn = in.peek().kind() == Kind.WORD || in.peek().kind() == Kind.QUOTED;
            if (!isColumn || in.next(1).isSymbol("(")) {
                throw new DefinitionReader.NotBuilt("a unique index of an expression");
            }
            columns.add(in.name());
            if (!in.acceptWord("asc")) {
                in.acceptWord("desc");
            }
            if (!in.peek().isSymbol(",") && !in.peek().isSymbol(")")) {
                throw new DefinitionReader.NotBuilt(
                        "a unique index with " + in.peek().text());
            }
        } while (in.acceptSymbol(","));
        in.expectSymbol(")");
        if (!in.isAtEnd()) {
            throw new DefinitionReader.NotBuilt(
                    "a unique index with " + in.peek().text().toUpperCase(Locale.ROOT));
        }
        return new Statement.CreateUniqueIndex(
                in.text(), from, to, index.name(), index.ifNotExists(), index.table(), List.copyOf(columns));
    }

    private void skipElement(int end) {
        int depth = 0;
        while (in.place() < end && (depth > 0 || !in.peek().isSymbol(","))) {
            depth += in.peek().isSymbol("(") ? 1 : in.peek().isSymbol(")") ? -1 : 0;
            in.skip(1);
        }
    }

    /// VACUUM or ANALYZE.
    Statement upkeep() {
        String tag = in.peek().isWord("vacuum") ? "VACUUM" : "ANALYZE";
        in.skip(1);
        if (in.peek().isSymbol("(")) {
            in.skip(in.closingParenthesis() - in.place() + 1);
        }
        while (in.isAnyWord("full", "freeze", "verbose", "analyze", "analyse")) {
            in.skip(1);
        }
        List<Statement.Kept> tables = new ArrayList<>();
        if (!in.isAtEnd()) {
            do {
                tables.add(table());
            } while (in.acceptSymbol(","));
        }
        return new Statement.Upkeep(in.text(), from, to, tag, null, List.copyOf(tables));
    }

    private Statement.Kept table() {
        in.acceptWord("only");
        List<String> name = List.copyOf(in.qualifiedName());
        in.acceptSymbol("*");
        List<String> columns = in.peek().isSymbol("(") ? in.namesInParentheses() : List.of();
        return new Statement.Kept(name, List.copyOf(columns));
    }

    Statement dropIndexes() {
        in.skip(2);
        in.acceptWord("concurrently");
        boolean ifExists = in.acceptIfExists();
        List<List<String>> names = in.qualifiedNames();
        if (in.isAnyWord("cascade", "restrict")) {
            in.skip(1);
        }
        return new Statement.DropIndexes(in.text(), from, to, List.copyOf(names), ifExists);
    }
}
