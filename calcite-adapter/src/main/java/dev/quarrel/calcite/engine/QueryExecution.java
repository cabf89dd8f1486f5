package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.host.HostRun;
import dev.quarrel.calcite.host.PhysicalPlan;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.PipelineCounters;
import dev.quarrel.core.device.Placement;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.run.InlineRun;
import dev.quarrel.core.run.PlanRun;
import dev.quarrel.core.run.QueryRun;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.spill.QuerySpill;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.Schema;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;

/// One run of a query.
final class QueryExecution implements Execution {
    private final LocalEngine engine;
    private final PlannedQuery planned;
    private final SharedSnapshot snapshot;
    private final long memoryBytes;
    private final long spillBytes;
    private final Cancellation cancellation;
    private final LiveRows live;
    private final Map<QueryPlan, Placement> placements = new IdentityHashMap<>();
    private final Map<QueryPlan, PlanRun> runs = new IdentityHashMap<>();
    private final HostRun host;
    private ResultCursor cursor;
    private Future<?> timeout;
    private boolean closed;

    /// @param memoryBytes what each run of a device may hold, and the rest of the plan
    /// @param spillBytes what each run of a device may put into temporary files, or [QuerySpill#NO_LIMIT]
    /// @param checked what devices become that check themselves, or the identity
    /// @param cancellation the statement's
    QueryExecution(
            LocalEngine engine,
            SqlSession session,
            PlannedQuery planned,
            SharedSnapshot snapshot,
            long memoryBytes,
            long spillBytes,
            UnaryOperator<Placement> checked,
            Cancellation cancellation) {
        this.engine = engine;
        this.planned = planned;
        this.snapshot = snapshot;
        this.memoryBytes = memoryBytes;
        this.spillBytes = spillBytes;
        this.cancellation = cancellation;
        this.live = new LiveRows(session);
        planned.placements().forEach((device, placement) -> placements.put(device.plan(), checked.apply(placement)));
        this.host = new HostRun(this::start, session, engine.queryMemory(memoryBytes), cancellation);
    }

    /// Starts the work.
    ///
    /// - Errors: those of host nodes under the plan, which run here; nothing stays open then.
    ///
    /// @param parameters the statement's, then the hidden ones
    /// @param timeoutMillis 0 for none
    void start(List<Literal> parameters, Schema schema, long timeoutMillis) {
        timeout = engine.cancelLater(cancellation, timeoutMillis);
        try {
            cursor = new Checked(host.cursor(planned.plan(), parameters, schema));
        } catch (RuntimeException | Error problem) {
            close();
            throw problem;
        }
    }

    private ResultCursor start(QueryPlan plan, List<Literal> parameters, List<Table> tables, Schema schema) {
        boolean isWhole = planned.plan() instanceof PhysicalPlan.Device;
        Cancellation own = isWhole && runs.isEmpty() && tables.isEmpty() ? cancellation : new Cancellation();
        List<Literal> slotValues = planned.exchanged(plan, QueryRun.slotValues(plan, parameters));
        PlanRun run = run(plan, slotValues, snapshot.view(tables, live), own, schema);
        runs.put(plan, run);
        return own == cancellation ? run : new Linked(run, own);
    }

    /// On this thread where the rows are few, otherwise on the workers.
    private PlanRun run(
            QueryPlan plan, List<Literal> slotValues, CatalogSnapshot view, Cancellation own, Schema schema) {
        Placement placement = placements.get(plan);
        MemoryBudget memory = engine.queryMemory(memoryBytes);
        QuerySpill spill = engine.querySpill(spillBytes);
        boolean isInline = engine.isOfCpu(placement)
                && InlineRun.workRows(plan, view) <= engine.config().inlineRows();
        return isInline
                ? InlineRun.of(plan, placement, slotValues, view, memory, spill, own, schema)
                : QueryRun.start(engine.scheduler(), plan, placement, slotValues, view, memory, spill, own, schema);
    }

    /// The rows of a run that is part of a larger one: cancelling the statement cancels this run, too.
    private final class Linked implements ResultCursor {
        private final PlanRun run;
        private final Runnable link;

        Linked(PlanRun run, Cancellation own) {
            this.run = run;
            this.link = cancellation.passTo(own);
        }

        @Override
        public Schema schema() {
            return run.schema();
        }

        @Override
        public Batch next() {
            return run.next();
        }

        @Override
        public void close() {
            cancellation.forget(link);
            run.close();
        }
    }

    /// The rows of a statement; once it is cancelled, it fails with its cancellation, whatever other error
    /// occurred on the way.
    private final class Checked implements ResultCursor {
        private final ResultCursor rows;

        Checked(ResultCursor rows) {
            this.rows = rows;
        }

        @Override
        public Schema schema() {
            return rows.schema();
        }

        @Override
        public Batch next() {
            cancellation.check();
            return rows.next();
        }

        @Override
        public void close() {
            rows.close();
        }
    }

    @Override
    public ResultCursor cursor() {
        return cursor;
    }

    /// Counters of the pipelines of one part of the plan, by pipeline; empty if it did not run.
    Map<Integer, PipelineCounters> counters(QueryPlan plan) {
        PlanRun run = runs.get(plan);
        Map<Integer, PipelineCounters> counters = new HashMap<>();
        if (run != null) {
            plan.pipelines().forEach(pipeline -> counters.put(pipeline.id(), run.counters(pipeline.id())));
        }
        return counters;
    }

    @Override
    public String devices() {
        TreeSet<String> names = new TreeSet<>();
        for (Placement placement : placements.values()) {
            placement.choices().forEach(choice -> names.add(choice.device().name()));
        }
        return String.join("+", names);
    }

    @Override
    public String commandTag(long rowCount) {
        return "SELECT " + rowCount;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (timeout != null) {
            timeout.cancel(false);
        }
        try {
            if (cursor != null) {
                cursor.close();
            }
        } finally {
            host.close();
        }
    }
}
