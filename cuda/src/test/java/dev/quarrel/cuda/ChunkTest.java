package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
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
        return Chunk.of(table, parts).stream()
                .map(chunk -> chunk.first() + " to " + chunk.end() + ", " + chunk.rows() + " rows")
                .toList();
    }

    @Test
    void aChunkEndsWhereTheNextBatchWouldNotBeginOnATile() {
        assertThat(chunks(table(0, 0, 0, 1), 1)).isEmpty();
        assertThat(chunks(table(100, 0, 0, 100), 1)).containsExactly("0 to 1, 100 rows");
        assertThat(chunks(table(1500, 0, 0, 256, 512, 300, 256), 1))
                .containsExactly("0 to 3, 1068 rows", "3 to 5, 432 rows");
        Chunk chunk = Chunk.of(table(1500, 0, 0, 256, 512, 300, 256), 8).getFirst();
        assertThat(chunk.start(0)).isZero();
        assertThat(chunk.start(2)).isEqualTo(768);
        assertThat(chunk.start(3)).isEqualTo(1068);
    }

    /// NULLs begin in any batch of a chunk, or there are none.
    @Test
    void theAnswerIsThatOfTheBatches() {
        for (long schedule : new long[] {0, SEED}) {
            try (TwoDevices devices = TwoDevices.open(schedule)) {
                for (double nulls : new double[] {0, 0.3, 1}) {
                    for (int firstNull : new int[] {0, 256, 700, 1279}) {
                        TestTable table = table(1800, nulls, firstNull, 256, 512, 256, 256, 77);
                        Plans plans = new Plans();
                        List<AggregateCall> calls = new ArrayList<>();
                        calls.add(new AggregateCall(AggregateKind.COUNT_STAR, -1, -1));
                        for (int column : new int[] {0, 2, 4, 5}) {
                            calls.add(new AggregateCall(AggregateKind.SUM, column, -1));
                            calls.add(new AggregateCall(AggregateKind.MAX, column, -1));
                        }
                        calls.add(new AggregateCall(AggregateKind.COUNT, 6, -1));
                        plans.scan(table).all().sink(new Sink.Aggregate(List.of(1, 3), calls));
                        QueryPlan plan = plans.result();
                        String what = "nulls " + nulls + " from row " + firstNull;
                        devices.check(what, plan, true, table);
                        devices.check(what + ", again", plan, true, table);
                    }
                }
            }
        }
    }
}
