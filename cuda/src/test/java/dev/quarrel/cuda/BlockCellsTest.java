package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.encode.ProgramEncoder;
import dev.quarrel.cuda.facts.HopedFacts;
import dev.quarrel.cuda.vm.VmProgram;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Groups' cells in a block's shared memory: numbers of groups around those where the way of adding changes, values of
/// all widths, NULLs, rows in and out of order, tile edges, orders of threads.
class BlockCellsTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final DataType MONEY = new DataType.Decimal(15, 2);
    private static final int KEY = 0;
    private static final int FLAG = 5;
    private static final List<DataType> TYPES = List.of(
            DataType.INT32, DataType.INT64, DataType.INT16, DataType.INT32, MONEY, DataType.BOOL, DataType.DATE);
    /// Without wide lanes.
    private static final List<DataType> NARROW_TYPES =
            List.of(DataType.INT32, DataType.INT16, DataType.INT32, DataType.BOOL, DataType.DATE);

    private static final int[] GROUPS = {1, 2, 5, 12, 13, 31, 32, 33, 200};

    private enum Order {
        RANDOM,
        SKEWED,
        SORTED
    }

    static Stream<Long> schedules() {
        return Stream.of(0L, 1L, SEED, SEED + 1);
    }

    private static TestTable table(
            List<DataType> types, int rows, int groups, double nulls, Order order, Random random) {
        List<Object> keys = new ArrayList<>();
        for (int row = 0; row < rows; row++) {
            boolean isCommon = order == Order.SKEWED && random.nextInt(10) > 0;
            keys.add((long) (row < 2 ? row * (groups - 1) : isCommon ? groups / 2 : random.nextInt(groups)) - 3);
        }
        if (order == Order.SORTED) {
            keys.sort((x, y) -> Long.compare((Long) x, (Long) y));
        }
        for (int row = 2; row < rows; row++) {
            if (random.nextDouble() < nulls) {
                keys.set(row, null);
            }
        }
        List<List<Object>> columns = new ArrayList<>(List.of(keys));
        for (int column = 1; column < types.size(); column++) {
            List<Object> values = new ArrayList<>();
            for (int row = 0; row < rows; row++) {
                values.add(random.nextDouble() < nulls ? null : value(types.get(column), row, random));
            }
            columns.add(values);
        }
        return new TestTable("t", types, columns, 900, 256, 333);
    }

    /// Of each tile's values some have all 64 bits, in some tiles.
    private static Object value(DataType type, int row, Random random) {
        return switch (type) {
            case DataType.Bool _ -> random.nextBoolean();
            case DataType.Int16 _ -> (long) (short) random.nextInt();
            case DataType.Int64 _ ->
                row / 256 % 3 == 1 && random.nextInt(8) == 0
                        ? random.nextLong()
                        : random.nextLong(-(1L << 50), 1L << 50);
            case DataType.Date _ -> (long) random.nextInt(9000, 9100);
            case DataType.Decimal(int _, int scale) ->
                BigDecimal.valueOf(random.nextLong(-999_999_999_999_999L, 1_000_000_000_000_000L), scale);
            default -> (long) random.nextInt();
        };
    }

    private static List<AggregateCall> calls(List<DataType> types) {
        List<AggregateCall> calls = new ArrayList<>();
        calls.add(new AggregateCall(AggregateKind.COUNT_STAR, -1, -1));
        int flag = types.indexOf(DataType.BOOL);
        for (int column = 1; column < types.size(); column++) {
            calls.add(new AggregateCall(AggregateKind.COUNT, column, -1));
            switch (types.get(column)) {
                case DataType.Int16 _, DataType.Int32 _, DataType.Int64 _, DataType.Decimal _ -> {
                    calls.add(new AggregateCall(AggregateKind.SUM, column, -1));
                    calls.add(new AggregateCall(AggregateKind.AVG, column, flag));
                }
                default -> {}
            }
        }
        return calls;
    }

    private static List<AggregateCall> bests(List<DataType> types) {
        List<AggregateCall> calls = new ArrayList<>();
        int flag = types.indexOf(DataType.BOOL);
        calls.add(new AggregateCall(AggregateKind.BOOL_AND, flag, -1));
        calls.add(new AggregateCall(AggregateKind.BOOL_OR, flag, -1));
        for (int column = 1; column < types.size(); column++) {
            DataType type = types.get(column);
            if (type instanceof DataType.Bool) {
                continue;
            }
            calls.add(new AggregateCall(AggregateKind.MIN, column, -1));
            calls.add(new AggregateCall(AggregateKind.MAX, column, column % 2 == 0 ? flag : -1));
        }
        return calls;
    }

    private static List<AggregateCall> bits(List<DataType> types) {
        List<AggregateCall> calls = new ArrayList<>();
        int flag = types.indexOf(DataType.BOOL);
        for (int column = 1; column < types.size(); column++) {
            DataType type = types.get(column);
            if (type instanceof DataType.Int16 || type instanceof DataType.Int32 || type instanceof DataType.Int64) {
                calls.add(new AggregateCall(AggregateKind.BIT_AND, column, -1));
                calls.add(new AggregateCall(AggregateKind.BIT_OR, column, -1));
                calls.add(new AggregateCall(AggregateKind.BIT_XOR, column, flag));
            }
        }
        return calls;
    }

    private static QueryPlan plan(TestTable table, List<Integer> keys, List<AggregateCall> calls, boolean isFiltered) {
        Plans plans = new Plans();
        int zero = plans.constant(DataType.INT16, 0L);
        List<DataType> types =
                table.schema().fields().stream().map(field -> field.type()).toList();
        int narrow = types.indexOf(DataType.INT16);
        plans.scan(table)
                .program(code -> {
                    int rows = 0;
                    if (isFiltered) {
                        int above = code.value(
                                Opcode.GT_INT16,
                                DataType.BOOL,
                                0,
                                0,
                                code.load(narrow, 0),
                                code.constant(zero, DataType.INT16, 0));
                        rows = code.mask(Opcode.MASK_TRUE, 0, above);
                    }
                    int selected = rows;
                    return new Plans.Out(
                            selected,
                            Plans.range(0, types.size()).stream()
                                    .map(input -> code.load(input, selected))
                                    .toList());
                })
                .sink(new Sink.Aggregate(keys, calls));
        return plans.result();
    }

    private static VmProgram program(QueryPlan plan, TestTable table) {
        var pipeline = plan.pipelines().getFirst();
        return ProgramEncoder.encode(pipeline, new HopedFacts(plan, (Source.TableScan) pipeline.source(), table))
                .program();
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void agree(long schedule) {
        Random random = new Random(SEED ^ schedule);
        try (TwoDevices devices = TwoDevices.open(schedule)) {
            for (int groups : GROUPS) {
                for (Order order : Order.values()) {
                    int rows = List.of(255, 256, 257, 1030, 1800).get(random.nextInt(5));
                    double nulls = random.nextInt(3) * 0.2;
                    List<DataType> types = random.nextInt(3) == 0 ? NARROW_TYPES : TYPES;
                    TestTable table = table(types, rows, groups, nulls, order, random);
                    String what = "rows " + rows + " groups " + groups + " nulls " + nulls + " " + order;
                    boolean isFiltered = random.nextInt(3) == 0;
                    List<Integer> keys =
                            random.nextInt(4) == 0 ? List.of(KEY, types.indexOf(DataType.BOOL)) : List.of(KEY);
                    devices.check(what, plan(table, keys, calls(types), isFiltered), true, table);
                    for (List<AggregateCall> some : List.of(bests(types), bits(types))) {
                        QueryPlan plan = plan(table, keys, some, isFiltered);
                        boolean isOfBlock = program(plan, table).block().words() > 0;
                        assertThat(isOfBlock).as(what).isEqualTo(isOfBlock || groups <= 33);
                        devices.check(what, plan, true, table);
                    }
                }
            }
        }
    }

    /// As many groups as blocks have cells for, and one more.
    @Test
    void mostGroups() {
        Random random = new Random(SEED);
        List<AggregateCall> calls = List.of(
                new AggregateCall(AggregateKind.SUM, 2, -1), new AggregateCall(AggregateKind.MAX, FLAG + 1, -1));
        int most = VmProgram.MAX_BLOCK_BYTES / 3 / Long.BYTES;
        int mostOfHost = VmProgram.MAX_BLOCK_BYTES / 2 / 3 / Long.BYTES;
        try (TwoDevices devices = TwoDevices.open(SEED)) {
            for (int groups : new int[] {mostOfHost, mostOfHost + 1, most, most + 1}) {
                TestTable table = table(TYPES, 3000, groups, 0, Order.RANDOM, random);
                QueryPlan plan = plan(table, List.of(KEY), calls, false);
                VmProgram.Block block = program(plan, table).block();
                assertThat(block.words()).isEqualTo(groups <= most ? 3 : 0);
                devices.check("groups " + groups, plan, true, table);
            }
        }
    }

    /// The full interpreter, which sums of floats need, has no cells of blocks.
    @Test
    void notWithFloats() {
        List<DataType> types = List.of(DataType.INT32, DataType.INT16, DataType.FLOAT32);
        TestTable table =
                new TestTable("t", types, List.of(List.of(1L, 2L, 1L), List.of(3L, 4L, 5L), List.of(1f, 2f, 3f)), 100);
        List<AggregateCall> count = List.of(new AggregateCall(AggregateKind.COUNT_STAR, -1, -1));
        List<AggregateCall> sum = List.of(new AggregateCall(AggregateKind.SUM, 2, -1));
        assertThat(program(plan(table, List.of(KEY), count, false), table).block())
                .isEqualTo(new VmProgram.Block(2, 1, 0));
        assertThat(program(plan(table, List.of(KEY), sum, false), table).block())
                .isEqualTo(VmProgram.Block.NONE);
    }
}
