package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.column.Chunk;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Join tables that do not fit: a part at a time where each row counts in one part, the CPU elsewhere.
class PassesTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final int KEYS = 6000;
    private static final List<DataType> FACT = List.of(DataType.INT64, DataType.INT32);

    private static TestTable fact(long step) {
        Random random = new Random(SEED);
        List<List<Object>> columns = ScanAggregateTest.columns(FACT, 3000, 0.05, random);
        for (int row = 0; row < 3000; row++) {
            if (row % 17 != 3) {
                columns.getFirst().set(row, random.nextInt(-50, KEYS + 50) * step);
            }
        }
        return new TestTable("fact", FACT, columns, 256, 512, 300);
    }

    private static TestTable dimension(long step) {
        List<DataType> types = List.of(DataType.INT64, DataType.INT32);
        List<List<Object>> columns = ScanAggregateTest.columns(types, KEYS, 0, new Random(SEED));
        for (int row = 0; row < KEYS; row++) {
            columns.get(0).set(row, row * step);
            columns.get(1).set(row, (long) (row % 7));
        }
        if (step > 1) {
            columns.getFirst().set(KEYS - 1, Long.MAX_VALUE);
            columns.getFirst().set(0, Long.MIN_VALUE);
        }
        return new TestTable("dimension", types, columns, 4096);
    }

    @ParameterizedTest
    @CsvSource({
        // A dense table of 24 KB, or bits of 1 KB; a hash table of 256 KB, and 24 KB beside it. Two fifths of the
        // memory are for them.
        "INNER, 1, 1000000, 1",
        "INNER, 1, 100000, 1",
        "INNER, 1, 45000, 2",
        "INNER, 1000000007, 400000, 2",
        "INNER, 1000000007, 200000, 8",
        "SEMI, 1, 10000000, 1",
        "SEMI, 1000000007, 400000, 2",
        "LEFT, 1, 25000, 0",
        "ANTI, 1000000007, 200000, 0",
        "INNER, 1000000007, 5000, 0"
    })
    void eachRowCountsInOnePass(JoinKind kind, long step, long memory, int passes) {
        TestTable fact = fact(step);
        TestTable dimension = dimension(step);
        for (long schedule : new long[] {0, SEED}) {
            Plans plans = new Plans();
            // The CPU makes the table where rows without a key are kept.
            int build = plans.scan(dimension).all().sink(new Sink.HashBuild(List.of(0), List.of(1), true));
            plans.scan(fact)
                    .all()
                    .join(kind, build, List.of(0))
                    .all()
                    .sink(new Sink.Aggregate(
                            kind.hasPayload() ? List.of(2) : List.of(), new ArrayList<>(StarJoinTest.calls(1))));
            try (TwoDevices devices = TwoDevices.ofMemory(schedule, memory)) {
                devices.check(
                        kind + ", step " + step + ", memory " + memory, plans.result(), passes > 0, fact, dimension);
                int chunks = Chunk.of(fact, 4, TwoDevices.CHUNK_ROWS).size();
                if (passes == 0) {
                    assertThat(devices.launches()).isZero();
                } else {
                    assertThat(devices.launches()).isEqualTo((long) passes * chunks);
                }
            }
        }
    }
}
