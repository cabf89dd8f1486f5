package dev.quarrel.core.cpu.loop;

/// A value of a compiled loop, of 32 or 64 bits. Nothing of it is NULL. Equal terms are computed once a row.
sealed interface Term {
    /// Whether it is a long; otherwise an int.
    boolean isWide();

    /// The row's value of a column.
    record Cell(int column, boolean isWide) implements Term {}

    /// An element of an array.
    record Element(int array, Term index, boolean isWide) implements Term {}

    /// An array's element at the row's place in its tile.
    record AtRow(int array, boolean isWide) implements Term {}

    record Scalar(int number, boolean isWide) implements Term {}

    /// `value - base` as an int: known to fit.
    record Offset(Term value, Term base) implements Term {
        @Override
        public boolean isWide() {
            return false;
        }
    }

    /// A product of ints: known to fit.
    record Scaled(Term value, Term factor) implements Term {
        @Override
        public boolean isWide() {
            return false;
        }
    }

    /// A sum of ints: known to fit.
    record Sum(Term left, Term right) implements Term {
        @Override
        public boolean isWide() {
            return false;
        }
    }

    record Widened(Term value) implements Term {
        @Override
        public boolean isWide() {
            return true;
        }
    }

    /// A method of [LoopMath] of one or two arguments, all of the result's width.
    record Call(String method, Term left, Term right, boolean isWide) implements Term {}
}
