package dev.quarrel.core.ir;

import java.util.List;
import java.util.Objects;

/// One step of a program: `result = op(arguments) under mask`.
///
/// @param result the register written; each register is written once
/// @param arguments registers read
/// @param mask the mask register whose rows the instruction acts on
/// @param immediate input number, slot number or field number, by opcode; 0 where the opcode has none
public record Instruction(Opcode op, int result, List<Integer> arguments, int mask, int immediate) {
    public Instruction {
        Objects.requireNonNull(op, "op");
        arguments = List.copyOf(arguments);
    }
}
