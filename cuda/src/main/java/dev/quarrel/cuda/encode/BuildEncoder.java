package dev.quarrel.cuda.encode;

import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.vm.Physical;
import dev.quarrel.cuda.vm.VmInstruction;
import dev.quarrel.cuda.vm.VmOpcode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// Encodes the programs that turn the rows of a build side into tables by key.
///
/// A *survey* notes which keys there are, a byte each, and which values the columns have that are grouped by; a program
/// of *digits* then puts at each key's place what its row adds to the number of a group. Each is encoded twice, as
/// [ProgramEncoder] does.
///
/// - Errors: [NoKernel] for what has no form on the device.
public final class BuildEncoder {
    /// Different values of a column at most.
    private static final int MAX_VALUES = 1 << 20;
    /// Keys from the least to the greatest at most, for few rows; and for many.
    private static final long MIN_DENSE = 1 << 24;

    private static final long MAX_DENSE = 1 << 28;

    private final Sink.HashBuild sink;
    private final Facts facts;
    private final Pipeline pipeline;
    private final Encoding encoding;
    private final ProgramWriter code;
    private final Hand hand;
    private final List<Integer> written = new ArrayList<>();
    private final List<Places> places = new ArrayList<>();
    private List<Value> outputs;

    /// Where the values of a column have their places: integers from `least` on, or codes; then NULL.
    ///
    /// @param values places but NULL's
    /// @param dictionary of codes, otherwise null
    public record Places(DataType type, long least, int values, Dictionary dictionary) {}

    /// A program that writes columns.
    ///
    /// @param written numbers of the columns that it writes: of the keys, then of the payload
    /// @param places of the keys, then of the payload
    public record Encoded(EncodedPipeline program, List<Integer> written, List<Places> places) {}

    private BuildEncoder(Pipeline pipeline, Facts facts, int laneBytes, BuildEncoder counted) {
        this.pipeline = pipeline;
        this.sink = (Sink.HashBuild) pipeline.sink();
        this.facts = facts;
        Usage known = Usage.unknown(0);
        if (counted != null) {
            known.addFetches(counted.encoding.seen());
        }
        this.encoding = Encoding.of(pipeline, facts, laneBytes, known);
        this.code = encoding.code();
        this.hand = encoding.hand();
    }

    /// The program that surveys the keys, and some columns of the payload.
    ///
    /// Its one word counts rows that have a key.
    public static Encoded survey(Pipeline pipeline, Facts facts, List<Integer> payload) {
        check(pipeline);
        return encode(pipeline, facts, encoder -> encoder.survey(payload));
    }

    /// The program that writes digits by key.
    ///
    /// @param digits by column of the payload: by place, NULL's the last, what a value adds
    public static Encoded digits(Pipeline pipeline, Facts facts, Map<Integer, int[]> digits) {
        check(pipeline);
        Map<Integer, TableUse> tables = new HashMap<>();
        digits.forEach((payload, values) -> tables.put(payload, new TableUse.Given(values)));
        return encode(pipeline, facts, encoder -> encoder.digits(tables));
    }

    private static Encoded encode(Pipeline pipeline, Facts facts, Function<BuildEncoder, Encoded> pass) {
        try {
            return encode(pipeline, facts, Lanes.of(pipeline), pass);
        } catch (WiderLanes _) {
            return encode(pipeline, facts, Lanes.WIDE, pass);
        }
    }

    private static Encoded encode(Pipeline pipeline, Facts facts, int laneBytes, Function<BuildEncoder, Encoded> pass) {
        BuildEncoder first = new BuildEncoder(pipeline, facts, laneBytes, null);
        var _ = pass.apply(first); // it counts
        return pass.apply(new BuildEncoder(pipeline, facts, laneBytes, first));
    }

    private static void check(Pipeline pipeline) {
        Sink.HashBuild sink = (Sink.HashBuild) pipeline.sink();
        if (!pipeline.joins().isEmpty()) {
            throw new NoKernel("a join table of joined rows has no CUDA kernel");
        }
        if (sink.keys().size() != 1) {
            throw new NoKernel("a join table by " + sink.keys().size() + " columns has no CUDA kernel");
        }
        if (sink.nullKeys()) {
            throw new NoKernel("a join table of rows without a key has no CUDA kernel");
        }
    }

    private Encoded survey(List<Integer> payload) {
        int key = key();
        code.emit(VmOpcode.OWN_COUNT);
        note(key);
        for (int column : payload) {
            Value value = outputs.get(sink.payload().get(column));
            places.add(places(value, MAX_VALUES));
            int place = place(value, places.getLast());
            note(place);
            encoding.slots().free(place);
        }
        return finish();
    }

    private Encoded digits(Map<Integer, TableUse> digits) {
        int key = key();
        code.emit(VmOpcode.VALUE_LOAD, VmInstruction.IMMEDIATE, 0, 0, code.constant(0), 0);
        int sum = encoding.slots().newSlot();
        code.emit(VmOpcode.VALUE_STORE, 0, 0, 0, sum, 0);
        digits.forEach((column, table) -> {
            Value value = outputs.get(sink.payload().get(column));
            places.add(places(value, MAX_VALUES));
            int place = place(value, places.getLast());
            code.emit(VmOpcode.GATHER_I32, 0, code.table(table), 0, 0, 0);
            code.emit(VmOpcode.ADD, 0, 0, 0, sum, 0);
            code.emit(VmOpcode.VALUE_STORE, 0, 0, 0, sum, 0);
            encoding.slots().free(place);
        });
        written.add(code.deviceColumn(Physical.I32));
        int end = code.constant(places.getFirst().values());
        code.emit(VmOpcode.EMIT_32, 0, written.getLast(), end, key, sum);
        return finish();
    }

    /// The rows that have a key become the current ones.
    ///
    /// @return the slot of the keys' places
    private int key() {
        outputs = ProgramEncoder.body(pipeline, encoding);
        Value key = outputs.get(sink.keys().getFirst());
        long width = Math.max(MIN_DENSE, Math.min(MAX_DENSE, 8 * facts.rowCount()));
        if (key.type instanceof DataType.Utf8) {
            throw new NoKernel("a join by " + key.type + " has no CUDA kernel");
        }
        places.add(places(key, width));
        hand.bring(key);
        hand.spillTruth();
        hand.spillValue();
        if (key.isNullable) {
            code.emit(VmOpcode.FILTER_PRESENT, VmInstruction.SKIP, 0, 0, 0, 0);
            hand.rows = new Rows(hand.rows);
        }
        int slot = place(null, places.getFirst());
        hand.value = null;
        return slot;
    }

    /// A value's places.
    private Places places(Value value, long most) {
        if (value.constant != null || value.join >= 0) {
            throw new NoKernel("a join table of constants has no CUDA kernel");
        }
        if (value.type instanceof DataType.Utf8) {
            if (value.input < 0 || facts.isPlainText(value.input)) {
                throw new NoKernel("a join table of text without a dictionary has no CUDA kernel");
            }
            Dictionary dictionary = facts.dictionary(value.input);
            int size = dictionary == null ? 1 : dictionary.size();
            if (size > most) {
                throw new NoKernel("a join table of so many texts has no CUDA kernel");
            }
            return new Places(value.type, 0, size, dictionary);
        }
        boolean isInteger =
                switch (value.type) {
                    case DataType.Int16 _,
                            DataType.Int32 _,
                            DataType.Int64 _,
                            DataType.Date _,
                            DataType.Time _,
                            DataType.Timestamp _ -> true;
                    default -> false;
                };
        if (!isInteger) {
            throw new NoKernel("a join table of " + value.type + " has no CUDA kernel");
        }
        if (value.bounds == null) {
            throw new NoKernel("a join table of values of unknown range has no CUDA kernel");
        }
        long last = value.bounds[1] - value.bounds[0];
        if (last < 0 || last >= most) {
            throw new NoKernel("a join table of values of so wide a range has no CUDA kernel");
        }
        return new Places(value.type, value.bounds[0], (int) last + 1, null);
    }

    /// The places of a value into a slot.
    ///
    /// @param value null for the one in hand, which is present
    private int place(Value value, Places places) {
        if (value != null) {
            hand.bring(value);
            hand.spillTruth();
            hand.spillValue();
        }
        if (places.dictionary() == null && !(places.type() instanceof DataType.Utf8)) {
            int least = code.constant(places.least());
            code.emit(VmOpcode.CHECK, 0, 0, least, code.constant(places.least() + places.values() - 1), 0);
            if (places.least() != 0) {
                code.emit(VmOpcode.SUBTRACT, VmInstruction.IMMEDIATE, 0, 0, least, 0);
            }
        }
        if (value != null && value.isNullable) {
            code.emit(VmOpcode.VALUE_OR, 0, 0, code.constant(places.values()), 0, 0);
        }
        int slot = encoding.slots().newSlot();
        code.emit(VmOpcode.VALUE_STORE, 0, 0, 0, slot, 0);
        return slot;
    }

    /// A byte becomes 1 at each of a slot's places.
    private void note(int place) {
        hand.spillTruth();
        code.emit(VmOpcode.BOOL_CONST, 0, 1, 0, 0, 0);
        written.add(code.deviceColumn(Physical.U8));
        int end = code.constant(places.getLast().values() + 1L);
        code.emit(VmOpcode.EMIT_TRUTH, 0, written.getLast(), end, place, 0);
    }

    private Encoded finish() {
        EncodedPipeline program = new EncodedPipeline(
                code.finish(encoding.slots(), new EncodedCells(false)),
                code.inputs(),
                code.forms(),
                code.tables(),
                List.of(),
                List.of(),
                1,
                false,
                List.of());
        return new Encoded(program, List.copyOf(written), List.copyOf(places));
    }
}
