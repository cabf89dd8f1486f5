package dev.quarrel.core.ir;

import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
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

    /// Ids of the pipelines that must have ended before a pipeline starts, with those that feed it: these run as a part
    /// of it.
    public List<Integer> inputs(Pipeline pipeline) {
        List<Integer> ids = new ArrayList<>(pipeline.inputs());
        if (pipeline.source() instanceof Source.Union(List<Integer> feeding, List<DataType> _)) {
            feeding.forEach(id -> ids.addAll(inputs(pipelines.get(id))));
        }
        return ids;
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
