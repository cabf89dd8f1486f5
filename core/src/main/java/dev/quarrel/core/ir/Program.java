package dev.quarrel.core.ir;

import dev.quarrel.core.type.DataType;
import java.util.List;

/// Straight-line code over typed virtual registers: what happens to the rows of one tile.
///
/// - Register 0 is a mask: the rows that come in. Every other register is written by exactly one instruction,
///   before it is read.
/// - Masks narrow: each is derived from another, and register 0 is the root. A value is defined in the rows of
///   the mask it was computed under; whoever reads it acts under that mask or one derived from it (SELECT, AND
///   and OR say what they read).
/// - Values of inputs come by LOAD, so a device reads a column only where, and when, the program asks for it.
/// - Source: `docs/program.md`.
///
/// @param inputs types of the source's columns, or of what the join before it hands on
/// @param registers type of each register
/// @param selection mask register: the rows that survive
/// @param outputs value registers handed on, defined in the surviving rows
public record Program(
        List<DataType> inputs,
        List<RegisterType> registers,
        List<Instruction> code,
        int selection,
        List<Integer> outputs) {
    public Program {
        inputs = List.copyOf(inputs);
        registers = List.copyOf(registers);
        code = List.copyOf(code);
        outputs = List.copyOf(outputs);
    }

    /// Types of the outputs, in order.
    ///
    /// - Errors: [IllegalArgumentException] if an output is a mask: the program is malformed.
    public List<DataType> outputTypes() {
        return outputs.stream().map(this::valueType).toList();
    }

    /// The input that an output hands on as it came, or -1 if the output is computed.
    public int inputOf(int output) {
        int register = outputs.get(output);
        for (Instruction instruction : code) {
            if (instruction.result() == register) {
                return instruction.op() == Opcode.LOAD ? instruction.immediate() : -1;
            }
        }
        return -1;
    }

    /// Whether an output is the same in all rows.
    public boolean isConstant(int output) {
        int register = outputs.get(output);
        return code.stream()
                .anyMatch(instruction -> instruction.result() == register && instruction.op() == Opcode.CONST);
    }

    /// Whether a step may raise an error.
    public boolean canFail() {
        return code.stream().anyMatch(Instruction::canFail);
    }

    public DataType valueType(int register) {
        return switch (registers.get(register)) {
            case RegisterType.Value(DataType type) -> type;
            case RegisterType.Mask _ -> throw new IllegalArgumentException("register " + register + " is a mask");
        };
    }
}
