package dev.quarrel.bench;

import dev.quarrel.calcite.Engine;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.Placement;
import dev.quarrel.core.device.PlacementHints;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Slot;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.run.QueryRun;
import dev.quarrel.core.run.Scheduler;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/// The last rows of `readings` that fulfil conditions, in the order of the table: what SQL has no words for yet, so it
/// is a plan. The name of the suite's query is what finds it; the other engines run that query's text.
final class LastRows implements AutoCloseable {
    private static final int ROWS = 10;
    private static final long BUDGET_BYTES = 1L << 30;
    private static final Map<String, List<Condition>> QUERIES = Map.of(
            "last-rows",
            List.of(
                    new Condition("velocity", Opcode.GT_FLOAT64, 90),
                    new Condition("latitude", Opcode.GE_FLOAT64, 10),
                    new Condition("latitude", Opcode.LE_FLOAT64, 20)),
            "last-rows-rare",
            List.of(
                    new Condition("velocity", Opcode.EQ_FLOAT64, 77),
                    new Condition("heading", Opcode.EQ_FLOAT64, 77),
                    new Condition("fuel_consumption", Opcode.LT_FLOAT64, 5)));

    /// What holds in a row: column, comparison, constant.
    private record Condition(String column, Opcode comparison, double value) {}

    private final Engine engine;
    private final Scheduler scheduler;

    LastRows(Engine engine, int threads) {
        this.engine = engine;
        this.scheduler = new Scheduler(threads);
    }

    static boolean isPlanOf(String query) {
        return QUERIES.containsKey(query);
    }

    void run(String query, Consumer<Batch> rows) {
        try (var snapshot = engine.catalog().snapshot()) {
            Schema schema = snapshot.table("public", "readings").schema();
            QueryPlan plan = plan(schema, QUERIES.get(query));
            Placement placement = Placement.of(
                    plan,
                    engine.devices(),
                    engine.missingDevices(),
                    _ -> PlacementHints.UNKNOWN,
                    Placement.Preference.CPU,
                    false);
            try (QueryRun run = QueryRun.start(
                    scheduler,
                    plan,
                    placement,
                    QueryRun.slotValues(plan, List.of()),
                    engine.catalog().snapshot(),
                    new MemoryBudget(BUDGET_BYTES),
                    new Cancellation(),
                    schema)) {
                for (Batch batch = run.next(); batch != null; batch = run.next()) {
                    rows.accept(batch);
                    batch.close();
                }
            }
        }
    }

    private static QueryPlan plan(Schema schema, List<Condition> conditions) {
        List<DataType> types = schema.fields().stream().map(Field::type).toList();
        List<String> names = schema.fields().stream().map(Field::name).toList();
        List<Slot> slots = new ArrayList<>();
        ProgramBuilder scan = new ProgramBuilder(types);
        int kept = ProgramBuilder.ALL_ROWS;
        for (Condition condition : conditions) {
            int value = scan.load(names.indexOf(condition.column()), kept);
            int bound = scan.constant(slots.size(), DataType.FLOAT64, kept);
            slots.add(new Slot.Constant(new Literal(DataType.FLOAT64, condition.value())));
            int holds = scan.value(condition.comparison(), DataType.BOOL, kept, 0, value, bound);
            kept = scan.mask(Opcode.MASK_TRUE, kept, holds);
        }
        Pipeline last = new Pipeline(
                0,
                new Source.TableScan("public", "readings", names, types, List.of()),
                List.of(scan.build(kept, loads(scan, types.size(), kept), slots)),
                List.of(),
                new Sink.Last(Sink.Bound.of(ROWS)));
        ProgramBuilder all = new ProgramBuilder(types);
        Pipeline root = new Pipeline(
                1,
                new Source.Rows(0, types),
                List.of(all.build(ProgramBuilder.ALL_ROWS, loads(all, types.size(), ProgramBuilder.ALL_ROWS), slots)),
                List.of(),
                new Sink.Result(names, Sink.Bound.ZERO, Sink.Bound.NONE));
        return new QueryPlan(slots, List.of(last, root));
    }

    private static List<Integer> loads(ProgramBuilder program, int columns, int mask) {
        List<Integer> registers = new ArrayList<>();
        for (int column = 0; column < columns; column++) {
            registers.add(program.load(column, mask));
        }
        return registers;
    }

    @Override
    public void close() {
        scheduler.close();
    }
}
