package dev.quarrel.core.run;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The scheduler of all queries: it has a fixed number of places, at which workers run the queries' steps.
///
/// A worker at a place takes one step at a time (a morsel, mostly), of the query that workers have spent least time on
/// since it came: so a short query, of many short steps, is not stuck behind the long steps of a long one. Within a
/// query, a pipeline runs when those it reads have ended; pipelines that do not depend on each other run at the same
/// time.
///
/// A step may be long: a join can make billions of rows of one morsel. While another query waits, a worker that has
/// been at a step for [#SLICE_NANOS] is asked to give way: at its next [Cancellation#checkpoint] it leaves its place,
/// in the midst of the step, to whoever has the better claim, and goes on when its own query's turn comes again. A
/// worker that comes to no checkpoint for long keeps its processor but loses its place, so that the system shares the
/// processors between it and the others. Either way a query has no more steps under way at a time than there are
/// places, so it takes the same memory.
///
/// Threads share it. Workers are daemon threads.
public final class Scheduler implements AutoCloseable {
    /// How far a query may be behind the others, and then be first. New queries come with that claim.
    private static final long MAX_CLAIM_NANOS = 20_000_000;

    /// How long a step runs at least before it gives way.
    static final long SLICE_NANOS = 10_000_000;

    /// And at least before it gives way to a query that has just come.
    private static final long NEWCOMER_NANOS = 2_000_000;

    /// When a step that has not given way, though it was asked to, loses its place.
    private static final long PATIENCE_NANOS = 25_000_000;
    private static final long WATCH_NANOS = 5_000_000;
    private static final long IDLE_NANOS = 10_000_000_000L;

    /// Workers beyond the places, and a few a place: those that have given way in the midst of a step, or whose reader
    /// is slow. With so many of them, no further one waits.
    private static final int MAX_SPARE_WORKERS = 256;

    private static final int MAX_SPARE_WORKERS_A_PLACE = 16;

    /// Guards the state of the scheduler and of all its queries; held for moments, never while work runs.
    final ReentrantLock lock = new ReentrantLock();

    private final Condition crowded = lock.newCondition();
    private final int places;
    private final List<QueryRun> queries = new ArrayList<>(); // about by what was spent on them
    private final List<Worker> workers = new ArrayList<>();
    private final List<Worker> starting = new ArrayList<>();
    /// Those that await work. The last one to come is the first to be woken: its processor has what it needs at hand,
    /// and is awake, while the one that has slept longest would have to be fetched for each step of a short query.
    private final Deque<Worker> sleeping = new ArrayDeque<>();
    private final Thread watch;
    private int taken; // places at which somebody works
    private int idle; // workers without a step, those about to start included; with `taken` no fewer than places
    private int lastNumber;
    private boolean isWatching;
    /// What each query would have had, had they all had the same since the first one came.
    private long fairShare;

    private boolean closed;

    /// @param threads places, at least 1
    public Scheduler(int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException(threads + " threads");
        }
        places = threads;
        watch = Thread.ofPlatform().name("quarrel-watch").daemon().unstarted(this::watch);
        lock.lock();
        try {
            startWorkers();
        } finally {
            lock.unlock();
        }
        watch.start();
    }

    /// How many steps run at a time.
    public int threads() {
        return places;
    }

    /// At how many places somebody works.
    public int busy() {
        lock.lock();
        try {
            return taken;
        } finally {
            lock.unlock();
        }
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
        List<Thread> ending = new ArrayList<>();
        lock.lock();
        try {
            closed = true;
            List.copyOf(queries)
                    .forEach(query -> query.fail(new QueryException(
                            SqlState.ADMIN_SHUTDOWN, "terminating connection due to administrator command")));
            while (!sleeping.isEmpty()) {
                wakeOne();
            }
            crowded.signalAll();
            ending.addAll(workers);
            ending.add(watch);
        } finally {
            lock.unlock();
        }
        boolean interrupted = false;
        for (Thread thread : ending) {
            while (thread.isAlive()) {
                try {
                    thread.join();
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
            query.raiseServedNanos(fairShare - MAX_CLAIM_NANOS);
            queries.add(query);
            signalWork();
            if (isCrowded()) {
                look(System.nanoTime(), NEWCOMER_NANOS);
                watchIfCrowded();
            }
        } finally {
            lock.unlock();
        }
    }

    /// Under the lock.
    void remove(QueryRun query) {
        queries.remove(query);
    }

    /// Says, under the lock, that there may be work for further workers. One is woken, who wakes others where there is
    /// more: were all of them woken, they would stand in each other's way for nothing at each step of a short
    /// query.
    void signalWork() {
        startWorkers();
        if (taken < places) {
            wakeOne();
        } // else whoever leaves a place looks for the next step to take there
    }

    /// Wakes others, under the lock, where there is more to do than what was just taken: two, each of whom wakes two.
    private void wakeOthers() {
        if (taken < places && !sleeping.isEmpty() && queries.stream().anyMatch(QueryRun::isReady)) {
            wakeOne();
            wakeOne();
        }
    }

    private void wakeOne() {
        Worker worker = sleeping.poll();
        if (worker != null) {
            worker.wake();
        }
    }

    /// Says, under the lock, that a step has ended or given way.
    void served(long nanos) {
        fairShare += nanos / Math.max(1, queries.size());
    }

    // Workers: each is idle, at work at a place, at work without one, or in the midst of a step and waiting.

    void run(Worker worker) {
        for (RunStep step = next(worker); step != null; step = next(worker)) {
            step.run();
        }
    }

    /// The next step for a worker, or null at the end. Steps do not throw.
    private RunStep next(Worker worker) {
        lock.lock();
        try {
            if (worker.step != null) {
                worker.step = null;
                leavePlace(worker);
            } else {
                idle--; // it has just started
            }
            while (!closed) {
                RunStep step = take(worker);
                if (step != null) {
                    return step;
                }
                if (!awaitWork(worker)) {
                    break;
                }
            }
            workers.remove(worker);
            return null;
        } finally {
            lock.unlock();
        }
    }

    /// - Returns: whether the worker is still needed.
    private boolean awaitWork(Worker worker) {
        idle++;
        sleeping.push(worker);
        worker.beginWaiting();
        boolean isWoken = worker.await(IDLE_NANOS);
        if (!isWoken) {
            sleeping.remove(worker);
        }
        idle--;
        return isWoken || taken + idle < places;
    }

    /// A step of the query with the best claim, for a free place; on the way, steps that gave way go on, if theirs is
    /// the better one.
    private RunStep take(Worker worker) {
        while (taken < places) {
            QueryRun query = first();
            if (query == null) {
                return null;
            }
            // Who was idle, for its reader was slow, has no claim to all that the others had meanwhile.
            query.raiseServedNanos(fairShare - MAX_CLAIM_NANOS);
            Worker waiting = query.pollWaiting();
            if (waiting != null) {
                goOn(waiting, true);
                continue;
            }
            worker.step = query.poll(worker.number());
            if (worker.step != null) { // else it has just had all it needs
                takePlace(worker);
                wakeOthers();
                return worker.step;
            }
        }
        return null;
    }

    /// The query with the best claim among those that have something to do, or null.
    private QueryRun first() {
        sort(System.nanoTime());
        for (QueryRun query : queries) {
            if (query.isReady()) {
                return query;
            }
        }
        return null;
    }

    private void takePlace(Worker worker) {
        worker.beginSlice(true);
        taken++;
        watchIfCrowded();
    }

    private void leavePlace(Worker worker) {
        if (worker.hasPlace()) {
            worker.losePlace();
            taken--;
        }
    }

    /// Sees to it that somebody comes to each free place.
    private void startWorkers() {
        while (taken + idle < places && !closed) {
            Worker worker = new Worker(this, lastNumber++);
            workers.add(worker);
            idle++;
            starting.add(worker);
            crowded.signal();
        }
    }

    /// Starts workers, by the watch and without the lock: a thread takes its time to start where processors are few.
    private void startPending() {
        while (!starting.isEmpty() && !closed) {
            Worker worker = starting.removeFirst();
            boolean isStarted = false;
            lock.unlock();
            try {
                worker.start();
                isStarted = true;
            } catch (OutOfMemoryError _) {
                // The system lends no thread now; whoever has one comes to all places in turn.
            } finally {
                lock.lock();
            }
            if (!isStarted) {
                workers.remove(worker);
                idle--;
            }
        }
    }

    private boolean hasSpareWorkers() {
        return workers.size() < MAX_SPARE_WORKERS + MAX_SPARE_WORKERS_A_PLACE * places;
    }

    /// Lets a worker go on in the midst of its step.
    ///
    /// @param atPlace false for one whose query has been stopped: it ends its step in a moment
    void goOn(Worker worker, boolean atPlace) {
        worker.step.resume();
        if (atPlace) {
            takePlace(worker);
        } else {
            worker.beginSlice(false);
        }
        worker.wake();
    }

    /// What a worker does when it comes to a checkpoint after it was asked to give way.
    void giveWay(Worker worker) {
        lock.lock();
        try {
            if (!worker.hasPlace() && taken < places) {
                takePlace(worker);
                return;
            }
            QueryRun query = worker.step.query();
            if (query.isStopped()) {
                return;
            }
            if (!mayLeave(worker) || worker.hasPlace() && !isWanted(worker)) {
                worker.beginSlice(true);
                return;
            }
            query.addWaiting(worker);
            leaveAndAwait(worker);
        } finally {
            lock.unlock();
        }
    }

    /// Whether the worker may leave its place without that nobody comes to it.
    boolean mayLeave(Worker worker) {
        return !worker.hasPlace() || hasSpareWorkers();
    }

    /// Waits in the midst of a step until somebody calls `goOn`; under the lock.
    void leaveAndAwait(Worker worker) {
        worker.step.pause();
        leavePlace(worker);
        worker.beginWaiting();
        fillPlaces();
        worker.await();
    }

    /// Gives free places to steps that wait in their midst, or has an idle worker look for new ones.
    private void fillPlaces() {
        while (taken < places) {
            QueryRun query = first();
            if (query == null || !query.hasWaiting()) {
                break;
            }
            query.raiseServedNanos(fairShare - MAX_CLAIM_NANOS);
            goOn(query.pollWaiting(), true);
        }
        startWorkers();
        if (taken < places) {
            wakeOne();
        }
    }

    /// Whether there is something to do that a worker's step keeps from being done: of another query, or a step of its
    /// own that gave way, for which it may be waiting itself.
    private boolean isWanted(Worker worker) {
        QueryRun own = worker.step.query();
        for (QueryRun query : queries) {
            if (query == own ? query.hasWaiting() : query.isReady()) {
                return true;
            }
        }
        return false;
    }

    // The watch.

    /// Under the lock.
    private void watchIfCrowded() {
        if (!isWatching && isCrowded()) {
            isWatching = true;
            crowded.signal();
        }
    }

    private boolean isCrowded() {
        return taken >= places && queries.size() > 1;
    }

    private void watch() {
        lock.lock();
        try {
            while (!closed) {
                startPending();
                if (closed) {
                    break; // said while the lock was given up to start a worker
                }
                if (isCrowded()) {
                    look(System.nanoTime(), SLICE_NANOS);
                    startPending();
                    awaitCrowded(WATCH_NANOS);
                } else {
                    isWatching = false;
                    awaitCrowded(Long.MAX_VALUE);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void awaitCrowded(long nanos) {
        try {
            crowded.awaitNanos(nanos);
        } catch (InterruptedException _) {
            // Nobody interrupts it but by mistake.
        }
    }

    private void look(long now, long sliceNanos) {
        for (int index = 0; index < workers.size(); index++) { // it may grow
            Worker worker = workers.get(index);
            if (worker.hasPlace() && worker.sliceNanos(now) >= sliceNanos && isWanted(worker)) {
                worker.askToGiveWay();
                if (worker.sliceNanos(now) >= PATIENCE_NANOS && hasSpareWorkers()) {
                    leavePlace(worker);
                    fillPlaces();
                }
            }
        }
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
