package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.SqlSession.TransactionState;
import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.calcite.session.Settings;
import dev.quarrel.core.arrow.dataset.DatasetTransaction;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/// The transaction block of a session, or the transaction that statements outside of a block are: what it has seen of
/// the catalog and changed in it, since when, its savepoints.
final class Transaction {
    private static final long NO_SAVEPOINT = Long.MAX_VALUE;

    private final Settings settings;
    private final SettingStatements settingStatements;
    private final boolean mayWrite;
    private final Supplier<SharedSnapshot> newest;
    private final Supplier<DatasetTransaction> beginning;
    private final Function<CatalogSnapshot, SharedSnapshot> changed;
    private final BiConsumer<String, String> warnings;
    private final List<Savepoint> savepoints = new ArrayList<>();
    private TransactionState state = TransactionState.IDLE;
    private volatile SharedSnapshot snapshot; // a statement's functions ask for it by other threads
    private DatasetTransaction changes; // of several statements; null for none yet
    private Instant start;
    private boolean isRolledBack; // whether the last COMMIT found a failed transaction
    private long savepointCount;
    private long backTo = NO_SAVEPOINT;

    /// @param number among all of the session, from 1
    /// @param changes how many there were before it
    /// @param settings as they were
    private record Savepoint(String name, long number, int changes, Settings.Mark settings) {}

    /// @param mayWrite whether anything can be written at all
    /// @param newest takes a snapshot of the catalog as it is
    /// @param beginning begins to change the dataset
    /// @param changed what sessions see of a changed catalog
    /// @param warnings gets codes and messages
    Transaction(
            Settings settings,
            SettingStatements settingStatements,
            boolean mayWrite,
            Supplier<SharedSnapshot> newest,
            Supplier<DatasetTransaction> beginning,
            Function<CatalogSnapshot, SharedSnapshot> changed,
            BiConsumer<String, String> warnings) {
        this.settings = settings;
        this.settingStatements = settingStatements;
        this.mayWrite = mayWrite;
        this.newest = newest;
        this.beginning = beginning;
        this.changed = changed;
        this.warnings = warnings;
    }

    TransactionState state() {
        return state;
    }

    /// Whether a statement is a transaction of its own.
    boolean isIdle() {
        return state == TransactionState.IDLE;
    }

    /// Whether statements may be run that are for transaction blocks only.
    boolean isBlock() {
        return state.isBlock();
    }

    private boolean isImplicit() {
        return state == TransactionState.STARTED || state == TransactionState.IMPLICIT;
    }

    boolean isFailed() {
        return state == TransactionState.FAILED;
    }

    /// A transaction block sees the catalog as it was at its first query, or as it has changed it, whatever that reads.
    boolean mustTakeSnapshot() {
        return state == TransactionState.IN_BLOCK && snapshot == null;
    }

    /// What it sees of the catalog, from the first call on.
    SharedSnapshot snapshot() {
        if (changes != null && changes.hasPending()) {
            releaseSnapshot();
        }
        if (snapshot == null) {
            if (changes == null && !isIdle() && keepsItsSnapshot()) {
                changes = beginning.get();
            }
            snapshot = changes == null ? newest.get() : changed.apply(changes.snapshot());
        }
        return snapshot;
    }

    /// Whether what it writes must stand on what it has read first.
    private boolean keepsItsSnapshot() {
        String isolation = settings.show("transaction_isolation");
        return mayWrite
                && !settings.isOn("transaction_read_only")
                && (isolation.equals("repeatable read") || isolation.equals("serializable"));
    }

    /// The same for what reads no table's rows: some that the transaction has added may not be there.
    SharedSnapshot definitions() {
        return snapshot == null ? snapshot() : snapshot;
    }

    /// What `snapshot` gave last; null before the first call. Any thread.
    SharedSnapshot seen() {
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
        } else if (isImplicit()) {
            finish(false);
        }
    }

    /// What the transaction's statements have changed; null for nothing.
    DatasetTransaction changes() {
        return changes;
    }

    /// Runs a statement that changes the dataset, as a transaction of its own or as a part of one. A statement that
    /// fails has changed nothing.
    ///
    /// @param check as of [DatasetTransaction#commit]
    <T> T write(Function<DatasetTransaction, T> statement, Runnable check) {
        if (isIdle()) {
            try (DatasetTransaction alone = beginning.get()) {
                T result = statement.apply(alone);
                alone.commit(check);
                return result;
            } finally {
                dropSnapshot(); // the next one has it
            }
        }
        if (changes == null) {
            changes = beginning.get();
            releaseSnapshot(); // of another moment
        }
        int before = changes.position();
        try {
            return statement.apply(changes);
        } catch (RuntimeException | Error wrong) {
            changes.undo(before);
            throw wrong;
        } finally {
            if (changes.position() != before) {
                releaseSnapshot();
            }
        }
    }

    /// As of [SqlSession#beginImplicitTransaction].
    void beginImplicit(boolean isBlock) {
        if (isIdle()) {
            settings.begin();
            state = isBlock ? TransactionState.IMPLICIT : TransactionState.STARTED;
        } else if (state == TransactionState.STARTED) {
            state = TransactionState.IMPLICIT;
        }
    }

    /// As of [SqlSession#endImplicitTransaction].
    void endImplicit(Runnable check) {
        if (isImplicit()) {
            commitChanges(check);
            finish(true);
        } else if (isIdle()) {
            dropSnapshot();
        }
    }

    /// Whether there is something that its end makes last.
    boolean hasImplicitChanges() {
        return isImplicit() && changes != null;
    }

    void close() {
        state = TransactionState.IDLE;
        try {
            dropSnapshot();
        } finally {
            forgetChanges();
        }
    }

    /// The next statement sees the catalog as it is then.
    private void dropSnapshot() {
        releaseSnapshot();
        start = null;
    }

    /// The same, at the same time.
    void releaseSnapshot() {
        if (snapshot != null) {
            snapshot.release();
            snapshot = null;
        }
    }

    private void forgetChanges() {
        DatasetTransaction ended = changes;
        changes = null;
        if (ended != null) {
            ended.close();
        }
    }

    /// What statements of an implicit transaction have done before is part of the block.
    void begin(Statement.TransactionModes modes) {
        if (state.isExplicit()) {
            warnings.accept("25001", "there is already a transaction in progress");
            settingStatements.apply(modes);
            return;
        }
        if (changes == null) {
            dropSnapshot();
            start = Instant.now();
        }
        state = TransactionState.IN_BLOCK;
        settingStatements.begin(modes);
    }

    /// - Errors: those of changes that do not fit the dataset any more; all are undone then.
    ///
    /// @param check as of [DatasetTransaction#commit]
    void commit(boolean chain, Runnable check) {
        isRolledBack = state == TransactionState.FAILED;
        if (!requireBlock("COMMIT", chain)) {
            endImplicit(check);
            return;
        }
        if (!isRolledBack) {
            commitChanges(check);
        }
        end(!isRolledBack, chain);
    }

    private void commitChanges(Runnable check) {
        if (changes != null) {
            try {
                changes.commit(check);
            } catch (RuntimeException | Error wrong) {
                finish(false);
                throw wrong;
            }
        }
    }

    void rollback(boolean chain) {
        requireBlock("ROLLBACK", chain);
        end(false, chain);
    }

    private void end(boolean committed, boolean chain) {
        String isolation = settings.show("transaction_isolation");
        finish(committed);
        if (chain) {
            begin(new Statement.TransactionModes(isolation, null, null));
        }
    }

    /// Whether there is a block to end; warns where there is none.
    private boolean requireBlock(String what, boolean chain) {
        if (state.isExplicit()) {
            return true;
        }
        if (chain) {
            throw new QueryException(
                    SqlState.NO_ACTIVE_SQL_TRANSACTION, what + " AND CHAIN can only be used in transaction blocks");
        }
        warnings.accept("25P01", "there is no transaction in progress");
        return false;
    }

    private void finish(boolean committed) {
        savepoints.clear();
        settings.end(committed);
        close();
    }

    /// As of [SqlSession#savepointCount].
    long savepointCount() {
        return savepointCount;
    }

    /// As of [SqlSession#takeRollback].
    long takeRollback() {
        long taken = backTo;
        backTo = NO_SAVEPOINT;
        return taken;
    }

    private void backTo(Savepoint savepoint) {
        if (changes != null) {
            changes.backTo(savepoint.changes());
            releaseSnapshot();
        }
        settings.backTo(savepoint.settings());
        backTo = Math.min(backTo, savepoint.number());
    }

    void savepoint(Statement.Savepoint savepoint) {
        String what =
                switch (savepoint.action()) {
                    case SAVEPOINT -> "SAVEPOINT";
                    case RELEASE -> "RELEASE SAVEPOINT";
                    case ROLLBACK_TO -> "ROLLBACK TO SAVEPOINT";
                };
        if (!state.isExplicit()) {
            throw new QueryException(
                    SqlState.NO_ACTIVE_SQL_TRANSACTION, what + " can only be used in transaction blocks");
        }
        if (savepoint.action() == Statement.Savepoint.Action.SAVEPOINT) {
            int before = 0;
            if (changes != null) {
                releaseSnapshot(); // rows that wait become a part of what there is
                before = changes.mark();
            }
            savepoints.add(new Savepoint(savepoint.name(), ++savepointCount, before, settings.mark()));
            return;
        }
        int place = savepoints.size() - 1;
        while (place >= 0 && !savepoints.get(place).name().equals(savepoint.name())) {
            place--;
        }
        if (place < 0) {
            throw new QueryException(
                    SqlState.INVALID_SAVEPOINT_SPECIFICATION, "savepoint \"" + savepoint.name() + "\" does not exist");
        }
        boolean releases = savepoint.action() == Statement.Savepoint.Action.RELEASE;
        if (!releases) {
            backTo(savepoints.get(place));
        }
        savepoints.subList(releases ? place : place + 1, savepoints.size()).clear();
        if (!releases) {
            state = TransactionState.IN_BLOCK;
        }
    }
}
