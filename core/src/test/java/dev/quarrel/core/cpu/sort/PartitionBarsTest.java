package dev.quarrel.core.cpu.sort;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.cpu.PlanBuilder;
import dev.quarrel.core.cpu.PlanRunner;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.ir.WindowCall;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.type.DataType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// The first rows of partitions against those of windows of all rows.
class PartitionBarsTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261130L);
    private static final List<WindowCall> CALLS = List.of(
            new WindowCall.Position(WindowCall.PositionKind.ROW_NUMBER),
            new WindowCall.Position(WindowCall.PositionKind.RANK),
            new WindowCall.Position(WindowCall.PositionKind.DENSE_RANK));
    private static final List<DataType> TYPES = List.of(
            DataType.INT32, // 0: partition
            DataType.UTF8, // 1: partition
            DataType.INT64, // 2: the row's number
            DataType.BOOL,
            DataType.INT16,
            DataType.INT32,
            DataType.DATE,
            DataType.INT64,
            DataType.TIME,
            DataType.TIMESTAMP,
            DataType.FLOAT32,
            DataType.FLOAT64,
            new DataType.Decimal(12, 2),
            new DataType.Decimal(38, 3),
            DataType.NUMERIC,
            DataType.UUID,
            DataType.INTERVAL,
            DataType.UTF8,
            DataType.BINARY);
    private static final int FIRST_KEY = 3;

    @Test
    void anyKeysAndTies() {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        for (int domain : new int[] {4, 3000}) {
            for (double nulls : new double[] {0, 0.1}) {
                List<List<Object>> rows = rows(3000, random.nextInt(2) == 0 ? 5 : 700, domain, nulls, random);
                MemoryTable table = TestRows.table("t", TYPES, rows, 900, 1500);
                for (int key = FIRST_KEY; key < TYPES.size(); key++) {
                    List<SortKey> order = new ArrayList<>();
                    order.add(key(key, random));
                    while (random.nextInt(3) > 0) {
                        order.add(key(FIRST_KEY + random.nextInt(TYPES.size() - FIRST_KEY), random));
                    }
                    check(table, partition(random), order, random);
                }
            }
        }
    }

    @Test
    void leastAndGreatestValues() {
        Random random = new Random(SEED);
        List<DataType> types = List.of(DataType.INT32, DataType.INT64, DataType.NUMERIC, DataType.UTF8, DataType.INT32);
        List<List<Object>> rows = new ArrayList<>();
        for (int row = 0; row < 4000; row++) {
            Long least = random.nextBoolean() ? Long.MIN_VALUE : Long.MAX_VALUE;
            int digits = random.nextInt(39);
            BigDecimal wide = new BigDecimal(
                    BigInteger.TEN.pow(Math.max(0, digits - 1)).multiply(BigInteger.valueOf(random.nextInt(7) - 3)),
                    random.nextInt(38));
            rows.add(TestRows.row(
                    (long) random.nextInt(8),
                    random.nextInt(3) == 0 ? null : least,
                    random.nextInt(9) == 0 ? null : wide,
                    "begins alike" + random.nextInt(300) + (random.nextBoolean() ? "\0" : ""),
                    random.nextInt(3) == 0
                            ? null
                            : (Object) (long) (least < 0 ? Integer.MIN_VALUE : Integer.MAX_VALUE)));
        }
        MemoryTable table = TestRows.table("t", types, rows, 600);
        for (int key = 1; key < types.size(); key++) {
            for (int form = 0; form < 4; form++) {
                List<SortKey> order = List.of(new SortKey(key, form % 2 == 0, form / 2 == 0));
                check(table, List.of(0), order, random);
                check(
                        table,
                        List.of(),
                        List.of(new SortKey(4, form % 2 == 0, form / 2 == 0), order.getFirst()),
                        random);
            }
        }
    }

    /// In an order that says nothing, and where all rows are equal, those of a later place in the table are not stored.
    @Test
    void equalRowsBehindTheFirstAreLeftOut() {
        List<List<Object>> rows = new ArrayList<>();
        for (int row = 0; row < 20_000; row++) {
            rows.add(TestRows.row(row % 10L, 1L, (long) row));
        }
        MemoryTable table = TestRows.table("t", List.of(DataType.INT32, DataType.INT32, DataType.INT64), rows, 1000);
        for (List<SortKey> order : List.of(List.<SortKey>of(), List.of(new SortKey(1, false, false)))) {
            Sink.Window.First first = new Sink.Window.First(3, Sink.Window.Ties.CUT);
            List<List<Object>> kept = run(table, new Sink.Window(List.of(0), order, CALLS, first), 1);
            assertThat(kept).hasSize(30);
            assertThat(kept.stream().map(row -> row.get(2)))
                    .containsExactlyInAnyOrderElementsOf(IntStream.range(0, 30)
                            .mapToObj(row -> (Object) (long) row)
                            .toList());
        }
    }

    /// Rows that reach their bars again and again are stored, and those of large partitions for the most part are not.
    @Test
    void largePartitionsAreNotStored() {
        Random random = new Random(SEED);
        List<List<Object>> rows = new ArrayList<>();
        for (int row = 0; row < 100_000; row++) {
            rows.add(TestRows.row((long) random.nextInt(40), random.nextGaussian(), (long) row));
        }
        List<DataType> types = List.of(DataType.INT32, DataType.FLOAT64, DataType.INT64);
        MemoryTable table = TestRows.table("t", types, rows, 10_000);
        for (int key : new int[] {1, 2}) {
            for (boolean descending : new boolean[] {false, true}) {
                List<SortKey> order = List.of(new SortKey(key, descending, false));
                List<List<Object>> kept =
                        check(table, List.of(0), order, new Sink.Window.First(2, Sink.Window.Ties.CUT));
                if (key == 1) {
                    assertThat(kept).hasSizeLessThan(3000);
                }
            }
        }
    }

    /// So many that the bars are given up.
    @Test
    void manyPartitionsOfFewRows() {
        List<List<Object>> rows = new ArrayList<>();
        for (long row = 0; row < 700_000; row++) {
            rows.add(TestRows.row(row * 7 % 690_000, row * 31 % 1000));
        }
        MemoryTable table = TestRows.table("t", List.of(DataType.INT32, DataType.INT64), rows, 350_000);
        check(table, List.of(0), List.of(new SortKey(1, false, false)), new Sink.Window.First(1, Sink.Window.Ties.CUT));
    }

    private static List<List<Object>> rows(int count, int partitions, int domain, double nulls, Random random) {
        List<List<Object>> rows = TestRows.random(TYPES, count, domain, nulls, random);
        for (int row = 0; row < count; row++) {
            rows.get(row).set(0, random.nextInt(20) == 0 ? null : (Object) (long) random.nextInt(partitions));
            rows.get(row).set(1, "p" + random.nextInt(3));
            rows.get(row).set(2, (long) row);
        }
        return rows;
    }

    private static SortKey key(int column, Random random) {
        return new SortKey(column, random.nextBoolean(), random.nextBoolean());
    }

    private static List<Integer> partition(Random random) {
        return List.of(List.of(0), List.of(1), List.of(0, 1), List.<Integer>of())
                .get(random.nextInt(4));
    }

    private static void check(MemoryTable table, List<Integer> partition, List<SortKey> order, Random random) {
        long rows = List.of(1L, 2L, 3L, 10L, 64L, 65L, 1024L, 1025L).get(random.nextInt(8));
        List<List<Object>> all = run(table, new Sink.Window(partition, order, CALLS), 2);
        for (Sink.Window.Ties ties : Sink.Window.Ties.values()) {
            check(all, table, partition, order, new Sink.Window.First(rows, ties));
        }
    }

    private static List<List<Object>> check(
            MemoryTable table, List<Integer> partition, List<SortKey> order, Sink.Window.First first) {
        return check(run(table, new Sink.Window(partition, order, CALLS), 2), table, partition, order, first);
    }

    private static List<List<Object>> check(
            List<List<Object>> all,
            MemoryTable table,
            List<Integer> partition,
            List<SortKey> order,
            Sink.Window.First first) {
        Sink.Window sink = new Sink.Window(partition, order, CALLS, first);
        int shown = table.schema().size() + first.ties().ordinal();
        List<List<Object>> expected = upTo(all, shown, first.rows());
        List<List<Object>> kept = List.of();
        for (int threads : new int[] {1, 2}) {
            kept = run(table, sink, threads);
            TestRows.assertSame(upTo(kept, shown, first.rows()), expected, sink.toString());
        }
        return kept;
    }

    private static List<List<Object>> upTo(List<List<Object>> rows, int column, long last) {
        return rows.stream().filter(row -> (long) row.get(column) <= last).toList();
    }

    private static List<List<Object>> run(MemoryTable table, Sink.Window sink, int threads) {
        PlanBuilder plans = new PlanBuilder();
        QueryPlan plan = plans.rows(plans.scan(table).all().sink(sink)).all().result();
        try (PlanRunner runner = new PlanRunner(threads, 256)) {
            return runner.rows(plan, table);
        }
    }
}
