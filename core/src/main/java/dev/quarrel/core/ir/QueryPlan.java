package dev.quarrel.core.ir;

import java.util.List;

/// A statement's whole work: pipelines in an order in which each comes after those it reads. The last one's sink is the
/// [Sink.Result]. It holds no address, path or device: any device, here or elsewhere, can run it.
///
/// @param slots constants and parameters, by number, shared by all programs
public record QueryPlan(List<Slot> slots, List<Pipeline> pipelines) {
    public QueryPlan {
        slots = List.copyOf(slots);
        pipelines = List.copyOf(pipelines);
    }

    public Pipeline root() {
        return pipelines.getLast();
    }

    /// How many parameters an execution must bind: the greatest `$n`.
    public int parameterCount() {
        int count = 0;
        for (Slot slot : slots) {
            if (slot instanceof Slot.Parameter(int number, var _)) {
                count = Math.max(count, number);
            }
        }
        return count;
    }
}
