package dev.quarrel.core.ir;

import dev.quarrel.core.type.DataType;

/// The type of a virtual register: what it holds for each row of a tile.
public sealed interface RegisterType {
    Mask MASK = new Mask();

    /// One bit per row, never NULL: the rows that an instruction acts on.
    record Mask() implements RegisterType {
        @Override
        public String toString() {
            return "mask";
        }
    }

    /// A value of `type` per row, with validity: a Bool value is true, false or NULL.
    record Value(DataType type) implements RegisterType {
        @Override
        public String toString() {
            return type.toString();
        }
    }
}
