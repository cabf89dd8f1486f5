package dev.quarrel.core.cpu.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.cpu.Columns;
import dev.quarrel.core.cpu.RandomValues;
import dev.quarrel.core.cpu.RandomValues.TextKind;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.ir.Callee;
import dev.quarrel.core.ir.Casts;
import dev.quarrel.core.ir.DateField;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.Slot;
import dev.quarrel.core.ir.TypeClass;
import dev.quarrel.core.pg.IntervalFields;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Every opcode against [ScalarOracle]: edge values, NULLs, masks, tile sizes, constants, dictionaries; errors
/// only for rows in the mask.
@Tag("compiled")
class OpcodeOracleTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20_250_301L);
    private static final int ROUNDS = Integer.getInteger("quarrel.rounds", 4);
    private static final int[] ROW_COUNTS = {0, 1, 31, 32, 33, 63, 64, 65, 130, 300};
    private static final int[] LARGE_ROW_COUNTS = {2047, 2048, 2049};
    private static final List<Integer> TYPMODS = List.of(
            IntervalFields.typmod("year", -1),
            IntervalFields.typmod("year to month", -1),
            IntervalFields.typmod("day", -1),
            IntervalFields.typmod("day to hour", -1),
            IntervalFields.typmod("minute", -1),
            IntervalFields.typmod("hour to second", 2),
            IntervalFields.typmod("", 0),
            IntervalFields.typmod("", 3));
    private static final int[] TILE_ROWS = {1, 7, 64, 100, 2048};
    private static final double[] NULL_DENSITIES = {0, 0.05, 0.5, 1};
    private static final double[] MASK_DENSITIES = {0, 0.03, 0.5, 0.9, 1};

    /// An opcode with the types of its registers.
    ///
    /// @param callee the function that CALL calls
    record Signature(Opcode op, DataType result, List<DataType> arguments, int immediate, Callee callee) {
        Signature(Opcode op, DataType result, List<DataType> arguments, int immediate) {
            this(op, result, arguments, immediate, null);
        }

        Object evaluate(List<Object> values) {
            if (callee == null) {
                return ScalarOracle.evaluate(op, immediate, result, arguments, values);
            }
            return callee.isStrict() && values.contains(null)
                    ? null
                    : callee.body().call(values.toArray());
        }

        @Override
        public String toString() {
            return (callee == null ? op : callee + (callee.isStrict() ? " strict" : "")) + " " + arguments + " -> "
                    + result + (immediate == 0 ? "" : " " + DateField.of(immediate));
        }
    }

    static Stream<Signature> signatures() {
        List<Signature> all = new ArrayList<>();
        Set<Opcode> elsewhere = EnumSet.of(
                Opcode.LOAD,
                Opcode.CONST,
                Opcode.SELECT,
                Opcode.MASK_TRUE,
                Opcode.MASK_NOT_TRUE,
                Opcode.MASK_NOT_FALSE,
                Opcode.MASK_PRESENT,
                Opcode.MASK_MINUS,
                Opcode.AND,
                Opcode.OR);
        for (Opcode op : Opcode.values()) {
            if (elsewhere.contains(op)) {
                continue;
            }
            switch (op) {
                case CALL -> calls(all);
                case CAST -> casts(all);
                case EXTRACT_DATE -> {
                    for (DateField field : DateField.values()) {
                        if (field.isOfDate()) {
                            all.add(new Signature(op, DataType.INT32, List.of(DataType.DATE), field.ordinal()));
                        }
                    }
                }
                case EXTRACT_TIMESTAMP -> {
                    for (DateField field : DateField.values()) {
                        all.add(new Signature(op, DataType.NUMERIC, List.of(DataType.TIMESTAMP), field.ordinal()));
                    }
                }
                case TRUNC_TIMESTAMP -> {
                    for (DateField field : DateField.values()) {
                        if (field.isUnit()) {
                            all.add(new Signature(
                                    op, DataType.TIMESTAMPTZ, List.of(DataType.TIMESTAMPTZ), field.ordinal()));
                        }
                    }
                }
                case EXTRACT_TIME -> fields(all, op, DataType.NUMERIC, DataType.TIME, DateField::isOfTime);
                case EXTRACT_INTERVAL -> fields(all, op, DataType.NUMERIC, DataType.INTERVAL, DateField::isOfInterval);
                case TRUNC_INTERVAL ->
                    fields(all, op, DataType.INTERVAL, DataType.INTERVAL, DateField::isUnitOfInterval);
                case EPOCH_TIMESTAMP -> all.add(new Signature(op, DataType.TIMESTAMPTZ, List.of(DataType.FLOAT64), 0));
                case IS_NULL, IS_NOT_NULL -> {
                    for (DataType type : everyType()) {
                        all.add(new Signature(op, DataType.BOOL, List.of(type), 0));
                    }
                }
                case MUL_DECIMAL -> {
                    all.add(decimals(op, 5, 12, 4, 10, 2));
                    all.add(decimals(op, 38, 30, 20, 18, 18));
                }
                default -> {
                    if (op.arguments().contains(TypeClass.DECIMAL)) {
                        all.add(decimals(op, 2, 12, 2, 10, 2));
                        all.add(decimals(op, 10, 38, 10, 38, 10));
                    } else {
                        all.add(new Signature(
                                op,
                                type(op.result()),
                                op.arguments().stream()
                                        .map(OpcodeOracleTest::type)
                                        .toList(),
                                0));
                    }
                }
            }
        }
        return all.stream();
    }

    private static void fields(
            List<Signature> all, Opcode op, DataType result, DataType argument, Predicate<DateField> has) {
        for (DateField field : DateField.values()) {
            if (has.test(field)) {
                all.add(new Signature(op, result, List.of(argument), field.ordinal()));
            }
        }
    }

    private static List<DataType> everyType() {
        return List.of(
                DataType.BOOL,
                DataType.INT16,
                DataType.INT32,
                DataType.INT64,
                DataType.FLOAT32,
                DataType.FLOAT64,
                new DataType.Decimal(9, 2),
                DataType.NUMERIC,
                DataType.DATE,
                DataType.TIMESTAMP,
                DataType.UUID,
                DataType.TIME,
                DataType.INTERVAL,
                DataType.UTF8,
                DataType.BINARY);
    }

    private static void casts(List<Signature> all) {
        List<DataType> types = new ArrayList<>(everyType());
        types.add(new DataType.Decimal(38, 10));
        types.add(new DataType.Decimal(5, 5));
        types.add(DataType.TIMESTAMPTZ);
        for (DataType from : types) {
            for (DataType to : types) {
                if (Casts.isAllowed(TypeClass.of(from), TypeClass.of(to))) {
                    all.add(new Signature(Opcode.CAST, to, List.of(from), 0));
                }
            }
        }
    }

    private static Signature decimals(Opcode op, int resultScale, int p1, int s1, int p2, int s2) {
        List<DataType> arguments = new ArrayList<>();
        arguments.add(new DataType.Decimal(p1, s1));
        if (op.arguments().size() == 2) {
            arguments.add(new DataType.Decimal(p2, s2));
        }
        DataType result = op.result() == TypeClass.BOOL
                ? DataType.BOOL
                : new DataType.Decimal(38, op == Opcode.MUL_DECIMAL ? s1 + s2 : resultScale);
        return new Signature(op, result, arguments, 0);
    }

    private static DataType type(TypeClass kind) {
        return switch (kind) {
            case BOOL -> DataType.BOOL;
            case INT16 -> DataType.INT16;
            case INT32 -> DataType.INT32;
            case INT64 -> DataType.INT64;
            case FLOAT32 -> DataType.FLOAT32;
            case FLOAT64 -> DataType.FLOAT64;
            case NUMERIC -> DataType.NUMERIC;
            case DATE -> DataType.DATE;
            case TIMESTAMP -> DataType.TIMESTAMP;
            case UUID -> DataType.UUID;
            case TIME -> DataType.TIME;
            case INTERVAL -> DataType.INTERVAL;
            case UTF8 -> DataType.UTF8;
            case BINARY -> DataType.BINARY;
            case MASK, DECIMAL, ANY -> throw new IllegalArgumentException(kind.name());
        };
    }

    /// Functions of each type, of several arguments, of none, with and without NULLs of their own.
    private static void calls(List<Signature> all) {
        List<DataType> types = everyType();
        for (int index = 0; index < types.size(); index++) {
            DataType type = types.get(index);
            DataType other = types.get((index + 5) % types.size());
            for (boolean isStrict : new boolean[] {true, false}) {
                all.add(call(isStrict, type, List.of(type)));
                all.add(call(isStrict, type, List.of(DataType.UTF8)));
                all.add(call(isStrict, other, List.of(type, other)));
                all.add(call(isStrict, type, List.of(DataType.UTF8, other, type, DataType.UTF8, DataType.INT32)));
            }
        }
        all.add(call(true, DataType.INT64, List.of()));
    }

    private static Signature call(boolean isStrict, DataType result, List<DataType> arguments) {
        Callee callee = new Callee(
                "made up",
                "made up",
                arguments,
                result,
                isStrict,
                Set.of(SqlState.DIVISION_BY_ZERO),
                values -> madeUp(result, values));
        return new Signature(Opcode.CALL, result, arguments, 0, callee);
    }

    /// Some value of the type, NULL or an error: always the same for the same arguments.
    private static Object madeUp(DataType result, Object[] values) {
        Random random = new Random(Arrays.hashCode(values));
        return switch (random.nextInt(8)) {
            case 0 -> null;
            case 1 -> throw new QueryException(SqlState.DIVISION_BY_ZERO, "division by zero");
            default -> RandomValues.of(result, TextKind.PLAIN, random);
        };
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("signatures")
    void agreesWithTheOracle(Signature signature) {
        Random random = new Random(SEED + signature.toString().hashCode());
        for (int round = 0; round < ROUNDS; round++) {
            try (Arena arena = Arena.ofConfined()) {
                new Case(signature, random, arena).check();
            } catch (AssertionError | RuntimeException problem) {
                throw new AssertionError("seed " + SEED + ", round " + round + ": " + signature, problem);
            }
        }
    }

    /// One table of random arguments, and a program `mask_true(m)`, then the opcode under that mask.
    private static final class Case {
        private final Signature signature;
        private final Random random;
        private final Allocator allocator;
        private final int rowCount;
        private final int firstRow;
        private final int tileRows;
        private final List<List<Object>> columns = new ArrayList<>();
        private final List<Object> expected = new ArrayList<>();

        Case(Signature signature, Random random, Arena arena) {
            this.signature = signature;
            this.random = random;
            this.allocator = Allocator.of(arena);
            int[] counts = random.nextInt(25) == 0 ? LARGE_ROW_COUNTS : ROW_COUNTS;
            this.rowCount = counts[random.nextInt(counts.length)];
            this.firstRow = random.nextInt(3) * 5;
            this.tileRows = TILE_ROWS[random.nextInt(TILE_ROWS.length)];
        }

        void check() {
            int arguments = signature.arguments().size();
            boolean[] constant = new boolean[arguments];
            for (int argument = 0; argument < arguments; argument++) {
                constant[argument] = random.nextInt(4) == 0;
                columns.add(values(argument, constant[argument]));
            }
            boolean[] fails = new boolean[rowCount];
            for (int row = 0; row < rowCount; row++) {
                int at = row;
                List<Object> row0 = new ArrayList<>();
                columns.forEach(column -> row0.add(column.get(at)));
                Object value;
                try {
                    value = signature.evaluate(row0);
                } catch (QueryException error) {
                    value = error.state();
                    fails[row] = true;
                }
                expected.add(value);
            }
            double density = MASK_DENSITIES[random.nextInt(MASK_DENSITIES.length)];
            boolean[] all = new boolean[rowCount];
            boolean[] good = new boolean[rowCount];
            for (int row = 0; row < rowCount; row++) {
                all[row] = random.nextDouble() < density;
                good[row] = all[row] && !fails[row];
            }
            run(constant, good);
            run(constant, all);
        }

        private List<Object> values(int argument, boolean constant) {
            double nulls = NULL_DENSITIES[random.nextInt(NULL_DENSITIES.length)];
            List<Object> values = new ArrayList<>();
            Object first = null;
            for (int row = 0; row < rowCount; row++) {
                Object value = random.nextDouble() < nulls
                        ? null
                        : RandomValues.of(signature.arguments().get(argument), kind(argument), random);
                if (signature.arguments().get(argument) instanceof DataType.Int32
                        && signature.op().name().startsWith("MAKE_")
                        && value != null
                        && random.nextInt(10) > 0) {
                    // Good dates and times of day should be among them.
                    value = (long) random.nextInt(argument == 0 ? -5_000 : -1, argument == 0 ? 5_000 : 26);
                    value = signature.op() == Opcode.MAKE_TIME && argument == 0 ? (long) random.nextInt(25) : value;
                }
                value = value == null || argument != 1 ? value : second(value);
                first = row == 0 ? value : first;
                values.add(constant ? first : value);
            }
            return values;
        }

        /// An argument of which few values make sense.
        private Object second(Object value) {
            return switch (signature.op()) {
                case GET_BIT, SET_BIT -> random.nextInt(5) == 0 ? value : (Object) (long) random.nextInt(-1, 40);
                case ADJUST_INTERVAL -> (long) TYPMODS.get(random.nextInt(TYPMODS.size()));
                case ROUND_TIME, ROUND_TIMESTAMP -> (long) random.nextInt(7);
                default -> value;
            };
        }

        private TextKind kind(int argument) {
            return switch (signature.op()) {
                case CAST -> TextKind.PARSED;
                case LIKE, ILIKE -> argument == 1 ? TextKind.PATTERN : argument == 2 ? TextKind.ESCAPE : TextKind.PLAIN;
                case REGEX, REGEX_NOCASE -> argument == 1 ? TextKind.REGEX : TextKind.PLAIN;
                case ENCODE, DECODE -> argument == 1 ? TextKind.FORMAT : TextKind.CODED;
                case IN_INT64, IN_UTF8 -> argument == 1 ? TextKind.ARRAY : TextKind.SHORT;
                case REPLACE, POSITION, LTRIM, RTRIM, BTRIM -> argument > 0 ? TextKind.SHORT : TextKind.PLAIN;
                default -> TextKind.PLAIN;
            };
        }

        private void run(boolean[] constant, boolean[] selected) {
            List<DataType> inputs = new ArrayList<>(List.of(DataType.BOOL));
            inputs.addAll(signature.arguments());
            List<Slot> slots = new ArrayList<>();
            List<Literal> slotValues = new ArrayList<>();
            ProgramBuilder builder = new ProgramBuilder(inputs);
            int mask =
                    builder.mask(Opcode.MASK_TRUE, ProgramBuilder.ALL_ROWS, builder.load(0, ProgramBuilder.ALL_ROWS));
            Integer[] registers = new Integer[constant.length];
            for (int argument = 0; argument < constant.length; argument++) {
                DataType type = signature.arguments().get(argument);
                if (constant[argument] && rowCount > 0) {
                    Literal literal = new Literal(type, columns.get(argument).getFirst());
                    slotValues.add(literal);
                    slots.add(new Slot.Constant(literal));
                    registers[argument] = builder.constant(slots.size() - 1, type, mask);
                } else {
                    registers[argument] = builder.load(argument + 1, mask);
                }
            }
            int result = signature.callee() != null
                    ? builder.call(signature.callee(), mask, List.of(registers))
                    : builder.value(signature.op(), signature.result(), mask, signature.immediate(), registers);
            Program program = builder.build(mask, List.of(result), slots);
            TileProgram tile = new TileProgram(program, slotValues, tileRows);
            BatchInput input = new BatchInput(inputs, tileRows);
            Batch batch = batch(inputs, selected);
            Mask rows = new Mask(tileRows);
            for (int start = 0; start < rowCount; start += tileRows) {
                int count = Math.min(tileRows, rowCount - start);
                input.moveTo(batch, firstRow + start, count);
                rows.setAll(count);
                if (!runTile(tile, input, rows, selected, start, count)) {
                    return;
                }
            }
        }

        /// - Returns: false if the tile failed, as it should
        private boolean runTile(
                TileProgram tile, BatchInput input, Mask rows, boolean[] selected, int start, int count) {
            Set<SqlState> states = EnumSet.noneOf(SqlState.class);
            for (int row = start; row < start + count; row++) {
                if (selected[row] && expected.get(row) instanceof SqlState state) {
                    states.add(state);
                }
            }
            try {
                tile.run(input, rows);
            } catch (QueryException error) {
                assertThat(states).as(error.getMessage()).contains(error.state());
                return false;
            }
            assertThat(states).as("errors not raised").isEmpty();
            for (int row = 0; row < count; row++) {
                if (tile.selection().contains(row) != selected[start + row]) {
                    fail("row %d: selected %s".formatted(start + row, selected[start + row]));
                }
                if (selected[start + row]) {
                    Object actual = tile.output(0).value(row);
                    Object wanted = expected.get(start + row);
                    if (!ScalarOracle.same(wanted, actual)) {
                        int at = start + row;
                        fail("row %d of %s: expected %s, was %s"
                                .formatted(
                                        at,
                                        columns.stream()
                                                .map(column -> column.get(at))
                                                .toList(),
                                        wanted,
                                        actual));
                    }
                    if (actual != null && !canonical(actual)) {
                        fail("%s is no canonical %s".formatted(actual, signature.result()));
                    }
                }
            }
            return true;
        }

        private boolean canonical(Object value) {
            return !(value instanceof BigDecimal number)
                    || !(signature.result() instanceof DataType.Decimal(int _, int scale))
                    || number.scale() == scale;
        }

        private Batch batch(List<DataType> types, boolean[] selected) {
            List<Field> fields = new ArrayList<>();
            List<Column> made = new ArrayList<>();
            for (int index = 0; index < types.size(); index++) {
                DataType type = types.get(index);
                List<Object> values = new ArrayList<>();
                for (int row = 0; row < firstRow; row++) {
                    values.add(index == 0 ? false : null);
                }
                for (int row = 0; row < rowCount; row++) {
                    values.add(
                            index == 0
                                    ? (Object) selected[row]
                                    : columns.get(index - 1).get(row));
                }
                fields.add(new Field("c" + index, type, true));
                made.add(
                        type.byteWidth() < 0 && random.nextBoolean()
                                ? dictionaryColumn(type, values)
                                : column(type, values));
            }
            return Batch.view(new Schema(fields), made, firstRow + rowCount);
        }

        private Column column(DataType type, List<Object> values) {
            return Columns.of(type, values, allocator);
        }

        private Column dictionaryColumn(DataType type, List<Object> values) {
            List<Object> entries = new ArrayList<>(
                    values.stream().filter(v -> v != null).distinct().toList());
            Dictionary file = new Dictionary((Utf8Column) column(type, entries));
            Dictionary dictionary = file;
            if (random.nextBoolean()) {
                // A table-wide dictionary in another order, with an entry more.
                List<Object> wide = new ArrayList<>(entries.reversed());
                wide.add(
                        type instanceof DataType.Utf8
                                ? "only in the table"
                                : Bytes.of(new byte[] {9, 8, 7, 6, 5, 4, 3, 2, 1}));
                Dictionary table = new Dictionary((Utf8Column) column(type, wide));
                int[] codes = entries.stream().mapToInt(wide::indexOf).toArray();
                dictionary = new Dictionary(file.values(), table, codes);
            }
            int codeBytes = List.of(entries.size() > 256 ? 4 : 1, 2, 4).get(random.nextInt(3));
            MemorySegment codes = allocator.allocate((long) values.size() * codeBytes);
            for (int row = 0; row < values.size(); row++) {
                int code = values.get(row) == null ? 77 : entries.indexOf(values.get(row));
                switch (codeBytes) {
                    case 1 -> codes.set(ValueLayout.JAVA_BYTE, row, (byte) code);
                    case 2 -> codes.set(ValueLayout.JAVA_SHORT, row * 2L, (short) code);
                    default -> codes.set(ValueLayout.JAVA_INT, row * 4L, code);
                }
            }
            return new DictionaryColumn(
                    values.size(),
                    codes,
                    codeBytes,
                    dictionary,
                    column(type, values).validity());
        }
    }
}
