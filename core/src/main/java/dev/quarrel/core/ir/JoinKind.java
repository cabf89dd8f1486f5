package dev.quarrel.core.ir;

/// What a probe row becomes. NULL keys match nothing.
public enum JoinKind {
    /// One row a match.
    INNER,
    /// One row a match; a row without a match survives once, with NULL payload.
    LEFT,
    /// The row survives iff it has a match; no payload.
    SEMI,
    /// The row survives iff it has no match; no payload.
    ANTI
}
