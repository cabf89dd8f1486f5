package dev.quarrel.core.cpu.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.cpu.PlanBuilder;
import dev.quarrel.core.cpu.PlanRunner;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Groups so many that all workers merge them.
class GroupMergeTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final int ROWS = 200_000;

    /// By a sparse integer; by that and text, with NULLs; by three columns of more than 64 bits.
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void eachKeyIsOneGroup(int keyCount) {
        Random random = new Random(SEED);
        List<DataType> types = List.of(DataType.INT64, DataType.UTF8, DataType.FLOAT64, DataType.INT32);
        List<List<Object>> rows = new ArrayList<>();
        Map<List<Object>, long[]> expected = new HashMap<>();
        for (int row = 0; row < ROWS; row++) {
            long number = random.nextInt(90_000);
            List<Object> values = TestRows.row(
                    number % 1000 == 3 ? null : number * 7_777_777_777L,
                    number % 7 == 0 ? null : "n" + number % 11,
                    number % 13 == 0 ? -0.0 : number % 5 / 2.0,
                    (long) random.nextInt(1_000_000));
            rows.add(values);
            long[] state = expected.computeIfAbsent(
                    values.subList(0, keyCount).stream()
                            .map(TestRows::canonical)
                            .toList(),
                    _ -> new long[] {0, 0, Long.MIN_VALUE});
            state[0]++;
            state[1] += (long) values.get(3);
            state[2] = Math.max(state[2], (long) values.get(3));
        }
        MemoryTable table = TestRows.table("t", types, rows, 10_000);
        PlanBuilder plans = new PlanBuilder();
        int groups = plans.scan(table)
                .all()
                .sink(new Sink.Aggregate(
                        PlanBuilder.range(0, keyCount),
                        List.of(
                                new AggregateCall(AggregateKind.COUNT_STAR, -1, -1),
                                new AggregateCall(AggregateKind.SUM, 3, -1),
                                new AggregateCall(AggregateKind.MAX, 3, -1))));
        QueryPlan plan = plans.rows(groups).all().result();
        try (PlanRunner runner = new PlanRunner(3, 512)) {
            List<List<Object>> found = runner.rows(plan, table);
            assertThat(found).hasSameSizeAs(expected.keySet());
            for (List<Object> row : found) {
                List<Object> key = row.subList(0, keyCount).stream()
                        .map(TestRows::canonical)
                        .toList();
                long[] state = expected.get(key);
                assertThat(state).as("group %s", key).isNotNull();
                assertThat(row.subList(keyCount, row.size())).isEqualTo(List.of(state[0], state[1], state[2]));
            }
        }
    }
}
