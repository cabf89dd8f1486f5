package dev.quarrel.core.cpu.join;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.PlanBuilder;
import dev.quarrel.core.cpu.PlanRunner;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;

/// Times of plans shaped like the Star Schema Benchmark's, over 6 million generated rows. Run by hand:
/// `java … dev.quarrel.core.cpu.join.StarJoinTimes [threads [name]]`.
public final class StarJoinTimes {
    private static final int FACTS = 6_000_000;
    private static final int BATCH_ROWS = 1 << 20;
    private static final int PARTS = 200_000;
    private static final int SUPPLIERS = 2000;
    private static final int CUSTOMERS = 30_000;
    private static final int DAYS = 2557;
    private static final int RUNS = 15;

    private static String chosen = "";

    private StarJoinTimes() {}

    public static void main(String[] arguments) {
        int threads = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1;
        chosen = arguments.length > 1 ? arguments[1] : "";
        Random random = new Random(1);
        int[] dates = new int[DAYS];
        for (int day = 0; day < DAYS; day++) {
            LocalDate date = LocalDate.of(1992, 1, 1).plusDays(day);
            dates[day] = date.getYear() * 10_000 + date.getMonthValue() * 100 + date.getDayOfMonth();
        }
        MemoryTable fact = ints(
                "lineorder",
                FACTS,
                List.of("orderdate", "partkey", "suppkey", "custkey", "revenue", "discount", "quantity", "orderkey"),
                _ -> dates[random.nextInt(DAYS)],
                _ -> 1 + random.nextInt(PARTS),
                _ -> 1 + random.nextInt(SUPPLIERS),
                _ -> 1 + random.nextInt(CUSTOMERS),
                _ -> random.nextInt(100_000),
                _ -> random.nextInt(11),
                _ -> 1 + random.nextInt(50),
                row -> row / 4 * 8);
        MemoryTable date =
                ints("date", DAYS, List.of("datekey", "year"), row -> dates[row], row -> dates[row] / 10_000);
        MemoryTable part = coded("part", PARTS, 25, 1000, random);
        MemoryTable supplier = coded("supplier", SUPPLIERS, 5, 25, random);
        MemoryTable customer = coded("customer", CUSTOMERS, 5, 25, random);
        List<Table> tables = List.of(fact, date, part, supplier, customer);
        time("Q1.1 filter, product, sum", threads, q11(fact, date), tables);
        time("Q2.1 three joins, group by two", threads, q21(fact, date, part, supplier), tables);
        time("Q3.1 three joins, group by three", threads, q31(fact, date, customer, supplier), tables);
        time("sum of one column", threads, sum(fact), tables);
        time("group by 11, two sums", threads, group(fact, List.of(5)), tables);
        time("group by 2,557 × 50, two sums", threads, group(fact, List.of(0, 6)), tables);
        time("group by 1.5 million, two sums", threads, group(fact, List.of(7)), tables);
        time("top 10 of all", threads, sort(fact, 10), tables);
        time("sort of all by two", threads, sort(fact, Sink.NO_LIMIT), tables);
    }

    private static void time(String name, int threads, QueryPlan plan, List<Table> tables) {
        if (!name.startsWith(chosen)) {
            return;
        }
        try (PlanRunner runner = new PlanRunner(threads, 2048)) {
            long[] wall = new long[RUNS];
            long[] cpu = new long[RUNS];
            int rows = 0;
            for (int run = 0; run < RUNS; run++) {
                long start = System.nanoTime();
                long before = workerNanos();
                rows = runner.count(plan, tables);
                wall[run] = System.nanoTime() - start;
                cpu[run] = workerNanos() - before;
            }
            double first = wall[0] * 1e-6;
            Arrays.sort(wall);
            Arrays.sort(cpu);
            System.out.printf(
                    "%-34s %8d rows; wall: first %7.1f ms, median %7.1f ms, best %7.1f ms; workers' cpu: %6.2f ns/row,"
                            + " best %6.2f%n",
                    name,
                    rows,
                    first,
                    wall[RUNS / 2] * 1e-6,
                    wall[0] * 1e-6,
                    cpu[RUNS / 2] / (double) FACTS,
                    cpu[0] / (double) FACTS);
        }
    }

    /// On a busy machine the time that workers computed says more than the time that passed.
    public static long workerNanos() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("quarrel-worker"))
                .mapToLong(thread -> threads.getThreadCpuTime(thread.threadId()))
                .sum();
    }

    private static QueryPlan q11(MemoryTable fact, MemoryTable date) {
        PlanBuilder plans = new PlanBuilder();
        int year = plans.constant(DataType.INT32, 1993L);
        int one = plans.constant(DataType.INT32, 1L);
        int three = plans.constant(DataType.INT32, 3L);
        int limit = plans.constant(DataType.INT32, 25L);
        int days = plans.scan(date)
                .program(builder -> {
                    int is = compare(builder, Opcode.EQ_INT32, 0, 1, year);
                    int chosen = builder.mask(Opcode.MASK_TRUE, 0, is);
                    return new PlanBuilder.Out(chosen, List.of(builder.load(0, chosen)));
                })
                .build(List.of(0), List.of());
        int groups = plans.scan(fact)
                .program(builder -> {
                    int first = builder.mask(Opcode.MASK_TRUE, 0, compare(builder, Opcode.GE_INT32, 0, 5, one));
                    int second =
                            builder.mask(Opcode.MASK_TRUE, first, compare(builder, Opcode.LE_INT32, first, 5, three));
                    int third =
                            builder.mask(Opcode.MASK_TRUE, second, compare(builder, Opcode.LT_INT32, second, 6, limit));
                    return new PlanBuilder.Out(
                            third, List.of(builder.load(0, third), builder.load(4, third), builder.load(5, third)));
                })
                .join(JoinKind.SEMI, days, List.of(0))
                .program(builder -> new PlanBuilder.Out(
                        0,
                        List.of(builder.value(
                                Opcode.MUL_INT32, DataType.INT32, 0, 0, builder.load(1, 0), builder.load(2, 0)))))
                .sink(new Sink.Aggregate(List.of(), List.of(new AggregateCall(AggregateKind.SUM, 0, -1))));
        return plans.rows(groups).all().result();
    }

    private static int compare(ProgramBuilder builder, Opcode op, int mask, int input, int slot) {
        return builder.value(
                op, DataType.BOOL, mask, 0, builder.load(input, mask), builder.constant(slot, DataType.INT32, mask));
    }

    /// Builds from key, group code 0 (of few) = 0, and the text.
    private static int dimension(PlanBuilder plans, MemoryTable table, long chosenCode) {
        int code = plans.constant(DataType.INT32, chosenCode);
        return plans.scan(table)
                .program(builder -> {
                    int chosen = builder.mask(Opcode.MASK_TRUE, 0, compare(builder, Opcode.EQ_INT32, 0, 1, code));
                    return new PlanBuilder.Out(chosen, List.of(builder.load(0, chosen), builder.load(2, chosen)));
                })
                .build(List.of(0), List.of(1));
    }

    private static QueryPlan q21(MemoryTable fact, MemoryTable date, MemoryTable part, MemoryTable supplier) {
        PlanBuilder plans = new PlanBuilder();
        int parts = dimension(plans, part, 3);
        int suppliers = dimension(plans, supplier, 1);
        int days = plans.scan(date).all().build(List.of(0), List.of(1));
        int groups = plans.scan(fact)
                .program(builder -> new PlanBuilder.Out(
                        0, List.of(builder.load(0, 0), builder.load(1, 0), builder.load(2, 0), builder.load(4, 0))))
                .join(JoinKind.INNER, parts, List.of(1))
                .all()
                .join(JoinKind.SEMI, suppliers, List.of(2))
                .all()
                .join(JoinKind.INNER, days, List.of(0))
                .all()
                .sink(new Sink.Aggregate(List.of(5, 4), List.of(new AggregateCall(AggregateKind.SUM, 3, -1))));
        int sorted = plans.rows(groups)
                .all()
                .sink(new Sink.Sort(
                        List.of(new SortKey(0, false, false), new SortKey(1, false, false)),
                        Sink.Bound.ZERO,
                        Sink.Bound.NONE));
        return plans.rows(sorted).all().result();
    }

    private static QueryPlan q31(MemoryTable fact, MemoryTable date, MemoryTable customer, MemoryTable supplier) {
        PlanBuilder plans = new PlanBuilder();
        int customers = dimension(plans, customer, 2);
        int suppliers = dimension(plans, supplier, 2);
        int last = plans.constant(DataType.INT32, 1997L);
        int days = plans.scan(date)
                .program(builder -> {
                    int chosen = builder.mask(Opcode.MASK_TRUE, 0, compare(builder, Opcode.LE_INT32, 0, 1, last));
                    return new PlanBuilder.Out(chosen, List.of(builder.load(0, chosen), builder.load(1, chosen)));
                })
                .build(List.of(0), List.of(1));
        int groups = plans.scan(fact)
                .program(builder -> new PlanBuilder.Out(
                        0, List.of(builder.load(0, 0), builder.load(3, 0), builder.load(2, 0), builder.load(4, 0))))
                .join(JoinKind.INNER, suppliers, List.of(2))
                .all()
                .join(JoinKind.INNER, customers, List.of(1))
                .all()
                .join(JoinKind.INNER, days, List.of(0))
                .all()
                .sink(new Sink.Aggregate(List.of(4, 5, 6), List.of(new AggregateCall(AggregateKind.SUM, 3, -1))));
        return plans.rows(groups).all().result();
    }

    private static QueryPlan sum(MemoryTable fact) {
        PlanBuilder plans = new PlanBuilder();
        int groups = plans.scan(fact)
                .program(builder -> new PlanBuilder.Out(0, List.of(builder.load(4, 0))))
                .sink(new Sink.Aggregate(List.of(), List.of(new AggregateCall(AggregateKind.SUM, 0, -1))));
        return plans.rows(groups).all().result();
    }

    private static QueryPlan group(MemoryTable fact, List<Integer> keys) {
        PlanBuilder plans = new PlanBuilder();
        int groups = plans.scan(fact)
                .all()
                .sink(new Sink.Aggregate(
                        keys,
                        List.of(
                                new AggregateCall(AggregateKind.SUM, 4, -1),
                                new AggregateCall(AggregateKind.SUM, 6, -1))));
        return plans.rows(groups).all().result();
    }

    private static QueryPlan sort(MemoryTable fact, long limit) {
        PlanBuilder plans = new PlanBuilder();
        int sorted = plans.scan(fact)
                .program(builder ->
                        new PlanBuilder.Out(0, List.of(builder.load(4, 0), builder.load(0, 0), builder.load(1, 0))))
                .sink(new Sink.Sort(
                        List.of(new SortKey(0, true, false), new SortKey(1, false, false)),
                        Sink.Bound.ZERO,
                        Sink.Bound.of(limit)));
        return plans.rows(sorted).all().result();
    }

    /// A table of int32 columns.
    private static MemoryTable ints(String name, int rows, List<String> names, IntUnaryOperator... values) {
        List<Field> fields = names.stream()
                .map(column -> new Field(column, DataType.INT32, false))
                .toList();
        List<Batch> batches = new ArrayList<>();
        for (int from = 0; from < rows; from += BATCH_ROWS) {
            int count = Math.min(BATCH_ROWS, rows - from);
            List<Column> columns = new ArrayList<>();
            for (IntUnaryOperator value : values) {
                MemorySegment segment = Arena.global().allocate(count * 4L);
                for (int row = 0; row < count; row++) {
                    segment.setAtIndex(ValueLayout.JAVA_INT, row, value.applyAsInt(from + row));
                }
                columns.add(new FixedColumn(DataType.INT32, count, segment, Validity.allPresent()));
            }
            batches.add(Batch.view(new Schema(fields), columns, count));
        }
        return new MemoryTable("public", name, new Schema(fields), batches);
    }

    /// Key 1…rows, a code below `codes`, and one of `texts` texts by dictionary.
    private static MemoryTable coded(String name, int rows, int codes, int texts, Random random) {
        List<Object> entries = new ArrayList<>();
        for (int text = 0; text < texts; text++) {
            entries.add(name + "#" + text);
        }
        Dictionary dictionary = new Dictionary((Utf8Column) TestRows.column(DataType.UTF8, entries));
        MemoryTable ints = ints(
                name,
                rows,
                List.of("key", "code", "text"),
                row -> row + 1,
                _ -> random.nextInt(codes),
                _ -> random.nextInt(texts));
        Schema schema = Schema.of(
                new Field("key", DataType.INT32, false),
                new Field("code", DataType.INT32, false),
                new Field("text", DataType.UTF8, false));
        Batch batch = ints.read(0, new int[] {0, 1, 2});
        FixedColumn numbers = (FixedColumn) batch.column(2);
        Column text = new DictionaryColumn(rows, numbers.values(), 4, dictionary, Validity.allPresent());
        return new MemoryTable(
                "public",
                name,
                schema,
                List.of(Batch.view(schema, List.of(batch.column(0), batch.column(1), text), rows)));
    }
}
