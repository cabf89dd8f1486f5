package dev.quarrel.calcite;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.spill.QuerySpill;
import dev.quarrel.core.table.Table;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/// A session holds one client's state: its settings, its transaction and its statements. Only one thread may use
/// it at a time.
///
/// BEGIN … COMMIT hold one catalog snapshot, so that every statement inside sees the same rows, and what it has
/// changed. A statement outside of such a block is a transaction of its own, unless [#beginImplicitTransaction] says
/// that it shares one.
public interface SqlSession extends AutoCloseable {
    /// Splits and parses a text of zero or more statements.
    ///
    /// - Errors: 42601 with a position in `sql`; 25006 comes from `prepare`, for statements that would write.
    List<ParsedStatement> parse(String sql);

    /// The same, for a text that takes long.
    ///
    /// @param cancellation ends it: its reason is thrown
    default List<ParsedStatement> parse(String sql, Cancellation cancellation) {
        return parse(sql);
    }

    /// Validates and plans one statement.
    ///
    /// - Errors: `QueryException` with PostgreSQL's SQLSTATE and a position in the text that `parse` was given;
    ///   25P02 in a
    ///   failed transaction for anything but its end; 57014 after statement_timeout; 54001 for what takes too much
    ///   planning.
    ///
    /// @param parameterTypes declared types of `$1`, `$2`, …; null entries, and missing ones, are inferred
    /// @param cancellation ends the planning: its reason is thrown
    PreparedQuery prepare(ParsedStatement statement, List<PgType> parameterTypes, Cancellation cancellation);

    /// The same, for nobody to cancel.
    default PreparedQuery prepare(ParsedStatement statement, List<PgType> parameterTypes) {
        return prepare(statement, parameterTypes, new Cancellation());
    }

    /// Starts one execution.
    ///
    /// - Errors: `QueryException`; rows may also fail later, in `Execution.cursor().next()`. In a transaction
    ///   block any
    ///   failure must be told by `failTransaction`.
    ///
    /// @param parameters one a parameter, in canonical form of its type's `dataType()`
    Execution execute(PreparedQuery query, List<Literal> parameters, Cancellation cancellation);

    /// The same for rows that are read by several statements: statement_timeout is theirs, and does not end it.
    Execution executePiecewise(PreparedQuery query, List<Literal> parameters, Cancellation cancellation);

    /// Runs a COPY … FROM STDIN: all rows are there at its end, or none.
    ///
    /// @param query one that [PreparedQuery#readsInput]
    /// @param input is asked for rows once the table is known to take some
    Execution copyFrom(PreparedQuery query, CopyInput input, Cancellation cancellation);

    /// Answers an EXPLAIN of EXECUTE.
    ///
    /// @param statement that a [ClientCommand.ExplainExecute] has
    /// @param prepared what it explains; null for a statement that the server itself runs
    /// @param parameters of that one
    Execution explain(
            ParsedStatement statement, PreparedQuery prepared, List<Literal> parameters, Cancellation cancellation);

    /// A place for rows that the session keeps for its client, bounded by temp_file_limit; whoever asks closes it.
    QuerySpill openSpill();

    /// Whether a text is known to be one statement that is prepared and executed in microseconds, without waiting for
    /// anything: a thread that serves others as well may do it. A statement is known once it was prepared.
    ///
    /// @param parameterTypes as for `prepare`
    boolean isQuick(String sql, List<PgType> parameterTypes);

    /// Whether a statement of this session is executed in microseconds, as it stands now.
    boolean isQuick(PreparedQuery query);

    TransactionState transactionState();

    /// Marks the transaction block as failed, and undoes an implicit transaction; no effect outside of both.
    void failTransaction();

    /// Says that the next statement and those after it are one transaction, up to [#endImplicitTransaction]: what they
    /// change is made then, or undone by `failTransaction`. BEGIN among them makes all of it its block. Nothing new
    /// where a transaction has begun, but that its further statements may be those that transaction blocks alone
    /// can have.
    ///
    /// @param isBlock whether the first one, too, may be such a statement
    void beginImplicitTransaction(boolean isBlock);

    /// Ends the implicit transaction of a simple query or at Sync: makes its changes, drops its catalog snapshot. No
    /// effect inside a block.
    ///
    /// - Errors: those of changes that do not fit any more; all are undone then.
    ///
    /// @param cancellation ends it, with nothing changed: its reason is thrown
    void endImplicitTransaction(Cancellation cancellation);

    /// The same, for nobody to cancel.
    default void endImplicitTransaction() {
        endImplicitTransaction(new Cancellation());
    }

    /// Whether an implicit transaction has changed something, so that its end takes its time.
    boolean hasImplicitChanges();

    /// How many savepoints have been set, ever.
    long savepointCount();

    /// The number of the savepoint, from 1, to which the transaction has gone back since this was asked last, of
    /// several the least; `Long.MAX_VALUE` for none. What was made when there were as many savepoints, or more, is
    /// undone.
    long takeRollback();

    /// A setting's value as SHOW gives it, or null.
    String setting(String name);

    /// - Errors: 42704 for an unknown setting, 22023 for a bad value, 55P02 for one that cannot change.
    void set(String name, String value);

    /// The same until the transaction's end.
    ///
    /// @param value null for the default
    void set(String name, String value, boolean isLocal);

    /// All settings as they stand, those of the process among them, in the order of SHOW ALL.
    List<SettingState> settingStates();

    /// Says what the session begins with, and what it shows of the process' settings.
    void setDefaults(SettingDefaults defaults);

    /// The oid of what a name stands for, or -1.
    ///
    /// @param type one that [PgType#isObjectName]
    long objectId(PgType type, String name);

    /// All settings by name, as `SHOW ALL` has them.
    SequencedMap<String, String> settings();

    /// Is told of settings that changed (for ParameterStatus): name and new value.
    void onSettingChange(BiConsumer<String, String> listener);

    /// Is told of warnings and notices.
    void onNotice(Consumer<Notice> listener);

    /// Tells those listeners of a warning.
    ///
    /// @param code its SQLSTATE
    void warn(String code, String message);

    String user();

    /// What the session's catalog is called.
    String database();

    /// Says that the session reads a run of the dataset, for `SHOW quarrel.snapshot`.
    void setSnapshot(int run);

    /// Keeps something beside the session, for functions and system tables to ask: what a server knows of its client.
    void attach(Object attachment);

    /// What was attached, or null if it is not of that type.
    <T> T attached(Class<T> type);

    /// Which tables this session may read.
    TablePrivileges privileges();

    /// The schemas that unqualified names are looked up in, `pg_catalog` left out.
    List<String> searchPath();

    /// The system table that its transaction sees at this moment; null where it sees none yet.
    default Table systemTable(String schemaName, String name) {
        return null;
    }

    Engine engine();

    @Override
    void close();

    /// Where the session's transaction stands.
    enum TransactionState {
        /// A statement is a transaction of its own.
        IDLE,
        /// An implicit transaction's first statement, which is in no block.
        STARTED,
        /// Further statements of an implicit transaction, for which it is as good as a block.
        IMPLICIT,
        /// Between BEGIN and the block's end.
        IN_BLOCK,
        /// The same after an error.
        FAILED;

        /// Whether statements may be run that are for transaction blocks only.
        public boolean isBlock() {
            return this != IDLE && this != STARTED;
        }

        /// Whether it outlasts the client's next Sync.
        public boolean isExplicit() {
            return this == IN_BLOCK || this == FAILED;
        }
    }
}
