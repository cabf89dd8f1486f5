package dev.quarrel.core.ir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class IrBinaryTest {
    /// One of everything: each source, sink, join field and literal class.
    static QueryPlan plan() {
        List<Slot> slots = List.of(
                new Slot.Constant(new Literal(DataType.INT32, 10L)),
                new Slot.Parameter(1, DataType.INT32),
                new Slot.Constant(new Literal(DataType.UTF8, "Zürich 'x'")),
                new Slot.Constant(new Literal(new DataType.Decimal(12, 2), new BigDecimal("-1234.50"))),
                new Slot.Constant(new Literal(DataType.NUMERIC, new BigDecimal("0.00000000000000000003"))),
                new Slot.Constant(new Literal(DataType.FLOAT64, Double.NaN)),
                new Slot.Constant(new Literal(DataType.FLOAT32, -0.0f)),
                new Slot.Constant(new Literal(DataType.BOOL, true)),
                new Slot.Constant(Literal.ofNull(DataType.DATE)),
                new Slot.Constant(new Literal(DataType.INT64, Long.MIN_VALUE)),
                new Slot.Constant(new Literal(DataType.UUID, new UUID(-1, 2))),
                new Slot.Constant(new Literal(DataType.BINARY, Bytes.of(new byte[] {0, -1}))));
        ProgramBuilder build = new ProgramBuilder(List.of(DataType.INT32, DataType.UTF8));
        int key = build.load(0, ProgramBuilder.ALL_ROWS);
        int name = build.load(1, ProgramBuilder.ALL_ROWS);
        int wanted = build.constant(2, DataType.UTF8, ProgramBuilder.ALL_ROWS);
        int equal = build.value(Opcode.EQ_UTF8, DataType.BOOL, ProgramBuilder.ALL_ROWS, 0, name, wanted);
        int kept = build.mask(Opcode.MASK_TRUE, ProgramBuilder.ALL_ROWS, equal);
        Pipeline dimension = new Pipeline(
                0,
                new Source.TableScan(
                        "public", "dim", List.of("k", "n"), List.of(DataType.INT32, DataType.UTF8), List.of()),
                List.of(build.build(kept, List.of(key, name), slots)),
                List.of(),
                new Sink.HashBuild(List.of(0), List.of(1, 0), true));

        ProgramBuilder probe = new ProgramBuilder(List.of(DataType.INT32, DataType.INT32));
        int foreign = probe.load(0, ProgramBuilder.ALL_ROWS);
        int bound = probe.constant(1, DataType.INT32, ProgramBuilder.ALL_ROWS);
        int less = probe.value(Opcode.LT_INT32, DataType.BOOL, ProgramBuilder.ALL_ROWS, 0, foreign, bound);
        int rows = probe.mask(Opcode.MASK_TRUE, ProgramBuilder.ALL_ROWS, less);
        int measure = probe.load(1, rows);
        ProgramBuilder after = new ProgramBuilder(List.of(DataType.INT32, DataType.UTF8));
        int sum = after.load(0, ProgramBuilder.ALL_ROWS);
        int group = after.load(1, ProgramBuilder.ALL_ROWS);
        Pipeline fact = new Pipeline(
                1,
                new Source.TableScan(
                        "public",
                        "fact",
                        List.of("f", "m"),
                        List.of(DataType.INT32, DataType.INT32),
                        List.of(new ColumnRange(0, -1, 1))),
                List.of(
                        probe.build(rows, List.of(foreign, measure), slots),
                        after.build(ProgramBuilder.ALL_ROWS, List.of(sum, group), slots)),
                List.of(new Join(
                        JoinKind.FULL,
                        0,
                        List.of(0),
                        List.of(1),
                        List.of(0),
                        residual(slots),
                        null,
                        new Join.Range(
                                1,
                                List.of(0),
                                ProgramBuilder.identity(List.of(DataType.INT32)),
                                new Join.Range.Bound(Relation.GT, -3),
                                null,
                                false))),
                new Sink.Aggregate(
                        List.of(1),
                        List.of(
                                new AggregateCall(AggregateKind.SUM, 0, -1),
                                new AggregateCall(AggregateKind.COUNT_STAR, -1, -1))));

        List<DataType> groups = fact.rowTypes();
        Sink.Aggregate sums = (Sink.Aggregate) fact.sink();
        Pipeline sets = new Pipeline(
                4,
                fact.source(),
                fact.programs(),
                fact.joins(),
                new Sink.Aggregate(
                        sums.keys(),
                        sums.calls(),
                        List.of(
                                new Sink.GroupingSet(List.of(0), List.of(0, 1)),
                                new Sink.GroupingSet(List.of(), List.of(1, 7)))));
        List<DataType> setRows = sets.rowTypes();
        Pipeline collected = new Pipeline(
                5, new Source.Rows(4, setRows), List.of(passThrough(setRows, slots)), List.of(), new Sink.Collect());
        Pipeline one = new Pipeline(
                6, new Source.Rows(5, setRows), List.of(passThrough(setRows, slots)), List.of(), new Sink.Feed());
        Pipeline other = new Pipeline(
                7, new Source.Rows(5, setRows), List.of(passThrough(setRows, slots)), List.of(), new Sink.Feed());
        Pipeline both = new Pipeline(
                8,
                new Source.Union(List.of(6, 7), setRows),
                List.of(passThrough(setRows, slots)),
                List.of(),
                new Sink.Collect());
        Pipeline windowed = new Pipeline(
                9,
                new Source.Rows(5, setRows),
                List.of(passThrough(setRows, slots)),
                List.of(),
                new Sink.Window(
                        List.of(0),
                        List.of(new SortKey(1, true, false)),
                        List.of(new WindowCall.Position(WindowCall.PositionKind.RANK)),
                        new Sink.Window.First(3, Sink.Window.Ties.KEPT)));
        Pipeline sorted = new Pipeline(
                2,
                new Source.Rows(1, groups),
                List.of(passThrough(groups, slots)),
                List.of(),
                new Sink.Sort(List.of(new SortKey(1, true, true)), Sink.Bound.ZERO, Sink.Bound.of(10)));
        Pipeline root = new Pipeline(
                3,
                new Source.Rows(2, groups),
                List.of(passThrough(groups, slots)),
                List.of(),
                new Sink.Result(List.of("n", "sum", "count"), Sink.Bound.ZERO, Sink.Bound.ofSlot(9)));
        return new QueryPlan(
                slots, List.of(dimension, fact, sorted, sets, collected, one, other, both, windowed, root));
    }

    private static Join.Residual residual(List<Slot> slots) {
        ProgramBuilder builder = new ProgramBuilder(List.of(DataType.INT32, DataType.UTF8));
        int name = builder.load(1, ProgramBuilder.ALL_ROWS);
        int wanted = builder.constant(2, DataType.UTF8, ProgramBuilder.ALL_ROWS);
        int equal = builder.value(Opcode.EQ_UTF8, DataType.BOOL, ProgramBuilder.ALL_ROWS, 0, name, wanted);
        int met = builder.mask(Opcode.MASK_TRUE, ProgramBuilder.ALL_ROWS, equal);
        return new Join.Residual(List.of(1), List.of(0), builder.build(met, List.of(), slots));
    }

    private static Program passThrough(List<DataType> types, List<Slot> slots) {
        ProgramBuilder builder = new ProgramBuilder(types);
        List<Integer> outputs = new java.util.ArrayList<>();
        for (int input = 0; input < types.size(); input++) {
            outputs.add(builder.load(input, ProgramBuilder.ALL_ROWS));
        }
        return builder.build(ProgramBuilder.ALL_ROWS, outputs, slots);
    }

    @Test
    void aPlanSurvivesTheRoundTrip() {
        QueryPlan plan = plan();
        PlanVerifier.verify(plan);
        assertThat(IrBinary.decode(IrBinary.encode(plan))).isEqualTo(plan);
    }

    @Test
    void literalsOfEveryClassSurvive() {
        List<Slot> slots = plan().slots();
        Pipeline values = new Pipeline(
                0,
                new Source.Values(
                        1,
                        slots.stream().map(Slot::type).toList(),
                        IntStream.range(0, slots.size()).boxed().toList()),
                List.of(passThrough(slots.stream().map(Slot::type).toList(), slots)),
                List.of(),
                new Sink.Result(slots.stream().map(Object::toString).toList(), Sink.Bound.ZERO, Sink.Bound.NONE));
        QueryPlan plan = new QueryPlan(slots, List.of(values));
        assertThat(IrBinary.decode(IrBinary.encode(plan))).isEqualTo(plan);
    }

    @Test
    void truncatedBytesAreRefused() {
        byte[] bytes = IrBinary.encode(plan());
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> IrBinary.decode(cut)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void damagedBytesAreRefusedOrGiveAPlanThatVerifies() {
        byte[] bytes = IrBinary.encode(plan());
        long seed = Long.getLong("quarrel.seed", System.nanoTime());
        System.out.println("IrBinaryTest seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            byte[] damaged = bytes.clone();
            for (int flips = random.nextInt(3); flips >= 0; flips--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            try {
                PlanVerifier.verify(IrBinary.decode(damaged));
            } catch (IllegalArgumentException refused) {
                assertThat(refused).hasMessageNotContaining("null");
            }
        }
    }

    @Test
    void theTextFormNamesEveryPart() {
        assertThat(IrText.of(plan()))
                .contains("slot 1 int32 = $1")
                .contains("slot 2 utf8 = 'Zürich ''x'''")
                .contains("source scan public.fact (f int32, m int32) range f <= slot 1")
                .contains("r4 mask = mask_true(r3) under r0")
                .contains(
                        "join full pipeline 0 keys [0] carried [1] payload [0]\n    range payload 1 + -3 > carried [0]")
                .contains("\n    residual carried [1] payload [0]")
                .contains("sink aggregate keys [1] calls [sum(0), count_star]")
                .contains("sink sort [1 desc nulls first] limit 10")
                .contains("sink result [n, sum, count] limit slot 9");
    }

    private static QueryPlan calling(Callee callee) {
        ProgramBuilder build = new ProgramBuilder(List.of(DataType.UTF8, DataType.INT32));
        int text = build.load(0, ProgramBuilder.ALL_ROWS);
        int length = build.load(1, ProgramBuilder.ALL_ROWS);
        int padded = build.call(callee, ProgramBuilder.ALL_ROWS, List.of(text, length));
        Pipeline pipeline = new Pipeline(
                0,
                new Source.TableScan(
                        "public", "t", List.of("a", "b"), List.of(DataType.UTF8, DataType.INT32), List.of()),
                List.of(build.build(ProgramBuilder.ALL_ROWS, List.of(padded), List.of())),
                List.of(),
                new Sink.Result(List.of("x"), Sink.Bound.ZERO, Sink.Bound.NONE));
        return new QueryPlan(List.of(), List.of(pipeline));
    }

    private static Callee callee(Callee.Body body) {
        return new Callee(
                "lpad_blanks",
                "lpad",
                List.of(DataType.UTF8, DataType.INT32),
                DataType.UTF8,
                true,
                Set.of(SqlState.PROGRAM_LIMIT_EXCEEDED, SqlState.FEATURE_NOT_SUPPORTED),
                body);
    }

    @Test
    void calledFunctionsAreNamedByTheirIds() {
        QueryPlan plan = calling(callee(null));
        assertThat(IrBinary.decode(IrBinary.encode(plan))).isEqualTo(plan);
        assertThat(IrText.of(plan)).contains("= call lpad_blanks(r1, r2) under r0");
    }

    @Test
    void functionsOfAnApplicationHaveNoPortableForm() {
        QueryPlan plan = calling(callee(values -> values[0]));
        assertThatThrownBy(() -> IrBinary.encode(plan))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("lpad lives in this process alone");
    }
}
