package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.cuda.encode.EncodedPipeline.CallWords;
import dev.quarrel.cuda.vm.VmProgram;
import java.util.ArrayList;
import java.util.List;

/// Turns a pipeline's programs, joins and sink into one program of the device's interpreter.
///
/// Columns, constants and columns of build sides are fetched when an instruction first needs them. A value that is
/// needed again goes to a slot when another takes its place in hand, and rows to a mask slot likewise.
///
/// It runs twice: the first pass counts how often each column is fetched and which build rows are asked for.
///
/// - Errors: [NoKernel] for what has no form on the device.
public final class ProgramEncoder {
    private final Pipeline pipeline;
    private final Facts facts;
    private final Encoding encoding;

    private ProgramEncoder(Pipeline pipeline, Facts facts, int laneBytes, Usage known) {
        this.pipeline = pipeline;
        this.facts = facts;
        this.encoding = Encoding.of(pipeline, facts, laneBytes, known);
    }

    /// The program of a pipeline that scans a table and ends in an aggregate.
    public static EncodedPipeline encode(Pipeline pipeline, Facts facts) {
        try {
            return encode(pipeline, facts, Lanes.of(pipeline));
        } catch (WiderLanes _) {
            return encode(pipeline, facts, Lanes.WIDE);
        }
    }

    private static EncodedPipeline encode(Pipeline pipeline, Facts facts, int laneBytes) {
        ProgramEncoder first = new ProgramEncoder(
                pipeline, facts, laneBytes, Usage.unknown(pipeline.joins().size()));
        first.run();
        return new ProgramEncoder(pipeline, facts, laneBytes, first.encoding.seen()).run();
    }

    private EncodedPipeline run() {
        List<Value> outputs = body(pipeline, encoding);
        return switch (pipeline.sink()) {
            case Sink.Aggregate sink -> aggregate(sink, outputs);
            case Sink.HashBuild _,
                    Sink.Result _,
                    Sink.Sort _,
                    Sink.Last _,
                    Sink.Window _,
                    Sink.Collect _,
                    Sink.Feed _ -> throw new NoKernel("only aggregates have a program");
        };
    }

    /// Programs and joins.
    ///
    /// @return the last program's outputs
    static List<Value> body(Pipeline pipeline, Encoding encoding) {
        Facts facts = encoding.facts();
        List<Value> values = new ArrayList<>();
        for (int input = 0; input < pipeline.source().types().size(); input++) {
            Value value = new Value(pipeline.source().types().get(input));
            value.input = input;
            value.isNullable = facts.isNullable(input);
            value.bounds = facts.range(input);
            value.follows = input;
            if (!value.isTruth() && Lanes.hold(value.type) && facts.form(input).isNarrow()) {
                value.sure =
                        new long[] {facts.form(input).least(), facts.form(input).greatest()};
            }
            values.add(value);
        }
        JoinEncoder joins = new JoinEncoder(encoding);
        for (int index = 0; ; index++) {
            values = new BodyEncoder(encoding, pipeline.programs().get(index), values).run();
            if (index == pipeline.joins().size()) {
                return values;
            }
            values = joins.encode(index, values);
        }
    }

    private EncodedPipeline aggregate(Sink.Aggregate sink, List<Value> outputs) {
        encoding.hand().rows.uses = 0;
        if (!encoding.hand().isLooped) { // otherwise the next turn needs them again
            AggregateEncoder.countUses(sink, outputs);
        }
        boolean isGrouped = !sink.keys().isEmpty();
        GroupEncoder groups = new GroupEncoder(encoding);
        Value group = isGrouped ? groups.encode(outputs) : null;
        EncodedCells cells = new EncodedCells(isGrouped);
        List<CallWords> calls =
                new AggregateEncoder(encoding, cells, groups.split(), groups.isClustered()).encode(outputs, group);
        JoinEncoder.finish(encoding);
        long count = isGrouped ? groups.count(cells.words()) : cells.parts();
        ProgramWriter code = encoding.code();
        VmProgram.Block block = groups.split() < 0
                ? VmProgram.Block.NONE
                : new VmProgram.Block((int) count, cells.plainWords(), cells.pairs());
        VmProgram program = code.finish(encoding.slots(), cells, block);
        encoding.seen().cellWords(program.isFull() ? 0 : cells.plainWords());
        return new EncodedPipeline(
                program,
                code.inputs(),
                code.forms(),
                code.tables(),
                groups.keys(),
                groups.strides(),
                count,
                groups.isHashed(),
                calls.stream().map(call -> call.placed(cells)).toList());
    }
}
