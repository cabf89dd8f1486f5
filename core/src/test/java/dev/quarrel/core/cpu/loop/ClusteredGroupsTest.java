package dev.quarrel.core.cpu.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.PlanBuilder;
import dev.quarrel.core.cpu.PlanRunner;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.run.QueryRun;
import dev.quarrel.core.spill.QuerySpill;
import dev.quarrel.core.spill.SpillFolder;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Groups whose rows lie clustered by an integer key of many values: a window of states moves with them.
@Tag("compiled")
class ClusteredGroupsTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    /// Batches of several tiles, and more groups than are computed at a time.
    private static final int ROWS = 20_000;
    private static final DataType MONEY = new DataType.Decimal(12, 2);

    /// How keys come. Few rows a key in most, so that windows are left often.
    private enum Order {
        ASCENDING,
        DESCENDING,
        /// Ascending, but not quite.
        JITTERED,
        /// The same keys again and again, in ascending order.
        IN_PASSES,
        /// One key for very many rows, then the next.
        LONG_RUNS,
        /// Two ascending sequences far apart, taking turns every few thousand rows.
        TWO_PLACES,
        /// Ascending, with jumps.
        WITH_GAPS,
        /// Ascending, with a few values from anywhere.
        WITH_STRAYS,
        /// The least and greatest values of the type, and those next to them.
        AT_THE_ENDS,
        /// The greatest value of the type, and now and then the least.
        BOTH_ENDS,
        RANDOM;

        boolean isClustered() {
            return this != RANDOM;
        }

        /// @param least of the type's values
        long[] keys(int rows, long least, long greatest, Random random) {
            long middle = (least >> 1) + (greatest >> 1);
            long start = Math.max(least, middle - rows / 2);
            return IntStream.range(0, rows)
                    .mapToLong(row -> switch (this) {
                        case ASCENDING -> start + row / 3;
                        case DESCENDING -> start + (rows - row) / 2;
                        case JITTERED -> start + row / 2 + random.nextInt(200);
                        case IN_PASSES -> start + row % (rows / 4 + 1);
                        case LONG_RUNS -> start + row / 5000;
                        case TWO_PLACES -> (row / 3000 % 2 == 0 ? start : least + 5) + row / 4;
                        case WITH_GAPS -> start + row / 4 + row / 1000 * (greatest > 1 << 20 ? 1_000_003 : 7);
                        case WITH_STRAYS ->
                            random.nextInt(3000) == 0 ? random.nextLong(least, greatest) : start + row / 3;
                        case AT_THE_ENDS -> row < rows / 2 ? least + row / 2 : greatest - (rows - 1 - row) / 2;
                        case BOTH_ENDS -> random.nextInt(40) == 0 ? least : greatest;
                        case RANDOM -> random.nextLong(least, greatest);
                    })
                    .toArray();
        }
    }

    private static final List<AggregateCall> CALLS = List.of(
            new AggregateCall(AggregateKind.COUNT_STAR, -1, -1),
            new AggregateCall(AggregateKind.SUM, 1, -1),
            new AggregateCall(AggregateKind.MIN, 1, -1),
            new AggregateCall(AggregateKind.SUM, 2, -1),
            new AggregateCall(AggregateKind.MAX, 2, -1),
            new AggregateCall(AggregateKind.AVG, 3, -1),
            new AggregateCall(AggregateKind.COUNT, 3, -1),
            new AggregateCall(AggregateKind.SUM, 4, -1),
            new AggregateCall(AggregateKind.MIN, 4, -1),
            new AggregateCall(AggregateKind.MAX, 0, -1));
    /// Those whose results lie in the states as they are.
    private static final List<AggregateCall> WORDS = CALLS.subList(0, 2);

    private static Stream<Arguments> typesAndOrders() {
        return Stream.of(DataType.INT16, DataType.INT32, DataType.INT64, DataType.DATE, DataType.TIMESTAMP)
                .flatMap(type -> Stream.of(Order.values()).map(order -> Arguments.of(type, order)));
    }

    private static List<List<Object>> rows(DataType type, Order order, int count) {
        Random random = new Random(SEED + order.ordinal());
        long least =
                switch (type) {
                    case DataType.Int16 _ -> Short.MIN_VALUE;
                    case DataType.Int32 _ -> Integer.MIN_VALUE;
                    case DataType.Int64 _ -> Long.MIN_VALUE;
                    case DataType.Date _ -> -700_000;
                    default -> -60_000_000_000_000_000L; // a timestamp's
                };
        long greatest =
                switch (type) {
                    case DataType.Int16 _ -> Short.MAX_VALUE;
                    case DataType.Int32 _ -> Integer.MAX_VALUE;
                    case DataType.Int64 _ -> Long.MAX_VALUE;
                    case DataType.Date _ -> 1 << 30;
                    default -> 1L << 60;
                };
        return rows(order.keys(count, least, greatest, random), random);
    }

    private static List<List<Object>> rows(long[] keys, Random random) {
        return LongStream.of(keys)
                .mapToObj(key -> TestRows.row(
                        key,
                        (long) random.nextInt(),
                        random.nextLong(),
                        (long) random.nextInt(-3000, 3000),
                        new BigDecimal(BigInteger.valueOf(random.nextInt()), 2)))
                .toList();
    }

    private static MemoryTable table(DataType type, List<List<Object>> rows) {
        List<DataType> types = List.of(type, DataType.INT32, DataType.INT64, DataType.INT16, MONEY);
        return TestRows.table("t", types, rows, 12_345, 9_000);
    }

    private static QueryPlan plan(MemoryTable table, List<AggregateCall> calls) {
        PlanBuilder plans = new PlanBuilder();
        int groups = plans.scan(table).all().sink(new Sink.Aggregate(List.of(0), calls));
        return plans.rows(groups).all().result();
    }

    private static List<List<Object>> sorted(List<List<Object>> rows) {
        List<List<Object>> sorted = new ArrayList<>(rows);
        sorted.sort(
                Comparator.comparing(row -> (Long) row.getFirst(), Comparator.nullsFirst(Comparator.naturalOrder())));
        return sorted;
    }

    private static List<List<Object>> interpreted(QueryPlan plan, MemoryTable table) {
        try (PlanRunner runner = new PlanRunner(new DeviceConfig(1, 2048, DeviceConfig.Tier.INTERPRETED, 64 << 20))) {
            return sorted(runner.rows(plan, table));
        }
    }

    /// The answer, and how many rows came to compiled loops.
    private static long run(
            PlanRunner runner,
            QueryPlan plan,
            MemoryBudget budget,
            QuerySpill spill,
            MemoryTable table,
            List<List<Object>> rows) {
        long compiled;
        try (QueryRun run = runner.start(plan, List.of(table), budget, spill, new Cancellation())) {
            for (Batch batch = run.next(); batch != null; batch = run.next()) {
                rows.addAll(TestRows.rows(batch));
                batch.close();
            }
            compiled = run.counters(0).rowsCompiled.sum();
        }
        runner.checkNothingLeft(budget);
        return compiled;
    }

    private static void check(List<List<Object>> rows, DataType type, List<AggregateCall> calls, boolean isClustered) {
        MemoryTable table = table(type, rows);
        QueryPlan plan = plan(table, calls);
        List<List<Object>> expected = interpreted(plan, table);
        for (int[] threadsAndTile : new int[][] {{1, 2048}, {3, 512}, {2, 64}}) {
            try (PlanRunner runner = new PlanRunner(threadsAndTile[0], threadsAndTile[1])) {
                List<List<Object>> found = new ArrayList<>();
                long compiled = run(runner, plan, new MemoryBudget(1L << 30), QuerySpill.none(), table, found);
                TestRows.assertSame(
                        sorted(found),
                        expected,
                        type + ", " + threadsAndTile[0] + " threads, tiles of " + threadsAndTile[1]);
                if (isClustered) {
                    assertThat(compiled).as("rows in the window").isEqualTo(rows.size());
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("typesAndOrders")
    void eachKeyIsOneGroup(DataType type, Order order) {
        check(rows(type, order, ROWS), type, CALLS, order.isClustered());
    }

    @ParameterizedTest
    @EnumSource
    void rowsAsTheyLie(Order order) {
        check(rows(DataType.INT32, order, ROWS), DataType.INT32, WORDS, order.isClustered());
        check(rows(DataType.INT64, order, ROWS), DataType.INT64, WORDS, order.isClustered());
    }

    @Test
    void anyNumberOfRows() {
        for (int count : new int[] {0, 1, 63, 64, 65, 511, 512, 513, 2047, 2048, 2049, 12_345, 16_384, 16_385}) {
            check(rows(DataType.INT64, Order.ASCENDING, count), DataType.INT64, CALLS, true);
            check(rows(DataType.INT32, Order.WITH_STRAYS, count), DataType.INT32, WORDS, true);
        }
    }

    /// Rows that no window can take come in the middle: they, and all groups before them, go another way.
    @Test
    void nullsAndDisorderInBetween() {
        Random random = new Random(SEED);
        for (int kind = 0; kind < 3; kind++) {
            List<List<Object>> rows = new ArrayList<>(rows(DataType.INT64, Order.ASCENDING, ROWS));
            for (int row = ROWS / 2; row < ROWS / 2 + 5000; row++) {
                List<Object> changed = new ArrayList<>(rows.get(row));
                switch (kind) {
                    case 0 -> changed.set(0, row % 100 == 0 ? null : changed.getFirst());
                    case 1 -> changed.set(2, row % 100 == 0 ? null : changed.get(2));
                    default -> changed.set(0, random.nextLong());
                }
                rows.set(row, Collections.unmodifiableList(changed));
            }
            check(rows, DataType.INT64, CALLS, false);
        }
    }

    @TempDir
    private Path folder;

    /// Budgets from far too small to just too small: packed groups go to files, too.
    @ParameterizedTest
    @EnumSource
    void littleMemory(Order order) {
        List<List<Object>> rows = rows(DataType.INT64, order, 30_000);
        MemoryTable table = table(DataType.INT64, rows);
        for (List<AggregateCall> calls : List.of(CALLS, WORDS)) {
            QueryPlan plan = plan(table, calls);
            List<List<Object>> expected = interpreted(plan, table);
            for (int threads : new int[] {1, 3}) {
                for (int kilobytes : new int[] {2_000, 6_000, 20_000}) {
                    MemoryBudget budget = new MemoryBudget(kilobytes * 1024L);
                    try (PlanRunner runner = new PlanRunner(threads, 256);
                            SpillFolder spills = SpillFolder.open(folder)) {
                        List<List<Object>> found = new ArrayList<>();
                        run(runner, plan, budget, new QuerySpill(spills, -1), table, found);
                        TestRows.assertSame(sorted(found), expected, kilobytes + " KB, " + threads + " threads");
                        assertThat(budget.peakBytes()).isLessThanOrEqualTo(kilobytes * 1152L);
                    }
                }
            }
        }
    }

    @Test
    void memoryThatNothingHoldsIsAnError() {
        MemoryTable table = table(DataType.INT64, rows(DataType.INT64, Order.ASCENDING, 30_000));
        try (PlanRunner runner = new PlanRunner(2, 512)) {
            assertThat(runner.failure(plan(table, CALLS), new MemoryBudget(700_000), table))
                    .isEqualTo(SqlState.OUT_OF_MEMORY);
        }
    }

    @Test
    void cancelledAnywhere() {
        MemoryTable table = table(DataType.INT64, rows(DataType.INT64, Order.IN_PASSES, 120_000));
        QueryPlan plan = plan(table, CALLS);
        Random random = new Random(SEED);
        try (PlanRunner runner = new PlanRunner(2, 512)) {
            for (int turn = 0; turn < 20; turn++) {
                MemoryBudget budget = new MemoryBudget(1L << 30);
                Cancellation cancellation = new Cancellation();
                try (QueryRun run = runner.start(plan, List.of(table), budget, QuerySpill.none(), cancellation)) {
                    LockSupport.parkNanos(random.nextInt(30_000_000));
                    cancellation.cancel();
                    assertThatThrownBy(run::next).isInstanceOf(QueryException.class);
                }
                runner.checkNothingLeft(budget);
            }
        }
    }
}
