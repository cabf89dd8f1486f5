package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.Arithmetic;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Relation;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.TypeClass;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.StoredRange;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.column.ColumnUpload;
import dev.quarrel.cuda.facts.PipelineFacts;
import dev.quarrel.cuda.vm.ColumnForm;
import dev.quarrel.cuda.vm.Physical;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Integers in fewer bytes than their types have: the answers are the CPU's.
class NarrowColumnTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final DataType DECIMAL = new DataType.Decimal(12, 2);

    /// Values of a column.
    ///
    /// @param physical how they lie on the device
    private record Span(DataType type, long least, long greatest, Physical physical) {
        Object value(long number) {
            return type instanceof DataType.Decimal(int _, int scale) ? BigDecimal.valueOf(number, scale) : number;
        }

        Object random(Random random) {
            return value(
                    switch (random.nextInt(12)) {
                        case 0 -> least;
                        case 1 -> greatest;
                        default -> greatest == Long.MAX_VALUE ? greatest : random.nextLong(least, greatest + 1);
                    });
        }

        Opcode opcode(Relation relation) {
            return Opcode.comparison(relation, TypeClass.of(type));
        }

        Opcode opcode(Arithmetic operation) {
            return Opcode.arithmetic(operation, TypeClass.of(type)).orElseThrow();
        }

        boolean isNumber() {
            return type instanceof DataType.Int16
                    || type instanceof DataType.Int32
                    || type instanceof DataType.Int64
                    || type instanceof DataType.Decimal;
        }
    }

    static Stream<Span> spans() {
        return Stream.of(
                new Span(DataType.INT16, -128, 127, Physical.I8),
                new Span(DataType.INT16, 1000, 1255, Physical.I8),
                new Span(DataType.INT16, 1000, 1256, Physical.I16),
                new Span(DataType.INT16, -32768, 32767, Physical.I16),
                new Span(DataType.INT32, 7, 7, Physical.I8),
                new Span(DataType.INT32, 0, 128, Physical.I8),
                new Span(DataType.INT32, 0, 255, Physical.I8),
                new Span(DataType.INT32, 0, 256, Physical.I16),
                new Span(DataType.INT32, -70_000, -69_745, Physical.I8),
                new Span(DataType.INT32, Integer.MIN_VALUE, Integer.MIN_VALUE + 255, Physical.I8),
                new Span(DataType.INT32, Integer.MAX_VALUE - 255, Integer.MAX_VALUE, Physical.I8),
                new Span(DataType.INT32, Integer.MAX_VALUE - 256, Integer.MAX_VALUE, Physical.I16),
                new Span(DataType.INT32, 19_920_101, 19_981_231, Physical.I16),
                new Span(DataType.INT32, 0, 65_535, Physical.I16),
                new Span(DataType.INT32, 0, 65_536, Physical.I24),
                new Span(DataType.INT32, -8_388_608, 8_388_607, Physical.I24),
                new Span(DataType.INT32, 90_000, 10_494_950, Physical.I24),
                new Span(DataType.INT32, Integer.MIN_VALUE, Integer.MIN_VALUE + (1 << 24) - 1, Physical.I24),
                new Span(DataType.INT32, 0, 1 << 24, Physical.I32),
                new Span(DataType.DATE, 10_000, 10_255, Physical.I8),
                new Span(DataType.DATE, -40_000, 20_000, Physical.I16),
                new Span(DataType.INT64, -1, 254, Physical.I8),
                new Span(DataType.INT64, 1L << 40, (1L << 40) + 65_535, Physical.I16),
                new Span(DataType.INT64, 1L << 40, (1L << 40) + 65_536, Physical.I24),
                new Span(DataType.INT64, 1L << 40, (1L << 40) + (1 << 24), Physical.I32),
                new Span(DataType.INT64, -(1L << 31), (1L << 31) - 1, Physical.I32),
                new Span(DataType.INT64, 0, (1L << 32) - 1, Physical.I32),
                new Span(DataType.INT64, 0, 1L << 32, Physical.I64),
                new Span(DataType.INT64, Long.MIN_VALUE, Long.MIN_VALUE + 300, Physical.I16),
                new Span(DataType.INT64, Long.MAX_VALUE - 300, Long.MAX_VALUE - 1, Physical.I64),
                new Span(DataType.INT64, Long.MIN_VALUE, Long.MAX_VALUE, Physical.I64),
                new Span(DataType.TIME, 43_200_000_000L, 43_200_000_200L, Physical.I8),
                new Span(DataType.TIMESTAMP, 1_700_000_000_000_000L, 1_700_000_000_070_000L, Physical.I24),
                new Span(DECIMAL, -50, 200, Physical.I8),
                new Span(DECIMAL, 0, 10_494_950, Physical.I24),
                new Span(DECIMAL, 0, 1L << 30, Physical.I32),
                new Span(DECIMAL, 0, 999_999_999_999L, Physical.I64));
    }

    private static final List<int[]> BATCHES =
            List.of(new int[] {256, 512}, new int[] {1, 255, 257, 1000}, new int[] {7, 300}, new int[] {1500});

    private static TestTable table(Span span, int rows, double nulls, int[] batchRows, Random random) {
        List<Object> values = new ArrayList<>();
        List<Object> groups = new ArrayList<>();
        for (int row = 0; row < rows; row++) {
            values.add(
                    random.nextDouble() < nulls
                            ? null
                            : row == 1
                                    ? span.value(span.least())
                                    : row == 2 ? span.value(span.greatest()) : span.random(random));
            groups.add((long) random.nextInt(3));
        }
        return new TestTable("t", List.of(span.type(), DataType.INT32), List.of(values, groups), batchRows);
    }

    @ParameterizedTest
    @MethodSource("spans")
    void theAnswerIsThatOfTheCpu(Span span) {
        Random random = new Random(SEED);
        for (long schedule : new long[] {0, SEED}) {
            try (TwoDevices devices = TwoDevices.open(schedule)) {
                for (double nulls : new double[] {0, 0.2}) {
                    int[] batchRows = BATCHES.get(random.nextInt(BATCHES.size()));
                    TestTable table = table(span, 1700, nulls, batchRows, random);
                    if (nulls == 0) {
                        Physical plain = ColumnUpload.physical(span.type(), 0);
                        ColumnForm form = PipelineFacts.form(table, 0, plain);
                        assertThat(form.physical()).isEqualTo(span.physical());
                    }
                    for (int trial = 0; trial < 3; trial++) {
                        Object low = span.random(random);
                        Object high = span.random(random);
                        String what = span + ", nulls " + nulls + ", from " + low + " to " + high + ", seed " + SEED;
                        devices.check("range, " + what, range(table, span, low, high, trial), true, table);
                        checkJoins(devices, what, table, span, List.of(low, high));
                        devices.check("rows, " + what, rows(table, span, low), false, table);
                    }
                    if (span.isNumber()) {
                        devices.check("sums of " + span, arithmetic(table, span, random), true, table);
                    }
                    devices.check("groups of " + span, groups(table), true, table);
                }
            }
        }
    }

    private static List<AggregateCall> calls(Span span) {
        List<AggregateCall> calls = new ArrayList<>(List.of(
                new AggregateCall(AggregateKind.COUNT_STAR, -1, -1),
                new AggregateCall(AggregateKind.COUNT, 0, -1),
                new AggregateCall(AggregateKind.MIN, 0, -1),
                new AggregateCall(AggregateKind.MAX, 0, -1)));
        if (span.isNumber()) {
            calls.add(new AggregateCall(AggregateKind.SUM, 0, -1));
        }
        return calls;
    }

    /// Rows within a range; the values are needed again, or (in trial 1) not.
    private static QueryPlan range(TestTable table, Span span, Object low, Object high, int trial) {
        Plans plans = new Plans();
        int from = plans.constant(span.type(), low);
        int to = plans.constant(span.type(), high);
        Relation relation = trial == 0 ? Relation.GE : Relation.GT;
        plans.scan(table)
                .program(code -> {
                    int value = code.load(0, 0);
                    int isEnough = code.value(
                            span.opcode(relation), DataType.BOOL, 0, 0, value, code.constant(from, span.type(), 0));
                    int first = code.mask(Opcode.MASK_TRUE, 0, isEnough);
                    int isLittle = code.value(
                            span.opcode(trial == 2 ? Relation.LT : Relation.LE),
                            DataType.BOOL,
                            first,
                            0,
                            value,
                            code.constant(to, span.type(), first));
                    int both = code.mask(Opcode.MASK_TRUE, first, isLittle);
                    return new Plans.Out(both, List.of(code.load(trial == 1 ? 1 : 0, both)));
                })
                .sink(new Sink.Aggregate(
                        List.of(), trial == 1 ? List.of(new AggregateCall(AggregateKind.SUM, 0, -1)) : calls(span)));
        return plans.result();
    }

    private static void checkJoins(
            TwoDevices devices, String what, TestTable table, Span span, List<Object> lowAndHigh) {
        if (span.type() instanceof DataType.Decimal) {
            return; // no kernel
        }
        List<Object> keys = lowAndHigh.stream().distinct().toList();
        List<Object> names = List.<Object>of(1L, 2L).subList(0, keys.size());
        TestTable dimension = new TestTable("d", List.of(span.type(), DataType.INT32), List.of(keys, names), 40);
        for (JoinKind kind : List.of(JoinKind.SEMI, JoinKind.INNER, JoinKind.ANTI, JoinKind.LEFT)) {
            Plans plans = new Plans();
            int build = StarJoinTest.build(plans, dimension);
            plans.scan(table)
                    .all()
                    .join(kind, build, List.of(0))
                    .all()
                    .sink(new Sink.Aggregate(
                            List.of(kind.hasPayload() ? 2 : 1),
                            List.of(new AggregateCall(AggregateKind.COUNT_STAR, -1, -1))));
            devices.check(kind + " join, " + what, plans.result(), false, table, dimension);
        }
    }

    private static QueryPlan rows(TestTable table, Span span, Object low) {
        Plans plans = new Plans();
        int from = plans.constant(span.type(), low);
        plans.scan(table)
                .program(code -> {
                    int isEnough = code.value(
                            span.opcode(Relation.GE),
                            DataType.BOOL,
                            0,
                            0,
                            code.load(0, 0),
                            code.constant(from, span.type(), 0));
                    int mask = code.mask(Opcode.MASK_TRUE, 0, isEnough);
                    return new Plans.Out(mask, List.of(code.load(0, mask), code.load(1, mask)));
                })
                .sink(Plans.leaving(2, Sink.Bound.ZERO, Sink.Bound.NONE));
        return plans.result();
    }

    private static QueryPlan groups(TestTable table) {
        Plans plans = new Plans();
        plans.scan(table)
                .all()
                .sink(new Sink.Aggregate(List.of(0), List.of(new AggregateCall(AggregateKind.SUM, 1, -1))));
        return plans.result();
    }

    /// Sums and products that fit, or do not.
    private static QueryPlan arithmetic(TestTable table, Span span, Random random) {
        Plans plans = new Plans();
        int constant = plans.constant(span.type(), span.random(random));
        DataType product = span.type() instanceof DataType.Decimal ? new DataType.Decimal(24, 4) : span.type();
        plans.scan(table)
                .program(code -> {
                    int value = code.load(0, 0);
                    int other = code.constant(constant, span.type(), 0);
                    int sum = code.value(span.opcode(Arithmetic.SUB), span.type(), 0, 0, value, other);
                    int square = code.value(span.opcode(Arithmetic.MUL), product, 0, 0, sum, sum);
                    return new Plans.Out(ProgramBuilder.ALL_ROWS, List.of(sum, square));
                })
                .sink(new Sink.Aggregate(
                        List.of(),
                        List.of(
                                new AggregateCall(AggregateKind.SUM, 0, -1),
                                new AggregateCall(AggregateKind.SUM, 1, -1))));
        return plans.result();
    }

    /// Statistics that lie: what is outside them, in the width or beyond it, is found while it is copied.
    @Test
    void valuesOutsideOfStatisticsAreFound() {
        Random random = new Random(SEED);
        for (DataType type : List.of(DataType.INT16, DataType.INT32, DataType.INT64, DECIMAL)) {
            for (long beyond : new long[] {201, -1, 255, 256, 30_000}) {
                Span span = new Span(type, 0, 200, Physical.I8);
                List<Object> values = new ArrayList<>();
                List<Object> groups = new ArrayList<>();
                for (int row = 0; row < 1500; row++) {
                    values.add(row == 1203 ? span.value(beyond) : row % 50 == 0 ? null : span.random(random));
                    groups.add((long) random.nextInt(3));
                }
                TestTable table = new TestTable("t", List.of(type, DataType.INT32), List.of(values, groups), 100, 33);
                table.setStats(0, new ColumnStats(-1, span.value(0), span.value(200), -1));
                try (TwoDevices devices = TwoDevices.open(SEED)) {
                    String what = type + " with " + beyond;
                    devices.check(what, range(table, span, span.value(-5), span.value(100), 0), true, table);
                    devices.check("sums, " + what, arithmetic(table, span, random), true, table);
                    devices.check("groups, " + what, groups(table), true, table);
                    devices.check("rows, " + what, rows(table, span, span.value(3)), true, table);
                }
            }
        }
    }

    /// What stands in rows that are NULL need not be as statistics have it.
    @Test
    void theValuesOfNullsDoNotCount() {
        Random random = new Random(SEED);
        Span span = new Span(DataType.INT32, 1000, 1200, Physical.I8);
        TestTable table = table(span, 700, 0.5, new int[] {100, 33}, random); // NULL is 0
        try (TwoDevices devices = TwoDevices.open(SEED)) {
            devices.check("NULLs", groups(table), true, table);
            assertThat(table.stats().columns().getFirst().min()).isEqualTo(1000L);
        }
    }

    @Test
    void formsAreTheNarrowestThatHoldTheirBounds() {
        Random random = new Random(SEED);
        for (int trial = 0; trial < 20_000; trial++) {
            long least = random.nextLong() >> random.nextInt(64);
            long span = random.nextLong() >>> random.nextInt(64);
            if (span < 0 || least > Long.MAX_VALUE - span) {
                continue;
            }
            ColumnForm form = ColumnForm.of(new StoredRange(least, least + span), Physical.I64);
            if (form.physical() == Physical.I64) {
                assertThat(span >= 1L << 32 || least > Long.MAX_VALUE - (1L << 33))
                        .isTrue();
                continue;
            }
            long reach = 1L << 8 * form.physical().width() - 1;
            assertThat(least - form.base()).isBetween(-reach, reach - 1);
            assertThat(least + span - form.base()).isBetween(-reach, reach - 1);
            assertThat(form.physical().width() == 1
                            || span >= 1L << 8 * (form.physical().width() - 1)
                            || least > Long.MAX_VALUE - (1L << 25))
                    .isTrue();
        }
    }
}
