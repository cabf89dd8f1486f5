package dev.quarrel.core.ir;

/// What a comparison asks of two ordered values.
///
/// All orders are total (NaN included), so each relation is "less" or "equal", with the arguments swapped or the
/// answer turned round.
public enum Relation {
    EQ(true, false, false),
    NE(true, false, true),
    LT(false, false, false),
    LE(false, true, true),
    GT(false, true, false),
    GE(false, false, true);

    public final boolean isEquality;
    /// Whether the arguments change places before "less" is asked.
    public final boolean swaps;
    /// All ones where the answer is turned round.
    public final long flip;

    Relation(boolean isEquality, boolean swaps, boolean negates) {
        this.isEquality = isEquality;
        this.swaps = swaps;
        this.flip = negates ? -1L : 0L;
    }

    /// The relation of a comparison opcode, or null for an opcode that is none.
    public static Relation of(Opcode op) {
        return switch (op.symbol()) {
            case "=" -> EQ;
            case "<>" -> NE;
            case "<" -> LT;
            case "<=" -> LE;
            case ">" -> GT;
            case ">=" -> GE;
            default -> null;
        };
    }
}
