package dev.quarrel.core.cpu.sort;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.cpu.PlanBuilder;
import dev.quarrel.core.cpu.PlanRunner;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.run.QueryRun;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/// Sorts, top-N, LIMIT and OFFSET against a stable sort of the rows.
public class SortTest {
    private static final int[][] CONFIGURATIONS = {{1, 2048}, {1, 1}, {3, 7}, {4, 64}};
    private static final List<DataType> TYPES = List.of(
            DataType.BOOL,
            DataType.INT16,
            DataType.INT32,
            DataType.INT64,
            DataType.FLOAT32,
            DataType.FLOAT64,
            new DataType.Decimal(12, 2),
            new DataType.Decimal(38, 3),
            DataType.NUMERIC,
            DataType.DATE,
            DataType.TIMESTAMP,
            DataType.UTF8,
            DataType.UUID,
            DataType.BINARY,
            DataType.TIME,
            DataType.INTERVAL);

    /// More than one part of a sort has (`RowSort.PART_ROWS`).
    private static final int MANY_ROWS = 70_000;

    @Test
    void agreesWithAStableSort() {
        long seed = 5;
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        List<List<Object>> rows = TestRows.random(TYPES, 333, 40, 0.15, random);
        MemoryTable table = TestRows.table("t", TYPES, rows, 90, 31, 64);
        for (int round = 0; round < 40; round++) {
            List<SortKey> keys = new ArrayList<>();
            int keyCount = round < TYPES.size() ? 1 : random.nextInt(4);
            for (int key = 0; key < keyCount; key++) {
                int output = round < TYPES.size() ? round : random.nextInt(TYPES.size());
                keys.add(new SortKey(output, random.nextBoolean(), random.nextBoolean()));
            }
            long offset = round % 2 == 0 ? 0 : random.nextInt(400);
            long limit = round % 3 == 0 ? Sink.NO_LIMIT : random.nextInt(50);
            check(table, rows, keys, offset, limit);
        }
    }

    private static void check(MemoryTable table, List<List<Object>> rows, List<SortKey> keys, long offset, long limit) {
        List<List<Object>> expected = rows.stream()
                .sorted(comparator(keys))
                .skip(offset)
                .limit(limit < 0 ? Long.MAX_VALUE : limit)
                .toList();
        for (int[] configuration : CONFIGURATIONS) {
            PlanBuilder plans = new PlanBuilder();
            int sorted = plans.scan(table).all().sink(new Sink.Sort(keys, Sink.Bound.of(offset), Sink.Bound.of(limit)));
            QueryPlan plan = plans.rows(sorted).all().result();
            try (PlanRunner runner = new PlanRunner(configuration[0], configuration[1])) {
                TestRows.assertSame(
                        runner.rows(plan, table),
                        expected,
                        "sort " + keys + " offset " + offset + " limit " + limit + ", " + configuration[0]
                                + " threads, tiles of " + configuration[1]);
            }
        }
    }

    /// Enough rows for several parts and buckets: even and skewed keys, keys wider than a word, long text.
    @Test
    void manyRowsAgreeWithAStableSort() {
        long seed = Long.getLong("quarrel.seed", 20261121L);
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        List<DataType> types = List.of(
                DataType.INT32,
                DataType.INT64,
                DataType.FLOAT64,
                DataType.UTF8,
                DataType.UTF8,
                new DataType.Decimal(38, 3),
                DataType.NUMERIC);
        List<List<Object>> rows = new ArrayList<>();
        for (int row = 0; row < MANY_ROWS; row++) {
            long skewed = random.nextInt(10) > 0 ? 7 : random.nextLong() >> random.nextInt(64);
            rows.add(TestRows.row(
                    random.nextInt(50) == 0 ? null : (long) random.nextInt(100_000),
                    skewed,
                    random.nextInt(5) == 0 ? random.nextGaussian() : (double) random.nextInt(20),
                    random.nextInt(30) == 0 ? null : "Customer#" + random.nextInt(30_000),
                    "a rather long beginning ".repeat(random.nextInt(3)) + random.nextInt(500),
                    new java.math.BigDecimal(new java.math.BigInteger(100, random), 3),
                    new java.math.BigDecimal(random.nextInt(1000)).setScale(random.nextInt(4))));
        }
        MemoryTable table = TestRows.table("t", types, rows, 40_000, 7000);
        int[][] orders = {{0}, {1}, {1, 0}, {2, 4}, {3}, {4, 0}, {4, 3, 1}, {5, 0}, {6, 5}, {2, 3, 1}};
        int plans = 0;
        for (int[] order : orders) {
            List<SortKey> keys = new ArrayList<>();
            for (int output : order) {
                keys.add(new SortKey(output, random.nextBoolean(), random.nextBoolean()));
            }
            List<List<Object>> sorted = rows.stream().sorted(comparator(keys)).toList();
            long[][] pages = {
                {0, Sink.NO_LIMIT},
                {30_000, 15_000},
                {51_234, 10},
                {MANY_ROWS - 1, 5},
                {MANY_ROWS, 5},
                {0, 25_000},
                {0, 15_000},
                {11_000, 300},
                {200_000, 10}
            };
            for (long[] bounds : pages) {
                long end = bounds[1] < 0 ? rows.size() : Math.min(rows.size(), bounds[0] + bounds[1]);
                PlanBuilder sorting = new PlanBuilder();
                Sink.Sort sort = new Sink.Sort(keys, Sink.Bound.of(bounds[0]), Sink.Bound.of(bounds[1]));
                QueryPlan plan =
                        sorting.rows(sorting.scan(table).all().sink(sort)).all().result();
                // In turn: an odd number of pages an order, so each page has one and several threads in half of them.
                int threads = plans++ % 2 == 0 ? 3 : 1;
                try (PlanRunner runner = new PlanRunner(threads, 2048)) {
                    TestRows.assertSame(
                            runner.rows(plan, table),
                            sorted.subList((int) Math.min(bounds[0], end), (int) end),
                            "sort " + keys + " from " + bounds[0] + ", " + threads + " threads");
                }
            }
        }
    }

    @Test
    void lastRowsAreReadFromTheEnd() {
        List<DataType> types = List.of(DataType.INT32, DataType.UTF8);
        List<List<Object>> rows = TestRows.random(types, 60_000, 1000, 0.1, new Random(9));
        MemoryTable table = TestRows.table("t", types, rows, 20_000, 10_000);
        List<List<Object>> small = rows.stream()
                .filter(row -> row.get(0) != null && (Long) row.get(0) < 0)
                .toList();
        for (int[] configuration : new int[][] {{1, 2048}, {3, 64}, {2, 2048}}) {
            try (PlanRunner runner = new PlanRunner(configuration[0], configuration[1])) {
                for (int wanted : new int[] {0, 1, 7, 2048, 3000, 60_000, 70_000}) {
                    PlanBuilder plans = new PlanBuilder();
                    int last = plans.scan(table).all().sink(new Sink.Last(Sink.Bound.of(wanted)));
                    QueryPlan plan = plans.rows(last).all().result();
                    TestRows.assertSame(
                            runner.rows(plan, table),
                            rows.subList(Math.max(0, rows.size() - wanted), rows.size()),
                            "last " + wanted + " rows");
                    PlanBuilder filtered = new PlanBuilder();
                    int zero = filtered.constant(DataType.INT32, 0L);
                    last = filtered.scan(table)
                            .program(builder -> {
                                int value = builder.load(0, 0);
                                int isLess = builder.value(
                                        Opcode.LT_INT32,
                                        DataType.BOOL,
                                        0,
                                        0,
                                        value,
                                        builder.constant(zero, DataType.INT32, 0));
                                int chosen = builder.mask(Opcode.MASK_TRUE, 0, isLess);
                                return new PlanBuilder.Out(
                                        chosen, List.of(builder.load(0, chosen), builder.load(1, chosen)));
                            })
                            .sink(new Sink.Last(Sink.Bound.of(wanted)));
                    TestRows.assertSame(
                            runner.rows(filtered.rows(last).all().result(), table),
                            small.subList(Math.max(0, small.size() - wanted), small.size()),
                            "last " + wanted + " rows under a predicate");
                }
            }
        }
    }

    @Test
    void limitsStopTheScan() {
        List<DataType> types = List.of(DataType.INT32);
        List<List<Object>> rows = new ArrayList<>();
        for (int row = 0; row < 400_000; row++) {
            rows.add(TestRows.row((long) row));
        }
        MemoryTable table = TestRows.table("t", types, rows, 20_000);
        for (Sink sink : List.of(
                new Sink.Last(Sink.Bound.of(10)), new Sink.Sort(List.of(), Sink.Bound.of(5), Sink.Bound.of(10)))) {
            PlanBuilder plans = new PlanBuilder();
            QueryPlan plan =
                    plans.rows(plans.scan(table).all().sink(sink)).all().result();
            for (int threads : new int[] {1, 2}) {
                try (PlanRunner runner = new PlanRunner(threads, 2048);
                        QueryRun run =
                                runner.start(plan, List.of(table), new MemoryBudget(1 << 20), new Cancellation())) {
                    List<List<Object>> found = new ArrayList<>();
                    for (var batch = run.next(); batch != null; batch = run.next()) {
                        found.addAll(TestRows.rows(batch));
                        batch.close();
                    }
                    assertThat(found)
                            .isEqualTo(
                                    sink instanceof Sink.Last ? rows.subList(399_990, 400_000) : rows.subList(5, 15));
                    // Of two workers one may be asleep on the first rows while the other reads on.
                    if (threads == 1) {
                        assertThat(run.counters(0).batchesRead.sum()).isLessThan(3);
                    }
                }
            }
        }
    }

    public static Comparator<List<Object>> comparator(List<SortKey> keys) {
        return (one, other) -> {
            for (SortKey key : keys) {
                Object a = one.get(key.output());
                Object b = other.get(key.output());
                if (a == null || b == null) {
                    if (a != b) {
                        return a == null == key.nullsFirst() ? -1 : 1;
                    }
                    continue;
                }
                int order = TestRows.compare(a, b);
                if (order != 0) {
                    return key.descending() ? -order : order;
                }
            }
            return 0;
        };
    }

    @Test
    void topNForgetsRowsThatCannotMatter() {
        List<List<Object>> rows = new ArrayList<>();
        Random random = new Random(3);
        for (int row = 0; row < 50_000; row++) {
            rows.add(TestRows.row((long) random.nextInt(1000), "t" + row));
        }
        MemoryTable table = TestRows.table("t", List.of(DataType.INT32, DataType.UTF8), rows, 5000, 7000);
        List<SortKey> keys = List.of(new SortKey(0, true, false));
        PlanBuilder plans = new PlanBuilder();
        int sorted = plans.scan(table).all().sink(new Sink.Sort(keys, Sink.Bound.of(5), Sink.Bound.of(100)));
        QueryPlan plan = plans.rows(sorted).all().result();
        List<List<Object>> expected =
                rows.stream().sorted(comparator(keys)).skip(5).limit(100).toList();
        for (int threads : new int[] {1, 3}) {
            try (PlanRunner runner = new PlanRunner(threads, 2048)) {
                assertThat(runner.rows(plan, table)).isEqualTo(expected);
                // 50,000 rows take more than a megabyte.
                assertThat(runner.failure(plan, new MemoryBudget(1_200_000L * threads), table))
                        .isEqualTo(SqlState.SUCCESSFUL_COMPLETION);
            }
        }
    }

    @Test
    void limitAndOffsetOfAResultAreExactInScanOrder() {
        List<List<Object>> rows = TestRows.random(List.of(DataType.INT32, DataType.UTF8), 700, 50, 0.2, new Random(1));
        MemoryTable table = TestRows.table("t", List.of(DataType.INT32, DataType.UTF8), rows, 90, 31, 64);
        for (int[] configuration : CONFIGURATIONS) {
            try (PlanRunner runner = new PlanRunner(configuration[0], configuration[1])) {
                for (int[] bounds : new int[][] {{0, 0}, {0, 1}, {3, 100}, {95, 7}, {699, 5}, {700, 5}, {13, 10_000}}) {
                    QueryPlan plan = new PlanBuilder()
                            .scan(table)
                            .all()
                            .result(Sink.Bound.of(bounds[0]), Sink.Bound.of(bounds[1]));
                    TestRows.assertSame(
                            runner.rows(plan, table),
                            rows.stream().skip(bounds[0]).limit(bounds[1]).toList(),
                            "offset " + bounds[0] + " limit " + bounds[1]);
                }
                PlanBuilder noLimit = new PlanBuilder();
                int none = noLimit.constant(DataType.INT64, null);
                int offset = noLimit.constant(DataType.INT64, 650L);
                assertThat(runner.rows(
                                noLimit.scan(table).all().result(Sink.Bound.ofSlot(offset), Sink.Bound.ofSlot(none)),
                                table))
                        .isEqualTo(rows.subList(650, 700));
            }
        }
    }

    @Test
    void negativeBoundsAreErrors() {
        MemoryTable table = TestRows.table("t", List.of(DataType.INT32), List.of(TestRows.row(1L)), 1);
        try (PlanRunner runner = new PlanRunner(1, 8)) {
            for (boolean inSort : new boolean[] {true, false}) {
                Assertions.assertThatThrownBy(() -> runner.rows(bounded(table, inSort, 0, -1), table))
                        .isInstanceOfSatisfying(QueryException.class, error -> {
                            assertThat(error.state()).isEqualTo(SqlState.INVALID_ROW_COUNT_IN_LIMIT_CLAUSE);
                            assertThat(error).hasMessage("LIMIT must not be negative");
                        });
                Assertions.assertThatThrownBy(() -> runner.rows(bounded(table, inSort, -1, 1), table))
                        .isInstanceOfSatisfying(QueryException.class, error -> {
                            assertThat(error.state()).isEqualTo(SqlState.INVALID_ROW_COUNT_IN_OFFSET_CLAUSE);
                            assertThat(error).hasMessage("OFFSET must not be negative");
                        });
                assertThat(runner.openSnapshots.get()).isZero();
            }
        }
    }

    private static QueryPlan bounded(MemoryTable table, boolean inSort, long offset, long limit) {
        PlanBuilder plans = new PlanBuilder();
        Sink.Bound from = Sink.Bound.ofSlot(plans.constant(DataType.INT64, offset));
        Sink.Bound rows = Sink.Bound.ofSlot(plans.constant(DataType.INT64, limit));
        if (!inSort) {
            return plans.scan(table).all().result(from, rows);
        }
        int sorted = plans.scan(table).all().sink(new Sink.Sort(List.of(), from, rows));
        return plans.rows(sorted).all().result();
    }
}
