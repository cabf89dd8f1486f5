package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// HyperLogLog sketches: the CPU's bytes.
class SketchAggregateTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final List<DataType> TYPES = List.of(
            DataType.INT32,
            DataType.INT64,
            DataType.INT16,
            DataType.FLOAT64,
            DataType.FLOAT32,
            new DataType.Decimal(15, 2),
            DataType.UTF8,
            DataType.DATE,
            DataType.TIMESTAMP);
    private static final int FILTER = TYPES.size();
    private static final int[] ROW_COUNTS = {0, 1, 257, 900};

    private static Object value(DataType type, Random random) {
        return switch (type) {
            case DataType.Float64 _ -> random.nextInt(9) == 0 ? (Double) (-0.0) : (Double) (random.nextInt(400) / 3.0);
            case DataType.Float32 _ -> random.nextInt(9) == 0 ? (Float) Float.NaN : (Float) (random.nextInt(400) / 3f);
            case DataType.Decimal(int _, int scale) -> BigDecimal.valueOf(random.nextInt(-500, 500), scale);
            case DataType.Utf8 _ -> "a text of some length ".substring(random.nextInt(20)) + random.nextInt(40);
            case DataType.Int64 _, DataType.Timestamp _ -> random.nextLong();
            case DataType.Int16 _ -> (long) random.nextInt(-20, 20);
            case DataType.Bool _ -> random.nextBoolean();
            default -> (long) random.nextInt(-1000, 1000);
        };
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 77})
    void sketches(long schedule) {
        Random random = new Random(SEED);
        List<DataType> types = new ArrayList<>(TYPES);
        types.add(DataType.BOOL);
        try (TwoDevices devices = TwoDevices.open(schedule)) {
            for (int rows : ROW_COUNTS) {
                for (double nulls : new double[] {0, 0.3}) {
                    List<List<Object>> columns = new ArrayList<>();
                    for (DataType type : types) {
                        columns.add(IntStream.range(0, rows)
                                .mapToObj(_ -> random.nextDouble() < nulls ? null : value(type, random))
                                .toList());
                    }
                    TestTable table = new TestTable("t", types, columns, 300, 77);
                    for (int bits : new int[] {4, 9}) {
                        for (List<Integer> keys : List.of(List.<Integer>of(), List.of(2), List.of(FILTER))) {
                            QueryPlan plan = plan(table, bits, keys);
                            assertThat(devices.refusal(plan, 0)).isNull();
                            String what = "rows " + rows + " nulls " + nulls + " bits " + bits + " keys " + keys;
                            devices.check(what, plan, rows > 0, table);
                        }
                    }
                }
            }
        }
    }

    private static QueryPlan plan(TestTable table, long bits, List<Integer> keys) {
        Plans plans = new Plans();
        int slot = plans.constant(DataType.INT32, bits);
        List<AggregateCall> calls = new ArrayList<>();
        for (int column = 0; column < TYPES.size(); column++) {
            AggregateKind kind = column % 2 == 0 ? AggregateKind.HLL_SKETCH : AggregateKind.HLL_COUNT;
            calls.add(new AggregateCall(kind, List.of(column, FILTER + 1), column % 3 == 2 ? FILTER : -1));
        }
        plans.scan(table)
                .program(code -> {
                    List<Integer> outputs = new ArrayList<>();
                    for (int column = 0; column <= FILTER; column++) {
                        outputs.add(code.load(column, 0));
                    }
                    outputs.add(code.constant(slot, DataType.INT32, 0));
                    return new Plans.Out(0, outputs);
                })
                .sink(new Sink.Aggregate(keys, calls));
        return plans.result();
    }
}
