package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.type.DataType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Rows that the device sorts: the order is the CPU's, of equal rows too.
class DeviceSortTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    /// Rows of a tile of the host's build, which has 64 threads a block.
    private static final int TILE = 512;

    private static final DataType DECIMAL = new DataType.Decimal(18, 2);
    /// Column 0 is the row's number, so that a row is told from its equals.
    private static final List<DataType> TYPES = List.of(
            DataType.INT32,
            DataType.INT16,
            DataType.INT32,
            DataType.INT64,
            DataType.DATE,
            DataType.TIMESTAMP,
            DECIMAL,
            DataType.BOOL,
            DataType.UTF8,
            DataType.FLOAT64,
            DataType.FLOAT32);
    private static final List<DataType> PAYLOAD = List.of(DataType.UUID, DataType.UTF8);
    private static final double[] DOUBLES = {
        0.0, -0.0, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.MIN_VALUE, -Double.MAX_VALUE
    };

    private static Stream<Long> schedules() {
        return Stream.of(0L, 1L, SEED);
    }

    /// How values spread: a few that come often, many, or the whole range of the type.
    private enum Spread {
        FEW,
        MANY,
        ALL
    }

    private static Object value(DataType type, Spread spread, Random random) {
        long number =
                switch (spread) {
                    case FEW -> random.nextLong(-3, 3);
                    case MANY -> random.nextLong(-20_000, 20_000);
                    case ALL -> random.nextLong() >> random.nextInt(64);
                };
        return switch (type) {
            case DataType.Bool _ -> random.nextBoolean();
            case DataType.Int16 _ -> (long) (short) number;
            case DataType.Int32 _, DataType.Date _ -> (long) (int) number;
            case DataType.Timestamp _ -> spread == Spread.ALL ? number : number * 86_400_000_000L;
            case DataType.Decimal(int _, int scale) -> BigDecimal.valueOf(number % 1_000_000_000_000_000L, scale);
            case DataType.Utf8 _ -> text(number, spread, random);
            case DataType.Float64 _ ->
                random.nextInt(9) == 0
                        ? DOUBLES[random.nextInt(DOUBLES.length)]
                        : spread == Spread.ALL ? Double.longBitsToDouble(number) : number / 8.0;
            case DataType.Float32 _ ->
                random.nextInt(9) == 0
                        ? (float) DOUBLES[random.nextInt(DOUBLES.length)]
                        : spread == Spread.ALL ? Float.intBitsToFloat((int) number) : number / 8f;
            case DataType.Uuid _ -> new UUID(random.nextLong(), random.nextLong());
            default -> number;
        };
    }

    private static String text(long number, Spread spread, Random random) {
        return switch (spread) {
            case FEW -> "text".repeat((int) number + 3);
            case MANY -> "é".repeat(random.nextInt(3)) + number % 100;
            case ALL -> Long.toString(number % 100, 36);
        };
    }

    private static List<List<Object>> columns(
            List<DataType> types, int rows, double nulls, Spread spread, Random random) {
        List<List<Object>> columns = new ArrayList<>();
        for (int column = 0; column < types.size(); column++) {
            List<Object> values = new ArrayList<>();
            for (int row = 0; row < rows; row++) {
                boolean isNull = column > 0 && random.nextDouble() < nulls;
                values.add(
                        column == 0 ? (Object) (long) row : isNull ? null : value(types.get(column), spread, random));
            }
            columns.add(values);
        }
        return columns;
    }

    /// All columns of the rows whose number is `least` or more.
    private static Plans.Chain scan(Plans plans, TestTable table, long least) {
        if (least == 0) {
            return plans.scan(table).all();
        }
        int bound = plans.constant(DataType.INT32, least);
        return plans.scan(table).program(code -> {
            int condition = code.value(
                    Opcode.GE_INT32, DataType.BOOL, 0, 0, code.load(0, 0), code.constant(bound, DataType.INT32, 0));
            int rows = code.mask(Opcode.MASK_TRUE, 0, condition);
            List<Integer> outputs = new ArrayList<>();
            for (int input = 0; input < table.schema().size(); input++) {
                outputs.add(code.load(input, rows));
            }
            return new Plans.Out(rows, outputs);
        });
    }

    private static void check(TwoDevices devices, TestTable table, long least, List<SortKey> keys, String what) {
        Plans plans = new Plans();
        scan(plans, table, least).sink(new Sink.Sort(keys, Sink.Bound.ZERO, Sink.Bound.NONE));
        long rows = Math.max(0, table.rows() - least);
        devices.checkInOrder(what + ", keys " + keys, plans.result(), rows > 0, table);
        assertThat(devices.sortedRows())
                .as(what + ", keys %s: %s", keys, devices.note())
                .isEqualTo(rows);
    }

    /// Every type by itself, in both directions, with NULLs at both ends.
    @ParameterizedTest
    @MethodSource("schedules")
    void everyTypeOfKey(long schedule) {
        Random random = new Random(SEED);
        try (TwoDevices devices = TwoDevices.open(schedule)) {
            for (Spread spread : Spread.values()) {
                for (double nulls : new double[] {0, 0.3, 1}) {
                    TestTable table =
                            new TestTable("t", TYPES, columns(TYPES, 700, nulls, spread, random), 300, 256, 70);
                    for (int column = 1; column < TYPES.size(); column++) {
                        for (int form = schedule == 0 ? 0 : 2; form < 4; form++) {
                            List<SortKey> keys = List.of(new SortKey(column, (form & 1) != 0, (form & 2) != 0));
                            check(devices, table, 0, keys, spread + ", nulls " + nulls);
                        }
                    }
                }
            }
        }
    }

    /// Row counts beside those of warps, tiles and parts of blocks.
    @ParameterizedTest
    @MethodSource("schedules")
    void rowCounts(long schedule) {
        Random random = new Random(SEED);
        try (TwoDevices devices = TwoDevices.open(schedule)) {
            for (int rows : new int[] {0, 1, 31, 33, TILE - 1, TILE, 2 * TILE + 1, 4 * TILE + 1, 5000}) {
                for (Spread spread : new Spread[] {Spread.FEW, Spread.ALL}) {
                    TestTable table = new TestTable("t", TYPES, columns(TYPES, rows, 0.1, spread, random), 512, 100);
                    for (int column : new int[] {1, 3, 8, 0}) {
                        List<SortKey> keys = List.of(new SortKey(column, true, false));
                        check(devices, table, 0, keys, rows + " rows, " + spread);
                    }
                    check(devices, table, rows, List.of(new SortKey(3, false, false)), "none of " + rows + " rows");
                    check(devices, table, rows / 2, List.of(new SortKey(3, false, true)), "half of " + rows + " rows");
                }
            }
        }
    }

    /// Keys together, in one word and in several, of random kinds.
    @ParameterizedTest
    @MethodSource("schedules")
    void severalKeys(long schedule) {
        Random random = new Random(SEED);
        try (TwoDevices devices = TwoDevices.open(schedule)) {
            for (int round = 0; round < 15; round++) {
                Spread spread = Spread.values()[random.nextInt(3)];
                int rows = random.nextInt(2500);
                TestTable table = new TestTable(
                        "t",
                        TYPES,
                        columns(TYPES, rows, random.nextInt(3) * 0.2, spread, random),
                        1 + random.nextInt(800));
                List<SortKey> keys = new ArrayList<>();
                for (int key = random.nextInt(6); key >= 0; key--) {
                    keys.add(new SortKey(random.nextInt(1, TYPES.size()), random.nextBoolean(), random.nextBoolean()));
                }
                check(devices, table, random.nextInt(3) * (rows / 3), keys, "seed " + SEED + ", round " + round);
            }
        }
    }

    /// Rows that are in order already, or backwards, and rows that are all equal.
    @Test
    void orderedRows() {
        try (TwoDevices devices = TwoDevices.open(SEED)) {
            for (boolean isEqual : new boolean[] {false, true}) {
                List<Object> numbers = new ArrayList<>();
                for (long row = 0; row < 3000; row++) {
                    numbers.add(isEqual ? 7L : row);
                }
                List<List<Object>> columns = columns(TYPES, 3000, 0, Spread.MANY, new Random(SEED));
                columns.set(3, numbers);
                TestTable table = new TestTable("t", TYPES, columns, 3000);
                check(devices, table, 0, List.of(new SortKey(3, false, false)), "equal " + isEqual);
                check(devices, table, 0, List.of(new SortKey(3, true, false)), "backwards, equal " + isEqual);
            }
        }
    }

    /// Values that never come to the device, constants and computed truths, in many batches of sorted rows.
    @ParameterizedTest
    @MethodSource("schedules")
    void allKindsOfColumns(long schedule) {
        Random random = new Random(SEED);
        List<DataType> types = new ArrayList<>(TYPES);
        types.set(8, DataType.TIME);
        types.addAll(PAYLOAD);
        try (TwoDevices devices = TwoDevices.open(schedule, 1)) {
            for (double nulls : new double[] {0, 0.3}) {
                TestTable table =
                        new TestTable("t", types, columns(types, 1500, nulls, Spread.MANY, random), false, 400, 50);
                for (long[] bounds : new long[][] {{0, -1}, {7, -1}, {0, 1 << 21}, {1490, 1 << 21}, {5000, -1}}) {
                    Plans plans = new Plans();
                    int bound = plans.constant(DataType.INT32, 100L);
                    int text = plans.constant(DataType.UTF8, "constant");
                    int nothing = plans.constant(DataType.INT32, null);
                    plans.scan(table)
                            .program(code -> {
                                int isAbove = code.value(
                                        Opcode.GT_INT32,
                                        DataType.BOOL,
                                        0,
                                        0,
                                        code.load(0, 0),
                                        code.constant(bound, DataType.INT32, 0));
                                int rows = code.mask(Opcode.MASK_TRUE, 0, isAbove);
                                List<Integer> outputs = new ArrayList<>();
                                for (int input = 0; input < types.size(); input++) {
                                    outputs.add(code.load(input, rows));
                                }
                                outputs.add(code.value(
                                        Opcode.LT_INT32,
                                        DataType.BOOL,
                                        rows,
                                        0,
                                        code.load(2, rows),
                                        code.load(0, rows)));
                                outputs.add(code.constant(text, DataType.UTF8, rows));
                                outputs.add(code.constant(nothing, DataType.INT32, rows));
                                return new Plans.Out(rows, outputs);
                            })
                            .sink(new Sink.Sort(
                                    List.of(
                                            new SortKey(types.size() + 2, false, false),
                                            new SortKey(types.size(), true, true),
                                            new SortKey(4, false, true)),
                                    Sink.Bound.of(bounds[0]),
                                    bounds[1] < 0 ? Sink.Bound.NONE : Sink.Bound.of(bounds[1])));
                    devices.checkInOrder("nulls " + nulls + " from " + bounds[0], plans.result(), true, table);
                    assertThat(devices.sortedRows()).as(devices.note()).isEqualTo(1399);
                }
            }
        }
    }

    /// Keys and columns of build sides, text and truths among them.
    @ParameterizedTest
    @EnumSource(
            value = JoinKind.class,
            names = {"INNER", "LEFT"})
    void joins(JoinKind kind) {
        Random random = new Random(SEED);
        try (TwoDevices devices = TwoDevices.open(SEED)) {
            for (double nulls : new double[] {0, 0.2}) {
                TestTable fact = StarJoinTest.fact(1300, nulls, random);
                TestTable dimension = StarJoinTest.dimension("dimension", 100, 3, 1, DataType.INT32, random);
                for (int column = 0; column < 8; column++) {
                    Plans plans = new Plans();
                    int build = StarJoinTest.build(plans, dimension);
                    List<SortKey> keys = List.of(
                            new SortKey(column, column % 2 == 1, column % 3 == 1), new SortKey(1, false, false));
                    plans.scan(fact)
                            .all()
                            .join(kind, build, List.of(0))
                            .all()
                            .sink(new Sink.Sort(keys, Sink.Bound.ZERO, Sink.Bound.NONE));
                    String what = kind + ", nulls " + nulls + ", column " + column;
                    devices.checkInOrder(what, plans.result(), true, fact, dimension);
                    assertThat(devices.sortedRows())
                            .as("%s: %s", what, devices.note())
                            .isPositive();
                }
            }
        }
    }

    /// A row that fails, in the second batch: the CPU raises its error.
    @Test
    void errors() {
        List<Object> values = new ArrayList<>();
        for (long row = 0; row < 600; row++) {
            values.add(row == 555 ? (long) Integer.MAX_VALUE : row);
        }
        TestTable table = new TestTable("t", List.of(DataType.INT32), List.of(values), 200);
        try (TwoDevices devices = TwoDevices.open(SEED)) {
            Plans plans = new Plans();
            plans.scan(table)
                    .program(code -> new Plans.Out(
                            0,
                            List.of(code.value(
                                    Opcode.ADD_INT32, DataType.INT32, 0, 0, code.load(0, 0), code.load(0, 0)))))
                    .sink(new Sink.Sort(List.of(new SortKey(0, true, false)), Sink.Bound.ZERO, Sink.Bound.NONE));
            String answer = devices.checkInOrder("sums", plans.result(), true, table);
            assertThat(answer).startsWith("error 22003");
            assertThat(devices.sortedRows()).isZero();
        }
    }

    /// What the device has no order for, or no room, the CPU sorts, and says why.
    @Test
    void reasons() {
        Random random = new Random(SEED);
        List<DataType> types = List.of(DataType.INT32, DataType.UTF8, DataType.UUID);
        TestTable plain = new TestTable("t", types, columns(types, 1000, 0.1, Spread.MANY, random), false, 300);
        try (TwoDevices devices = TwoDevices.open(0)) {
            for (int column = 1; column < 3; column++) {
                Plans plans = new Plans();
                List<SortKey> keys = List.of(new SortKey(column, false, false));
                scan(plans, plain, 10).sink(new Sink.Sort(keys, Sink.Bound.ZERO, Sink.Bound.NONE));
                devices.checkInOrder("column " + column, plans.result(), true, plain);
                assertThat(devices.sortedRows()).isZero();
                assertThat(devices.note())
                        .isEqualTo(
                                column == 1
                                        ? "the CPU sorts by text without a dictionary"
                                        : "the CPU sorts by values beyond 64 bits");
            }
        }
        List<DataType> numbers = List.of(DataType.INT32, DataType.INT64, DataType.INT64);
        TestTable table = new TestTable("t", numbers, columns(numbers, 4000, 0, Spread.ALL, random), 1000);
        try (TwoDevices devices = TwoDevices.ofMemory(0, 300_000)) {
            Plans plans = new Plans();
            List<SortKey> keys = List.of(new SortKey(1, false, false));
            scan(plans, table, 10).sink(new Sink.Sort(keys, Sink.Bound.ZERO, Sink.Bound.NONE));
            devices.checkInOrder("little memory", plans.result(), true, table);
            assertThat(devices.sortedRows()).isZero();
            assertThat(devices.note()).startsWith("the CPU sorts: needs ");
        }
    }
}
