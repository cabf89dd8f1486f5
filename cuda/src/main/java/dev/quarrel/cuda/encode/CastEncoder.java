package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.vm.VmInstruction;
import dev.quarrel.cuda.vm.VmOpcode;

/// Casts between exact numbers, and to float64.
final class CastEncoder {
    private static final int NARROW_DIGITS = 18;
    private static final long EXACT_DOUBLE = 1L << 53;
    private static final int MAX_POWER = 22;

    private final Body body;
    private final ProgramWriter code;
    private final Hand hand;

    CastEncoder(Body body, Encoding encoding) {
        this.body = body;
        this.code = encoding.code();
        this.hand = encoding.hand();
    }

    void encode(Instruction instruction, Value value) {
        Value argument = body.argument(instruction, 0);
        DataType from = argument.type;
        DataType to = value.type;
        int fromScale = scale(from);
        int toScale = scale(to);
        boolean isExact = fromScale >= 0 && toScale >= 0;
        boolean isToDouble = to instanceof DataType.Float64 && fromScale >= 0 && fromScale <= MAX_POWER;
        if (!isExact && !isToDouble) {
            throw new NoKernel("cast from " + from + " to " + to + " has no CUDA kernel");
        }
        hand.bring(argument);
        hand.used(argument);
        hand.spillValue();
        value.isNullable = argument.isNullable || argument.constant != null && argument.constant.isNull();
        if (isToDouble) {
            if (fromScale > 0 || from instanceof DataType.Decimal) {
                // Both are exact then, and the quotient is rounded once.
                code.emit(VmOpcode.CHECK, 0, 0, code.constant(-EXACT_DOUBLE), code.constant(EXACT_DOUBLE), 0);
            }
            code.emit(VmOpcode.TO_FLOAT);
            if (fromScale > 0) {
                int power = code.constant(Double.doubleToLongBits(Math.pow(10, fromScale)));
                code.emit(VmOpcode.FLOAT_DIVIDE, VmInstruction.IMMEDIATE, 0, hand.scratch(), power, 0);
            }
        } else {
            rescale(fromScale, toScale);
            checkCast(from, to);
            value.bounds = fromScale == toScale ? argument.bounds : null;
            value.sure = fromScale == toScale ? argument.sureBounds() : null;
        }
        hand.take(value);
    }

    private void rescale(int from, int to) {
        int difference = Math.abs(to - from);
        if (difference > NARROW_DIGITS) {
            throw new NoKernel("a cast over " + difference + " digits has no CUDA kernel");
        }
        long power = (long) Math.pow(10, difference);
        if (to > from) {
            code.emit(VmOpcode.MULTIPLY, VmInstruction.IMMEDIATE, 0, 0, code.constant(power), 0);
        } else if (to < from) {
            code.emit(VmOpcode.DIVIDE_ROUNDED, 0, 0, code.constant(power), 0, 0);
        }
    }

    private void checkCast(DataType from, DataType to) {
        switch (to) {
            case DataType.Int16 _ ->
                code.emit(VmOpcode.CHECK, 0, 0, code.constant(Short.MIN_VALUE), code.constant(Short.MAX_VALUE), 0);
            case DataType.Int32 _
            when !(from instanceof DataType.Int16) && code.laneBytes() > Lanes.NARROW ->
                code.emit(VmOpcode.CHECK, 0, 0, code.constant(Integer.MIN_VALUE), code.constant(Integer.MAX_VALUE), 0);
            case DataType.Decimal(int precision, int _)
            when precision <= NARROW_DIGITS -> {
                long most = (long) Math.pow(10, precision) - 1;
                code.emit(VmOpcode.CHECK, 0, 0, code.constant(-most), code.constant(most), 0);
            }
            default -> {}
        }
    }

    /// Digits after the point, or -1 for what is no exact number.
    private static int scale(DataType type) {
        return switch (type) {
            case DataType.Int16 _, DataType.Int32 _, DataType.Int64 _ -> 0;
            case DataType.Decimal(int _, int digits) -> digits;
            default -> -1;
        };
    }
}
