package dev.quarrel.core.ir;

import dev.quarrel.core.type.DataType;

/// A numbered place for a value that stands outside the code: one program serves all literals and every Bind.
public sealed interface Slot {
    DataType type();

    /// A constant of the statement's text.
    record Constant(Literal literal) implements Slot {
        @Override
        public DataType type() {
            return literal.type();
        }
    }

    /// The statement's parameter `$number`, 1-based, whose value comes with each execution.
    record Parameter(int number, DataType type) implements Slot {}
}
