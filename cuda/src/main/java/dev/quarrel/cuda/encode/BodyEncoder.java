package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.RegisterType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/// Encodes one program of a pipeline.
final class BodyEncoder {
    private final Facts facts;
    private final Hand hand;
    private final Body body;
    private final TextConditions text;
    private final MaskEncoder masks;
    private final ValueEncoder expressions;

    BodyEncoder(Encoding encoding, Program program, List<Value> in) {
        this.facts = encoding.facts();
        this.hand = encoding.hand();
        this.body = new Body(program, in);
        this.text = new TextConditions(body, facts);
        this.masks = new MaskEncoder(body, encoding);
        this.expressions = new ValueEncoder(body, encoding, text);
    }

    /// Writes the program.
    ///
    /// @return its outputs
    List<Value> run() {
        Liveness liveness = new Liveness(body);
        liveness.findLive();
        new RangeFinder(body, facts).find();
        text.find();
        body.rows[0] = hand.rows;
        hand.rows.uses = 0;
        liveness.countUses();
        for (int at = 0; at < body.program.code().size(); at++) {
            Instruction instruction = body.program.code().get(at);
            if (!body.isLive[instruction.result()]) {
                continue;
            }
            if (body.isPart[instruction.result()]) {
                continue;
            }
            encode(instruction, at);
        }
        hand.moveTo(body.rows(body.program.selection()));
        hand.rows.uses = 0;
        List<Value> outputs = new ArrayList<>();
        for (int output : body.program.outputs()) {
            outputs.add(body.values[output]);
        }
        return outputs;
    }

    private static long[] sure(Literal constant) {
        return switch (constant.value()) {
            case Long number -> new long[] {number, number};
            case BigDecimal decimal
            when decimal.unscaledValue().bitLength() < Long.SIZE -> {
                long number = decimal.unscaledValue().longValue();
                yield new long[] {number, number};
            }
            case null, default -> null;
        };
    }

    private void encode(Instruction instruction, int at) {
        int result = instruction.result();
        if (instruction.op() == Opcode.LOAD) {
            body.values[result] = body.in.get(instruction.immediate());
            return;
        }
        if (instruction.op() == Opcode.CONST) {
            Value value = new Value(body.program.valueType(result));
            value.constant = facts.slotValue(instruction.immediate());
            value.bounds = value.constant.value() instanceof Long number ? new long[] {number, number} : null;
            value.sure = sure(value.constant);
            body.values[result] = value;
            return;
        }
        if (body.program.registers().get(result) instanceof RegisterType.Mask) {
            masks.encode(instruction, at);
            return;
        }
        Value value = new Value(body.program.valueType(result));
        value.uses = body.useOfValue[result];
        body.values[result] = value;
        if (body.conditions.containsKey(result)) {
            hand.used(body.rows(instruction.mask()));
            value.condition = body.conditions.get(result);
            value.text = text.textOf(result);
            return;
        }
        if (body.tests.containsKey(result)) {
            hand.used(body.rows(instruction.mask()));
            value.test = body.tests.get(result);
            return;
        }
        hand.moveTo(body.rows(instruction.mask()));
        hand.used(hand.rows);
        expressions.encode(instruction, value);
    }
}
