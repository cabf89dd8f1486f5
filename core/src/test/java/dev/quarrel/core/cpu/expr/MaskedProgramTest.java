package dev.quarrel.core.cpu.expr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.cpu.Columns;
import dev.quarrel.core.cpu.RandomValues;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.Slot;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Random nests of AND, OR, CASE, COALESCE and divisions, lowered to masks, against a lazy evaluation row by row: a
/// division by zero counts only where the row gets there.
@Tag("compiled")
class MaskedProgramTest {
    private static final long SEED = Long.getLong("quarrel.seed", 4_711L);

    private sealed interface Node {
        DataType type();
    }

    private record Input(int number, DataType type) implements Node {}

    private record Constant(Literal literal) implements Node {
        @Override
        public DataType type() {
            return literal.type();
        }
    }

    private record Divide(Node a, Node b) implements Node {
        @Override
        public DataType type() {
            return DataType.INT32;
        }
    }

    private record Concat(Node a, Node b) implements Node {
        @Override
        public DataType type() {
            return DataType.UTF8;
        }
    }

    private record Less(Node a, Node b) implements Node {
        @Override
        public DataType type() {
            return DataType.BOOL;
        }
    }

    private record Not(Node a) implements Node {
        @Override
        public DataType type() {
            return DataType.BOOL;
        }
    }

    private record And(boolean isOr, Node a, Node b) implements Node {
        @Override
        public DataType type() {
            return DataType.BOOL;
        }
    }

    private record Case(Node condition, Node then, Node otherwise) implements Node {
        @Override
        public DataType type() {
            return then.type();
        }
    }

    private record Coalesce(Node a, Node b) implements Node {
        @Override
        public DataType type() {
            return a.type();
        }
    }

    private static final List<DataType> INPUTS = List.of(
            DataType.INT32,
            DataType.INT32,
            DataType.BOOL,
            DataType.BOOL,
            DataType.UTF8,
            DataType.UTF8,
            new DataType.Decimal(20, 2),
            new DataType.Decimal(20, 2));

    private final Random random = new Random(SEED);

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 64, 2048})
    void masksReachTheRowsThatGetThere(int tileRows) {
        for (int round = 0; round < 300; round++) {
            Node filter = node(DataType.BOOL, 4);
            List<Node> outputs = List.of(
                    node(DataType.INT32, 3), node(DataType.BOOL, 3), node(DataType.UTF8, 3), node(INPUTS.getLast(), 2));
            try (Arena arena = Arena.ofConfined()) {
                check(filter, outputs, tileRows, Allocator.of(arena));
            } catch (AssertionError | RuntimeException problem) {
                throw new AssertionError("seed " + SEED + ", round " + round + ": " + filter + " " + outputs, problem);
            }
        }
    }

    private Node node(DataType type, int depth) {
        if (depth == 0 || random.nextInt(6) == 0) {
            return leaf(type);
        }
        switch (random.nextInt(4)) {
            case 0 -> {
                return new Case(node(DataType.BOOL, depth - 1), node(type, depth - 1), node(type, depth - 1));
            }
            case 1 -> {
                return new Coalesce(node(type, depth - 1), node(type, depth - 1));
            }
            default -> {}
        }
        return switch (type) {
            case DataType.Int32 _ -> new Divide(node(type, depth - 1), node(type, depth - 1));
            case DataType.Utf8 _ -> new Concat(node(type, depth - 1), node(type, depth - 1));
            case DataType.Bool _ -> {
                DataType compared = INPUTS.get(random.nextInt(INPUTS.size()));
                yield switch (random.nextInt(5)) {
                    case 0 -> new Not(node(type, depth - 1));
                    case 1, 2 -> new And(random.nextBoolean(), node(type, depth - 1), node(type, depth - 1));
                    default -> new Less(node(compared, depth - 1), node(compared, depth - 1));
                };
            }
            default -> leaf(type);
        };
    }

    private Node leaf(DataType type) {
        if (random.nextInt(3) == 0) {
            Object value = random.nextInt(5) == 0 ? null : RandomValues.of(type, RandomValues.TextKind.SHORT, random);
            return new Constant(new Literal(type, value));
        }
        int number;
        do {
            number = random.nextInt(INPUTS.size());
        } while (!INPUTS.get(number).equals(type));
        return new Input(number, type);
    }

    private void check(Node filter, List<Node> outputs, int tileRows, Allocator allocator) {
        int rowCount = random.nextInt(200);
        List<List<Object>> table = new ArrayList<>();
        List<Column> columns = new ArrayList<>();
        List<Field> fields = new ArrayList<>();
        for (DataType type : INPUTS) {
            List<Object> values = new ArrayList<>();
            for (int row = 0; row < rowCount; row++) {
                boolean small = type instanceof DataType.Int32;
                values.add(
                        random.nextInt(5) == 0
                                ? null
                                : small
                                        ? (Object) (long) random.nextInt(-2, 3)
                                        : RandomValues.of(type, RandomValues.TextKind.SHORT, random));
            }
            table.add(values);
            columns.add(Columns.of(type, values, allocator));
            fields.add(new Field("c" + fields.size(), type, true));
        }
        ProgramBuilder builder = new ProgramBuilder(INPUTS);
        List<Slot> slots = new ArrayList<>();
        int chosen = builder.mask(
                Opcode.MASK_TRUE, ProgramBuilder.ALL_ROWS, lower(filter, builder, ProgramBuilder.ALL_ROWS, slots));
        List<Integer> registers = new ArrayList<>();
        outputs.forEach(output -> registers.add(lower(output, builder, chosen, slots)));
        List<Literal> slotValues =
                slots.stream().map(slot -> ((Slot.Constant) slot).literal()).toList();
        TileProgram program = new TileProgram(builder.build(chosen, registers, slots), slotValues, tileRows);
        BatchInput input = new BatchInput(INPUTS, tileRows);
        Batch batch = Batch.view(new Schema(fields), columns, rowCount);
        Mask rows = new Mask(tileRows);
        for (int start = 0; start < rowCount; start += tileRows) {
            int count = Math.min(tileRows, rowCount - start);
            input.moveTo(batch, start, count);
            rows.setAll(count);
            if (!runTile(program, input, rows, filter, outputs, table, start)) {
                return;
            }
        }
    }

    private static boolean runTile(
            TileProgram program,
            BatchInput input,
            Mask rows,
            Node filter,
            List<Node> outputs,
            List<List<Object>> table,
            int start) {
        List<List<Object>> expected = new ArrayList<>();
        boolean fails = false;
        for (int row = start; row < start + rows.rowCount(); row++) {
            List<Object> values = null;
            try {
                if (Boolean.TRUE.equals(evaluate(filter, table, row))) {
                    values = new ArrayList<>();
                    for (Node output : outputs) {
                        values.add(evaluate(output, table, row));
                    }
                }
            } catch (QueryException _) {
                fails = true;
            }
            expected.add(values);
        }
        try {
            program.run(input, rows);
        } catch (QueryException error) {
            assertThat(fails).as(error.getMessage()).isTrue();
            return false;
        }
        assertThat(fails).as("a row fails").isFalse();
        for (int row = 0; row < rows.rowCount(); row++) {
            assertThat(program.selection().contains(row)).isEqualTo(expected.get(row) != null);
            if (expected.get(row) != null) {
                List<Object> actual = new ArrayList<>();
                for (int output = 0; output < outputs.size(); output++) {
                    actual.add(program.output(output).value(row));
                }
                assertThat(actual).isEqualTo(expected.get(row));
            }
        }
        return true;
    }

    private static int lower(Node node, ProgramBuilder builder, int mask, List<Slot> slots) {
        return switch (node) {
            case Input(int number, DataType _) -> builder.load(number, mask);
            case Constant(Literal literal) -> {
                slots.add(new Slot.Constant(literal));
                yield builder.constant(slots.size() - 1, literal.type(), mask);
            }
            case Divide(Node a, Node b) -> binary(Opcode.DIV_INT32, node.type(), a, b, builder, mask, slots);
            case Concat(Node a, Node b) -> binary(Opcode.CONCAT, node.type(), a, b, builder, mask, slots);
            case Less(Node a, Node b) -> {
                Opcode op =
                        switch (a.type()) {
                            case DataType.Int32 _ -> Opcode.LT_INT32;
                            case DataType.Bool _ -> Opcode.LT_BOOL;
                            case DataType.Utf8 _ -> Opcode.LT_UTF8;
                            default -> Opcode.LT_DECIMAL;
                        };
                yield binary(op, DataType.BOOL, a, b, builder, mask, slots);
            }
            case Not(Node a) -> builder.value(Opcode.NOT, DataType.BOOL, mask, 0, lower(a, builder, mask, slots));
            case And(boolean isOr, Node a, Node b) -> {
                int first = lower(a, builder, mask, slots);
                int inner = builder.mask(isOr ? Opcode.MASK_NOT_TRUE : Opcode.MASK_NOT_FALSE, mask, first);
                int second = lower(b, builder, inner, slots);
                yield builder.value(isOr ? Opcode.OR : Opcode.AND, DataType.BOOL, mask, 0, first, second);
            }
            case Case(Node condition, Node then, Node otherwise) -> {
                int chosen = builder.mask(Opcode.MASK_TRUE, mask, lower(condition, builder, mask, slots));
                int rest = builder.mask(Opcode.MASK_MINUS, mask, chosen);
                int one = lower(then, builder, chosen, slots);
                int other = lower(otherwise, builder, rest, slots);
                yield builder.value(Opcode.SELECT, node.type(), mask, 0, chosen, one, other);
            }
            case Coalesce(Node a, Node b) -> {
                int first = lower(a, builder, mask, slots);
                int present = builder.mask(Opcode.MASK_PRESENT, mask, first);
                int rest = builder.mask(Opcode.MASK_MINUS, mask, present);
                int second = lower(b, builder, rest, slots);
                yield builder.value(Opcode.SELECT, node.type(), mask, 0, present, first, second);
            }
        };
    }

    private static int binary(
            Opcode op, DataType type, Node a, Node b, ProgramBuilder builder, int mask, List<Slot> slots) {
        return builder.value(op, type, mask, 0, lower(a, builder, mask, slots), lower(b, builder, mask, slots));
    }

    private static Object evaluate(Node node, List<List<Object>> table, int row) {
        return switch (node) {
            case Input(int number, DataType _) -> table.get(number).get(row);
            case Constant(Literal literal) -> literal.value();
            case Divide(Node a, Node b) -> {
                Object x = evaluate(a, table, row);
                Object y = evaluate(b, table, row);
                if (x == null || y == null) {
                    yield null;
                }
                if ((Long) y == 0) {
                    throw new QueryException(SqlState.DIVISION_BY_ZERO, "x / 0");
                }
                long value = (Long) x / (Long) y;
                if (value != (int) value) {
                    throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "overflow");
                }
                yield value;
            }
            case Concat(Node a, Node b) -> {
                Object x = evaluate(a, table, row);
                Object y = evaluate(b, table, row);
                yield x == null || y == null ? null : (String) x + y;
            }
            case Less(Node a, Node b) -> {
                Object x = evaluate(a, table, row);
                Object y = evaluate(b, table, row);
                yield ScalarOracle.evaluate(
                        Opcode.LT_INT32, 0, DataType.BOOL, List.of(a.type(), b.type()), Arrays.asList(x, y));
            }
            case Not(Node a) -> {
                Object x = evaluate(a, table, row);
                yield x == null ? null : !(Boolean) x;
            }
            case And(boolean isOr, Node a, Node b) -> {
                Object x = evaluate(a, table, row);
                if (x != null && (Boolean) x == isOr) {
                    yield isOr;
                }
                Object y = evaluate(b, table, row);
                if (y != null && (Boolean) y == isOr) {
                    yield isOr;
                }
                yield x == null || y == null ? null : !isOr;
            }
            case Case(Node condition, Node then, Node otherwise) ->
                Boolean.TRUE.equals(evaluate(condition, table, row))
                        ? evaluate(then, table, row)
                        : evaluate(otherwise, table, row);
            case Coalesce(Node a, Node b) -> {
                Object x = evaluate(a, table, row);
                yield x != null ? x : evaluate(b, table, row);
            }
        };
    }
}
