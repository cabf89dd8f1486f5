package dev.quarrel.core.ir;

import java.util.List;

/// The plan of a whole statement: its pipelines, each after those that it reads. The last one's sink is the
/// [Sink.Result]. The plan holds no address, path or device: any device, here or elsewhere, can run it.
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
