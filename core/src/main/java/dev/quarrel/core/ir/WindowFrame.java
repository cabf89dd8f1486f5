package dev.quarrel.core.ir;

/// The rows of a partition that a window function sees from one of them.
///
/// @param mode what its edges count: rows, values of the only order key, or groups of peers
public record WindowFrame(Mode mode, Edge start, Edge end, Exclusion exclusion) {
    /// All of the partition.
    public static final WindowFrame PARTITION = new WindowFrame(
            Mode.ROWS,
            Edge.of(EdgeKind.UNBOUNDED_PRECEDING),
            Edge.of(EdgeKind.UNBOUNDED_FOLLOWING),
            Exclusion.NO_OTHERS);

    /// From the partition's start to the row's last peer: what SQL means where it says nothing.
    public static final WindowFrame TO_PEERS = new WindowFrame(
            Mode.RANGE, Edge.of(EdgeKind.UNBOUNDED_PRECEDING), Edge.of(EdgeKind.CURRENT_ROW), Exclusion.NO_OTHERS);

    /// The unit that the offsets of an edge count.
    public enum Mode {
        ROWS,
        RANGE,
        GROUPS
    }

    /// The rows that are left out of the frame.
    public enum Exclusion {
        NO_OTHERS,
        CURRENT_ROW,
        GROUP,
        TIES
    }

    /// The place of an edge.
    public enum EdgeKind {
        UNBOUNDED_PRECEDING,
        PRECEDING,
        CURRENT_ROW,
        FOLLOWING,
        UNBOUNDED_FOLLOWING;

        public boolean hasOffset() {
            return this == PRECEDING || this == FOLLOWING;
        }
    }

    /// One end of a frame. An offset must be present (22004) and not negative (22013).
    ///
    /// @param offset output with the offset: an int64 for ROWS and GROUPS; for RANGE of any numeric type, or -1
    /// where it
    ///     is known to be good; -1 without offset
    /// @param value for RANGE with an offset: output with the order key less or plus the offset, of the key's type
    public record Edge(EdgeKind kind, int offset, int value) {
        public static Edge of(EdgeKind kind) {
            return new Edge(kind, -1, -1);
        }
    }
}
