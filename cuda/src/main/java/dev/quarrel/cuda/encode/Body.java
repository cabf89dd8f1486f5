package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Program;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A program while it is encoded: what is known of each of its registers.
final class Body {
    final Program program;
    final List<Value> in;
    final Value[] values;
    final Rows[] rows;
    final Instruction[] writer;
    final boolean[] isLive;
    final boolean[] isPart; // of a condition on a text column, or of a range
    final int[] useOfRows;
    final int[] useOfValue;
    final Map<Integer, Program> conditions = new HashMap<>();
    final Map<Integer, TextCondition> tests = new HashMap<>(); // on text without a dictionary
    final Map<Integer, long[]> rangeOf = new HashMap<>(); // by mask: input's register, low, high
    final Map<Integer, Integer> merged = new HashMap<>(); // mask → the one that does its work

    Body(Program program, List<Value> in) {
        this.program = program;
        this.in = in;
        int count = program.registers().size();
        values = new Value[count];
        rows = new Rows[count];
        writer = new Instruction[count];
        isLive = new boolean[count];
        isPart = new boolean[count];
        useOfRows = new int[count];
        useOfValue = new int[count];
        program.code().forEach(instruction -> writer[instruction.result()] = instruction);
    }

    int referencesTo(int register) {
        int count = program.selection() == register ? 1 : 0;
        for (int output : program.outputs()) {
            count += output == register ? 1 : 0;
        }
        for (Instruction instruction : program.code()) {
            if (isLive[instruction.result()]) {
                count += instruction.mask() == register ? 1 : 0;
                for (int argument : instruction.arguments()) {
                    count += argument == register ? 1 : 0;
                }
            }
        }
        return count;
    }

    static boolean isDeferred(Instruction instruction) {
        return instruction.op() == Opcode.LOAD || instruction.op() == Opcode.CONST;
    }

    static boolean mayFail(Instruction instruction) {
        return instruction.canFail() || instruction.op() == Opcode.CAST;
    }

    Rows rows(int mask) {
        return rows[merged.getOrDefault(mask, mask)];
    }

    Value argument(Instruction instruction, int index) {
        return values[instruction.arguments().get(index)];
    }
}
