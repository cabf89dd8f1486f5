package dev.quarrel.core.run;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// A fixed pool of workers that all queries share.
///
/// A worker takes one step at a time (a morsel, mostly), of the query that workers have spent least time on since it
/// came: so a short query, of many short steps, is not stuck behind the long steps of a long one. Within a query, a
/// pipeline runs when those it reads have ended; pipelines that do not depend on each other run at the same time.
///
/// Threads share it. Workers are daemon threads.
public final class Scheduler implements AutoCloseable {
    /// How far a query may be behind the others, and then be first.
    private static final long MAX_CLAIM_NANOS = 20_000_000;

    /// Guards the state of the scheduler and of all its queries; held for moments, never while work runs.
    final ReentrantLock lock = new ReentrantLock();

    private final Condition work = lock.newCondition();
    private final List<QueryRun> queries = new ArrayList<>(); // about by what was spent on them
    private final List<Thread> workers = new ArrayList<>();
    /// What each query would have had, had they all had the same since the first one came.
    private long fairShare;

    private boolean closed;

    /// @param threads workers, at least 1
    public Scheduler(int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException(threads + " threads");
        }
        for (int index = 0; index < threads; index++) {
            int worker = index;
            workers.add(
                    Thread.ofPlatform().name("quarrel-worker-" + index).daemon().unstarted(() -> run(worker)));
        }
        workers.forEach(Thread::start);
    }

    public int threads() {
        return workers.size();
    }

    /// Whether no query is there.
    public boolean isIdle() {
        lock.lock();
        try {
            return queries.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /// Stops all queries (57P01) and ends the workers. Cursors are still to be closed by their owners.
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            List.copyOf(queries)
                    .forEach(query -> query.fail(new QueryException(
                            SqlState.ADMIN_SHUTDOWN, "terminating connection due to administrator command")));
            work.signalAll();
        } finally {
            lock.unlock();
        }
        boolean interrupted = false;
        for (Thread worker : workers) {
            while (worker.isAlive()) {
                try {
                    worker.join();
                } catch (InterruptedException _) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    void add(QueryRun query) {
        lock.lock();
        try {
            if (closed) {
                throw new QueryException(
                        SqlState.ADMIN_SHUTDOWN, "terminating connection due to administrator command");
            }
            query.raiseServedNanos(fairShare);
            queries.add(query);
            work.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Under the lock.
    void remove(QueryRun query) {
        queries.remove(query);
    }

    /// Says, under the lock, that there may be work for further workers.
    void signalWork() {
        work.signalAll();
    }

    private void run(int worker) {
        for (Runnable step = next(worker); step != null; step = next(worker)) {
            step.run();
        }
    }

    /// The next step for a worker, or null at the end. Steps do not throw.
    private Runnable next(int worker) {
        lock.lock();
        try {
            while (!closed) {
                Runnable step = poll(worker);
                if (step != null) {
                    return step;
                }
                work.awaitUninterruptibly();
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    private Runnable poll(int worker) {
        sort(System.nanoTime());
        for (QueryRun query : queries) {
            Runnable step = query.poll(worker);
            if (step != null) {
                // Who was idle, for its reader was slow, has no claim to all that the others had meanwhile.
                query.raiseServedNanos(fairShare - MAX_CLAIM_NANOS);
                return step;
            }
        }
        return null;
    }

    /// Says, under the lock, that a step has ended.
    void served(long nanos) {
        fairShare += nanos / Math.max(1, queries.size());
    }

    /// Least served first. By insertion: little has changed since the last time.
    private void sort(long now) {
        for (int index = 1; index < queries.size(); index++) {
            QueryRun query = queries.get(index);
            long served = query.servedNanos(now);
            int place = index;
            while (place > 0 && queries.get(place - 1).servedNanos(now) > served) {
                queries.set(place, queries.get(place - 1));
                place--;
            }
            queries.set(place, query);
        }
    }
}
