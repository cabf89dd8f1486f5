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
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.run.QueryRun;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Queries as wholes: several at a time, cancelled, abandoned, failing, slowly read.
@Timeout(60)
class QueryRunTest {
    private static MemoryTable numbers(int batches, int batchRows) {
        List<List<Object>> rows = new ArrayList<>();
        for (int row = 0; row < batches * batchRows; row++) {
            rows.add(TestRows.row((long) row));
        }
        return TestRows.table("t", List.of(DataType.INT64), rows, batchRows);
    }

    private static QueryPlan scan(Table table) {
        return new PlanBuilder().scan(table).all().result();
    }

    private static QueryPlan sum(Table table) {
        PlanBuilder plans = new PlanBuilder();
        int groups = plans.scan(table)
                .all()
                .sink(new Sink.Aggregate(List.of(), List.of(new AggregateCall(AggregateKind.SUM, 0, -1))));
        return plans.rows(groups).all().result();
    }

    /// One worker: a query of many short steps is through before two steps of a long one are.
    @Test
    void shortQueriesAreNotStuckBehindLongOnes() {
        MemoryTable few = numbers(2, 5);
        PlanBuilder plans = new PlanBuilder();
        int last = plans.scan(few)
                .all()
                .sink(new Sink.Aggregate(List.of(), List.of(new AggregateCall(AggregateKind.SUM, 0, -1))));
        for (int step = 0; step < 10; step++) {
            last = plans.rows(last).all().sink(new Sink.Aggregate(List.of(0), List.of()));
        }
        QueryPlan brief = plans.rows(last).all().result();
        WatchedTable many = new WatchedTable(numbers(400, 10), _ -> pause(5000));
        try (PlanRunner runner = new PlanRunner(1, 16)) {
            // The first run takes its time for other reasons.
            assertThat(runner.count(brief, List.of(few))).isEqualTo(1);
            MemoryBudget budget = new MemoryBudget(1L << 30);
            try (QueryRun endless = runner.start(sum(many), List.of(many), budget, new Cancellation())) {
                while (many.reads.get() < 5) {
                    pause(100);
                }
                int before = many.reads.get();
                assertThat(runner.count(brief, List.of(few))).isEqualTo(1);
                assertThat(many.reads.get() - before).isLessThanOrEqualTo(25); // it has more than 40 steps of its own
            }
        }
    }

    private static void pause(int micros) {
        LockSupport.parkNanos(micros * 1000L);
    }

    @Test
    void severalQueriesShareOneScheduler() throws Exception {
        MemoryTable table = numbers(40, 500);
        List<List<Object>> all = new ArrayList<>();
        for (int row = 0; row < 20_000; row++) {
            all.add(TestRows.row((long) row));
        }
        PlanBuilder joins = new PlanBuilder();
        int built = joins.scan(table).all().build(List.of(0), List.of());
        QueryPlan semi = joins.scan(table)
                .all()
                .join(JoinKind.SEMI, built, List.of(0))
                .all()
                .result();
        PlanBuilder sorts = new PlanBuilder();
        int sorted = sorts.scan(table)
                .all()
                .sink(new Sink.Sort(List.of(new SortKey(0, true, false)), Sink.Bound.ZERO, Sink.Bound.NONE));
        QueryPlan sort = sorts.rows(sorted).all().result();
        try (PlanRunner runner = new PlanRunner(3, 256);
                ExecutorService clients = Executors.newFixedThreadPool(6)) {
            List<Callable<Void>> work = new ArrayList<>();
            for (int client = 0; client < 6; client++) {
                QueryPlan plan = client % 3 == 0 ? scan(table) : client % 3 == 1 ? semi : sort;
                List<List<Object>> expected = client % 3 == 2 ? all.reversed() : all;
                work.add(() -> {
                    for (int round = 0; round < 10; round++) {
                        MemoryBudget budget = new MemoryBudget(1 << 24);
                        List<List<Object>> rows = new ArrayList<>();
                        try (QueryRun run = runner.start(plan, List.of(table), budget, new Cancellation())) {
                            for (Batch batch = run.next(); batch != null; batch = run.next()) {
                                rows.addAll(TestRows.rows(batch));
                                batch.close();
                            }
                        }
                        assertThat(rows).isEqualTo(expected);
                        assertThat(budget.usedBytes()).isZero();
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
    void aShortQueryIsNotStuckBehindALongOne() {
        WatchedTable slow = new WatchedTable(numbers(3000, 1), _ -> pause(1000));
        MemoryTable small = numbers(1, 5);
        try (PlanRunner runner = new PlanRunner(1, 64);
                QueryRun running =
                        runner.start(sum(slow), List.of(slow), new MemoryBudget(1 << 20), new Cancellation())) {
            while (slow.reads.get() < 5) {
                pause(100);
            }
            MemoryBudget budget = new MemoryBudget(1 << 20);
            try (QueryRun run = runner.start(sum(small), List.of(small), budget, new Cancellation())) {
                int before = slow.reads.get();
                assertThat(run.next().rowCount()).isEqualTo(1);
                assertThat(slow.reads.get() - before).isLessThan(200);
            }
            assertThat(running.counters(0).elapsedNanos.sum()).isZero();
        }
        assertThat(slow.open.get()).isZero();
    }

    @Test
    void cancelStopsAQueryWithinAMorsel() throws Exception {
        WatchedTable slow = new WatchedTable(numbers(5000, 1), _ -> pause(1000));
        MemoryBudget budget = new MemoryBudget(1 << 20);
        Cancellation cancellation = new Cancellation();
        try (PlanRunner runner = new PlanRunner(2, 64)) {
            try (QueryRun run = runner.start(sum(slow), List.of(slow), budget, cancellation)) {
                Thread canceller = Thread.ofPlatform().start(() -> {
                    pause(20_000);
                    cancellation.cancel();
                });
                assertThatThrownBy(run::next)
                        .isInstanceOfSatisfying(
                                QueryException.class,
                                error -> assertThat(error.state()).isEqualTo(SqlState.QUERY_CANCELED));
                assertThatThrownBy(run::next).isInstanceOf(QueryException.class);
                canceller.join();
            }
            assertThat(slow.reads.get()).isLessThan(4000);
            runner.checkNothingLeft(budget);
            assertThat(slow.open.get()).isZero();
        }
    }

    @Test
    void aReaderMayLeaveEarly() {
        WatchedTable table = new WatchedTable(numbers(500, 100), _ -> pause(200));
        MemoryBudget budget = new MemoryBudget(1 << 24);
        try (PlanRunner runner = new PlanRunner(2, 64)) {
            Batch kept;
            try (ResultCursor cursor = runner.start(scan(table), List.of(table), budget, new Cancellation())) {
                kept = cursor.next();
                assertThat(kept.rowCount()).isEqualTo(100);
            }
            kept.close();
            runner.checkNothingLeft(budget);
            assertThat(table.reads.get()).isLessThan(400);
            assertThat(table.open.get()).isZero();
        }
    }

    @Test
    void aSlowReaderHoldsTheScanBack() {
        WatchedTable table = new WatchedTable(numbers(300, 10_000), _ -> {});
        MemoryBudget budget = new MemoryBudget(1 << 28);
        try (PlanRunner runner = new PlanRunner(2, 2048)) {
            try (QueryRun run = runner.start(scan(table), List.of(table), budget, new Cancellation())) {
                long rows = 0;
                long most = 0;
                for (int pull = 0; pull < 5; pull++) {
                    Batch batch = run.next();
                    rows += batch.rowCount();
                    batch.close();
                    pause(30_000);
                    most = Math.max(most, run.waitingBytes());
                }
                // 300 morsels of 80,000 bytes; ahead of the reader are a few a worker.
                assertThat(table.reads.get()).isLessThan(20);
                assertThat(most).isLessThan(20 * 80_000);
                for (Batch batch = run.next(); batch != null; batch = run.next()) {
                    rows += batch.rowCount();
                    batch.close();
                }
                assertThat(rows).isEqualTo(3_000_000);
            }
            runner.checkNothingLeft(budget);
        }
    }

    private static QueryPlan division(Table table, boolean guarded, Sink.Bound limit) {
        PlanBuilder plans = new PlanBuilder();
        int zero = plans.constant(DataType.INT64, 0L);
        int hundred = plans.constant(DataType.INT64, 100L);
        return plans.scan(table)
                .program(builder -> {
                    int all = ProgramBuilder.ALL_ROWS;
                    int value = builder.load(0, all);
                    int isZero = builder.value(
                            Opcode.EQ_INT64, DataType.BOOL, all, 0, value, builder.constant(zero, DataType.INT64, all));
                    int chosen = builder.mask(Opcode.MASK_TRUE, all, isZero);
                    int others = builder.mask(Opcode.MASK_MINUS, all, chosen);
                    int under = guarded ? others : all;
                    int quotient = builder.value(
                            Opcode.DIV_INT64,
                            DataType.INT64,
                            under,
                            0,
                            builder.constant(hundred, DataType.INT64, under),
                            value);
                    int result = !guarded
                            ? quotient
                            : builder.value(
                                    Opcode.SELECT,
                                    DataType.INT64,
                                    all,
                                    0,
                                    chosen,
                                    builder.constant(zero, DataType.INT64, all),
                                    quotient);
                    return new PlanBuilder.Out(all, List.of(result));
                })
                .result(Sink.Bound.ZERO, limit);
    }

    @Test
    void errorsReachOnlyRowsThatGetThere() {
        List<List<Object>> rows = new ArrayList<>();
        for (long row = 1; row <= 400; row++) {
            rows.add(TestRows.row(row == 350 ? 0L : row));
        }
        MemoryTable table = TestRows.table("t", List.of(DataType.INT64), rows, 50);
        for (int threads : new int[] {1, 4}) {
            try (PlanRunner runner = new PlanRunner(threads, 16)) {
                MemoryBudget budget = new MemoryBudget(1 << 24);
                assertThat(runner.rows(division(table, true, Sink.Bound.NONE), table))
                        .hasSize(400)
                        .contains(TestRows.row(0L), TestRows.row(100L));
                assertThat(runner.failure(division(table, false, Sink.Bound.NONE), budget, table))
                        .isEqualTo(SqlState.DIVISION_BY_ZERO);
                assertThat(runner.rows(division(table, false, Sink.Bound.of(300)), table))
                        .hasSize(300);
                assertThat(runner.failure(division(table, false, Sink.Bound.of(360)), budget, table))
                        .isEqualTo(SqlState.DIVISION_BY_ZERO);
            }
        }
    }

    @Test
    void faultsOfFilesAndBugsAreTold() {
        MemoryTable numbers = numbers(10, 10);
        WatchedTable faulty = new WatchedTable(numbers, batch -> {
            if (batch == 7) {
                throw new InternalError("a fault occurred in an unsafe memory access operation");
            }
        });
        WatchedTable buggy = new WatchedTable(numbers, batch -> {
            if (batch == 7) {
                throw new IllegalStateException("a bug");
            }
        });
        try (PlanRunner runner = new PlanRunner(2, 16)) {
            MemoryBudget budget = new MemoryBudget(1 << 24);
            assertThat(runner.failure(scan(faulty), budget, faulty)).isEqualTo(SqlState.IO_ERROR);
            assertThat(runner.failure(sum(faulty), budget, faulty)).isEqualTo(SqlState.IO_ERROR);
            assertThatThrownBy(() -> runner.failure(scan(buggy), budget, buggy))
                    .hasMessage("internal error: IllegalStateException: a bug")
                    .satisfies(error ->
                            assertThat(((QueryException) error).state()).isEqualTo(SqlState.INTERNAL_ERROR));
            assertThat(runner.failure(scan(numbers), new MemoryBudget(100), numbers))
                    .isEqualTo(SqlState.OUT_OF_MEMORY);
            assertThat(runner.rows(sum(numbers), numbers)).hasSize(1);
        }
    }

    @Test
    void closingTheSchedulerEndsQueries() {
        WatchedTable slow = new WatchedTable(numbers(3000, 1), _ -> pause(1000));
        PlanRunner runner = new PlanRunner(1, 64);
        MemoryBudget budget = new MemoryBudget(1 << 20);
        try (QueryRun run = runner.start(sum(slow), List.of(slow), budget, new Cancellation())) {
            runner.close();
            assertThatThrownBy(run::next)
                    .isInstanceOfSatisfying(
                            QueryException.class,
                            error -> assertThat(error.state()).isEqualTo(SqlState.ADMIN_SHUTDOWN));
        }
        runner.checkNothingLeft(budget);
        assertThatThrownBy(() -> runner.start(sum(slow), List.of(slow), budget, new Cancellation()))
                .isInstanceOf(QueryException.class);
        assertThat(runner.openSnapshots.get()).isZero();
    }

    @Test
    void independentPipelinesRunAtTheSameTime() throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        MemoryTable numbers = numbers(1, 10);
        WatchedTable one = new WatchedTable(numbers, _ -> meet(both));
        PlanBuilder plans = new PlanBuilder();
        int first = plans.scan(one).all().build(List.of(0), List.of());
        int second = plans.scan(one).all().build(List.of(0), List.of());
        QueryPlan plan = plans.values(1, List.of(DataType.INT64), List.of(plans.constant(DataType.INT64, 3L)))
                .all()
                .join(JoinKind.SEMI, first, List.of(0))
                .all()
                .join(JoinKind.SEMI, second, List.of(0))
                .all()
                .result();
        try (PlanRunner runner = new PlanRunner(2, 64)) {
            assertThat(runner.rows(plan, one)).containsExactly(TestRows.row(3L));
        }
    }

    /// Each build waits for the other to have begun.
    private static void meet(CountDownLatch both) {
        both.countDown();
        try {
            both.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void memoryOfJoinsAndSortsIsBounded() {
        MemoryTable table = numbers(20, 5000);
        PlanBuilder joins = new PlanBuilder();
        int built = joins.scan(table).all().build(List.of(0), List.of(0));
        QueryPlan join = joins.scan(table)
                .all()
                .join(JoinKind.INNER, built, List.of(0))
                .all()
                .result();
        PlanBuilder sorts = new PlanBuilder();
        int sorted = sorts.scan(table)
                .all()
                .sink(new Sink.Sort(List.of(new SortKey(0, true, false)), Sink.Bound.ZERO, Sink.Bound.NONE));
        QueryPlan sort = sorts.rows(sorted).all().result();
        try (PlanRunner runner = new PlanRunner(2, 1024)) {
            for (QueryPlan plan : List.of(join, sort)) {
                boolean fitted = false;
                for (long bytes = 1 << 10; !fitted; bytes *= 2) {
                    SqlState state = runner.failure(plan, new MemoryBudget(bytes), table);
                    assertThat(state).isIn(SqlState.OUT_OF_MEMORY, SqlState.SUCCESSFUL_COMPLETION);
                    fitted = state == SqlState.SUCCESSFUL_COMPLETION;
                    assertThat(fitted && bytes < 500_000).isFalse();
                }
            }
        }
    }
}
