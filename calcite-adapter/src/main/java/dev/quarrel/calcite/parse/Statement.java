package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.ClientCommand;
import dev.quarrel.calcite.CopyOptions;
import dev.quarrel.core.table.Counter;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import org.apache.calcite.sql.SqlNode;

/// One statement of a SQL text, parsed but with its names not yet resolved.
///
/// All cases have the whole text that was sent, and where the statement begins and ends in it (Java string
/// indexes, without the semicolon): positions in errors count from the beginning of the whole text, as in
/// PostgreSQL.
public sealed interface Statement {
    String text();

    int start();

    int end();

    /// The statement alone.
    default String sql() {
        return text().substring(start(), end());
    }

    /// What a statement raises that would write where nothing is written: 25006.
    static QueryException readOnly(String commandTag) {
        return new QueryException(
                SqlState.READ_ONLY_SQL_TRANSACTION, "cannot execute " + commandTag + " in a read-only transaction");
    }

    /// What CommandComplete says, without a row count: `SELECT` is followed by one.
    String commandTag();

    /// A query: SELECT, VALUES, TABLE or WITH … .
    final class Query implements Statement {
        private final String text;
        private final int start;
        private final int end;
        private final QueryTree tree;
        private final int parameterCount;
        private StatementShape shape;

        Query(String text, int start, int end, SqlNode node, int parameterCount) {
            this(text, start, end, new QueryTree(node), parameterCount, null);
        }

        private Query(String text, int start, int end, QueryTree tree, int parameterCount, StatementShape shape) {
            this.text = text;
            this.start = start;
            this.end = end;
            this.tree = tree;
            this.parameterCount = parameterCount;
            this.shape = shape;
        }

        /// A query of the shape of one that was read before, which is not read again unless it must be.
        ///
        /// @param text that one statement alone
        public static Query like(StatementShape shape, int parameterCount, String text) {
            QueryTree tree =
                    new QueryTree(() -> ((Query) StatementReader.read(text).getFirst()).node());
            return new Query(text, shape.start(), shape.end(), tree, parameterCount, shape);
        }

        @Override
        public String text() {
            return text;
        }

        @Override
        public int start() {
            return start;
        }

        @Override
        public int end() {
            return end;
        }

        /// The syntax tree.
        ///
        /// - Errors: the parser's, where the text was not read yet.
        public SqlNode node() {
            return tree.node();
        }

        /// The highest n of `$n`, 0 without parameters.
        public int parameterCount() {
            return parameterCount;
        }

        /// The statement's text without its literals; its places count from the beginning of the whole text.
        public StatementShape shape() {
            if (shape == null) {
                shape = StatementShape.of(text, start, end);
            }
            return shape;
        }

        @Override
        public String commandTag() {
            return "SELECT";
        }
    }

    /// EXPLAIN of a query.
    record Explain(String text, int start, int end, ExplainOptions options, Query query) implements Statement {
        /// The query of a statement that is one, makes a table of its rows, or adds them to one; null for others.
        public static Query query(Statement statement) {
            return switch (statement) {
                case Query query -> query;
                case CreateTableAs made -> made.query();
                case Insert insert -> insert.query();
                default -> null;
            };
        }

        @Override
        public String commandTag() {
            return "EXPLAIN";
        }
    }

    /// EXPLAIN of EXECUTE.
    record ExplainExecute(String text, int start, int end, ExplainOptions options, Execute execute)
            implements Statement {
        @Override
        public String commandTag() {
            return "EXPLAIN";
        }
    }

    /// SET name TO values and its variants: `SET TIME ZONE x` sets `timezone`, `SET NAMES x` sets
    /// `client_encoding`.
    ///
    /// @param name lower case, with dots
    /// @param values as text; empty means DEFAULT
    /// @param local whether until the end of the transaction only
    record Set(String text, int start, int end, String name, List<String> values, boolean local) implements Statement {
        public Set {
            values = List.copyOf(values);
        }

        @Override
        public String commandTag() {
            return "SET";
        }
    }

    /// SET TRANSACTION, or SET SESSION CHARACTERISTICS AS TRANSACTION with `session` true.
    record SetTransaction(String text, int start, int end, boolean session, TransactionModes modes)
            implements Statement {
        @Override
        public String commandTag() {
            return "SET";
        }
    }

    /// @param name lower case, with dots; `all` for SHOW ALL
    record Show(String text, int start, int end, String name) implements Statement {
        @Override
        public String commandTag() {
            return "SHOW";
        }
    }

    /// @param name lower case, with dots; `all` for RESET ALL
    record Reset(String text, int start, int end, String name) implements Statement {
        @Override
        public String commandTag() {
            return "RESET";
        }
    }

    record Begin(String text, int start, int end, boolean startTransaction, TransactionModes modes)
            implements Statement {
        @Override
        public String commandTag() {
            return startTransaction ? "START TRANSACTION" : "BEGIN";
        }
    }

    /// COMMIT or END.
    record Commit(String text, int start, int end, boolean chain) implements Statement {
        @Override
        public String commandTag() {
            return "COMMIT";
        }
    }

    /// ROLLBACK or ABORT.
    record Rollback(String text, int start, int end, boolean chain) implements Statement {
        @Override
        public String commandTag() {
            return "ROLLBACK";
        }
    }

    record Savepoint(String text, int start, int end, Action action, String name) implements Statement {
        public enum Action {
            SAVEPOINT,
            RELEASE,
            ROLLBACK_TO
        }

        @Override
        public String commandTag() {
            return switch (action) {
                case SAVEPOINT -> "SAVEPOINT";
                case RELEASE -> "RELEASE";
                case ROLLBACK_TO -> "ROLLBACK";
            };
        }
    }

    /// @param what ALL, PLANS, SEQUENCES or TEMP
    record Discard(String text, int start, int end, String what) implements Statement {
        @Override
        public String commandTag() {
            return "DISCARD " + what;
        }
    }

    /// @param name of the prepared statement; null for DEALLOCATE ALL
    record Deallocate(String text, int start, int end, String name) implements Statement {
        @Override
        public String commandTag() {
            return name == null ? "DEALLOCATE ALL" : "DEALLOCATE";
        }
    }

    /// COPY … TO STDOUT of a query's rows, or of a table's.
    ///
    /// @param columns of the table that are listed; empty for all, and for a query
    /// @param qualifiedTable whose rows they are, and the schema before it; empty for a query
    record Copy(
            String text,
            int start,
            int end,
            Query query,
            List<String> qualifiedTable,
            List<String> columns,
            CopyOptions options)
            implements Statement {
        public Copy {
            qualifiedTable = List.copyOf(qualifiedTable);
            columns = List.copyOf(columns);
        }

        /// The table's own name; null for a query.
        public String table() {
            return qualifiedTable.isEmpty() ? null : qualifiedTable.getLast();
        }

        /// A query of all columns of the table.
        public Query allColumns() {
            return CopyReader.table(qualifiedTable, List.of());
        }

        @Override
        public String commandTag() {
            return "COPY";
        }
    }

    /// How the rows of a COPY … FROM are written, and what becomes of wrong ones.
    ///
    /// @param matchesHeader whether the header must have the columns' names
    /// @param forceNull columns whose values in quotes may be NULL; null for all
    /// @param forceNotNull columns whose values without quotes are never NULL; null for all
    /// @param skipsErrors whether rows are left out that have a value which is none of its type
    /// @param rejectLimit how many of these are too many; 0 for none
    /// @param isQuiet whether nothing is said of them
    record CopyRules(
            CopyOptions options,
            boolean matchesHeader,
            java.util.Set<String> forceNull,
            java.util.Set<String> forceNotNull,
            boolean skipsErrors,
            long rejectLimit,
            boolean isQuiet) {}

    /// COPY … FROM a file of the server's machine, or what the client sends.
    ///
    /// @param table and the schema before it
    /// @param columns that are listed; empty for all
    /// @param file null for STDIN
    record CopyFrom(
            String text, int start, int end, List<String> table, List<String> columns, String file, CopyRules rules)
            implements Statement {
        public CopyFrom {
            table = List.copyOf(table);
            columns = List.copyOf(columns);
        }

        @Override
        public String commandTag() {
            return "COPY";
        }

        /// What it raises where nothing is written: PostgreSQL's for who may read no files, and for a standby.
        public QueryException refused() {
            return file == null ? Statement.readOnly("COPY FROM") : CopyReader.fileRefused(true, false);
        }
    }

    record Declare(
            String text,
            int start,
            int end,
            String name,
            boolean isBinary,
            Boolean isScrollable,
            boolean isHeld,
            Query query)
            implements Statement {
        @Override
        public String commandTag() {
            return "DECLARE CURSOR";
        }
    }

    /// FETCH or MOVE.
    record Fetch(String text, int start, int end, ClientCommand.Fetch command) implements Statement {
        @Override
        public String commandTag() {
            return command.isMove() ? "MOVE" : "FETCH";
        }
    }

    /// @param name null for CLOSE ALL
    record Close(String text, int start, int end, String name) implements Statement {
        @Override
        public String commandTag() {
            return name == null ? "CLOSE CURSOR ALL" : "CLOSE CURSOR";
        }
    }

    /// @param types of the parameters, as written
    /// @param query or an INSERT
    record Prepare(String text, int start, int end, String name, List<ClientCommand.Written> types, Statement query)
            implements Statement {
        @Override
        public String commandTag() {
            return "PREPARE";
        }
    }

    /// @param arguments as written
    record Execute(String text, int start, int end, String name, List<ClientCommand.Written> arguments)
            implements Statement {
        @Override
        public String commandTag() {
            return "EXECUTE";
        }
    }

    /// LOCK TABLE … IN ACCESS SHARE MODE: rows that nobody changes need no lock.
    ///
    /// @param tables a query of each
    record LockTables(String text, int start, int end, List<Query> tables) implements Statement {
        public LockTables {
            tables = List.copyOf(tables);
        }

        @Override
        public String commandTag() {
            return "LOCK TABLE";
        }
    }

    /// A statement that does nothing here, such as UNLISTEN.
    record Nothing(String text, int start, int end, String commandTag) implements Statement {}

    /// A statement that was read whole, and cannot be run.
    record Refused(String text, int start, int end, String commandTag, QueryException error) implements Statement {}

    /// A column as CREATE FOREIGN TABLE writes it.
    ///
    /// @param type as written
    /// @param options in their order
    record ForeignColumn(String name, String type, boolean isNotNull, SequencedMap<String, String> options) {}

    /// CREATE FOREIGN TABLE.
    ///
    /// @param name the table's, and the schema before it
    /// @param columns none for those of the files
    record CreateForeignTable(
            String text,
            int start,
            int end,
            List<String> name,
            boolean ifNotExists,
            List<ForeignColumn> columns,
            String server,
            SequencedMap<String, String> options)
            implements Statement {
        @Override
        public String commandTag() {
            return "CREATE FOREIGN TABLE";
        }
    }

    /// DROP FOREIGN TABLE.
    ///
    /// @param names each with the schema before it
    record DropForeignTable(String text, int start, int end, List<List<String>> names, boolean ifExists)
            implements Statement {
        @Override
        public String commandTag() {
            return "DROP FOREIGN TABLE";
        }
    }

    /// IMPORT FOREIGN SCHEMA: a table of that name over the files that the options say.
    ///
    /// @param limit whether `names` are the only tables that are wanted, else those that are not
    /// @param names empty for all
    record ImportForeignSchema(
            String text,
            int start,
            int end,
            String remote,
            boolean limit,
            List<String> names,
            String server,
            String local,
            SequencedMap<String, String> options)
            implements Statement {
        @Override
        public String commandTag() {
            return "IMPORT FOREIGN SCHEMA";
        }
    }

    /// A statement that makes tables and views, drops them, says something of them, or adds rows.
    sealed interface Definition extends Statement {}

    /// A part of what CREATE TABLE has between parentheses.
    sealed interface TableElement {}

    /// A column as CREATE TABLE writes it.
    ///
    /// @param type as written
    ///
    /// @param byDefault null for none
    /// @param counted null for a column without a counter
    /// @param keys of this column alone
    record ColumnDefinition(
            String name,
            String type,
            boolean isNotNull,
            WrittenDefault byDefault,
            CountedColumn counted,
            List<KeyDefinition> keys)
            implements TableElement {}

    /// DEFAULT of a column.
    ///
    /// @param sql the expression
    /// @param string where it is a string and nothing else, its value; else null
    record WrittenDefault(String sql, String string) {}

    /// SERIAL, or GENERATED … AS IDENTITY.
    record CountedColumn(Counter.Kind kind, long start, long increment) {}

    /// PRIMARY KEY or UNIQUE.
    ///
    /// @param name null where none is given
    record KeyDefinition(String name, boolean isPrimary, List<String> columns) implements TableElement {}

    /// LIKE: the columns of another table.
    ///
    /// @param table its name, and the schema before it
    ///
    /// @param included what of the table is taken beside its columns, in lower case: `defaults`,
    ///     `identity`, `indexes`
    record LikeTable(List<String> table, java.util.Set<String> included) implements TableElement {}

    /// CREATE TABLE of columns.
    ///
    /// @param name the table's, and the schema before it
    /// @param dropsAtCommit whether the table is there for the transaction alone
    record CreateTable(
            String text,
            int start,
            int end,
            List<String> name,
            boolean ifNotExists,
            List<TableElement> elements,
            boolean dropsAtCommit)
            implements Definition {
        @Override
        public String commandTag() {
            return "CREATE TABLE";
        }
    }

    /// CREATE TABLE … AS, and SELECT … INTO.
    ///
    /// @param name the table's, and the schema before it
    /// @param columns names; the query has those of the rest
    /// @param query its rows
    /// @param dropsAtCommit whether the table is there for the transaction alone
    record CreateTableAs(
            String text,
            int start,
            int end,
            List<String> name,
            boolean ifNotExists,
            List<String> columns,
            Query query,
            boolean withData,
            boolean dropsAtCommit,
            boolean isSelectInto)
            implements Definition {
        @Override
        public String commandTag() {
            return isSelectInto ? "SELECT INTO" : "CREATE TABLE AS";
        }
    }

    /// CREATE VIEW.
    ///
    /// @param name the view's, and the schema before it
    /// @param columns names; the query has those of the rest
    record CreateView(
            String text, int start, int end, List<String> name, boolean orReplace, List<String> columns, Query query)
            implements Definition {
        @Override
        public String commandTag() {
            return "CREATE VIEW";
        }
    }

    /// DROP TABLE, or DROP VIEW.
    ///
    /// @param names each with the schema before it
    /// @param cascade whether views that read them go, too
    record DropRelations(
            String text,
            int start,
            int end,
            boolean isView,
            List<List<String>> names,
            boolean ifExists,
            boolean cascade)
            implements Definition {
        @Override
        public String commandTag() {
            return isView ? "DROP VIEW" : "DROP TABLE";
        }
    }

    /// COMMENT ON TABLE, VIEW, FOREIGN TABLE or COLUMN.
    ///
    /// @param kind what it is said to be: `table`, `view`, `foreign table` or `column`
    /// @param name the relation's, and the schema before it
    /// @param column null for the relation itself
    /// @param comment null to take it away
    record Comment(String text, int start, int end, String kind, List<String> name, String column, String comment)
            implements Definition {
        @Override
        public String commandTag() {
            return "COMMENT";
        }
    }

    /// INSERT of a query's rows.
    ///
    /// @param name the table's, and the schema before it
    /// @param columns that are listed; empty for all
    /// @param query whose rows have NULL in place of DEFAULT
    /// @param values what is said of them beside
    record Insert(
            String text,
            int start,
            int end,
            List<String> name,
            List<String> columns,
            Query query,
            InsertedValues values,
            OnConflict conflict,
            Returning returning)
            implements Definition {
        public Insert(String text, int start, int end, List<String> name, List<String> columns, Query query) {
            this(text, start, end, name, columns, query, InsertedValues.AS_THEY_ARE, null, null);
        }

        @Override
        public String commandTag() {
            return "INSERT";
        }
    }

    /// What an INSERT says of its values.
    ///
    /// @param defaulted the places, from 0, of those that are DEFAULT in all rows
    /// @param mixed the places of those that are DEFAULT in some rows
    /// @param literal those of them that are literals in the other rows, and not NULL
    /// @param remade the query with expressions in place of DEFAULT
    /// @param overriding SYSTEM or USER; null where nothing is said
    record InsertedValues(
            java.util.Set<Integer> defaulted,
            java.util.Set<Integer> mixed,
            java.util.Set<Integer> literal,
            RemadeValues remade,
            String overriding) {
        public static final InsertedValues AS_THEY_ARE =
                new InsertedValues(java.util.Set.of(), java.util.Set.of(), java.util.Set.of(), null, null);
    }

    /// Rows in which DEFAULT is an expression.
    @FunctionalInterface
    interface RemadeValues {
        /// @param expressions of a place; `NULL` where there is none
        Query of(IntFunction<String> expressions);
    }

    /// RETURNING, as a query of its list.
    @FunctionalInterface
    interface Returning {
        /// @param relation whose rows are returned, schema and name; it has the table's columns, and is called as it
        Query of(List<String> relation);
    }

    /// ON CONFLICT.
    ///
    /// @param columns of the key that is meant; empty where none are named
    /// @param constraint the key's name; null where none is given
    /// @param targets the columns that DO UPDATE assigns; null for DO NOTHING
    /// @param changed where the rows lie that it changes, and what they become
    record OnConflict(
            List<String> columns,
            String constraint,
            List<String> targets,
            java.util.Set<String> defaulted,
            MetRows changed) {
        public boolean isNothing() {
            return targets == null;
        }
    }

    /// The rows that ON CONFLICT DO UPDATE makes of those that rows to insert meet.
    @FunctionalInterface
    interface MetRows {
        /// @param columns as of [ChangedRows]
        /// @param key its columns
        /// @param excluded the name of the rows to insert
        Query of(List<String> columns, List<String> key, List<String> excluded, UnaryOperator<String> expressions);
    }

    /// DELETE.
    ///
    /// @param name the table's, and the schema before it
    /// @param found where the rows lie that go ([dev.quarrel.core.arrow.dataset.FoundRows]), some more than once
    ///     perhaps; null for all of them. With RETURNING its other columns are what is returned.
    /// @param returned these columns alone; null where nothing is returned
    record Delete(String text, int start, int end, List<String> name, Query found, Query returned)
            implements Definition {
        public boolean isReturning() {
            return returned != null;
        }

        @Override
        public String commandTag() {
            return "DELETE";
        }
    }

    /// UPDATE.
    ///
    /// @param name the table's, and the schema before it
    /// @param targets the columns that are assigned
    /// @param defaulted those of them that are assigned DEFAULT
    /// @param changed where the rows lie that it changes, and what they become
    /// @param returning what is returned of these; null for nothing
    record Update(
            String text,
            int start,
            int end,
            List<String> name,
            List<String> targets,
            java.util.Set<String> defaulted,
            ChangedRows changed,
            Returning returning)
            implements Definition {
        @Override
        public String commandTag() {
            return "UPDATE";
        }
    }

    /// MERGE.
    ///
    /// @param name the table's, and the schema before it
    /// @param pairs rows of the table with those of the source that they match; for its errors alone
    /// @param clauses in their order
    record Merge(String text, int start, int end, List<String> name, Query pairs, List<MergeClause> clauses)
            implements Definition {
        @Override
        public String commandTag() {
            return "MERGE";
        }
    }

    /// What becomes of some rows of a MERGE. Clauses are about different ones.
    sealed interface MergeClause {}

    /// DO NOTHING.
    ///
    /// @param rows for the errors of its condition alone
    record MergeNothing(Query rows) implements MergeClause {}

    /// @param found as of [Delete]
    record MergeDelete(Query found) implements MergeClause {}

    /// As [Update].
    record MergeUpdate(List<String> targets, java.util.Set<String> defaulted, ChangedRows changed)
            implements MergeClause {}

    /// @param columns that are listed; empty for the first ones
    /// @param valueCount of each row
    /// @param defaulted the places of the values that are DEFAULT
    record MergeInsert(List<String> columns, int valueCount, java.util.Set<Integer> defaulted, Query rows)
            implements MergeClause {}

    /// The rows that an UPDATE makes.
    @FunctionalInterface
    interface ChangedRows {
        /// @param columns all those of the table, in their order, which follow the one that says where a row lay
        /// @param expressions what a column is that is assigned DEFAULT
        Query of(List<String> columns, UnaryOperator<String> expressions);
    }

    /// CREATE SCHEMA.
    record CreateSchema(String text, int start, int end, String name, boolean ifNotExists) implements Definition {
        @Override
        public String commandTag() {
            return "CREATE SCHEMA";
        }
    }

    /// DROP SCHEMA.
    ///
    /// @param cascade whether what is in them goes, too
    record DropSchemas(String text, int start, int end, List<String> names, boolean ifExists, boolean cascade)
            implements Definition {
        @Override
        public String commandTag() {
            return "DROP SCHEMA";
        }
    }

    /// TRUNCATE.
    ///
    /// @param names each with the schema before it
    ///
    /// @param restarts whether counters begin again
    record Truncate(String text, int start, int end, List<List<String>> names, boolean restarts) implements Definition {
        @Override
        public String commandTag() {
            return "TRUNCATE TABLE";
        }
    }

    /// CREATE INDEX, VACUUM and ANALYZE: what tables are asked of which need nothing of it.
    ///
    /// @param index the name of the index; null for the others, and where it is to be made up
    record Upkeep(String text, int start, int end, String commandTag, String index, List<Kept> tables)
            implements Definition {
        public boolean isIndex() {
            return commandTag.equals("CREATE INDEX");
        }
    }

    /// A table of which it is asked.
    ///
    /// @param name with the schema before it
    /// @param columns that are named
    record Kept(List<String> name, List<String> columns) {}

    /// DROP INDEX.
    ///
    /// @param names each with the schema before it
    record DropIndexes(String text, int start, int end, List<List<String>> names, boolean ifExists)
            implements Definition {
        @Override
        public String commandTag() {
            return "DROP INDEX";
        }
    }

    /// CREATE UNIQUE INDEX.
    ///
    /// @param index its name; null where none is given
    record CreateUniqueIndex(
            String text,
            int start,
            int end,
            String index,
            boolean ifNotExists,
            List<String> table,
            List<String> columns)
            implements Definition {
        @Override
        public String commandTag() {
            return "CREATE INDEX";
        }
    }

    /// ALTER TABLE, VIEW or FOREIGN TABLE, as far as it changes no row.
    ///
    /// @param kind what it is said to be: `table`, `view` or `foreign table`
    /// @param name the relation's, and the schema before it
    record AlterRelation(
            String text, int start, int end, String kind, List<String> name, boolean ifExists, Alteration alteration)
            implements Definition {
        @Override
        public String commandTag() {
            return "ALTER " + kind.toUpperCase(java.util.Locale.ROOT);
        }
    }

    /// What ALTER changes.
    sealed interface Alteration {}

    /// RENAME TO.
    record RenameTo(String name) implements Alteration {}

    /// SET SCHEMA.
    record SetSchema(String name) implements Alteration {}

    /// ADD COLUMN.
    record AddColumn(ColumnDefinition column, boolean ifNotExists) implements Alteration {}

    /// ADD PRIMARY KEY or UNIQUE.
    record AddKey(KeyDefinition key) implements Alteration {}

    /// DROP CONSTRAINT.
    record DropConstraint(String constraint, boolean ifExists) implements Alteration {}

    /// ALTER COLUMN … SET DEFAULT, or DROP DEFAULT.
    ///
    /// @param byDefault null for none
    record SetDefault(String column, WrittenDefault byDefault) implements Alteration {}

    /// ALTER COLUMN … SET NOT NULL, or DROP NOT NULL.
    record SetNotNull(String column, boolean isNotNull) implements Alteration {}

    /// A statement that would write in a way that is not built.
    ///
    /// @param error what it raises where anything is written at all
    record Unbuilt(String text, int start, int end, String commandTag, QueryException error) implements Definition {}

    /// A statement that would write. The reader checks only its first words.
    record ReadOnlyRejected(String text, int start, int end, String commandTag) implements Statement {
        /// What running it raises: 25006.
        public QueryException error() {
            return readOnly(commandTag);
        }

        /// What it raises where other statements write.
        public QueryException unsupported() {
            return new QueryException(SqlState.FEATURE_NOT_SUPPORTED, commandTag + " is not supported");
        }
    }

    /// A PostgreSQL statement that Quarrel does not support.
    record Unsupported(String text, int start, int end, String commandTag) implements Statement {
        /// What running it raises: 0A000.
        public QueryException error() {
            return new QueryException(SqlState.FEATURE_NOT_SUPPORTED, commandTag + " is not supported")
                    .withPosition(Positions.of(text, start));
        }
    }

    /// An empty statement: nothing but blanks, comments and semicolons.
    record Empty(String text, int start, int end) implements Statement {
        @Override
        public String commandTag() {
            return "";
        }
    }

    /// The transaction modes that BEGIN and SET TRANSACTION ask for; null for those that they do not mention.
    ///
    /// @param isolation `serializable`, `repeatable read`, `read committed` or `read uncommitted`
    record TransactionModes(String isolation, Boolean readOnly, Boolean deferrable) {}
}
