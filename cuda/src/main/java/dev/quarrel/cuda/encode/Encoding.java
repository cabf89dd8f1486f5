package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.Pipeline;

/// A pass over a pipeline.
///
/// @param known what the pass before has seen
/// @param seen what this one does
record Encoding(
        Pipeline pipeline, Facts facts, ProgramWriter code, SlotAllocator slots, Hand hand, Usage known, Usage seen) {
    static Encoding of(Pipeline pipeline, Facts facts, int laneBytes, Usage known) {
        ProgramWriter code = new ProgramWriter(facts, laneBytes);
        SlotAllocator slots = new SlotAllocator();
        Usage seen = new Usage();
        Hand hand = new Hand(code, slots, new Fetch(facts, code, seen), known);
        return new Encoding(pipeline, facts, code, slots, hand, known, seen);
    }
}
