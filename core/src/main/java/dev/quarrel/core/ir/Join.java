package dev.quarrel.core.ir;

import dev.quarrel.core.type.DataType;
import java.util.List;
import java.util.Objects;

/// A join within a pipeline, between two programs: it probes the table that an earlier pipeline built.
///
/// The next program's inputs are the `carried` outputs of the program before it, then the `payload` columns of
/// the build side, then the mark of a mark join.
/// Whether the build side's keys are unique is for the device to see: then rows stay in their tile and nothing
/// is copied.
///
/// @param build number of the pipeline whose sink is a [Sink.HashBuild]
/// @param keys outputs of the program before, equal in number and type to the build's keys; none for a nested loop
/// @param carried outputs of the program before that are handed on
/// @param payload columns among the build's payload that are handed on; empty where the kind has none
/// @param residual what beside equal keys makes a match, or null
/// @param nearest the one build row among those with equal keys that may be a match, or null: any of them
public record Join(
        JoinKind kind,
        int build,
        List<Integer> keys,
        List<Integer> carried,
        List<Integer> payload,
        Residual residual,
        Nearest nearest) {
    public Join {
        Objects.requireNonNull(kind, "kind");
        keys = List.copyOf(keys);
        carried = List.copyOf(carried);
        payload = List.copyOf(payload);
    }

    public Join(
            JoinKind kind,
            int build,
            List<Integer> keys,
            List<Integer> carried,
            List<Integer> payload,
            Residual residual) {
        this(kind, build, keys, carried, payload, residual, null);
    }

    public Join(JoinKind kind, int build, List<Integer> keys, List<Integer> carried, List<Integer> payload) {
        this(kind, build, keys, carried, payload, null);
    }

    /// Of the build rows with equal keys, the nearest in an order (ASOF joins, which are INNER or LEFT): for GE and GT
    /// the one with the greatest value to which the probe row's stands in the relation, for LE and LT that with the
    /// least. Of equal ones the last in the build side's order counts for GE and GT, the first for LE and LT. A
    /// NULL is near to nothing. The residual is asked of that row alone.
    ///
    /// @param probe output of the program before the join
    /// @param payload column of the build's payload, of the same type
    /// @param relation of the probe row's value to the build row's; GE, GT, LE or LT
    public record Nearest(int probe, int payload, Relation relation) {
        public Nearest {
            Objects.requireNonNull(relation, "relation");
        }

        /// Whether values of a type have the order that this needs: one of integers or float64.
        public static boolean takes(DataType type) {
            return switch (type) {
                case DataType.Int16 _,
                        DataType.Int32 _,
                        DataType.Int64 _,
                        DataType.Date _,
                        DataType.Time _,
                        DataType.Timestamp _,
                        DataType.Float64 _ -> true;
                default -> false;
            };
        }
    }

    /// A condition over pairs of a probe row and a build row with equal keys.
    ///
    /// @param carried outputs of the program before the join that it reads: the program's first inputs
    /// @param payload columns of the build's payload that it reads: the inputs after them
    /// @param program selects the pairs that match and has no outputs; for MARK its one output is the
    /// condition, a bool
    public record Residual(List<Integer> carried, List<Integer> payload, Program program) {
        public Residual {
            carried = List.copyOf(carried);
            payload = List.copyOf(payload);
            Objects.requireNonNull(program, "program");
        }
    }
}
