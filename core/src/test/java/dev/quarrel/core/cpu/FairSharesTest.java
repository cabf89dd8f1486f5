package dev.quarrel.core.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.run.QueryRun;
import dev.quarrel.core.run.Scheduler;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Steps that last: other queries are served meanwhile, and what gave way goes on where it was.
@Timeout(60)
class FairSharesTest {
    /// Rows (0, row).
    private static MemoryTable table(int rowCount, int batchRows) {
        List<List<Object>> rows = new ArrayList<>();
        for (int row = 0; row < rowCount; row++) {
            rows.add(TestRows.row(0L, (long) row));
        }
        return TestRows.table("t", List.of(DataType.INT64, DataType.INT64), rows, batchRows);
    }

    /// count(*), sum of the build side's second column over all pairs of rows where probe's is at least build's.
    private static QueryPlan pairs(Table table) {
        PlanBuilder plans = new PlanBuilder();
        int built = plans.scan(table).all().build(List.of(0), List.of(1));
        int sum = plans.scan(table)
                .all()
                .join(
                        JoinKind.INNER,
                        built,
                        List.of(0),
                        builder -> builder.value(
                                Opcode.GE_INT64, DataType.BOOL, 0, 0, builder.load(1, 0), builder.load(2, 0)))
                .all()
                .sink(new Sink.Aggregate(
                        List.of(),
                        List.of(
                                new AggregateCall(AggregateKind.COUNT_STAR, -1, -1),
                                new AggregateCall(AggregateKind.SUM, 2, -1))));
        return plans.rows(sum).all().result();
    }

    private static QueryPlan sum(Table table) {
        PlanBuilder plans = new PlanBuilder();
        int groups = plans.scan(table)
                .all()
                .sink(new Sink.Aggregate(List.of(), List.of(new AggregateCall(AggregateKind.SUM, 1, -1))));
        return plans.rows(groups).all().result();
    }

    private static QueryRun start(PlanRunner runner, QueryPlan plan, Table table, Cancellation cancellation) {
        return runner.start(plan, List.of(table), new MemoryBudget(1L << 28), cancellation);
    }

    private static List<List<Object>> rows(PlanRunner runner, QueryPlan plan, Table table) {
        List<List<Object>> rows = new ArrayList<>();
        try (QueryRun run = start(runner, plan, table, new Cancellation())) {
            for (Batch batch = run.next(); batch != null; batch = run.next()) {
                rows.addAll(TestRows.rows(batch));
                batch.close();
            }
        }
        return rows;
    }

    /// Each join makes 10^10 pairs of two morsels: that takes minutes.
    /// Closing must not be missed by whoever is about to start the workers.
    @Test
    @Timeout(60)
    void aSchedulerIsClosedAsSoonAsItIsOpened() {
        for (int round = 0; round < 2_000; round++) {
            new Scheduler(1 + round % 8).close();
        }
    }

    @Test
    void joinsWithoutEndLetShortQueriesThrough() throws Exception {
        MemoryTable large = table(100_000, 50_000);
        MemoryTable small = table(100, 10);
        try (PlanRunner runner = new PlanRunner(2, 1024)) {
            Cancellation cancellation = new Cancellation();
            try (QueryRun first = start(runner, pairs(large), large, new Cancellation());
                    QueryRun second = start(runner, pairs(large), large, cancellation)) {
                Thread.sleep(300);
                long started = System.nanoTime();
                for (int query = 0; query < 20; query++) {
                    assertThat(rows(runner, sum(small), small)).hasSize(1);
                }
                assertThat(System.nanoTime() - started).isLessThan(TimeUnit.SECONDS.toNanos(10));
                started = System.nanoTime();
                cancellation.cancel();
                assertThatThrownBy(second::next).isInstanceOf(QueryException.class);
                second.close();
                first.close();
                assertThat(System.nanoTime() - started).isLessThan(TimeUnit.SECONDS.toNanos(5));
            }
            assertThat(runner.openSnapshots.get()).isZero();
        }
    }

    @Test
    void whatGivesWayGoesOnWhereItWas() throws Exception {
        MemoryTable large = table(4_000, 2_000);
        MemoryTable small = table(100, 10);
        List<List<Object>> expected;
        try (PlanRunner alone = new PlanRunner(1, 1024)) {
            expected = rows(alone, pairs(large), large);
        }
        assertThat(expected.getFirst().getFirst()).isEqualTo(4_000L * 4_001 / 2);
        try (PlanRunner runner = new PlanRunner(2, 1024);
                ExecutorService clients = Executors.newFixedThreadPool(6)) {
            List<Callable<Void>> work = new ArrayList<>();
            for (int client = 0; client < 4; client++) {
                work.add(() -> {
                    assertThat(rows(runner, pairs(large), large)).isEqualTo(expected);
                    return null;
                });
            }
            for (int client = 0; client < 2; client++) {
                work.add(() -> {
                    for (int query = 0; query < 100; query++) {
                        assertThat(rows(runner, sum(small), small)).hasSize(1);
                    }
                    return null;
                });
            }
            for (Future<Void> done : clients.invokeAll(work)) {
                done.get();
            }
            assertThat(runner.openSnapshots.get()).isZero();
        }
    }

    @Test
    void aStepThatHangsHoldsItsOwnQueryUpAlone() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        WatchedTable hanging = new WatchedTable(table(4, 1), _ -> {
            try {
                release.await();
            } catch (InterruptedException interrupt) {
                throw new IllegalStateException(interrupt);
            }
        });
        MemoryTable small = table(100, 10);
        try (PlanRunner runner = new PlanRunner(2, 64)) {
            try (QueryRun first = start(runner, sum(hanging), hanging, new Cancellation());
                    QueryRun second = start(runner, sum(hanging), hanging, new Cancellation())) {
                for (int query = 0; query < 20; query++) {
                    assertThat(rows(runner, sum(small), small)).hasSize(1);
                }
                // No more steps of a query are under way than there are places.
                assertThat(hanging.reads.get()).isBetween(2, 4);
                release.countDown();
                for (QueryRun run : List.of(first, second)) {
                    Batch batch = run.next();
                    assertThat(batch.rowCount()).isEqualTo(1);
                    batch.close();
                    assertThat(run.next()).isNull();
                }
            }
            assertThat(hanging.open.get()).isZero();
            assertThat(runner.openSnapshots.get()).isZero();
        }
    }

    @Test
    void closingTheSchedulerEndsStepsThatGaveWay() throws Exception {
        MemoryTable large = table(100_000, 50_000);
        List<QueryRun> runs = new ArrayList<>();
        try (PlanRunner runner = new PlanRunner(2, 1024)) {
            for (int query = 0; query < 3; query++) {
                runs.add(start(runner, pairs(large), large, new Cancellation()));
            }
            Thread.sleep(300);
        }
        for (QueryRun run : runs) {
            assertThatThrownBy(run::next).isInstanceOf(QueryException.class);
            run.close();
        }
    }
}
