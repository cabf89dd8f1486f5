package dev.quarrel.core.ir;

import java.util.Objects;

/// One aggregate of a grouping.
///
/// @param argument output of the pipeline's last program, or -1 for COUNT_STAR
/// @param filter Bool output whose true rows alone count (FILTER (WHERE …)), or -1
public record AggregateCall(AggregateKind kind, int argument, int filter) {
    public AggregateCall {
        Objects.requireNonNull(kind, "kind");
    }
}
