package dev.quarrel.core.run;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PipelineCounters;
import dev.quarrel.core.device.Placement;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.device.ResultChannel;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.event.FlightRecording;
import dev.quarrel.core.event.PipelineFinished;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.spill.QuerySpill;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One execution of a plan on its reader's own thread. It is for so few rows that handing them to a worker and
/// waiting for it would cost more than the work, and that nobody waits long behind it.
///
/// The work is done when the first rows are asked for, pipeline by pipeline, by the same devices as a [QueryRun]'s.
///
/// - Memory: as of a [QueryRun].
///
/// One thread at a time uses it; another may cancel it.
public final class InlineRun implements PlanRun {
    private static final Logger LOG = LoggerFactory.getLogger(InlineRun.class);

    private final long id = QueryRun.LAST_ID.incrementAndGet();
    private final QueryPlan plan;
    private final Placement placement;
    private final List<Literal> slotValues;
    private final CatalogSnapshot snapshot;
    private final MemoryBudget budget;
    private final QuerySpill spill;
    private final Cancellation cancellation;
    private final Schema schema;
    private final RowWindow window;
    private final PipelineCounters[] counters;
    private final Materialized[] made;
    private final PreparedPipeline[] prepared;
    private final List<SinkState> states = new ArrayList<>(); // those that no pipeline's end has consumed
    private final Deque<Batch> rows = new ArrayDeque<>();
    private long rowCount;
    private boolean isStarted;
    private QueryException failure;
    private boolean isClosed;

    private InlineRun(
            QueryPlan plan,
            Placement placement,
            List<Literal> slotValues,
            CatalogSnapshot snapshot,
            MemoryBudget budget,
            QuerySpill spill,
            Cancellation cancellation,
            Schema schema) {
        this.plan = plan;
        this.placement = placement;
        this.slotValues = List.copyOf(slotValues);
        this.snapshot = snapshot;
        this.budget = budget;
        this.spill = spill;
        this.cancellation = cancellation;
        this.schema = schema;
        budget.stopBy(cancellation);
        Sink.Result result = (Sink.Result) plan.root().sink();
        this.window = new RowWindow(
                schema,
                RowBounds.offset(result.offset(), this.slotValues),
                RowBounds.limit(result.limit(), this.slotValues));
        this.counters = new PipelineCounters[plan.pipelines().size()];
        for (int index = 0; index < counters.length; index++) {
            counters[index] = new PipelineCounters();
        }
        this.made = new Materialized[counters.length];
        this.prepared = new PreparedPipeline[counters.length];
    }

    /// Rows that a plan's work can grow to: the product of those of all its sources, since joins may pair them all.
    ///
    /// @return [Long#MAX_VALUE] where a table is not there
    public static long workRows(QueryPlan plan, CatalogSnapshot snapshot) {
        long product = 1;
        for (Pipeline pipeline : plan.pipelines()) {
            long rows =
                    switch (pipeline.source()) {
                        case Source.TableScan scan -> {
                            Table table = snapshot.scanned(scan.schemaName(), scan.tableName());
                            yield table == null || table.fault() != null
                                    ? Long.MAX_VALUE
                                    : table.stats().rowCount();
                        }
                        case Source.Values values -> values.rowCount();
                        case Source.Rows _, Source.Union _ -> 1;
                    };
            product = saturatingProduct(product, Math.max(1, rows));
        }
        return product;
    }

    private static long saturatingProduct(long left, long right) {
        long high = Math.multiplyHigh(left, right);
        long low = left * right;
        return high != 0 || low < 0 ? Long.MAX_VALUE : low;
    }

    /// An execution that has not begun yet.
    ///
    /// - Memory: takes `snapshot` and `spill` over; they are closed also when this fails. `budget` is this run's
    ///   alone.
    /// - Errors: as [QueryRun#start].
    public static InlineRun of(
            QueryPlan plan,
            Placement placement,
            List<Literal> slotValues,
            CatalogSnapshot snapshot,
            MemoryBudget budget,
            QuerySpill spill,
            Cancellation cancellation,
            Schema schema) {
        boolean isMade = false;
        try {
            QueryRun.checkValues(plan, slotValues);
            InlineRun run = new InlineRun(plan, placement, slotValues, snapshot, budget, spill, cancellation, schema);
            isMade = true;
            return run;
        } finally {
            if (!isMade) {
                spill.close();
                snapshot.close();
            }
        }
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public PipelineCounters counters(int pipeline) {
        return counters[pipeline];
    }

    @Override
    public Batch next() {
        if (isClosed) {
            throw new IllegalStateException("the cursor is closed");
        }
        if (!isStarted) {
            isStarted = true;
            cancellation.during(this::runAll);
        }
        while (!window.isSpent()) {
            Batch batch = rows.poll();
            if (batch == null) {
                if (failure != null) {
                    throw failure;
                }
                return null;
            }
            Batch given = window.cut(batch);
            if (given != null) {
                return given;
            }
        }
        return null;
    }

    private void runAll() {
        for (int index = 0; index < counters.length && failure == null; index++) {
            Pipeline pipeline = plan.pipelines().get(index);
            try {
                cancellation.check();
                run(index, pipeline);
            } catch (RuntimeException | Error problem) {
                fail(StepErrors.toQueryException(StepErrors.ofPipeline(problem, pipeline, snapshot)));
            }
        }
    }

    /// With a LIMIT an error counts only if the reader gets there, as PostgreSQL stops before it.
    private void fail(QueryException error) {
        failure = error;
        if (error.state() == SqlState.INTERNAL_ERROR) {
            LOG.error("query.bug query={} plan:\n{}", id, StepErrors.text(plan), error);
        }
        if (!window.isLimited()) {
            rows.forEach(Batch::close);
            rows.clear();
        }
    }

    private void run(int index, Pipeline pipeline) {
        if (pipeline.sink() instanceof Sink.Feed) {
            return; // it runs as a part of the one that it feeds
        }
        long start = System.nanoTime();
        boolean isRoot = index == counters.length - 1;
        PreparedPipeline work = placement.choices().get(index).device().prepare(plan, pipeline, new Context(index));
        prepared[index] = work;
        List<Morsel> morsels = work.morsels();
        long ready = System.nanoTime();
        counters[index].prepareNanos.add(ready - start);
        SinkState state = null;
        // Build rows that no probe row matches follow a probe side without rows, too.
        do {
            for (Morsel morsel : morsels) {
                if (work.isSatisfied() || isRoot && rowCount >= window.lastRow()) {
                    break;
                }
                cancellation.check();
                if (state == null) {
                    state = work.newState();
                    states.add(state);
                }
                work.run(morsel, state);
            }
            boolean isOver = work.isSatisfied() || isRoot && rowCount >= window.lastRow();
            morsels = isOver ? List.of() : work.moreMorsels();
        } while (!morsels.isEmpty());
        List<SinkState> filled = List.copyOf(states);
        for (int round = 0, parts = work.mergeParts(0, filled); parts > 0; parts = work.mergeParts(++round, filled)) {
            for (int part = 0; part < parts; part++) {
                work.merge(round, part, filled);
            }
        }
        states.clear(); // `finish` closes them, also when it fails
        made[index] = work.finish(filled);
        long end = System.nanoTime();
        counters[index].workNanos.add(end - start);
        counters[index].elapsedNanos.add(end - ready);
        if (FlightRecording.hasBegun()) {
            PipelineFinished.commit(
                    id, pipeline, placement.choices().get(index).device().name(), counters[index]);
        }
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        List<AutoCloseable> resources = new ArrayList<>(rows);
        rows.clear();
        resources.addAll(states);
        for (int index = counters.length - 1; index >= 0; index--) {
            if (made[index] != null) {
                resources.add(made[index]);
            }
            if (prepared[index] != null) {
                resources.add(prepared[index]);
            }
        }
        resources.add(spill);
        resources.add(snapshot);
        QueryRun.closeAll(resources);
    }

    private final class Context implements PipelineContext, ResultChannel {
        private final int index;

        Context(int index) {
            this.index = index;
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
        public Materialized materialized(int pipeline) {
            return made[pipeline];
        }

        @Override
        public ResultChannel results() {
            return this;
        }

        @Override
        public void transfer(Morsel morsel, Batch batch) {
            if (batch.rowCount() == 0) {
                batch.close();
                return;
            }
            rowCount += batch.rowCount();
            rows.add(batch);
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
            return cancellation;
        }

        @Override
        public Placement.Choice choice() {
            return placement.choices().get(index);
        }

        @Override
        public PipelineContext ofFeeding(int pipeline) {
            return new Context(pipeline);
        }

        @Override
        public PipelineCounters counters() {
            return counters[index];
        }
    }
}
