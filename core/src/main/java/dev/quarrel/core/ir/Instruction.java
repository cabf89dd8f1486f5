package dev.quarrel.core.ir;

import dev.quarrel.core.type.SqlState;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/// One step of a program: `result = op(arguments) under mask`.
///
/// @param result the register written; each register is written once
/// @param arguments registers read
/// @param mask the mask register whose rows the instruction acts on
/// @param immediate input number, slot number or field number, by opcode; 0 where the opcode has none
/// @param callee the function that CALL calls; null for every other opcode
public record Instruction(Opcode op, int result, List<Integer> arguments, int mask, int immediate, Callee callee) {
    public Instruction {
        Objects.requireNonNull(op, "op");
        arguments = List.copyOf(arguments);
        if ((op == Opcode.CALL) != (callee != null)) {
            throw new IllegalArgumentException(op + (callee == null ? " without a function" : " of " + callee.id()));
        }
    }

    public Instruction(Opcode op, int result, List<Integer> arguments, int mask, int immediate) {
        this(op, result, arguments, mask, immediate, null);
    }

    /// The same step for the rows of another mask.
    public Instruction with(int newMask, int newImmediate) {
        return new Instruction(op, result, arguments, newMask, newImmediate, callee);
    }

    /// The errors a row may raise; empty for a step that cannot fail.
    public Set<SqlState> fails() {
        return callee == null ? op.fails() : callee.fails();
    }

    public boolean canFail() {
        return !fails().isEmpty();
    }

    /// How EXPLAIN and error messages call the operation.
    public String symbol() {
        return callee == null ? op.symbol() : callee.name();
    }
}
