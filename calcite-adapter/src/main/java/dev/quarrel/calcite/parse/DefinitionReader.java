package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.parse.Lexeme.Kind;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// Reads statements that make schemas, tables and views, change and drop them, say something of them, or write
/// rows.
///
/// - Errors: 42601. What PostgreSQL has in such statements and Quarrel has not is a [Statement.Unbuilt].
/// - Source: PostgreSQL 18's `gram.y`: `CreateStmt`, `CreateAsStmt`, `ViewStmt`, `DropStmt`, `CommentStmt`,
///   `InsertStmt`, `into_clause`, `CreateSchemaStmt`, `TruncateStmt`, `AlterTableStmt`, `RenameStmt`.
final class DefinitionReader {
    private final LexemeReader in;
    private final String text;
    private final int from;
    private final int to;

    DefinitionReader(LexemeReader in, int from, int to) {
        this.in = in;
        this.text = in.text();
        this.from = from;
        this.to = to;
    }

    /// What is not built.
    static final class NotBuilt extends RuntimeException {
        private static final long serialVersionUID = 1;

        NotBuilt(String what) {
            super(what, null, false, false);
        }
    }

    /// The statement, or null where another one begins.
    Statement read() {
        Lexeme first = in.peek();
        return switch (first.kind() == Kind.WORD ? first.text() : "") {
            case "create" -> create();
            case "drop" -> {
                if (in.next(1).isWord("schema")) {
                    yield dropSchemas();
                }
                if (in.next(1).isWord("index")) {
                    yield new UpkeepReader(in, from, to).dropIndexes();
                }
                yield in.next(1).isWord("table") || in.next(1).isWord("view") ? drop() : null;
            }
            case "alter" -> alter();
            case "vacuum", "analyze", "analyse" -> new UpkeepReader(in, from, to).upkeep();
            case "truncate" -> built("TRUNCATE TABLE", this::truncate);
            case "comment" -> comment();
            case "insert" -> built("INSERT", new InsertReader(in, from, to)::insert);
            case "delete" -> built("DELETE", new ChangeReader(in, from, to)::delete);
            case "update" -> built("UPDATE", new ChangeReader(in, from, to)::update);
            case "merge" -> built("MERGE", new ChangeReader(in, from, to)::merge);
            default -> null;
        };
    }

    interface Part {
        Statement read();
    }

    private Statement built(String tag, Part part) {
        try {
            return part.read();
        } catch (NotBuilt what) {
            in.skipAll();
            return new Statement.Unbuilt(
                    text,
                    from,
                    to,
                    tag,
                    new QueryException(SqlState.FEATURE_NOT_SUPPORTED, what.getMessage() + " is not supported"));
        }
    }

    private Statement create() {
        if (in.next(1).isWord("schema")) {
            in.skip(2);
            return built("CREATE SCHEMA", this::createSchema);
        }
        if (in.next(1).isWord("index")
                || in.next(1).isWord("unique") && in.next(2).isWord("index")) {
            return built("CREATE INDEX", new UpkeepReader(in, from, to)::createIndex);
        }
        int next = 1;
        boolean orReplace = in.next(1).isWord("or") && in.next(2).isWord("replace");
        next += orReplace ? 2 : 0;
        boolean isTemporary = false;
        while (Set.of("temp", "temporary", "global", "local", "unlogged")
                .contains(in.next(next).text())) {
            isTemporary |= in.next(next).text().startsWith("temp");
            next++;
        }
        boolean isView = in.next(next).isWord("view");
        if (!isView && !in.next(next).isWord("table") || !isView && orReplace) {
            return null;
        }
        in.skip(next + 1);
        boolean isNotKept = isTemporary;
        return isView
                ? built("CREATE VIEW", () -> view(orReplace, isNotKept))
                : built("CREATE TABLE", () -> table(isNotKept));
    }

    private Statement table(boolean isTemporary) {
        boolean ifNotExists = in.acceptIfNotExists();
        List<String> name = isTemporary ? temporary(in.qualifiedName()) : in.qualifiedName();
        List<String> columnNames = List.of();
        if (in.peek().isSymbol("(")) {
            if (!isNameList()) {
                return table(name, ifNotExists);
            }
            columnNames = in.namesInParentheses();
        }
        boolean dropsAtCommit = tableOptions(name);
        if (in.isAnyWord("of", "partition")) {
            throw new NotBuilt(in.peek().text().toUpperCase(Locale.ROOT) + " of a table");
        }
        in.expectWord("as");
        if (in.isAnyWord("execute")) {
            throw new NotBuilt("CREATE TABLE AS EXECUTE");
        }
        int end = in.end();
        boolean withData = true;
        if (in.lexeme(end - 1).isWord("data")) {
            boolean isNo = in.lexeme(end - 2).isWord("no");
            int with = end - (isNo ? 3 : 2);
            if (in.lexeme(with).isWord("with")) {
                withData = !isNo;
                end = with;
            }
        }
        Statement.Query query = in.query(end);
        in.skipAll();
        return new Statement.CreateTableAs(
                text, from, to, name, ifNotExists, columnNames, query, withData, dropsAtCommit, false);
    }

    /// Whether the parentheses that open here have names alone.
    private boolean isNameList() {
        int end = in.closingParenthesis();
        return end > in.place() + 1 && (in.next(2).isSymbol(",") || in.next(2).isSymbol(")"));
    }

    /// A table's place in the session's own schema.
    private static List<String> temporary(List<String> name) {
        if (name.size() > 1 && !name.get(name.size() - 2).equals(Catalog.TEMPORARY_SCHEMA)) {
            throw new QueryException(
                    SqlState.INVALID_TABLE_DEFINITION, "cannot create temporary relation in non-temporary schema");
        }
        return List.of(Catalog.TEMPORARY_SCHEMA, name.getLast());
    }

    /// What has no meaning here, and ON COMMIT.
    ///
    /// @return whether the table goes with the transaction
    private boolean tableOptions(List<String> name) {
        if (in.acceptWord("using")) {
            in.name();
        }
        if (in.peek().isWord("with") && in.next(1).isSymbol("(")) {
            in.skip(1);
            in.skip(in.closingParenthesis() - in.place() + 1);
        }
        if (in.peek().isWord("without") && in.next(1).isWord("oids")) {
            in.skip(2);
        }
        boolean isDropped = in.peek().isWord("on") && in.next(1).isWord("commit") && onCommit(name);
        if (in.acceptWord("tablespace")) {
            in.name();
        }
        return isDropped;
    }

    private boolean onCommit(List<String> name) {
        in.skip(2);
        if (!name.getFirst().equals(Catalog.TEMPORARY_SCHEMA)) {
            throw new QueryException(
                    SqlState.INVALID_TABLE_DEFINITION, "ON COMMIT can only be used on temporary tables");
        }
        if (in.acceptWord("drop")) {
            return true;
        }
        if (in.isAnyWord("delete")) {
            throw new NotBuilt("ON COMMIT DELETE ROWS");
        }
        in.expectWord("preserve");
        in.expectWord("rows");
        return false;
    }

    private Statement table(List<String> name, boolean ifNotExists) {
        List<Statement.TableElement> columns = new ArrayList<>();
        in.expectSymbol("(");
        if (in.peek().isSymbol(")")) {
            throw new NotBuilt("a table without columns");
        }
        do {
            columns.add(in.acceptWord("like") ? like() : new ColumnReader(in, name.getLast()).element());
        } while (in.acceptSymbol(","));
        in.expectSymbol(")");
        if (in.isAnyWord("inherits", "partition")) {
            throw new NotBuilt(in.peek().text().toUpperCase(Locale.ROOT) + " of a table");
        }
        boolean dropsAtCommit = tableOptions(name);
        return new Statement.CreateTable(text, from, to, name, ifNotExists, List.copyOf(columns), dropsAtCommit);
    }

    private Statement.LikeTable like() {
        List<String> table = in.qualifiedName();
        Set<String> included = new HashSet<>();
        while (in.isAnyWord("including", "excluding")) {
            boolean isIncluded = in.acceptWord("including");
            in.skip(isIncluded ? 0 : 1);
            String part = in.name();
            Set<String> parts = part.equals("all") ? Set.of("defaults", "identity", "indexes") : Set.of(part);
            if (isIncluded) {
                included.addAll(parts);
            } else {
                included.removeAll(parts);
            }
        }
        return new Statement.LikeTable(List.copyOf(table), Set.copyOf(included));
    }

    private Statement view(boolean orReplace, boolean isTemporary) {
        List<String> name = isTemporary ? temporary(in.qualifiedName()) : in.qualifiedName();
        List<String> columns = in.peek().isSymbol("(") ? in.namesInParentheses() : List.of();
        if (in.peek().isWord("with") && in.next(1).isSymbol("(")) {
            throw new NotBuilt("WITH of a view");
        }
        in.expectWord("as");
        int end = in.end();
        if (in.lexeme(end - 1).isWord("option") && in.lexeme(end - 2).isWord("check")) {
            throw new NotBuilt("WITH CHECK OPTION");
        }
        return new Statement.CreateView(text, from, to, name, orReplace, columns, in.query());
    }

    private Statement drop() {
        boolean isView = in.next(1).isWord("view");
        in.skip(2);
        boolean ifExists = in.acceptIfExists();
        List<List<String>> names = in.qualifiedNames();
        return new Statement.DropRelations(text, from, to, isView, List.copyOf(names), ifExists, acceptCascade());
    }

    private Statement createSchema() {
        boolean ifNotExists = in.acceptIfNotExists();
        String name = in.isAnyWord("authorization") ? in.next(1).text() : in.name();
        if (in.acceptWord("authorization")) {
            in.name(); // whoever may create in it has it
        }
        if (!in.isAtEnd()) {
            throw new NotBuilt("CREATE SCHEMA with what is in it");
        }
        return new Statement.CreateSchema(text, from, to, name, ifNotExists);
    }

    private Statement dropSchemas() {
        in.skip(2);
        boolean ifExists = in.acceptIfExists();
        List<String> names = new ArrayList<>();
        do {
            names.add(in.name());
        } while (in.acceptSymbol(","));
        return new Statement.DropSchemas(text, from, to, List.copyOf(names), ifExists, acceptCascade());
    }

    private boolean acceptCascade() {
        boolean cascade = in.acceptWord("cascade");
        if (!cascade) {
            in.acceptWord("restrict");
        }
        return cascade;
    }

    private Statement truncate() {
        in.skip(1);
        in.acceptWord("table");
        List<List<String>> names = new ArrayList<>();
        do {
            in.acceptWord("only");
            names.add(List.copyOf(in.qualifiedName()));
            in.acceptSymbol("*");
        } while (in.acceptSymbol(","));
        boolean restarts = in.isAnyWord("restart");
        if (in.isAnyWord("restart", "continue")) {
            in.skip(1);
            in.expectWord("identity");
        }
        acceptCascade(); // nothing refers to a table's rows
        return new Statement.Truncate(text, from, to, List.copyOf(names), restarts);
    }

    private Statement alter() {
        boolean isForeign = in.next(1).isWord("foreign") && in.next(2).isWord("table");
        if (!isForeign && !in.next(1).isWord("table") && !in.next(1).isWord("view")) {
            return null;
        }
        String kind = isForeign ? "foreign table" : in.next(1).text();
        in.skip(isForeign ? 3 : 2);
        return built("ALTER " + kind.toUpperCase(Locale.ROOT), () -> alter(kind));
    }

    private Statement alter(String kind) {
        boolean ifExists = in.acceptIfExists();
        in.acceptWord("only");
        List<String> name = in.qualifiedName();
        in.acceptSymbol("*");
        return new Statement.AlterRelation(
                text, from, to, kind, List.copyOf(name), ifExists, alteration(kind, name.getLast()));
    }

    private Statement.Alteration alteration(String kind, String name) {
        if (in.peek().isWord("rename") && in.next(1).isWord("to")) {
            in.skip(2);
            return new Statement.RenameTo(in.name());
        }
        if (in.peek().isWord("set") && in.next(1).isWord("schema")) {
            in.skip(2);
            return new Statement.SetSchema(in.name());
        }
        Statement.Alteration alteration = kind.equals("table") ? ofTable(name) : null;
        if (alteration == null) {
            throw new NotBuilt(notBuilt(kind));
        }
        if (!in.isAtEnd()) {
            throw new NotBuilt("more than one change in ALTER TABLE");
        }
        return alteration;
    }

    /// What ALTER TABLE does to columns and keys; null for something else.
    private Statement.Alteration ofTable(String table) {
        ColumnReader columns = new ColumnReader(in, table);
        if (in.peek().isWord("add")) {
            in.skip(1);
            if (!in.isAnyWord("column") && columns.isConstraint()) {
                return new Statement.AddKey(columns.constraint());
            }
            in.acceptWord("column");
            boolean ifNotExists = in.acceptIfNotExists();
            return new Statement.AddColumn(columns.column(), ifNotExists);
        }
        if (in.peek().isWord("drop") && in.next(1).isWord("constraint")) {
            in.skip(2);
            boolean ifExists = in.acceptIfExists();
            String name = in.name();
            acceptCascade(); // nothing refers to a key
            return new Statement.DropConstraint(name, ifExists);
        }
        return in.peek().isWord("alter") ? ofColumn(columns) : null;
    }

    /// `ALTER [COLUMN] column …`; null for what is not built.
    private Statement.Alteration ofColumn(ColumnReader columns) {
        int name = in.next(1).isWord("column") ? 2 : 1;
        Lexeme verb = in.next(name + 1);
        Lexeme what = in.next(name + 2);
        boolean isNotNull = what.isWord("not") && in.next(name + 3).isWord("null");
        boolean isBuilt = (verb.isWord("set") || verb.isWord("drop")) && (what.isWord("default") || isNotNull);
        if (!isBuilt) {
            return null;
        }
        in.skip(name);
        String column = in.name();
        in.skip(isNotNull ? 3 : 2);
        boolean isSet = verb.isWord("set");
        return isNotNull
                ? new Statement.SetNotNull(column, isSet)
                : new Statement.SetDefault(column, isSet ? columns.expression() : null);
    }

    /// The words of what ALTER is to do, as far as they are its own.
    private String notBuilt(String kind) {
        StringBuilder what = new StringBuilder("ALTER " + kind.toUpperCase(Locale.ROOT));
        for (int word = 0; word < 2 && in.next(word).kind() == Kind.WORD; word++) {
            what.append(' ').append(in.next(word).text().toUpperCase(Locale.ROOT));
        }
        return what.toString();
    }

    private Statement comment() {
        if (!in.next(1).isWord("on")) {
            return null;
        }
        boolean isForeign = in.next(2).isWord("foreign") && in.next(3).isWord("table");
        Lexeme what = in.next(isForeign ? 3 : 2);
        if (!what.isWord("table") && !what.isWord("view") && !what.isWord("column")) {
            return null;
        }
        in.skip(isForeign ? 4 : 3);
        List<String> name = in.qualifiedName();
        String column = null;
        if (what.isWord("column")) {
            if (name.size() < 2) {
                throw new QueryException(SqlState.SYNTAX_ERROR, "column name must be qualified")
                        .withPosition(in.position(in.lexeme(in.place() - 1)));
            }
            column = name.getLast();
            name = name.subList(0, name.size() - 1);
        }
        in.expectWord("is");
        Lexeme comment = in.peek();
        boolean isNull = comment.isWord("null");
        if (!isNull && comment.kind() != Kind.STRING) {
            throw in.syntaxError(comment);
        }
        in.skip(1);
        String said = isNull || comment.text().isEmpty() ? null : comment.text();
        String kind = isForeign ? "foreign table" : what.text();
        return new Statement.Comment(text, from, to, kind, List.copyOf(name), column, said);
    }

    /// SELECT … INTO, or null for a query without.
    Statement selectInto() {
        int into = into();
        if (into < 0) {
            return null;
        }
        int begin = in.place();
        in.skip(into + 1 - begin);
        boolean isTemporary = false;
        while (in.isAnyWord("temp", "temporary", "local", "global", "unlogged")) {
            isTemporary |= in.isAnyWord("temp", "temporary");
            in.skip(1);
        }
        in.acceptWord("table");
        List<String> name = in.qualifiedName();
        int behind = in.place();
        in.skip(begin - behind);
        return new Statement.CreateTableAs(
                text,
                from,
                to,
                isTemporary ? temporary(name) : name,
                false,
                List.of(),
                in.queryWithout(into, behind),
                true,
                false,
                true);
    }

    /// Where the first SELECT has its INTO; -1 for nowhere.
    private int into() {
        int depth = 0;
        boolean isSelect = false;
        for (int index = in.place(); index < in.end(); index++) {
            Lexeme lexeme = in.lexeme(index);
            depth += lexeme.isSymbol("(") ? 1 : lexeme.isSymbol(")") ? -1 : 0;
            if (depth > 0) {
                continue;
            }
            isSelect |= lexeme.isWord("select");
            if (lexeme.isWord("from") || lexeme.isWord("union") || lexeme.isWord("values")) {
                return -1;
            }
            if (isSelect
                    && lexeme.isWord("into")
                    && !in.lexeme(index - 1).isWord("as")
                    && !in.lexeme(index - 1).isSymbol(".")) {
                return index;
            }
        }
        return -1;
    }
}
