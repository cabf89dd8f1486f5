package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Conditions on text without a dictionary: generated texts and patterns, characters of one to four bytes, texts that a
/// lane goes through and those that the warp does, NULLs, tile edges.
class PlainTextTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final int ROUNDS = Integer.getInteger("quarrel.rounds", 60);
    private static final List<DataType> TYPES =
            List.of(DataType.INT32, DataType.UTF8, DataType.UTF8, DataType.UTF8, DataType.BOOL);
    private static final int[] ROW_COUNTS = {0, 1, 31, 32, 33, 255, 256, 257, 1000};
    private static final double[] NULLS = {0, 0.3, 1};
    private static final List<String> CHARACTERS =
            List.of("a", "a", "a", "b", "B", "A", "ä", "€", "😀", "%", "_", "\\");

    static Stream<Long> schedules() {
        return Stream.of(0L, 1L, SEED);
    }

    private static String text(int most, Random random) {
        StringBuilder text = new StringBuilder();
        int alphabet = random.nextBoolean() ? 4 : CHARACTERS.size();
        for (int left = random.nextInt(most + 1); left > 0; left--) {
            text.append(CHARACTERS.get(random.nextInt(alphabet)));
        }
        return text.toString();
    }

    /// Few short texts, any short ones, and some that are long.
    private static TestTable table(int rows, double nulls, Random random, int... batchRows) {
        List<List<Object>> columns = new ArrayList<>();
        for (int column = 0; column < TYPES.size(); column++) {
            List<Object> values = new ArrayList<>();
            for (int row = 0; row < rows; row++) {
                Object value =
                        switch (column) {
                            case 0 -> (long) random.nextInt(-9, 10);
                            case 1 -> text(2, random);
                            case 2 -> text(12, random);
                            case 3 -> text(random.nextInt(8) == 0 ? 600 : 40, random);
                            default -> random.nextBoolean();
                        };
                values.add(random.nextDouble() < nulls ? null : value);
            }
            columns.add(values);
        }
        return new TestTable("t", TYPES, columns, false, batchRows);
    }

    /// A condition, which writes itself into a program; constants are the plan's before that.
    private record Condition(String words, Function<Plans, Encoder> code) {
        interface Encoder {
            int write(ProgramBuilder program, int mask);
        }
    }

    private static Condition condition(int depth, Random random) {
        if (depth > 0 && random.nextInt(3) == 0) {
            Condition one = condition(depth - 1, random);
            Condition two = condition(depth - 1, random);
            boolean isAnd = random.nextBoolean();
            boolean isMasked = random.nextBoolean();
            return new Condition("(" + one.words + (isAnd ? " and " : " or ") + two.words + ")", plans -> {
                Condition.Encoder first = one.code.apply(plans);
                Condition.Encoder second = two.code.apply(plans);
                return (program, mask) -> {
                    int left = first.write(program, mask);
                    int rows = isMasked
                            ? program.mask(isAnd ? Opcode.MASK_NOT_FALSE : Opcode.MASK_NOT_TRUE, mask, left)
                            : mask;
                    int right = second.write(program, rows);
                    return program.value(isAnd ? Opcode.AND : Opcode.OR, DataType.BOOL, mask, 0, left, right);
                };
            });
        }
        int column = random.nextInt(1, 4);
        return switch (random.nextInt(10)) {
            case 0, 1, 2 -> like(column, random);
            case 3, 4 -> compared(column, random);
            case 5 -> oneOf(column, random);
            case 6 -> unary(column, Opcode.IS_NULL);
            case 7 -> unary(column, Opcode.IS_NOT_NULL);
            case 8 -> length(column, false, random);
            default -> length(column, true, random);
        };
    }

    private static String constant(int column, Random random) {
        return text(column == 1 ? 2 : random.nextInt(8) == 0 ? 30 : 6, random);
    }

    private static Condition compared(int column, Random random) {
        Opcode op = List.of(
                        Opcode.EQ_UTF8, Opcode.NE_UTF8, Opcode.LT_UTF8, Opcode.LE_UTF8, Opcode.GT_UTF8, Opcode.GE_UTF8)
                .get(random.nextInt(6));
        String text = constant(column, random);
        boolean isReversed = random.nextBoolean();
        return new Condition(column + " " + op + " '" + text + "' " + isReversed, plans -> {
            int slot = plans.constant(DataType.UTF8, text);
            return (program, mask) -> {
                int value = program.load(column, mask);
                int other = program.constant(slot, DataType.UTF8, mask);
                return program.value(
                        op, DataType.BOOL, mask, 0, isReversed ? other : value, isReversed ? value : other);
            };
        });
    }

    private static Condition oneOf(int column, Random random) {
        List<String> texts = new ArrayList<>();
        for (int left = random.nextInt(1, 9); left > 0; left--) {
            texts.add(constant(column, random));
        }
        boolean isNegated = random.nextBoolean();
        return new Condition(column + (isNegated ? " not" : "") + " in " + texts, plans -> {
            List<Integer> slots = texts.stream()
                    .map(text -> plans.constant(DataType.UTF8, text))
                    .toList();
            return (program, mask) -> {
                int all = -1;
                for (int slot : slots) {
                    int value = program.load(column, mask);
                    int other = program.constant(slot, DataType.UTF8, mask);
                    int next = program.value(
                            isNegated ? Opcode.NE_UTF8 : Opcode.EQ_UTF8, DataType.BOOL, mask, 0, value, other);
                    all = all < 0
                            ? next
                            : program.value(isNegated ? Opcode.AND : Opcode.OR, DataType.BOOL, mask, 0, all, next);
                }
                return all;
            };
        });
    }

    private static Condition like(int column, Random random) {
        StringBuilder pattern = new StringBuilder();
        boolean hasRuns = random.nextInt(8) > 0;
        boolean hasSingles = random.nextInt(3) == 0;
        for (int left = random.nextInt(6); left > 0; left--) {
            if (hasRuns && random.nextInt(3) == 0) {
                pattern.append('%');
            } else if (hasSingles && random.nextInt(2) == 0) {
                pattern.append('_');
            } else {
                pattern.append(text(random.nextInt(6) == 0 ? 12 : 2, random));
            }
        }
        if (hasRuns && random.nextBoolean()) {
            pattern.append('%');
        }
        String escape = List.of("\\", "\\", "", "a", "€", "%").get(random.nextInt(6));
        Opcode op = random.nextInt(4) == 0 ? Opcode.ILIKE : Opcode.LIKE;
        boolean isNegated = random.nextInt(3) == 0;
        return new Condition(column + " " + op + " '" + pattern + "' escape '" + escape + "' " + isNegated, plans -> {
            int slot = plans.constant(DataType.UTF8, pattern.toString());
            int escapeSlot = plans.constant(DataType.UTF8, escape);
            return (program, mask) -> {
                int found = program.value(
                        op,
                        DataType.BOOL,
                        mask,
                        0,
                        program.load(column, mask),
                        program.constant(slot, DataType.UTF8, mask),
                        program.constant(escapeSlot, DataType.UTF8, mask));
                return isNegated ? program.value(Opcode.NOT, DataType.BOOL, mask, 0, found) : found;
            };
        });
    }

    private static Condition unary(int column, Opcode op) {
        return new Condition(
                column + " " + op,
                _ -> (program, mask) -> program.value(op, DataType.BOOL, mask, 0, program.load(column, mask)));
    }

    private static int length(ProgramBuilder program, int column, boolean inBytes, int mask) {
        int text = program.load(column, mask);
        return inBytes
                ? program.value(
                        Opcode.LENGTH_BINARY,
                        DataType.INT32,
                        mask,
                        0,
                        program.value(Opcode.UTF8_BYTES, DataType.BINARY, mask, 0, text))
                : program.value(Opcode.LENGTH, DataType.INT32, mask, 0, text);
    }

    private static Condition length(int column, boolean inBytes, Random random) {
        long least = random.nextInt(column == 1 ? 3 : 20);
        return new Condition("length of " + column + " above " + least + " in bytes " + inBytes, plans -> {
            int slot = plans.constant(DataType.INT32, least);
            return (program, mask) -> program.value(
                    Opcode.GT_INT32,
                    DataType.BOOL,
                    mask,
                    0,
                    length(program, column, inBytes, mask),
                    program.constant(slot, DataType.INT32, mask));
        });
    }

    /// The rows in which a condition holds, counted and added up; or as they are.
    private static QueryPlan plan(TestTable table, Condition condition, boolean leaves) {
        Plans plans = new Plans();
        Condition.Encoder code = condition.code.apply(plans);
        Plans.Chain chain = plans.scan(table).program(program -> {
            int holds = code.write(program, 0);
            int rows = program.mask(Opcode.MASK_TRUE, 0, holds);
            List<Integer> outputs = new ArrayList<>();
            for (int column = 0; column < TYPES.size(); column++) {
                outputs.add(program.load(column, rows));
            }
            outputs.add(length(program, 3, false, rows));
            outputs.add(length(program, 2, true, rows));
            return new Plans.Out(rows, outputs);
        });
        if (leaves) {
            chain.sink(Plans.leaving(TYPES.size() + 2, Sink.Bound.ZERO, Sink.Bound.NONE));
        } else {
            chain.sink(new Sink.Aggregate(
                    List.of(),
                    List.of(
                            new AggregateCall(AggregateKind.COUNT_STAR, -1, -1),
                            new AggregateCall(AggregateKind.COUNT_STAR, -1, 4),
                            new AggregateCall(AggregateKind.COUNT, 1, -1),
                            new AggregateCall(AggregateKind.COUNT, 3, 4),
                            new AggregateCall(AggregateKind.SUM, 0, -1),
                            new AggregateCall(AggregateKind.SUM, 5, -1),
                            new AggregateCall(AggregateKind.MAX, 6, -1))));
        }
        return plans.result();
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void generated(long schedule) {
        Random random = new Random(SEED + schedule);
        int ran = 0;
        int some = 0;
        try (TwoDevices devices = TwoDevices.open(schedule)) {
            for (int round = 0; round < ROUNDS; round++) {
                int rows = ROW_COUNTS[random.nextInt(1, ROW_COUNTS.length)];
                double nulls = NULLS[random.nextInt(8) / 4];
                TestTable table = table(rows, nulls, random, 256, 512, 300, 77);
                for (int turn = 0; turn < 3; turn++) {
                    Condition condition = condition(2, random);
                    boolean leaves = random.nextInt(3) == 0;
                    QueryPlan plan = plan(table, condition, leaves);
                    long before = devices.launches();
                    String what = "rows " + rows + " nulls " + nulls + " where " + condition.words;
                    String answer = devices.check(what, plan, false, table);
                    ran += devices.launches() > before ? 1 : 0;
                    some += leaves && !answer.isEmpty() || !leaves && !answer.startsWith("[0,") ? 1 : 0;
                }
            }
        }
        // Patterns that end with their escape are the CPU's.
        assertThat(ran).isGreaterThan(ROUNDS * 3 * 8 / 10);
        assertThat(some).isGreaterThan(ROUNDS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void edges(boolean leaves) {
        Random random = new Random(SEED);
        try (TwoDevices devices = TwoDevices.open(SEED)) {
            for (int rows : ROW_COUNTS) {
                for (double nulls : NULLS) {
                    TestTable table = table(rows, nulls, random, 300, 77);
                    for (Condition condition :
                            List.of(compared(1, random), oneOf(2, random), length(3, true, random))) {
                        String what = "rows " + rows + " nulls " + nulls + " where " + condition.words;
                        devices.check(what, plan(table, condition, leaves), rows > 0, table);
                    }
                }
            }
        }
    }

    /// What stands at the beginning, at the end, or across any eight bytes of a long text is found, and nothing else.
    @Test
    void longTexts() {
        Random random = new Random(SEED);
        List<Object> values = new ArrayList<>();
        String needle = "needle of some bytes";
        for (int row = 0; row < 700; row++) {
            int before = row % 5 == 0 ? row : random.nextInt(30);
            String text = "n".repeat(before)
                    + (row % 3 == 0 ? needle.substring(1) : needle)
                    + "e".repeat(row % 7 == 0 ? 1000 : row % 11);
            values.add(row % 13 == 0 ? null : text);
        }
        List<Object> numbers = new ArrayList<>(values);
        numbers.replaceAll(text -> text == null ? null : (long) text.hashCode() % 100);
        TestTable table =
                new TestTable("t", List.of(DataType.INT32, DataType.UTF8), List.of(numbers, values), false, 512, 256);
        try (TwoDevices devices = TwoDevices.open(1)) {
            for (String pattern : List.of(
                    "%needle of%",
                    "%needle of some bytes",
                    "n%needle%bytes%e",
                    "%_needle%",
                    "%nnn%dle%",
                    "%bytese%",
                    "%%",
                    "%" + "e".repeat(200) + "%",
                    "n_eedle%")) {
                Plans plans = new Plans();
                int slot = plans.constant(DataType.UTF8, pattern);
                int escape = plans.constant(DataType.UTF8, "\\");
                plans.scan(table)
                        .program(program -> {
                            int like = program.value(
                                    Opcode.LIKE,
                                    DataType.BOOL,
                                    0,
                                    0,
                                    program.load(1, 0),
                                    program.constant(slot, DataType.UTF8, 0),
                                    program.constant(escape, DataType.UTF8, 0));
                            return new Plans.Out(program.mask(Opcode.MASK_TRUE, 0, like), List.of(program.load(0, 0)));
                        })
                        .sink(new Sink.Aggregate(
                                List.of(),
                                List.of(
                                        new AggregateCall(AggregateKind.COUNT_STAR, -1, -1),
                                        new AggregateCall(AggregateKind.SUM, 0, -1))));
                devices.check(pattern, plans.result(), true, table);
            }
        }
    }

    /// With groups, floats and narrow keys beside: the full interpreter has them all.
    @Test
    void besideOtherThings() {
        Random random = new Random(SEED);
        try (TwoDevices devices = TwoDevices.open(SEED)) {
            for (double nulls : NULLS) {
                TestTable table = table(1000, nulls, random, 256, 300);
                Plans plans = new Plans();
                Condition.Encoder code = like(2, random).code.apply(plans);
                plans.scan(table)
                        .program(program -> new Plans.Out(
                                0,
                                List.of(
                                        program.load(0, 0),
                                        code.write(program, 0),
                                        program.value(
                                                Opcode.CAST, DataType.FLOAT64, 0, 0, length(program, 3, false, 0)))))
                        .sink(new Sink.Aggregate(
                                List.of(0, 1),
                                List.of(
                                        new AggregateCall(AggregateKind.COUNT_STAR, -1, 1),
                                        new AggregateCall(AggregateKind.SUM, 2, -1))));
                devices.check("nulls " + nulls, plans.result(), true, table);
            }
        }
    }

    private static QueryPlan filter(TestTable table, ToIntFunction<ProgramBuilder> condition, Plans plans) {
        plans.scan(table)
                .program(program -> new Plans.Out(
                        program.mask(Opcode.MASK_TRUE, 0, condition.applyAsInt(program)), List.of(program.load(0, 0))))
                .sink(new Sink.Aggregate(List.of(), List.of(new AggregateCall(AggregateKind.SUM, 0, -1))));
        return plans.result();
    }

    /// What has no kernel runs on the CPU, which also raises what there is to raise.
    @Test
    void whatHasNoForm() {
        TestTable table = table(500, 0.1, new Random(SEED), 256);
        try (TwoDevices devices = TwoDevices.open(0)) {
            Plans plans = new Plans();
            int pattern = plans.constant(DataType.UTF8, "%a\\");
            int escape = plans.constant(DataType.UTF8, "\\");
            String answer = devices.check(
                    "an escape at the end",
                    filter(
                            table,
                            program -> program.value(
                                    Opcode.LIKE,
                                    DataType.BOOL,
                                    0,
                                    0,
                                    program.load(2, 0),
                                    program.constant(pattern, DataType.UTF8, 0),
                                    program.constant(escape, DataType.UTF8, 0)),
                            plans),
                    false,
                    table);
            assertThat(answer).startsWith("error 22025");
            for (Opcode op : List.of(Opcode.EQ_UTF8, Opcode.LT_UTF8)) {
                devices.check(
                        op + " of two columns",
                        filter(
                                table,
                                program ->
                                        program.value(op, DataType.BOOL, 0, 0, program.load(1, 0), program.load(2, 0)),
                                new Plans()),
                        false,
                        table);
            }
            Plans lower = new Plans();
            int slot = lower.constant(DataType.UTF8, "a");
            devices.check(
                    "lower",
                    filter(
                            table,
                            program -> program.value(
                                    Opcode.EQ_UTF8,
                                    DataType.BOOL,
                                    0,
                                    0,
                                    program.value(Opcode.LOWER, DataType.UTF8, 0, 0, program.load(1, 0)),
                                    program.constant(slot, DataType.UTF8, 0)),
                            lower),
                    false,
                    table);
        }
    }
}
