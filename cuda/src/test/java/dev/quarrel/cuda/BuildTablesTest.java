package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.driver.FakeDriver;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Join tables that the device makes, of keys and of what is grouped by.
class BuildTablesTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final int OUT_OF_MEMORY = 2;
    private static final int ILLEGAL_ADDRESS = 700;

    /// A key; then text, int16, int32, int64 and date of a few values each; then an int32 of any value.
    private static final List<DataType> DIMENSION = List.of(
            DataType.INT32,
            DataType.UTF8,
            DataType.INT16,
            DataType.INT32,
            DataType.INT64,
            DataType.DATE,
            DataType.INT32);

    private static final List<DataType> FACT = List.of(DataType.INT32, DataType.INT64, DataType.INT32);

    private record Shape(int rows, long least, long step, double nulls, boolean repeats, DataType key) {}

    private static TestTable dimension(Shape shape, Random random) {
        List<List<Object>> columns = new ArrayList<>();
        for (DataType _ : DIMENSION) {
            columns.add(new ArrayList<>());
        }
        for (int row = 0; row < shape.rows; row++) {
            long key = shape.least + shape.step * (shape.repeats ? row / 2 : row);
            columns.get(0).add(isNull(shape, random) ? null : Long.valueOf(key));
            columns.get(1).add(isNull(shape, random) ? null : "text " + random.nextInt(5));
            columns.get(2).add(isNull(shape, random) ? null : Long.valueOf(random.nextInt(-3, 4)));
            columns.get(3).add(isNull(shape, random) ? null : Long.valueOf(random.nextInt(1992, 1999)));
            columns.get(4).add(isNull(shape, random) ? null : Long.valueOf(1L << 40 | random.nextInt(3)));
            columns.get(5).add(isNull(shape, random) ? null : Long.valueOf(random.nextInt(8000, 8010)));
            columns.get(6).add(Long.valueOf(random.nextInt()));
        }
        List<DataType> types = new ArrayList<>(DIMENSION);
        types.set(0, shape.key);
        return new TestTable("dimension", types, columns, 256, 300, 7);
    }

    private static boolean isNull(Shape shape, Random random) {
        return random.nextDouble() < shape.nulls;
    }

    private static TestTable fact(int rows, Shape shape, Random random) {
        List<List<Object>> columns = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (int row = 0; row < rows; row++) {
            long key = shape.least + shape.step * random.nextInt(-5, shape.rows + 5) + random.nextInt(2);
            columns.get(0).add(isNull(shape, random) ? null : Long.valueOf(key));
            columns.get(1).add(isNull(shape, random) ? null : Long.valueOf(key));
            columns.get(2).add(isNull(shape, random) ? null : Long.valueOf(random.nextInt(1000)));
        }
        return new TestTable("fact", FACT, columns, 512, 256);
    }

    /// A build side of all its columns, with a condition on one of them.
    private static int build(Plans plans, TestTable table, boolean isFiltered) {
        Plans.Chain chain = plans.scan(table);
        if (isFiltered) {
            int bound = plans.constant(DataType.INT32, 1996L);
            chain.program(code -> {
                int late = code.value(
                        Opcode.LT_INT32, DataType.BOOL, 0, 0, code.load(3, 0), code.constant(bound, DataType.INT32, 0));
                int left = code.mask(Opcode.MASK_TRUE, 0, late);
                List<Integer> outputs = new ArrayList<>();
                for (int column = 0; column < DIMENSION.size(); column++) {
                    outputs.add(code.load(column, left));
                }
                return new Plans.Out(left, outputs);
            });
        } else {
            chain.all();
        }
        return chain.sink(new Sink.HashBuild(List.of(0), Plans.range(1, DIMENSION.size())));
    }

    private static QueryPlan plan(
            JoinKind kind, TestTable fact, TestTable dimension, int key, boolean isFiltered, List<Integer> grouped) {
        Plans plans = new Plans();
        int build = build(plans, dimension, isFiltered);
        List<Integer> keys = kind.hasPayload()
                ? grouped.stream().map(column -> FACT.size() + column).toList()
                : kind.hasMark() ? List.of(FACT.size()) : List.of();
        plans.scan(fact)
                .all()
                .join(kind, build, List.of(key))
                .all()
                .sink(new Sink.Aggregate(keys, StarJoinTest.calls(2)));
        return plans.result();
    }

    @ParameterizedTest
    @EnumSource(
            value = JoinKind.class,
            names = {"INNER", "LEFT", "SEMI", "ANTI", "MARK"})
    void theAnswerIsTheCpus(JoinKind kind) {
        Random random = new Random(SEED);
        List<Shape> shapes = List.of(
                new Shape(0, 0, 1, 0, false, DataType.INT32),
                new Shape(1, 5, 1, 0, false, DataType.INT32),
                new Shape(300, 1, 1, 0, false, DataType.INT32),
                new Shape(700, -350, 1, 0.2, false, DataType.INT32),
                new Shape(257, -900_000, 7001, 0.1, false, DataType.INT32),
                new Shape(40, Integer.MIN_VALUE + 20, 3, 0, false, DataType.INT32),
                new Shape(300, 1, 2, 0.1, true, DataType.INT32),
                new Shape(120, 1L << 40, 5, 0.1, false, DataType.INT64),
                new Shape(60, 0, 1L << 40, 0, false, DataType.INT64));
        for (long schedule : new long[] {0, SEED}) {
            try (TwoDevices devices = TwoDevices.open(schedule)) {
                for (Shape shape : shapes) {
                    TestTable dimension = dimension(shape, random);
                    TestTable fact = fact(900, shape, random);
                    int key = shape.key instanceof DataType.Int64 ? 1 : 0;
                    for (boolean isFiltered : new boolean[] {false, true}) {
                        for (List<Integer> grouped : List.<List<Integer>>of(
                                List.of(), List.of(0), List.of(1, 3), List.of(2, 4, 0), List.of(2, 2), List.of(5))) {
                            QueryPlan plan = plan(kind, fact, dimension, key, isFiltered, grouped);
                            String what = kind + " " + shape + " by " + grouped + " filtered " + isFiltered;
                            devices.check(what, plan, shape.rows > 1, fact, dimension);
                            devices.check(what + ", again", plan, shape.rows > 1, fact, dimension);
                        }
                    }
                }
            }
        }
    }

    /// The second time nothing is left to make: the scan's one launch a chunk remains.
    @Test
    void tablesStay() {
        Random random = new Random(SEED);
        Shape shape = new Shape(600, 1, 1, 0.1, false, DataType.INT32);
        TestTable dimension = dimension(shape, random);
        TestTable fact = fact(400, shape, random);
        try (TwoDevices devices = TwoDevices.open(SEED)) {
            QueryPlan plan = plan(JoinKind.INNER, fact, dimension, 0, true, List.of(0, 2));
            assertThat(devices.refusal(plan, 0)).isNull();
            long start = devices.launches();
            devices.check("first", plan, true, fact, dimension);
            long first = devices.launches() - start;
            devices.check("again", plan, true, fact, dimension);
            long second = devices.launches() - start - first;
            assertThat(second).isEqualTo(1);
            assertThat(first).isGreaterThan(second);
            // Another table of the same rows is another table, and another constant another condition.
            TestTable other = dimension(shape, random);
            devices.check("another table", plan, true, fact, other);
            assertThat(devices.launches() - start - first - second).isGreaterThan(1);
        }
    }

    /// Two build sides whose digits share a number, and a condition on the joined rows.
    @Test
    void starOfTwo() {
        Random random = new Random(SEED);
        Shape shape = new Shape(500, 1, 1, 0.05, false, DataType.INT32);
        TestTable dimension = dimension(shape, random);
        TestTable fact = fact(1500, shape, random);
        try (TwoDevices devices = TwoDevices.open(SEED)) {
            for (List<JoinKind> kinds : List.of(
                    List.of(JoinKind.INNER, JoinKind.INNER),
                    List.of(JoinKind.LEFT, JoinKind.INNER),
                    List.of(JoinKind.SEMI, JoinKind.LEFT))) {
                Plans plans = new Plans();
                int one = build(plans, dimension, true);
                int two = build(plans, dimension, false);
                int payload = kinds.getFirst().hasPayload() ? DIMENSION.size() - 1 : 0;
                List<Integer> keys = new ArrayList<>(List.of(FACT.size() + payload, FACT.size() + payload + 2));
                if (payload > 0) {
                    keys.add(FACT.size() + 2);
                }
                plans.scan(fact)
                        .all()
                        .join(kinds.getFirst(), one, List.of(0))
                        .all()
                        .join(kinds.getLast(), two, List.of(0))
                        .all()
                        .sink(new Sink.Aggregate(keys, StarJoinTest.calls(2)));
                QueryPlan plan = plans.result();
                assertThat(devices.refusal(plan, 0)).isNull();
                assertThat(devices.refusal(plan, 1)).isNull();
                devices.check(kinds.toString(), plan, true, fact, dimension);
                devices.check(kinds + ", again", plan, true, fact, dimension);
            }
        }
    }

    /// With little memory tables go, or the CPU makes them; the answer stays.
    @Test
    void littleMemory() {
        Random random = new Random(SEED);
        Shape shape = new Shape(3000, 1, 1, 0.1, false, DataType.INT32);
        TestTable dimension = dimension(shape, random);
        TestTable fact = fact(2000, shape, random);
        for (long memory : new long[] {5_000, 20_000, 35_000, 60_000, 200_000}) {
            try (TwoDevices devices = TwoDevices.ofMemory(SEED, memory)) {
                for (List<Integer> grouped : List.of(List.<Integer>of(), List.of(0, 2), List.of(1))) {
                    QueryPlan plan = plan(JoinKind.INNER, fact, dimension, 0, true, grouped);
                    devices.check("memory " + memory + " by " + grouped, plan, false, fact, dimension);
                }
            }
        }
    }

    /// What looks keys up goes to the CPU, for want of memory for its groups, once the device has made the build side.
    @ParameterizedTest
    @EnumSource(
            value = JoinKind.class,
            names = {"INNER", "LEFT"})
    void theRowsAreThereForTheCpu(JoinKind kind) {
        Random random = new Random(SEED);
        for (double nulls : new double[] {0, 0.2}) {
            Shape shape = new Shape(700, -350, 1, nulls, false, DataType.INT32);
            TestTable dimension = dimension(shape, random);
            TestTable fact = fact(900, shape, random);
            for (boolean isFiltered : new boolean[] {false, true}) {
                QueryPlan plan = plan(kind, fact, dimension, 0, isFiltered, List.of(0, 1, 2, 3, 4));
                try (TwoDevices devices = TwoDevices.ofMemory(SEED, 60_000)) {
                    for (int time = 0; time < 2; time++) {
                        String what = kind + " nulls " + nulls + " filtered " + isFiltered + " time " + time;
                        devices.check(what, plan, time == 0, fact, dimension);
                        assertThat(devices.note())
                                .as(what)
                                .contains("the CPU made its rows as well")
                                .contains("of device memory");
                    }
                }
            }
        }
    }

    /// A row that fails in the build side's program is the CPU's to tell of.
    @Test
    void aRowThatFails() {
        Random random = new Random(SEED);
        Shape shape = new Shape(300, 1, 1, 0, false, DataType.INT32);
        TestTable dimension = dimension(shape, random);
        TestTable fact = fact(400, shape, random);
        try (TwoDevices devices = TwoDevices.open(SEED)) {
            Plans plans = new Plans();
            int zero = plans.constant(DataType.INT32, 0L);
            int build = plans.scan(dimension)
                    .program(code -> {
                        int divided = code.value(
                                Opcode.DIV_INT32,
                                DataType.INT32,
                                0,
                                0,
                                code.load(3, 0),
                                code.constant(zero, DataType.INT32, 0));
                        return new Plans.Out(0, List.of(code.load(0, 0), divided));
                    })
                    .sink(new Sink.HashBuild(List.of(0), List.of(1)));
            plans.scan(fact)
                    .all()
                    .join(JoinKind.INNER, build, List.of(0))
                    .all()
                    .sink(new Sink.Aggregate(List.of(), StarJoinTest.calls(2)));
            assertThat(devices.check("division", plans.result(), false, fact, dimension))
                    .startsWith("error 22012");
        }
    }

    /// What wants the rows of the build side has the CPU make its table.
    @Test
    void refusals() {
        Shape shape = new Shape(300, 1, 1, 0, false, DataType.INT32);
        Random random = new Random(SEED);
        TestTable dimension = dimension(shape, random);
        TestTable fact = fact(400, shape, random);
        try (TwoDevices devices = TwoDevices.open(SEED)) {
            Plans plans = new Plans();
            int build = build(plans, dimension, false);
            plans.scan(fact)
                    .all()
                    .join(JoinKind.INNER, build, List.of(0))
                    .all()
                    .sink(new Sink.Aggregate(List.of(), StarJoinTest.calls(FACT.size() + 2)));
            QueryPlan plan = plans.result();
            assertThat(devices.refusal(plan, 0)).isEqualTo("the device makes join tables of keys and groups alone");
            devices.check("sums of its columns", plan, true, fact, dimension);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cuMemAllocFromPoolAsync",
                "cuMemcpyHtoDAsync",
                "cuMemcpyDtoHAsync",
                "cuMemsetD8Async",
                "cuLaunchKernel",
                "cuStreamSynchronize",
                "cuStreamCreate",
                "cuEventRecord"
            })
    void theAnswerIsTheCpusWhicheverCallFails(String call) {
        Random random = new Random(SEED);
        Shape shape = new Shape(300, 1, 1, 0.1, false, DataType.INT32);
        TestTable dimension = dimension(shape, random);
        TestTable fact = fact(600, shape, random);
        QueryPlan plan = plan(JoinKind.INNER, fact, dimension, 0, true, List.of(0, 2));
        int calls;
        try (TwoDevices devices = TwoDevices.throughTheDriver(0)) {
            int opening = FakeDriver.calls(call);
            devices.check("all well", plan, true, fact, dimension);
            calls = FakeDriver.calls(call) - opening;
        }
        assertThat(calls).isPositive();
        for (int code : new int[] {OUT_OF_MEMORY, ILLEGAL_ADDRESS}) {
            for (int failing = 0; failing < calls; failing++) {
                String what = call + ", time " + failing + ", code " + code;
                try (TwoDevices devices = TwoDevices.throughTheDriver(0)) {
                    FakeDriver.fail(call, code, failing);
                    devices.check(what, plan, false, fact, dimension);
                    devices.check(what + ", afterwards", plan, false, fact, dimension);
                }
            }
        }
    }
}
