package dev.quarrel.core.cpu.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.PlanBuilder;
import dev.quarrel.core.cpu.PlanRunner;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.spill.QuerySpill;
import dev.quarrel.core.spill.SpillFolder;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Groups so many that rows wait in partitions.
class PartitionedGroupsTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261130L);
    private static final int ROWS = 3_000;
    private static final int TILE_ROWS = 16; // so that a few hundred groups are many

    private static final List<DataType> ARGUMENTS = List.of(
            DataType.BOOL,
            DataType.INT32,
            DataType.INT64,
            DataType.FLOAT32,
            DataType.FLOAT64,
            new DataType.Decimal(12, 2),
            DataType.NUMERIC,
            DataType.UTF8,
            DataType.UUID,
            DataType.INTERVAL);

    @TempDir
    private Path folder;

    static Stream<List<DataType>> keys() {
        return Stream.of(
                List.of(DataType.INT32),
                List.of(DataType.INT64),
                List.of(DataType.UTF8),
                List.of(DataType.FLOAT64),
                List.of(DataType.NUMERIC),
                List.of(DataType.INTERVAL),
                List.of(DataType.FLOAT32, DataType.UUID),
                List.of(DataType.INT32, DataType.UTF8, DataType.INT16),
                List.of(DataType.INT64, DataType.INT64, DataType.NUMERIC));
    }

    /// The same groups as of one table, in memory and where little memory makes them spill.
    @ParameterizedTest
    @MethodSource("keys")
    void groupsAreThoseOfOneTable(List<DataType> keyTypes) {
        List<DataType> types = new ArrayList<>(keyTypes);
        types.addAll(ARGUMENTS);
        check(types, calls(keyTypes.size(), types), keyTypes.size(), ROWS, 1024, 24);
    }

    /// Several rows a group, which are grouped several times where memory is short.
    @Test
    void rowsWaitAgainAfterASpill() {
        List<DataType> types = List.of(DataType.INT64, DataType.UTF8, DataType.INT32, DataType.FLOAT64);
        List<AggregateCall> calls = List.of(
                new AggregateCall(AggregateKind.COUNT_STAR, -1, -1),
                new AggregateCall(AggregateKind.SUM, 2, -1),
                new AggregateCall(AggregateKind.AVG, 3, -1));
        check(types, calls, 1, 10 * ROWS, 1024, 2, 1);
        check(types, calls, 2, 10 * ROWS, 1024, 2, 1);
    }

    private void check(List<DataType> types, List<AggregateCall> calls, int keyCount, int rowCount, int... megabytes) {
        System.out.println("seed " + SEED);
        List<List<Object>> rows = TestRows.random(types, rowCount, 2_000, 0.02, new Random(SEED));
        MemoryTable table = TestRows.table("t", types, rows, rowCount / 7, rowCount / 5);
        PlanBuilder plans = new PlanBuilder();
        int groups = plans.scan(table).all().sink(new Sink.Aggregate(PlanBuilder.range(0, keyCount), calls));
        QueryPlan plan = plans.rows(groups).all().result();
        List<List<Object>> expected;
        try (PlanRunner runner = new PlanRunner(1, 4096)) {
            expected = comparable(runner.rows(plan, table));
        }
        for (int threads : new int[] {1, 3}) {
            for (int bound : megabytes) {
                TestRows.assertSame(
                        comparable(rows(plan, threads, bound, table)),
                        expected,
                        "by " + types.subList(0, keyCount) + ", " + threads + " threads, " + bound + " MB");
            }
        }
    }

    private List<List<Object>> rows(QueryPlan plan, int threads, int megabytes, MemoryTable table) {
        MemoryBudget budget = new MemoryBudget((long) megabytes << 20);
        List<List<Object>> rows = new ArrayList<>();
        try (PlanRunner runner = new PlanRunner(threads, TILE_ROWS);
                SpillFolder spills = SpillFolder.open(folder);
                ResultCursor cursor =
                        runner.start(plan, List.of(table), budget, new QuerySpill(spills, -1), new Cancellation())) {
            for (Batch batch = cursor.next(); batch != null; batch = cursor.next()) {
                rows.addAll(TestRows.rows(batch));
                batch.close();
            }
        }
        assertThat(budget.usedBytes()).isZero();
        return rows;
    }

    private static List<AggregateCall> calls(int keyCount, List<DataType> types) {
        List<AggregateCall> calls = new ArrayList<>();
        calls.add(new AggregateCall(AggregateKind.COUNT_STAR, -1, -1));
        calls.add(new AggregateCall(AggregateKind.COUNT, 0, -1)); // a key
        for (int argument = 0; argument < ARGUMENTS.size(); argument++) {
            for (AggregateKind kind : AggregateKind.values()) {
                if (TestRows.takes(kind, ARGUMENTS.get(argument))) {
                    calls.add(TestRows.call(kind, keyCount + argument, argument % 3 == 1 ? keyCount : -1, types));
                }
            }
        }
        return calls;
    }

    /// Rows in an order, where intervals that are equal have one form.
    private static List<List<Object>> comparable(List<List<Object>> rows) {
        return TestRows.ordered(rows.stream()
                .map(row -> {
                    List<Object> shown = new ArrayList<>(row);
                    shown.replaceAll(
                            value -> value instanceof Interval || value instanceof Float || value instanceof Double
                                    ? TestRows.canonical(value)
                                    : value);
                    return shown;
                })
                .toList());
    }

    /// Rows of keys in any order wait; not those whose keys come one behind the other, or are few.
    @Test
    void rowsWaitWhereTablesAreLarge() {
        Random random = new Random(SEED);
        assertThat(isPartitioned(_ -> random.nextInt())).isTrue();
        assertThat(isPartitioned(_ -> random.nextInt(2_000) * 1_000_003)).isTrue();
        assertThat(isPartitioned(row -> row / 5 * 1_000_003)).isFalse();
        assertThat(isPartitioned(_ -> random.nextInt(530) * 1_000_003)).isFalse();
        assertThat(isPartitioned(row -> row)).as("dense").isFalse();
    }

    private static boolean isPartitioned(IntUnaryOperator key) {
        List<List<Object>> rows = new ArrayList<>();
        for (int row = 0; row < ROWS; row++) {
            rows.add(TestRows.row((long) key.applyAsInt(row), 1L));
        }
        MemoryTable table = TestRows.table("t", List.of(DataType.INT32, DataType.INT32), rows, ROWS);
        PlanBuilder plans = new PlanBuilder();
        plans.scan(table)
                .all()
                .sink(new Sink.Aggregate(List.of(0), List.of(new AggregateCall(AggregateKind.SUM, 1, -1))));
        Pipeline pipeline = plans.plan().pipelines().getFirst();
        MemoryBudget budget = new MemoryBudget(1 << 26);
        boolean isPartitioned;
        try (AggregateSink sink = AggregateSink.ofRows(pipeline, TILE_ROWS, budget)) {
            BatchInput input = new BatchInput(pipeline.lastProgram().outputTypes(), TILE_ROWS);
            Mask all = new Mask(TILE_ROWS);
            all.setAll(TILE_ROWS);
            try (Batch batch = TestRows.batch(table.schema(), rows, 0)) {
                for (int first = 0; first + TILE_ROWS <= ROWS; first += TILE_ROWS) {
                    input.moveTo(batch, first, TILE_ROWS);
                    sink.consume(input::load, all);
                }
            }
            isPartitioned = sink.isPartitioned();
            assertThat(sink.groupCount() == 0).isFalse();
            int[] exported = new int[1];
            sink.exportTo(batch -> {
                exported[0] += batch.rowCount();
                batch.close();
            });
            assertThat(exported[0])
                    .isEqualTo(rows.stream()
                            .limit(ROWS / TILE_ROWS * TILE_ROWS)
                            .map(List::getFirst)
                            .distinct()
                            .count());
        }
        assertThat(budget.usedBytes()).isZero();
        return isPartitioned;
    }
}
