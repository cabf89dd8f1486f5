package dev.quarrel.calcite.rel;

import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;

/// A literal of the statement's text whose value no rule may use, so that the plan serves other values as well: a
/// parameter with a value that is already known.
///
/// It is no RexLiteral, so a rule that looks for literals leaves it alone, as it does a parameter `$n`. Only estimates
/// may look at its value: [#peek]. Equal ones stand for one value, which is equal in all statements that share the
/// plan.
public final class LiftedLiteral extends RexDynamicParam {
    /// Far beyond the numbers of statements' own parameters.
    public static final int FIRST_INDEX = 1 << 20;

    private final int number;
    private final boolean negated;
    private final RexLiteral literal;

    /// @param number which of the text's literals it is, 0-based
    /// @param negated whether a minus sign before it belongs to it
    /// @param literal of the type that the analyser gave it
    public LiftedLiteral(int number, boolean negated, RexLiteral literal) {
        super(literal.getType(), FIRST_INDEX + 2 * number + (negated ? 1 : 0));
        this.number = number;
        this.negated = negated;
        this.literal = literal;
    }

    public int number() {
        return number;
    }

    public boolean negated() {
        return negated;
    }

    /// The value in the statement that is planned.
    public RexLiteral literal() {
        return literal;
    }

    /// The literal that a node is for estimates, which another value of it may make worse, but never wrong; null where
    /// it is none.
    public static RexLiteral peek(RexNode node) {
        return switch (node) {
            case RexLiteral plain -> plain;
            case LiftedLiteral lifted -> lifted.literal;
            default -> null;
        };
    }
}
