package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.ColumnRange;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.column.Chunk;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Batches that lie together on the device.
class ChunkTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final List<DataType> TYPES = List.of(
            DataType.INT32,
            DataType.BOOL,
            DataType.INT16,
            DataType.UTF8,
            DataType.INT64,
            new DataType.Decimal(15, 2),
            DataType.DATE);

    private static final List<int[]> BATCHES =
            List.of(new int[] {256, 512, 256, 256, 77}, new int[] {1, 255, 257, 1000}, new int[] {7}, new int[] {
                333, 1, 2, 64, 63, 65
            });

    private static TestTable table(int rows, double nulls, int firstNull, int... batchRows) {
        Random random = new Random(SEED);
        List<List<Object>> columns = ScanAggregateTest.columns(TYPES, rows, 0, random);
        for (List<Object> column : columns) {
            for (int row = firstNull; row < rows; row++) {
                if (random.nextDouble() < nulls) {
                    column.set(row, null);
                }
            }
        }
        return new TestTable("t", TYPES, columns, batchRows);
    }

    private static List<String> chunks(TestTable table, int parts) {
        return Chunk.of(table, parts, Chunk.FEWEST_ROWS, Chunk.MODEST_ROWS).stream()
                .map(chunk -> chunk.first() + " to " + chunk.end() + ", " + chunk.rows() + " rows")
                .toList();
    }

    @Test
    void batchesOfAnySizeLieTogether() {
        assertThat(chunks(table(0, 0, 0, 1), 1)).isEmpty();
        assertThat(chunks(table(100, 0, 0, 100), 1)).containsExactly("0 to 1, 100 rows");
        assertThat(chunks(table(1500, 0, 0, 256, 512, 300, 256), 1)).containsExactly("0 to 5, 1500 rows");
        Chunk chunk = Chunk.of(table(1500, 0, 0, 256, 512, 300, 256), 8, Chunk.FEWEST_ROWS, Chunk.MODEST_ROWS)
                .getFirst();
        assertThat(chunk.start(0)).isZero();
        assertThat(chunk.start(2)).isEqualTo(768);
        assertThat(chunk.start(3)).isEqualTo(1068);
        assertThat(Chunk.of(table(1500, 0, 0, 256, 512, 300, 256), 8, 600, Chunk.MODEST_ROWS))
                .extracting(Chunk::rows)
                .containsExactly(256, 512, 556, 176);
    }

    /// NULLs begin in any batch of a chunk, or there are none.
    @Test
    void theAnswerIsThatOfTheBatches() {
        for (long schedule : new long[] {0, SEED}) {
            try (TwoDevices devices = TwoDevices.ofChunks(schedule, 1800)) {
                for (double nulls : new double[] {0, 0.3, 1}) {
                    for (int firstNull : new int[] {0, 256, 700, 1279}) {
                        for (int[] batchRows : BATCHES) {
                            TestTable table = table(1800, nulls, firstNull, batchRows);
                            QueryPlan plan = sums(table);
                            String what = "nulls " + nulls + " from row " + firstNull + Arrays.toString(batchRows);
                            devices.check(what, plan, true, table);
                            long launches = devices.launches();
                            devices.check(what + ", again", plan, true, table);
                            assertThat(devices.launches() - launches).as(what).isEqualTo(1);
                        }
                    }
                }
            }
        }
    }

    private static QueryPlan sums(TestTable table) {
        Plans plans = new Plans();
        List<AggregateCall> calls = new ArrayList<>();
        calls.add(new AggregateCall(AggregateKind.COUNT_STAR, -1, -1));
        for (int column : new int[] {0, 2, 4, 5}) {
            calls.add(new AggregateCall(AggregateKind.SUM, column, -1));
            calls.add(new AggregateCall(AggregateKind.MAX, column, -1));
        }
        calls.add(new AggregateCall(AggregateKind.COUNT, 6, -1));
        plans.scan(table).all().sink(new Sink.Aggregate(List.of(1, 3), calls));
        return plans.result();
    }

    /// Batches that statistics rule out, among them such as leave their neighbours within a tile of each other.
    @Test
    void batchesThatAreRuledOutLeaveNoTraceAndOthersCountOnce() {
        Random random = new Random(SEED);
        List<DataType> types = List.of(DataType.INT32, DataType.INT32);
        try (TwoDevices devices = TwoDevices.ofChunks(SEED, 5000)) {
            for (int trial = 0; trial < 40; trial++) {
                int[] batchRows = random.ints(7, 1, trial % 2 == 0 ? 40 : 700).toArray();
                List<List<Object>> columns = List.of(new ArrayList<>(), new ArrayList<>());
                int rows = Arrays.stream(batchRows).sum();
                for (int batch = 0, row = 0; batch < batchRows.length; batch++) {
                    long day = random.nextInt(2) * 10;
                    for (int end = row + batchRows[batch]; row < end; row++) {
                        columns.get(0).add(day + random.nextInt(3));
                        columns.get(1).add((long) random.nextInt(1000));
                    }
                }
                TestTable table = new TestTable("t", types, columns, batchRows);
                table.keepBatchStats();
                Plans plans = new Plans();
                int low = plans.constant(DataType.INT32, 9L);
                plans.scan(table, List.of(new ColumnRange(0, low, -1)))
                        .program(code -> {
                            int isLate = code.value(
                                    Opcode.GT_INT32,
                                    DataType.BOOL,
                                    0,
                                    0,
                                    code.load(0, 0),
                                    code.constant(low, DataType.INT32, 0));
                            int mask = code.mask(Opcode.MASK_TRUE, 0, isLate);
                            return new Plans.Out(mask, List.of(code.load(1, mask)));
                        })
                        .sink(new Sink.Aggregate(
                                List.of(),
                                List.of(
                                        new AggregateCall(AggregateKind.COUNT_STAR, -1, -1),
                                        new AggregateCall(AggregateKind.SUM, 0, -1))));
                devices.check("trial " + trial + " of " + rows + " rows", plans.result(), false, table);
            }
        }
    }
}
