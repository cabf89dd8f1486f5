package dev.quarrel.core.ir;

/// The relation between two ordered values for which a comparison asks.
///
/// All orders are total (NaN included), so each relation is "less" or "equal", with the arguments swapped or the
/// answer turned round.
public enum Relation {
    EQ("=", true, false, false),
    NE("<>", true, false, true),
    LT("<", false, false, false),
    LE("<=", false, true, true),
    GT(">", false, true, false),
    GE(">=", false, false, true);

    private final String symbol;
    public final boolean isEquality;
    /// Whether the arguments change places before "less" is asked.
    public final boolean swaps;
    /// All ones where the answer is turned round.
    public final long flip;

    Relation(String symbol, boolean isEquality, boolean swaps, boolean negates) {
        this.symbol = symbol;
        this.isEquality = isEquality;
        this.swaps = swaps;
        this.flip = negates ? -1L : 0L;
    }

    /// How EXPLAIN writes it.
    public String symbol() {
        return symbol;
    }

    /// The relation of `b` to `a` where this is that of `a` to `b`.
    public Relation turned() {
        return switch (this) {
            case EQ, NE -> this;
            case LT -> GT;
            case LE -> GE;
            case GT -> LT;
            case GE -> LE;
        };
    }
}
