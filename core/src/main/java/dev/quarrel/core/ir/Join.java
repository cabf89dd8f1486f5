package dev.quarrel.core.ir;

import java.util.List;
import java.util.Objects;

/// Probes the table that an earlier pipeline built, between two programs.
///
/// The next program's inputs are the `carried` outputs of the program before it, then the `payload` columns of
/// the build side.
/// Whether the build side's keys are unique is for the device to see: then rows stay in their tile and nothing
/// is copied.
///
/// @param build number of the pipeline whose sink is a [Sink.HashBuild]
/// @param keys outputs of the program before, equal in number and type to the build's keys
/// @param carried outputs of the program before that are handed on
/// @param payload columns among the build's payload that are handed on; empty for SEMI and ANTI
public record Join(JoinKind kind, int build, List<Integer> keys, List<Integer> carried, List<Integer> payload) {
    public Join {
        Objects.requireNonNull(kind, "kind");
        keys = List.copyOf(keys);
        carried = List.copyOf(carried);
        payload = List.copyOf(payload);
    }
}
