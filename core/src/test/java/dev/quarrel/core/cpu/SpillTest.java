package dev.quarrel.core.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.group.OrderedAggregateTest;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.ir.WindowCall;
import dev.quarrel.core.ir.WindowFrame;
import dev.quarrel.core.run.QueryRun;
import dev.quarrel.core.spill.QuerySpill;
import dev.quarrel.core.spill.SpillFolder;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Queries whose memory does not hold their groups, rows or build sides: the same rows as with enough of it, and
/// nothing left behind on any path.
class SpillTest {
    private static final int TRIALS = Integer.getInteger("quarrel.trials", 2);
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final List<DataType> TYPES = List.of(
            DataType.INT32,
            DataType.UTF8,
            DataType.NUMERIC,
            DataType.INT64,
            DataType.FLOAT64,
            new DataType.Decimal(12, 2),
            DataType.BOOL,
            DataType.INT16,
            DataType.FLOAT32,
            new DataType.Decimal(38, 3),
            DataType.TIMESTAMP,
            DataType.UUID, // 11
            DataType.BINARY,
            DataType.TIME,
            DataType.INTERVAL);

    @TempDir
    private Path folder;

    @Test
    void groupsSpill() {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        for (int trial = 0; trial < TRIALS; trial++) {
            MemoryTable table = table(random, 12_000, trial % 2 == 0 ? 200_000 : 3_000);
            List<Integer> keys = new ArrayList<>(some(random, random.nextInt(3)));
            keys.add(3);
            PlanBuilder plans = new PlanBuilder();
            int groups = plans.scan(table).all().sink(new Sink.Aggregate(keys, calls(random)));
            QueryPlan plan = plans.rows(groups).all().result();
            check(plan, "group by " + keys, false, 2 << 20, table);
        }
    }

    /// Coarser groups are made of finer ones, in memory and through files; both must be what separate groupings give.
    @Test
    void groupingSetsSpill() {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        for (int trial = 0; trial < TRIALS; trial++) {
            MemoryTable table = table(random, 12_000, trial % 2 == 0 ? 200_000 : 300);
            List<Integer> keys = List.of(3, 0, 5);
            List<AggregateCall> calls = calls(random);
            List<Sink.GroupingSet> sets = new ArrayList<>();
            for (List<Integer> set : List.of(
                    List.of(0, 1, 2), List.of(0, 1), List.of(1, 2), List.of(0), List.of(1), List.<Integer>of())) {
                if (random.nextInt(4) > 0 || sets.isEmpty()) {
                    sets.add(new Sink.GroupingSet(set, List.of(set.size(), sets.size())));
                }
            }
            sets.add(sets.get(random.nextInt(sets.size())));
            PlanBuilder plans = new PlanBuilder();
            int groups = plans.scan(table).all().sink(new Sink.Aggregate(keys, calls, sets));
            QueryPlan plan = plans.rows(groups).all().result();
            List<List<Object>> expected = new ArrayList<>();
            try (PlanRunner runner = new PlanRunner(2, 512)) {
                for (Sink.GroupingSet set : sets) {
                    expected.addAll(runner.groupsOfSet(table, keys, calls, set));
                }
                List<List<Object>> actual = runner.rows(plan, table);
                TestRows.assertSame(TestRows.ordered(actual), TestRows.ordered(expected), "sets " + sets);
            }
            check(plan, "group by sets " + sets, false, 3 << 20, table);
        }
    }

    /// Gathered rows travel through files, and keep their order.
    @Test
    void orderedGroupsSpill() {
        Random random = new Random(SEED);
        List<List<Object>> rows = OrderedAggregateTest.rows(9_000, 2_000, random);
        MemoryTable table = TestRows.table("t", OrderedAggregateTest.TYPES, rows, 4000, 700);
        PlanBuilder plans = new PlanBuilder();
        List<AggregateCall> calls = OrderedAggregateTest.calls(random);
        Collections.shuffle(calls, random);
        int groups = plans.scan(table).all().sink(new Sink.Aggregate(List.of(0), calls.subList(0, 24)));
        check(plans.rows(groups).all().result(), "ordered aggregates", false, 9 << 20, table);
    }

    @Test
    void sortsSpill() {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        for (int trial = 0; trial < TRIALS; trial++) {
            MemoryTable table = table(random, 12_000, trial % 2 == 0 ? 200_000 : 50);
            List<SortKey> keys = some(random, random.nextInt(4)).stream()
                    .map(column -> new SortKey(column, random.nextBoolean(), random.nextBoolean()))
                    .toList();
            Sink.Bound offset = trial % 3 == 0 ? Sink.Bound.of(random.nextInt(5_000)) : Sink.Bound.ZERO;
            Sink.Bound limit = trial % 4 == 0 ? Sink.Bound.of(5_000 + random.nextInt(5_000)) : Sink.Bound.NONE;
            PlanBuilder plans = new PlanBuilder();
            int sorted = plans.scan(table).all().sink(new Sink.Sort(keys, offset, limit));
            QueryPlan plan = plans.rows(sorted).all().result();
            check(plan, "order by " + keys, true, 2 << 20, table);
        }
    }

    /// Rows with equal order keys stay in scan order, and parts too large for memory are cut again.
    @Test
    void windowsSpill() {
        Random random = new Random(SEED);
        for (int trial = 0; trial < TRIALS; trial++) {
            int rowCount = trial % 2 == 0 ? 12_000 : 40_000;
            MemoryTable table = table(random, rowCount, trial % 2 == 0 ? 3_000 : 200_000);
            Sink.Window window = new Sink.Window(
                    List.of(List.of(0), List.of(1, 5), List.of(2)).get(random.nextInt(3)),
                    List.of(new SortKey(8, random.nextBoolean(), random.nextBoolean())),
                    List.of(
                            new WindowCall.Position(WindowCall.PositionKind.ROW_NUMBER),
                            new WindowCall.Position(WindowCall.PositionKind.RANK),
                            new WindowCall.Shift(1, -1, -1, false),
                            new WindowCall.Aggregate(
                                    new AggregateCall(AggregateKind.SUM, 4, -1), WindowFrame.TO_PEERS)));
            PlanBuilder plans = new PlanBuilder();
            int windows = plans.scan(table).all().sink(window);
            QueryPlan plan = plans.rows(windows).all().result();
            check(plan, "windows by " + window.keys(), false, 2 << 20, table);
        }
    }

    /// The first rows of many partitions, which are still too many for memory.
    @Test
    void firstRowsOfPartitionsSpill() {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        for (Sink.Window.Ties ties : Sink.Window.Ties.values()) {
            MemoryTable table = table(random, 40_000, 200_000);
            int most = 1 + random.nextInt(3);
            Sink.Window window = new Sink.Window(
                    List.of(List.of(0), List.of(1, 7), List.of(7)).get(random.nextInt(3)),
                    List.of(new SortKey(8, random.nextBoolean(), random.nextBoolean())),
                    List.of(
                            new WindowCall.Position(WindowCall.PositionKind.ROW_NUMBER),
                            new WindowCall.Position(WindowCall.PositionKind.RANK),
                            new WindowCall.Position(WindowCall.PositionKind.DENSE_RANK)),
                    new Sink.Window.First(most, ties));
            PlanBuilder plans = new PlanBuilder();
            int windows = plans.scan(table).all().sink(window);
            int bound = plans.constant(DataType.INT64, most + 1L);
            QueryPlan plan = plans.rows(windows)
                    .program(builder -> {
                        List<Integer> columns = PlanBuilder.range(0, TYPES.size() + 3).stream()
                                .map(input -> builder.load(input, ProgramBuilder.ALL_ROWS))
                                .toList();
                        int isFirst = builder.value(
                                Opcode.LT_INT64,
                                DataType.BOOL,
                                ProgramBuilder.ALL_ROWS,
                                0,
                                columns.get(TYPES.size() + ties.ordinal()),
                                builder.constant(bound, DataType.INT64, ProgramBuilder.ALL_ROWS));
                        return new PlanBuilder.Out(
                                builder.mask(Opcode.MASK_TRUE, ProgramBuilder.ALL_ROWS, isFirst), columns);
                    })
                    .result();
            check(plan, "first rows by " + window.keys(), false, 2 << 20, table);
        }
    }

    /// Rows that are read several times are written once, and read from the file each time; what reads them feeds a
    /// grouping and a join that spill, too.
    @Test
    void collectedRowsSpillAndFeed() {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        MemoryTable table = table(random, 12_000, 200_000);
        PlanBuilder plans = new PlanBuilder();
        int kept = plans.scan(table).all().sink(new Sink.Collect());
        int one = plans.rows(kept).all().sink(new Sink.Feed());
        int other = plans.rows(kept).all().sink(new Sink.Feed());
        int both = plans.union(one, other).all().sink(new Sink.Feed());
        int third = plans.rows(kept).all().sink(new Sink.Feed());
        check(plans.union(both, third).all().result(), "rows read three times", false, 2 << 20, table);

        plans = new PlanBuilder();
        kept = plans.scan(table).all().sink(new Sink.Collect());
        one = plans.rows(kept).all().sink(new Sink.Feed());
        other = plans.scan(table).all().sink(new Sink.Feed());
        int groups = plans.union(one, other)
                .all()
                .sink(new Sink.Aggregate(List.of(0, 3), List.of(new AggregateCall(AggregateKind.COUNT_STAR, -1, -1))));
        check(plans.rows(groups).all().result(), "groups of rows that are fed", false, 2 << 20, table);
    }

    /// Build sides that spill, of pipelines that feed one, and of the one that they feed.
    @Test
    void joinsOfFedPipelinesSpill() {
        Random random = new Random(SEED);
        for (JoinKind kind : JoinKind.values()) {
            MemoryTable probe = table(random, 2_000, 20_000);
            List<Integer> keys = List.of(random.nextBoolean() ? 3 : 0);
            List<DataType> types = new ArrayList<>();
            keys.forEach(key -> types.add(TYPES.get(key)));
            types.addAll(List.of(DataType.UTF8, DataType.INT64, DataType.NUMERIC));
            MemoryTable build =
                    TestRows.table("b", types, TestRows.random(types, 16_000, 20_000, 0.02, random), 5000, 700);
            PlanBuilder plans = new PlanBuilder();
            int built = built(plans, build, kind, keys.size(), types.size());
            int one = plans.scan(probe).all().join(kind, built, keys).all().sink(new Sink.Feed());
            int other = plans.scan(probe).all().join(kind, built, keys).all().sink(new Sink.Feed());
            check(plans.union(one, other).all().result(), kind + " joins that feed", false, 2 << 20, probe, build);

            plans = new PlanBuilder();
            built = built(plans, build, kind, keys.size(), types.size());
            one = plans.scan(probe).all().sink(new Sink.Feed());
            other = plans.scan(probe).all().sink(new Sink.Feed());
            QueryPlan plan =
                    plans.union(one, other).all().join(kind, built, keys).all().result();
            check(plan, kind + " join that is fed", false, 2 << 20, probe, build);
        }
    }

    @Test
    void groupsThenSortSpill() {
        Random random = new Random(SEED);
        MemoryTable table = table(random, 12_000, 200_000);
        PlanBuilder plans = new PlanBuilder();
        int groups = plans.scan(table)
                .all()
                .sink(new Sink.Aggregate(
                        List.of(0, 1),
                        List.of(
                                new AggregateCall(AggregateKind.COUNT_STAR, -1, -1),
                                new AggregateCall(AggregateKind.SUM, 4, -1))));
        int sorted = plans.rows(groups)
                .all()
                .sink(new Sink.Sort(
                        List.of(new SortKey(1, true, false), new SortKey(0, false, true)),
                        Sink.Bound.ZERO,
                        Sink.Bound.NONE));
        QueryPlan plan = plans.rows(sorted).all().result();
        check(plan, "group, then order", true, 2 << 20, table);
    }

    @Test
    void joinsSpill() {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        for (JoinKind kind : JoinKind.values()) {
            MemoryTable probe = table(random, 9_000, 20_000);
            List<Integer> keys =
                    List.of(List.of(0, 2, 3, 4, 5, 9, 10, 11, 12, 13, 14).get(random.nextInt(11)));
            List<DataType> types = new ArrayList<>();
            keys.forEach(key -> types.add(TYPES.get(key)));
            types.addAll(List.of(DataType.UTF8, DataType.INT64, DataType.NUMERIC));
            MemoryTable build =
                    TestRows.table("b", types, TestRows.random(types, 16_000, 20_000, 0.02, random), 5000, 700);
            PlanBuilder plans = new PlanBuilder();
            int built = built(plans, build, kind, keys.size(), types.size());
            QueryPlan plan =
                    plans.scan(probe).all().join(kind, built, keys).all().result();
            check(plan, kind + " join by " + keys, false, 2 << 20, probe, build);
        }
    }

    private static int built(PlanBuilder plans, MemoryTable build, JoinKind kind, int keyCount, int columns) {
        PlanBuilder.Chain rows = plans.scan(build).all();
        List<Integer> keys = PlanBuilder.range(0, keyCount);
        List<Integer> payload = PlanBuilder.range(0, columns);
        return kind.needsNullKeys() ? rows.buildWithNulls(keys, payload) : rows.build(keys, payload);
    }

    /// NOT IN over a build side without NULLs in most partitions, with none at all, and with a few.
    @Test
    void marksOfInSpill() {
        Random random = new Random(SEED);
        List<DataType> types = List.of(DataType.INT64, DataType.UTF8);
        MemoryTable probe = table(random, 9_000, 20_000);
        for (int nulls : new int[] {0, 1, 300}) {
            List<List<Object>> rows = new ArrayList<>();
            for (int row = 0; row < 30_000; row++) {
                rows.add(TestRows.row(
                        row % 100 == 7 && row / 100 < nulls ? null : random.nextInt(20_000) * 3_000_000_019L,
                        "a text of some length " + row));
            }
            MemoryTable build = TestRows.table("b", types, rows, 5000);
            PlanBuilder plans = new PlanBuilder();
            int built = built(plans, build, JoinKind.MARK_IN, 1, 2);
            QueryPlan plan = plans.scan(probe)
                    .all()
                    .join(JoinKind.MARK_IN, built, List.of(3))
                    .all()
                    .result();
            check(plan, "in, " + nulls + " NULLs", false, 1 << 20, probe, build);
        }
    }

    /// Build rows that follow pass another join, whose build side is in files too.
    @Test
    void buildRowsThatFollowSpill() {
        Random random = new Random(SEED);
        MemoryTable probe = table(random, 4_000, 5_000);
        List<DataType> types = List.of(DataType.INT32, DataType.UTF8, DataType.INT64);
        MemoryTable large = TestRows.table("b", types, TestRows.random(types, 15_000, 5_000, 0.02, random), 5000);
        for (JoinKind kind : List.of(JoinKind.RIGHT, JoinKind.FULL, JoinKind.RIGHT_SEMI, JoinKind.RIGHT_ANTI)) {
            PlanBuilder plans = new PlanBuilder();
            int one = built(plans, large, kind, 1, 3);
            int two = plans.scan(large).all().build(List.of(2), List.of(0));
            int last = kind.hasCarried() ? TYPES.size() + 2 : 2;
            int groups = plans.scan(probe)
                    .all()
                    .join(kind, one, List.of(0))
                    .all()
                    .join(JoinKind.LEFT, two, List.of(last))
                    .all()
                    .sink(new Sink.Aggregate(
                            List.of(last), List.of(new AggregateCall(AggregateKind.COUNT_STAR, -1, -1))));
            check(plans.rows(groups).all().result(), kind + ", then left", false, 1 << 20, probe, large);
        }
    }

    /// Two build sides in files and one in memory, and groups over them.
    @Test
    void joinsOfSeveralSpill() {
        Random random = new Random(SEED);
        MemoryTable probe = table(random, 4_000, 5_000);
        List<DataType> types = List.of(DataType.INT32, DataType.UTF8, DataType.INT64);
        MemoryTable large = TestRows.table("b", types, TestRows.random(types, 15_000, 5_000, 0.02, random), 5000);
        MemoryTable small = TestRows.table("s", types, TestRows.random(types, 300, 5_000, 0.02, random), 5000);
        int text = TYPES.size() + 1; // the second payload column
        PlanBuilder plans = new PlanBuilder();
        int one = plans.scan(large).all().build(List.of(0), List.of(1));
        int two = plans.scan(small).all().build(List.of(1), List.of(2));
        int three = plans.scan(large).all().build(List.of(1), List.of(2));
        int groups = plans.scan(probe)
                .all()
                .join(JoinKind.LEFT, two, List.of(1))
                .all()
                .join(JoinKind.INNER, one, List.of(0))
                .all()
                .join(JoinKind.ANTI, two, List.of(text))
                .all()
                .join(JoinKind.SEMI, three, List.of(1))
                .all()
                .sink(new Sink.Aggregate(List.of(1, 3, text), List.of(new AggregateCall(AggregateKind.SUM, 4, -1))));
        check(plans.rows(groups).all().result(), "several joins", false, 1 << 20, probe, large, small);
    }

    /// Build rows that have one key nearly all.
    @Test
    void skewedJoinsSpill() {
        List<DataType> types = List.of(DataType.INT32, DataType.INT64);
        Random random = new Random(SEED);
        List<List<Object>> rows = new ArrayList<>();
        for (int row = 0; row < 40_000; row++) {
            rows.add(TestRows.row(row % 50 == 0 ? (long) row : 7L, random.nextLong()));
        }
        MemoryTable build = TestRows.table("b", types, rows, 5000);
        List<List<Object>> probes = new ArrayList<>();
        for (long row = 0; row < 300; row++) {
            probes.add(TestRows.row(row == 20 ? 7L : row * 50, row));
        }
        MemoryTable probe = TestRows.table("t", types, probes, 100);
        for (JoinKind kind :
                List.of(JoinKind.INNER, JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL, JoinKind.SEMI, JoinKind.ANTI)) {
            for (boolean isChecked : new boolean[] {false, true}) {
                PlanBuilder plans = new PlanBuilder();
                PlanBuilder.Chain side = plans.scan(build).all();
                int built = kind.needsNullKeys()
                        ? side.buildWithNulls(List.of(0), List.of(1))
                        : side.build(List.of(0), List.of(1));
                int groups = plans.scan(probe)
                        .all()
                        .join(kind, built, List.of(0), isChecked ? builder -> isBelow(builder, 1, 2) : null)
                        .all()
                        .sink(new Sink.Aggregate(
                                List.of(0),
                                List.of(
                                        new AggregateCall(AggregateKind.COUNT_STAR, -1, -1),
                                        new AggregateCall(AggregateKind.SUM, kind.hasPayload() ? 2 : 1, -1))));
                check(
                        plans.rows(groups).all().result(),
                        "skewed " + kind + (isChecked ? " with a condition" : ""),
                        false,
                        1 << 20,
                        probe,
                        build);
            }
        }
    }

    private static int isBelow(ProgramBuilder builder, int one, int other) {
        return builder.value(
                Opcode.LT_INT64,
                DataType.BOOL,
                ProgramBuilder.ALL_ROWS,
                0,
                builder.load(one, ProgramBuilder.ALL_ROWS),
                builder.load(other, ProgramBuilder.ALL_ROWS));
    }

    /// Joins without keys read their build side in slices.
    @Test
    void nestedLoopsSpill() {
        Random random = new Random(SEED);
        List<DataType> types = List.of(DataType.INT64, DataType.UTF8);
        List<List<Object>> rows = new ArrayList<>();
        for (int row = 0; row < 60_000; row++) {
            rows.add(TestRows.row(
                    row % 50 == 0 ? null : (Object) (long) random.nextInt(1000), "a text of some length " + row));
        }
        MemoryTable build = TestRows.table("b", types, rows, 5000);
        List<List<Object>> probes = new ArrayList<>();
        for (int row = 0; row < 40; row++) {
            probes.add(TestRows.row(row % 8 == 0 ? null : (Object) (long) random.nextInt(20_000), "probe " + row));
        }
        MemoryTable probe = TestRows.table("t", types, probes, 20);
        for (JoinKind kind : JoinKind.values()) {
            if (kind.hasMark()) {
                continue;
            }
            PlanBuilder plans = new PlanBuilder();
            PlanBuilder.Chain side = plans.scan(build).all();
            int built = kind.needsNullKeys()
                    ? side.buildWithNulls(List.of(), List.of(0, 1))
                    : side.build(List.of(), List.of(0, 1));
            QueryPlan plan = plans.scan(probe)
                    .all()
                    .join(kind, built, List.of(), builder -> isBelow(builder, 0, 2))
                    .all()
                    .result();
            check(plan, "loop, " + kind, false, 4 << 20, probe, build);
        }
        // All pairs, and whether there is any row at all.
        for (JoinKind kind : List.of(JoinKind.INNER, JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI)) {
            PlanBuilder plans = new PlanBuilder();
            int built = plans.scan(build).all().build(List.of(), List.of(0, 1));
            int count = plans.scan(probe)
                    .all()
                    .join(kind, built, List.of())
                    .all()
                    .sink(new Sink.Aggregate(
                            List.of(),
                            List.of(
                                    new AggregateCall(AggregateKind.COUNT_STAR, -1, -1),
                                    new AggregateCall(AggregateKind.SUM, kind.hasPayload() ? 2 : 0, -1))));
            check(plans.rows(count).all().result(), "all pairs, " + kind, false, 4 << 20, probe, build);
        }
    }

    /// Partitions of a build side too large for memory are cut again.
    @Test
    void joinsSpillInSeveralLevels() {
        Random random = new Random(SEED);
        MemoryTable probe = table(random, 4_000, 2_000_000);
        List<DataType> types = List.of(DataType.INT32, DataType.INT64, DataType.FLOAT64);
        MemoryTable build = TestRows.table("b", types, TestRows.random(types, 60_000, 2_000_000, 0.02, random), 5000);
        PlanBuilder plans = new PlanBuilder();
        int built = plans.scan(build).all().build(List.of(0), List.of(1, 2));
        QueryPlan plan = plans.scan(probe)
                .all()
                .join(JoinKind.LEFT, built, List.of(0))
                .all()
                .result();
        check(plan, "many build rows", false, 256 << 10, probe, build);
    }

    /// Partitions too large for memory are cut again, and runs too many for one merge are merged twice.
    @Test
    void spillsInSeveralLevels() {
        Random random = new Random(SEED);
        MemoryTable table = table(random, 24_000, 2_000_000);
        PlanBuilder plans = new PlanBuilder();
        int groups = plans.scan(table)
                .all()
                .sink(new Sink.Aggregate(List.of(0, 3, 10), List.of(new AggregateCall(AggregateKind.SUM, 2, -1))));
        check(plans.rows(groups).all().result(), "many groups", false, 384 << 10, table);
        PlanBuilder sorts = new PlanBuilder();
        int sorted = sorts.scan(table)
                .all()
                .sink(new Sink.Sort(List.of(new SortKey(1, false, false)), Sink.Bound.ZERO, Sink.Bound.NONE));
        check(sorts.rows(sorted).all().result(), "many runs", true, 1 << 20, table);
    }

    @Test
    void cancelLeavesNoFile() throws IOException {
        MemoryTable table = table(new Random(SEED), 60_000, 2_000_000);
        PlanBuilder plans = new PlanBuilder();
        int sorted = plans.scan(table)
                .all()
                .sink(new Sink.Sort(List.of(new SortKey(1, false, false)), Sink.Bound.ZERO, Sink.Bound.NONE));
        QueryPlan plan = plans.rows(sorted).all().result();
        MemoryBudget budget = new MemoryBudget(2 << 20);
        Cancellation cancellation = new Cancellation();
        try (PlanRunner runner = new PlanRunner(2, 512);
                SpillFolder spills = SpillFolder.open(folder)) {
            try (QueryRun run = runner.start(plan, List.of(table), budget, new QuerySpill(spills, -1), cancellation)) {
                run.next().close();
                cancellation.cancel();
                assertThatThrownBy(() -> {
                            for (Batch batch = run.next(); batch != null; batch = run.next()) {
                                batch.close();
                            }
                        })
                        .isInstanceOfSatisfying(
                                QueryException.class,
                                error -> assertThat(error.state()).isEqualTo(SqlState.QUERY_CANCELED));
            }
            runner.checkNothingLeft(budget);
            assertThat(names(folder)).allMatch(name -> name.startsWith("quarrel-spill-") || name.equals("lock"));
        }
        assertThat(names(folder)).isEmpty();
    }

    @Test
    void boundOfBytesIsAnError() {
        assertThat(failure(2 << 20, 64 << 10)).isEqualTo(SqlState.CONFIGURATION_LIMIT_EXCEEDED);
    }

    @Test
    void folderThatCannotBeWrittenIsAnError() throws IOException {
        folder = Files.writeString(folder.resolve("a file"), "in the way");
        assertThat(failure(2 << 20, -1)).isEqualTo(SqlState.IO_ERROR);
    }

    @Test
    void fullDiskIsAnError() throws IOException, InterruptedException {
        Process mount = new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=256k", "none", folder.toString())
                .redirectErrorStream(true)
                .start();
        assumeTrue(mount.waitFor() == 0, "no right to mount a small tmpfs");
        try {
            assertThat(failure(1 << 20, -1)).isEqualTo(SqlState.DISK_FULL);
            assertThat(names(folder)).isEmpty();
        } finally {
            new ProcessBuilder("umount", folder.toString()).start().waitFor();
        }
    }

    private SqlState failure(long memory, long spillLimit) {
        MemoryTable table = table(new Random(SEED), 60_000, 2_000_000);
        PlanBuilder plans = new PlanBuilder();
        int groups = plans.scan(table).all().sink(new Sink.Aggregate(List.of(0, 1, 3), List.of()));
        QueryPlan plan = plans.rows(groups).all().result();
        MemoryBudget budget = new MemoryBudget(memory);
        try (PlanRunner runner = new PlanRunner(2, 512);
                SpillFolder spills = SpillFolder.open(folder)) {
            SqlState state = SqlState.SUCCESSFUL_COMPLETION;
            try {
                rows(runner, plan, budget, new QuerySpill(spills, spillLimit), table);
            } catch (QueryException error) {
                state = error.state();
                assertThat(error.getMessage()).contains(spillLimit < 0 ? folder.toString() : "temp_file_limit");
            }
            runner.checkNothingLeft(budget);
            return state;
        }
    }

    private void check(QueryPlan plan, String what, boolean ordered, long memory, Table... tables) {
        List<List<Object>> expected;
        try (PlanRunner runner = new PlanRunner(2, 512)) {
            expected = runner.rows(plan, tables);
        }
        if (!ordered) {
            expected = TestRows.ordered(expected);
        }
        for (int threads : new int[] {1, 3}) {
            MemoryBudget budget = new MemoryBudget(memory);
            try (PlanRunner runner = new PlanRunner(threads, 256);
                    SpillFolder spills = SpillFolder.open(folder)) {
                List<List<Object>> actual = rows(runner, plan, budget, new QuerySpill(spills, -1), tables);
                runner.checkNothingLeft(budget);
                assertThat(spilled).as("%s: bytes spilled", what).isPositive();
                assertThat(budget.peakBytes()).isLessThanOrEqualTo(memory + memory / 8);
                TestRows.assertSame(
                        ordered ? actual : TestRows.ordered(actual), expected, what + ", " + threads + " threads");
            }
        }
        assertThat(names(folder)).isEmpty();
    }

    private long spilled;

    private List<List<Object>> rows(
            PlanRunner runner, QueryPlan plan, MemoryBudget budget, QuerySpill spill, Table... tables) {
        List<List<Object>> rows = new ArrayList<>();
        spilled = 0;
        try (QueryRun run = runner.start(plan, List.of(tables), budget, spill, new Cancellation())) {
            for (Batch batch = run.next(); batch != null; batch = run.next()) {
                rows.addAll(TestRows.rows(batch));
                batch.close();
            }
            for (int pipeline = 0; pipeline < plan.pipelines().size(); pipeline++) {
                spilled += run.counters(pipeline).bytesSpilled.sum();
            }
        }
        return rows;
    }

    private static List<String> names(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.skip(1).map(file -> file.getFileName().toString()).toList();
        } catch (IOException problem) {
            throw new AssertionError(problem);
        }
    }

    private static MemoryTable table(Random random, int rowCount, int domain) {
        return TestRows.table("t", TYPES, TestRows.random(TYPES, rowCount, domain, 0.05, random), 5000, 3000, 1024);
    }

    private static List<Integer> some(Random random, int count) {
        return random.ints(0, TYPES.size()).distinct().limit(count).boxed().toList();
    }

    private static List<AggregateCall> calls(Random random) {
        List<AggregateCall> calls = new ArrayList<>();
        calls.add(new AggregateCall(AggregateKind.COUNT_STAR, -1, -1));
        for (int index = 0; index < 3; index++) {
            int column = random.nextInt(TYPES.size());
            for (AggregateKind kind :
                    List.of(AggregateKind.SUM, AggregateKind.AVG, AggregateKind.MIN, AggregateKind.MAX)) {
                if (kind.resultType(TYPES.get(column)) != null) {
                    calls.add(new AggregateCall(kind, column, -1));
                }
            }
        }
        return calls;
    }
}
