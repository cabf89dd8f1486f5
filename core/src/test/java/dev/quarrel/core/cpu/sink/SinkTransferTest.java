package dev.quarrel.core.cpu.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.CpuDevice;
import dev.quarrel.core.cpu.FixedContext;
import dev.quarrel.core.cpu.PlanBuilder;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The content of sink states moves in the neutral layout: all of it, or by partition, and the answer stays the
/// same.
class SinkTransferTest {
    private static final List<DataType> TYPES = List.of(
            DataType.INT32,
            DataType.UTF8,
            DataType.NUMERIC,
            DataType.BOOL,
            DataType.INT16,
            DataType.INT64,
            DataType.FLOAT32,
            DataType.FLOAT64,
            new DataType.Decimal(12, 2),
            new DataType.Decimal(38, 3),
            DataType.TIMESTAMP);

    static Stream<Sink> sinks() {
        List<AggregateCall> calls = new ArrayList<>();
        calls.add(new AggregateCall(AggregateKind.COUNT_STAR, -1, -1));
        for (int column = 0; column < TYPES.size(); column++) {
            for (AggregateKind kind : AggregateKind.values()) {
                if (TestRows.takes(kind, TYPES.get(column))) {
                    calls.add(TestRows.call(kind, column, -1, TYPES));
                }
            }
        }
        addSketches(calls);
        return Stream.of(
                new Sink.Aggregate(List.of(), calls),
                new Sink.Aggregate(List.of(0), calls),
                new Sink.Aggregate(List.of(1, 2), calls),
                new Sink.Aggregate(List.of(7, 9, 3), calls),
                new Sink.HashBuild(List.of(0, 1), PlanBuilder.range(1, TYPES.size())),
                new Sink.HashBuild(List.of(2), PlanBuilder.range(0, TYPES.size())),
                new Sink.Sort(
                        // By all columns: transferred rows come last in scan order.
                        PlanBuilder.range(0, TYPES.size()).stream()
                                .map(output -> new SortKey(output, false, false))
                                .toList(),
                        Sink.Bound.ZERO,
                        Sink.Bound.NONE));
    }

    /// Of every column, with as many registers as the last column says.
    private static void addSketches(List<AggregateCall> calls) {
        for (int column = 0; column < TYPES.size(); column++) {
            calls.add(new AggregateCall(AggregateKind.HLL_COUNT, List.of(column, TYPES.size()), -1));
            calls.add(new AggregateCall(AggregateKind.HLL_SKETCH, List.of(column, TYPES.size()), -1));
        }
    }

    @ParameterizedTest
    @MethodSource("sinks")
    void contentMovesBetweenStates(Sink sink) {
        long seed = 17;
        System.out.println("seed " + seed);
        List<List<Object>> rows = TestRows.random(TYPES, 500, 30, 0.1, new Random(seed));
        for (int row = 0; row < rows.size(); row++) {
            rows.get(row).add(row % 5 == 0 ? 6L : 8L); // register counts of sketches
        }
        List<DataType> types = new ArrayList<>(TYPES);
        types.add(DataType.INT32);
        MemoryTable table = TestRows.table("t", types, rows, 90, 31, 64);
        List<List<Object>> whole = run(sink, table, (a, b) -> {});
        assertThat(run(sink, table, (a, b) -> a.exportTo(b::transferIn))).isEqualTo(whole);
        assertThat(run(sink, table, SinkTransferTest::exchangePartitions)).isEqualTo(whole);
    }

    /// Each state gets the partitions of both that have its parity.
    private static void exchangePartitions(SinkState one, SinkState other) {
        List<List<List<Object>>> rows = new ArrayList<>();
        List<Schema> schemas = new ArrayList<>();
        for (SinkState state : List.of(one, other)) {
            Schema layout = state.layout();
            state.exportPartitions(3, 8, (partition, batch) -> {
                assertThat(batch.schema().fields().stream().map(Field::type))
                        .isEqualTo(layout.fields().stream().map(Field::type).toList());
                while (rows.size() <= partition) {
                    rows.add(new ArrayList<>());
                }
                rows.get(partition).addAll(TestRows.rows(batch));
                schemas.add(batch.schema());
            });
        }
        for (int partition = 0; partition < rows.size(); partition++) {
            if (!rows.get(partition).isEmpty()) {
                Batch batch = TestRows.batch(schemas.getFirst(), rows.get(partition), partition % 3);
                (partition % 2 == 0 ? one : other).transferIn(batch);
            }
        }
    }

    private interface Move {
        void between(SinkState one, SinkState other);
    }

    private static List<List<Object>> run(Sink sink, MemoryTable table, Move move) {
        PlanBuilder plans = new PlanBuilder();
        plans.scan(table).all().sink(sink);
        QueryPlan plan = plans.plan();
        Pipeline pipeline = plan.pipelines().getFirst();
        MemoryBudget budget = new MemoryBudget(1 << 26);
        List<List<Object>> rows = new ArrayList<>();
        try (CpuDevice device = new CpuDevice(new DeviceConfig(2, 64));
                PreparedPipeline prepared = device.prepare(plan, pipeline, new FixedContext(plan, table, budget));
                SinkState one = prepared.newState();
                SinkState other = prepared.newState()) {
            for (Morsel morsel : prepared.morsels()) {
                prepared.run(morsel, morsel.index() % 2 == 0 ? one : other);
            }
            move.between(one, other);
            try (Materialized made = prepared.finish(List.of(one, other))) {
                for (int batch = 0; batch < made.batchCount(); batch++) {
                    rows.addAll(TestRows.rows(made.batch(batch)));
                }
                assertThat(made.rowCount()).isEqualTo(rows.size());
            }
        }
        assertThat(budget.usedBytes()).isZero();
        return sink instanceof Sink.Sort ? rows : TestRows.ordered(rows);
    }
}
