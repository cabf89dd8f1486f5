package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TileInput;
import dev.quarrel.core.cpu.tile.TileOutputs;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Program;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// A program on one worker, with its outputs for the tile that it ran last.
///
/// Outputs that are inputs handed on untouched are not loaded by the program: whoever asks for them loads them
/// then, for the rows that are left (late loads).
public final class ProgramOutputs implements TileOutputs {
    private final TileProgram program;
    private final int[] computed; // output → output of the trimmed program, or -1
    private final int[] passed; // output → input, or -1
    private TileInput input = TileInput.NONE;

    public ProgramOutputs(Program full, List<Literal> slotValues, int tileRows) {
        int count = full.outputs().size();
        this.computed = new int[count];
        this.passed = new int[count];
        Set<Integer> late = lateLoads(full);
        List<Integer> outputs = new ArrayList<>();
        for (int output = 0; output < count; output++) {
            int register = full.outputs().get(output);
            if (late.contains(register)) {
                computed[output] = -1;
                passed[output] = full.inputOf(output);
            } else {
                computed[output] = outputs.size();
                passed[output] = -1;
                outputs.add(register);
            }
        }
        List<Instruction> code = full.code().stream()
                .filter(instruction -> !late.contains(instruction.result()))
                .toList();
        this.program = new TileProgram(
                new Program(full.inputs(), full.registers(), code, full.selection(), outputs), slotValues, tileRows);
    }

    /// Registers that are loaded, handed on, and read by no instruction.
    private static Set<Integer> lateLoads(Program program) {
        Set<Integer> read = new HashSet<>();
        program.code().forEach(instruction -> read.addAll(instruction.arguments()));
        Set<Integer> late = new HashSet<>();
        for (Instruction instruction : program.code()) {
            int result = instruction.result();
            if (instruction.op() == Opcode.LOAD && !read.contains(result)) {
                late.add(result);
            }
        }
        return late;
    }

    /// Runs the program over a tile; the answer is the rows that survive.
    public Mask run(TileInput newInput, Mask rows) {
        input = newInput;
        program.run(newInput, rows);
        return program.selection();
    }

    /// The values of an output.
    ///
    /// @param rows within the surviving rows: where values are wanted
    @Override
    public Vector get(int output, Mask rows) {
        return passed[output] >= 0 ? input.load(passed[output], rows) : program.output(computed[output]);
    }

    /// The input that each output is, if all outputs are inputs handed on and all rows survive; otherwise null.
    public static int[] identity(Program program) {
        if (program.selection() != 0) {
            return null;
        }
        int[] inputs = new int[program.outputs().size()];
        for (int output = 0; output < inputs.length; output++) {
            inputs[output] = program.inputOf(output);
            if (inputs[output] < 0) {
                return null;
            }
        }
        return inputs;
    }
}
