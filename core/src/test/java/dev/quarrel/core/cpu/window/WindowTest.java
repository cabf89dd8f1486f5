package dev.quarrel.core.cpu.window;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.cpu.PlanBuilder;
import dev.quarrel.core.cpu.PlanRunner;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.cpu.group.Accumulator;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.sort.SortTest;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.ir.WindowCall;
import dev.quarrel.core.ir.WindowFrame;
import dev.quarrel.core.ir.WindowFrame.Edge;
import dev.quarrel.core.ir.WindowFrame.EdgeKind;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Window functions against frames by their definition: every row of a partition is asked whether it belongs.
class WindowTest {
    static final List<DataType> TYPES = List.of(
            DataType.INT32, // 0: partition
            DataType.INT64, // 1: order
            DataType.INT64, // 2: order less 4
            DataType.INT64, // 3: order plus 7
            DataType.INT64, // 4: 2
            DataType.INT64, // 5: 3
            DataType.INT32, // 6: values
            DataType.INT64,
            new DataType.Decimal(12, 2),
            new DataType.Decimal(38, 3),
            DataType.NUMERIC, // 10
            DataType.FLOAT64,
            DataType.FLOAT32,
            DataType.UTF8,
            DataType.BOOL, // 14: filter
            DataType.INT32, // 15: distance
            DataType.FLOAT64, // 16: with NaN and -0
            DataType.INT16); // 17

    static List<List<Object>> rows(int count, int partitions, int keys, Random random) {
        List<List<Object>> rows = new ArrayList<>();
        for (int row = 0; row < count; row++) {
            Long key = random.nextInt(10) == 0 ? null : (Long) (long) random.nextInt(keys);
            List<Object> values = new ArrayList<>();
            values.add(random.nextInt(20) == 0 ? null : (Object) (long) random.nextInt(partitions));
            values.add(key);
            values.add(key == null ? null : key - 4);
            values.add(key == null ? null : key + 7);
            values.add(2L);
            values.add(3L);
            for (int column = 6; column < 11; column++) {
                values.add(TestRows.random(TYPES.get(column), 100, 0.2, random));
            }
            values.add(random.nextInt(6) == 0 ? null : (Object) (random.nextGaussian() * 1000));
            values.add(random.nextInt(6) == 0 ? null : (Object) (float) random.nextGaussian());
            values.add(TestRows.random(DataType.UTF8, 50, 0.2, random));
            values.add(TestRows.random(DataType.BOOL, 50, 0.1, random));
            values.add(random.nextInt(9) == 0 ? null : (Object) (random.nextInt(6) - 1L));
            values.add(TestRows.random(DataType.FLOAT64, 20, 0.2, random));
            values.add(TestRows.random(DataType.INT16, 50, 0.2, random));
            rows.add(values);
        }
        return rows;
    }

    static List<WindowFrame> frames() {
        List<WindowFrame> frames = new ArrayList<>();
        for (WindowFrame.Mode mode : WindowFrame.Mode.values()) {
            boolean isRange = mode == WindowFrame.Mode.RANGE;
            List<Edge> starts = List.of(
                    Edge.of(EdgeKind.UNBOUNDED_PRECEDING),
                    new Edge(EdgeKind.PRECEDING, isRange ? -1 : 5, isRange ? 2 : -1),
                    Edge.of(EdgeKind.CURRENT_ROW),
                    new Edge(EdgeKind.FOLLOWING, isRange ? -1 : 4, isRange ? 3 : -1));
            List<Edge> ends = List.of(
                    new Edge(EdgeKind.PRECEDING, isRange ? -1 : 4, isRange ? 2 : -1),
                    Edge.of(EdgeKind.CURRENT_ROW),
                    new Edge(EdgeKind.FOLLOWING, isRange ? -1 : 5, isRange ? 3 : -1),
                    Edge.of(EdgeKind.UNBOUNDED_FOLLOWING));
            for (Edge start : starts) {
                for (Edge end : ends) {
                    for (WindowFrame.Exclusion exclusion : WindowFrame.Exclusion.values()) {
                        frames.add(new WindowFrame(mode, start, end, exclusion));
                    }
                }
            }
        }
        return frames;
    }

    static List<WindowCall> calls(WindowFrame frame) {
        List<WindowCall> calls = new ArrayList<>();
        calls.add(aggregate(AggregateKind.COUNT_STAR, -1, -1, frame));
        calls.add(aggregate(AggregateKind.COUNT, 6, 14, frame));
        for (int column : new int[] {6, 7, 8, 9, 10, 11, 12, 16, 17}) {
            calls.add(aggregate(AggregateKind.SUM, column, column % 2 == 0 ? -1 : 14, frame));
            calls.add(aggregate(AggregateKind.AVG, column, -1, frame));
            calls.add(aggregate(AggregateKind.MIN, column, column % 3 == 0 ? 14 : -1, frame));
            calls.add(aggregate(AggregateKind.MAX, column, -1, frame));
        }
        calls.add(aggregate(AggregateKind.MIN, 13, -1, frame));
        calls.add(aggregate(AggregateKind.BOOL_AND, 14, -1, frame));
        calls.add(aggregate(AggregateKind.BIT_XOR, 6, -1, frame));
        calls.add(aggregate(AggregateKind.STDDEV_SAMP, 9, 14, frame));
        calls.add(aggregate(AggregateKind.VAR_POP, 11, -1, frame));
        calls.add(of(AggregateKind.COVAR_POP, 14, frame, 11, 16));
        calls.add(of(AggregateKind.REGR_COUNT, -1, frame, 16, 11));
        calls.add(of(AggregateKind.STRING_AGG, 14, frame, 13, 13));
        calls.add(new WindowCall.Pick(WindowCall.PickKind.FIRST_VALUE, 13, -1, frame));
        calls.add(new WindowCall.Pick(WindowCall.PickKind.LAST_VALUE, 10, -1, frame));
        return calls;
    }

    private static WindowCall aggregate(AggregateKind kind, int argument, int filter, WindowFrame frame) {
        return new WindowCall.Aggregate(new AggregateCall(kind, argument, filter), frame);
    }

    private static WindowCall of(AggregateKind kind, int filter, WindowFrame frame, Integer... arguments) {
        return new WindowCall.Aggregate(new AggregateCall(kind, List.of(arguments), filter), frame);
    }

    @Test
    void framesAreThoseOfTheirDefinition() {
        long seed = Long.getLong("quarrel.seed", 20261121L);
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        framesAreThoseOfTheirDefinition(60, 4, random);
    }

    @Test
    @Tag("nightly")
    void allFramesAreThoseOfTheirDefinition() {
        framesAreThoseOfTheirDefinition(150, 1, new Random(Long.getLong("quarrel.seed", 20261121L)));
    }

    /// @param part one frame of so many is tried
    private static void framesAreThoseOfTheirDefinition(int rowCount, int part, Random random) {
        List<List<Object>> rows = rows(rowCount, 3, 12, random);
        MemoryTable table = TestRows.table("t", TYPES, rows, 40, 31);
        int number = 0;
        for (WindowFrame frame : frames()) {
            if (random.nextInt(part) > 0) {
                continue;
            }
            boolean descending = number++ % 3 == 0;
            boolean needsAscending = frame.mode() == WindowFrame.Mode.RANGE
                    && (frame.start().kind().hasOffset() || frame.end().kind().hasOffset());
            SortKey order = new SortKey(1, descending && !needsAscending, number % 2 == 0);
            check(table, rows, new Sink.Window(List.of(0), List.of(order), calls(frame)), 1, 7);
        }
    }

    @Test
    void longFramesComeFromTrees() {
        Random random = new Random(11);
        List<List<Object>> rows = rows(300, 2, 40, random); // partitions of several levels
        MemoryTable table = TestRows.table("t", TYPES, rows, 250, 31);
        for (WindowFrame frame : List.of(
                WindowFrame.TO_PEERS,
                WindowFrame.PARTITION,
                new WindowFrame(
                        WindowFrame.Mode.ROWS,
                        Edge.of(EdgeKind.CURRENT_ROW),
                        Edge.of(EdgeKind.UNBOUNDED_FOLLOWING),
                        WindowFrame.Exclusion.TIES))) {
            check(table, rows, new Sink.Window(List.of(0), List.of(new SortKey(1, true, true)), calls(frame)), 2, 2048);
        }
    }

    @Test
    void positionsAndShifts() {
        Random random = new Random(12);
        List<WindowCall> calls = new ArrayList<>();
        for (WindowCall.PositionKind kind : WindowCall.PositionKind.values()) {
            calls.add(new WindowCall.Position(kind));
        }
        calls.add(new WindowCall.Shift(13, -1, -1, false));
        calls.add(new WindowCall.Shift(10, 15, -1, true));
        calls.add(new WindowCall.Shift(6, 15, 15, false));
        for (int count : new int[] {0, 1, 31, 64, 300}) {
            List<List<Object>> rows = rows(count, 4, 9, random);
            MemoryTable table = TestRows.table("t", TYPES, rows, 40, 31);
            check(table, rows, new Sink.Window(List.of(0), List.of(new SortKey(1, true, false)), calls), 1, 2048);
            check(table, rows, new Sink.Window(List.of(), List.of(), calls), 3, 7);
            check(table, rows, new Sink.Window(List.of(0, 14), List.of(), calls), 2, 64);
        }
    }

    @Test
    void manyRowsAreTheSameOnAnyThreads() {
        Random random = new Random(13);
        List<List<Object>> rows = rows(70_000, 500, 5000, random);
        MemoryTable table = TestRows.table("t", TYPES, rows, 40_000);
        List<WindowCall> all = calls(WindowFrame.TO_PEERS);
        List<WindowCall> calls = new ArrayList<>();
        for (int index = 0; index < all.size(); index += 4) {
            calls.add(all.get(index));
        }
        calls.add(new WindowCall.Position(WindowCall.PositionKind.RANK));
        for (List<Integer> partition : List.of(List.of(0), List.<Integer>of())) {
            Sink.Window sink = new Sink.Window(partition, List.of(new SortKey(1, false, false)), calls);
            List<List<Object>> one = run(table, sink, 1, 2048);
            List<List<Object>> three = run(table, sink, 3, 512);
            assertThat(one).hasSize(rows.size());
            TestRows.assertSame(three, one, "windows by " + partition);
        }
    }

    @Test
    void firstRowsOfPartitionsAreAmongWhatIsKept() {
        Random random = new Random(14);
        List<WindowCall> calls = List.of(
                new WindowCall.Position(WindowCall.PositionKind.ROW_NUMBER),
                new WindowCall.Position(WindowCall.PositionKind.RANK),
                new WindowCall.Position(WindowCall.PositionKind.DENSE_RANK));
        for (int partitions : new int[] {1, 7, 30_000}) {
            List<List<Object>> rows = new ArrayList<>();
            for (int row = 0; row < 90_000; row++) {
                Object key = random.nextInt(10) == 0 ? null : (Object) (long) random.nextInt(400);
                rows.add(TestRows.row(
                        random.nextInt(20) == 0 ? null : (Object) (long) random.nextInt(partitions),
                        key,
                        "row " + row));
            }
            List<DataType> types = List.of(DataType.INT32, DataType.INT64, DataType.UTF8);
            MemoryTable table = TestRows.table("t", types, rows, 30_000);
            for (List<Integer> partition :
                    partitions == 7 ? List.of(List.of(0), List.<Integer>of()) : List.of(List.of(0))) {
                List<SortKey> order = List.of(new SortKey(1, true, false));
                List<List<Object>> all = run(table, new Sink.Window(partition, order, calls), 2, 2048);
                for (Sink.Window.Ties ties : Sink.Window.Ties.values()) {
                    int shown = types.size() + ties.ordinal();
                    for (long first : new long[] {0, 1, 100}) {
                        Sink.Window sink = new Sink.Window(partition, order, calls, new Sink.Window.First(first, ties));
                        List<List<Object>> kept = run(table, sink, 2, 2048);
                        if (partitions < 10) {
                            assertThat(kept.size()).as(sink.toString()).isLessThan(rows.size() / 2);
                        }
                        TestRows.assertSame(upTo(kept, shown, first), upTo(all, shown, first), sink.toString());
                    }
                }
            }
        }
    }

    private static List<List<Object>> upTo(List<List<Object>> rows, int column, long last) {
        return rows.stream().filter(row -> (long) row.get(column) <= last).toList();
    }

    @Test
    void badArgumentsAreErrors() {
        List<DataType> types = List.of(DataType.INT64, DataType.INT32, DataType.INT64, DataType.INT64);
        MemoryTable table = TestRows.table("t", types, List.of(TestRows.row(1L, 0L, -1L, null)), 1);
        assertThat(state(table, new WindowCall.Ntile(1))).isEqualTo(SqlState.INVALID_ARGUMENT_FOR_NTILE);
        assertThat(state(table, new WindowCall.Pick(WindowCall.PickKind.NTH_VALUE, 0, 1, WindowFrame.PARTITION)))
                .isEqualTo(SqlState.INVALID_ARGUMENT_FOR_NTH_VALUE);
        for (int offset : new int[] {2, 3}) {
            WindowFrame frame = new WindowFrame(
                    WindowFrame.Mode.ROWS,
                    new Edge(EdgeKind.PRECEDING, offset, -1),
                    Edge.of(EdgeKind.CURRENT_ROW),
                    WindowFrame.Exclusion.NO_OTHERS);
            assertThat(state(table, aggregate(AggregateKind.COUNT_STAR, -1, -1, frame)))
                    .isEqualTo(
                            offset == 2
                                    ? SqlState.INVALID_PRECEDING_OR_FOLLOWING_SIZE
                                    : SqlState.NULL_VALUE_NOT_ALLOWED);
        }
    }

    private static SqlState state(MemoryTable table, WindowCall call) {
        PlanBuilder plans = new PlanBuilder();
        int made = plans.scan(table).all().sink(new Sink.Window(List.of(), List.of(), List.of(call)));
        try (PlanRunner runner = new PlanRunner(1, 2048)) {
            return runner.failure(plans.rows(made).all().result(), new MemoryBudget(1 << 24), table);
        }
    }

    private static List<List<Object>> run(MemoryTable table, Sink.Window sink, int threads, int tileRows) {
        PlanBuilder plans = new PlanBuilder();
        QueryPlan plan = plans.rows(plans.scan(table).all().sink(sink)).all().result();
        try (PlanRunner runner = new PlanRunner(threads, tileRows)) {
            return runner.rows(plan, table);
        }
    }

    private static void check(MemoryTable table, List<List<Object>> rows, Sink.Window sink, int threads, int tileRows) {
        List<List<Object>> sorted =
                rows.stream().sorted(SortTest.comparator(sink.keys())).toList();
        List<List<Object>> expected = new ArrayList<>();
        List<SortKey> partitionKeys = sink.keys().subList(0, sink.partition().size());
        int first = 0;
        while (first < sorted.size()) {
            int end = first + 1;
            Comparator<List<Object>> same = SortTest.comparator(partitionKeys);
            while (end < sorted.size() && same.compare(sorted.get(first), sorted.get(end)) == 0) {
                end++;
            }
            expected.addAll(answers(sorted.subList(first, end), sink));
            first = end;
        }
        TestRows.assertSame(run(table, sink, threads, tileRows), expected, sink.toString());
    }

    private static List<List<Object>> answers(List<List<Object>> partition, Sink.Window sink) {
        List<List<Object>> answers = new ArrayList<>();
        Comparator<List<Object>> order = SortTest.comparator(sink.order());
        int[] group = new int[partition.size()];
        for (int row = 1; row < group.length; row++) {
            group[row] = group[row - 1] + (order.compare(partition.get(row - 1), partition.get(row)) == 0 ? 0 : 1);
        }
        for (int row = 0; row < group.length; row++) {
            List<Object> answer = new ArrayList<>(partition.get(row));
            for (WindowCall call : sink.calls()) {
                answer.add(answer(partition, group, row, call, sink.order()));
            }
            answers.add(answer);
        }
        return answers;
    }

    private static Object answer(
            List<List<Object>> partition, int[] group, int row, WindowCall call, List<SortKey> order) {
        int firstPeer = row;
        while (firstPeer > 0 && group[firstPeer - 1] == group[row]) {
            firstPeer--;
        }
        int endPeer = row + 1;
        while (endPeer < group.length && group[endPeer] == group[row]) {
            endPeer++;
        }
        return switch (call) {
            case WindowCall.Position(WindowCall.PositionKind kind) ->
                switch (kind) {
                    case ROW_NUMBER -> row + 1L;
                    case RANK -> firstPeer + 1L;
                    case DENSE_RANK -> group[row] + 1L;
                    case PERCENT_RANK -> group.length == 1 ? 0.0 : firstPeer / (group.length - 1.0);
                    case CUME_DIST -> endPeer / (double) group.length;
                };
            case WindowCall.Ntile _ -> throw new IllegalArgumentException("tested against PostgreSQL");
            case WindowCall.Shift(int argument, int distance, int fallback, boolean forward) -> {
                Long steps =
                        distance < 0 ? (Long) 1L : (Long) partition.get(row).get(distance);
                if (steps == null) {
                    yield null;
                }
                long place = row + (forward ? steps : -steps);
                yield place >= 0 && place < group.length
                        ? partition.get((int) place).get(argument)
                        : fallback < 0 ? null : partition.get(row).get(fallback);
            }
            case WindowCall.Pick(WindowCall.PickKind kind, int argument, int _, WindowFrame frame) -> {
                List<List<Object>> seen = frame(partition, group, row, frame, order);
                yield seen.isEmpty()
                        ? null
                        : (kind == WindowCall.PickKind.FIRST_VALUE ? seen.getFirst() : seen.getLast()).get(argument);
            }
            case WindowCall.Aggregate(AggregateCall aggregate, WindowFrame frame) ->
                aggregate(frame(partition, group, row, frame, order), aggregate);
        };
    }

    private static List<List<Object>> frame(
            List<List<Object>> partition, int[] group, int row, WindowFrame frame, List<SortKey> order) {
        List<List<Object>> seen = new ArrayList<>();
        for (int other = 0; other < group.length; other++) {
            boolean isExcluded =
                    switch (frame.exclusion()) {
                        case NO_OTHERS -> false;
                        case CURRENT_ROW -> other == row;
                        case GROUP -> group[other] == group[row];
                        case TIES -> group[other] == group[row] && other != row;
                    };
            if (!isExcluded
                    && distance(partition, group, row, other, frame, frame.start(), order) >= 0
                    && distance(partition, group, row, other, frame, frame.end(), order) <= 0) {
                seen.add(partition.get(other));
            }
        }
        return seen;
    }

    /// Whether `other` lies before, at or behind an edge.
    private static int distance(
            List<List<Object>> partition,
            int[] group,
            int row,
            int other,
            WindowFrame frame,
            Edge edge,
            List<SortKey> order) {
        boolean isRows = frame.mode() == WindowFrame.Mode.ROWS;
        return switch (edge.kind()) {
            case UNBOUNDED_PRECEDING -> 1;
            case UNBOUNDED_FOLLOWING -> -1;
            case CURRENT_ROW -> isRows ? Integer.compare(other, row) : Integer.compare(group[other], group[row]);
            case PRECEDING, FOLLOWING -> {
                if (frame.mode() == WindowFrame.Mode.RANGE) {
                    Object key = partition.get(other).get(order.getFirst().output());
                    Object limit = partition.get(row).get(edge.value());
                    yield key == null || limit == null
                            ? key == limit ? 0 : key == null == order.getFirst().nullsFirst() ? -1 : 1
                            : Long.compare((Long) key, (Long) limit);
                }
                long offset =
                        (Long) partition.get(row).get(edge.offset()) * (edge.kind() == EdgeKind.PRECEDING ? -1 : 1);
                yield isRows ? Long.compare(other, row + offset) : Long.compare(group[other], group[row] + offset);
            }
        };
    }

    /// By the accumulator that grouping uses.
    private static Object aggregate(List<List<Object>> rows, AggregateCall call) {
        List<DataType> types = call.arguments().isEmpty()
                ? List.of(DataType.INT32)
                : call.arguments().stream().map(TYPES::get).toList();
        List<List<Object>> counted = new ArrayList<>();
        for (List<Object> row : rows) {
            if (call.filter() >= 0 && !Boolean.TRUE.equals(row.get(call.filter()))) {
                continue;
            }
            List<Object> values = new ArrayList<>(call.arguments().isEmpty() ? List.of(0L) : List.of());
            for (int argument : call.arguments()) { // no stream: there are millions
                values.add(row.get(argument));
            }
            if (!values.contains(null)) {
                counted.add(values);
            }
        }
        if (call.kind() == AggregateKind.STRING_AGG) {
            StringBuilder text = new StringBuilder();
            counted.forEach(values -> text.append(text.isEmpty() && values == counted.getFirst() ? "" : values.get(1))
                    .append(values.get(0)));
            return counted.isEmpty() ? null : text.toString();
        }
        MemoryBudget budget = new MemoryBudget(1L << 30);
        try (Reservation memory = new Reservation(budget);
                BudgetArena arena = new BudgetArena(budget)) {
            Accumulator sums = Accumulator.of(call, types.getFirst(), memory);
            sums.ensure(1);
            if (!counted.isEmpty()) {
                int count = counted.size();
                BatchInput input = new BatchInput(types, count);
                Mask all = new Mask(count);
                all.setAll(count);
                input.moveTo(TestRows.batch(RowStore.schema(types), counted, 0), 0, count);
                Vector[] further = new Vector[types.size() - 1];
                for (int index = 0; index < further.length; index++) {
                    further[index] = input.load(1 + index, all);
                }
                sums.bind(further);
                sums.addToOne(input.load(0, all), all.indexes(), count);
            }
            return TestRows.value(sums.result(0, 1, arena), 0);
        }
    }
}
