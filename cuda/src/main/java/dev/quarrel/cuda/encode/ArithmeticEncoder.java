package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.Arithmetic;
import dev.quarrel.core.ir.DateField;
import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.vm.VmInstruction;
import dev.quarrel.cuda.vm.VmOpcode;
import java.time.LocalDate;

/// Arithmetic of integers, decimals of 64 bits, dates and floats.
final class ArithmeticEncoder {
    private static final long FIRST_DAY = -2_440_588;
    private static final long LAST_DAY = 2_145_042_905;

    private final Body body;
    private final ProgramWriter code;
    private final Hand hand;

    ArithmeticEncoder(Body body, Encoding encoding) {
        this.body = body;
        this.code = encoding.code();
        this.hand = encoding.hand();
    }

    /// Arithmetic of one type class.
    void encode(Arithmetic operation, Instruction instruction, Value value) {
        switch (instruction.op().result()) {
            case INT16, INT32, INT64, DECIMAL -> {
                switch (operation) {
                    case ADD -> exact(VmOpcode.ADD, VmOpcode.ADD, instruction, value);
                    case SUB -> exact(VmOpcode.SUBTRACT, VmOpcode.SUBTRACT_FROM, instruction, value);
                    case MUL -> exact(VmOpcode.MULTIPLY, VmOpcode.MULTIPLY, instruction, value);
                    case DIV -> exact(VmOpcode.DIVIDE, null, instruction, value);
                    case MOD -> exact(VmOpcode.REMAINDER, null, instruction, value);
                    case NEG -> unary(VmOpcode.NEGATE, instruction, value);
                    case ABS -> unary(VmOpcode.ABSOLUTE, instruction, value);
                }
            }
            case FLOAT64 -> {
                switch (operation) {
                    case ADD -> floats(VmOpcode.FLOAT_ADD, instruction, value);
                    case SUB -> floats(VmOpcode.FLOAT_SUBTRACT, instruction, value);
                    case MUL -> floats(VmOpcode.FLOAT_MULTIPLY, instruction, value);
                    case DIV -> floats(VmOpcode.FLOAT_DIVIDE, instruction, value);
                    case MOD -> throw NoKernel.of(instruction);
                    case NEG -> unary(VmOpcode.FLOAT_NEGATE, instruction, value);
                    case ABS -> unary(VmOpcode.FLOAT_ABSOLUTE, instruction, value);
                }
            }
            default -> throw NoKernel.of(instruction);
        }
    }

    /// @param reversed what does the same with the operand as its left side, or null
    private void exact(VmOpcode op, VmOpcode reversed, Instruction instruction, Value value) {
        Value x = body.argument(instruction, 0);
        Value y = body.argument(instruction, 1);
        Lanes.require(value.type);
        Sides sides = hand.sides(x, y, reversed != null);
        value.sure = bounds(op, x.sureBounds(), y.sureBounds());
        boolean isSure = value.sure != null
                && (code.laneBytes() == Lanes.WIDE
                        || value.sure[0] >= Integer.MIN_VALUE && value.sure[1] <= Integer.MAX_VALUE);
        finish(x, y, value, sides, sides.isReversed() ? reversed : op, isSure ? VmInstruction.SURE : 0);
        checkWidth(value);
    }

    /// Bounds of the results of values within bounds; null where they are unknown or more than 64 bits hold.
    private static long[] bounds(VmOpcode op, long[] x, long[] y) {
        if (x == null || y == null) {
            return null;
        }
        try {
            return switch (op) {
                case ADD -> new long[] {Math.addExact(x[0], y[0]), Math.addExact(x[1], y[1])};
                case SUBTRACT -> new long[] {Math.subtractExact(x[0], y[1]), Math.subtractExact(x[1], y[0])};
                case MULTIPLY -> {
                    long first = Math.multiplyExact(x[0], y[0]);
                    long second = Math.multiplyExact(x[0], y[1]);
                    long third = Math.multiplyExact(x[1], y[0]);
                    long fourth = Math.multiplyExact(x[1], y[1]);
                    yield new long[] {
                        Math.min(Math.min(first, second), Math.min(third, fourth)),
                        Math.max(Math.max(first, second), Math.max(third, fourth))
                    };
                }
                default -> null;
            };
        } catch (ArithmeticException _) {
            return null;
        }
    }

    private void finish(Value x, Value y, Value value, Sides sides, VmOpcode op, int flags) {
        value.isNullable = x.isNullable
                || y.isNullable
                || x.constant != null && x.constant.isNull()
                || y.constant != null && y.constant.isNull();
        Value inHand = sides.isReversed() ? y : x;
        inHand.uses--;
        hand.spillValue();
        int scratch = op == VmOpcode.FLOAT_DIVIDE ? hand.scratch() : 0;
        code.emit(
                op,
                sides.operand().flags() | flags,
                0,
                scratch,
                sides.operand().b(),
                sides.operand().c());
        inHand.uses++;
        hand.used(x);
        hand.used(y);
        hand.take(value);
    }

    /// Errors of types that are narrower than a lane.
    private void checkWidth(Value value) {
        int bytes = value.type.byteWidth();
        if (bytes <= Integer.BYTES && value.sure != null) {
            long reach = 1L << Byte.SIZE * bytes - 1;
            if (value.sure[0] >= -reach && value.sure[1] < reach) {
                return;
            }
            value.sure = null;
        }
        if (value.type instanceof DataType.Int16) {
            code.emit(VmOpcode.CHECK, 0, 0, code.constant(Short.MIN_VALUE), code.constant(Short.MAX_VALUE), 0);
        } else if (value.type instanceof DataType.Int32 && code.laneBytes() > Lanes.NARROW) {
            code.emit(VmOpcode.CHECK, 0, 0, code.constant(Integer.MIN_VALUE), code.constant(Integer.MAX_VALUE), 0);
        }
    }

    private void unary(VmOpcode op, Instruction instruction, Value value) {
        Value argument = body.argument(instruction, 0);
        Lanes.require(value.type);
        hand.bring(argument);
        hand.used(argument);
        hand.spillValue();
        value.isNullable = argument.isNullable || argument.constant != null && argument.constant.isNull();
        code.emit(op);
        hand.take(value);
        if (op == VmOpcode.NEGATE || op == VmOpcode.ABSOLUTE) {
            checkWidth(value);
        }
    }

    private void floats(VmOpcode operation, Instruction instruction, Value value) {
        Value x = body.argument(instruction, 0);
        Value y = body.argument(instruction, 1);
        Sides sides = hand.sides(x, y, true);
        finish(x, y, value, sides, operation, sides.isReversed() ? VmInstruction.NEGATE : 0);
    }

    void days(Instruction instruction, Value value) {
        Value x = body.argument(instruction, 0);
        Value y = body.argument(instruction, 1);
        hand.bring(x);
        code.emit(VmOpcode.CHECK_FINITE_DATE);
        if (instruction.op() == Opcode.SUB_DATE_DATE) {
            hand.bring(y);
            code.emit(VmOpcode.CHECK_FINITE_DATE);
        }
        boolean isSum = instruction.op() == Opcode.ADD_DATE_INT32;
        Sides sides = hand.sides(x, y, true);
        VmOpcode op = isSum ? VmOpcode.ADD : sides.isReversed() ? VmOpcode.SUBTRACT_FROM : VmOpcode.SUBTRACT;
        finish(x, y, value, sides, op, 0);
        if (value.type instanceof DataType.Date) {
            code.emit(VmOpcode.CHECK, 0, 0, code.constant(FIRST_DAY), code.constant(LAST_DAY), 0);
        } else {
            checkWidth(value);
        }
    }

    void extract(Instruction instruction, Value value) {
        DateField field = DateField.of(instruction.immediate());
        Value argument = body.argument(instruction, 0);
        long[] days = argument.bounds;
        value.bounds = switch (field) {
            case YEAR ->
                days == null
                        ? null
                        : new long[] {
                            LocalDate.ofEpochDay(days[0]).getYear() - 1,
                            LocalDate.ofEpochDay(days[1]).getYear()
                        };
            case QUARTER -> new long[] {1, 4};
            case MONTH -> new long[] {1, 12};
            case DAY -> new long[] {1, 31};
            case DOW -> new long[] {0, 6};
            case ISODOW -> new long[] {1, 7};
            case DOY -> new long[] {1, 366};
            default -> throw new NoKernel("extract of " + field + " has no CUDA kernel");
        };
        hand.bring(argument);
        hand.used(argument);
        hand.spillValue();
        value.isNullable = argument.isNullable || argument.constant != null && argument.constant.isNull();
        code.emit(VmOpcode.DATE_FIELD, 0, field.ordinal(), 0, 0, 0);
        hand.take(value);
    }
}
