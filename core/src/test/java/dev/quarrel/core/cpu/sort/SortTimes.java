package dev.quarrel.core.cpu.sort;

import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.PlanBuilder;
import dev.quarrel.core.cpu.PlanRunner;
import dev.quarrel.core.cpu.join.StarJoinTimes;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.ir.WindowCall;
import dev.quarrel.core.ir.WindowFrame;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/// Times of sorts and windows over a Star Schema Benchmark dataset. Run by hand: `java … SortTimes ROOT
/// [threads [name]]`.
final class SortTimes {
    private static final int RUNS = Integer.getInteger("runs", 9);

    private SortTimes() {}

    private record Case(String name, String table, List<String> columns, Sink sink) {
        Case(String name, String table, List<String> columns, List<SortKey> keys, long limit) {
            this(name, table, columns, new Sink.Sort(keys, Sink.Bound.ZERO, Sink.Bound.of(limit)));
        }
    }

    private static Case window(String name, List<Integer> partition, WindowCall call) {
        return new Case(
                name,
                "lineorder",
                List.of("lo_custkey", "lo_orderkey", "lo_linenumber", "lo_revenue"),
                new Sink.Window(
                        partition,
                        call instanceof WindowCall.Position
                                ? List.of(new SortKey(3, false, false))
                                : List.of(new SortKey(1, false, false), new SortKey(2, false, false)),
                        List.of(call)));
    }

    private static WindowCall aggregate(AggregateKind kind) {
        return new WindowCall.Aggregate(
                new AggregateCall(kind, 3, -1),
                new WindowFrame(
                        WindowFrame.Mode.ROWS,
                        WindowFrame.Edge.of(WindowFrame.EdgeKind.UNBOUNDED_PRECEDING),
                        WindowFrame.Edge.of(WindowFrame.EdgeKind.CURRENT_ROW),
                        WindowFrame.Exclusion.NO_OTHERS));
    }

    public static void main(String[] arguments) throws Exception {
        int threads = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1;
        String chosen = arguments.length > 2 ? arguments[2] : "";
        long all = Sink.NO_LIMIT;
        SortKey first = new SortKey(0, false, false);
        SortKey second = new SortKey(1, false, false);
        List<Case> cases = List.of(
                new Case("two ints", "lineorder", List.of("lo_revenue", "lo_orderkey"), List.of(first, second), all),
                new Case("one int desc", "lineorder", List.of("lo_revenue"), List.of(new SortKey(0, true, true)), all),
                new Case(
                        "int, 6 columns",
                        "lineorder",
                        List.of("lo_extendedprice", "lo_orderkey", "lo_custkey", "lo_partkey", "lo_suppkey", "lo_tax"),
                        List.of(first),
                        all),
                new Case("dictionary", "lineorder", List.of("lo_shipmode", "lo_orderkey"), List.of(first), all),
                new Case("text", "customer", List.of("c_name", "c_custkey"), List.of(first), all),
                new Case("address", "customer", List.of("c_address", "c_custkey"), List.of(first), all),
                new Case(
                        "top 10",
                        "lineorder",
                        List.of("lo_revenue", "lo_orderkey", "lo_custkey", "lo_shipmode"),
                        List.of(new SortKey(0, true, false), second),
                        10),
                new Case(
                        "top 10000",
                        "lineorder",
                        List.of("lo_revenue", "lo_orderkey", "lo_custkey", "lo_shipmode"),
                        List.of(new SortKey(0, true, false), second),
                        10_000),
                window("window rank", List.of(0), new WindowCall.Position(WindowCall.PositionKind.RANK)),
                window("window sum", List.of(0), aggregate(AggregateKind.SUM)),
                window("window min of all", List.of(), aggregate(AggregateKind.MIN)));
        try (DatasetCatalog catalog = DatasetCatalog.open(Path.of(arguments[0]));
                CatalogSnapshot snapshot = catalog.snapshot()) {
            for (Case one : cases) {
                if (one.name().startsWith(chosen)) {
                    time(one, threads, snapshot.table("public", one.table()));
                }
            }
        }
    }

    private static void time(Case one, int threads, Table table) {
        PlanBuilder plans = new PlanBuilder();
        int sorted = plans.scan(table)
                .program(builder -> new PlanBuilder.Out(
                        ProgramBuilder.ALL_ROWS,
                        one.columns().stream()
                                .map(name -> builder.load(table.schema().indexOf(name), ProgramBuilder.ALL_ROWS))
                                .toList()))
                .sink(one.sink());
        int counted = plans.rows(sorted)
                .all()
                .sink(new Sink.Aggregate(List.of(), List.of(new AggregateCall(AggregateKind.COUNT_STAR, -1, -1))));
        QueryPlan plan = plans.rows(counted).all().result();
        try (PlanRunner runner = new PlanRunner(threads, 2048)) {
            long[] wall = new long[RUNS];
            long[] cpu = new long[RUNS];
            for (int run = 0; run < RUNS; run++) {
                long start = System.nanoTime();
                long before = StarJoinTimes.workerNanos();
                MemoryBudget budget = new MemoryBudget(1L << 36);
                try (ResultCursor cursor = runner.start(plan, List.of(table), budget, new Cancellation())) {
                    for (Batch batch = cursor.next(); batch != null; batch = cursor.next()) {
                        batch.close();
                    }
                }
                wall[run] = System.nanoTime() - start;
                cpu[run] = StarJoinTimes.workerNanos() - before;
            }
            double cold = wall[0] * 1e-6;
            Arrays.sort(wall);
            Arrays.sort(cpu);
            System.out.printf(
                    "%-16s %9d rows: first %7.1f ms, median %7.1f ms, best %7.1f ms, workers' cpu best %5.1f ns a row%n",
                    one.name(),
                    table.stats().rowCount(),
                    cold,
                    wall[RUNS / 2] * 1e-6,
                    wall[0] * 1e-6,
                    cpu[0] / (double) table.stats().rowCount());
        }
    }
}
