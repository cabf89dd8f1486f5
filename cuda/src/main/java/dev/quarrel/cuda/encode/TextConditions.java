package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.RegisterType;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Finds conditions on one text column: they are looked up by the code of the text, or are tests of the text itself
/// where it has no dictionary.
final class TextConditions {
    private final Body body;
    private final Program program;
    private final Facts facts;

    TextConditions(Body body, Facts facts) {
        this.body = body;
        this.program = body.program;
        this.facts = facts;
    }

    void find() {
        findLengths();
        boolean[] covered = new boolean[program.registers().size()];
        for (int at = program.code().size() - 1; at >= 0; at--) {
            Instruction instruction = program.code().get(at);
            int result = instruction.result();
            boolean isBool = program.registers().get(result) instanceof RegisterType.Value(DataType type)
                    && type instanceof DataType.Bool;
            if (!body.isLive[result]
                    || covered[result]
                    || body.isPart[result]
                    || !isBool
                    || Body.isDeferred(instruction)) {
                continue;
            }
            Set<Integer> parts = new HashSet<>();
            int input = textOnly(result, parts, -1);
            if (input < 0) {
                continue;
            }
            Value text = body.in.get(input);
            if (text.input < 0) {
                throw new NoKernel("a condition on text of a build side has no CUDA kernel");
            }
            if (facts.isPlainText(text.input)) {
                TextCondition test = new TextCondition.Maker(body, facts, text.input).of(result);
                if (test == null) {
                    continue; // its parts may be
                }
                body.tests.put(result, test);
            } else {
                Program condition = condition(result, parts);
                if (!facts.isKnown(text.input, condition)) {
                    throw new NoKernel("a condition on text that is NULL for some has no CUDA kernel");
                }
                body.conditions.put(result, condition);
            }
            for (int part : parts) {
                // What others use as well is a condition of its own.
                covered[part] = part == result || !isUsedOutside(part, parts);
                if (part != result) {
                    body.isPart[part] = covered[part] && !Body.isDeferred(body.writer[part]);
                }
            }
        }
    }

    /// Lengths in bytes are of bytes made of text: those need no instruction where nothing else reads them.
    private void findLengths() {
        for (Instruction instruction : program.code()) {
            Value text = instruction.op() == Opcode.LENGTH_BINARY ? lengthOf(instruction) : null;
            if (text == null) {
                continue;
            }
            int bytes = instruction.arguments().getFirst();
            body.isPart[bytes] = !program.outputs().contains(bytes)
                    && program.code().stream()
                            .filter(other -> other.arguments().contains(bytes))
                            .allMatch(other -> other.op() == Opcode.LENGTH_BINARY);
        }
    }

    /// The text without a dictionary whose length an instruction gives, or null.
    Value lengthOf(Instruction instruction) {
        Instruction made = body.writer[instruction.arguments().getFirst()];
        if (instruction.op() == Opcode.LENGTH_BINARY) {
            made = made.op() == Opcode.UTF8_BYTES ? body.writer[made.arguments().getFirst()] : null;
        }
        if (made == null || made.op() != Opcode.LOAD) {
            return null;
        }
        Value text = body.in.get(made.immediate());
        return text.input >= 0 && facts.isPlainText(text.input) ? text : null;
    }

    private boolean isUsedOutside(int register, Set<Integer> parts) {
        if (program.outputs().contains(register)) {
            return true;
        }
        for (Instruction instruction : program.code()) {
            if (body.isLive[instruction.result()]
                    && !parts.contains(instruction.result())
                    && instruction.arguments().contains(register)) {
                return true;
            }
        }
        return false;
    }

    /// The one text input that a value is computed from, all under masks of the program's chain; -1 if it is not
    /// so, or something can fail, or no text is there.
    private int textOnly(int register, Set<Integer> parts, int input) {
        Instruction made = body.writer[register];
        if (made == null || program.registers().get(register) instanceof RegisterType.Mask) {
            return -1;
        }
        parts.add(register);
        switch (made.op()) {
            case LOAD -> {
                return made.op() == Opcode.LOAD
                                && program.inputs().get(made.immediate()) instanceof DataType.Utf8
                                && (input < 0 || input == made.immediate())
                        ? made.immediate()
                        : -1;
            }
            case CONST, SELECT, IS_NULL, IS_NOT_NULL -> {
                return -1; // a constant alone is no condition, and NULLs are seen without a dictionary
            }
            default -> {
                boolean canFail = Body.mayFail(made) && made.op() != Opcode.LIKE && made.op() != Opcode.ILIKE;
                if (canFail) {
                    return -1;
                }
                int found = input;
                for (int argument : made.arguments()) {
                    Instruction from = body.writer[argument];
                    if (from == null || program.registers().get(argument) instanceof RegisterType.Mask) {
                        return -1;
                    }
                    if (from.op() == Opcode.CONST) {
                        parts.add(argument);
                        continue;
                    }
                    found = textOnly(argument, parts, found);
                    if (found < 0) {
                        return -1;
                    }
                }
                return found;
            }
        }
    }

    /// The condition as a program of one input.
    private Program condition(int result, Set<Integer> parts) {
        List<Instruction> instructions = new ArrayList<>();
        for (Instruction instruction : program.code()) {
            if (parts.contains(instruction.result())) {
                int immediate = instruction.op() == Opcode.LOAD ? 0 : instruction.immediate();
                instructions.add(instruction.with(0, immediate));
            }
        }
        List<RegisterType> registers = new ArrayList<>(program.registers());
        registers.add(RegisterType.MASK);
        int selection = registers.size() - 1;
        instructions.add(new Instruction(Opcode.MASK_TRUE, selection, List.of(result), 0, 0));
        return new Program(List.of(DataType.UTF8), registers, instructions, selection, List.of());
    }

    /// The text column that a condition is of.
    Value textOf(int result) {
        Set<Integer> parts = new HashSet<>();
        return body.in.get(textOnly(result, parts, -1));
    }
}
