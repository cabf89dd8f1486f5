package dev.quarrel.cuda;

import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Filters and aggregates, with groups and without: NULLs, tile edges, orders of threads.
class ScanAggregateTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final DataType DECIMAL = new DataType.Decimal(12, 2);
    private static final List<DataType> TYPES = List.of(
            DataType.INT32,
            DataType.INT32,
            DataType.INT64,
            DataType.INT16,
            DataType.DATE,
            DECIMAL,
            DataType.BOOL,
            DataType.UTF8,
            DataType.TIMESTAMP);
    private static final int[] ROW_COUNTS = {0, 1, 31, 32, 33, 255, 256, 257, 1000};
    private static final double[] NULLS = {0, 0.3, 1};

    static Stream<Long> schedules() {
        return Stream.of(0L, 1L, SEED);
    }

    static List<List<Object>> columns(List<DataType> types, int rows, double nulls, Random random) {
        List<List<Object>> columns = new ArrayList<>();
        for (DataType type : types) {
            List<Object> values = new ArrayList<>();
            for (int row = 0; row < rows; row++) {
                values.add(random.nextDouble() < nulls ? null : value(type, random));
            }
            columns.add(values);
        }
        return columns;
    }

    private static Object value(DataType type, Random random) {
        return switch (type) {
            case DataType.Bool _ -> random.nextBoolean();
            case DataType.Int16 _ -> (long) random.nextInt(-7, 7);
            case DataType.Int64 _, DataType.Timestamp _ ->
                random.nextInt(8) == 0 ? Long.MAX_VALUE - random.nextInt(3) : random.nextLong(-5000, 5000);
            case DataType.Date _ -> (long) random.nextInt(9000, 9100);
            case DataType.Decimal(int _, int scale) -> BigDecimal.valueOf(random.nextInt(-100_000, 100_000), scale);
            case DataType.Utf8 _ -> "text " + random.nextInt(12);
            default -> (long) random.nextInt(-50, 50);
        };
    }

    private static List<AggregateCall> calls() {
        List<AggregateCall> calls = new ArrayList<>();
        calls.add(new AggregateCall(AggregateKind.COUNT_STAR, -1, -1));
        calls.add(new AggregateCall(AggregateKind.COUNT_STAR, -1, 6));
        for (int column = 0; column < TYPES.size(); column++) {
            calls.add(new AggregateCall(AggregateKind.COUNT, column, -1));
        }
        for (int column : new int[] {0, 2, 3, 5}) {
            calls.add(new AggregateCall(AggregateKind.SUM, column, -1));
            calls.add(new AggregateCall(AggregateKind.AVG, column, column == 2 ? 6 : -1));
        }
        return calls;
    }

    private static List<AggregateCall> moreCalls() {
        List<AggregateCall> calls = new ArrayList<>();
        for (int column : new int[] {0, 2, 3, 4, 5, 8}) {
            calls.add(new AggregateCall(AggregateKind.MIN, column, -1));
            calls.add(new AggregateCall(AggregateKind.MAX, column, column == 4 ? 6 : -1));
        }
        calls.add(new AggregateCall(AggregateKind.BOOL_AND, 6, -1));
        calls.add(new AggregateCall(AggregateKind.BOOL_OR, 6, -1));
        calls.add(new AggregateCall(AggregateKind.BIT_AND, 0, -1));
        calls.add(new AggregateCall(AggregateKind.BIT_OR, 2, -1));
        calls.add(new AggregateCall(AggregateKind.BIT_XOR, 3, -1));
        return calls;
    }

    /// Squares of some int64 do not fit lanes: the CPU computes those.
    private static List<AggregateCall> variances() {
        return List.of(
                new AggregateCall(AggregateKind.VAR_SAMP, 0, -1),
                new AggregateCall(AggregateKind.STDDEV_POP, 3, 6),
                new AggregateCall(AggregateKind.SUM, 5, -1),
                new AggregateCall(AggregateKind.STDDEV_SAMP, 5, -1));
    }

    /// `c0 > -30 AND c1 <= 40 AND (c3 < 3 OR c6)`.
    private static QueryPlan plan(TestTable table, List<Integer> keys, List<AggregateCall> calls, boolean isFiltered) {
        Plans plans = new Plans();
        int low = plans.constant(DataType.INT32, -30L);
        int high = plans.constant(DataType.INT32, 40L);
        int small = plans.constant(DataType.INT16, 3L);
        plans.scan(table)
                .program(code -> {
                    int rows = 0;
                    if (isFiltered) {
                        int one = code.value(
                                Opcode.GT_INT32,
                                DataType.BOOL,
                                0,
                                0,
                                code.load(0, 0),
                                code.constant(low, DataType.INT32, 0));
                        int first = code.mask(Opcode.MASK_TRUE, 0, one);
                        int two = code.value(
                                Opcode.LE_INT32,
                                DataType.BOOL,
                                first,
                                0,
                                code.load(1, first),
                                code.constant(high, DataType.INT32, first));
                        int second = code.mask(Opcode.MASK_TRUE, first, two);
                        int three = code.value(
                                Opcode.LT_INT16,
                                DataType.BOOL,
                                second,
                                0,
                                code.load(3, second),
                                code.constant(small, DataType.INT16, second));
                        int rest = code.mask(Opcode.MASK_NOT_TRUE, second, three);
                        int four = code.load(6, rest);
                        int either = code.value(Opcode.OR, DataType.BOOL, second, 0, three, four);
                        rows = code.mask(Opcode.MASK_TRUE, second, either);
                    }
                    int selected = rows;
                    return new Plans.Out(
                            selected,
                            Plans.range(0, TYPES.size()).stream()
                                    .map(input -> code.load(input, selected))
                                    .toList());
                })
                .sink(new Sink.Aggregate(keys, calls));
        return plans.result();
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void oneGroup(long schedule) {
        run(schedule, List.of());
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void groups(long schedule) {
        run(schedule, List.of(7));
        run(schedule, List.of(4, 6));
        run(schedule, List.of(3, 7, 6));
        run(schedule, List.of(0, 4, 7, 6, 3)); // too many numbers for cells: a table of groups
    }

    /// Keys without statistics may be all that 32 bits hold.
    @Test
    void computedKeys() {
        Random random = new Random(SEED);
        try (TwoDevices devices = TwoDevices.open(SEED)) {
            for (double nulls : NULLS) {
                TestTable table = new TestTable("t", TYPES, columns(TYPES, 1000, nulls, random), 300);
                Plans plans = new Plans();
                int one = plans.constant(DataType.INT32, 1L);
                plans.scan(table)
                        .program(code -> new Plans.Out(
                                0,
                                List.of(
                                        code.value(
                                                Opcode.MUL_INT32,
                                                DataType.INT32,
                                                0,
                                                0,
                                                code.load(0, 0),
                                                code.load(1, 0)),
                                        code.value(
                                                Opcode.SUB_INT32,
                                                DataType.INT32,
                                                0,
                                                0,
                                                code.load(1, 0),
                                                code.constant(one, DataType.INT32, 0)),
                                        code.load(7, 0))))
                        .sink(new Sink.Aggregate(
                                nulls == 0.3 ? List.of(0) : List.of(2, 0),
                                List.of(
                                        new AggregateCall(AggregateKind.COUNT_STAR, -1, -1),
                                        new AggregateCall(AggregateKind.SUM, 1, -1))));
                devices.check("computed keys, nulls " + nulls, plans.result(), true, table);
            }
        }
    }

    /// Batches whose decimals do not fit lanes run on the CPU; when a later one overflows on the device, the
    /// CPU runs all but those, and no row counts twice.
    @Test
    void batchesThatTheDeviceCannotTakeCountOnce() {
        DataType wide = new DataType.Decimal(30, 0);
        List<Object> values = new ArrayList<>();
        for (int row = 0; row < 400; row++) {
            values.add(
                    row == 7
                            ? BigDecimal.TEN.pow(25)
                            : row == 333 ? BigDecimal.valueOf(Long.MAX_VALUE / 2) : BigDecimal.valueOf(row));
        }
        TestTable table = new TestTable("t", List.of(wide), List.of(values), 100);
        Plans plans = new Plans();
        int four = plans.constant(new DataType.Decimal(1, 0), BigDecimal.valueOf(4));
        plans.scan(table)
                .program(code -> new Plans.Out(
                        0,
                        List.of(code.value(
                                Opcode.MUL_DECIMAL,
                                new DataType.Decimal(31, 0),
                                0,
                                0,
                                code.load(0, 0),
                                code.constant(four, new DataType.Decimal(1, 0), 0)))))
                .sink(new Sink.Aggregate(
                        List.of(),
                        List.of(
                                new AggregateCall(AggregateKind.COUNT_STAR, -1, -1),
                                new AggregateCall(AggregateKind.SUM, 0, -1))));
        QueryPlan plan = plans.result();
        try (TwoDevices devices = TwoDevices.ofChunks(0, 100)) {
            devices.check("overflow after a batch on the CPU", plan, true, table);
        }
    }

    private static void run(long schedule, List<Integer> keys) {
        Random random = new Random(SEED);
        try (TwoDevices devices = TwoDevices.open(schedule)) {
            for (int rows : ROW_COUNTS) {
                for (double nulls : NULLS) {
                    TestTable table = new TestTable("t", TYPES, columns(TYPES, rows, nulls, random), 300, 77);
                    boolean mustRun = rows > 0 && (keys.isEmpty() || nulls < 1);
                    for (boolean isFiltered : new boolean[] {false, true}) {
                        String what = "rows " + rows + " nulls " + nulls + " filter " + isFiltered + " keys " + keys;
                        devices.check(what, plan(table, keys, calls(), isFiltered), mustRun, table);
                        devices.check(what, plan(table, keys, moreCalls(), isFiltered), mustRun, table);
                        devices.check(what, plan(table, keys, variances(), isFiltered), mustRun, table);
                    }
                }
            }
        }
    }
}
