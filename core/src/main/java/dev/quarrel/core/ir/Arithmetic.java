package dev.quarrel.core.ir;

/// An operation on numbers, or intervals, whose arguments and result are all of one type class.
///
/// - Integers: an overflow is an error.
/// - Floats: overflow from finite arguments is an error, and for `*` and `/` underflow to zero too.
/// - Decimals: arguments and result have one scale, but a product's scale is the sum of the arguments' scales.
/// - Numerics: the display scale is as PostgreSQL's; a quotient's is by its select_div_scale, rounded half away
///   from zero.
/// - Intervals: field by field.
public enum Arithmetic {
    ADD("+", 2),
    SUB("-", 2),
    MUL("*", 2),
    /// Integers truncate towards zero.
    DIV("/", 2),
    /// The sign is argument 0's.
    MOD("%", 2),
    NEG("-", 1),
    ABS("abs", 1);

    private final String symbol;
    private final int operandCount;

    Arithmetic(String symbol, int operandCount) {
        this.symbol = symbol;
        this.operandCount = operandCount;
    }

    /// How EXPLAIN writes it.
    public String symbol() {
        return symbol;
    }

    public int operandCount() {
        return operandCount;
    }
}
