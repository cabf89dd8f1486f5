package dev.quarrel.calcite.lower;

import dev.quarrel.calcite.rel.LiftedLiteral;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.type.DataType;
import org.apache.calcite.rex.RexLiteral;

/// A slot of a plan whose constant stands for a literal of the statement that may have another value in another one.
///
/// @param slot number in the plan
/// @param of whose value it is
/// @param type that the slot has
public record SlotFill(int slot, LiftedLiteral of, DataType type) {
    /// What the slot holds where the literal is that one; null if its type does not have the value, for which the plan
    /// is none then.
    public Literal value(RexLiteral literal) {
        return valueOf(literal, type);
    }

    static Literal valueOf(RexLiteral literal, DataType type) {
        return Literals.as(literal, type);
    }
}
