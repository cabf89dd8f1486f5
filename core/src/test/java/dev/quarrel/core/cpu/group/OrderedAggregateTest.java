package dev.quarrel.core.cpu.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.cpu.PlanBuilder;
import dev.quarrel.core.cpu.PlanRunner;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.cpu.number.IntervalMath;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.SqlState;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Aggregates that see their rows in an order, against lists that are sorted: threads, tile sizes, filters, NULLs.
public class OrderedAggregateTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    public static final List<DataType> TYPES = List.of(
            DataType.INT32, // 0, 1: keys
            DataType.UTF8,
            DataType.BOOL, // 2: filter
            DataType.UTF8, // 3: separator
            DataType.FLOAT64, // 4: fraction
            DataType.UTF8, // 5 and on: values
            DataType.INT16,
            DataType.INT64,
            DataType.FLOAT32,
            DataType.FLOAT64,
            new DataType.Decimal(12, 2),
            DataType.NUMERIC,
            DataType.DATE,
            DataType.BOOL, // 13
            DataType.UTF8, // 14: fractions
            DataType.BINARY, // 15
            DataType.TIMESTAMPTZ,
            DataType.TIME,
            DataType.INTERVAL,
            DataType.UUID);

    private static final String FRACTIONS = "{0.3,NULL,0,1}";

    public static List<AggregateCall> calls(Random random) {
        List<AggregateCall> calls = new ArrayList<>();
        calls.add(new AggregateCall(AggregateKind.COUNT_STAR, -1, -1));
        calls.add(new AggregateCall(AggregateKind.STRING_AGG, List.of(5, 3), -1));
        calls.add(new AggregateCall(AggregateKind.STRING_AGG, List.of(1, 5), 2, List.of(key(9, random))));
        calls.add(new AggregateCall(
                AggregateKind.STRING_AGG, List.of(5, 3), -1, List.of(key(11, random), key(5, random))));
        calls.add(new AggregateCall(AggregateKind.PERCENTILE_CONT, List.of(9, 4), 2, List.of(key(9, random))));
        calls.add(new AggregateCall(AggregateKind.ARRAY_AGG, List.of(5), -1));
        calls.add(new AggregateCall(AggregateKind.ARRAY_AGG, List.of(7), 2, List.of(key(5, random), key(7, random))));
        calls.add(new AggregateCall(AggregateKind.STRING_AGG, List.of(15, 15), -1, List.of(key(15, random))));
        calls.add(new AggregateCall(AggregateKind.PERCENTILE_CONT, List.of(18, 4), 2, List.of(key(18, random))));
        calls.add(new AggregateCall(AggregateKind.PERCENTILES_CONT, List.of(18, 14), -1, List.of(key(18, random))));
        calls.add(new AggregateCall(AggregateKind.PERCENTILES_CONT, List.of(9, 14), -1, List.of(key(9, random))));
        for (int column = 5; column < TYPES.size(); column++) {
            if (column == 14) {
                continue;
            }
            calls.add(new AggregateCall(AggregateKind.ARRAY_AGG, List.of(column), 2, List.of(key(column, random))));
            calls.add(new AggregateCall(
                    AggregateKind.PERCENTILES_DISC, List.of(column, 14), -1, List.of(key(column, random))));
            calls.add(new AggregateCall(
                    AggregateKind.PERCENTILE_DISC, List.of(column, 4), -1, List.of(key(column, random))));
            calls.add(new AggregateCall(AggregateKind.MODE, List.of(column), -1, List.of(key(column, random))));
            calls.add(new AggregateCall(AggregateKind.ANY_VALUE, List.of(column), 2));
            calls.add(new AggregateCall(AggregateKind.ANY_VALUE, List.of(column), -1, List.of(key(6, random))));
        }
        return calls;
    }

    private static SortKey key(int column, Random random) {
        return new SortKey(column, random.nextBoolean(), random.nextBoolean());
    }

    public static List<List<Object>> rows(int rowCount, int domain, Random random) {
        List<List<Object>> rows = TestRows.random(TYPES, rowCount, domain, 0.15, random);
        rows.forEach(row -> row.set(4, 0.3)); // a fraction is the group's
        rows.forEach(row -> row.set(14, FRACTIONS));
        return rows;
    }

    @Test
    void agreesWithSortedLists() {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        for (int rowCount : new int[] {0, 1, 65, 700}) {
            for (int keyCount = 0; keyCount <= 2; keyCount++) {
                List<AggregateCall> calls = calls(random);
                List<List<Object>> rows = rows(rowCount, 6, random);
                MemoryTable table = TestRows.table("t", TYPES, rows, 90, 31, 64);
                PlanBuilder plans = new PlanBuilder();
                int groups = plans.scan(table).all().sink(new Sink.Aggregate(PlanBuilder.range(0, keyCount), calls));
                QueryPlan plan = plans.rows(groups).all().result();
                List<List<Object>> expected = TestRows.ordered(oracle(keyCount, calls, rows));
                for (int[] configuration : new int[][] {{1, 2048}, {1, 1}, {3, 7}, {4, 64}}) {
                    try (PlanRunner runner = new PlanRunner(configuration[0], configuration[1])) {
                        TestRows.assertSame(
                                TestRows.ordered(runner.rows(plan, table)),
                                expected,
                                rowCount + " rows, " + keyCount + " keys, " + configuration[0] + " threads");
                    }
                }
            }
        }
    }

    /// So many rows that several threads pick the values, where they are.
    @Test
    void percentilesOfManyRows() {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        List<AggregateCall> calls = new ArrayList<>();
        for (int column : new int[] {6, 7, 9, 12, 16}) {
            calls.add(new AggregateCall(
                    AggregateKind.PERCENTILES_DISC, List.of(column, 14), -1, List.of(key(column, random))));
            calls.add(new AggregateCall(
                    AggregateKind.PERCENTILE_DISC, List.of(column, 4), 2, List.of(key(column, random))));
        }
        for (boolean descending : new boolean[] {false, true}) {
            SortKey key = new SortKey(9, descending, false);
            calls.add(new AggregateCall(AggregateKind.PERCENTILE_CONT, List.of(9, 4), -1, List.of(key)));
            calls.add(new AggregateCall(AggregateKind.PERCENTILES_CONT, List.of(9, 14), 2, List.of(key)));
        }
        for (boolean hasNegativeZero : new boolean[] {false, true}) {
            for (int domain : new int[] {3, 300}) {
                List<List<Object>> rows = rows(50_000, domain, random);
                if (!hasNegativeZero) {
                    rows.forEach(
                            row -> row.set(9, Double.valueOf(-0.0).equals(row.get(9)) ? (Object) 0.0 : row.get(9)));
                }
                MemoryTable table = TestRows.table("t", TYPES, rows, 5000);
                for (int keyCount = 0; keyCount <= 1; keyCount++) {
                    PlanBuilder plans = new PlanBuilder();
                    int groups =
                            plans.scan(table).all().sink(new Sink.Aggregate(PlanBuilder.range(0, keyCount), calls));
                    QueryPlan plan = plans.rows(groups).all().result();
                    List<List<Object>> expected = TestRows.ordered(oracle(keyCount, calls, rows));
                    for (int threads : new int[] {1, 3}) {
                        try (PlanRunner runner = new PlanRunner(threads, 1024)) {
                            TestRows.assertSame(
                                    TestRows.ordered(runner.rows(plan, table)),
                                    expected,
                                    domain + " values, " + keyCount + " keys, " + threads + " threads");
                        }
                    }
                }
            }
        }
    }

    @Test
    void aGroupThatMemoryDoesNotHoldIsAnError() {
        List<List<Object>> rows = rows(20_000, 1000, new Random(SEED));
        MemoryTable table = TestRows.table("t", TYPES, rows, 5000);
        PlanBuilder plans = new PlanBuilder();
        int groups = plans.scan(table)
                .all()
                .sink(new Sink.Aggregate(
                        List.of(), List.of(new AggregateCall(AggregateKind.STRING_AGG, List.of(5, 3), -1))));
        QueryPlan plan = plans.rows(groups).all().result();
        for (int threads : new int[] {1, 3}) {
            try (PlanRunner runner = new PlanRunner(threads, 512)) {
                assertThat(runner.failure(plan, new MemoryBudget(400_000), table))
                        .isEqualTo(SqlState.OUT_OF_MEMORY);
            }
        }
    }

    private static List<List<Object>> oracle(int keyCount, List<AggregateCall> calls, List<List<Object>> rows) {
        Map<List<Object>, List<List<Object>>> groups = new LinkedHashMap<>();
        if (keyCount == 0) {
            groups.put(List.of(), new ArrayList<>());
        }
        rows.forEach(row -> groups.computeIfAbsent(new ArrayList<>(row.subList(0, keyCount)), _ -> new ArrayList<>())
                .add(row));
        List<List<Object>> results = new ArrayList<>();
        groups.forEach((key, members) -> {
            List<Object> result = new ArrayList<>(key);
            calls.forEach(call -> result.add(aggregate(call, members)));
            results.add(result);
        });
        return results;
    }

    private static Object aggregate(AggregateCall call, List<List<Object>> members) {
        List<List<Object>> rows = members.stream()
                .filter(row -> call.filter() < 0 || Boolean.TRUE.equals(row.get(call.filter())))
                .filter(row -> call.argument() < 0
                        || call.kind() == AggregateKind.ARRAY_AGG
                        || row.get(call.argument()) != null)
                .sorted(order(call.order()))
                .toList();
        if (call.kind() == AggregateKind.COUNT_STAR) {
            return (long) rows.size();
        }
        if (rows.isEmpty()) {
            return null;
        }
        List<Object> values = rows.stream().map(row -> row.get(call.argument())).toList();
        return switch (call.kind()) {
            case STRING_AGG -> {
                if (values.getFirst() instanceof Bytes) {
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    for (List<Object> row : rows) {
                        Bytes separator = (Bytes) row.get(call.arguments().get(1));
                        bytes.writeBytes(
                                row == rows.getFirst() || separator == null ? new byte[0] : separator.toArray());
                        bytes.writeBytes(((Bytes) row.get(call.argument())).toArray());
                    }
                    yield Bytes.of(bytes.toByteArray());
                }
                StringBuilder text = new StringBuilder();
                for (List<Object> row : rows) {
                    Object separator = row.get(call.arguments().get(1));
                    text.append(row == rows.getFirst() || separator == null ? "" : separator);
                    text.append(row.get(call.argument()));
                }
                yield text.toString();
            }
            case ARRAY_AGG -> array(TYPES.get(call.argument()), values);
            case ANY_VALUE -> values.getFirst();
            case PERCENTILE_DISC -> picked(values, 0.3);
            case PERCENTILE_CONT -> between(values, 0.3);
            case PERCENTILES_DISC ->
                array(
                        TYPES.get(call.argument()),
                        Arrays.asList(picked(values, 0.3), null, picked(values, 0), picked(values, 1)));
            case PERCENTILES_CONT ->
                array(
                        TYPES.get(call.argument()),
                        Arrays.asList(between(values, 0.3), null, between(values, 0), between(values, 1)));
            case MODE -> {
                Object best = null;
                long most = 0;
                for (Object value : values) {
                    long count = values.stream()
                            .filter(other -> TestRows.canonical(other).equals(TestRows.canonical(value)))
                            .count();
                    if (count > most) {
                        most = count;
                        best = value;
                    }
                }
                yield best;
            }
            default -> throw new IllegalStateException();
        };
    }

    private static String array(DataType type, List<Object> values) {
        return ArrayText.format(values.stream()
                .map(value -> value == null ? null : PgText.text(new Literal(type, value)))
                .toList());
    }

    private static Object picked(List<Object> values, double fraction) {
        return values.get(Math.max(0, (int) Math.ceil(fraction * values.size()) - 1));
    }

    private static Object between(List<Object> values, double fraction) {
        double place = fraction * (values.size() - 1);
        double part = place - Math.floor(place);
        Object low = values.get((int) Math.floor(place));
        Object high = values.get((int) Math.ceil(place));
        if (part == 0) {
            return low;
        }
        if (low instanceof Double number) {
            return number + part * ((Double) high - number);
        }
        IntervalMath span = new IntervalMath();
        IntervalMath lower = new IntervalMath();
        span.set(((Interval) high).calendar(), ((Interval) high).micros());
        lower.set(((Interval) low).calendar(), ((Interval) low).micros());
        span.subtract(lower);
        span.multiply(part);
        span.add(lower);
        return Interval.of(span.calendar(), span.micros);
    }

    private static Comparator<List<Object>> order(List<SortKey> keys) {
        return (one, other) -> {
            for (SortKey key : keys) {
                Object a = one.get(key.output());
                Object b = other.get(key.output());
                if (a == null && b == null) {
                    continue;
                }
                if (a == null || b == null) {
                    return (a == null) == key.nullsFirst() ? -1 : 1;
                }
                int order = TestRows.compare(TestRows.canonical(a), TestRows.canonical(b));
                if (order != 0) {
                    return key.descending() ? -order : order;
                }
            }
            return 0;
        };
    }
}
