package dev.quarrel.core.run;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PipelineCounters;
import dev.quarrel.core.device.Placement;
import dev.quarrel.core.device.ResultChannel;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.PlanVerifier;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Slot;
import dev.quarrel.core.spill.QuerySpill;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One execution of a plan: its pipelines' progress, its memory, and the cursor over its rows.
///
/// - Memory: it owns the catalog snapshot and everything its pipelines make, until `close`. A batch that the
///   reader took may
///   point into the snapshot's files and the query's dictionaries: it is of use until then.
public final class QueryRun implements PlanRun {
    private static final Logger LOG = LoggerFactory.getLogger(QueryRun.class);
    static final AtomicLong LAST_ID = new AtomicLong();

    private final long id = LAST_ID.incrementAndGet();
    private final Scheduler scheduler;
    private final QueryPlan plan;
    private final List<Literal> slotValues;
    private final CatalogSnapshot snapshot;
    private final MemoryBudget budget;
    private final QuerySpill spill;
    private final Cancellation cancellation;
    /// What workers look at between tiles: the query's cancellation, an error of another worker, a reader that
    /// has all it asked for or has gone.
    private final Cancellation steps = new Cancellation();
    private final QueryException enough = new QueryException(SqlState.QUERY_CANCELED, "no more rows are asked for");
    private final Schema schema;
    private final List<PipelineRun> pipelines = new ArrayList<>();
    private final ResultQueue results;
    private final Condition progress;
    private final Runnable cancelled = this::cancelled;

    // Under the scheduler's lock.
    private QueryException failure;
    private boolean closed;
    private int openSteps; // that have started and not ended
    private int activeSteps; // those that do not wait for their turn
    private long activeSince; // the sum of when they started
    private long servedNanos; // by steps before that
    private final Deque<Worker> waiting = new ArrayDeque<>(); // in the midst of a step, for its turn
    private final List<HeldBack> held = new ArrayList<>(); // in the midst of a morsel, for the reader

    private record HeldBack(Worker worker, Morsel morsel) {}

    private QueryRun(
            Scheduler scheduler,
            QueryPlan plan,
            Placement placement,
            List<Literal> slotValues,
            CatalogSnapshot snapshot,
            MemoryBudget budget,
            QuerySpill spill,
            Cancellation cancellation,
            Schema schema) {
        this.scheduler = scheduler;
        this.plan = plan;
        this.slotValues = List.copyOf(slotValues);
        this.snapshot = snapshot;
        this.budget = budget;
        this.spill = spill;
        this.cancellation = cancellation;
        budget.stopBy(steps);
        this.schema = schema;
        this.progress = scheduler.lock.newCondition();
        Sink.Result result = (Sink.Result) plan.root().sink();
        this.results = new ResultQueue(
                this,
                new RowWindow(
                        schema,
                        RowBounds.offset(result.offset(), this.slotValues),
                        RowBounds.limit(result.limit(), this.slotValues)),
                scheduler.threads(),
                budget.limitBytes());
        for (int index = 0; index < plan.pipelines().size(); index++) {
            Pipeline pipeline = plan.pipelines().get(index);
            if (pipeline.id() != index) {
                throw new IllegalArgumentException("pipeline " + pipeline.id() + " at place " + index);
            }
            pipelines.add(new PipelineRun(this, pipeline, placement.choices().get(index), pipeline == plan.root()));
        }
    }

    /// Starts a plan's work at once, on the scheduler's workers.
    ///
    /// - Memory: takes `snapshot` over; it is closed also when this fails. `budget` and `cancellation` are this
    ///   run's alone.
    /// - Errors: 2201W, 2201X for a negative LIMIT or OFFSET; [IllegalArgumentException] for a malformed plan
    ///   or values that do not fit it.
    ///
    /// @param placement one device a pipeline
    /// @param slotValues one value a slot, of the slot's type
    /// @param schema names and types of the result; types are those of the root's rows
    public static QueryRun start(
            Scheduler scheduler,
            QueryPlan plan,
            Placement placement,
            List<Literal> slotValues,
            CatalogSnapshot snapshot,
            MemoryBudget budget,
            Cancellation cancellation,
            Schema schema) {
        return start(scheduler, plan, placement, slotValues, snapshot, budget, QuerySpill.none(), cancellation, schema);
    }

    /// Whether the result has the schema's columns; where there are none, it may have one that counts its rows.
    private static boolean fits(Schema schema, QueryPlan plan) {
        List<DataType> types = plan.root().rowTypes();
        return schema.size() == 0
                ? types.size() <= 1
                : schema.fields().stream().map(Field::type).toList().equals(types);
    }

    /// As above, with room for what the budget does not hold.
    ///
    /// - Memory: takes `spill` over as well.
    public static QueryRun start(
            Scheduler scheduler,
            QueryPlan plan,
            Placement placement,
            List<Literal> slotValues,
            CatalogSnapshot snapshot,
            MemoryBudget budget,
            QuerySpill spill,
            Cancellation cancellation,
            Schema schema) {
        boolean isStarted = false;
        try {
            PlanVerifier.verify(plan);
            checkValues(plan, slotValues);
            if (placement.choices().size() != plan.pipelines().size() || !fits(schema, plan)) {
                throw new IllegalArgumentException("placement or schema " + schema + " does not fit the plan");
            }
            QueryRun query =
                    new QueryRun(scheduler, plan, placement, slotValues, snapshot, budget, spill, cancellation, schema);
            scheduler.add(query);
            isStarted = true;
            cancellation.onCancel(query.cancelled);
            return query;
        } finally {
            if (!isStarted) {
                spill.close();
                snapshot.close();
            }
        }
    }

    static void checkValues(QueryPlan plan, List<Literal> slotValues) {
        if (slotValues.size() != plan.slots().size()) {
            throw new IllegalArgumentException(
                    slotValues.size() + " values for " + plan.slots().size() + " slots");
        }
        for (int slot = 0; slot < slotValues.size(); slot++) {
            Slot declared = plan.slots().get(slot);
            if (!slotValues.get(slot).type().equals(declared.type())) {
                throw new IllegalArgumentException("slot " + slot + " of " + declared.type() + " is given a "
                        + slotValues.get(slot).type());
            }
        }
    }

    /// The values of a plan's slots for one execution: its constants, and `parameters` in the places of `$n`.
    ///
    /// - Errors: [IllegalArgumentException] when a parameter is missing or has another type.
    ///
    /// @param parameters `$1` first
    public static List<Literal> slotValues(QueryPlan plan, List<Literal> parameters) {
        List<Literal> values = new ArrayList<>();
        for (Slot slot : plan.slots()) {
            values.add(
                    switch (slot) {
                        case Slot.Constant(Literal literal) -> literal;
                        case Slot.Parameter(int number, var type) -> {
                            if (number > parameters.size()
                                    || !parameters.get(number - 1).type().equals(type)) {
                                throw new IllegalArgumentException("no value of " + type + " for $" + number);
                            }
                            yield parameters.get(number - 1);
                        }
                    });
        }
        return values;
    }

    /// A number for logs and events.
    public long id() {
        return id;
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public PipelineCounters counters(int pipeline) {
        return pipelines.get(pipeline).counters();
    }

    /// The most bytes this query held at a time.
    public long peakBytes() {
        return budget.peakBytes();
    }

    /// Bytes of rows that wait for the reader.
    public long waitingBytes() {
        lock();
        try {
            return results.waitingBytes();
        } finally {
            unlock();
        }
    }

    @Override
    public Batch next() {
        lock();
        try {
            while (true) {
                if (closed) {
                    throw new IllegalStateException("the cursor is closed");
                }
                if (failure != null) {
                    throw failure;
                }
                Batch batch = pollResults();
                if (results.isSpent()) {
                    stop(enough);
                }
                if (batch != null || results.isSpent() || pipelines.getLast().isDone()) {
                    return batch;
                }
                awaitProgress();
            }
        } finally {
            unlock();
        }
    }

    private Batch pollResults() {
        try {
            return results.poll();
        } catch (RuntimeException error) {
            fail(error);
            throw failure;
        }
    }

    private void awaitProgress() {
        try {
            progress.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            fail(new QueryException(SqlState.QUERY_CANCELED, "canceling statement due to an interrupted reader"));
        }
    }

    @Override
    public void close() {
        List<AutoCloseable> resources = new ArrayList<>();
        lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            stop(enough);
            while (openSteps > 0) {
                progress.awaitUninterruptibly();
            }
            scheduler.remove(this);
            resources.addAll(results.drain());
            for (PipelineRun pipeline : pipelines.reversed()) {
                pipeline.drainTo(resources);
            }
            resources.add(spill);
            resources.add(snapshot);
        } finally {
            unlock();
        }
        cancellation.forget(cancelled);
        closeAll(resources);
    }

    static void closeAll(List<? extends AutoCloseable> resources) {
        RuntimeException first = null;
        for (AutoCloseable resource : resources) {
            try {
                resource.close();
            } catch (Exception problem) {
                if (first == null) {
                    first = new IllegalStateException("closing a query", problem);
                } else {
                    first.addSuppressed(problem);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private void cancelled() {
        fail(cancellation.reason());
    }

    /// Stops the query; the first error stays.
    void fail(Throwable error) {
        lock();
        try {
            if (failure == null && !closed && error != enough) {
                failure = StepErrors.toQueryException(error);
                if (failure.state() == SqlState.INTERNAL_ERROR) {
                    LOG.error("query.bug query={} plan:\n{}", id, StepErrors.text(plan), error);
                }
            }
            if (failure != null) {
                stop(failure);
            }
            progress.signalAll();
        } finally {
            unlock();
        }
    }

    /// Has all steps end as soon as they can; under the lock.
    private void stop(QueryException reason) {
        steps.cancel(reason);
        for (Worker worker = waiting.poll(); worker != null; worker = waiting.poll()) {
            scheduler.goOn(worker, false);
        }
        held.forEach(back -> scheduler.goOn(back.worker(), false));
        held.clear();
    }

    // What follows serves PipelineRun and ResultQueue.

    void lock() {
        scheduler.lock.lock();
    }

    void unlock() {
        scheduler.lock.unlock();
    }

    /// What workers have spent on it until now, with the steps that run; under the lock. Differences count alone.
    long servedNanos(long now) {
        return servedNanos + activeSteps * now - activeSince;
    }

    /// Under the lock: as if workers had spent at least so much on it.
    void raiseServedNanos(long nanos) {
        servedNanos = Math.max(servedNanos, nanos);
    }

    /// Whether there is something to do for a worker; under the lock.
    boolean isReady() {
        if (isStopped()) {
            return false;
        }
        if (hasWaiting()) {
            return true;
        }
        for (PipelineRun pipeline : pipelines) {
            if (pipeline.isReady()) {
                return true;
            }
        }
        return false;
    }

    /// A new step for a worker, or null; under the lock.
    RunStep poll(int worker) {
        if (isStopped()) {
            return null;
        }
        for (PipelineRun pipeline : pipelines) {
            RunStep step = pipeline.poll(worker);
            if (step != null) {
                return step;
            }
        }
        return null;
    }

    /// Whether workers wait for their turn in the midst of its steps; under the lock.
    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    /// The worker that has waited longest, or null; under the lock.
    Worker pollWaiting() {
        return waiting.poll();
    }

    void addWaiting(Worker worker) {
        waiting.add(worker);
    }

    /// Lets a worker wait for the reader; under the lock.
    ///
    /// @return whether it has: there may be too many that wait already
    boolean holdBack(Worker worker, Morsel morsel) {
        if (!scheduler.mayLeave(worker)) {
            return false;
        }
        held.add(new HeldBack(worker, morsel));
        scheduler.leaveAndAwait(worker);
        return true;
    }

    /// Lets those go on for whose rows there is room again; under the lock.
    void releaseHeld() {
        boolean isAny = false;
        for (int index = held.size() - 1; index >= 0; index--) {
            if (results.hasRoomAgain(held.get(index).morsel())) {
                waiting.add(held.remove(index).worker());
                isAny = true;
            }
        }
        if (isAny) {
            signalWork();
        }
    }

    /// Whether no further step may start: failed, closed, or everything the reader asked for is there.
    boolean isStopped() {
        return failure != null || closed || results.isSpent();
    }

    /// Says, under the lock, that a worker is about to run a step.
    ///
    /// @return when
    long stepStarted() {
        openSteps++;
        return stepResumed();
    }

    /// Says, under the lock, that a step goes on.
    ///
    /// @return when
    long stepResumed() {
        long now = System.nanoTime();
        activeSteps++;
        activeSince += now;
        return now;
    }

    /// Says, under the lock, that a step waits for its turn.
    ///
    /// @param since when it began or went on
    /// @return how long ago that is
    long stepPaused(long since) {
        activeSteps--;
        activeSince -= since;
        long nanos = System.nanoTime() - since;
        servedNanos += nanos;
        scheduler.served(nanos);
        return nanos;
    }

    /// Says, under the lock, that a step has ended; as `stepPaused`.
    long stepEnded(long since) {
        long nanos = stepPaused(since);
        openSteps--;
        if (openSteps == 0 || failure != null) {
            progress.signalAll();
        }
        return nanos;
    }

    void signalReader() {
        progress.signalAll();
    }

    void signalWork() {
        scheduler.signalWork();
    }

    boolean isDone(int pipeline) {
        return pipelines.get(pipeline).isDone();
    }

    int threads() {
        return scheduler.threads();
    }

    /// Why steps are to stop.
    Cancellation cancellation() {
        return steps;
    }

    ResultQueue results() {
        return results;
    }

    CatalogSnapshot snapshot() {
        return snapshot;
    }

    QueryPlan plan() {
        return plan;
    }

    PipelineContext contextOf(PipelineRun pipeline) {
        return new Context(pipeline);
    }

    private final class Context implements PipelineContext {
        private final PipelineRun pipeline;

        Context(PipelineRun pipeline) {
            this.pipeline = pipeline;
        }

        @Override
        public long queryId() {
            return id;
        }

        @Override
        public List<Literal> slotValues() {
            return slotValues;
        }

        @Override
        public CatalogSnapshot catalog() {
            return snapshot;
        }

        @Override
        public Materialized materialized(int input) {
            return pipelines.get(input).materialized();
        }

        @Override
        public ResultChannel results() {
            return results;
        }

        @Override
        public MemoryBudget budget() {
            return budget;
        }

        @Override
        public QuerySpill spill() {
            return spill;
        }

        @Override
        public Cancellation cancellation() {
            return steps;
        }

        @Override
        public Placement.Choice choice() {
            return pipeline.choice();
        }

        @Override
        public PipelineContext ofFeeding(int id) {
            return new Context(pipelines.get(id));
        }

        @Override
        public PipelineCounters counters() {
            return pipeline.counters();
        }
    }
}
