package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Rows that leave the device, to a result or a sort: in order, with NULLs, at the edges of tiles and windows.
class LeavingRowsTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final DataType DECIMAL = new DataType.Decimal(12, 2);
    private static final List<DataType> TYPES = List.of(
            DataType.INT32,
            DataType.INT16,
            DataType.INT64,
            DataType.DATE,
            DECIMAL,
            DataType.BOOL,
            DataType.UTF8,
            DataType.FLOAT64,
            DataType.FLOAT32,
            DataType.TIMESTAMP);
    private static final int[] ROW_COUNTS = {0, 1, 31, 32, 255, 256, 257, 1000};
    private static final double[] NULLS = {0, 0.3, 1};

    private static Stream<Long> schedules() {
        return Stream.of(0L, 1L, SEED);
    }

    private static List<List<Object>> columns(List<DataType> types, int rows, double nulls, Random random) {
        List<List<Object>> columns = ScanAggregateTest.columns(types, rows, nulls, random);
        for (int column = 0; column < types.size(); column++) {
            for (int row = 0; row < rows; row++) {
                if (columns.get(column).get(row) != null) {
                    columns.get(column)
                            .set(
                                    row,
                                    other(types.get(column), columns.get(column).get(row), random));
                }
            }
        }
        return columns;
    }

    private static Object other(DataType type, Object value, Random random) {
        return switch (type) {
            case DataType.Float64 _ ->
                switch (random.nextInt(6)) {
                    case 0 -> Double.NaN;
                    case 1 -> -0.0;
                    default -> random.nextInt(-40, 40) / 4.0;
                };
            case DataType.Float32 _ -> random.nextInt(5) == 0 ? Float.NEGATIVE_INFINITY : random.nextInt(-40, 40) / 4f;
            case DataType.Uuid _ -> new UUID(random.nextLong(), random.nextLong());
            default -> value;
        };
    }

    /// `c0 > least`, with all columns, two computed values and a constant.
    private static Plans.Chain scan(Plans plans, TestTable table, long least) {
        int bound = plans.constant(DataType.INT32, least);
        int text = plans.constant(DataType.UTF8, "constant");
        int nothing = plans.constant(DataType.INT32, null);
        return plans.scan(table).program(code -> {
            int rows = above(code, bound);
            List<Integer> outputs = new ArrayList<>();
            for (int input = 0; input < table.schema().size(); input++) {
                outputs.add(code.load(input, rows));
            }
            int sum = code.value(Opcode.ADD_INT32, DataType.INT32, rows, 0, code.load(0, rows), code.load(0, rows));
            outputs.add(sum);
            outputs.add(code.value(Opcode.LT_INT32, DataType.BOOL, rows, 0, sum, code.load(0, rows)));
            outputs.add(code.constant(text, DataType.UTF8, rows));
            outputs.add(code.constant(nothing, DataType.INT32, rows));
            outputs.add(sum);
            return new Plans.Out(rows, outputs);
        });
    }

    private static int above(ProgramBuilder code, int bound) {
        int condition = code.value(
                Opcode.GT_INT32, DataType.BOOL, 0, 0, code.load(0, 0), code.constant(bound, DataType.INT32, 0));
        return code.mask(Opcode.MASK_TRUE, 0, condition);
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void results(long schedule) {
        Random random = new Random(SEED);
        try (TwoDevices devices = TwoDevices.open(schedule)) {
            for (int rows : ROW_COUNTS) {
                for (double nulls : NULLS) {
                    TestTable table = new TestTable("t", TYPES, columns(TYPES, rows, nulls, random), 700, 100);
                    for (long least : new long[] {-100, -10, 45, 100}) {
                        Plans plans = new Plans();
                        Plans.Chain chain = scan(plans, table, least);
                        chain.sink(Plans.leaving(TYPES.size() + 5, Sink.Bound.ZERO, Sink.Bound.NONE));
                        String what = "rows " + rows + " nulls " + nulls + " above " + least;
                        devices.checkInOrder(what, plans.result(), rows > 0, table);
                    }
                }
            }
        }
    }

    /// Rows leave 64 at a time, and as far as they are asked for.
    @Test
    void windowsAndLimits() {
        Random random = new Random(SEED);
        try (TwoDevices devices = TwoDevices.open(0, 1)) {
            TestTable table = new TestTable("t", TYPES, columns(TYPES, 1500, 0.2, random), 900, 300);
            for (long[] bounds : new long[][] {{0, -1}, {0, 1}, {5, 64}, {63, 66}, {800, 20}, {2000, 5}, {0, 0}}) {
                Plans plans = new Plans();
                Sink.Bound limit = bounds[1] < 0 ? Sink.Bound.NONE : Sink.Bound.of(bounds[1]);
                scan(plans, table, -40).sink(Plans.leaving(TYPES.size() + 5, Sink.Bound.of(bounds[0]), limit));
                devices.checkInOrder("from " + bounds[0] + " " + bounds[1], plans.result(), bounds[1] != 0, table);
            }
        }
    }

    /// Text without dictionaries and uuids have no form on the device: they come from the source's rows.
    @Test
    void columnsWithoutAForm() {
        Random random = new Random(SEED);
        List<DataType> types = List.of(DataType.INT32, DataType.UTF8, DataType.UUID, DataType.UTF8);
        try (TwoDevices devices = TwoDevices.open(SEED)) {
            for (double nulls : NULLS) {
                TestTable table = new TestTable("t", types, columns(types, 1000, nulls, random), false, 300);
                Plans plans = new Plans();
                scan(plans, table, 10).sink(Plans.leaving(types.size() + 5, Sink.Bound.ZERO, Sink.Bound.NONE));
                devices.checkInOrder("nulls " + nulls, plans.result(), true, table);
            }
        }
    }

    /// A row that fails: the CPU raises its error, or none where it does not come to that row.
    @Test
    void errors() {
        List<Object> values = new ArrayList<>();
        for (long row = 0; row < 600; row++) {
            values.add(row == 555 ? (long) Integer.MAX_VALUE : row);
        }
        TestTable table = new TestTable("t", List.of(DataType.INT32), List.of(values), 200);
        try (TwoDevices devices = TwoDevices.open(SEED)) {
            for (Sink.Bound limit : List.of(Sink.Bound.NONE, Sink.Bound.of(100))) {
                Plans plans = new Plans();
                scan(plans, table, 3).sink(Plans.leaving(6, Sink.Bound.ZERO, limit));
                String answer = devices.checkInOrder("limit " + limit, plans.result(), true, table);
                assertThat(answer).startsWith(limit.equals(Sink.Bound.NONE) ? "error 22003" : "[4, ");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = JoinKind.class,
            names = {"INNER", "LEFT", "SEMI", "ANTI", "MARK"})
    void joins(JoinKind kind) {
        Random random = new Random(SEED);
        try (TwoDevices devices = TwoDevices.open(1)) {
            for (int rows : new int[] {0, 300, 1300}) {
                for (double nulls : new double[] {0, 0.2}) {
                    TestTable fact = StarJoinTest.fact(rows, nulls, random);
                    TestTable dense = StarJoinTest.dimension("dense", 100, 3, 1, DataType.INT32, random);
                    TestTable sparse = StarJoinTest.dimension("sparse", 80, 0, 1_000_000_007L, DataType.INT64, random);
                    for (int key : new int[] {0, 1}) {
                        Plans plans = new Plans();
                        TestTable dimension = key == 0 ? dense : sparse;
                        int build = StarJoinTest.build(plans, dimension);
                        Plans.Chain chain = plans.scan(fact)
                                .all()
                                .join(kind, build, List.of(key))
                                .all();
                        int columns = 4 + (kind.hasPayload() ? 4 : kind.hasMark() ? 1 : 0);
                        chain.sink(Plans.leaving(columns, Sink.Bound.ZERO, Sink.Bound.NONE));
                        String what = kind + " rows " + rows + " nulls " + nulls + " key " + key;
                        devices.checkInOrder(what, plans.result(), rows > 0, fact, dimension);
                    }
                }
            }
        }
    }

    /// Equal keys stay in the source's order; the first rows of an order are those of the whole.
    @ParameterizedTest
    @MethodSource("schedules")
    void sorts(long schedule) {
        Random random = new Random(SEED);
        try (TwoDevices devices = TwoDevices.open(schedule)) {
            for (double nulls : NULLS) {
                TestTable table = new TestTable("t", TYPES, columns(TYPES, 3000, nulls, random), 1000, 300);
                for (int column = 0; column < TYPES.size(); column++) {
                    for (int form = 0; form < 4; form++) {
                        boolean isDescending = (form & 1) != 0;
                        boolean isNullsFirst = (form & 2) != 0;
                        List<SortKey> keys = new ArrayList<>();
                        keys.add(new SortKey(column, isDescending, isNullsFirst));
                        if (column % 2 == 1) {
                            keys.add(new SortKey((column + 3) % TYPES.size(), isNullsFirst, isDescending));
                        }
                        for (int limit : new int[] {-1, 3, 500}) {
                            Plans plans = new Plans();
                            Sink.Bound rows = limit < 0 ? Sink.Bound.NONE : Sink.Bound.of(limit);
                            scan(plans, table, -20).sink(new Sink.Sort(keys, Sink.Bound.of(form), rows));
                            String what = keys + " limit " + limit + " nulls " + nulls;
                            devices.checkInOrder(what, plans.result(), limit < 0, table);
                        }
                    }
                }
            }
        }
    }

    /// Once the first rows are known, few others leave the device: so much is in its bound.
    @Test
    void firstRowsOfManyAreKnownEarly() {
        Random random = new Random(SEED);
        List<DataType> types = List.of(DataType.INT32, DataType.INT64, DECIMAL, DataType.FLOAT64, DataType.DATE);
        List<List<Object>> columns = columns(types, 60_000, 0.01, random);
        for (List<Object> column : columns.subList(1, 2)) {
            column.replaceAll(value -> value == null ? null : Long.valueOf(random.nextLong()));
        }
        TestTable table = new TestTable("t", types, columns, 25_000);
        try (TwoDevices devices = TwoDevices.open(0)) {
            for (int column = 0; column < types.size(); column++) {
                for (int form = 0; form < 4; form++) {
                    Plans plans = new Plans();
                    List<SortKey> keys = List.of(
                            new SortKey(column, (form & 1) != 0, (form & 2) != 0), new SortKey(0, false, false));
                    scan(plans, table, -60).sink(new Sink.Sort(keys, Sink.Bound.ZERO, Sink.Bound.of(10)));
                    devices.checkInOrder(keys.toString(), plans.result(), true, table);
                }
            }
        }
    }

    /// The first rows of an order over chunks of several batches, from either end, where statistics rule out some.
    @ParameterizedTest
    @ValueSource(longs = {12_000, 40_000})
    void firstRowsOfChunks(long chunkRows) {
        Random random = new Random(SEED);
        List<DataType> types = List.of(DataType.INT32, DataType.INT64, DataType.TIMESTAMP, DataType.UTF8);
        List<List<Object>> columns = columns(types, 30_000, 0.01, random);
        for (int row = 0; row < 30_000; row++) {
            columns.get(1).set(row, (long) random.nextInt(1_000_000));
            columns.get(2).set(row, row / 3L);
        }
        TestTable table = new TestTable("t", types, columns, 10_000, 301, 4_500);
        table.keepBatchStats();
        try (TwoDevices devices = TwoDevices.ofChunks(2, chunkRows)) {
            for (int round = 0; round < 2; round++) { // the columns are there the second time
                for (int column : new int[] {1, 2}) {
                    for (boolean isDescending : new boolean[] {false, true}) {
                        for (long least : new long[] {-60, 49}) {
                            Plans plans = new Plans();
                            List<SortKey> keys =
                                    List.of(new SortKey(column, isDescending, false), new SortKey(0, false, false));
                            scan(plans, table, least)
                                    .sink(new Sink.Sort(keys, Sink.Bound.of(round), Sink.Bound.of(10)));
                            String what = keys + " above " + least + " round " + round;
                            devices.checkInOrder(what, plans.result(), false, table);
                        }
                    }
                }
            }
            assertThat(devices.launches()).isPositive();
        }
    }

    /// Batches in the middle of a chunk that statistics rule out, and a chunk of which little counts.
    @ParameterizedTest
    @ValueSource(longs = {600, 5_000})
    void chunksOfWhichSomeBatchesCount(long chunkRows) {
        Random random = new Random(SEED);
        List<DataType> types = List.of(DataType.INT32, DataType.INT64, DataType.UUID, DataType.UTF8);
        List<List<Object>> columns = columns(types, 6_000, 0.1, random);
        for (int row = 0; row < 6_000; row++) {
            columns.get(0).set(row, row / 1_000 % 2 == 0 ? row % 100L : 1_000L + row % 10);
        }
        TestTable table = new TestTable("t", types, columns, false, 500, 250, 250);
        table.keepBatchStats();
        try (TwoDevices devices = TwoDevices.ofChunks(3, chunkRows)) {
            for (long least : new long[] {-1, 50, 98, 500, 1_008}) {
                for (int limit : new int[] {-1, 700}) {
                    Plans plans = new Plans();
                    Sink.Bound rows = limit < 0 ? Sink.Bound.NONE : Sink.Bound.of(limit);
                    scan(plans, table, least).sink(Plans.leaving(types.size() + 5, Sink.Bound.ZERO, rows));
                    devices.checkInOrder("above " + least + " limit " + limit, plans.result(), true, table);
                }
            }
        }
    }

    @Test
    void whatHasNoKernelSaysSo() {
        TestTable table = new TestTable("t", List.of(DataType.INT32), List.of(List.of(1L)), 10);
        try (TwoDevices devices = TwoDevices.open(0)) {
            Plans plans = new Plans();
            plans.scan(table).all().sink(Plans.leaving(1, Sink.Bound.ZERO, Sink.Bound.NONE));
            QueryPlan plan = plans.result();
            assertThat(devices.refusal(plan, 0)).isEqualTo("rows that leave as they came need no kernel");
        }
    }
}
