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
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Groups by values of any range: NULL is a group, -0 is 0, every NaN is one.
class GroupKeyTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final DataType DECIMAL = new DataType.Decimal(15, 2);
    private static final List<DataType> TYPES = List.of(
            DataType.INT64,
            DataType.TIMESTAMP,
            DataType.FLOAT64,
            DataType.FLOAT32,
            DECIMAL,
            DataType.INT32,
            DataType.UTF8,
            DataType.INT64,
            DataType.INT16);
    private static final int[] ROW_COUNTS = {1, 32, 257, 1500};
    private static final double[] NULLS = {0, 0.2};
    private static final List<AggregateCall> CALLS = List.of(
            new AggregateCall(AggregateKind.COUNT_STAR, -1, -1),
            new AggregateCall(AggregateKind.SUM, 8, -1),
            new AggregateCall(AggregateKind.MAX, 7, -1),
            new AggregateCall(AggregateKind.SUM, 2, -1));

    static Stream<Long> schedules() {
        return Stream.of(0L, 1L, SEED);
    }

    private static Object value(DataType type, Random random) {
        boolean isEdge = random.nextInt(5) == 0;
        return switch (type) {
            case DataType.Int64 _, DataType.Timestamp _ ->
                isEdge
                        ? List.of(-1L, 0L, Long.MAX_VALUE - 1, Long.MIN_VALUE + 1, 1L << 40)
                                .get(random.nextInt(5))
                        : (Object) random.nextLong();
            case DataType.Float64 _ ->
                isEdge
                        ? List.of(-0.0, 0.0, Double.NaN, Double.NEGATIVE_INFINITY, -Double.MIN_VALUE)
                                .get(random.nextInt(5))
                        : (Object) (double) random.nextInt(-200, 200);
            case DataType.Float32 _ ->
                isEdge
                        ? List.of(-0f, 0f, Float.NaN, Float.POSITIVE_INFINITY, -Float.MIN_VALUE)
                                .get(random.nextInt(5))
                        : (Object) (random.nextInt(-9, 9) / 3f);
            case DataType.Decimal(int _, int scale) -> BigDecimal.valueOf(random.nextInt(-40, 40), scale);
            case DataType.Int32 _ -> (long) (isEdge ? Integer.MIN_VALUE : random.nextInt());
            case DataType.Int16 _ -> (long) random.nextInt(-5, 5);
            default -> "text " + random.nextInt(9);
        };
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void groups(long schedule) {
        Random random = new Random(SEED);
        List<List<Integer>> keys = List.of(
                List.of(0),
                List.of(1),
                List.of(2),
                List.of(3),
                List.of(4),
                List.of(4, 3),
                List.of(6, 2, 8),
                List.of(5, 0),
                List.of(5, 1, 8, 6));
        try (TwoDevices devices = TwoDevices.open(schedule)) {
            for (int rows : ROW_COUNTS) {
                for (double nulls : NULLS) {
                    TestTable table = table(rows, nulls, random);
                    for (List<Integer> some : keys) {
                        check(devices, table, some, "rows " + rows + " nulls " + nulls + " keys " + some);
                    }
                }
            }
        }
    }

    private static void check(TwoDevices devices, TestTable table, List<Integer> keys, String what) {
        Plans plans = new Plans();
        plans.scan(table).all().sink(new Sink.Aggregate(keys, CALLS));
        QueryPlan plan = plans.result();
        assertThat(devices.refusal(plan, 0)).isNull();
        devices.check(what, plan, true, table);
    }

    private static TestTable table(int rows, double nulls, Random random) {
        List<List<Object>> columns = new ArrayList<>();
        for (DataType type : TYPES) {
            List<Object> values = new ArrayList<>();
            for (int row = 0; row < rows; row++) {
                // Values come again: groups have several rows.
                boolean isOld = row > 0 && random.nextInt(3) > 0;
                Object value = isOld ? values.get(random.nextInt(row)) : value(type, random);
                values.add(random.nextDouble() < nulls ? null : value);
            }
            columns.add(values);
        }
        return new TestTable("t", TYPES, columns, 300, 77);
    }
}
