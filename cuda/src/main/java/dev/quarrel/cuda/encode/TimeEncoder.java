package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.DateField;
import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.Interval;
import dev.quarrel.cuda.vm.VmInstruction;
import dev.quarrel.cuda.vm.VmOpcode;

/// Times down to a unit or a bin, and their dates: of times whose bounds statistics know, so that none is infinite and
/// nothing leaves 64 bits. What is beyond these bounds all the same is an error, after which the CPU runs.
final class TimeEncoder {
    private static final long DAY = CivilDate.MICROS_PER_DAY;
    private static final long MONDAY = 4 * DAY; // 1970-01-05

    private final Body body;
    private final ProgramWriter code;
    private final Hand hand;

    TimeEncoder(Body body, Encoding encoding) {
        this.body = body;
        this.code = encoding.code();
        this.hand = encoding.hand();
    }

    /// The start of the bin that a time is in, of a length and an origin that all rows have.
    void bin(Instruction instruction, Value value) {
        Value length = body.argument(instruction, 0);
        Value origin = body.argument(instruction, 2);
        boolean isKnown = length.constant != null
                && length.constant.value() instanceof Interval span
                && span.isFinite()
                && span.months() == 0
                && Math.abs((long) span.days()) < CivilDate.LAST_TIMESTAMP_DAY / 2
                && origin.constant != null
                && origin.constant.value() instanceof Long start
                && !CivilDate.isInfinite(start);
        if (!isKnown) {
            throw NoKernel.of(instruction);
        }
        Interval span = (Interval) length.constant.value();
        try {
            long step = Math.addExact(span.days() * DAY, span.micros());
            if (step <= 0) {
                throw NoKernel.of(instruction); // the CPU raises the error
            }
            floor(body.argument(instruction, 1), value, step, (Long) origin.constant.value());
        } catch (ArithmeticException _) {
            throw NoKernel.of(instruction);
        }
    }

    /// Down to a unit.
    void truncate(Instruction instruction, Value value) {
        Value time = body.argument(instruction, 0);
        switch (DateField.of(instruction.immediate())) {
            case MICROSECONDS -> floor(time, value, 1, 0);
            case MILLISECONDS -> floor(time, value, 1_000, 0);
            case SECOND -> floor(time, value, CivilDate.MICROS_PER_SECOND, 0);
            case MINUTE -> floor(time, value, 60 * CivilDate.MICROS_PER_SECOND, 0);
            case HOUR -> floor(time, value, 3_600 * CivilDate.MICROS_PER_SECOND, 0);
            case DAY -> floor(time, value, DAY, 0);
            case WEEK -> floor(time, value, 7 * DAY, MONDAY);
            case MONTH -> firstDay(time, value, DateField.DAY, 31);
            case YEAR -> firstDay(time, value, DateField.DOY, 366);
            default -> throw NoKernel.of(instruction);
        }
    }

    /// The date of a time.
    void date(Value time, Value value) {
        days(time, value);
        value.bounds = new long[] {value.bounds[0] / DAY, value.bounds[1] / DAY};
        value.sure = value.bounds;
        value.step = 1;
        hand.take(value);
    }

    /// Down to the first day of a month or a year, which has so many days at most.
    private void firstDay(Value time, Value value, DateField number, int most) {
        days(time, value);
        int slot = hand.scratch();
        code.emit(VmOpcode.DATE_FIELD, 0, number.ordinal(), 0, 0, 0);
        code.emit(VmOpcode.SUBTRACT_FROM, VmInstruction.SURE, 0, 0, slot, 0);
        code.emit(VmOpcode.ADD, VmInstruction.IMMEDIATE | VmInstruction.SURE, 0, 0, code.constant(1), 0);
        code.emit(VmOpcode.MULTIPLY, VmInstruction.IMMEDIATE | VmInstruction.SURE, 0, 0, code.constant(DAY), 0);
        value.bounds = new long[] {valid(value.bounds[0] - (most - 1) * DAY), value.bounds[1]};
        value.sure = value.bounds;
        hand.take(value);
    }

    /// A time's day, in hand; the value has the bounds of the day's start, in microseconds.
    private void days(Value time, Value value) {
        floor(time, value, DAY, 0);
        hand.value = null;
        code.emit(VmOpcode.DIVIDE, VmInstruction.IMMEDIATE, 0, 0, code.constant(DAY), 0);
    }

    /// The greatest time that is multiples of `step` from `origin` and not after the given one.
    private void floor(Value time, Value value, long step, long origin) {
        long[] sure = time.sureBounds();
        long[] bounds = sure == null ? time.bounds : sure;
        if (bounds == null || CivilDate.isInfinite(bounds[0]) || CivilDate.isInfinite(bounds[1])) {
            throw new NoKernel("times of unknown bounds have no CUDA kernel");
        }
        long least = floored(bounds[0], step, origin);
        hand.bring(time);
        hand.used(time);
        hand.spillValue();
        value.isNullable = time.isNullable || time.constant != null && time.constant.isNull();
        if (sure == null) {
            code.emit(VmOpcode.CHECK, 0, 0, code.constant(bounds[0]), code.constant(bounds[1]), 0);
        }
        if (step > 1) {
            int slot = hand.scratch();
            if (least != 0) {
                int base = code.constant(least);
                code.emit(VmOpcode.SUBTRACT, VmInstruction.IMMEDIATE | VmInstruction.SURE, 0, 0, base, 0);
            }
            code.emit(VmOpcode.REMAINDER, VmInstruction.IMMEDIATE, 0, 0, code.constant(step), 0);
            code.emit(VmOpcode.SUBTRACT_FROM, VmInstruction.SURE, 0, 0, slot, 0);
        }
        value.bounds = new long[] {least, floored(bounds[1], step, origin)};
        value.sure = value.bounds;
        value.step = step;
        value.follows = time.follows;
        hand.take(value);
    }

    private static long floored(long time, long step, long origin) {
        try {
            return valid(Math.subtractExact(time, Math.floorMod(Math.subtractExact(time, origin), step)));
        } catch (ArithmeticException _) {
            return valid(Long.MIN_VALUE);
        }
    }

    private static long valid(long time) {
        if (!CivilDate.isValidTimestamp(time)) {
            throw new NoKernel("times at the end of their range have no CUDA kernel");
        }
        return time;
    }
}
