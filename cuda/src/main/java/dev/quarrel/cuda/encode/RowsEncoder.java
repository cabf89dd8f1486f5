package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.vm.Physical;
import dev.quarrel.cuda.vm.VmInstruction;
import dev.quarrel.cuda.vm.VmOpcode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Makes the two programs of a pipeline whose rows leave the device.
///
/// Each is encoded twice, as [ProgramEncoder] does.
///
/// - Errors: [NoKernel] for what has no form on the device.
public final class RowsEncoder {
    private final Pipeline pipeline;
    private final Facts facts;
    private final Encoding encoding;
    private final ProgramWriter code;
    private final Hand hand;
    private final List<EncodedRows.Written> written = new ArrayList<>();
    private EncodedRows.Window window;
    private int places; // the slot that has them
    private int sourceRows = -1; // the column of their numbers

    private RowsEncoder(Pipeline pipeline, Facts facts, int laneBytes, RowsEncoder counted) {
        this.pipeline = pipeline;
        this.facts = facts;
        // Build rows are asked for in every case, so that both programs read the same tables.
        Usage known = Usage.unknown(pipeline.joins().size());
        if (counted != null) {
            known.addFetches(counted.encoding.seen());
        }
        this.encoding = Encoding.of(pipeline, facts, laneBytes, known);
        this.code = encoding.code();
        this.hand = encoding.hand();
    }

    /// The programs of a pipeline that scans a table.
    public static EncodedRows encode(Pipeline pipeline, Facts facts) {
        try {
            return encode(pipeline, facts, Lanes.of(pipeline));
        } catch (WiderLanes _) {
            return encode(pipeline, facts, Lanes.WIDE);
        }
    }

    private static EncodedRows encode(Pipeline pipeline, Facts facts, int laneBytes) {
        SortKey first = firstKey(pipeline);
        Pipeline marked = withOutputs(pipeline, first == null ? List.of() : List.of(first.output()));
        RowsEncoder markOnce = new RowsEncoder(marked, facts, laneBytes, null);
        markOnce.mark(first);
        RowsEncoder mark = new RowsEncoder(marked, facts, laneBytes, markOnce);
        EncodedRows.First bounds = mark.mark(first);
        int marks = mark.code.inputs().size() - 1;

        RowsEncoder writeOnce = new RowsEncoder(pipeline, facts, laneBytes, null);
        writeOnce.code.startFrom(mark.code);
        writeOnce.write(marks);
        RowsEncoder write = new RowsEncoder(pipeline, facts, laneBytes, writeOnce);
        write.code.startFrom(mark.code);
        List<EncodedRows.Output> outputs = write.write(marks);
        EncodedPipeline marking = mark.finish();
        EncodedPipeline writing = write.finish();
        return new EncodedRows(marking, writing, marks, List.copyOf(write.written), outputs, write.window, bounds);
    }

    /// The first key of a top-N whose values have an order on the device, or null.
    private static SortKey firstKey(Pipeline pipeline) {
        if (!(pipeline.sink() instanceof Sink.Sort(List<SortKey> keys, var _, Sink.Bound limit))
                || keys.isEmpty()
                || limit.equals(Sink.Bound.NONE)) {
            return null;
        }
        SortKey key = keys.getFirst();
        DataType type = pipeline.lastProgram().outputTypes().get(key.output());
        return Lanes.hold(type) && !(type instanceof DataType.Bool) ? key : null;
    }

    /// The pipeline with some of its last program's outputs alone.
    private static Pipeline withOutputs(Pipeline pipeline, List<Integer> outputs) {
        List<Program> programs = new ArrayList<>(pipeline.programs());
        Program last = programs.removeLast();
        programs.add(new Program(
                last.inputs(),
                last.registers(),
                last.code(),
                last.selection(),
                outputs.stream().map(last.outputs()::get).toList()));
        return new Pipeline(pipeline.id(), pipeline.source(), programs, pipeline.joins(), pipeline.sink());
    }

    private EncodedPipeline finish() {
        return new EncodedPipeline(
                code.finish(encoding.slots(), new EncodedCells(true)),
                code.inputs(),
                code.forms(),
                code.tables(),
                List.of(),
                List.of(),
                1,
                false,
                List.of());
    }

    // ---- the first program

    private EncodedRows.First mark(SortKey first) {
        EncodedRows.First bounds = null;
        if (first != null) {
            boolean isNarrow = code.laneBytes() == Lanes.NARROW;
            long least = isNarrow ? Integer.MIN_VALUE : Long.MIN_VALUE;
            long greatest = isNarrow ? Integer.MAX_VALUE : Long.MAX_VALUE;
            bounds = new EncodedRows.First(
                    first,
                    least,
                    greatest,
                    code.launchConstant(least),
                    code.launchConstant(greatest),
                    code.launchConstant(0));
        }
        List<Value> outputs = ProgramEncoder.body(pipeline, encoding);
        if (!encoding.hand().loops.isEmpty()) {
            throw new NoKernel("rows that leave after several matches have no CUDA kernel");
        }
        if (bounds != null) {
            keepWithin(bounds, outputs.getFirst());
        }
        code.emit(VmOpcode.KEEP_ROWS, 0, code.deviceColumn(Physical.BITS), 0, 0, 0);
        return bounds;
    }

    private void keepWithin(EncodedRows.First bounds, Value key) {
        hand.bring(key);
        hand.spillTruth();
        switch (key.type) {
            case DataType.Float32 _ -> code.emit(VmOpcode.FLOAT32_ORDER);
            case DataType.Float64 _ -> code.emit(VmOpcode.FLOAT_ORDER);
            default -> {}
        }
        code.emit(VmOpcode.VALUE_OR, 0, 0, bounds.absent(), 0, 0);
        code.emit(VmOpcode.RANGE, 0, 0, bounds.low(), bounds.high(), 0);
        code.emit(VmOpcode.FILTER_TRUE, VmInstruction.SKIP, 0, 0, 0, 0);
    }

    // ---- the second program

    private List<EncodedRows.Output> write(int marks) {
        window = new EncodedRows.Window(code.launchConstant(0), code.launchConstant(Integer.MAX_VALUE));
        code.emit(VmOpcode.LOAD_BOOL, 0, marks, 0, 0, 0);
        code.emit(VmOpcode.FILTER_TRUE, VmInstruction.SKIP, 0, 0, 0, 0);
        List<Value> outputs = ProgramEncoder.body(pipeline, encoding);
        if (!encoding.hand().loops.isEmpty()) {
            throw new NoKernel("rows that leave after several matches have no CUDA kernel");
        }
        hand.spillValue();
        hand.spillTruth();
        places = encoding.slots().newSlot();
        code.emit(VmOpcode.ROW_PLACE, 0, window.size(), window.begin(), places, 0);
        hand.rows = new Rows(hand.rows);
        List<EncodedRows.Output> made = new ArrayList<>();
        Map<Value, Integer> known = new HashMap<>(); // that have left
        for (Value output : outputs) {
            made.add(output(output, known));
        }
        return List.copyOf(made);
    }

    private EncodedRows.Output output(Value output, Map<Value, Integer> known) {
        if (output.constant != null && !Lanes.hold(output.type)) {
            return new EncodedRows.Output.Constant(output.constant);
        }
        if (output.input >= 0 && !hasForm(output.input)) {
            if (sourceRows < 0) {
                sourceRows = leave(VmOpcode.EMIT_ROW, Physical.I32, false, 0);
            }
            return new EncodedRows.Output.OfSource(sourceRows, output.input);
        }
        if (output.join >= 0 && (output.isTruth() || !Lanes.hold(output.type))) {
            if (!known.containsKey(output.row)) {
                hand.bring(output.row);
                int slot = hand.isStored(output.row) ? output.row.slot : hand.scratch();
                known.put(output.row, leave(VmOpcode.EMIT_32, Physical.I32, output.row.isNullable, slot));
            }
            return new EncodedRows.Output.OfBuild(known.get(output.row), output.join, output.payload);
        }
        if (!known.containsKey(output)) {
            known.put(output, leave(output));
        }
        boolean isCode = output.type instanceof DataType.Utf8;
        return new EncodedRows.Output.Values(
                known.get(output), output.type, isCode ? facts.dictionary(output.input) : null);
    }

    /// Whether an input's values leave the device.
    private boolean hasForm(int input) {
        try {
            return facts.form(input).physical() != Physical.TEXT;
        } catch (NoKernel _) {
            return false;
        }
    }

    private int leave(Value output) {
        int number;
        if (output.isTruth()) {
            hand.bringTruth(output);
            number = leave(VmOpcode.EMIT_TRUTH, Physical.U8, output.input < 0 || output.isNullable, 0);
        } else {
            boolean isCode = output.type instanceof DataType.Utf8;
            if (!isCode) {
                Lanes.require(output.type);
            } else if (output.input < 0) {
                throw new NoKernel("computed text has no CUDA kernel");
            }
            hand.bring(output);
            Physical physical = isCode ? facts.form(output.input).physical() : physical(output.type);
            VmOpcode op =
                    switch (physical) {
                        case BITS, I8, I24 -> throw new IllegalStateException("what leaves as " + physical);
                        case U8 -> VmOpcode.EMIT_8;
                        case U16, I16 -> VmOpcode.EMIT_16;
                        case I32 -> VmOpcode.EMIT_32;
                        case I64 -> VmOpcode.EMIT_64;
                        case TEXT -> throw new IllegalStateException("text does not leave");
                    };
            boolean isNull = output.constant != null && output.constant.isNull();
            int slot = hand.isStored(output) ? output.slot : hand.scratch();
            number = leave(op, physical, output.isNullable || isNull, slot);
        }
        output.uses -= Value.OTHERS - 1;
        hand.used(output);
        return number;
    }

    /// How values of a type leave; decimals as the 64 bits that lanes hold.
    private static Physical physical(DataType type) {
        return switch (type.byteWidth()) {
            case 2 -> Physical.I16;
            case 4 -> Physical.I32;
            default -> Physical.I64;
        };
    }

    /// What is in hand goes to a column of its own.
    ///
    /// @param slot of values
    private int leave(VmOpcode op, Physical physical, boolean isNullable, int slot) {
        int column = code.deviceColumn(physical);
        code.emit(op, 0, column, window.size(), places, slot);
        written.add(new EncodedRows.Written(column, physical, op == VmOpcode.EMIT_TRUTH, isNullable));
        return written.size() - 1;
    }
}
