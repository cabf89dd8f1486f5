package dev.quarrel.core.cpu.window;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.PlanBuilder;
import dev.quarrel.core.cpu.PlanRunner;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.ir.WindowCall;
import dev.quarrel.core.ir.WindowFrame;
import dev.quarrel.core.ir.WindowFrame.Edge;
import dev.quarrel.core.ir.WindowFrame.EdgeKind;
import dev.quarrel.core.run.QueryRun;
import dev.quarrel.core.spill.QuerySpill;
import dev.quarrel.core.spill.SpillFolder;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.type.SqlState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Windows whose partition memory does not hold: the same rows in the same order as with enough of it.
class WindowStreamTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final int ROWS = 15_000;
    private static final long MEMORY = 3 << 19;

    @TempDir
    private Path folder;

    private static WindowFrame frame(WindowFrame.Mode mode, EdgeKind end) {
        return new WindowFrame(
                mode, Edge.of(EdgeKind.UNBOUNDED_PRECEDING), Edge.of(end), WindowFrame.Exclusion.NO_OTHERS);
    }

    private static List<WindowCall> positions() {
        return List.of(
                new WindowCall.Position(WindowCall.PositionKind.ROW_NUMBER),
                new WindowCall.Position(WindowCall.PositionKind.RANK),
                new WindowCall.Position(WindowCall.PositionKind.DENSE_RANK),
                new WindowCall.Position(WindowCall.PositionKind.PERCENT_RANK),
                new WindowCall.Position(WindowCall.PositionKind.CUME_DIST),
                new WindowCall.Shift(13, -1, -1, false),
                new WindowCall.Shift(10, -1, 10, true));
    }

    /// Many groups of peers, few large ones, and all rows one group.
    @Test
    void onePartition() {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        List<WindowFrame> frames = List.of(
                WindowFrame.TO_PEERS,
                WindowFrame.PARTITION,
                frame(WindowFrame.Mode.ROWS, EdgeKind.CURRENT_ROW),
                frame(WindowFrame.Mode.GROUPS, EdgeKind.CURRENT_ROW));
        for (int keys : new int[] {4000, 3}) {
            MemoryTable table = table(WindowTest.rows(ROWS, 3, keys, random));
            int first = random.nextInt(2); // every other one: each takes seconds
            for (WindowFrame frame : List.of(frames.get(first), frames.get(first + 2))) {
                List<WindowCall> calls = new ArrayList<>(WindowTest.calls(frame));
                calls.removeIf(call -> !WindowStream.canStream(sink(List.of(), List.of(call))));
                assertThat(calls).hasSizeGreaterThan(30);
                Collections.shuffle(calls, random);
                calls = new ArrayList<>(calls.subList(0, 12));
                calls.addAll(positions());
                check(table, sink(List.of(), calls), 1 + random.nextInt(3));
            }
        }
    }

    /// Frames of a constant number of rows, with all that may be left out of them.
    @Test
    void framesOfNeighbours() {
        Random random = new Random(SEED);
        MemoryTable table = table(WindowTest.rows(ROWS, 3, 2000, random));
        List<WindowFrame> frames = WindowTest.frames().stream()
                .filter(frame -> frame.mode() == WindowFrame.Mode.ROWS
                        && frame.start().kind() != EdgeKind.UNBOUNDED_PRECEDING
                        && frame.end().kind() != EdgeKind.UNBOUNDED_FOLLOWING)
                .toList();
        for (int trial = 0; trial < 4; trial++) {
            List<WindowCall> calls = new ArrayList<>();
            for (int call = 0; call < 10; call++) {
                List<WindowCall> all = WindowTest.calls(frames.get(random.nextInt(frames.size())));
                calls.add(all.get(random.nextInt(all.size())));
            }
            check(table, sink(List.of(), calls), 2);
        }
    }

    /// The hash cannot cut a partition: one of three holds nearly all rows.
    @Test
    void onePartitionOfMany() {
        Random random = new Random(SEED);
        List<List<Object>> rows = WindowTest.rows(ROWS, 3, 500, random);
        for (int row = 0; row < ROWS; row++) {
            rows.get(row).set(0, row % 100 == 0 ? (Object) (long) (row % 7) : (Object) 5L);
        }
        List<WindowCall> calls =
                new ArrayList<>(WindowTest.calls(WindowFrame.TO_PEERS).subList(0, 10));
        calls.addAll(positions());
        calls.add(new WindowCall.Ntile(15));
        for (List<Object> row : rows) {
            row.set(15, row.get(6) == null ? null : (Object) 17L);
        }
        check(table(rows), sink(List.of(0), calls), 2, false);
    }

    @Test
    void tiles() {
        Random random = new Random(SEED);
        for (int buckets : new int[] {1, 7, 256, ROWS - 1, ROWS, ROWS + 5}) {
            List<List<Object>> rows = WindowTest.rows(ROWS, 3, 500, random);
            for (List<Object> row : rows) {
                row.set(15, (long) buckets);
            }
            check(table(rows), sink(List.of(), List.of(new WindowCall.Ntile(15))), 2);
        }
    }

    @Test
    void whatNeedsAllRowsSaysSo() {
        MemoryTable table = table(WindowTest.rows(ROWS, 3, 500, new Random(SEED)));
        for (WindowCall call : List.of(
                new WindowCall.Pick(WindowCall.PickKind.NTH_VALUE, 13, 15, WindowFrame.PARTITION),
                new WindowCall.Shift(6, 15, -1, false))) {
            PlanBuilder plans = new PlanBuilder();
            int made = plans.scan(table).all().sink(sink(List.of(), List.of(call)));
            try (PlanRunner runner = new PlanRunner(2, 256);
                    SpillFolder spills = SpillFolder.open(folder)) {
                assertThat(runner.failure(
                                plans.rows(made).all().result(),
                                new MemoryBudget(MEMORY),
                                new QuerySpill(spills, QuerySpill.NO_LIMIT),
                                table))
                        .isEqualTo(SqlState.OUT_OF_MEMORY);
            }
        }
    }

    private static Sink.Window sink(List<Integer> partition, List<WindowCall> calls) {
        return new Sink.Window(partition, List.of(new SortKey(1, false, false)), calls);
    }

    private static MemoryTable table(List<List<Object>> rows) {
        return TestRows.table("t", WindowTest.TYPES, rows, 5000, 3000, 1024);
    }

    private void check(MemoryTable table, Sink.Window sink, int threads) {
        check(table, sink, threads, true);
    }

    private void check(MemoryTable table, Sink.Window sink, int threads, boolean isOrdered) {
        PlanBuilder plans = new PlanBuilder();
        QueryPlan plan = plans.rows(plans.scan(table).all().sink(sink)).all().result();
        List<List<Object>> expected;
        try (PlanRunner runner = new PlanRunner(2, 512)) {
            expected = new ArrayList<>(runner.rows(plan, table));
        }
        List<List<Object>> actual = new ArrayList<>();
        MemoryBudget budget = new MemoryBudget(MEMORY);
        try (PlanRunner runner = new PlanRunner(threads, 256);
                SpillFolder spills = SpillFolder.open(folder)) {
            QuerySpill spill = new QuerySpill(spills, QuerySpill.NO_LIMIT);
            try (QueryRun run = runner.start(plan, List.of(table), budget, spill, new Cancellation())) {
                for (Batch batch = run.next(); batch != null; batch = run.next()) {
                    actual.addAll(TestRows.rows(batch));
                    batch.close();
                }
                assertThat(run.counters(0).bytesSpilled.sum()).isPositive();
            }
            runner.checkNothingLeft(budget);
        }
        TestRows.assertSame(
                isOrdered ? actual : TestRows.ordered(actual),
                isOrdered ? expected : TestRows.ordered(expected),
                "windows " + sink);
    }
}
