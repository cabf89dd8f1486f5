package dev.quarrel.cuda;

import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.DateField;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.TypeClass;
import dev.quarrel.core.type.DataType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/// Every opcode that the device has against the CPU: edges, NULLs, constants on either side, masks, errors.
class OpcodeTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final int ROWS = 270;

    private record Signature(Opcode op, DataType result, List<DataType> arguments, int immediate) {}

    private static DataType type(TypeClass of) {
        return switch (of) {
            case BOOL -> DataType.BOOL;
            case INT16 -> DataType.INT16;
            case INT32 -> DataType.INT32;
            case INT64 -> DataType.INT64;
            case FLOAT32 -> DataType.FLOAT32;
            case FLOAT64 -> DataType.FLOAT64;
            case DECIMAL -> new DataType.Decimal(15, 2);
            case DATE -> DataType.DATE;
            case TIMESTAMP -> DataType.TIMESTAMP;
            case TIME -> DataType.TIME;
            case UTF8 -> DataType.UTF8;
            default -> null;
        };
    }

    private static List<Signature> signatures() {
        List<Signature> all = new ArrayList<>();
        for (Opcode op : Opcode.values()) {
            switch (op) {
                case LOAD, CONST, SELECT, AND, OR, EPOCH_TIMESTAMP -> {}
                case CAST -> casts(all);
                case EXTRACT_DATE -> {
                    for (DateField field : DateField.values()) {
                        if (field.isOfDate()) {
                            all.add(new Signature(op, DataType.INT32, List.of(DataType.DATE), field.ordinal()));
                        }
                    }
                }
                case IS_NULL, IS_NOT_NULL -> {
                    for (DataType type : List.of(DataType.INT32, DataType.BOOL, DataType.UTF8, DataType.FLOAT64)) {
                        all.add(new Signature(op, DataType.BOOL, List.of(type), 0));
                    }
                }
                case MUL_DECIMAL ->
                    all.add(new Signature(
                            op,
                            new DataType.Decimal(30, 4),
                            List.of(new DataType.Decimal(15, 2), new DataType.Decimal(15, 2)),
                            0));
                default -> {
                    List<DataType> arguments =
                            op.arguments().stream().map(OpcodeTest::type).toList();
                    if (op.result() != TypeClass.MASK && type(op.result()) != null && !arguments.contains(null)) {
                        all.add(new Signature(op, type(op.result()), arguments, 0));
                    }
                }
            }
        }
        return all;
    }

    private static void casts(List<Signature> all) {
        List<DataType> numbers = List.of(
                DataType.INT16,
                DataType.INT32,
                DataType.INT64,
                new DataType.Decimal(15, 2),
                new DataType.Decimal(9, 4),
                new DataType.Decimal(18, 0));
        for (DataType from : numbers) {
            for (DataType to : numbers) {
                all.add(new Signature(Opcode.CAST, to, List.of(from), 0));
            }
            all.add(new Signature(Opcode.CAST, DataType.FLOAT64, List.of(from), 0));
        }
    }

    @TestFactory
    Stream<DynamicTest> opcodes() {
        return signatures().stream()
                .map(signature -> DynamicTest.dynamicTest(signature.toString(), () -> check(signature)));
    }

    private static Object value(DataType type, boolean isSmall, Random random) {
        int pick = random.nextInt(isSmall ? 3 : 9);
        return switch (type) {
            case DataType.Bool _ -> random.nextBoolean();
            case DataType.Utf8 _ -> List.of("", "a", "abc", "ABC", "a%b", "zz").get(random.nextInt(6));
            case DataType.Float32 _ ->
                switch (pick) {
                    case 3 -> Float.NaN;
                    case 4 -> -0f;
                    case 5 -> Float.NEGATIVE_INFINITY;
                    default -> random.nextInt(-5, 5) / 2f;
                };
            case DataType.Float64 _ ->
                switch (pick) {
                    case 3 -> Double.NaN;
                    case 4 -> -0.0;
                    case 5 -> Double.POSITIVE_INFINITY;
                    case 6 -> 1e300 * random.nextDouble();
                    case 7 -> Double.MIN_VALUE;
                    default -> random.nextInt(-50, 50) / 3.0;
                };
            case DataType.Decimal(int precision, int scale) ->
                BigDecimal.valueOf(
                        pick > 4 ? random.nextLong((long) Math.pow(10, precision)) : random.nextInt(-300, 300), scale);
            case DataType.Int16 _ -> integer(pick, Short.MIN_VALUE, Short.MAX_VALUE, random);
            case DataType.Int32 _ -> integer(pick, Integer.MIN_VALUE, Integer.MAX_VALUE, random);
            case DataType.Date _ ->
                switch (pick) {
                    case 3 -> (long) Integer.MAX_VALUE;
                    case 4 -> -2_440_588L;
                    case 5 -> 2_145_042_905L;
                    default -> (long) random.nextInt(-1_000_000, 1_000_000);
                };
            case DataType.Time _ -> random.nextLong(86_400_000_000L);
            default -> integer(pick, Long.MIN_VALUE, Long.MAX_VALUE, random);
        };
    }

    private static Object integer(int pick, long least, long greatest, Random random) {
        return switch (pick) {
            case 3 -> least;
            case 4 -> greatest;
            case 5 -> greatest / 2 + 1;
            case 6 -> 0L;
            case 7 -> -1L;
            default -> (long) random.nextInt(-100, 100);
        };
    }

    private static void check(Signature signature) {
        Random random = new Random(SEED + signature.hashCode());
        int arguments = signature.arguments().size();
        int runs = 0;
        int refused = 0;
        try (TwoDevices devices = TwoDevices.open(SEED)) {
            for (int round = 0; round < 12; round++) {
                List<DataType> types = new ArrayList<>(signature.arguments());
                types.add(DataType.BOOL);
                double nulls = round % 3 == 0 ? 0 : 0.3;
                List<List<Object>> columns = new ArrayList<>();
                boolean isSmall = round % 4 != 3;
                for (DataType type : types) {
                    List<Object> values = new ArrayList<>();
                    for (int row = 0; row < ROWS; row++) {
                        values.add(random.nextDouble() < nulls ? null : value(type, isSmall, random));
                    }
                    columns.add(values);
                }
                TestTable table = new TestTable("t", types, columns, round % 5 < 3, 200);
                int constant = round % (arguments + 1) - 1;
                Plans plans = new Plans();
                int slot = constant < 0
                        ? -1
                        : plans.constant(types.get(constant), value(types.get(constant), isSmall, random));
                boolean isMasked = round % 2 == 1;
                plan(plans, table, signature, constant, slot, isMasked);
                QueryPlan plan = plans.result();
                if (devices.refusal(plan, 0, table) != null) {
                    refused++; // no kernel, and it says so
                    continue;
                }
                runs++;
                devices.check("round " + round + " constant " + constant, plan, false, table);
            }
        }
        if (runs + refused == 0) {
            throw new AssertionError("never ran");
        }
    }

    /// Under the rows in which the last column is true: the opcode's value, counted and added up.
    private static void plan(
            Plans plans, TestTable table, Signature signature, int constant, int slot, boolean isMasked) {
        int arguments = signature.arguments().size();
        plans.scan(table)
                .program(code -> {
                    int rows = isMasked ? code.mask(Opcode.MASK_TRUE, 0, code.load(arguments, 0)) : 0;
                    Integer[] registers = new Integer[arguments];
                    for (int index = 0; index < arguments; index++) {
                        registers[index] = index == constant
                                ? Integer.valueOf(code.constant(
                                        slot, signature.arguments().get(index), rows))
                                : Integer.valueOf(code.load(index, rows));
                    }
                    int value = code.value(signature.op(), signature.result(), rows, signature.immediate(), registers);
                    return new Plans.Out(rows, outputs(code, signature, value, rows));
                })
                .sink(new Sink.Aggregate(List.of(), calls(signature.result())));
    }

    private static List<Integer> outputs(ProgramBuilder code, Signature signature, int value, int rows) {
        return List.of(value);
    }

    private static List<AggregateCall> calls(DataType type) {
        List<AggregateCall> calls = new ArrayList<>();
        calls.add(new AggregateCall(AggregateKind.COUNT_STAR, -1, -1));
        calls.add(new AggregateCall(AggregateKind.COUNT, 0, -1));
        switch (type) {
            case DataType.Bool _ -> {
                calls.add(new AggregateCall(AggregateKind.BOOL_AND, 0, -1));
                calls.add(new AggregateCall(AggregateKind.COUNT_STAR, -1, 0));
            }
            case DataType.Int16 _, DataType.Int32 _, DataType.Int64 _ -> {
                calls.add(new AggregateCall(AggregateKind.SUM, 0, -1));
                calls.add(new AggregateCall(AggregateKind.BIT_XOR, 0, -1));
                calls.add(new AggregateCall(AggregateKind.MIN, 0, -1));
            }
            case DataType.Decimal _ -> {
                calls.add(new AggregateCall(AggregateKind.SUM, 0, -1));
                calls.add(new AggregateCall(AggregateKind.MAX, 0, -1));
            }
            case DataType.Date _, DataType.Time _, DataType.Timestamp _ -> {
                calls.add(new AggregateCall(AggregateKind.MIN, 0, -1));
                calls.add(new AggregateCall(AggregateKind.MAX, 0, -1));
            }
            default -> {}
        }
        return calls;
    }
}
