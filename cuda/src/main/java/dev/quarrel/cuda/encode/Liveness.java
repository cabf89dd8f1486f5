package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.RegisterType;
import java.util.List;

/// Which instructions of a program matter, and how often what they give is used.
final class Liveness {
    private final Body body;
    private final Program program;

    Liveness(Body body) {
        this.body = body;
        this.program = body.program;
    }

    void findLive() {
        List<Instruction> instructions = program.code();
        boolean[] needed = new boolean[program.registers().size()];
        needed[program.selection()] = true;
        program.outputs().forEach(output -> needed[output] = true);
        for (int at = instructions.size() - 1; at >= 0; at--) {
            Instruction instruction = instructions.get(at);
            if (needed[instruction.result()] || Body.mayFail(instruction)) {
                body.isLive[instruction.result()] = true;
                needed[instruction.mask()] = true;
                instruction.arguments().forEach(argument -> needed[argument] = true);
            }
        }
    }

    void countUses() {
        for (Instruction instruction : program.code()) {
            int result = instruction.result();
            if (!body.isLive[result] || body.isPart[result] || Body.isDeferred(instruction)) {
                continue;
            }
            if (body.rangeOf.containsKey(result)) {
                body.useOfRows[instruction.mask()]++;
                continue;
            }
            body.useOfRows[instruction.mask()]++;
            if (body.conditions.containsKey(result) || body.tests.containsKey(result)) {
                continue;
            }
            for (int argument : instruction.arguments()) {
                if (program.registers().get(argument) instanceof RegisterType.Mask) {
                    body.useOfRows[argument]++;
                } else {
                    body.useOfValue[argument]++;
                }
            }
        }
        program.outputs().forEach(output -> body.useOfValue[output] += Value.OTHERS);
        body.useOfRows[program.selection()]++;
        body.rows[0].uses = body.useOfRows[0];
    }
}
