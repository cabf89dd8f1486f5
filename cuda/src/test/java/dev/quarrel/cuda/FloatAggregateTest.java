package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Sums, variances, regressions and extremes of floats: the CPU's bits, whatever values are added up and in what order.
class FloatAggregateTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final List<DataType> TYPES =
            List.of(DataType.FLOAT64, DataType.FLOAT32, DataType.FLOAT64, DataType.UTF8, DataType.BOOL);
    private static final int[] ROW_COUNTS = {1, 33, 257, 1000};
    private static final double[] NULLS = {0, 0.3};

    /// What the values of a table are like.
    private enum Kind {
        PRICES,
        UNIT,
        ALL_EXPONENTS,
        TINY,
        SPECIAL,
        NEGATIVE_ZERO,
        CANCELLING
    }

    private static double value(Kind kind, Random random) {
        return switch (kind) {
            case PRICES -> random.nextInt(-100_000, 1_000_000) / 100.0;
            case UNIT -> random.nextDouble() - 0.5;
            case ALL_EXPONENTS -> Math.scalb(random.nextDouble() - 0.5, random.nextInt(-1060, 1000));
            case TINY -> Math.scalb(random.nextDouble() - 0.5, random.nextInt(-1074, -1000));
            case SPECIAL ->
                switch (random.nextInt(60)) {
                    case 0 -> Double.NaN;
                    case 1 -> Double.POSITIVE_INFINITY;
                    case 2 -> Double.NEGATIVE_INFINITY;
                    case 3 -> -0.0;
                    case 4 -> Double.MIN_VALUE;
                    case 5 -> 1e200;
                    default -> random.nextGaussian();
                };
            case NEGATIVE_ZERO -> random.nextInt(400) == 0 ? 0.0 : -0.0;
            case CANCELLING -> {
                double magnitude = random.nextInt(3) == 0 ? 1e16 : 1.0;
                yield random.nextBoolean() ? magnitude : -magnitude;
            }
        };
    }

    private static TestTable table(Kind kind, int rows, double nulls, Random random) {
        List<List<Object>> columns = new ArrayList<>();
        List<Supplier<Object>> makers = List.of(
                () -> value(kind, random),
                () -> (float) value(kind, random),
                () -> value(kind, random),
                () -> "text " + random.nextInt(random.nextBoolean() ? 3 : 40),
                random::nextBoolean);
        for (Supplier<Object> maker : makers) {
            List<Object> values = new ArrayList<>();
            for (int row = 0; row < rows; row++) {
                values.add(random.nextDouble() < nulls ? null : maker.get());
            }
            columns.add(values);
        }
        return new TestTable("t", TYPES, columns, 300, 77);
    }

    private static AggregateCall call(AggregateKind kind, int column, int filter) {
        return new AggregateCall(kind, column, filter);
    }

    private static List<AggregateCall> sums() {
        return List.of(
                call(AggregateKind.COUNT_STAR, -1, -1),
                call(AggregateKind.SUM, 0, -1),
                call(AggregateKind.AVG, 0, -1),
                call(AggregateKind.SUM, 0, 4),
                call(AggregateKind.SUM, 1, -1),
                call(AggregateKind.AVG, 1, 4),
                call(AggregateKind.SUM, 2, -1));
    }

    private static List<AggregateCall> extremes() {
        return List.of(
                call(AggregateKind.MIN, 0, -1),
                call(AggregateKind.MAX, 0, 4),
                call(AggregateKind.MIN, 1, -1),
                call(AggregateKind.MAX, 1, -1),
                call(AggregateKind.COUNT, 1, -1));
    }

    private static List<AggregateCall> variances() {
        return List.of(
                call(AggregateKind.VAR_SAMP, 0, -1),
                call(AggregateKind.SUM, 0, -1),
                call(AggregateKind.STDDEV_POP, 1, -1),
                call(AggregateKind.VAR_POP, 0, -1),
                call(AggregateKind.STDDEV_SAMP, 2, 4));
    }

    private static List<AggregateCall> pairs() {
        List<AggregateCall> calls = new ArrayList<>();
        for (AggregateKind kind : AggregateKind.values()) {
            boolean isPair =
                    kind.name().startsWith("REGR_") || kind.name().startsWith("COVAR_") || kind == AggregateKind.CORR;
            if (isPair) {
                calls.add(new AggregateCall(kind, List.of(0, 2), calls.size() % 3 == 2 ? 4 : -1));
            }
        }
        return calls;
    }

    static Stream<Long> schedules() {
        return Stream.of(1L, SEED);
    }

    private static QueryPlan plan(TestTable table, List<Integer> keys, List<AggregateCall> calls) {
        Plans plans = new Plans();
        plans.scan(table).all().sink(new Sink.Aggregate(keys, calls));
        return plans.result();
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void sumsAndExtremes(long schedule) {
        run(schedule, List.of(sums(), extremes()), false);
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void variancesAndRegressions(long schedule) {
        run(schedule, List.of(variances(), pairs()), true);
    }

    private static void run(long schedule, List<List<AggregateCall>> calls, boolean mayOverflow) {
        Random random = new Random(SEED);
        try (TwoDevices devices = TwoDevices.open(schedule)) {
            for (Kind kind : Kind.values()) {
                for (int rows : ROW_COUNTS) {
                    for (double nulls : NULLS) {
                        TestTable table = table(kind, rows, nulls, random);
                        for (List<Integer> keys : List.of(List.<Integer>of(), List.of(3), List.of(4, 3))) {
                            for (List<AggregateCall> some : calls) {
                                QueryPlan plan = plan(table, keys, some);
                                assertThat(devices.refusal(plan, 0)).isNull();
                                String what = kind + " rows " + rows + " nulls " + nulls + " keys " + keys + " " + some;
                                devices.check(what, plan, rows > 0 && nulls < 1 && !mayOverflow, table);
                            }
                        }
                    }
                }
            }
        }
    }
}
