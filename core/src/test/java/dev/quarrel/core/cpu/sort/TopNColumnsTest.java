package dev.quarrel.core.cpu.sort;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.PlanBuilder;
import dev.quarrel.core.cpu.PlanRunner;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.run.QueryRun;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The first rows of an order over a wide table: the columns that are no keys are loaded for few rows.
class TopNColumnsTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261126L);
    private static final int ROWS = 60_000;
    private static final int WIDTH = 25;
    private static final int LIMIT = 7;

    private enum Order {
        RANDOM,
        WORSE_AND_WORSE,
        BETTER_AND_BETTER,
        EQUAL
    }

    @ParameterizedTest
    @EnumSource
    void fewRowsOfOtherColumnsAreLoaded(Order order) {
        Random random = new Random(SEED);
        List<List<Object>> rows = new ArrayList<>();
        for (int row = 0; row < ROWS; row++) {
            long key =
                    switch (order) {
                        case RANDOM -> random.nextInt(ROWS);
                        case WORSE_AND_WORSE -> row;
                        case BETTER_AND_BETTER -> ROWS - row;
                        case EQUAL -> 3;
                    };
            List<Object> values = new ArrayList<>(List.of(key));
            for (int column = 1; column < WIDTH; column++) {
                values.add((long) row * column);
            }
            rows.add(values);
        }
        MemoryTable table =
                TestRows.table("t", Collections.nCopies(WIDTH, DataType.INT64), rows, ROWS / 3, 5000, 1, 4097);
        List<List<Object>> expected = rows.stream()
                .sorted(Comparator.comparing(row -> (Long) row.getFirst()))
                .skip(2)
                .limit(LIMIT)
                .toList();
        PlanBuilder plans = new PlanBuilder();
        int sorted = plans.scan(table)
                .all()
                .sink(new Sink.Sort(List.of(new SortKey(0, false, false)), Sink.Bound.of(2), Sink.Bound.of(LIMIT)));
        QueryPlan plan = plans.rows(sorted).all().result();
        for (DeviceConfig.Tier tier : DeviceConfig.Tier.values()) {
            for (int threads : new int[] {1, 3}) {
                check(plan, table, expected, new DeviceConfig(threads, 4096, tier, 64 << 20), order);
            }
        }
    }

    private static void check(
            QueryPlan plan, MemoryTable table, List<List<Object>> expected, DeviceConfig config, Order order) {
        List<List<Object>> found = new ArrayList<>();
        try (PlanRunner runner = new PlanRunner(config);
                QueryRun run = runner.start(plan, List.of(table), new MemoryBudget(1 << 28), new Cancellation())) {
            for (Batch batch = run.next(); batch != null; batch = run.next()) {
                found.addAll(TestRows.rows(batch));
                batch.close();
            }
            assertThat(found).as("seed %s, %s, %s", SEED, order, config).isEqualTo(expected);
            // All columns would be 25 times the keys.
            assertThat(run.counters(0).bytesRead.sum()).isLessThan(ROWS * 8L * 3 / 2);
        }
    }
}
