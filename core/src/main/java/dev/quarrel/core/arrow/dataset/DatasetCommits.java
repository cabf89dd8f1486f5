package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/// Makes the changes of transactions in a dataset: of those that come while a run is made, the next run makes all. So
/// many clients that each change little wait for two runs at most, however many they are.
///
/// Each transaction's changes are made on the dataset as those before it have left it, or fail by themselves.
///
/// - Threads: share it freely.
final class DatasetCommits {
    private static final int MOST_AT_ONCE = 256;
    private static final long WAIT_MILLIS = 10;

    private final Path root;
    private final Supplier<Set<List<String>>> others;
    private final Object naming = new Object();

    // Guarded by this.
    private final List<Commit> waiting = new ArrayList<>();
    private boolean isRunning;

    /// @param others the names of relations that are neither in the manifest nor named in the dataset
    DatasetCommits(Path root, Supplier<Set<List<String>>> others) {
        this.root = root;
        this.others = others;
    }

    /// A transaction that is to be committed; guarded by the object around it.
    private static final class Commit {
        private final List<UnaryOperator<DatasetState>> changes;
        private final SessionTables session;
        private final String source;
        private DatasetState made; // null until it stands
        private Throwable failure;

        Commit(List<UnaryOperator<DatasetState>> changes, SessionTables session, String source) {
            this.changes = List.copyOf(changes);
            this.session = session;
            this.source = source;
        }

        DatasetState in(DatasetState before) {
            DatasetState state = before.with(session);
            for (UnaryOperator<DatasetState> change : changes) {
                state = change.apply(state);
            }
            return state;
        }

        boolean isDone() {
            return made != null || failure != null;
        }

        /// - Errors: what it failed for.
        DatasetState result() {
            switch (failure) {
                case null -> {
                    return made;
                }
                case QueryException known ->
                    throw new QueryException(known.state(), known.getMessage(), known)
                            .withDetail(known.detail())
                            .withHint(known.hint())
                            .withConstraint(known.constraint());
                case Error error -> throw error;
                default -> throw new IllegalStateException(failure);
            }
        }
    }

    /// Makes changes in the dataset as it is at this moment, all at once.
    ///
    /// - Errors: what one of them raises, and the writer's; nothing is changed then.
    ///
    /// @param session whose tables they may change, too
    /// @param areOfManifest whether they change tables of the dataset's
    /// @param check run from time to time; what it throws ends the waiting for other runs
    /// @return what has become of it
    DatasetState make(
            List<UnaryOperator<DatasetState>> changes,
            SessionTables session,
            boolean areOfManifest,
            String source,
            Runnable check) {
        Commit commit = new Commit(changes, session, source);
        DatasetState named = areOfManifest ? null : named(commit, check);
        return named == null ? made(commit, check) : named;
    }

    /// Changes of names alone, which need no run; null where a table that need not be made when they began must be now.
    private DatasetState named(Commit commit, Runnable check) {
        synchronized (naming) {
            try (FolderLock _ = FolderLock.await(root, NamedTables.LOCK_NAME, check)) {
                NamedTables names = NamedTables.read(root);
                Manifest manifest = Manifest.read(root);
                DatasetState before =
                        DatasetState.of(manifest == null ? Manifest.EMPTY : manifest, names, others.get());
                DatasetState state = commit.in(before);
                if (!state.lasting().equals(before.tables())) {
                    return null;
                }
                NamedTables lasting = state.lastingNames();
                if (!lasting.equals(names)) {
                    lasting.write(root);
                }
                return state;
            }
        }
    }

    private DatasetState made(Commit commit, Runnable check) {
        synchronized (this) {
            waiting.add(commit);
        }
        try {
            while (mustRun(commit, check)) {
                try {
                    run(check);
                } finally {
                    synchronized (this) {
                        isRunning = false;
                        notifyAll();
                    }
                }
            }
        } catch (RuntimeException | Error stopped) {
            synchronized (this) {
                if (waiting.remove(commit)) {
                    throw stopped; // nobody has begun with it
                }
            }
            awaitEnd(commit);
        }
        return commit.result();
    }

    /// Waits until a commit is done, or somebody has to make a run: whoever is told so.
    private synchronized boolean mustRun(Commit commit, Runnable check) {
        while (isRunning && !commit.isDone()) {
            try {
                wait(WAIT_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new QueryException(SqlState.QUERY_CANCELED, "canceling statement due to user request", e);
            }
            if (!commit.isDone()) {
                check.run();
            }
        }
        isRunning |= !commit.isDone();
        return !commit.isDone();
    }

    /// What has begun with others' changes is not stopped for one of them.
    private synchronized void awaitEnd(Commit commit) {
        boolean isInterrupted = false;
        while (!commit.isDone()) {
            try {
                wait(WAIT_MILLIS);
            } catch (InterruptedException _) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /// - Errors: those of beginning a run, and what `check` throws before it has begun.
    private void run(Runnable check) {
        try (DatasetWriter run = DatasetWriter.await(root, DatasetWriter.Mode.APPEND, null, check)) {
            List<Commit> all;
            synchronized (this) {
                List<Commit> first = waiting.subList(0, Math.min(waiting.size(), MOST_AT_ONCE));
                all = List.copyOf(first);
                first.clear();
            }
            try {
                commit(run, all, all.size() == 1 ? check : () -> {});
            } catch (RuntimeException | Error wrong) {
                all.forEach(each -> fail(each, wrong));
            }
        }
    }

    private synchronized void fail(Commit commit, Throwable wrong) {
        if (!commit.isDone()) {
            commit.failure = wrong;
        }
    }

    private synchronized void succeed(List<Commit> commits, List<DatasetState> states) {
        for (int index = 0; index < commits.size(); index++) {
            commits.get(index).made = states.get(index);
        }
    }

    /// Where there are other names, nobody else changes them until they are there.
    private void commit(DatasetWriter run, List<Commit> all, Runnable check) {
        List<Commit> good = new ArrayList<>();
        List<DatasetState> states = new ArrayList<>();
        synchronized (naming) {
            NamedTables names = NamedTables.read(root);
            DatasetState state = DatasetState.of(run.before(), names, others.get());
            for (Commit each : all) {
                try {
                    states.add(each.in(state));
                    state = states.getLast().withoutSession();
                    good.add(each);
                } catch (RuntimeException | Error wrong) {
                    fail(each, wrong);
                }
            }
            if (good.isEmpty()) {
                return;
            }
            boolean areNew = !state.names().equals(names);
            run.become(state.tables().values(), areNew ? state.names() : null);
            if (areNew) {
                run.mergeFiles(check);
                try (FolderLock _ = FolderLock.await(root, NamedTables.LOCK_NAME, check)) {
                    if (!NamedTables.read(root).equals(names)) { // by another process
                        throw new QueryException(
                                SqlState.SERIALIZATION_FAILURE, "could not serialize access due to concurrent update");
                    }
                    run.commit(origin(good));
                }
                succeed(good, states);
                return;
            }
        }
        run.mergeFiles(check);
        run.commit(origin(good));
        succeed(good, states);
    }

    private static Manifest.Origin origin(List<Commit> commits) {
        String source = commits.getFirst().source;
        return Manifest.Origin.of(commits.stream().allMatch(each -> each.source.equals(source)) ? source : "SQL");
    }
}
