package dev.quarrel.calcite.lower;

import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.type.DataType;
import java.util.List;
import java.util.function.Predicate;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;

/// Lowers the operators that choose among their operands: AND and OR, CASE, COALESCE, NULLIF, GREATEST and
/// LEAST.
///
/// An operand that can fail acts under the mask of the rows that get there; one that cannot fail gets no mask of
/// its own.
final class ConditionalLowering {
    private final ProgramBuilder program;
    private final ValueWriter values;
    private final ComparisonLowering comparisons;
    private final Predicate<RexNode> canFail;

    /// @param canFail whether an operand may raise an error for some row
    ConditionalLowering(
            ProgramBuilder program, ValueWriter values, ComparisonLowering comparisons, Predicate<RexNode> canFail) {
        this.program = program;
        this.values = values;
        this.comparisons = comparisons;
        this.canFail = canFail;
    }

    int logic(boolean and, List<RexNode> operands, int mask) {
        int result = values.lower(operands.getFirst(), mask);
        for (RexNode operand : operands.subList(1, operands.size())) {
            int rows = mask;
            if (canFail.test(operand)) {
                rows = program.mask(and ? Opcode.MASK_NOT_FALSE : Opcode.MASK_NOT_TRUE, mask, result);
            }
            int next = values.lower(operand, rows);
            result = program.value(and ? Opcode.AND : Opcode.OR, DataType.BOOL, mask, 0, result, next);
        }
        return result;
    }

    /// `operands` from `index` on are: condition, value, condition, value, …, else.
    int cases(List<RexNode> operands, int index, DataType type, int mask) {
        if (index == operands.size() - 1) {
            return values.lowerAs(operands.get(index), type, mask);
        }
        int chosen = program.mask(Opcode.MASK_TRUE, mask, values.lower(operands.get(index), mask));
        RexNode value = operands.get(index + 1);
        int result = values.lowerAs(value, type, canFail.test(value) ? chosen : mask);
        boolean restCanFail =
                operands.subList(index + 2, operands.size()).stream().anyMatch(canFail);
        int others = restCanFail ? program.mask(Opcode.MASK_MINUS, mask, chosen) : mask;
        int rest = cases(operands, index + 2, type, others);
        return program.value(Opcode.SELECT, type, mask, 0, chosen, result, rest);
    }

    int coalesce(List<RexNode> operands, int index, DataType type, int mask) {
        int value = values.lowerAs(operands.get(index), type, mask);
        if (index == operands.size() - 1) {
            return value;
        }
        int present = program.mask(Opcode.MASK_PRESENT, mask, value);
        boolean restCanFail =
                operands.subList(index + 1, operands.size()).stream().anyMatch(canFail);
        int others = restCanFail ? program.mask(Opcode.MASK_MINUS, mask, present) : mask;
        int rest = coalesce(operands, index + 1, type, others);
        return program.value(Opcode.SELECT, type, mask, 0, present, value, rest);
    }

    int nullIf(List<RexNode> operands, DataType type, int mask) {
        int equal = program.mask(
                Opcode.MASK_TRUE, mask, comparisons.comparison(SqlKind.EQUALS, operands.get(0), operands.get(1), mask));
        int value = values.lowerAs(operands.getFirst(), type, mask);
        return program.value(Opcode.SELECT, type, mask, 0, equal, values.constant(Literal.ofNull(type), mask), value);
    }

    /// GREATEST and LEAST skip NULLs.
    int extreme(boolean greatest, List<RexNode> operands, DataType type, int mask) {
        int best = values.lowerAs(operands.getFirst(), type, mask);
        for (RexNode operand : operands.subList(1, operands.size())) {
            int next = values.lowerAs(operand, type, mask);
            Opcode compare = OperandTypes.comparison(greatest ? SqlKind.GREATER_THAN : SqlKind.LESS_THAN, type);
            int isBetter = program.value(compare, DataType.BOOL, mask, 0, next, best);
            int isFirst = program.value(Opcode.IS_NULL, DataType.BOOL, mask, 0, best);
            int takes = program.value(Opcode.OR, DataType.BOOL, mask, 0, isFirst, isBetter);
            int chosen = program.mask(Opcode.MASK_TRUE, mask, takes);
            best = program.value(Opcode.SELECT, type, mask, 0, chosen, next, best);
        }
        return best;
    }
}
