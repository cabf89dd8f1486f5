package dev.quarrel.calcite.lower;

import dev.quarrel.calcite.rel.LiftedLiteral;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.type.DataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;

/// Lowers comparisons. Values of a `char(n)` type are compared without their trailing blanks.
final class ComparisonLowering {
    private final ProgramBuilder program;
    private final ValueWriter values;

    ComparisonLowering(ProgramBuilder program, ValueWriter values) {
        this.program = program;
        this.values = values;
    }

    int comparison(SqlKind kind, RexNode left, RexNode right, int mask) {
        DataType type = OperandTypes.comparable(left, right);
        if (type == null) {
            throw new Unlowerable(
                    RowTypes.of(left.getType()) + " cannot be compared with " + RowTypes.of(right.getType()));
        }
        Opcode op = OperandTypes.comparison(kind, type);
        int one = compared(left, right, type, mask);
        int other = compared(right, left, type, mask);
        return program.value(op, DataType.BOOL, mask, 0, one, other);
    }

    /// Calcite calls every literal CHAR(n): beside a text, its blanks count.
    private int compared(RexNode node, RexNode other, DataType type, int mask) {
        return LiftedLiteral.peek(node) != null && !RowTypes.isPadded(other.getType())
                ? values.lowerAs(node, type, mask)
                : values.lowerComparable(node, type, mask);
    }

    int sameOrBothNull(RexNode left, RexNode right, int mask) {
        int equal = comparison(SqlKind.EQUALS, left, right, mask);
        int same = program.value(Opcode.IS_TRUE, DataType.BOOL, mask, 0, equal);
        int leftNull = program.value(Opcode.IS_NULL, DataType.BOOL, mask, 0, values.lower(left, mask));
        int rightNull = program.value(Opcode.IS_NULL, DataType.BOOL, mask, 0, values.lower(right, mask));
        int bothNull = program.value(Opcode.AND, DataType.BOOL, mask, 0, leftNull, rightNull);
        return program.value(Opcode.OR, DataType.BOOL, mask, 0, same, bothNull);
    }
}
