package dev.quarrel.core.ir;

import dev.quarrel.core.type.DataType;
import java.util.List;

/// Refuses a malformed program before anything runs it.
///
/// Checked: every register is written once, before it is read, with types the opcode admits; immediates name an
/// input, slot or field; masks narrow; no value is read in rows in which it was not computed.
///
/// - Errors: [IllegalArgumentException] that names the instruction.
public final class ProgramVerifier {
    private final Program program;
    private final List<Slot> slots;
    private final Instruction[] writer;
    private final boolean[] written;

    private ProgramVerifier(Program program, List<Slot> slots) {
        this.program = program;
        this.slots = slots;
        this.writer = new Instruction[program.registers().size()];
        this.written = new boolean[program.registers().size()];
    }

    public static void verify(Program program, List<Slot> slots) {
        new ProgramVerifier(program, slots).run();
    }

    private void run() {
        if (program.registers().isEmpty() || !(program.registers().getFirst() instanceof RegisterType.Mask)) {
            throw new IllegalArgumentException("register 0 must be the mask of the rows that come in");
        }
        written[0] = true;
        for (Instruction instruction : program.code()) {
            try {
                check(instruction);
            } catch (IllegalArgumentException problem) {
                throw new IllegalArgumentException(problem.getMessage() + " in " + IrText.of(instruction), problem);
            }
            written[instruction.result()] = true;
            writer[instruction.result()] = instruction;
        }
        requireMask(program.selection());
        for (int output : program.outputs()) {
            requireRegister(output);
            program.valueType(output);
            if (!covers(maskOf(output), program.selection())) {
                throw new IllegalArgumentException("output r" + output + " is not defined in all surviving rows");
            }
        }
    }

    private void check(Instruction instruction) {
        Opcode op = instruction.op();
        int result = instruction.result();
        if (result < 0 || result >= written.length) {
            throw new IllegalArgumentException("no register " + result);
        }
        if (written[result]) {
            throw new IllegalArgumentException("register " + result + " is written twice");
        }
        requireMask(instruction.mask());
        if (op == Opcode.CALL) {
            checkCall(instruction);
            return;
        }
        if (instruction.arguments().size() != op.arguments().size()) {
            throw new IllegalArgumentException(op + " takes " + op.arguments().size() + " arguments");
        }
        if (!op.result().admits(program.registers().get(result))) {
            throw new IllegalArgumentException(
                    op + " cannot give " + program.registers().get(result));
        }
        for (int index = 0; index < op.arguments().size(); index++) {
            int argument = instruction.arguments().get(index);
            requireRegister(argument);
            if (!op.arguments().get(index).admits(program.registers().get(argument))) {
                throw new IllegalArgumentException(
                        op + " cannot take " + program.registers().get(argument) + " as argument " + index);
            }
        }
        checkTypes(instruction);
        checkDefined(instruction);
    }

    private void checkCall(Instruction instruction) {
        Callee callee = instruction.callee();
        if (instruction.arguments().size() != callee.arguments().size()) {
            throw new IllegalArgumentException(
                    callee + " takes " + callee.arguments().size() + " arguments");
        }
        if (instruction.immediate() != 0) {
            throw new IllegalArgumentException("CALL has no immediate");
        }
        requireSame(program.registers().get(instruction.result()), new RegisterType.Value(callee.result()));
        for (int index = 0; index < callee.arguments().size(); index++) {
            int argument = instruction.arguments().get(index);
            requireRegister(argument);
            requireSame(
                    program.registers().get(argument),
                    new RegisterType.Value(callee.arguments().get(index)));
        }
        checkDefined(instruction);
    }

    private void checkTypes(Instruction instruction) {
        int immediate = instruction.immediate();
        RegisterType result = program.registers().get(instruction.result());
        List<Integer> arguments = instruction.arguments();
        switch (instruction.op()) {
            case LOAD -> {
                if (immediate < 0 || immediate >= program.inputs().size()) {
                    throw new IllegalArgumentException("no input " + immediate);
                }
                requireSame(result, new RegisterType.Value(program.inputs().get(immediate)));
            }
            case CONST -> {
                if (immediate < 0 || immediate >= slots.size()) {
                    throw new IllegalArgumentException("no slot " + immediate);
                }
                requireSame(result, new RegisterType.Value(slots.get(immediate).type()));
            }
            case SELECT -> {
                requireSame(result, program.registers().get(arguments.get(1)));
                requireSame(result, program.registers().get(arguments.get(2)));
            }
            case CAST -> {
                DataType from = program.valueType(arguments.getFirst());
                DataType to = program.valueType(instruction.result());
                if (!Casts.isAllowed(TypeClass.of(from), TypeClass.of(to))) {
                    throw new IllegalArgumentException("no cast from " + from + " to " + to);
                }
            }
            case EXTRACT_DATE -> {
                if (!DateField.of(immediate).isOfDate()) {
                    throw new IllegalArgumentException(DateField.of(immediate) + " is no field of a date");
                }
            }
            case EXTRACT_TIMESTAMP -> DateField.of(immediate);
            case EXTRACT_TIME -> {
                if (!DateField.of(immediate).isOfTime()) {
                    throw new IllegalArgumentException(DateField.of(immediate) + " is no field of a time of day");
                }
            }
            case EXTRACT_INTERVAL -> {
                if (!DateField.of(immediate).isOfInterval()) {
                    throw new IllegalArgumentException(DateField.of(immediate) + " is no field of an interval");
                }
            }
            case TRUNC_INTERVAL -> {
                if (!DateField.of(immediate).isUnitOfInterval()) {
                    throw new IllegalArgumentException(DateField.of(immediate) + " is no unit of an interval");
                }
            }
            case ADD_TIMESTAMP_INTERVAL, SUB_TIMESTAMP_INTERVAL ->
                requireSame(result, program.registers().get(arguments.getFirst()));
            case SUB_TIMESTAMP_TIMESTAMP, AGE_TIMESTAMP ->
                requireSame(
                        program.registers().get(arguments.get(0)),
                        program.registers().get(arguments.get(1)));
            case BIN_TIMESTAMP -> {
                requireSame(result, program.registers().get(arguments.get(1)));
                requireSame(result, program.registers().get(arguments.get(2)));
            }
            case EPOCH_TIMESTAMP -> requireSame(result, new RegisterType.Value(DataType.TIMESTAMPTZ));
            case MAKE_TIMESTAMP, ADD_DATE_TIME -> requireSame(result, new RegisterType.Value(DataType.TIMESTAMP));
            case TRUNC_TIMESTAMP -> {
                if (!DateField.of(immediate).isUnit()) {
                    throw new IllegalArgumentException(DateField.of(immediate) + " is no unit of time");
                }
                requireSame(result, program.registers().get(arguments.getFirst()));
            }
            default -> {
                if (immediate != 0) {
                    throw new IllegalArgumentException(instruction.op() + " has no immediate");
                }
            }
        }
        checkScales(instruction);
    }

    private void checkScales(Instruction instruction) {
        List<Integer> scales = instruction.arguments().stream()
                .map(program.registers()::get)
                .filter(TypeClass.DECIMAL::admits)
                .map(ProgramVerifier::scale)
                .toList();
        if (scales.isEmpty() || instruction.op() == Opcode.CAST || instruction.op() == Opcode.SELECT) {
            return;
        }
        RegisterType result = program.registers().get(instruction.result());
        if (instruction.op() == Opcode.MUL_DECIMAL) {
            if (scale(result) != scales.get(0) + scales.get(1)) {
                throw new IllegalArgumentException("the scale of a product is the sum of scales");
            }
            return;
        }
        boolean same = scales.stream().distinct().count() == 1
                && (!TypeClass.DECIMAL.admits(result) || scale(result) == scales.getFirst());
        if (!same) {
            throw new IllegalArgumentException("scales differ");
        }
    }

    private static int scale(RegisterType register) {
        return register instanceof RegisterType.Value(DataType.Decimal(int _, int scale)) ? scale : -1;
    }

    /// Arguments must be defined in every row in which they are read.
    private void checkDefined(Instruction instruction) {
        int mask = instruction.mask();
        List<Integer> arguments = instruction.arguments();
        switch (instruction.op()) {
            case SELECT -> {
                int chosen = arguments.get(0);
                requireDerived(chosen, mask);
                requireDefined(arguments.get(1), chosen);
                if (!covers(maskOf(arguments.get(2)), mask)) {
                    requireComplement(arguments.get(2), Opcode.MASK_MINUS, mask, chosen);
                }
            }
            case AND, OR -> {
                requireDefined(arguments.get(0), mask);
                if (!covers(maskOf(arguments.get(1)), mask)) {
                    Opcode needed = instruction.op() == Opcode.AND ? Opcode.MASK_NOT_FALSE : Opcode.MASK_NOT_TRUE;
                    requireComplement(arguments.get(1), needed, mask, arguments.get(0));
                }
            }
            case MASK_MINUS -> requireDerived(arguments.getFirst(), mask);
            default -> arguments.forEach(argument -> requireDefined(argument, mask));
        }
    }

    /// `register` must be defined in the rows of `op(argument) under mask`, for some mask register that is written so.
    private void requireComplement(int register, Opcode op, int mask, int argument) {
        for (int candidate = maskOf(register); candidate > 0; candidate = writer[candidate].mask()) {
            Instruction made = writer[candidate];
            if (made.op() == op && made.mask() == mask && made.arguments().equals(List.of(argument))) {
                return;
            }
        }
        // The value may also be defined under an outer mask of such a one: then it covers `mask` itself, seen before.
        throw new IllegalArgumentException("r" + register + " is read in rows in which it is not defined");
    }

    private void requireDefined(int register, int mask) {
        if (program.registers().get(register) instanceof RegisterType.Mask) {
            requireDerived(register, mask);
        } else if (!covers(maskOf(register), mask)) {
            throw new IllegalArgumentException("r" + register + " is read in rows in which it is not defined");
        }
    }

    private void requireDerived(int inner, int outer) {
        if (!covers(outer, inner)) {
            throw new IllegalArgumentException("mask r" + inner + " does not lie within r" + outer);
        }
    }

    /// Whether `inner` is `outer` or was derived from it.
    private boolean covers(int outer, int inner) {
        for (int mask = inner; mask != outer; mask = writer[mask].mask()) {
            if (mask == 0) {
                return false;
            }
        }
        return true;
    }

    /// The mask a value register was computed under.
    private int maskOf(int register) {
        return writer[register].mask();
    }

    private void requireMask(int register) {
        requireRegister(register);
        if (!(program.registers().get(register) instanceof RegisterType.Mask)) {
            throw new IllegalArgumentException("r" + register + " is no mask");
        }
    }

    private void requireRegister(int register) {
        if (register < 0 || register >= written.length || !written[register]) {
            throw new IllegalArgumentException("r" + register + " is read before it is written");
        }
    }

    private static void requireSame(RegisterType one, RegisterType other) {
        if (!one.equals(other)) {
            throw new IllegalArgumentException(one + " is not " + other);
        }
    }
}
