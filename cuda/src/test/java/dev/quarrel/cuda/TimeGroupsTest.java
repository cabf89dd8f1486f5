package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.DateField;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.cuda.encode.ProgramEncoder;
import dev.quarrel.cuda.facts.HopedFacts;
import dev.quarrel.cuda.vm.VmInstruction;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Groups by bins, units and dates of times: before 1970 and after, in their order, where a tile is of one group or of
/// some, and in none.
class TimeGroupsTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261129L);
    private static final DataType DECIMAL = new DataType.Decimal(15, 2);
    private static final List<DataType> TYPES =
            List.of(DataType.TIMESTAMP, DataType.INT64, DataType.FLOAT64, DECIMAL, DataType.INT32, DataType.BOOL);
    private static final int[] ROW_COUNTS = {1, 257, 1800};
    private static final long HOUR = 3_600 * CivilDate.MICROS_PER_SECOND;
    private static final long YEAR_2026 = 20_454 * CivilDate.MICROS_PER_DAY;

    /// Those of the narrow interpreters alone, and with those of the full one.
    private static final List<List<AggregateCall>> CALLS = List.of(
            List.of(
                    new AggregateCall(AggregateKind.COUNT_STAR, -1, -1),
                    new AggregateCall(AggregateKind.COUNT, 5, -1),
                    new AggregateCall(AggregateKind.SUM, 5, -1),
                    new AggregateCall(AggregateKind.MAX, 2, -1),
                    new AggregateCall(AggregateKind.SUM, 4, -1)),
            List.of(
                    new AggregateCall(AggregateKind.SUM, 2, -1),
                    new AggregateCall(AggregateKind.MIN, 2, -1),
                    new AggregateCall(AggregateKind.MAX, 3, -1),
                    new AggregateCall(AggregateKind.SUM, 3, -1),
                    new AggregateCall(AggregateKind.AVG, 4, -1),
                    new AggregateCall(AggregateKind.SUM, 5, -1),
                    new AggregateCall(AggregateKind.COUNT_STAR, -1, 6)));

    static Stream<Long> schedules() {
        return Stream.of(1L, SEED);
    }

    /// A group's time.
    private sealed interface Unit {
        record Bin(Interval length, long origin) implements Unit {}

        record Down(DateField field) implements Unit {}

        record Day() implements Unit {}
    }

    private static final List<Unit> UNITS = List.of(
            new Unit.Bin(new Interval(0, 0, HOUR), 0),
            new Unit.Bin(new Interval(0, 0, 7 * 60 * CivilDate.MICROS_PER_SECOND + 13), 5),
            new Unit.Bin(new Interval(0, 3, HOUR), YEAR_2026 + 17),
            new Unit.Down(DateField.MILLISECONDS),
            new Unit.Down(DateField.SECOND),
            new Unit.Down(DateField.MINUTE),
            new Unit.Down(DateField.HOUR),
            new Unit.Down(DateField.DAY),
            new Unit.Down(DateField.WEEK),
            new Unit.Down(DateField.MONTH),
            new Unit.Down(DateField.YEAR),
            new Unit.Day());

    private static TestTable table(int rows, long start, long span, boolean isSorted, double nulls, Random random) {
        List<Object> times = new ArrayList<>();
        for (int row = 0; row < rows; row++) {
            times.add(start + random.nextLong(span));
        }
        if (isSorted) {
            times.sort((one, other) -> Long.compare((Long) one, (Long) other));
        } else {
            Collections.shuffle(times, random);
        }
        List<List<Object>> columns = new ArrayList<>(List.of(times));
        for (DataType type : TYPES.subList(1, TYPES.size())) {
            List<Object> values = new ArrayList<>();
            for (int row = 0; row < rows; row++) {
                values.add(
                        switch (type) {
                            case DataType.Int64 _ ->
                                random.nextInt(8) == 0 ? random.nextLong() >> 2 : random.nextInt(90) - 45L;
                            case DataType.Float64 _ ->
                                random.nextInt(50) == 0 ? Double.NaN : random.nextGaussian() * 1e9;
                            case DataType.Decimal(int _, int scale) ->
                                BigDecimal.valueOf(random.nextLong() >> 20, scale);
                            case DataType.Bool _ -> random.nextBoolean();
                            default -> (long) random.nextInt(-1000, 1000);
                        });
            }
            columns.add(values);
        }
        for (List<Object> values : columns) {
            values.replaceAll(value -> random.nextDouble() < nulls ? null : value);
        }
        TestTable table = new TestTable("t", TYPES, columns, 640, 300, 77);
        table.keepBatchStats();
        return table;
    }

    private static QueryPlan plan(TestTable table, Unit unit, List<AggregateCall> calls) {
        Plans plans = new Plans();
        int length = unit instanceof Unit.Bin(Interval span, long _) ? plans.constant(DataType.INTERVAL, span) : -1;
        int origin = unit instanceof Unit.Bin(Interval _, long from) ? plans.constant(DataType.TIMESTAMP, from) : -1;
        plans.scan(table)
                .program(code -> {
                    int time = code.load(0, 0);
                    int group =
                            switch (unit) {
                                case Unit.Bin _ ->
                                    code.value(
                                            Opcode.BIN_TIMESTAMP,
                                            DataType.TIMESTAMP,
                                            0,
                                            0,
                                            code.constant(length, DataType.INTERVAL, 0),
                                            time,
                                            code.constant(origin, DataType.TIMESTAMP, 0));
                                case Unit.Down(DateField field) ->
                                    code.value(Opcode.TRUNC_TIMESTAMP, DataType.TIMESTAMP, 0, field.ordinal(), time);
                                case Unit.Day _ -> code.value(Opcode.CAST, DataType.DATE, 0, 0, time);
                            };
                    List<Integer> outputs = new ArrayList<>(List.of(group));
                    for (int input = 0; input < TYPES.size(); input++) {
                        outputs.add(code.load(input, 0));
                    }
                    return new Plans.Out(0, outputs);
                })
                .sink(new Sink.Aggregate(List.of(0), calls));
        return plans.result();
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void groups(long schedule) {
        Random random = new Random(SEED + schedule);
        try (TwoDevices devices = TwoDevices.open(schedule)) {
            for (int rows : ROW_COUNTS) {
                for (Unit unit : UNITS) {
                    long span = (schedule == 1 ? 400 : 1 + random.nextInt(40)) * CivilDate.MICROS_PER_DAY;
                    long start = random.nextBoolean() ? YEAR_2026 : -span / 2 + random.nextInt(1000);
                    boolean isSorted = random.nextInt(3) > 0;
                    double nulls = random.nextInt(3) == 0 ? 0.1 : 0;
                    TestTable table = table(rows, start, span, isSorted, nulls, random);
                    for (List<AggregateCall> calls : CALLS) {
                        QueryPlan plan = plan(table, unit, calls);
                        assertThat(devices.refusal(plan, 0)).isNull();
                        String what = "seed " + SEED + ": " + unit + " of " + rows + " rows from " + start + ", span "
                                + span + ", sorted " + isSorted + ", nulls " + nulls;
                        devices.check(what, plan, rows > 1, table);
                    }
                }
            }
        }
    }

    @Test
    void rowsInTheOrderOfTimeAreAddedUpFirst() {
        for (boolean isSorted : new boolean[] {false, true}) {
            TestTable table = table(2000, YEAR_2026, 1_000 * HOUR, isSorted, 0, new Random(SEED));
            QueryPlan plan = plan(table, UNITS.getFirst(), CALLS.getLast());
            Pipeline pipeline = plan.pipelines().getFirst();
            HopedFacts facts = new HopedFacts(plan, (Source.TableScan) pipeline.source(), table);
            List<VmInstruction> code =
                    ProgramEncoder.encode(pipeline, facts).program().code();
            assertThat(code.stream().anyMatch(instruction -> instruction.has(VmInstruction.CLUSTERED)))
                    .isEqualTo(isSorted);
        }
    }

    /// Of an infinite time, a length that rows have and one of months the CPU knows more.
    @Test
    void whatHasNoKernelRunsOnTheCpu() {
        List<List<Object>> columns = new ArrayList<>();
        columns.add(Arrays.asList(YEAR_2026, CivilDate.TIMESTAMP_INFINITY, null, CivilDate.TIMESTAMP_MINUS_INFINITY));
        columns.add(Arrays.asList(1L, 2L, 3L, 4L));
        columns.add(Arrays.asList(1.0, 2.0, 3.0, 4.0));
        columns.add(Arrays.asList(BigDecimal.ONE.setScale(2), null, null, null));
        columns.add(Arrays.asList(1L, 2L, 3L, 4L));
        columns.add(Arrays.asList(true, null, false, true));
        TestTable table = new TestTable("t", TYPES, columns, 4);
        try (TwoDevices devices = TwoDevices.open(0)) {
            for (Unit unit : UNITS.subList(0, UNITS.size() - 1)) {
                devices.check(unit.toString(), plan(table, unit, CALLS.getFirst()), false, table);
            }
            Unit months = new Unit.Bin(new Interval(1, 0, 0), 0);
            assertThat(devices.refusal(plan(table, months, CALLS.getFirst()), 0))
                    .isEqualTo("bin_timestamp has no CUDA kernel");
        }
    }
}
