package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.Relation;
import java.util.ArrayList;
import java.util.List;

/// Finds what one instruction does that loads a column and filters by a range.
final class RangeFinder {
    private final Body body;
    private final Program program;
    private final Facts facts;

    RangeFinder(Body body, Facts facts) {
        this.body = body;
        this.program = body.program;
        this.facts = facts;
    }

    /// The masks that the selection is made by, first to last; none if they are not all conjuncts.
    private List<Instruction> conjuncts() {
        List<Instruction> chain = new ArrayList<>();
        for (int mask = program.selection(); mask != 0; ) {
            Instruction made = body.writer[mask];
            if (made.op() != Opcode.MASK_TRUE) {
                return List.of();
            }
            chain.addFirst(made);
            mask = made.mask();
        }
        return chain;
    }

    void find() {
        Integer before = null; // the range of the conjunct before, by its mask
        for (Instruction conjunct : conjuncts()) {
            long[] range = range(conjunct);
            if (range == null) {
                before = null;
                continue;
            }
            body.isPart[conjunct.arguments().getFirst()] = true;
            long[] other = before == null ? null : body.rangeOf.get(before);
            boolean isSame = other != null
                    && body.in.get((int) other[0]) == body.in.get((int) range[0])
                    && !actsOtherwise(before, conjunct);
            if (isSame) {
                other[1] = Math.max(other[1], range[1]);
                other[2] = Math.min(other[2], range[2]);
                body.merged.put(conjunct.result(), before);
                body.isPart[conjunct.result()] = true;
            } else {
                before = conjunct.result();
                body.rangeOf.put(before, range);
            }
        }
    }

    /// Whether more acts under the mask than what leads to the next conjunct.
    private boolean actsOtherwise(int mask, Instruction next) {
        for (Instruction instruction : program.code()) {
            if (body.isLive[instruction.result()]
                    && instruction.mask() == mask
                    && !Body.isDeferred(instruction)
                    && instruction != next
                    && instruction.result() != next.arguments().getFirst()) {
                return true;
            }
        }
        return false;
    }

    /// The input number and the bounds of a conjunct that compares a column of 32 bits at most, as they are stored,
    /// without NULLs.
    private long[] range(Instruction conjunct) {
        Instruction compared = body.writer[conjunct.arguments().getFirst()];
        Relation relation = compared.op().relation();
        boolean isOne = relation != null
                && relation != Relation.NE
                && switch (compared.op().arguments().getFirst()) {
                    case INT16, INT32, INT64, TIME, TIMESTAMP, DECIMAL, DATE -> true;
                    default -> false;
                };
        if (!isOne || body.referencesTo(compared.result()) != 1) {
            return null;
        }
        Instruction left = body.writer[compared.arguments().get(0)];
        Instruction right = body.writer[compared.arguments().get(1)];
        boolean isTurned = left.op() == Opcode.CONST;
        Instruction constant = isTurned ? left : right;
        Instruction load = isTurned ? right : left;
        if (constant.op() != Opcode.CONST || load.op() != Opcode.LOAD) {
            return null;
        }
        Value column = body.in.get(load.immediate());
        Literal literal = facts.slotValue(constant.immediate());
        if (column.input < 0
                || column.isNullable
                || literal.isNull()
                || !facts.form(column.input).physical().isFused()) {
            return null;
        }
        long number = Hand.number(literal);
        relation = isTurned ? relation.turned() : relation;
        boolean isWide = column.type.byteWidth() > Integer.BYTES;
        long low = isWide ? Long.MIN_VALUE : Integer.MIN_VALUE;
        long high = isWide ? Long.MAX_VALUE : Integer.MAX_VALUE;
        switch (relation) {
            case EQ -> {
                low = number;
                high = number;
            }
            case LT -> high = number - 1;
            case LE -> high = number;
            case GT -> low = number + 1;
            default -> low = number;
        }
        boolean isNever = relation == Relation.LT && number == Long.MIN_VALUE
                || relation == Relation.GT && number == Long.MAX_VALUE;
        return isNever ? new long[] {load.immediate(), 1, 0} : new long[] {load.immediate(), low, high};
    }
}
