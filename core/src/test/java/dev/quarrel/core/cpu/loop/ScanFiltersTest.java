package dev.quarrel.core.cpu.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.PlanBuilder;
import dev.quarrel.core.cpu.PlanRunner;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.PlanVerifier;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.RuntimeFilter;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.run.QueryRun;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Runtime filters drop rows and change no answer.
///
/// The plan: `big`, grouped by its key, is a build side that `probe` asks after it has asked `few`, whose keys filter
/// the scan of `big`. The filter's build comes later in the plan than the scan.
@Tag("compiled")
class ScanFiltersTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261126L);
    private static final int SCAN = 0;
    private static final int FEW = 1;

    private final Random random = new Random(SEED);

    /// What keys are like.
    private enum Spread {
        DENSE,
        FAR,
        EMPTY,
        ALL
    }

    private static Stream<Arguments> cases() {
        List<Arguments> cases = new ArrayList<>();
        for (DataType type :
                List.of(DataType.INT16, DataType.INT32, DataType.INT64, DataType.DATE, DataType.TIMESTAMP)) {
            for (Spread spread : Spread.values()) {
                for (DeviceConfig.Tier tier : DeviceConfig.Tier.values()) {
                    cases.add(Arguments.of(type, spread, tier, 64));
                    cases.add(Arguments.of(type, spread, tier, 4096));
                }
            }
        }
        cases.add(Arguments.of(DataType.INT32, Spread.DENSE, DeviceConfig.Tier.COMPILED, 1));
        return cases.stream();
    }

    private long key(DataType type, Spread spread, int number) {
        return spread == Spread.FAR && type.byteWidth() == 8 ? number * 0x1234_5678_9ABCL - (1L << 40) : number - 300;
    }

    private List<List<Object>> rows(DataType type, Spread spread, int count, int distinct) {
        List<List<Object>> rows = new ArrayList<>();
        for (int row = 0; row < count; row++) {
            Object key = random.nextInt(20) == 0 ? null : (Object) key(type, spread, random.nextInt(distinct));
            rows.add(TestRows.row(key, (long) row));
        }
        return rows;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void answersAreThoseWithoutFilters(DataType type, Spread spread, DeviceConfig.Tier tier, int tileRows) {
        List<DataType> types = List.of(type, DataType.INT64);
        int keys = spread == Spread.ALL ? 1000 : 40;
        MemoryTable big = TestRows.table("big", types, rows(type, spread, 12_000, 1000), 5000, 1, 64, 4095);
        MemoryTable few =
                TestRows.table("few", types, rows(type, spread, spread == Spread.EMPTY ? 0 : 3000, keys), 700);
        MemoryTable probe = TestRows.table("probe", types, rows(type, spread, 3000, 1000), 900);
        for (JoinKind kind : List.of(JoinKind.INNER, JoinKind.LEFT, JoinKind.ANTI)) {
            QueryPlan plain = plan(big, few, probe, kind);
            try (PlanRunner runner = new PlanRunner(new DeviceConfig(2, tileRows, tier, 64 << 20))) {
                List<List<Object>> expected = runner.rows(plain, big, few, probe);
                for (int column = 0; column < 2; column++) { // the key, and the same as payload
                    QueryPlan filtered = filtered(plain, new RuntimeFilter(0, FEW, column));
                    TestRows.assertSame(
                            TestRows.ordered(runner.rows(filtered, big, few, probe)),
                            TestRows.ordered(expected),
                            "seed " + SEED + ", " + kind + ", column " + column);
                }
            }
        }
    }

    private static QueryPlan filtered(QueryPlan plan, RuntimeFilter filter) {
        List<Pipeline> pipelines = new ArrayList<>(plan.pipelines());
        pipelines.set(SCAN, pipelines.get(SCAN).withFilters(List.of(filter)));
        return new QueryPlan(plan.slots(), pipelines);
    }

    private static QueryPlan plan(Table big, Table few, Table probe, JoinKind kind) {
        PlanBuilder plans = new PlanBuilder();
        int limit = plans.constant(DataType.INT64, 11_000L);
        int groups = plans.scan(big)
                .program(builder -> {
                    int value = builder.load(1, ProgramBuilder.ALL_ROWS);
                    int truth = builder.value(
                            Opcode.LT_INT64,
                            DataType.BOOL,
                            ProgramBuilder.ALL_ROWS,
                            0,
                            value,
                            builder.constant(limit, DataType.INT64, ProgramBuilder.ALL_ROWS));
                    int mask = builder.mask(Opcode.MASK_TRUE, ProgramBuilder.ALL_ROWS, truth);
                    return new PlanBuilder.Out(mask, List.of(builder.load(0, mask), builder.load(1, mask)));
                })
                .sink(new Sink.Aggregate(
                        List.of(0),
                        List.of(
                                new AggregateCall(AggregateKind.SUM, 1, -1),
                                new AggregateCall(AggregateKind.COUNT_STAR, -1, -1))));
        int keys = plans.scan(few).all().build(List.of(0), List.of(0));
        int table = plans.rows(groups).all().build(List.of(0), List.of(1, 2));
        return plans.scan(probe)
                .all()
                .join(JoinKind.SEMI, keys, List.of(0))
                .all()
                .join(kind, table, List.of(0))
                .all()
                .result();
    }

    @Test
    void droppedRowsAreCounted() {
        List<DataType> types = List.of(DataType.INT32, DataType.INT64);
        MemoryTable big = TestRows.table("big", types, rows(DataType.INT32, Spread.DENSE, 12_000, 1000), 5000);
        MemoryTable few = TestRows.table("few", types, rows(DataType.INT32, Spread.DENSE, 500, 10), 500);
        QueryPlan plan = filtered(plan(big, few, few, JoinKind.INNER), new RuntimeFilter(0, FEW, 0));
        for (DeviceConfig.Tier tier : DeviceConfig.Tier.values()) {
            try (PlanRunner runner = new PlanRunner(new DeviceConfig(2, 4096, tier, 64 << 20));
                    QueryRun run =
                            runner.start(plan, List.of(big, few), new MemoryBudget(1 << 28), new Cancellation())) {
                for (Batch batch = run.next(); batch != null; batch = run.next()) {
                    batch.close();
                }
                var counted = run.counters(SCAN).filtered(0);
                assertThat(counted.rows().sum()).isPositive();
                assertThat(counted.dropped().sum())
                        .isBetween(counted.rows().sum() * 9 / 10, counted.rows().sum() - 1);
            }
        }
    }

    @Test
    void filtersThatWaitForEachOtherAreRefused() {
        List<DataType> types = List.of(DataType.INT32, DataType.INT64);
        MemoryTable table = TestRows.table("big", types, rows(DataType.INT32, Spread.DENSE, 10, 10), 10);
        QueryPlan plan = plan(table, table, table, JoinKind.INNER);
        assertThatThrownBy(() -> PlanVerifier.verify(filtered(plan, new RuntimeFilter(0, 2, 0))))
                .hasMessageContaining("waits for itself");
        assertThatThrownBy(() -> PlanVerifier.verify(filtered(plan, new RuntimeFilter(1, FEW, 0))))
                .hasMessageContaining("type");
        assertThatThrownBy(() -> PlanVerifier.verify(filtered(plan, new RuntimeFilter(0, 0, 0))))
                .hasMessageContaining("builds no table");
    }
}
