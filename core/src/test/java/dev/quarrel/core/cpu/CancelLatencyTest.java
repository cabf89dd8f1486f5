package dev.quarrel.core.cpu;

import static dev.quarrel.core.column.LittleEndian.INT64;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.run.QueryRun;
import dev.quarrel.core.spill.QuerySpill;
import dev.quarrel.core.spill.SpillFolder;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How soon a stopped query's workers are idle, wherever it was: reading, merging, sorting, building a table.
class CancelLatencyTest {
    /// So many that each phase of a run that spills takes longer than a stop may take.
    private static final int ROWS = 1 << 18;
    private static final int BATCH_ROWS = 1 << 15;
    private static final int TURNS = 3;
    /// Less than any of the plans takes.
    private static final long LITTLE_MEMORY = 2 << 20;
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);

    @TempDir
    private Path folder;

    @Test
    void workersStopSoon() {
        MemoryTable table = table();
        PlanBuilder sorts = new PlanBuilder();
        int sorted = sorts.scan(table)
                .all()
                .sink(new Sink.Sort(
                        List.of(new SortKey(1, true, false), new SortKey(0, false, false)),
                        Sink.Bound.ZERO,
                        Sink.Bound.NONE));
        PlanBuilder groups = new PlanBuilder();
        int grouped = groups.scan(table)
                .all()
                .sink(new Sink.Aggregate(
                        List.of(0),
                        List.of(
                                new AggregateCall(AggregateKind.COUNT_STAR, -1, -1),
                                new AggregateCall(AggregateKind.SUM, 1, -1))));
        PlanBuilder joins = new PlanBuilder();
        int built = joins.scan(table).all().build(List.of(0, 1), List.of(1));
        List<QueryPlan> plans = List.of(
                sorts.rows(sorted).all().result(),
                groups.rows(grouped).all().result(),
                joins.scan(table)
                        .all()
                        .join(JoinKind.INNER, built, List.of(0, 1))
                        .all()
                        .result());
        List<String> names = List.of("sort", "group", "join");
        for (int plan = 0; plan < plans.size(); plan++) {
            check(names.get(plan), plans.get(plan), table, 1L << 31);
            check(names.get(plan) + ", spilling", plans.get(plan), table, LITTLE_MEMORY);
        }
    }

    /// Groups that are packed as they come, and merged where two passes over the keys meet.
    @Test
    void clusteredGroupsStopSoon() {
        MemoryTable table = table(row -> row % (ROWS / 2));
        PlanBuilder groups = new PlanBuilder();
        int grouped = groups.scan(table)
                .all()
                .sink(new Sink.Aggregate(
                        List.of(0),
                        List.of(
                                new AggregateCall(AggregateKind.AVG, 1, -1),
                                new AggregateCall(AggregateKind.SUM, 1, -1))));
        QueryPlan plan = groups.rows(grouped).all().result();
        check("clustered groups", plan, table, 1L << 31);
        check("clustered groups, spilling", plan, table, LITTLE_MEMORY);
    }

    private void check(String what, QueryPlan plan, MemoryTable table, long memory) {
        Random random = new Random(SEED);
        double[] cancelMillis = new double[TURNS];
        double[] closeMillis = new double[TURNS];
        try (PlanRunner runner = new PlanRunner(2, 2048);
                SpillFolder spills = SpillFolder.open(folder)) {
            run(runner, plan, table, memory, spills);
            long start = System.nanoTime();
            run(runner, plan, table, memory, spills);
            long whole = System.nanoTime() - start;
            for (int turn = 0; turn < TURNS; turn++) {
                long wait = (long) (random.nextDouble() * whole);
                cancelMillis[turn] = stop(runner, plan, table, memory, spills, wait, true);
                closeMillis[turn] = stop(runner, plan, table, memory, spills, wait, false);
            }
            System.out.printf("%s of %.0f ms: ", what, whole / 1e6);
        }
        Arrays.sort(cancelMillis);
        Arrays.sort(closeMillis);
        System.out.println("cancel " + Arrays.toString(cancelMillis) + ", close " + Arrays.toString(closeMillis));
        // Machines that run tests are busy with other things: half of the turns say it, and none may take long.
        assertThat(cancelMillis[TURNS / 2]).as(what + ", cancel").isLessThan(100);
        assertThat(closeMillis[TURNS / 2]).as(what + ", close").isLessThan(100);
        assertThat(Math.max(cancelMillis[TURNS - 1], closeMillis[TURNS - 1]))
                .as(what)
                .isLessThan(1500);
    }

    private static void run(PlanRunner runner, QueryPlan plan, MemoryTable table, long memory, SpillFolder spills) {
        MemoryBudget budget = new MemoryBudget(memory);
        QuerySpill spill = new QuerySpill(spills, QuerySpill.NO_LIMIT);
        try (QueryRun run = runner.start(plan, List.of(table), budget, spill, new Cancellation())) {
            for (Batch batch = run.next(); batch != null; batch = run.next()) {
                batch.close();
            }
        }
    }

    /// Milliseconds from the wish to stop until no worker runs a step.
    private static double stop(
            PlanRunner runner,
            QueryPlan plan,
            MemoryTable table,
            long memory,
            SpillFolder spills,
            long waitNanos,
            boolean cancels) {
        MemoryBudget budget = new MemoryBudget(memory);
        Cancellation cancellation = new Cancellation();
        long start;
        try (QueryRun run =
                runner.start(plan, List.of(table), budget, new QuerySpill(spills, QuerySpill.NO_LIMIT), cancellation)) {
            LockSupport.parkNanos(waitNanos); // a loop would take a core from the workers
            start = System.nanoTime();
            if (cancels) {
                cancellation.cancel();
                assertThatThrownBy(run::next).isInstanceOf(QueryException.class);
            }
        }
        double millis = (System.nanoTime() - start) / 1e6;
        runner.checkNothingLeft(budget);
        return millis;
    }

    private static MemoryTable table() {
        Random random = new Random(SEED);
        return table(_ -> random.nextLong());
    }

    /// @param key of a row, by its number
    private static MemoryTable table(LongUnaryOperator key) {
        Random random = new Random(SEED + 1);
        Schema schema =
                new Schema(List.of(new Field("c0", DataType.INT64, false), new Field("c1", DataType.INT64, false)));
        List<Batch> batches = new ArrayList<>();
        for (int first = 0; first < ROWS; first += BATCH_ROWS) {
            FixedColumn[] columns = new FixedColumn[2];
            for (int column = 0; column < 2; column++) {
                MemorySegment values = MemorySegment.ofArray(new byte[BATCH_ROWS * 8]);
                for (int row = 0; row < BATCH_ROWS; row++) {
                    long value = column == 0 ? key.applyAsLong(first + row) : random.nextLong();
                    values.set(INT64, row * 8L, value);
                }
                columns[column] = new FixedColumn(DataType.INT64, BATCH_ROWS, values, Validity.allPresent());
            }
            batches.add(Batch.view(schema, List.of(columns), BATCH_ROWS));
        }
        return new MemoryTable("public", "t", schema, batches);
    }
}
