package dev.quarrel.core.ir;

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
public record Join(
        JoinKind kind, int build, List<Integer> keys, List<Integer> carried, List<Integer> payload, Residual residual) {
    public Join {
        Objects.requireNonNull(kind, "kind");
        keys = List.copyOf(keys);
        carried = List.copyOf(carried);
        payload = List.copyOf(payload);
    }

    public Join(JoinKind kind, int build, List<Integer> keys, List<Integer> carried, List<Integer> payload) {
        this(kind, build, keys, carried, payload, null);
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
