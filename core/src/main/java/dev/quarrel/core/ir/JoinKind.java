package dev.quarrel.core.ir;

/// The kind of a join: what becomes of a probe row, and of the build rows. A *match* is a build row with equal
/// keys for which the join's residual condition, where it has one, is true. NULL keys match nothing; without
/// keys, every build row has equal ones.
public enum JoinKind {
    /// One row a match.
    INNER,
    /// One row a match; a probe row without a match survives once, with NULL payload.
    LEFT,
    /// One row a match; a build row without a match follows once, after all probe rows, with NULL carried columns.
    RIGHT,
    /// One row a match; rows of either side without a match survive once, as for LEFT and RIGHT.
    FULL,
    /// The probe row survives iff it has a match; no payload.
    SEMI,
    /// The probe row survives iff it has no match; no payload.
    ANTI,
    /// The build row follows once, after all probe rows, iff it has a match; nothing is carried.
    RIGHT_SEMI,
    /// The build row follows once, after all probe rows, iff it has no match; nothing is carried.
    RIGHT_ANTI,
    /// Every probe row survives once, with a bool after the carried columns and no payload: true if it has a match. If
    /// it has none: NULL if the residual condition is NULL for some build row with equal keys, otherwise false.
    MARK,
    /// As MARK, of one key and no residual, as `key IN (build keys)` has it: without a match NULL if the probe row's
    /// key is NULL or that of a build row is, unless there is no build row at all.
    MARK_IN;

    /// Whether the build side's columns are there after the join.
    public boolean hasPayload() {
        return switch (this) {
            case INNER, LEFT, RIGHT, FULL, RIGHT_SEMI, RIGHT_ANTI -> true;
            case SEMI, ANTI, MARK, MARK_IN -> false;
        };
    }

    /// Whether probe rows go on.
    public boolean hasCarried() {
        return switch (this) {
            case INNER, LEFT, RIGHT, FULL, SEMI, ANTI, MARK, MARK_IN -> true;
            case RIGHT_SEMI, RIGHT_ANTI -> false;
        };
    }

    /// Whether a bool follows the carried columns.
    public boolean hasMark() {
        return this == MARK || this == MARK_IN;
    }

    /// Whether build rows follow after all probe rows.
    public boolean emitsBuildRows() {
        return switch (this) {
            case RIGHT, FULL, RIGHT_SEMI, RIGHT_ANTI -> true;
            case INNER, LEFT, SEMI, ANTI, MARK, MARK_IN -> false;
        };
    }

    /// Whether a probe row without a match changes nothing.
    public boolean needsMatch() {
        return switch (this) {
            case INNER, SEMI, RIGHT, RIGHT_SEMI, RIGHT_ANTI -> true;
            case LEFT, FULL, ANTI, MARK, MARK_IN -> false;
        };
    }

    /// Whether build rows with a NULL key matter: the build sink must keep them.
    public boolean needsNullKeys() {
        return switch (this) {
            case RIGHT, FULL, RIGHT_ANTI, MARK_IN -> true;
            case INNER, LEFT, SEMI, ANTI, RIGHT_SEMI, MARK -> false;
        };
    }
}
