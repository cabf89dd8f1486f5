package dev.quarrel.cuda.encode;

/// An operand, the other side being in hand.
///
/// @param isReversed whether the operand is the first of the two
record Sides(Operand operand, boolean isReversed) {}
