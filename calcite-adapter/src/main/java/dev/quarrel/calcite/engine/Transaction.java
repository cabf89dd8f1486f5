package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.SqlSession.TransactionState;
import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.calcite.session.Settings;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/// The transaction block of a session, or the transaction that a statement outside of a block is: what it has seen of
/// the catalog, since when, its savepoints.
final class Transaction {
    private final Settings settings;
    private final SettingStatements settingStatements;
    private final Supplier<SharedSnapshot> newest;
    private final BiConsumer<String, String> warnings;
    private final List<String> savepoints = new ArrayList<>();
    private TransactionState state = TransactionState.IDLE;
    private SharedSnapshot snapshot;
    private Instant start;
    private boolean isRolledBack; // whether the last COMMIT found a failed transaction

    /// @param newest takes a snapshot of the catalog as it is
    /// @param warnings gets codes and messages
    Transaction(
            Settings settings,
            SettingStatements settingStatements,
            Supplier<SharedSnapshot> newest,
            BiConsumer<String, String> warnings) {
        this.settings = settings;
        this.settingStatements = settingStatements;
        this.newest = newest;
        this.warnings = warnings;
    }

    TransactionState state() {
        return state;
    }

    boolean isIdle() {
        return state == TransactionState.IDLE;
    }

    boolean isFailed() {
        return state == TransactionState.FAILED;
    }

    /// A transaction block sees the catalog as it was at its first query, whatever that reads.
    boolean mustTakeSnapshot() {
        return state == TransactionState.IN_BLOCK && snapshot == null;
    }

    /// What it sees of the catalog, from the first call on.
    SharedSnapshot snapshot() {
        if (snapshot == null) {
            snapshot = newest.get();
        }
        return snapshot;
    }

    Instant start() {
        if (start == null) {
            start = Instant.now();
        }
        return start;
    }

    /// The command tag of a statement that has run.
    String tag(Statement statement) {
        return statement instanceof Statement.Commit && isRolledBack ? "ROLLBACK" : statement.commandTag();
    }

    void fail() {
        if (state == TransactionState.IN_BLOCK) {
            state = TransactionState.FAILED;
        }
    }

    /// Ends what a statement outside of a block was.
    void endImplicit() {
        if (isIdle()) {
            dropSnapshot();
        }
    }

    void close() {
        state = TransactionState.IDLE;
        dropSnapshot();
    }

    /// The next statement sees the catalog as it is then.
    void dropSnapshot() {
        if (snapshot != null) {
            snapshot.release();
            snapshot = null;
        }
        start = null;
    }

    void begin(Statement.TransactionModes modes) {
        if (state != TransactionState.IDLE) {
            warnings.accept("25001", "there is already a transaction in progress");
            settingStatements.apply(modes);
            return;
        }
        dropSnapshot();
        state = TransactionState.IN_BLOCK;
        start = Instant.now();
        settingStatements.begin(modes);
    }

    void commit(boolean chain) {
        isRolledBack = state == TransactionState.FAILED;
        end(!isRolledBack, chain);
    }

    void rollback(boolean chain) {
        end(false, chain);
    }

    private void end(boolean committed, boolean chain) {
        if (state == TransactionState.IDLE) {
            if (chain) {
                throw new QueryException(
                        SqlState.NO_ACTIVE_SQL_TRANSACTION,
                        (committed ? "COMMIT" : "ROLLBACK") + " AND CHAIN can only be used in transaction blocks");
            }
            warnings.accept("25P01", "there is no transaction in progress");
            return;
        }
        String isolation = settings.show("transaction_isolation");
        state = TransactionState.IDLE;
        savepoints.clear();
        settings.end(committed);
        dropSnapshot();
        if (chain) {
            begin(new Statement.TransactionModes(isolation, null, null));
        }
    }

    void savepoint(Statement.Savepoint savepoint) {
        String what =
                switch (savepoint.action()) {
                    case SAVEPOINT -> "SAVEPOINT";
                    case RELEASE -> "RELEASE SAVEPOINT";
                    case ROLLBACK_TO -> "ROLLBACK TO SAVEPOINT";
                };
        if (state == TransactionState.IDLE) {
            throw new QueryException(
                    SqlState.NO_ACTIVE_SQL_TRANSACTION, what + " can only be used in transaction blocks");
        }
        if (savepoint.action() == Statement.Savepoint.Action.SAVEPOINT) {
            savepoints.add(savepoint.name());
            return;
        }
        int place = savepoints.lastIndexOf(savepoint.name());
        if (place < 0) {
            throw new QueryException(
                    SqlState.INVALID_SAVEPOINT_SPECIFICATION, "savepoint \"" + savepoint.name() + "\" does not exist");
        }
        boolean releases = savepoint.action() == Statement.Savepoint.Action.RELEASE;
        savepoints.subList(releases ? place : place + 1, savepoints.size()).clear();
        if (!releases) {
            state = TransactionState.IN_BLOCK;
        }
    }
}
