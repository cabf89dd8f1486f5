package dev.quarrel.calcite.lower;

import dev.quarrel.calcite.limits.PlanningLimits;
import dev.quarrel.calcite.rel.LiftedLiteral;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.type.DataType;
import java.util.HashMap;
import java.util.Map;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;

/// Lowers the basic parts that all kinds of expressions share: the values of nodes, each compiled only once,
/// constants, parameters, and conversions of a value to another type.
final class ValueWriter {
    /// Nodes of one program. Below CASE, AND and OR one is written for each of the masks that it acts under.
    private static final int MAX_WRITTEN = 1_000_000;

    private final ProgramBuilder program;
    private final Slots slots;
    private final Nodes nodes;
    private final Map<Written, Integer> written = new HashMap<>();

    /// Lowers a node itself, without looking for an equal node that was lowered before.
    interface Nodes {
        /// @param declared the data type of the node's Calcite type; the register may be of another
        int raw(RexNode node, DataType declared, int mask);
    }

    /// A node seen before is not written again; nodes are compared by identity, since equal trees can be large.
    private record Written(int identity, RexNode node, int mask) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Written that && that.node == node && that.mask == mask;
        }

        @Override
        public int hashCode() {
            return identity * 31 + mask;
        }
    }

    ValueWriter(ProgramBuilder program, Slots slots, Nodes nodes) {
        this.program = program;
        this.slots = slots;
        this.nodes = nodes;
    }

    /// The register of an expression's value, of the data type of its Calcite type.
    int lower(RexNode node, int mask) {
        Written key = new Written(System.identityHashCode(node), node, mask);
        Integer known = written.get(key);
        if (known != null) {
            return known;
        }
        PlanningLimits.tick();
        if (written.size() >= MAX_WRITTEN) {
            throw PlanningLimits.tooComplex("One of its expressions has more than " + MAX_WRITTEN + " steps.");
        }
        DataType declared = RowTypes.of(node.getType());
        Literal constant = node.getKind() == SqlKind.CAST ? Literals.as(node, declared) : null;
        int register =
                constant != null ? constant(constant, mask) : convert(nodes.raw(node, declared, mask), declared, mask);
        written.put(key, register);
        return register;
    }

    /// The register of an expression's value as `target`; a literal is converted here, not row by row.
    int lowerAs(RexNode node, DataType target, int mask) {
        if (node instanceof LiftedLiteral lifted) {
            int slot = slots.lifted(lifted, target);
            if (slot >= 0) {
                return program.constant(slot, target, mask);
            }
        }
        Literal literal = Literals.as(node, target);
        if (literal != null) {
            return constant(literal, mask);
        }
        return convert(lower(node, mask), target, mask);
    }

    /// As `lowerAs`, and without trailing blanks where the type says that they do not count.
    int lowerComparable(RexNode node, DataType target, int mask) {
        int register = lowerAs(node, target, mask);
        return RowTypes.isPadded(node.getType()) ? trimmed(register, mask) : register;
    }

    /// The text without its trailing blanks.
    int trimmed(int register, int mask) {
        return program.value(Opcode.RTRIM, DataType.UTF8, mask, 0, register, text(" ", mask));
    }

    int constant(Literal literal, int mask) {
        return program.constant(slots.constant(literal), literal.type(), mask);
    }

    int text(String value, int mask) {
        return constant(new Literal(DataType.UTF8, value), mask);
    }

    int int32(long value, int mask) {
        return constant(new Literal(DataType.INT32, value), mask);
    }

    /// The same value as another type.
    int convert(int register, DataType to, int mask) {
        DataType from = program.type(register);
        if (from.equals(to)) {
            return register;
        }
        if (!CastLowering.isAllowed(from, to)) {
            throw new Unlowerable("no conversion from " + from + " to " + to);
        }
        return program.value(Opcode.CAST, to, mask, 0, register);
    }

    /// - Errors: [Unlowerable] for a value that the type cannot hold.
    int lifted(LiftedLiteral literal, DataType type, int mask) {
        int slot = slots.lifted(literal, type);
        if (slot < 0) {
            throw new Unlowerable("no " + type + " is " + literal.literal());
        }
        return program.constant(slot, type, mask);
    }

    /// @param number 1-based, as in `$1`
    int parameter(int number, DataType type, int mask) {
        return program.constant(slots.parameter(number, type), type, mask);
    }

    /// As text: char(n) loses its trailing blanks, as a cast to text does.
    int lowerText(RexNode operand, int mask) {
        return lowerComparable(operand, DataType.UTF8, mask);
    }

    int not(int register, int mask) {
        return program.value(Opcode.NOT, DataType.BOOL, mask, 0, register);
    }
}
