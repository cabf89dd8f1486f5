package dev.quarrel.core.cpu.group;

import dev.quarrel.core.cpu.PlanBuilder;
import dev.quarrel.core.cpu.PlanRunner;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Several grouping sets in one pass give the rows, to the bit, that groupings of their own give.
class GroupingSetsTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261126);
    private static final List<DataType> TYPES =
            List.of(DataType.INT64, DataType.UTF8, DataType.INT32, DataType.FLOAT64, DataType.NUMERIC);

    private static final List<Integer> KEYS = List.of(0, 1, 2);
    private static final List<AggregateCall> CALLS = List.of(
            new AggregateCall(AggregateKind.COUNT_STAR, -1, -1),
            new AggregateCall(AggregateKind.SUM, 3, -1),
            new AggregateCall(AggregateKind.AVG, 4, -1),
            new AggregateCall(AggregateKind.STDDEV_SAMP, 3, -1),
            new AggregateCall(AggregateKind.MAX, 2, -1));

    /// So many that workers merge them together, set after set.
    @Test
    void manyGroups() {
        check(90_000, 1 << 20, List.of(List.of(0, 1, 2), List.of(0, 1), List.of(0), List.of(1, 2), List.of()));
    }

    /// The finest groups are not asked for.
    @Test
    void manyGroupsOfCoarserSetsAlone() {
        check(90_000, 1 << 20, List.of(List.of(2), List.of(), List.of(0, 2), List.of()));
    }

    @Test
    void fewGroups() {
        check(20_000, 4, List.of(List.of(0, 1, 2), List.of(1), List.of(), List.of(1)));
    }

    @Test
    void noRow() {
        check(0, 4, List.of(List.of(0, 1, 2), List.of(1), List.of(), List.of()));
    }

    private static void check(int rowCount, int domain, List<List<Integer>> sets) {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        MemoryTable table =
                TestRows.table("t", TYPES, TestRows.random(TYPES, rowCount, domain, 0.05, random), 20_000, 9_000);
        List<Sink.GroupingSet> all = new ArrayList<>();
        sets.forEach(keys -> all.add(new Sink.GroupingSet(keys, List.of(all.size()))));
        try (PlanRunner runner = new PlanRunner(3, 1024)) {
            PlanBuilder plans = new PlanBuilder();
            int groups = plans.scan(table).all().sink(new Sink.Aggregate(KEYS, CALLS, all));
            List<List<Object>> actual = runner.rows(plans.rows(groups).all().result(), table);
            List<List<Object>> expected = new ArrayList<>();
            all.forEach(set -> expected.addAll(runner.groupsOfSet(table, KEYS, CALLS, set)));
            TestRows.assertSame(TestRows.ordered(actual), TestRows.ordered(expected), "sets " + sets);
        }
    }
}
