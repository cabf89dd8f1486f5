package dev.quarrel.core.cpu;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.Device;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.Placement;
import dev.quarrel.core.device.PlacementHints;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.run.QueryRun;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.run.Scheduler;
import dev.quarrel.core.spill.QuerySpill;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.FixedSnapshot;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/// Runs hand-written plans over tables, on the CPU device, and checks that nothing is left behind.
public final class PlanRunner implements AutoCloseable {
    private final Scheduler scheduler;
    private final Device device;
    public final AtomicInteger openSnapshots = new AtomicInteger();

    public PlanRunner(int threads, int tileRows) {
        this(new DeviceConfig(threads, tileRows, DeviceConfig.Tier.COMPILED, 64 << 20));
    }

    public PlanRunner(DeviceConfig config) {
        this.scheduler = new Scheduler(config.threads());
        this.device = new CpuDevice(config);
    }

    Scheduler scheduler() {
        return scheduler;
    }

    /// Starts a plan.
    public QueryRun start(QueryPlan plan, List<Table> tables, MemoryBudget budget, Cancellation cancellation) {
        return start(plan, tables, budget, QuerySpill.none(), cancellation);
    }

    public QueryRun start(
            QueryPlan plan, List<Table> tables, MemoryBudget budget, QuerySpill spill, Cancellation cancellation) {
        openSnapshots.incrementAndGet();
        return QueryRun.start(
                scheduler,
                plan,
                Placement.of(
                        plan, List.of(device), Map.of(), _ -> PlacementHints.UNKNOWN, Placement.Preference.AUTO, false),
                QueryRun.slotValues(plan, List.of()),
                snapshot(tables),
                budget,
                spill,
                cancellation,
                schema(plan.root().rowTypes()));
    }

    static Schema schema(List<DataType> types) {
        List<Field> fields = new ArrayList<>();
        for (int index = 0; index < types.size(); index++) {
            fields.add(new Field("r" + index, types.get(index), true));
        }
        return new Schema(fields);
    }

    /// All rows of a plan's answer.
    public List<List<Object>> rows(QueryPlan plan, Table... tables) {
        MemoryBudget budget = new MemoryBudget(1L << 30);
        List<List<Object>> rows = new ArrayList<>();
        try (ResultCursor cursor = start(plan, List.of(tables), budget, new Cancellation())) {
            for (Batch batch = cursor.next(); batch != null; batch = cursor.next()) {
                rows.addAll(TestRows.rows(batch));
                batch.close();
            }
        }
        checkNothingLeft(budget);
        return rows;
    }

    /// How many rows a plan's answer has.
    public int count(QueryPlan plan, List<Table> tables) {
        int rows = 0;
        try (ResultCursor cursor = start(plan, tables, new MemoryBudget(1L << 31), new Cancellation())) {
            for (Batch batch = cursor.next(); batch != null; batch = cursor.next()) {
                rows += batch.rowCount();
                batch.close();
            }
        }
        return rows;
    }

    /// The SQLSTATE that a plan fails with.
    public SqlState failure(QueryPlan plan, MemoryBudget budget, Table... tables) {
        return failure(plan, budget, QuerySpill.none(), tables);
    }

    public SqlState failure(QueryPlan plan, MemoryBudget budget, QuerySpill spill, Table... tables) {
        SqlState state = SqlState.SUCCESSFUL_COMPLETION;
        try (ResultCursor cursor = start(plan, List.of(tables), budget, spill, new Cancellation())) {
            for (Batch batch = cursor.next(); batch != null; batch = cursor.next()) {
                batch.close();
            }
        } catch (QueryException error) {
            state = error.state();
            if (state == SqlState.INTERNAL_ERROR) {
                throw error; // a bug of ours: its stack is worth more than its state
            }
        }
        checkNothingLeft(budget);
        return state;
    }

    public void checkNothingLeft(MemoryBudget budget) {
        if (budget.usedBytes() != 0 || openSnapshots.get() != 0) {
            throw new AssertionError(
                    budget.usedBytes() + " bytes and " + openSnapshots.get() + " snapshots are left behind");
        }
    }

    private CatalogSnapshot snapshot(List<Table> tables) {
        return new FixedSnapshot(1, tables, openSnapshots::decrementAndGet);
    }

    @Override
    public void close() {
        scheduler.close();
    }

    /// What a grouping set must give, by a grouping of its own: all keys, NULL for those that are not its, then the
    /// results and the set's numbers.
    public List<List<Object>> groupsOfSet(
            MemoryTable table, List<Integer> keys, List<AggregateCall> calls, Sink.GroupingSet set) {
        PlanBuilder plans = new PlanBuilder();
        int groups = plans.scan(table)
                .all()
                .sink(new Sink.Aggregate(set.keys().stream().map(keys::get).toList(), calls));
        List<List<Object>> found = new ArrayList<>();
        for (List<Object> row : rows(plans.rows(groups).all().result(), table)) {
            List<Object> wide = new ArrayList<>();
            for (int key = 0; key < keys.size(); key++) {
                int place = set.keys().indexOf(key);
                wide.add(place < 0 ? null : row.get(place));
            }
            wide.addAll(row.subList(set.keys().size(), row.size()));
            set.numbers().forEach(number -> wide.add((long) number));
            found.add(wide);
        }
        return found;
    }
}
