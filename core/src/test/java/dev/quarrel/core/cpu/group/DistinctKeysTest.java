package dev.quarrel.core.cpu.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.cpu.ForwardingTable;
import dev.quarrel.core.cpu.PlanBuilder;
import dev.quarrel.core.cpu.PlanRunner;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.TableStats;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Groups without aggregates whose keys lie in known ranges: a bit each.
class DistinctKeysTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final List<DataType> TYPES = List.of(DataType.INT32, DataType.INT16, DataType.DATE, DataType.INT64);

    private static final class WithRanges extends ForwardingTable {
        private final TableStats stats;

        WithRanges(Table table, List<ColumnStats> columns) {
            super(table);
            this.stats = new TableStats(table.stats().rowCount(), columns);
        }

        @Override
        public TableStats stats() {
            return stats;
        }
    }

    /// @param rows of the table
    /// @param span of the first key's values
    /// @param nullEvery each so many-th row has a NULL key: the tiles around it go another way
    /// @param beyond how far values lie beyond what statistics say
    @ParameterizedTest
    @CsvSource({
        "0, 10, 0, 0",
        "1, 1, 0, 0",
        "100, 63, 0, 0",
        "5000, 64, 0, 0",
        "5000, 65, 1000, 0",
        "60000, 7, 0, 3",
        "200000, 300000, 0, 0",
        "200000, 300000, 100000, 0"
    })
    void eachIsFoundOnce(int rows, int span, int nullEvery, int beyond) {
        Random random = new Random(SEED + rows + span);
        long least = -span / 2;
        List<List<Object>> values = new ArrayList<>();
        Set<List<Object>> expected = new HashSet<>();
        for (int row = 0; row < rows; row++) {
            boolean isNull = nullEvery > 0 && row % nullEvery == nullEvery - 1;
            List<Object> made = TestRows.row(
                    isNull ? null : least + random.nextInt(span + beyond),
                    (long) random.nextInt(3) - 1,
                    (long) random.nextInt(2) + 8000,
                    1L << 40);
            values.add(made);
            expected.add(made);
        }
        MemoryTable memory = TestRows.table("t", TYPES, values, 10_000, 7777);
        WithRanges table = new WithRanges(
                memory,
                List.of(
                        new ColumnStats(-1, least, least + span - 1, -1),
                        new ColumnStats(0, -1L, 1L, 3),
                        new ColumnStats(0, 8000L, 8001L, 2),
                        new ColumnStats(0, 1L << 40, 1L << 40, 1)));
        PlanBuilder plans = new PlanBuilder();
        int keys = plans.scan(table).all().sink(new Sink.Aggregate(List.of(0, 1, 2, 3), List.of()));
        QueryPlan plan = plans.rows(keys).all().result();
        for (int threads : new int[] {1, 3}) {
            try (PlanRunner runner = new PlanRunner(threads, 512)) {
                List<List<Object>> found = runner.rows(plan, table);
                assertThat(found).hasSameSizeAs(expected);
                assertThat(new HashSet<>(found)).isEqualTo(expected);
            }
        }
    }
}
