package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Joins of a fact table with small ones, and groups by their columns.
class StarJoinTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final List<DataType> FACT = List.of(DataType.INT32, DataType.INT64, DataType.INT32, DataType.INT32);
    private static final List<DataType> DIMENSION =
            List.of(DataType.INT32, DataType.UTF8, DataType.INT32, DataType.INT64, DataType.DATE);

    /// Keys from `least` on, one a row or (`step` above 1) with gaps; some NULL.
    static TestTable dimension(String name, int rows, long least, long step, DataType key, Random random) {
        List<DataType> types = new ArrayList<>(DIMENSION);
        types.set(0, key);
        List<List<Object>> columns = ScanAggregateTest.columns(types, rows, 0.1, random);
        for (int row = 0; row < rows; row++) {
            columns.getFirst().set(row, row % 7 == 3 ? null : Long.valueOf(least + row * step));
        }
        if (key instanceof DataType.Int64) {
            columns.getFirst().set(0, Long.MIN_VALUE);
            columns.getFirst().set(1, Long.MAX_VALUE);
        }
        return new TestTable(name, types, columns, 40);
    }

    static TestTable fact(int rows, double nulls, Random random) {
        List<List<Object>> columns = ScanAggregateTest.columns(FACT, rows, nulls, random);
        for (int row = 0; row < rows; row++) {
            columns.get(0).set(row, random.nextDouble() < nulls ? null : Long.valueOf(random.nextInt(-10, 130)));
            columns.get(1)
                    .set(row, random.nextDouble() < nulls ? null : Long.valueOf(random.nextInt(90) * 1_000_000_007L));
        }
        return new TestTable("fact", FACT, columns, 500, 123);
    }

    static int build(Plans plans, TestTable table) {
        return plans.scan(table)
                .all()
                .sink(new Sink.HashBuild(
                        List.of(0), Plans.range(1, table.schema().size())));
    }

    static List<AggregateCall> calls(int... columns) {
        List<AggregateCall> calls = new ArrayList<>();
        calls.add(new AggregateCall(AggregateKind.COUNT_STAR, -1, -1));
        for (int column : columns) {
            calls.add(new AggregateCall(AggregateKind.SUM, column, -1));
            calls.add(new AggregateCall(AggregateKind.COUNT, column, -1));
            calls.add(new AggregateCall(AggregateKind.MAX, column, -1));
        }
        return calls;
    }

    @ParameterizedTest
    @EnumSource(
            value = JoinKind.class,
            names = {"INNER", "LEFT", "SEMI", "ANTI", "MARK"})
    void oneJoin(JoinKind kind) {
        Random random = new Random(SEED);
        for (long schedule : new long[] {0, 1, SEED}) {
            try (TwoDevices devices = TwoDevices.open(schedule)) {
                for (int rows : new int[] {0, 1, 100, 256, 1300}) {
                    for (double nulls : new double[] {0, 0.2}) {
                        TestTable fact = fact(rows, nulls, random);
                        TestTable dense = dimension("dense", 100, 3, 1, DataType.INT32, random);
                        TestTable sparse = dimension("sparse", 80, 0, 1_000_000_007L, DataType.INT64, random);
                        for (int key : new int[] {0, 1}) {
                            TestTable dimension = key == 0 ? dense : sparse;
                            for (int form = 0; form < 4; form++) {
                                check(devices, kind, fact, dimension, key, form, "rows " + rows + " nulls " + nulls);
                            }
                        }
                    }
                }
            }
        }
    }

    private static void check(
            TwoDevices devices, JoinKind kind, TestTable fact, TestTable dimension, int key, int form, String what) {
        Plans plans = new Plans();
        int build = build(plans, dimension);
        // The fact's columns, then the dimension's text, int32, int64, date; or the mark.
        boolean hasPayload = kind.hasPayload();
        List<Integer> keys =
                switch (form) {
                    case 0 -> List.of();
                    case 1 -> hasPayload ? List.of(4) : List.of(3);
                    case 2 -> hasPayload ? List.of(7, 5) : List.of(3, 2);
                    default -> kind.hasMark() ? List.of(4) : List.of(2);
                };
        int[] summed = hasPayload && form != 1 ? new int[] {2, 5, 6} : new int[] {2, 3};
        plans.scan(fact).all().join(kind, build, List.of(key)).all().sink(new Sink.Aggregate(keys, calls(summed)));
        devices.check(
                kind + " key " + key + " form " + form + " " + what, plans.result(), fact.rows() > 1, fact, dimension);
    }

    /// Two joins, a filter between them, digits of both, and a key of the fact's own.
    @Test
    void starOfTwo() {
        Random random = new Random(SEED);
        try (TwoDevices devices = TwoDevices.open(SEED)) {
            for (int rows : new int[] {33, 257, 2000}) {
                TestTable fact = fact(rows, 0, random);
                TestTable one = dimension("one", 120, 0, 1, DataType.INT32, random);
                TestTable two = dimension("two", 50, -20, 2, DataType.INT32, random);
                Plans plans = new Plans();
                int first = build(plans, one);
                int second = build(plans, two);
                int bound = plans.constant(DataType.INT32, 20L);
                plans.scan(fact)
                        .all()
                        .join(JoinKind.INNER, first, List.of(0))
                        .program(code -> {
                            int small = code.value(
                                    Opcode.LT_INT32,
                                    DataType.BOOL,
                                    0,
                                    0,
                                    code.load(3, 0),
                                    code.constant(bound, DataType.INT32, 0));
                            int rowsLeft = code.mask(Opcode.MASK_TRUE, 0, small);
                            return new Plans.Out(
                                    rowsLeft,
                                    List.of(
                                            code.load(2, rowsLeft),
                                            code.load(3, rowsLeft),
                                            code.load(4, rowsLeft),
                                            code.load(5, rowsLeft)));
                        })
                        .join(JoinKind.INNER, second, List.of(0))
                        .program(code -> new Plans.Out(
                                0,
                                List.of(
                                        code.load(2, 0),
                                        code.load(4, 0),
                                        code.load(1, 0),
                                        code.value(
                                                Opcode.ADD_INT32,
                                                DataType.INT32,
                                                0,
                                                0,
                                                code.load(1, 0),
                                                code.load(3, 0)))))
                        .sink(new Sink.Aggregate(List.of(0, 1, 2), calls(2, 3)));
                devices.check("rows " + rows, plans.result(), true, fact, one, two);
            }
        }
    }

    /// A join by a column without NULLs, of rows in which the column before is NULL.
    @Test
    void rowsWhoseValueInHandIsNull() {
        Random random = new Random(SEED);
        try (TwoDevices devices = TwoDevices.open(0)) {
            for (JoinKind kind : List.of(JoinKind.INNER, JoinKind.SEMI)) {
                List<List<Object>> columns =
                        ScanAggregateTest.columns(List.of(DataType.INT32, DataType.INT32), 700, 0, random);
                for (int row = 0; row < 700; row++) {
                    columns.get(0).set(row, Long.valueOf(random.nextInt(120)));
                    columns.get(1).set(row, row % 3 == 0 ? null : Long.valueOf(row));
                }
                TestTable fact = new TestTable("fact", List.of(DataType.INT32, DataType.INT32), columns, 500, 123);
                TestTable dimension = dimension("dense", 100, 3, 1, DataType.INT32, random);
                Plans plans = new Plans();
                int build = build(plans, dimension);
                plans.scan(fact)
                        .program(code -> {
                            int isNull = code.value(Opcode.IS_NULL, DataType.BOOL, 0, 0, code.load(1, 0));
                            int left = code.mask(Opcode.MASK_TRUE, 0, isNull);
                            return new Plans.Out(left, List.of(code.load(0, left)));
                        })
                        .join(kind, build, List.of(0))
                        .all()
                        .sink(new Sink.Aggregate(List.of(), calls(0)));
                assertThat(devices.check(kind.name(), plans.result(), true, fact, dimension))
                        .doesNotStartWith("[0,");
            }
        }
    }

    /// Several build rows of one key: the CPU's business where rows multiply.
    @Test
    void equalKeys() {
        Random random = new Random(SEED);
        try (TwoDevices devices = TwoDevices.open(0)) {
            TestTable fact = fact(300, 0.1, random);
            List<List<Object>> columns = ScanAggregateTest.columns(DIMENSION, 90, 0.1, random);
            for (int row = 0; row < 90; row++) {
                columns.getFirst().set(row, Long.valueOf(row / 2));
            }
            TestTable dimension = new TestTable("twice", DIMENSION, columns, 50);
            for (JoinKind kind : List.of(JoinKind.INNER, JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI)) {
                Plans plans = new Plans();
                int build = build(plans, dimension);
                plans.scan(fact)
                        .all()
                        .join(kind, build, List.of(0))
                        .all()
                        .sink(new Sink.Aggregate(List.of(), calls(2, 3)));
                devices.check(kind.name(), plans.result(), !kind.hasPayload(), fact, dimension);
            }
        }
    }
}
