package dev.quarrel.core.cpu;

import static dev.quarrel.core.column.LittleEndian.INT64;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.run.QueryRun;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Joins that make many more rows than their sides have, and readers that take their time.
@Timeout(60)
class SlowReaderTest {
    private static final int ROWS = 3000;
    private static final MemoryTable TABLE = table(ROWS, 750);
    private static final MemoryTable SMALL = table(100, 10);

    /// Rows (0, row).
    private static MemoryTable table(int rowCount, int batchRows) {
        List<List<Object>> rows = new ArrayList<>();
        for (int row = 0; row < rowCount; row++) {
            rows.add(TestRows.row(0L, (long) row));
        }
        return TestRows.table("t", List.of(DataType.INT64, DataType.INT64), rows, batchRows);
    }

    /// All pairs of rows: 9 million of 24 bytes, in four morsels.
    private static QueryPlan pairs() {
        PlanBuilder plans = new PlanBuilder();
        int built = plans.scan(TABLE).all().build(List.of(0), List.of(1));
        return plans.scan(TABLE)
                .all()
                .join(JoinKind.INNER, built, List.of(0))
                .all()
                .result();
    }

    private static QueryPlan sum(Table table) {
        PlanBuilder plans = new PlanBuilder();
        int groups = plans.scan(table)
                .all()
                .sink(new Sink.Aggregate(List.of(), List.of(new AggregateCall(AggregateKind.SUM, 1, -1))));
        return plans.rows(groups).all().result();
    }

    private static QueryRun start(PlanRunner runner, MemoryBudget budget) {
        return runner.start(pairs(), List.of(TABLE), budget, new Cancellation());
    }

    /// Checks a batch of pairs, which come in the order of their probe rows.
    ///
    /// @param row the first of its rows
    private static void check(Batch batch, long row) {
        FixedColumn probed = (FixedColumn) batch.column(1);
        for (int index = 0; index < batch.rowCount(); index += 97) {
            assertThat(probed.values().getAtIndex(INT64, index)).isEqualTo((row + index) / ROWS);
        }
    }

    @Test
    void everyRowOfAJoinComesInLittleMemory() throws Exception {
        MemoryBudget budget = new MemoryBudget(64 << 20);
        try (PlanRunner runner = new PlanRunner(2, 1024)) {
            long rows = 0;
            try (QueryRun run = start(runner, budget)) {
                for (Batch batch = run.next(); batch != null; batch = run.next()) {
                    check(batch, rows);
                    rows += batch.rowCount();
                    batch.close();
                    if (rows < 300_000) {
                        Thread.sleep(20);
                        assertThat(runner.count(sum(SMALL), List.of(SMALL))).isEqualTo(1);
                    }
                }
                assertThat(run.peakBytes()).isLessThan(48 << 20);
            }
            assertThat(rows).isEqualTo((long) ROWS * ROWS);
            runner.checkNothingLeft(budget);
        }
    }

    /// More cursors that nobody reads than there are places: each keeps its workers waiting, and nobody else.
    @Test
    void cursorsThatNobodyReadsHoldUpNobody() throws Exception {
        List<QueryRun> runs = new ArrayList<>();
        List<MemoryBudget> budgets = new ArrayList<>();
        try (PlanRunner runner = new PlanRunner(2, 1024)) {
            for (int cursor = 0; cursor < 6; cursor++) {
                budgets.add(new MemoryBudget(64 << 20));
                runs.add(start(runner, budgets.getLast()));
                Batch batch = runs.getLast().next();
                check(batch, 0);
                batch.close();
            }
            Thread.sleep(300);
            for (QueryRun run : runs) {
                assertThat(run.waitingBytes()).isBetween(1L, 40L << 20);
            }
            for (int query = 0; query < 20; query++) {
                assertThat(runner.count(sum(SMALL), List.of(SMALL))).isEqualTo(1);
            }
            runs.removeFirst().close();
            // One goes on to its end after all.
            QueryRun last = runs.removeLast();
            long rows = 0;
            for (Batch batch = last.next(); batch != null; batch = last.next()) {
                rows += batch.rowCount();
                batch.close();
            }
            assertThat(rows).isGreaterThan((long) ROWS * ROWS - 20_000);
            last.close();
            runner.scheduler().close();
            for (QueryRun run : runs) {
                assertThatThrownBy(() -> {
                            while (run.next() instanceof Batch batch) {
                                batch.close();
                            }
                        })
                        .isInstanceOf(QueryException.class);
                run.close();
            }
            budgets.forEach(budget -> assertThat(budget.usedBytes()).isZero());
        }
    }

    @Test
    void aReaderThatHasEnoughEndsTheJoin() {
        MemoryBudget budget = new MemoryBudget(64 << 20);
        try (PlanRunner runner = new PlanRunner(1, 1024)) {
            try (QueryRun run = start(runner, budget)) {
                run.next().close();
            }
            runner.checkNothingLeft(budget);
        }
    }
}
