package dev.quarrel.core.cpu.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.cpu.PlanBuilder;
import dev.quarrel.core.cpu.PlanRunner;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.cpu.number.Int128;
import dev.quarrel.core.cpu.number.NumericMath;
import dev.quarrel.core.cpu.number.WideNumber;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.core.type.ValueOrder;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.LongBinaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Grouping against a row-by-row oracle: key types, all aggregates, NULLs, filters, tile sizes and threads.
class AggregateTest {
    private static final DataType DECIMAL = new DataType.Decimal(12, 2);
    private static final DataType WIDE = new DataType.Decimal(38, 3);
    private static final int[][] CONFIGURATIONS = {{1, 2048}, {1, 1}, {3, 7}, {4, 64}};
    private static final List<DataType> ARGUMENTS = List.of(
            DataType.BOOL,
            DataType.INT16,
            DataType.INT32,
            DataType.INT64,
            DataType.FLOAT32,
            DataType.FLOAT64,
            DECIMAL,
            WIDE,
            DataType.NUMERIC,
            DataType.DATE,
            DataType.TIMESTAMPTZ,
            DataType.UTF8,
            DataType.UUID,
            DataType.BINARY,
            DataType.TIME);

    static Stream<List<DataType>> keys() {
        return Stream.of(
                List.of(),
                List.of(DataType.INT32),
                List.of(DataType.INT64),
                List.of(DataType.UTF8),
                List.of(DataType.UUID),
                List.of(DataType.BINARY),
                List.of(DataType.UUID, DataType.BINARY, DataType.INT32),
                List.of(DataType.TIME),
                List.of(DataType.TIME, DataType.UUID),
                List.of(DataType.FLOAT64),
                List.of(DataType.FLOAT32),
                List.of(DECIMAL),
                List.of(WIDE),
                List.of(DataType.NUMERIC),
                List.of(DataType.BOOL, DataType.DATE),
                List.of(DataType.INT32, DataType.UTF8, DataType.INT16),
                List.of(DataType.INT64, DataType.INT64, DataType.NUMERIC),
                List.of(DataType.UTF8, DataType.UTF8, DataType.INT64));
    }

    @ParameterizedTest
    @MethodSource("keys")
    void agreesWithOneRowAtATime(List<DataType> keyTypes) {
        long seed = 7 + keyTypes.hashCode();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        List<DataType> types = new ArrayList<>(keyTypes);
        types.addAll(ARGUMENTS);
        List<AggregateCall> calls = calls(keyTypes.size(), types);
        for (int domain : new int[] {4, 60_000}) {
            for (int rowCount : new int[] {0, 1, 400}) {
                List<List<Object>> rows = TestRows.random(types, rowCount, domain, 0.15, random);
                List<List<Object>> expected = oracle(keyTypes.size(), types, calls, rows);
                MemoryTable table = TestRows.table("t", types, rows, 90, 31, 64);
                for (int[] configuration : CONFIGURATIONS) {
                    try (PlanRunner runner = new PlanRunner(configuration[0], configuration[1])) {
                        QueryPlan plan = plan(table, keyTypes.size(), calls);
                        TestRows.assertSame(
                                TestRows.ordered(runner.rows(plan, table)),
                                expected,
                                "group by " + keyTypes + ", " + configuration[0] + " threads, tiles of "
                                        + configuration[1]);
                    }
                }
            }
        }
    }

    private static QueryPlan plan(MemoryTable table, int keyCount, List<AggregateCall> calls) {
        PlanBuilder plans = new PlanBuilder();
        int groups = plans.scan(table).all().sink(new Sink.Aggregate(PlanBuilder.range(0, keyCount), calls));
        return plans.rows(groups).all().result();
    }

    private static List<AggregateCall> calls(int keyCount, List<DataType> types) {
        List<AggregateCall> calls = new ArrayList<>();
        calls.add(new AggregateCall(AggregateKind.COUNT_STAR, -1, -1));
        for (int argument = 0; argument < ARGUMENTS.size(); argument++) {
            for (AggregateKind kind : AggregateKind.values()) {
                if (TestRows.takes(kind, ARGUMENTS.get(argument))) {
                    calls.add(TestRows.call(kind, keyCount + argument, argument % 3 == 1 ? keyCount : -1, types));
                }
            }
        }
        return calls;
    }

    private static List<List<Object>> oracle(
            int keyCount, List<DataType> types, List<AggregateCall> calls, List<List<Object>> rows) {
        Map<List<Object>, List<List<Object>>> groups = new LinkedHashMap<>();
        if (keyCount == 0) {
            groups.put(List.of(), new ArrayList<>());
        }
        for (List<Object> row : rows) {
            List<Object> key =
                    row.subList(0, keyCount).stream().map(TestRows::canonical).toList();
            groups.computeIfAbsent(key, _ -> new ArrayList<>()).add(row);
        }
        List<List<Object>> results = new ArrayList<>();
        groups.forEach((key, members) -> {
            List<Object> result = new ArrayList<>();
            for (int column = 0; column < keyCount; column++) {
                result.add(shown(members, column));
            }
            for (AggregateCall call : calls) {
                List<List<Object>> counted = members.stream()
                        .filter(row -> call.filter() < 0 || Boolean.TRUE.equals(row.get(call.filter())))
                        .toList();
                DataType argument = call.argument() < 0 ? null : types.get(call.argument());
                result.add(aggregate(call, argument, counted));
            }
            results.add(result);
        });
        return TestRows.ordered(results);
    }

    /// A group shows 0 for -0, and the most digits of equal numerics.
    private static Object shown(List<List<Object>> members, int column) {
        Object best = members.getFirst().get(column);
        for (List<Object> row : members) {
            if (row.get(column) instanceof BigDecimal number && number.scale() > ((BigDecimal) best).scale()) {
                best = number;
            }
        }
        return best instanceof BigDecimal ? best : TestRows.canonical(best);
    }

    private static Object aggregate(AggregateCall call, DataType type, List<List<Object>> rows) {
        if (call.kind() == AggregateKind.COUNT_STAR) {
            return (long) rows.size();
        }
        List<Object> values = rows.stream()
                .map(row -> row.get(call.argument()))
                .filter(Objects::nonNull)
                .toList();
        if (call.kind() == AggregateKind.COUNT) {
            return (long) values.size();
        }
        if (call.arguments().size() > 1) {
            return AggregateOracle.ofPairs(
                    call.kind(),
                    rows.stream()
                            .map(row -> call.arguments().stream().map(row::get).toList())
                            .filter(pair -> !pair.contains(null))
                            .toList());
        }
        if (values.isEmpty()) {
            return null;
        }
        return switch (call.kind()) {
            case SUM -> sum(type, values);
            case AVG -> average(type, values);
            case MIN -> extreme(values, -1);
            case MAX -> extreme(values, 1);
            case BOOL_AND -> values.stream().allMatch(Boolean.TRUE::equals);
            case BOOL_OR -> values.stream().anyMatch(Boolean.TRUE::equals);
            case BIT_AND -> bits(values, (one, other) -> one & other);
            case BIT_OR -> bits(values, (one, other) -> one | other);
            case BIT_XOR -> bits(values, (one, other) -> one ^ other);
            case VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP -> AggregateOracle.variance(call.kind(), values);
            default -> throw new IllegalStateException();
        };
    }

    private static Object bits(List<Object> values, LongBinaryOperator operator) {
        return values.stream().mapToLong(Long.class::cast).reduce(operator).orElseThrow();
    }

    static BigDecimal exact(List<?> values) {
        return values.stream()
                .map(value -> switch (value) {
                    case Long number -> BigDecimal.valueOf(number);
                    case Float number -> new BigDecimal(number);
                    case Double number -> new BigDecimal(number);
                    default -> (BigDecimal) value;
                })
                .reduce(BigDecimal::add)
                .orElseThrow();
    }

    private static Object sum(DataType type, List<Object> values) {
        return switch (type) {
            case DataType.Int16 _, DataType.Int32 _ -> exact(values).longValueExact();
            case DataType.Float32 _ ->
                values.contains(Float.NaN)
                        ? Float.NaN
                        : allNegativeZero(values)
                                ? (Object) (-0f)
                                : exact(values).floatValue();
            case DataType.Float64 _ -> doubleSum(values);
            default -> exact(values);
        };
    }

    private static boolean allNegativeZero(List<Object> values) {
        return values.stream().allMatch(value -> value.equals(-0f) || value.equals(-0.0));
    }

    static double doubleSum(List<Object> values) {
        if (values.contains(Double.NaN) || values.contains(Float.NaN)) {
            return Double.NaN;
        }
        return allNegativeZero(values) ? -0.0 : exact(values).doubleValue();
    }

    private static Object average(DataType type, List<Object> values) {
        if (type instanceof DataType.Float32 || type instanceof DataType.Float64) {
            return doubleSum(values) / values.size();
        }
        BigDecimal sum = exact(values);
        BigInteger unscaled = sum.unscaledValue();
        WideNumber quotient = new WideNumber();
        int scale = NumericMath.divide(
                unscaled.shiftRight(64).longValue(), unscaled.longValue(), sum.scale(), 0, values.size(), 0, quotient);
        return new BigDecimal(Int128.toBigInteger(quotient.high(), quotient.low()), scale);
    }

    private static Object extreme(List<Object> values, int sign) {
        return values.stream()
                .max((one, other) -> {
                    int order = order(one, other);
                    return order != 0 ? sign * order : scale(one) - scale(other);
                })
                .orElseThrow();
    }

    private static int scale(Object value) {
        return value instanceof BigDecimal number ? number.scale() : 0;
    }

    private static int order(Object one, Object other) {
        return switch (one) {
            case Float number -> Float.compare(number, (Float) other);
            case Double number -> Double.compare(number, (Double) other);
            default -> ValueOrder.compare(one, other);
        };
    }

    @Test
    void sumsOfFloatsAreExactWhateverTheOrder() {
        long seed = 11;
        Random random = new Random(seed);
        for (int round = 0; round < 20; round++) {
            List<List<Object>> rows = new ArrayList<>();
            for (int row = 0; row < 500; row++) {
                int exponent = round % 4 == 0 ? random.nextInt(1900) - 1000 : random.nextInt(80 * (round % 4)) - 40;
                rows.add(TestRows.row((long) random.nextInt(3), (random.nextDouble() - 0.5) * Math.pow(2, exponent)));
            }
            rows.add(TestRows.row(1L, Double.MIN_VALUE));
            Map<Object, BigDecimal> expected = new HashMap<>();
            rows.forEach(row -> expected.merge(row.get(0), new BigDecimal((Double) row.get(1)), BigDecimal::add));
            for (int[] configuration : CONFIGURATIONS) {
                Collections.shuffle(rows, random);
                MemoryTable table = TestRows.table("t", List.of(DataType.INT64, DataType.FLOAT64), rows, 60);
                try (PlanRunner runner = new PlanRunner(configuration[0], configuration[1])) {
                    QueryPlan plan = plan(table, 1, List.of(new AggregateCall(AggregateKind.SUM, 1, -1)));
                    for (List<Object> row : runner.rows(plan, table)) {
                        assertThat(row.get(1))
                                .isEqualTo(expected.get(row.get(0)).doubleValue());
                    }
                }
            }
        }
    }

    @Test
    void momentsAreExactWhateverTheOrder() {
        long seed = 13;
        Random random = new Random(seed);
        List<DataType> types = List.of(DataType.INT64, DataType.FLOAT64, DataType.FLOAT64);
        List<AggregateCall> calls = new ArrayList<>();
        for (AggregateKind kind : AggregateKind.values()) {
            if (TestRows.takes(kind, DataType.FLOAT64)) {
                calls.add(
                        kind.argumentCount() == 1
                                ? new AggregateCall(kind, 2, -1)
                                : new AggregateCall(kind, List.of(2, 1), -1));
            }
        }
        for (int round = 0; round < 6; round++) {
            List<List<Object>> rows = new ArrayList<>();
            for (int row = 0; row < 300; row++) {
                int exponent = round % 3 == 0 ? random.nextInt(600) - 300 : random.nextInt(60 * (round % 3)) - 30;
                double x = (random.nextDouble() - 0.3) * Math.pow(2, exponent);
                rows.add(TestRows.row((long) random.nextInt(3), x, x * 3 + (random.nextDouble() - 0.5)));
            }
            List<List<Object>> expected = oracle(1, types, calls, rows);
            for (int[] configuration : CONFIGURATIONS) {
                Collections.shuffle(rows, random);
                MemoryTable table = TestRows.table("t", types, rows, 60);
                try (PlanRunner runner = new PlanRunner(configuration[0], configuration[1])) {
                    TestRows.assertSame(
                            TestRows.ordered(runner.rows(plan(table, 1, calls), table)), expected, "round " + round);
                }
            }
        }
    }

    @Test
    void variancesOfEdges() {
        assertThat(failure(DataType.FLOAT64, AggregateKind.VAR_POP, 1e200, 2e200))
                .isEqualTo(SqlState.NUMERIC_VALUE_OUT_OF_RANGE);
        BigDecimal much = new BigDecimal(BigInteger.TEN.pow(30));
        assertThat(failure(new DataType.Decimal(38, 0), AggregateKind.VAR_POP, much, BigDecimal.ZERO))
                .isEqualTo(SqlState.NUMERIC_VALUE_OUT_OF_RANGE);
        assertThat(failure(DataType.NUMERIC, AggregateKind.STDDEV_SAMP, much, much.add(BigDecimal.TWO)))
                .isEqualTo(SqlState.SUCCESSFUL_COMPLETION);
    }

    @Test
    void infinitiesAndOverflow() {
        assertThat(sumOf(1e308, 1e308, -1e308)).isEqualTo(1e308);
        assertThat(sumOf(Double.POSITIVE_INFINITY, -1.0)).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(sumOf(Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY)).isEqualTo(Double.NaN);
        assertThat(sumOf(Double.POSITIVE_INFINITY, Double.NaN)).isEqualTo(Double.NaN);
        assertThat(sumOf(-0.0, -0.0)).isEqualTo(-0.0);
        assertThat(sumOf(-0.0, 0.0)).isEqualTo(0.0);
        assertThat(sumOf(1e-320, -1e-320)).isEqualTo(0.0);
        assertThat(sumOf(Double.MAX_VALUE, Math.ulp(Double.MAX_VALUE) / 4)).isEqualTo(Double.MAX_VALUE);
        assertThat(failure(DataType.FLOAT64, AggregateKind.SUM, 1e308, 1e308))
                .isEqualTo(SqlState.NUMERIC_VALUE_OUT_OF_RANGE);
        assertThat(failure(DataType.FLOAT32, AggregateKind.SUM, 3e38f, 3e38f))
                .isEqualTo(SqlState.NUMERIC_VALUE_OUT_OF_RANGE);
    }

    private static Object sumOf(Object... values) {
        MemoryTable table = table(DataType.FLOAT64, values);
        try (PlanRunner runner = new PlanRunner(2, 2)) {
            QueryPlan plan = plan(table, 0, List.of(new AggregateCall(AggregateKind.SUM, 0, -1)));
            return runner.rows(plan, table).getFirst().getFirst();
        }
    }

    private static MemoryTable table(DataType type, Object... values) {
        return TestRows.table(
                "t", List.of(type), Arrays.stream(values).map(TestRows::row).toList(), 1);
    }

    private static SqlState failure(DataType type, AggregateKind kind, Object... values) {
        MemoryTable table = table(type, values);
        try (PlanRunner runner = new PlanRunner(2, 4)) {
            return runner.failure(
                    plan(table, 0, List.of(new AggregateCall(kind, 0, -1))), new MemoryBudget(1 << 20), table);
        }
    }

    @Test
    void sumsBeyond38DigitsFailAndThoseOnTheWayDoNot() {
        BigDecimal most = new BigDecimal(BigInteger.TEN.pow(38).subtract(BigInteger.ONE));
        DataType type = new DataType.Decimal(38, 0);
        assertThat(failure(type, AggregateKind.SUM, most, most)).isEqualTo(SqlState.NUMERIC_VALUE_OUT_OF_RANGE);
        assertThat(failure(type, AggregateKind.SUM, most, most, most, most.negate(), most.negate()))
                .isEqualTo(SqlState.SUCCESSFUL_COMPLETION);
        assertThat(failure(DataType.NUMERIC, AggregateKind.SUM, most, most))
                .isEqualTo(SqlState.NUMERIC_VALUE_OUT_OF_RANGE);
        assertThat(failure(DataType.NUMERIC, AggregateKind.SUM, most, most.movePointLeft(30), most.negate()))
                .isEqualTo(SqlState.SUCCESSFUL_COMPLETION);
    }

    @Test
    void singleValueTakesOneRow() {
        assertThat(failure(DataType.INT64, AggregateKind.SINGLE_VALUE, 1L, 2L))
                .isEqualTo(SqlState.CARDINALITY_VIOLATION);
        assertThat(failure(DataType.UTF8, AggregateKind.SINGLE_VALUE, "one", null))
                .isEqualTo(SqlState.CARDINALITY_VIOLATION);
        MemoryTable table = table(DataType.UTF8, "one");
        MemoryTable empty = table(DataType.UTF8);
        List<AggregateCall> calls = List.of(new AggregateCall(AggregateKind.SINGLE_VALUE, 0, -1));
        try (PlanRunner runner = new PlanRunner(2, 4)) {
            assertThat(runner.rows(plan(table, 0, calls), table)).containsExactly(TestRows.row("one"));
            assertThat(runner.rows(plan(empty, 0, calls), empty)).containsExactly(TestRows.row((Object) null));
        }
    }

    @Test
    void manyGroupsGrowTheIndexAndABudgetBoundsThem() {
        List<List<Object>> rows = new ArrayList<>();
        for (int row = 0; row < 60_000; row++) {
            rows.add(TestRows.row(row * 1_000_003L % 50_021, "k" + row % 50_021));
        }
        MemoryTable table = TestRows.table("t", List.of(DataType.INT64, DataType.UTF8), rows, 7000);
        List<AggregateCall> calls = List.of(new AggregateCall(AggregateKind.COUNT_STAR, -1, -1));
        try (PlanRunner runner = new PlanRunner(2, 2048)) {
            assertThat(runner.rows(plan(table, 1, calls), table)).hasSize(50_021);
            assertThat(runner.failure(plan(table, 2, calls), new MemoryBudget(1 << 20), table))
                    .isEqualTo(SqlState.OUT_OF_MEMORY);
        }
    }
}
