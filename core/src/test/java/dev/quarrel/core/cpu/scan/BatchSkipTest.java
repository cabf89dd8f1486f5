package dev.quarrel.core.cpu.scan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.ForwardingTable;
import dev.quarrel.core.cpu.PlanBuilder;
import dev.quarrel.core.cpu.PlanRunner;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.cpu.sort.SortTest;
import dev.quarrel.core.ir.ColumnRange;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.run.QueryRun;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.ValueOrder;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Batches that statistics exclude are not read.
@Tag("compiled")
class BatchSkipTest {
    /// Ten batches of ten rows: batch b holds 10·b … 10·b + 9 in both columns, and the last holds NULLs.
    private static Table table() {
        List<List<Object>> rows = new ArrayList<>();
        for (int row = 0; row < 100; row++) {
            boolean isNull = row >= 90;
            rows.add(TestRows.row(isNull ? null : (Object) (long) row, isNull ? null : "k%02d".formatted(row)));
        }
        return new WithStats(TestRows.table("t", List.of(DataType.INT32, DataType.UTF8), rows, 10));
    }

    private static final class WithStats extends ForwardingTable {
        WithStats(MemoryTable table) {
            super(table);
        }

        @Override
        public ColumnStats batchStats(int batch, int column) {
            if (batch == 9) {
                return new ColumnStats(10, null, null, 0);
            }
            long first = batch * 10L;
            return column == 0
                    ? new ColumnStats(0, first, first + 9, -1)
                    : new ColumnStats(-1, "k%02d".formatted(first), "k%02d".formatted(first + 9), -1);
        }
    }

    private static long read(Table table, QueryPlan plan, int pipeline) {
        try (PlanRunner runner = new PlanRunner(2, 16);
                QueryRun run = runner.start(plan, List.of(table), new MemoryBudget(1 << 24), new Cancellation())) {
            for (Batch batch = run.next(); batch != null; batch = run.next()) {
                batch.close();
            }
            long read = run.counters(pipeline).batchesRead.sum();
            assertThat(read + run.counters(pipeline).batchesSkipped.sum()).isEqualTo(10);
            return read;
        }
    }

    private static long read(DataType type, int column, Object low, Object high) {
        Table table = table();
        PlanBuilder plans = new PlanBuilder();
        int from = low == null ? -1 : plans.constant(type, low);
        int to = high == null ? -1 : plans.constant(type, high);
        return read(
                table,
                plans.scan(table, new ColumnRange(column, from, to)).all().result(),
                0);
    }

    /// Ten batches of 10,000 rows with their ranges; the values ascend where `isSorted`.
    private static List<List<Object>> manyRows(boolean isSorted, Random random) {
        List<List<Object>> rows = new ArrayList<>();
        for (int row = 0; row < 100_000; row++) {
            long base = isSorted ? row / 3 : row / 10_000 * 7919 % 100_000;
            rows.add(TestRows.row(isSorted ? base : base + random.nextInt(1000), "t" + row));
        }
        return rows;
    }

    private static final class Ranged extends ForwardingTable {
        private final List<List<Object>> rows;
        private final boolean isSorted;

        Ranged(MemoryTable table, List<List<Object>> rows, boolean isSorted) {
            super(table);
            this.rows = rows;
            this.isSorted = isSorted;
        }

        @Override
        public List<Integer> sortedBy() {
            return isSorted ? List.of(0) : List.of();
        }

        @Override
        public ColumnStats batchStats(int batch, int column) {
            if (column != 0) {
                return ColumnStats.UNKNOWN;
            }
            var values = rows.subList(batch * 10_000, (batch + 1) * 10_000).stream()
                    .mapToLong(row -> (Long) row.get(0))
                    .summaryStatistics();
            return new ColumnStats(0, values.getMin(), values.getMax(), -1);
        }
    }

    @Test
    void topNReadsTheBatchesOfTheBestKeysAlone() {
        Random random = new Random(4);
        for (boolean isSorted : new boolean[] {true, false}) {
            List<List<Object>> rows = manyRows(isSorted, random);
            MemoryTable memory = TestRows.table("t", List.of(DataType.INT64, DataType.UTF8), rows, 10_000);
            Table table = new Ranged(memory, rows, isSorted);
            for (boolean descending : new boolean[] {true, false}) {
                for (boolean withSecond : new boolean[] {true, false}) {
                    List<SortKey> keys = new ArrayList<>(List.of(new SortKey(0, descending, descending)));
                    if (withSecond) {
                        keys.add(new SortKey(1, true, false));
                    }
                    PlanBuilder plans = new PlanBuilder();
                    int sorted = plans.scan(table).all().sink(new Sink.Sort(keys, Sink.Bound.ZERO, Sink.Bound.of(10)));
                    QueryPlan plan = plans.rows(sorted).all().result();
                    for (int threads : new int[] {1, 3}) {
                        List<List<Object>> found = new ArrayList<>();
                        try (PlanRunner runner = new PlanRunner(threads, 2048);
                                QueryRun run = runner.start(
                                        plan, List.of(table), new MemoryBudget(1 << 24), new Cancellation())) {
                            for (Batch batch = run.next(); batch != null; batch = run.next()) {
                                found.addAll(TestRows.rows(batch));
                                batch.close();
                            }
                            assertThat(run.counters(0).batchesRead.sum()).isLessThanOrEqualTo(threads + 1);
                        }
                        assertThat(found)
                                .isEqualTo(rows.stream()
                                        .sorted(SortTest.comparator(keys))
                                        .limit(10)
                                        .toList());
                    }
                }
            }
        }
    }

    @Test
    void rangesOfAScanSkipBatches() {
        assertThat(read(DataType.INT32, 0, 25L, 41L)).isEqualTo(3);
        assertThat(read(DataType.INT32, 0, 30L, 39L)).isEqualTo(1);
        assertThat(read(DataType.INT32, 0, null, 9L)).isEqualTo(1);
        assertThat(read(DataType.INT32, 0, 89L, null)).isEqualTo(1);
        assertThat(read(DataType.INT32, 0, 200L, null)).isZero();
        assertThat(read(DataType.UTF8, 1, "k25", "k4")).isEqualTo(2);
        assertThat(read(DataType.UTF8, 1, "é", null)).isZero();
    }

    @Test
    void aBoundThatIsNullAdmitsNothing() {
        Table table = table();
        PlanBuilder plans = new PlanBuilder();
        int none = plans.constant(DataType.INT32, null);
        assertThat(read(
                        table,
                        plans.scan(table, new ColumnRange(0, none, -1)).all().result(),
                        0))
                .isZero();
    }

    @Test
    void keysOfABuildSideSkipBatches() {
        Table table = table();
        for (JoinKind kind : JoinKind.values()) {
            PlanBuilder plans = new PlanBuilder();
            int slot = plans.constant(DataType.INT32, 37L);
            int other = plans.constant(DataType.INT32, 42L);
            var side = plans.values(2, List.of(DataType.INT32), List.of(slot, other))
                    .all();
            int built = kind.needsNullKeys()
                    ? side.buildWithNulls(List.of(0), List.of())
                    : side.build(List.of(0), List.of());
            QueryPlan plan =
                    plans.scan(table).all().join(kind, built, List.of(0)).all().result();
            long expected = kind.needsMatch() ? 2 : 10;
            assertThat(read(table, plan, 1)).as(kind.name()).isEqualTo(expected);
        }
    }

    /// Keys that lie near each other are bits, others a list.
    @Test
    void batchesBetweenTheKeysOfABuildSideAreSkipped() {
        assertThat(readBatches(12, 87)).isEqualTo(2);
        assertThat(readBatches(9, 20, 29, 50)).isEqualTo(3);
        assertThat(readBatches(-5, 95)).isZero();
        assertThat(readBatches(12, 87, 2_000_000_000)).isEqualTo(2);
        assertThat(readBatches(-2_000_000_000, 30, 2_000_000_000)).isEqualTo(1);
        assertThat(readBatches(-2_000_000_000, 2_000_000_000)).isZero();
    }

    private static long readBatches(long... keys) {
        Table table = table();
        PlanBuilder plans = new PlanBuilder();
        List<Integer> slots = Arrays.stream(keys)
                .mapToObj(key -> plans.constant(DataType.INT32, key))
                .toList();
        int built =
                plans.values(keys.length, List.of(DataType.INT32), slots).all().build(List.of(0), List.of());
        QueryPlan plan = plans.scan(table)
                .all()
                .join(JoinKind.INNER, built, List.of(0))
                .all()
                .result();
        return read(table, plan, 1);
    }

    @Test
    void boundsCompareAsPostgresqlDoes() {
        assertThat(ValueOrder.compare(Double.NaN, Double.POSITIVE_INFINITY)).isPositive();
        assertThat(ValueOrder.compare(-0.0, 0.0)).isZero();
        assertThat(ValueOrder.compare(new BigDecimal("1.0"), new BigDecimal("1.00")))
                .isZero();
        assertThat(ValueOrder.compare(new UUID(-1, 0), new UUID(1, 0))).isPositive();
        assertThat(ValueOrder.compare(new UUID(5, 1), new UUID(5, -1))).isNegative();
        assertThat(ValueOrder.compare(Bytes.of(new byte[] {-1}), Bytes.of(new byte[] {1, 2})))
                .isPositive();
        assertThat(ValueOrder.compare(Bytes.of(new byte[] {1}), Bytes.of(new byte[] {1, 0})))
                .isNegative();
        // UTF-16 would order these the other way round.
        assertThat(ValueOrder.compare("\uFFFD", "\uD83D\uDE00")).isNegative();
    }
}
