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

    /// Several build rows of one key.
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
                devices.check(kind.name(), plans.result(), true, fact, dimension);
            }
        }
    }

    private static final List<DataType> PAIRS =
            List.of(DataType.INT32, DataType.INT64, DataType.DATE, DataType.INT32, DataType.UTF8);

    /// Rows of small keys, so that many match, and of some that are far outside.
    private static TestTable pairs(String name, int rows, int values, double nulls, Random random) {
        List<List<Object>> columns = ScanAggregateTest.columns(PAIRS, rows, nulls, random);
        for (int row = 0; row < rows; row++) {
            columns.get(0).set(row, random.nextDouble() < nulls ? null : Long.valueOf(random.nextInt(values) - 3));
            long far = random.nextBoolean() ? Long.MAX_VALUE : Long.MIN_VALUE;
            long second = name.equals("fact") && random.nextInt(20) == 0 ? far : random.nextInt(4) + 1_000_000_000_000L;
            columns.get(1).set(row, random.nextDouble() < nulls ? null : Long.valueOf(second));
            columns.get(2).set(row, random.nextDouble() < nulls ? null : Long.valueOf(10_000 + random.nextInt(3)));
            columns.get(3).set(row, Long.valueOf(random.nextInt(100)));
        }
        return new TestTable(name, PAIRS, columns, 500, 123);
    }

    private static int buildBy(Plans plans, TestTable table, List<Integer> keys) {
        List<Integer> payload = new ArrayList<>(Plans.range(0, table.schema().size()));
        payload.removeAll(keys);
        return plans.scan(table).all().sink(new Sink.HashBuild(keys, payload));
    }

    /// Keys of several columns, each matched by no, one or several build rows.
    @ParameterizedTest
    @EnumSource(
            value = JoinKind.class,
            names = {"INNER", "LEFT", "SEMI", "ANTI", "MARK"})
    void severalKeys(JoinKind kind) {
        Random random = new Random(SEED);
        try (TwoDevices devices = TwoDevices.open(SEED)) {
            for (int rows : new int[] {0, 1, 255, 256, 257, 1300}) {
                for (double nulls : new double[] {0, 0.2}) {
                    for (int buildRows : new int[] {0, 1, 60, 300}) {
                        TestTable fact = pairs("fact", rows, 12, nulls, random);
                        TestTable build = pairs("build", buildRows, 10, nulls, random);
                        for (List<Integer> keys : List.of(List.of(0, 1), List.of(2, 0), List.of(0, 1, 2))) {
                            Plans plans = new Plans();
                            int made = buildBy(plans, build, keys);
                            boolean hasPayload = kind.hasPayload();
                            // The build's int32 and text follow the fact's five columns; by two keys, one more before.
                            int number = 5 + (keys.size() == 2 ? 1 : 0);
                            plans.scan(fact)
                                    .all()
                                    .join(kind, made, keys)
                                    .all()
                                    .sink(new Sink.Aggregate(
                                            hasPayload && rows % 2 == 0 ? List.of(number + 1, 2) : List.of(),
                                            hasPayload ? calls(3, number) : calls(3)));
                            devices.check(
                                    kind + " by " + keys + " rows " + rows + " build " + buildRows + " nulls " + nulls,
                                    plans.result(),
                                    rows > 1 && buildRows > 1, // without build rows nothing need run
                                    fact,
                                    build);
                        }
                    }
                }
            }
        }
    }

    /// A condition over both sides beside equal keys, of one match a row and of several.
    @ParameterizedTest
    @EnumSource(
            value = JoinKind.class,
            names = {"INNER", "LEFT", "SEMI", "ANTI"})
    void conditions(JoinKind kind) {
        Random random = new Random(SEED);
        try (TwoDevices devices = TwoDevices.open(SEED)) {
            for (boolean isUnique : new boolean[] {true, false}) {
                for (int rows : new int[] {1, 256, 700}) {
                    TestTable fact = pairs("fact", rows, 12, 0.1, random);
                    List<List<Object>> columns = ScanAggregateTest.columns(PAIRS, 40, 0.1, random);
                    for (int row = 0; row < 40; row++) {
                        columns.get(0).set(row, row % 9 == 0 ? null : Long.valueOf(isUnique ? row - 5 : row / 4 - 3));
                        columns.get(3).set(row, row % 7 == 0 ? null : Long.valueOf(random.nextInt(100)));
                    }
                    TestTable build = new TestTable("build", PAIRS, columns, 50);
                    for (int form = 0; form < 3; form++) {
                        Plans plans = new Plans();
                        int made = buildBy(plans, build, List.of(0));
                        // Behind the fact's five columns the condition has the build's: int64, date, int32, text.
                        int of = form == 2 ? 2 : 7;
                        DataType type = form == 2 ? DataType.DATE : DataType.INT32;
                        Opcode less = form == 2 ? Opcode.LT_DATE : Opcode.LT_INT32;
                        int other = form == 2 ? 6 : 3;
                        plans.scan(fact)
                                .all()
                                .join(kind, made, List.of(0), code -> {
                                    int holds = code.value(
                                            less, DataType.BOOL, 0, 0, code.load(other, 0), code.load(of, 0));
                                    return code.mask(Opcode.MASK_TRUE, 0, holds);
                                })
                                .all()
                                .sink(new Sink.Aggregate(
                                        kind.hasPayload() && form == 1 ? List.of(8) : List.of(),
                                        kind.hasPayload() ? calls(3, 7) : calls(3)));
                        devices.check(
                                kind + " unique " + isUnique + " rows " + rows + " form " + form,
                                plans.result(),
                                rows > 1 && (isUnique || kind == JoinKind.INNER),
                                fact,
                                build);
                    }
                }
            }
        }
    }

    /// Two joins that multiply rows, one within the other, and a filter and a join of one match between.
    @Test
    void severalMatchesOfSeveralJoins() {
        Random random = new Random(SEED);
        try (TwoDevices devices = TwoDevices.open(1)) {
            for (int rows : new int[] {1, 256, 900}) {
                TestTable fact = pairs("fact", rows, 12, 0.1, random);
                TestTable one = pairs("one", 50, 10, 0.1, random);
                TestTable two = pairs("two", 40, 9, 0.1, random);
                TestTable three = dimension("three", 100, 0, 1, DataType.INT32, random);
                for (JoinKind kind : List.of(JoinKind.INNER, JoinKind.LEFT)) {
                    Plans plans = new Plans();
                    int first = buildBy(plans, one, List.of(0));
                    int second = buildBy(plans, two, List.of(0));
                    int third = build(plans, three);
                    int bound = plans.constant(DataType.INT32, 60L);
                    plans.scan(fact)
                            .all()
                            .join(JoinKind.INNER, third, List.of(3))
                            .all()
                            .join(kind, first, List.of(0))
                            .program(code -> {
                                // The fact's key, the third's text, the first's int32.
                                int small = code.value(
                                        Opcode.LT_INT32,
                                        DataType.BOOL,
                                        0,
                                        0,
                                        code.load(3, 0),
                                        code.constant(bound, DataType.INT32, 0));
                                int left = code.mask(Opcode.MASK_TRUE, 0, small);
                                return new Plans.Out(
                                        left,
                                        List.of(
                                                code.load(0, left),
                                                code.load(5, left),
                                                code.load(3, left),
                                                code.load(11, left)));
                            })
                            .join(kind, second, List.of(0))
                            .all()
                            .sink(new Sink.Aggregate(List.of(1, 7), calls(2, 3, 6)));
                    devices.check(kind + " rows " + rows, plans.result(), rows > 1, fact, one, two, three);
                }
            }
        }
    }
}
