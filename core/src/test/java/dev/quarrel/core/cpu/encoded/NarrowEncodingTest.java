package dev.quarrel.core.cpu.encoded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.ForwardingTable;
import dev.quarrel.core.cpu.PlanBuilder;
import dev.quarrel.core.cpu.PlanBuilder.Out;
import dev.quarrel.core.cpu.PlanRunner;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.TableStats;
import dev.quarrel.core.type.DataType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Integers kept in fewer bytes give the answers of those in the files.
@Tag("compiled")
class NarrowEncodingTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final int ROWS = 9_000;

    /// Values of a column.
    ///
    /// @param bytes that one takes when it is narrow; 0 where none is
    private record Span(DataType type, long least, long greatest, int bytes) {
        Object value(long number) {
            return type instanceof DataType.Decimal(int _, int scale) ? BigDecimal.valueOf(number, scale) : number;
        }

        Object random(Random random) {
            long number =
                    switch (random.nextInt(20)) {
                        case 0 -> least;
                        case 1 -> greatest;
                        default -> greatest == Long.MAX_VALUE ? greatest : random.nextLong(least, greatest + 1);
                    };
            return value(number);
        }
    }

    static Stream<Span> spans() {
        DataType decimal = new DataType.Decimal(12, 2);
        DataType wide = new DataType.Decimal(38, 0);
        return Stream.of(
                new Span(DataType.INT16, -128, 127, 1),
                new Span(DataType.INT16, 1000, 1255, 1),
                new Span(DataType.INT16, 1000, 1256, 0),
                new Span(DataType.INT32, 5, 5, 1),
                new Span(DataType.INT32, Integer.MIN_VALUE, Integer.MIN_VALUE + 255, 1),
                new Span(DataType.INT32, Integer.MAX_VALUE - 256, Integer.MAX_VALUE, 2),
                new Span(DataType.INT32, 19920101, 19981231, 2),
                new Span(DataType.INT32, 0, 65535, 2),
                new Span(DataType.INT32, 0, 65536, 0),
                new Span(DataType.DATE, 10_000, 10_255, 1),
                new Span(DataType.DATE, -40_000, 20_000, 2),
                new Span(DataType.INT64, -1, 254, 1),
                new Span(DataType.INT64, 1L << 40, (1L << 40) + 65_535, 2),
                new Span(DataType.INT64, 1L << 40, (1L << 40) + 65_536, 4),
                new Span(DataType.INT64, -(1L << 31), (1L << 31) - 1, 4),
                new Span(DataType.INT64, 0, (1L << 32) - 1, 4),
                new Span(DataType.INT64, 0, 1L << 32, 0),
                new Span(DataType.INT64, Long.MIN_VALUE, Long.MIN_VALUE + 300, 2),
                new Span(DataType.INT64, Long.MAX_VALUE - 300, Long.MAX_VALUE - 1, 0),
                new Span(DataType.INT64, Long.MIN_VALUE, Long.MAX_VALUE, 0),
                new Span(DataType.TIMESTAMP, 1_700_000_000_000_000L, 1_700_000_000_000_200L, 1),
                new Span(decimal, -50, 200, 1),
                new Span(decimal, 0, 10_494_950, 4),
                new Span(decimal, 0, 999_999_999_999L, 0),
                new Span(wide, 1L << 33, (1L << 33) + 70_000, 4));
    }

    private static final class WithRange extends ForwardingTable {
        private final TableStats stats;

        WithRange(Table table, Object least, Object greatest) {
            super(table);
            this.stats = new TableStats(
                    table.stats().rowCount(), List.of(new ColumnStats(-1, least, greatest, -1), ColumnStats.UNKNOWN));
        }

        @Override
        public TableStats stats() {
            return stats;
        }
    }

    private static MemoryTable table(Span span, Random random, int nullEvery) {
        List<List<Object>> rows = new ArrayList<>();
        for (int row = 0; row < ROWS; row++) {
            boolean isNull = nullEvery > 0 && row % nullEvery == 3;
            rows.add(TestRows.row(isNull ? null : span.random(random), (long) random.nextInt(5)));
        }
        return TestRows.table("t", List.of(span.type(), DataType.INT32), rows, 4_000, 1_111);
    }

    @ParameterizedTest
    @MethodSource("spans")
    void answersAreThoseOfTheFiles(Span span) {
        Random random = new Random(SEED);
        for (int nullEvery : new int[] {0, 7}) {
            WithRange table = new WithRange(
                    table(span, random, nullEvery), span.value(span.least()), span.value(span.greatest()));
            assertThat(NarrowEncoding.bytes(table, 0)).isEqualTo(span.bytes() == 0 ? -1 : (long) ROWS * span.bytes());
            assertThat(NarrowEncoding.bytes(table, 1)).isEqualTo(-1);
            check(table, span, random);
        }
    }

    /// Statistics that lie; the rows are right nevertheless.
    @Test
    void valuesOutsideOfStatisticsAreFound() {
        Random random = new Random(SEED);
        for (DataType type : List.of(DataType.INT32, DataType.INT64, new DataType.Decimal(20, 0))) {
            Span wide = new Span(type, -100_000, 100_000, 4);
            Object least = wide.value(0);
            Object greatest = wide.value(200);
            check(new WithRange(table(wide, random, 0), least, greatest), wide, random);
        }
    }

    /// Many queries at once, the first among them: one encodes, the others do without.
    @Test
    void queriesAtTheSameTime() throws InterruptedException {
        Random random = new Random(SEED);
        Span span = new Span(DataType.INT32, 0, 200, 1);
        WithRange table = new WithRange(table(span, random, 7), 0L, 200L);
        try (PlanRunner runner = new PlanRunner(2, 512)) {
            List<List<Object>> answers = Collections.synchronizedList(new ArrayList<>());
            List<Thread> clients = new ArrayList<>();
            for (int client = 0; client < 8; client++) {
                clients.add(Thread.ofPlatform().start(() -> {
                    QueryPlan plan = plans(table, span, 20L, 120L).getFirst();
                    for (int round = 0; round < 3; round++) {
                        MemoryBudget budget = new MemoryBudget(1L << 28);
                        try (ResultCursor cursor = runner.start(plan, List.of(table), budget, new Cancellation());
                                Batch answer = cursor.next()) {
                            answers.addAll(TestRows.rows(answer));
                        }
                    }
                }));
            }
            for (Thread client : clients) {
                client.join();
            }
            assertThat(answers).hasSize(24);
            assertThat(new HashSet<>(answers)).hasSize(1);
        }
    }

    private static void check(Table table, Span span, Random random) {
        try (PlanRunner narrow = new PlanRunner(2, 512);
                PlanRunner plain = new PlanRunner(new DeviceConfig(2, 512, DeviceConfig.Tier.INTERPRETED, 0))) {
            for (int trial = 0; trial < 3; trial++) {
                Object low = span.random(random);
                Object high = span.random(random);
                for (QueryPlan plan : plans(table, span, low, high)) {
                    List<List<Object>> expected = plain.rows(plan, table);
                    TestRows.assertSame(
                            TestRows.ordered(narrow.rows(plan, table)),
                            TestRows.ordered(expected),
                            "from " + low + " to " + high + ", seed " + SEED);
                }
            }
        }
    }

    private static List<QueryPlan> plans(Table table, Span span, Object low, Object high) {
        List<QueryPlan> plans = new ArrayList<>();
        List<AggregateCall> calls = List.of(
                new AggregateCall(AggregateKind.COUNT_STAR, -1, -1),
                new AggregateCall(AggregateKind.COUNT, 0, -1),
                new AggregateCall(AggregateKind.MIN, 0, -1),
                new AggregateCall(AggregateKind.MAX, 0, -1));
        PlanBuilder ranges = new PlanBuilder();
        int from = ranges.constant(span.type(), low);
        int to = ranges.constant(span.type(), high);
        int inRange = ranges.scan(table)
                .program(builder -> between(builder, span.type(), from, to))
                .sink(new Sink.Aggregate(List.of(), calls));
        plans.add(ranges.rows(inRange).all().result());

        PlanBuilder groups = new PlanBuilder();
        int grouped = groups.scan(table).all().sink(new Sink.Aggregate(List.of(0), calls));
        plans.add(groups.rows(grouped).all().result());

        PlanBuilder joins = new PlanBuilder();
        int first = joins.constant(span.type(), low);
        int second = joins.constant(span.type(), high);
        int build = joins.values(2, List.of(span.type()), List.of(first, second))
                .all()
                .build(List.of(0), List.of());
        int matched = joins.scan(table)
                .all()
                .join(JoinKind.SEMI, build, List.of(0))
                .all()
                .sink(new Sink.Aggregate(List.of(1), calls));
        plans.add(joins.rows(matched).all().result());
        return plans;
    }

    private static Out between(ProgramBuilder builder, DataType type, int from, int to) {
        int all = ProgramBuilder.ALL_ROWS;
        int value = builder.load(0, all);
        int isEnough =
                builder.value(greaterOrEqual(type), DataType.BOOL, all, 0, value, builder.constant(from, type, all));
        int first = builder.mask(Opcode.MASK_TRUE, all, isEnough);
        int isLittle =
                builder.value(lessOrEqual(type), DataType.BOOL, first, 0, value, builder.constant(to, type, first));
        return new Out(builder.mask(Opcode.MASK_TRUE, first, isLittle), List.of(value));
    }

    private static Opcode greaterOrEqual(DataType type) {
        return switch (type) {
            case DataType.Int16 _ -> Opcode.GE_INT16;
            case DataType.Int32 _ -> Opcode.GE_INT32;
            case DataType.Int64 _ -> Opcode.GE_INT64;
            case DataType.Date _ -> Opcode.GE_DATE;
            case DataType.Timestamp _ -> Opcode.GE_TIMESTAMP;
            default -> Opcode.GE_DECIMAL;
        };
    }

    private static Opcode lessOrEqual(DataType type) {
        return switch (type) {
            case DataType.Int16 _ -> Opcode.LE_INT16;
            case DataType.Int32 _ -> Opcode.LE_INT32;
            case DataType.Int64 _ -> Opcode.LE_INT64;
            case DataType.Date _ -> Opcode.LE_DATE;
            case DataType.Timestamp _ -> Opcode.LE_TIMESTAMP;
            default -> Opcode.LE_DECIMAL;
        };
    }
}
