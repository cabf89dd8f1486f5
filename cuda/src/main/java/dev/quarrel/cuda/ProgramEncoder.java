package dev.quarrel.cuda;

import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.DateField;
import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.RegisterType;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.EncodedPipeline.CallWords;
import dev.quarrel.cuda.vm.Physical;
import dev.quarrel.cuda.vm.VmInstruction;
import dev.quarrel.cuda.vm.VmOpcode;
import dev.quarrel.cuda.vm.VmProgram;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Makes a pipeline's programs, joins and sink into one program of the device's interpreter.
///
/// Columns, constants and columns of build sides are fetched when an instruction first needs them. A value that is
// needed
/// again goes to a slot when another takes its place in hand, and rows to a mask slot likewise.
///
/// It runs twice: the first pass counts how often each column is fetched and which build rows are asked for.
///
/// - Errors: [NoKernel] for what has no form on the device.
final class ProgramEncoder {
    /// Words of all groups' cells at most.
    static final long MAX_GROUP_WORDS = 1L << 24;

    /// Numbers of groups at most: they and the mark of a free slot fit 64 bits.
    private static final long MAX_NUMBERS = 1L << 62;

    private static final int MIN_SLOTS = 1 << 6;

    private static final int NARROW_DIGITS = 18;
    private static final long EXACT_DOUBLE = 1L << 53;
    private static final int MAX_POWER = 22;
    /// Uses of a value that others may ask for.
    private static final int OTHERS = 1 << 20;

    private static final int INT32_LANE = 4;
    private static final int WIDE_LANE = 8;
    private static final long FIRST_DAY = -2_440_588;
    private static final long LAST_DAY = 2_145_042_905;

    private final Pipeline pipeline;
    private final Sink.Aggregate sink;
    private final Facts facts;
    private final int laneBytes;

    // What the first pass found.
    private final Map<Integer, Integer> fetches;
    private final Set<Integer> joinsAskedForRows;

    private final Map<Integer, Integer> fetched = new HashMap<>();
    private final Set<Integer> asked = new HashSet<>();
    private final List<VmInstruction> code = new ArrayList<>();
    private final List<Long> constants = new ArrayList<>();
    private final List<Integer> inputs = new ArrayList<>();
    private final List<Physical> physicals = new ArrayList<>();
    private final List<TableUse> tables = new ArrayList<>();
    private final BitSet slots = new BitSet();
    private final BitSet maskSlots = new BitSet();
    private int slotCount;
    private int maskSlotCount;

    private Rows current;
    private Value hand;
    private Rows handRows; // where it was fetched
    private Value truth;
    private Rows truthRows;

    private final List<GroupKey> keys = new ArrayList<>();
    private final List<Long> strides = new ArrayList<>();
    private final List<CallWords> calls = new ArrayList<>();
    private final Map<List<Integer>, Integer> counts = new HashMap<>(); // by argument and filter: the word that counts
    private boolean isHashed;
    private int tableSlots;
    private int words = 1;
    private long wordKinds;

    /// A mask: the rows that instructions act on.
    private static final class Rows {
        final Rows outer;
        int slot = -1;
        int uses;

        Rows(Rows outer) {
            this.outer = outer;
        }

        boolean isWithin(Rows other) {
            for (Rows rows = this; rows != null; rows = rows.outer) {
                if (rows == other) {
                    return true;
                }
            }
            return false;
        }
    }

    /// A register's value, and where it is.
    private static final class Value {
        final DataType type;
        int input = -1;
        Literal constant;
        int join = -1;
        int payload;
        boolean isNullable;
        int slot = -1; // of values, or the first of two mask slots
        int valid = -1; // mask slot
        Rows storedIn; // where it was computed, of what is fetched
        int uses;
        int textInput = -1; // of a condition on a text column
        Program condition;
        long[] bounds; // or null

        Value(DataType type) {
            this.type = type;
        }

        boolean isFetched() {
            return input >= 0 || constant != null || join >= 0 || condition != null;
        }

        boolean isTruth() {
            return type instanceof DataType.Bool;
        }
    }

    private ProgramEncoder(
            Pipeline pipeline, Facts facts, int laneBytes, Map<Integer, Integer> fetches, Set<Integer> rows) {
        this.pipeline = pipeline;
        this.sink = (Sink.Aggregate) pipeline.sink();
        this.facts = facts;
        this.laneBytes = laneBytes;
        this.fetches = fetches;
        this.joinsAskedForRows = rows;
    }

    /// The program of a pipeline that scans a table and ends in an aggregate.
    static EncodedPipeline encode(Pipeline pipeline, Facts facts) {
        try {
            return encode(pipeline, facts, laneBytes(pipeline));
        } catch (WiderLanes _) {
            return encode(pipeline, facts, WIDE_LANE);
        }
    }

    /// Says that the number of a group does not fit the lanes.
    private static final class WiderLanes extends RuntimeException {
        private static final long serialVersionUID = 1;

        WiderLanes() {
            super(null, null, false, false);
        }
    }

    private static EncodedPipeline encode(Pipeline pipeline, Facts facts, int laneBytes) {
        Set<Integer> allRows = new HashSet<>();
        for (int join = 0; join < pipeline.joins().size(); join++) {
            allRows.add(join);
        }
        ProgramEncoder first = new ProgramEncoder(pipeline, facts, laneBytes, Map.of(), allRows);
        first.run();
        return new ProgramEncoder(pipeline, facts, laneBytes, first.fetched, first.asked).run();
    }

    private EncodedPipeline run() {
        current = new Rows(null);
        List<Value> values = new ArrayList<>();
        for (int input = 0; input < pipeline.source().types().size(); input++) {
            Value value = new Value(pipeline.source().types().get(input));
            value.input = input;
            value.isNullable = facts.isNullable(input);
            value.bounds = facts.range(input);
            values.add(value);
        }
        for (int index = 0; ; index++) {
            values = new Body(pipeline.programs().get(index), values).run();
            if (index == pipeline.joins().size()) {
                break;
            }
            values = join(index, values);
        }
        long groups = aggregate(values);
        emit(VmOpcode.END, 0, 0, 0, 0, 0);
        fuse();
        return new EncodedPipeline(
                new VmProgram(
                        laneBytes,
                        code,
                        constants,
                        slotCount,
                        maskSlotCount,
                        words,
                        !keys.isEmpty(),
                        wordKinds,
                        physicals,
                        tables.stream().map(TableUse::kind).toList()),
                List.copyOf(inputs),
                List.copyOf(tables),
                List.copyOf(keys),
                List.copyOf(strides),
                groups,
                isHashed,
                List.copyOf(calls));
    }

    // ---- widths

    private static int laneBytes(Pipeline pipeline) {
        boolean isWide = false;
        for (Program program : pipeline.programs()) {
            for (Instruction instruction : program.code()) {
                isWide |= instruction.op() != Opcode.LOAD
                        && isWide(program.registers().get(instruction.result()));
                for (int argument : instruction.arguments()) {
                    isWide |= isWide(program.registers().get(argument));
                }
            }
        }
        for (int index = 0; index < pipeline.joins().size(); index++) {
            for (int key : pipeline.joins().get(index).keys()) {
                isWide |= isWide(pipeline.programs().get(index).outputTypes().get(key));
            }
        }
        Sink.Aggregate sink = (Sink.Aggregate) pipeline.sink();
        List<DataType> outputs = pipeline.lastProgram().outputTypes();
        for (int key : sink.keys()) {
            isWide |= isWide(outputs.get(key));
        }
        for (AggregateCall call : sink.calls()) {
            isWide |= call.argument() >= 0 && isWide(outputs.get(call.argument()));
        }
        return isWide ? WIDE_LANE : INT32_LANE;
    }

    private static boolean isWide(RegisterType register) {
        return register instanceof RegisterType.Value(DataType type) && isWide(type);
    }

    private static boolean isWide(DataType type) {
        return switch (type) {
            case DataType.Bool _,
                    DataType.Int16 _,
                    DataType.Int32 _,
                    DataType.Float32 _,
                    DataType.Date _,
                    DataType.Utf8 _ -> false;
            default -> true;
        };
    }

    /// - Errors: [NoKernel] for a type that lanes do not hold.
    private static void requireLane(DataType type) {
        switch (type) {
            case DataType.Bool _,
                    DataType.Int16 _,
                    DataType.Int32 _,
                    DataType.Int64 _,
                    DataType.Date _,
                    DataType.Time _,
                    DataType.Timestamp _,
                    DataType.Float32 _,
                    DataType.Float64 _,
                    DataType.Decimal _ -> {}
            case DataType.Utf8 _ -> throw new NoKernel("text has CUDA kernels only where it is grouped by or compared");
            case DataType.Numeric _, DataType.Uuid _, DataType.Interval _, DataType.Binary _ ->
                throw new NoKernel(type + " has no CUDA kernel");
        }
    }

    // ---- code

    private void emit(VmOpcode op, int flags, int k, int a, int b, int c) {
        if (code.size() >= VmProgram.MAX_CODE || k > 255) {
            throw new NoKernel("the program is too long for the CUDA kernel");
        }
        code.add(new VmInstruction(op, flags, k, a, b, c));
    }

    private void emit(VmOpcode op) {
        emit(op, 0, 0, 0, 0, 0);
    }

    private int constant(long value) {
        if (laneBytes == INT32_LANE && value != (int) value) {
            throw new NoKernel("a constant is wider than its CUDA kernel's lanes");
        }
        int known = constants.indexOf(value);
        if (known >= 0) {
            return known;
        }
        if (constants.size() == VmProgram.MAX_CONSTANTS) {
            throw new NoKernel("more than " + VmProgram.MAX_CONSTANTS + " constants in a CUDA kernel");
        }
        constants.add(value);
        return constants.size() - 1;
    }

    private int column(int input) {
        int known = inputs.indexOf(input);
        if (known >= 0) {
            return known;
        }
        if (inputs.size() == VmProgram.MAX_COLUMNS) {
            throw new NoKernel("more than " + VmProgram.MAX_COLUMNS + " columns in a CUDA kernel");
        }
        inputs.add(input);
        physicals.add(facts.physical(input));
        return inputs.size() - 1;
    }

    private int table(TableUse use) {
        int known = tables.indexOf(use);
        if (known >= 0) {
            return known;
        }
        if (tables.size() == VmProgram.MAX_TABLES) {
            throw new NoKernel("more than " + VmProgram.MAX_TABLES + " tables in a CUDA kernel");
        }
        tables.add(use);
        return tables.size() - 1;
    }

    private int newSlot() {
        int slot = slots.nextClearBit(0);
        if (slot >= VmProgram.MAX_SLOTS) {
            throw new NoKernel("more than " + VmProgram.MAX_SLOTS + " values at a time in a CUDA kernel");
        }
        slots.set(slot);
        slotCount = Math.max(slotCount, slot + 1);
        return slot;
    }

    private int newMaskSlots(int count) {
        int slot = maskSlots.nextClearBit(0);
        while (count == 2 && maskSlots.get(slot + 1)) {
            slot = maskSlots.nextClearBit(slot + 1);
        }
        if (slot + count > VmProgram.MAX_MASK_SLOTS) {
            throw new NoKernel("more than " + VmProgram.MAX_MASK_SLOTS + " masks at a time in a CUDA kernel");
        }
        maskSlots.set(slot, slot + count);
        maskSlotCount = Math.max(maskSlotCount, slot + count);
        return slot;
    }

    private void used(Value value) {
        value.uses--;
        if (value.uses > 0 || value.isFetched()) {
            return;
        }
        if (value.isTruth() && value.slot >= 0) {
            maskSlots.clear(value.slot, value.slot + 2);
            value.slot = -1;
        } else if (value.slot >= 0) {
            slots.clear(value.slot);
            value.slot = -1;
            if (value.valid >= 0) {
                maskSlots.clear(value.valid);
                value.valid = -1;
            }
        }
    }

    private void used(Rows rows) {
        rows.uses--;
        if (rows.uses <= 0 && rows.slot >= 0) {
            maskSlots.clear(rows.slot);
            rows.slot = -1;
        }
    }

    // ---- rows

    /// Keeps the current rows if they are needed again.
    private void spillRows() {
        if (current.uses > 0 && current.slot < 0) {
            current.slot = newMaskSlots(1);
            emit(VmOpcode.MASK_STORE, 0, current.slot, 0, 0, 0);
        }
    }

    private void moveTo(Rows rows) {
        if (rows == current) {
            return;
        }
        spillRows();
        if (rows.slot < 0) {
            throw new IllegalStateException("rows are gone");
        }
        emit(VmOpcode.MASK_LOAD, 0, rows.slot, 0, 0, 0);
        current = rows;
    }

    // ---- values in hand

    private void spillHand() {
        if (hand != null && hand.uses > 0 && !hand.isFetched() && hand.slot < 0) {
            store(hand);
        }
        hand = null;
    }

    private void spillTruth() {
        if (truth != null && truth.uses > 0 && !truth.isFetched() && truth.slot < 0) {
            storeTruth(truth);
        }
        truth = null;
    }

    /// Puts the value in hand into a slot.
    private void store(Value value) {
        value.slot = newSlot();
        value.valid = value.isNullable ? newMaskSlots(1) : -1;
        value.storedIn = handRows;
        emit(
                VmOpcode.VALUE_STORE,
                value.isNullable ? VmInstruction.VALID : 0,
                0,
                0,
                value.slot,
                Math.max(value.valid, 0));
    }

    private void storeTruth(Value value) {
        value.slot = newMaskSlots(2);
        value.storedIn = truthRows;
        emit(VmOpcode.BOOL_STORE, 0, value.slot, 0, 0, 0);
    }

    /// The value is in hand now, computed by the instruction before.
    private void take(Value value) {
        hand = value;
        handRows = current;
    }

    private void takeTruth(Value value) {
        truth = value;
        truthRows = current;
    }

    private boolean isStored(Value value) {
        return value.slot >= 0 && (!value.isFetched() || current.isWithin(value.storedIn));
    }

    private boolean isInHand(Value value) {
        return hand == value && (!value.isFetched() || current.isWithin(handRows));
    }

    /// Fetches a value into the hand.
    private void bring(Value value) {
        if (isInHand(value)) {
            return;
        }
        if (value.isTruth()) {
            throw new NoKernel("a boolean value has no CUDA kernel here");
        }
        spillHand();
        if (isStored(value)) {
            emit(
                    VmOpcode.VALUE_LOAD,
                    value.valid >= 0 ? VmInstruction.VALID : 0,
                    0,
                    0,
                    value.slot,
                    Math.max(value.valid, 0));
        } else if (value.constant != null) {
            if (value.constant.isNull()) {
                emit(VmOpcode.VALUE_NULL);
            } else {
                emit(VmOpcode.VALUE_LOAD, VmInstruction.IMMEDIATE, 0, 0, constant(number(value.constant)), 0);
            }
        } else if (value.input >= 0) {
            fetchColumn(value);
        } else if (value.join >= 0) {
            fetchPayload(value);
        } else {
            throw new IllegalStateException("a value is gone");
        }
        take(value);
        boolean isFetchedAgain = value.input >= 0 && value.slot < 0 && fetches.getOrDefault(value.input, 0) > 1;
        if (isFetchedAgain) {
            store(value);
        }
    }

    private void fetchColumn(Value value) {
        fetched.merge(value.input, 1, Integer::sum);
        int column = column(value.input);
        VmOpcode op =
                switch (physicals.get(column)) {
                    case BITS -> throw new IllegalStateException("bits are a truth");
                    case U8 -> VmOpcode.LOAD_U8;
                    case U16 -> VmOpcode.LOAD_U16;
                    case I16 -> VmOpcode.LOAD_I16;
                    case I32 -> VmOpcode.LOAD_I32;
                    case I64 -> VmOpcode.LOAD_I64;
                };
        emit(op, value.isNullable ? VmInstruction.NULLABLE : 0, column, 0, 0, 0);
    }

    private void fetchPayload(Value value) {
        requireLane(value.type);
        asked.add(value.join);
        Value row = rowOf.get(value.join);
        emit(VmOpcode.VALUE_LOAD, row.valid >= 0 ? VmInstruction.VALID : 0, 0, 0, row.slot, Math.max(row.valid, 0));
        if (value.isNullable && row.valid < 0 || hasNulls(value)) {
            emit(VmOpcode.GATHER_VALID, 0, table(new TableUse.PayloadPresent(value.join, value.payload)), 0, 0, 0);
        }
        boolean isWide = value.type.byteWidth() > 4;
        int array = table(new TableUse.Payload(value.join, value.payload, isWide));
        emit(isWide ? VmOpcode.GATHER_I64 : VmOpcode.GATHER_I32, 0, array, 0, 0, 0);
    }

    private boolean hasNulls(Value payload) {
        BuildSide build = facts.build(payload.join);
        return build != null && build.hasNulls(payload.payload);
    }

    private void bringTruth(Value value) {
        if (truth == value && (!value.isFetched() || current.isWithin(truthRows))) {
            return;
        }
        spillTruth();
        if (isStored(value)) {
            emit(VmOpcode.BOOL_LOAD, 0, value.slot, 0, 0, 0);
        } else if (value.constant != null) {
            int kind = value.constant.isNull() ? 0 : (Boolean) value.constant.value() ? 1 : 2;
            emit(VmOpcode.BOOL_CONST, 0, kind, 0, 0, 0);
        } else if (value.condition != null) {
            fetchCondition(value);
        } else if (value.input >= 0) {
            spillHand(); // its presence is overwritten
            emit(VmOpcode.LOAD_BOOL, value.isNullable ? VmInstruction.NULLABLE : 0, column(value.input), 0, 0, 0);
        } else {
            throw new NoKernel("a boolean column of a build side has no CUDA kernel");
        }
        takeTruth(value);
    }

    private void fetchCondition(Value value) {
        Value text = textColumns.get(value.textInput);
        bring(text);
        emit(VmOpcode.TEST_BITS, 0, table(new TableUse.TextSet(text.input, value.condition)), 0, 0, 0);
    }

    private final Map<Integer, Value> textColumns = new HashMap<>();
    private final Map<Integer, Value> rowOf = new HashMap<>();

    /// How an operand is named in an instruction.
    private record Operand(int flags, int b, int c) {}

    private boolean isOperand(Value value) {
        return isStored(value) || value.constant != null && !value.constant.isNull();
    }

    private Operand operand(Value value) {
        if (!isOperand(value)) {
            bring(value);
            if (value.slot < 0 || !isStored(value)) {
                if (value.slot >= 0) {
                    value.slot = -1; // what is stored there is of other rows
                }
                boolean isNullable = value.isNullable || value.constant != null;
                value.isNullable = isNullable;
                store(value);
            }
        }
        if (isStored(value)) {
            return new Operand(value.valid >= 0 ? VmInstruction.MASKED : 0, value.slot, Math.max(value.valid, 0));
        }
        return new Operand(VmInstruction.IMMEDIATE, constant(number(value.constant)), 0);
    }

    private static long number(Literal literal) {
        return switch (literal.value()) {
            case Long number -> number;
            case Double number -> Double.doubleToLongBits(number);
            case Float number -> Float.floatToIntBits(number);
            case BigDecimal number -> {
                BigInteger unscaled = number.unscaledValue();
                if (unscaled.bitLength() > 63) {
                    throw new NoKernel("a constant of more than 64 bits has no CUDA kernel");
                }
                yield unscaled.longValue();
            }
            default -> throw new NoKernel("a constant of " + literal.type() + " has no CUDA kernel");
        };
    }

    /// Brings one of two values into the hand; the other becomes the operand.
    ///
    /// @return the operand, and whether it is the first of the two
    private Sides sides(Value x, Value y, boolean isReversible) {
        if (isReversible && isOperand(x) && !isInHand(x) && !isOperand(y)) {
            bring(y);
            return new Sides(operand(x), true);
        }
        if (!isOperand(y)) {
            if (isReversible && isInHand(x) && x != y) {
                operand(x); // puts it into a slot
                bring(y);
                return new Sides(operand(x), true);
            }
            operand(y);
        }
        bring(x);
        return new Sides(operand(y), false);
    }

    private record Sides(Operand operand, boolean isReversed) {}

    // ---- one program

    private final class Body {
        private final Program program;
        private final List<Value> in;
        private final Value[] values;
        private final Rows[] rows;
        private final Instruction[] writer;
        private final boolean[] isLive;
        private final boolean[] isPart; // of a condition on a text column, or of a range
        private final int[] useOfRows;
        private final int[] useOfValue;
        private final Map<Integer, Program> conditions = new HashMap<>();
        private final Map<Integer, long[]> rangeOf = new HashMap<>(); // by mask: input's register, low, high
        private final Map<Integer, Integer> merged = new HashMap<>(); // mask → the one that does its work

        Body(Program program, List<Value> in) {
            this.program = program;
            this.in = in;
            int count = program.registers().size();
            values = new Value[count];
            rows = new Rows[count];
            writer = new Instruction[count];
            isLive = new boolean[count];
            isPart = new boolean[count];
            useOfRows = new int[count];
            useOfValue = new int[count];
            program.code().forEach(instruction -> writer[instruction.result()] = instruction);
        }

        List<Value> run() {
            findLive();
            findRanges();
            findConditions();
            rows[0] = current;
            current.uses = 0;
            countUses();
            for (int at = 0; at < program.code().size(); at++) {
                Instruction instruction = program.code().get(at);
                if (!isLive[instruction.result()]) {
                    continue;
                }
                if (isPart[instruction.result()]) {
                    continue;
                }
                encode(instruction, at);
            }
            moveTo(rows(program.selection()));
            current.uses = 0;
            List<Value> outputs = new ArrayList<>();
            for (int output : program.outputs()) {
                outputs.add(values[output]);
            }
            return outputs;
        }

        private void findLive() {
            List<Instruction> instructions = program.code();
            boolean[] needed = new boolean[program.registers().size()];
            needed[program.selection()] = true;
            program.outputs().forEach(output -> needed[output] = true);
            for (int at = instructions.size() - 1; at >= 0; at--) {
                Instruction instruction = instructions.get(at);
                if (needed[instruction.result()] || mayFail(instruction)) {
                    isLive[instruction.result()] = true;
                    needed[instruction.mask()] = true;
                    instruction.arguments().forEach(argument -> needed[argument] = true);
                }
            }
        }

        private boolean isDeferred(Instruction instruction) {
            return instruction.op() == Opcode.LOAD || instruction.op() == Opcode.CONST;
        }

        private boolean mayFail(Instruction instruction) {
            return instruction.op().canFail() || instruction.op() == Opcode.CAST;
        }

        private void countUses() {
            for (Instruction instruction : program.code()) {
                int result = instruction.result();
                if (!isLive[result] || isPart[result] || isDeferred(instruction)) {
                    continue;
                }
                if (rangeOf.containsKey(result)) {
                    useOfRows[instruction.mask()]++;
                    continue;
                }
                useOfRows[instruction.mask()]++;
                if (conditions.containsKey(result)) {
                    continue;
                }
                for (int argument : instruction.arguments()) {
                    if (program.registers().get(argument) instanceof RegisterType.Mask) {
                        useOfRows[argument]++;
                    } else {
                        useOfValue[argument]++;
                    }
                }
            }
            program.outputs().forEach(output -> useOfValue[output] += OTHERS);
            useOfRows[program.selection()]++;
            rows[0].uses = useOfRows[0];
        }

        // ---- what is done by one instruction

        /// The masks that the selection is made by, first to last; null if they are not all conjuncts.
        private List<Instruction> conjuncts() {
            List<Instruction> chain = new ArrayList<>();
            for (int mask = program.selection(); mask != 0; ) {
                Instruction made = writer[mask];
                if (made.op() != Opcode.MASK_TRUE) {
                    return List.of();
                }
                chain.addFirst(made);
                mask = made.mask();
            }
            return chain;
        }

        private int referencesTo(int register) {
            int count = program.selection() == register ? 1 : 0;
            for (int output : program.outputs()) {
                count += output == register ? 1 : 0;
            }
            for (Instruction instruction : program.code()) {
                if (isLive[instruction.result()]) {
                    count += instruction.mask() == register ? 1 : 0;
                    for (int argument : instruction.arguments()) {
                        count += argument == register ? 1 : 0;
                    }
                }
            }
            return count;
        }

        private void findRanges() {
            Integer before = null; // the range of the conjunct before, by its mask
            for (Instruction conjunct : conjuncts()) {
                long[] range = range(conjunct);
                if (range == null) {
                    before = null;
                    continue;
                }
                isPart[conjunct.arguments().getFirst()] = true;
                long[] other = before == null ? null : rangeOf.get(before);
                boolean isSame = other != null
                        && in.get((int) other[0]) == in.get((int) range[0])
                        && !actsOtherwise(before, conjunct);
                if (isSame) {
                    other[1] = Math.max(other[1], range[1]);
                    other[2] = Math.min(other[2], range[2]);
                    merged.put(conjunct.result(), before);
                    isPart[conjunct.result()] = true;
                } else {
                    before = conjunct.result();
                    rangeOf.put(before, range);
                }
            }
        }

        /// Whether more acts under the mask than what leads to the next conjunct.
        private boolean actsOtherwise(int mask, Instruction next) {
            for (Instruction instruction : program.code()) {
                if (isLive[instruction.result()]
                        && instruction.mask() == mask
                        && !isDeferred(instruction)
                        && instruction != next
                        && instruction.result() != next.arguments().getFirst()) {
                    return true;
                }
            }
            return false;
        }

        /// The input number and the bounds of a conjunct that compares a column of 32 bits without NULLs.
        private long[] range(Instruction conjunct) {
            Instruction compared = writer[conjunct.arguments().getFirst()];
            boolean isOne =
                    switch (compared.op()) {
                        case EQ_INT32,
                                LT_INT32,
                                LE_INT32,
                                GT_INT32,
                                GE_INT32,
                                EQ_DATE,
                                LT_DATE,
                                LE_DATE,
                                GT_DATE,
                                GE_DATE -> true;
                        default -> false;
                    };
            if (!isOne || referencesTo(compared.result()) != 1) {
                return null;
            }
            Instruction left = writer[compared.arguments().get(0)];
            Instruction right = writer[compared.arguments().get(1)];
            boolean isTurned = left.op() == Opcode.CONST;
            Instruction constant = isTurned ? left : right;
            Instruction load = isTurned ? right : left;
            if (constant.op() != Opcode.CONST || load.op() != Opcode.LOAD) {
                return null;
            }
            Value column = in.get(load.immediate());
            Literal literal = facts.slotValue(constant.immediate());
            if (column.input < 0
                    || column.isNullable
                    || facts.physical(column.input) != Physical.I32
                    || !(literal.value() instanceof Long number)) {
                return null;
            }
            String op = compared.op().name().substring(0, 2);
            if (isTurned) {
                op = switch (op) {
                    case "LT" -> "GT";
                    case "LE" -> "GE";
                    case "GT" -> "LT";
                    case "GE" -> "LE";
                    default -> op;
                };
            }
            long low = Integer.MIN_VALUE;
            long high = Integer.MAX_VALUE;
            switch (op) {
                case "EQ" -> {
                    low = number;
                    high = number;
                }
                case "LT" -> high = number - 1;
                case "LE" -> high = number;
                case "GT" -> low = number + 1;
                default -> low = number;
            }
            return new long[] {load.immediate(), low, high};
        }

        private void findConditions() {
            boolean[] covered = new boolean[program.registers().size()];
            for (int at = program.code().size() - 1; at >= 0; at--) {
                Instruction instruction = program.code().get(at);
                int result = instruction.result();
                boolean isBool = program.registers().get(result) instanceof RegisterType.Value(DataType type)
                        && type instanceof DataType.Bool;
                if (!isLive[result] || covered[result] || isPart[result] || !isBool || isDeferred(instruction)) {
                    continue;
                }
                Set<Integer> parts = new HashSet<>();
                int input = textOnly(result, parts, -1);
                if (input < 0) {
                    continue;
                }
                Value text = in.get(input);
                if (text.input < 0) {
                    throw new NoKernel("a condition on text of a build side has no CUDA kernel");
                }
                Program condition = condition(result, parts);
                if (!facts.isKnown(text.input, condition)) {
                    throw new NoKernel("a condition on text that is NULL for some has no CUDA kernel");
                }
                conditions.put(result, condition);
                textColumns.put(text.input, text);
                for (int part : parts) {
                    covered[part] = true;
                    if (part != result && !(program.registers().get(part) instanceof RegisterType.Mask)) {
                        isPart[part] = !isDeferred(writer[part]) && !isUsedOutside(part, parts);
                    }
                }
            }
        }

        private boolean isUsedOutside(int register, Set<Integer> parts) {
            if (program.outputs().contains(register)) {
                return true;
            }
            for (Instruction instruction : program.code()) {
                if (isLive[instruction.result()]
                        && !parts.contains(instruction.result())
                        && instruction.arguments().contains(register)) {
                    return true;
                }
            }
            return false;
        }

        /// The one text input that a value is computed from, all under masks of the program's chain; -1 if it is not
        /// so, or something can fail, or no text is there.
        private int textOnly(int register, Set<Integer> parts, int input) {
            Instruction made = writer[register];
            if (made == null || program.registers().get(register) instanceof RegisterType.Mask) {
                return -1;
            }
            parts.add(register);
            switch (made.op()) {
                case LOAD -> {
                    return made.op() == Opcode.LOAD
                                    && program.inputs().get(made.immediate()) instanceof DataType.Utf8
                                    && (input < 0 || input == made.immediate())
                            ? made.immediate()
                            : -1;
                }
                case CONST, SELECT, IS_NULL, IS_NOT_NULL -> {
                    return -1; // a constant alone is no condition, and NULLs are seen without a dictionary
                }
                default -> {
                    boolean canFail = mayFail(made) && made.op() != Opcode.LIKE && made.op() != Opcode.ILIKE;
                    if (canFail) {
                        return -1;
                    }
                    int found = input;
                    for (int argument : made.arguments()) {
                        Instruction from = writer[argument];
                        if (from == null || program.registers().get(argument) instanceof RegisterType.Mask) {
                            return -1;
                        }
                        if (from.op() == Opcode.CONST) {
                            parts.add(argument);
                            continue;
                        }
                        found = textOnly(argument, parts, found);
                        if (found < 0) {
                            return -1;
                        }
                    }
                    return found;
                }
            }
        }

        /// The condition as a program of one input.
        private Program condition(int result, Set<Integer> parts) {
            List<Instruction> instructions = new ArrayList<>();
            for (Instruction instruction : program.code()) {
                if (parts.contains(instruction.result())) {
                    int immediate = instruction.op() == Opcode.LOAD ? 0 : instruction.immediate();
                    instructions.add(new Instruction(
                            instruction.op(), instruction.result(), instruction.arguments(), 0, immediate));
                }
            }
            List<RegisterType> registers = new ArrayList<>(program.registers());
            registers.add(RegisterType.MASK);
            int selection = registers.size() - 1;
            instructions.add(new Instruction(Opcode.MASK_TRUE, selection, List.of(result), 0, 0));
            return new Program(List.of(DataType.UTF8), registers, instructions, selection, List.of());
        }

        // ---- instructions

        private void encode(Instruction instruction, int at) {
            int result = instruction.result();
            if (instruction.op() == Opcode.LOAD) {
                values[result] = in.get(instruction.immediate());
                return;
            }
            if (instruction.op() == Opcode.CONST) {
                Value value = new Value(program.valueType(result));
                value.constant = facts.slotValue(instruction.immediate());
                value.bounds = value.constant.value() instanceof Long number ? new long[] {number, number} : null;
                values[result] = value;
                return;
            }
            if (program.registers().get(result) instanceof RegisterType.Mask) {
                encodeMask(instruction, at);
                return;
            }
            Value value = new Value(program.valueType(result));
            value.uses = useOfValue[result];
            values[result] = value;
            if (conditions.containsKey(result)) {
                used(rows(instruction.mask()));
                value.condition = conditions.get(result);
                value.textInput = textOf(value.condition, result);
                return;
            }
            moveTo(rows(instruction.mask()));
            used(current);
            encodeValue(instruction, value);
        }

        private int textOf(Program condition, int result) {
            Set<Integer> parts = new HashSet<>();
            return in.get(textOnly(result, parts, -1)).input;
        }

        private Rows rows(int mask) {
            return rows[merged.getOrDefault(mask, mask)];
        }

        private void encodeMask(Instruction instruction, int at) {
            int result = instruction.result();
            Rows outer = rows(instruction.mask());
            Rows inner = new Rows(outer);
            inner.uses = useOfRows[result];
            for (Map.Entry<Integer, Integer> entry : merged.entrySet()) {
                inner.uses += entry.getValue() == result ? useOfRows[entry.getKey()] : 0;
            }
            if (rangeOf.containsKey(result)) {
                moveTo(outer);
                used(outer);
                spillRows();
                encodeRange(rangeOf.get(result), skipFlag(result, at));
            } else {
                narrow(instruction, outer, at);
            }
            rows[result] = inner;
            current = inner;
        }

        private void encodeRange(long[] range, int flags) {
            Value column = in.get((int) range[0]);
            if (range[1] > range[2]) {
                emit(VmOpcode.BOOL_CONST, 0, 2, 0, 0, 0);
                truth = null;
                emit(VmOpcode.FILTER_TRUE, flags, 0, 0, 0, 0);
                return;
            }
            if (isInHand(column) || isStored(column)) {
                bring(column);
                spillTruth();
                emit(VmOpcode.RANGE, 0, 0, constant(range[1]), constant(range[2]), 0);
                emit(VmOpcode.FILTER_TRUE, flags, 0, 0, 0, 0);
                return;
            }
            spillHand();
            fetched.merge(column.input, 1, Integer::sum);
            int number = column(column.input);
            emit(VmOpcode.LOAD_RANGE_I32, flags, number, constant(range[1]), constant(range[2]), 0);
            hand = column;
            handRows = current;
            if (column.slot < 0 && fetches.getOrDefault(column.input, 0) > 1) {
                store(column);
            }
        }

        private void narrow(Instruction instruction, Rows outer, int at) {
            switch (instruction.op()) {
                case MASK_TRUE, MASK_NOT_TRUE, MASK_NOT_FALSE -> {
                    Value argument = values[instruction.arguments().getFirst()];
                    moveTo(outer);
                    bringTruth(argument);
                    used(argument);
                    used(outer);
                    spillRows();
                    VmOpcode op =
                            switch (instruction.op()) {
                                case MASK_TRUE -> VmOpcode.FILTER_TRUE;
                                case MASK_NOT_TRUE -> VmOpcode.FILTER_NOT_TRUE;
                                default -> VmOpcode.FILTER_NOT_FALSE;
                            };
                    emit(op, skipFlag(instruction.result(), at), 0, 0, 0, 0);
                }
                case MASK_PRESENT -> {
                    Value argument = values[instruction.arguments().getFirst()];
                    moveTo(outer);
                    if (argument.isTruth()) {
                        bringTruth(argument);
                        used(argument);
                        spillTruth();
                        used(outer);
                        spillRows();
                        emit(VmOpcode.BOOL_IS_NULL, VmInstruction.NEGATE, 0, 0, 0, 0);
                        emit(VmOpcode.FILTER_TRUE, skipFlag(instruction.result(), at), 0, 0, 0, 0);
                    } else {
                        bring(argument);
                        used(argument);
                        used(outer);
                        spillRows();
                        emit(VmOpcode.FILTER_PRESENT, skipFlag(instruction.result(), at), 0, 0, 0, 0);
                    }
                }
                case MASK_MINUS -> {
                    Rows less = rows(instruction.arguments().getFirst());
                    if (less == current && less.slot < 0) {
                        less.slot = newMaskSlots(1);
                        emit(VmOpcode.MASK_STORE, 0, less.slot, 0, 0, 0);
                    }
                    moveTo(outer);
                    used(outer);
                    spillRows();
                    emit(VmOpcode.FILTER_MINUS, skipFlag(instruction.result(), at), less.slot, 0, 0, 0);
                    used(less);
                }
                default -> throw new NoKernel(noKernel(instruction.op()));
            }
        }

        /// SKIP, where all that follows acts on these rows or fewer.
        private int skipFlag(int mask, int at) {
            for (int next = at + 1; next < program.code().size(); next++) {
                Instruction instruction = program.code().get(next);
                if (isLive[instruction.result()] && !isDeferred(instruction) && !isWithin(instruction.mask(), mask)) {
                    return 0;
                }
            }
            return isWithin(program.selection(), mask) ? VmInstruction.SKIP : 0;
        }

        private boolean isWithin(int inner, int outer) {
            for (int mask = inner; mask != outer; mask = writer[mask].mask()) {
                if (mask == 0) {
                    return false;
                }
            }
            return true;
        }

        private Value argument(Instruction instruction, int index) {
            return values[instruction.arguments().get(index)];
        }

        private void encodeValue(Instruction instruction, Value value) {
            switch (instruction.op()) {
                case SELECT -> select(instruction, value);
                case AND, OR, EQ_BOOL, NE_BOOL -> connect(instruction, value);
                case NOT, IS_TRUE, IS_FALSE -> {
                    Value argument = argument(instruction, 0);
                    bringTruth(argument);
                    used(argument);
                    spillTruth();
                    emit(
                            switch (instruction.op()) {
                                case NOT -> VmOpcode.BOOL_NOT;
                                case IS_TRUE -> VmOpcode.BOOL_IS_TRUE;
                                default -> VmOpcode.BOOL_IS_FALSE;
                            });
                    takeTruth(value);
                }
                case IS_NULL, IS_NOT_NULL -> isNull(instruction, value);
                case EQ_INT16, EQ_INT32, EQ_INT64, EQ_DATE, EQ_TIMESTAMP, EQ_TIME, EQ_DECIMAL ->
                    compare("EQ", instruction, value);
                case NE_INT16, NE_INT32, NE_INT64, NE_DATE, NE_TIMESTAMP, NE_TIME, NE_DECIMAL ->
                    compare("NE", instruction, value);
                case LT_INT16, LT_INT32, LT_INT64, LT_DATE, LT_TIMESTAMP, LT_TIME, LT_DECIMAL ->
                    compare("LT", instruction, value);
                case LE_INT16, LE_INT32, LE_INT64, LE_DATE, LE_TIMESTAMP, LE_TIME, LE_DECIMAL ->
                    compare("LE", instruction, value);
                case GT_INT16, GT_INT32, GT_INT64, GT_DATE, GT_TIMESTAMP, GT_TIME, GT_DECIMAL ->
                    compare("GT", instruction, value);
                case GE_INT16, GE_INT32, GE_INT64, GE_DATE, GE_TIMESTAMP, GE_TIME, GE_DECIMAL ->
                    compare("GE", instruction, value);
                case EQ_FLOAT32,
                        NE_FLOAT32,
                        LT_FLOAT32,
                        LE_FLOAT32,
                        GT_FLOAT32,
                        GE_FLOAT32,
                        EQ_FLOAT64,
                        NE_FLOAT64,
                        LT_FLOAT64,
                        LE_FLOAT64,
                        GT_FLOAT64,
                        GE_FLOAT64 -> compareFloats(instruction, value);
                case ADD_INT16, ADD_INT32, ADD_INT64, ADD_DECIMAL ->
                    arithmetic(VmOpcode.ADD, VmOpcode.ADD, instruction, value);
                case SUB_INT16, SUB_INT32, SUB_INT64, SUB_DECIMAL ->
                    arithmetic(VmOpcode.SUBTRACT, VmOpcode.SUBTRACT_FROM, instruction, value);
                case MUL_INT16, MUL_INT32, MUL_INT64, MUL_DECIMAL ->
                    arithmetic(VmOpcode.MULTIPLY, VmOpcode.MULTIPLY, instruction, value);
                case DIV_INT16, DIV_INT32, DIV_INT64 -> arithmetic(VmOpcode.DIVIDE, null, instruction, value);
                case MOD_INT16, MOD_INT32, MOD_INT64, MOD_DECIMAL ->
                    arithmetic(VmOpcode.REMAINDER, null, instruction, value);
                case NEG_INT16, NEG_INT32, NEG_INT64, NEG_DECIMAL -> unary(VmOpcode.NEGATE, instruction, value);
                case ABS_INT16, ABS_INT32, ABS_INT64, ABS_DECIMAL -> unary(VmOpcode.ABSOLUTE, instruction, value);
                case NEG_FLOAT64 -> unary(VmOpcode.FLOAT_NEGATE, instruction, value);
                case ABS_FLOAT64 -> unary(VmOpcode.FLOAT_ABSOLUTE, instruction, value);
                case ADD_FLOAT64 -> floats(VmOpcode.FLOAT_ADD, instruction, value);
                case SUB_FLOAT64 -> floats(VmOpcode.FLOAT_SUBTRACT, instruction, value);
                case MUL_FLOAT64 -> floats(VmOpcode.FLOAT_MULTIPLY, instruction, value);
                case DIV_FLOAT64 -> floats(VmOpcode.FLOAT_DIVIDE, instruction, value);
                case ADD_DATE_INT32, SUB_DATE_INT32, SUB_DATE_DATE -> days(instruction, value);
                case EXTRACT_DATE -> extract(instruction, value);
                case CAST -> cast(instruction, value);
                default -> throw new NoKernel(noKernel(instruction.op()));
            }
        }

        private void select(Instruction instruction, Value value) {
            Rows first = rows(instruction.arguments().getFirst());
            Value inside = argument(instruction, 1);
            Value outside = argument(instruction, 2);
            value.isNullable = inside.isNullable
                    || outside.isNullable
                    || inside.constant != null && inside.constant.isNull()
                    || outside.constant != null && outside.constant.isNull();
            value.bounds = union(inside.bounds, outside.bounds);
            if (first == current) {
                first.slot = first.slot < 0 ? newMaskSlots(1) : first.slot;
                emit(VmOpcode.MASK_STORE, 0, first.slot, 0, 0, 0);
            }
            if (value.isTruth()) {
                if (!isStored(inside)) {
                    bringTruth(inside);
                    storeAgain(inside);
                }
                bringTruth(outside);
                used(outside);
                spillTruth();
                emit(VmOpcode.BOOL_SELECT, 0, inside.slot, first.slot, 0, 0);
                used(inside);
                used(first);
                takeTruth(value);
                return;
            }
            requireLane(value.type);
            Operand operand = operand(inside);
            bring(outside);
            used(outside);
            spillHand();
            emit(VmOpcode.SELECT, operand.flags(), 0, first.slot, operand.b(), operand.c());
            used(inside);
            used(first);
            take(value);
        }

        private void storeAgain(Value value) {
            value.slot = -1;
            storeTruth(value);
        }

        private void connect(Instruction instruction, Value value) {
            Value x = argument(instruction, 0);
            Value y = argument(instruction, 1);
            Value inHand = truth == y && !y.isFetched() && isStored(x) ? y : x;
            Value other = inHand == x ? y : x;
            if (!isStored(other)) {
                // What is fetched is fetched in the current rows: those of x, which are no fewer than y's.
                bringTruth(other);
                storeAgain(other);
            }
            bringTruth(inHand);
            used(inHand);
            spillTruth();
            VmOpcode op =
                    switch (instruction.op()) {
                        case AND -> VmOpcode.BOOL_AND;
                        case OR -> VmOpcode.BOOL_OR;
                        default -> VmOpcode.BOOL_EQUAL;
                    };
            int flags = instruction.op() == Opcode.NE_BOOL ? VmInstruction.NEGATE : 0;
            emit(op, flags, other.slot, 0, 0, 0);
            used(other);
            takeTruth(value);
        }

        private void isNull(Instruction instruction, Value value) {
            Value argument = argument(instruction, 0);
            int flags = instruction.op() == Opcode.IS_NOT_NULL ? VmInstruction.NEGATE : 0;
            if (argument.isTruth()) {
                bringTruth(argument);
                used(argument);
                spillTruth();
                emit(VmOpcode.BOOL_IS_NULL, flags, 0, 0, 0, 0);
            } else {
                bring(argument);
                used(argument);
                spillTruth();
                emit(VmOpcode.VALUE_IS_NULL, flags, 0, 0, 0, 0);
            }
            takeTruth(value);
        }

        private void compare(String relation, Instruction instruction, Value value) {
            compare(relation, argument(instruction, 0), argument(instruction, 1), value);
        }

        private void compare(String relation, Value x, Value y, Value value) {
            requireLane(x.type);
            Sides sides = sides(x, y, true);
            VmOpcode op =
                    switch (relation) {
                        case "EQ", "NE" -> VmOpcode.EQUAL;
                        case "LT", "GE" -> sides.isReversed() ? VmOpcode.LESS_EQUAL : VmOpcode.LESS;
                        default -> sides.isReversed() ? VmOpcode.LESS : VmOpcode.LESS_EQUAL;
                    };
            // x < y is "hand less than operand", or, with y in hand, "not (hand at most operand)".
            boolean isNegated =
                    switch (relation) {
                        case "EQ" -> false;
                        case "NE" -> true;
                        case "LT", "LE" -> sides.isReversed();
                        default -> !sides.isReversed();
                    };
            spillTruth();
            Value inHand = sides.isReversed() ? y : x;
            inHand.uses--;
            boolean isMasked = (sides.operand().flags() & VmInstruction.MASKED) != 0;
            if (isMasked) {
                spillHand(); // the instruction takes presence away from the value in hand
            }
            emit(
                    op,
                    sides.operand().flags() | (isNegated ? VmInstruction.NEGATE : 0),
                    0,
                    0,
                    sides.operand().b(),
                    sides.operand().c());
            inHand.uses++;
            used(x);
            used(y);
            takeTruth(value);
        }

        private void compareFloats(Instruction instruction, Value value) {
            Value x = ordered(argument(instruction, 0));
            Value y = ordered(argument(instruction, 1));
            compare(instruction.op().name().substring(0, 2), x, y, value);
        }

        /// A float as an integer of its order.
        private Value ordered(Value value) {
            boolean isDouble = value.type instanceof DataType.Float64;
            Value order = new Value(isDouble ? DataType.INT64 : DataType.INT32);
            order.uses = 1;
            order.isNullable = value.isNullable;
            if (value.constant != null && !value.constant.isNull()) {
                used(value);
                long number = isDouble ? order((Double) value.constant.value()) : order((Float) value.constant.value());
                order.constant = new Literal(order.type, number);
                return order;
            }
            bring(value);
            used(value);
            spillHand();
            emit(isDouble ? VmOpcode.FLOAT_ORDER : VmOpcode.FLOAT32_ORDER);
            take(order);
            return order;
        }

        private static long order(double value) {
            long bits = Double.doubleToLongBits(value);
            return bits < 0 ? -(bits & Long.MAX_VALUE) : bits;
        }

        private static long order(float value) {
            int bits = Float.floatToIntBits(value);
            return bits < 0 ? -(bits & Integer.MAX_VALUE) : bits;
        }

        private void arithmetic(VmOpcode op, VmOpcode reversed, Instruction instruction, Value value) {
            Value x = argument(instruction, 0);
            Value y = argument(instruction, 1);
            requireLane(value.type);
            Sides sides = sides(x, y, reversed != null);
            finish(x, y, value, sides, sides.isReversed() ? reversed : op, 0);
            checkWidth(value);
        }

        private void finish(Value x, Value y, Value value, Sides sides, VmOpcode op, int flags) {
            value.isNullable = x.isNullable
                    || y.isNullable
                    || x.constant != null && x.constant.isNull()
                    || y.constant != null && y.constant.isNull();
            Value inHand = sides.isReversed() ? y : x;
            inHand.uses--;
            spillHand();
            int scratch = op == VmOpcode.FLOAT_DIVIDE ? scratch() : 0;
            emit(
                    op,
                    sides.operand().flags() | flags,
                    0,
                    scratch,
                    sides.operand().b(),
                    sides.operand().c());
            inHand.uses++;
            used(x);
            used(y);
            take(value);
        }

        /// A slot with the values in hand, of use until the next instruction has run.
        private int scratch() {
            int slot = newSlot();
            emit(VmOpcode.VALUE_STORE, 0, 0, 0, slot, 0);
            slots.clear(slot);
            return slot;
        }

        /// Errors of types that are narrower than a lane.
        private void checkWidth(Value value) {
            if (value.type instanceof DataType.Int16) {
                emit(VmOpcode.CHECK, 0, 0, constant(Short.MIN_VALUE), constant(Short.MAX_VALUE), 0);
            } else if (value.type instanceof DataType.Int32 && laneBytes > INT32_LANE) {
                emit(VmOpcode.CHECK, 0, 0, constant(Integer.MIN_VALUE), constant(Integer.MAX_VALUE), 0);
            }
        }

        private void unary(VmOpcode op, Instruction instruction, Value value) {
            Value argument = argument(instruction, 0);
            requireLane(value.type);
            bring(argument);
            used(argument);
            spillHand();
            value.isNullable = argument.isNullable || argument.constant != null && argument.constant.isNull();
            emit(op);
            take(value);
            if (op == VmOpcode.NEGATE || op == VmOpcode.ABSOLUTE) {
                checkWidth(value);
            }
        }

        private void floats(VmOpcode operation, Instruction instruction, Value value) {
            Value x = argument(instruction, 0);
            Value y = argument(instruction, 1);
            Sides sides = sides(x, y, true);
            finish(x, y, value, sides, operation, sides.isReversed() ? VmInstruction.NEGATE : 0);
        }

        private void days(Instruction instruction, Value value) {
            Value x = argument(instruction, 0);
            Value y = argument(instruction, 1);
            bring(x);
            emit(VmOpcode.CHECK_FINITE_DATE);
            if (instruction.op() == Opcode.SUB_DATE_DATE) {
                bring(y);
                emit(VmOpcode.CHECK_FINITE_DATE);
            }
            boolean isSum = instruction.op() == Opcode.ADD_DATE_INT32;
            Sides sides = sides(x, y, true);
            VmOpcode op = isSum ? VmOpcode.ADD : sides.isReversed() ? VmOpcode.SUBTRACT_FROM : VmOpcode.SUBTRACT;
            finish(x, y, value, sides, op, 0);
            if (value.type instanceof DataType.Date) {
                emit(VmOpcode.CHECK, 0, 0, constant(FIRST_DAY), constant(LAST_DAY), 0);
            } else {
                checkWidth(value);
            }
        }

        private void extract(Instruction instruction, Value value) {
            DateField field = DateField.of(instruction.immediate());
            Value argument = argument(instruction, 0);
            long[] days = argument.bounds;
            value.bounds = switch (field) {
                case YEAR ->
                    days == null
                            ? null
                            : new long[] {
                                java.time.LocalDate.ofEpochDay(days[0]).getYear() - 1,
                                java.time.LocalDate.ofEpochDay(days[1]).getYear()
                            };
                case QUARTER -> new long[] {1, 4};
                case MONTH -> new long[] {1, 12};
                case DAY -> new long[] {1, 31};
                case DOW -> new long[] {0, 6};
                case ISODOW -> new long[] {1, 7};
                case DOY -> new long[] {1, 366};
                default -> throw new NoKernel("extract of " + field + " has no CUDA kernel");
            };
            bring(argument);
            used(argument);
            spillHand();
            value.isNullable = argument.isNullable || argument.constant != null && argument.constant.isNull();
            emit(VmOpcode.DATE_FIELD, 0, field.ordinal(), 0, 0, 0);
            take(value);
        }

        private void cast(Instruction instruction, Value value) {
            Value argument = argument(instruction, 0);
            DataType from = argument.type;
            DataType to = value.type;
            int fromScale = scale(from);
            int toScale = scale(to);
            boolean isExact = fromScale >= 0 && toScale >= 0;
            boolean isToDouble = to instanceof DataType.Float64 && fromScale >= 0 && fromScale <= MAX_POWER;
            if (!isExact && !isToDouble) {
                throw new NoKernel("cast from " + from + " to " + to + " has no CUDA kernel");
            }
            bring(argument);
            used(argument);
            spillHand();
            value.isNullable = argument.isNullable || argument.constant != null && argument.constant.isNull();
            if (isToDouble) {
                if (fromScale > 0 || from instanceof DataType.Decimal) {
                    // Both are exact then, and the quotient is rounded once.
                    emit(VmOpcode.CHECK, 0, 0, constant(-EXACT_DOUBLE), constant(EXACT_DOUBLE), 0);
                }
                emit(VmOpcode.TO_FLOAT);
                if (fromScale > 0) {
                    int power = constant(Double.doubleToLongBits(Math.pow(10, fromScale)));
                    emit(VmOpcode.FLOAT_DIVIDE, VmInstruction.IMMEDIATE, 0, scratch(), power, 0);
                }
            } else {
                rescale(fromScale, toScale);
                checkCast(from, to);
                value.bounds = fromScale == toScale ? argument.bounds : null;
            }
            take(value);
        }

        private void rescale(int from, int to) {
            int difference = Math.abs(to - from);
            if (difference > NARROW_DIGITS) {
                throw new NoKernel("a cast over " + difference + " digits has no CUDA kernel");
            }
            long power = (long) Math.pow(10, difference);
            if (to > from) {
                emit(VmOpcode.MULTIPLY, VmInstruction.IMMEDIATE, 0, 0, constant(power), 0);
            } else if (to < from) {
                emit(VmOpcode.DIVIDE_ROUNDED, 0, 0, constant(power), 0, 0);
            }
        }

        private void checkCast(DataType from, DataType to) {
            switch (to) {
                case DataType.Int16 _ ->
                    emit(VmOpcode.CHECK, 0, 0, constant(Short.MIN_VALUE), constant(Short.MAX_VALUE), 0);
                case DataType.Int32 _
                when !(from instanceof DataType.Int16) && laneBytes > INT32_LANE ->
                    emit(VmOpcode.CHECK, 0, 0, constant(Integer.MIN_VALUE), constant(Integer.MAX_VALUE), 0);
                case DataType.Decimal(int precision, int _)
                when precision <= NARROW_DIGITS -> {
                    long most = (long) Math.pow(10, precision) - 1;
                    emit(VmOpcode.CHECK, 0, 0, constant(-most), constant(most), 0);
                }
                default -> {}
            }
        }

        /// Digits after the point, or -1 for what is no exact number.
        private static int scale(DataType type) {
            return switch (type) {
                case DataType.Int16 _, DataType.Int32 _, DataType.Int64 _ -> 0;
                case DataType.Decimal(int _, int digits) -> digits;
                default -> -1;
            };
        }

        private static long[] union(long[] one, long[] other) {
            return one == null || other == null
                    ? null
                    : new long[] {Math.min(one[0], other[0]), Math.max(one[1], other[1])};
        }
    }

    static String noKernel(Opcode op) {
        return op.name().toLowerCase(java.util.Locale.ROOT) + " has no CUDA kernel";
    }

    // ---- joins

    private List<Value> join(int number, List<Value> outputs) {
        Join join = pipeline.joins().get(number);
        BuildSide build = facts.build(number);
        checkJoin(join, build);
        Value key = outputs.get(join.keys().getFirst());
        boolean drops = join.kind() == JoinKind.INNER || join.kind() == JoinKind.SEMI;
        boolean hasPayload = !join.payload().isEmpty();
        boolean needsRows = hasPayload && joinsAskedForRows.contains(number);
        boolean isHashed = build != null && !build.isDense();
        requireKey(key.type);
        TableUse use = !hasPayload && !isHashed
                ? new TableUse.KeySet(number)
                : !needsRows && hasPayload && !isHashed
                        ? new TableUse.KeyDigits(number)
                        : new TableUse.KeyRows(number, isHashed);
        boolean isPlain = key.input >= 0
                && !key.isNullable
                && drops
                && !isHashed
                && !isInHand(key)
                && !isStored(key)
                && fetches.getOrDefault(key.input, 0) <= 1
                && facts.physical(key.input) == Physical.I32;
        Rows inner = new Rows(current);
        if (isPlain) {
            spillHand();
            fetched.merge(key.input, 1, Integer::sum);
            VmOpcode op = use instanceof TableUse.KeySet ? VmOpcode.LOAD_TEST_I32 : VmOpcode.LOAD_PROBE_I32;
            emit(op, VmInstruction.SKIP, column(key.input), table(use), 0, 0);
        } else {
            bring(key);
            spillTruth();
            VmOpcode op =
                    switch (use.kind()) {
                        case BITS -> VmOpcode.TEST_BITS;
                        case HASH -> VmOpcode.PROBE_HASH;
                        case DENSE, ARRAY_64, GROUPS -> VmOpcode.PROBE_DENSE;
                    };
            spillHand();
            emit(op, 0, table(use), 0, 0, 0);
        }
        boolean keepsMisses = join.kind() == JoinKind.LEFT;
        if (keepsMisses) {
            emit(VmOpcode.TAKE_FOUND);
        }
        Value row = new Value(DataType.INT32);
        row.isNullable = keepsMisses;
        if (hasPayload) {
            hand = row;
            row.uses = OTHERS;
        } else {
            hand = null;
        }
        List<Value> next = new ArrayList<>();
        join.carried().forEach(carried -> next.add(outputs.get(carried)));
        if (join.kind() == JoinKind.MARK) {
            Value mark = new Value(DataType.BOOL);
            // A key that is NULL matches nothing: false, not NULL.
            emit(VmOpcode.BOOL_IS_TRUE);
            mark.uses = OTHERS;
            takeTruth(mark);
            next.add(mark);
        } else {
            truth = null;
        }
        if (!isPlain && drops) {
            emit(VmOpcode.FILTER_TRUE, VmInstruction.SKIP, 0, 0, 0, 0);
        } else if (join.kind() == JoinKind.ANTI) {
            emit(VmOpcode.FILTER_NOT_TRUE, VmInstruction.SKIP, 0, 0, 0, 0);
        }
        current = drops || join.kind() == JoinKind.ANTI ? inner : current;
        if (hasPayload) {
            handRows = current;
            store(row);
            rowOf.put(number, row);
            hand = row;
        }
        int place = next.size();
        Program after = pipeline.programs().get(number + 1);
        for (int column : join.payload()) {
            Value payload = new Value(after.inputs().get(place++));
            payload.join = number;
            payload.payload = column;
            payload.isNullable = keepsMisses || build != null && build.hasNulls(column);
            payload.bounds = build == null ? new long[] {0, 1} : build.bounds(column);
            next.add(payload);
        }
        return next;
    }

    private static void checkJoin(Join join, BuildSide build) {
        switch (join.kind()) {
            case INNER, LEFT, SEMI, ANTI, MARK -> {}
            case RIGHT, FULL, RIGHT_SEMI, RIGHT_ANTI, MARK_IN ->
                throw new NoKernel("a "
                        + join.kind().name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ')
                        + " join has no CUDA kernel");
        }
        if (join.residual() != null) {
            throw new NoKernel("a join with a condition beside equal keys has no CUDA kernel");
        }
        if (join.keys().size() != 1) {
            throw new NoKernel("a join of " + join.keys().size() + " columns has no CUDA kernel");
        }
        boolean multiplies = join.kind() == JoinKind.INNER || join.kind() == JoinKind.LEFT;
        if (build != null && multiplies && !build.isUnique()) {
            throw new NoKernel("a join with several matches a row has no CUDA kernel");
        }
    }

    private static void requireKey(DataType type) {
        switch (type) {
            case DataType.Int16 _,
                    DataType.Int32 _,
                    DataType.Int64 _,
                    DataType.Date _,
                    DataType.Time _,
                    DataType.Timestamp _ -> {}
            default -> throw new NoKernel("a join by " + type + " has no CUDA kernel");
        }
    }

    // ---- aggregates

    private long aggregate(List<Value> outputs) {
        current.uses = 0;
        Value group = sink.keys().isEmpty() ? null : group(outputs);
        boolean isGrouped = group != null;
        List<Integer> order = new ArrayList<>();
        for (int call = 0; call < sink.calls().size(); call++) {
            order.add(call);
            calls.add(null);
        }
        // Rows are counted with the first sum of values that are always there.
        int counting = -1;
        for (int call = 0; isGrouped && call < sink.calls().size() && counting < 0; call++) {
            AggregateCall candidate = sink.calls().get(call);
            boolean isSum = candidate.kind() == AggregateKind.SUM || candidate.kind() == AggregateKind.AVG;
            if (isSum && candidate.filter() < 0) {
                Value argument = outputs.get(candidate.argument());
                boolean isNarrow = argument.type instanceof DataType.Int16 || argument.type instanceof DataType.Int32;
                counting = isNarrow && !argument.isNullable ? call : -1;
            }
        }
        if (counting < 0) {
            count(group, 0, false);
        }
        Rows all = current;
        Map<List<Object>, CallWords> known = new HashMap<>();
        counts.clear();
        for (int number : order) {
            AggregateCall call = sink.calls().get(number);
            List<Object> same = List.of(
                    call.kind() == AggregateKind.AVG ? AggregateKind.SUM : call.kind(),
                    call.arguments(),
                    call.filter());
            CallWords found = known.get(same);
            if (found != null) {
                calls.set(number, new CallWords(call, found.count(), found.value(), found.isWide()));
                continue;
            }
            if (call.filter() >= 0) {
                all.uses = OTHERS;
                spillRows();
                Value filter = outputs.get(call.filter());
                bringTruth(filter);
                emit(VmOpcode.FILTER_TRUE);
                current = new Rows(all);
            }
            CallWords made = call(call, outputs, group, number == counting);
            known.put(same, made);
            calls.set(number, made);
            if (call.filter() >= 0) {
                emit(VmOpcode.MASK_LOAD, 0, all.slot, 0, 0, 0);
                current = all;
            }
        }
        long groups = isHashed ? tableSlots : 1;
        for (GroupKey key : isHashed ? List.<GroupKey>of() : keys) {
            groups *= key.values();
        }
        if (groups * words > MAX_GROUP_WORDS) {
            throw new NoKernel("groups that may have " + groups + " values have no CUDA kernel");
        }
        if (!isGrouped && words > VmProgram.MAX_OWN_WORDS) {
            throw new NoKernel("so many aggregates at a time have no CUDA kernel");
        }
        return groups;
    }

    private int newWords(int count, int kind) {
        int word = words;
        words += count;
        if (keys.isEmpty() && words <= VmProgram.MAX_OWN_WORDS) {
            for (int at = word; at < words; at++) {
                wordKinds |= (long) kind << 2 * at;
            }
        }
        return word;
    }

    private void count(Value group, int word, boolean present) {
        aggregate(VmOpcode.OWN_COUNT, VmOpcode.GROUP_COUNT, group, present ? VmInstruction.VALID : 0, word, 0);
    }

    private void aggregate(VmOpcode own, VmOpcode grouped, Value group, int flags, int word, int k) {
        if (group == null) {
            emit(own, flags, k, word, 0, 0);
        } else {
            emit(grouped, flags, k, word, group.slot, 0);
        }
    }

    private CallWords call(AggregateCall call, List<Value> outputs, Value group, boolean isCounting) {
        if (call.kind() == AggregateKind.COUNT_STAR) {
            if (call.filter() < 0) {
                return new CallWords(call, 0, -1, false);
            }
            int word = newWords(1, VmProgram.REDUCE_ADD);
            count(group, word, false);
            return new CallWords(call, word, -1, false);
        }
        switch (call.kind()) {
            case COUNT, SUM, AVG, MIN, MAX, BOOL_AND, BOOL_OR, BIT_AND, BIT_OR, BIT_XOR -> {}
            default ->
                throw new NoKernel(call.kind().name().toLowerCase(java.util.Locale.ROOT) + " has no CUDA kernel");
        }
        Value argument = outputs.get(call.argument());
        boolean isNull = argument.constant != null && argument.constant.isNull();
        boolean isAlways = !argument.isNullable && !isNull && !argument.isTruth();
        if (call.kind() == AggregateKind.COUNT && isAlways && call.filter() < 0) {
            return new CallWords(call, 0, -1, false);
        }
        if (argument.isTruth()) {
            return truthCall(call, argument, group);
        }
        if (call.kind() != AggregateKind.COUNT) {
            checkCall(call, argument.type);
        }
        bring(argument);
        int count = 0;
        if (!isAlways || call.filter() >= 0) {
            List<Integer> counted = List.of(call.argument(), call.filter());
            count = counts.getOrDefault(counted, 0);
            if (count == 0) {
                count = newWords(1, VmProgram.REDUCE_ADD);
                count(group, count, true);
                counts.put(counted, count);
            }
        }
        switch (call.kind()) {
            case COUNT -> {
                return new CallWords(call, count, -1, false);
            }
            case SUM, AVG -> {
                boolean isWide = !(argument.type instanceof DataType.Int16 || argument.type instanceof DataType.Int32);
                int word = newWords(isWide ? 2 : 1, VmProgram.REDUCE_ADD);
                if (isWide) {
                    aggregate(VmOpcode.OWN_WIDE_SUM, VmOpcode.GROUP_WIDE_SUM, group, 0, word, 0);
                } else {
                    VmOpcode grouped = isCounting ? VmOpcode.GROUP_SUM_COUNT : VmOpcode.GROUP_SUM;
                    aggregate(VmOpcode.OWN_SUM, grouped, group, 0, word, 0);
                }
                return new CallWords(call, count, word, isWide);
            }
            case MIN, MAX -> {
                int word = newWords(1, VmProgram.REDUCE_MAX);
                int flags = call.kind() == AggregateKind.MIN ? VmInstruction.NEGATE : 0;
                aggregate(VmOpcode.OWN_BEST, VmOpcode.GROUP_BEST, group, flags, word, 0);
                return new CallWords(call, count, word, false);
            }
            default -> {
                boolean isXor = call.kind() == AggregateKind.BIT_XOR;
                int word = newWords(1, isXor ? VmProgram.REDUCE_XOR : VmProgram.REDUCE_OR);
                int flags = call.kind() == AggregateKind.BIT_AND ? VmInstruction.NEGATE : 0;
                aggregate(VmOpcode.OWN_BITS, VmOpcode.GROUP_BITS, group, flags, word, isXor ? 1 : 0);
                return new CallWords(call, count, word, false);
            }
        }
    }

    private CallWords truthCall(AggregateCall call, Value argument, Value group) {
        List<Integer> counted = List.of(call.argument(), call.filter());
        int known = counts.getOrDefault(counted, 0);
        if (known > 0) {
            return new CallWords(call, known, known, false);
        }
        bringTruth(argument);
        int word = newWords(2, VmProgram.REDUCE_ADD);
        counts.put(counted, word);
        aggregate(VmOpcode.OWN_COUNT_TRUTH, VmOpcode.GROUP_COUNT_TRUTH, group, 0, word, 0);
        return new CallWords(call, word, word, false);
    }

    private static void checkCall(AggregateCall call, DataType type) {
        boolean isKnown =
                switch (type) {
                    case DataType.Int16 _, DataType.Int32 _, DataType.Int64 _, DataType.Decimal _ -> true;
                    case DataType.Date _, DataType.Time _, DataType.Timestamp _ ->
                        call.kind() == AggregateKind.MIN || call.kind() == AggregateKind.MAX;
                    default -> false;
                };
        if (!isKnown) {
            throw new NoKernel(
                    call.kind().name().toLowerCase(java.util.Locale.ROOT) + " of " + type + " has no CUDA kernel");
        }
    }

    // ---- groups

    private Value group(List<Value> outputs) {
        List<Value> columns = new ArrayList<>();
        long numbers = 1;
        for (int output : sink.keys()) {
            Value column = outputs.get(output);
            GroupKey key = key(column);
            columns.add(column);
            keys.add(key);
            strides.add(0L);
            if (key.values() < 1 || key.values() > MAX_NUMBERS / numbers) {
                throw new NoKernel("groups of so many values have no CUDA kernel");
            }
            numbers *= key.values();
        }
        setStrides(columns);
        isHashed = numbers > MAX_GROUP_WORDS / mostWords();
        if (isHashed && laneBytes == INT32_LANE) {
            throw new WiderLanes();
        }
        Value group = null;
        Set<Integer> joins = new HashSet<>();
        for (int index = 0; index < columns.size(); index++) {
            Value column = columns.get(index);
            if (column.join < 0) {
                digit(column, keys.get(index), strides.get(index));
            } else if (joins.add(column.join)) {
                joinDigits(column.join);
            } else {
                continue;
            }
            if (group != null) {
                emit(VmOpcode.ADD, 0, 0, 0, group.slot, 0);
                emit(VmOpcode.VALUE_STORE, 0, 0, 0, group.slot, 0);
            } else {
                group = new Value(DataType.INT32);
                group.uses = OTHERS;
                take(group);
                store(group);
            }
            hand = null;
        }
        if (isHashed) {
            tableSlots = slotsFor(Math.min(numbers, facts.rowCount()));
            emit(VmOpcode.GROUP_FIND, 0, table(new TableUse.Groups(tableSlots)), group.slot, 0, 0);
        }
        return group;
    }

    /// Digits of build sides are the lower ones: their tables hold int32.
    private void setStrides(List<Value> columns) {
        long stride = 1;
        for (boolean isOfBuild : new boolean[] {true, false}) {
            for (int index = 0; index < columns.size(); index++) {
                if (columns.get(index).join >= 0 == isOfBuild) {
                    strides.set(index, stride);
                    stride *= keys.get(index).values();
                }
            }
            if (isOfBuild && stride > Integer.MAX_VALUE) {
                throw new NoKernel("groups by so many values of build sides have no CUDA kernel");
            }
        }
    }

    /// Words that a group may come to have.
    private int mostWords() {
        return 1 + 3 * sink.calls().size();
    }

    /// Twice as many as there may be groups, as far as cells have room.
    private int slotsFor(long groups) {
        long most = Long.highestOneBit(MAX_GROUP_WORDS / mostWords());
        return (int) Math.clamp(Long.highestOneBit(Math.max(1, groups)) * 4, MIN_SLOTS, Math.max(MIN_SLOTS, most));
    }

    private GroupKey key(Value column) {
        boolean isNullable = column.isNullable || column.constant != null && column.constant.isNull();
        if (column.join >= 0) {
            BuildSide build = facts.build(column.join);
            boolean needsNull = pipeline.joins().get(column.join).kind() == JoinKind.LEFT;
            return new GroupKey.OfBuild(
                    column.join,
                    column.payload,
                    column.type,
                    build == null ? BuildSide.Numbering.HOPED_FOR : build.numbering(column.payload, needsNull));
        }
        if (column.isTruth()) {
            return new GroupKey.Truth(3, 2);
        }
        if (column.type instanceof DataType.Utf8) {
            if (column.input < 0) {
                throw new NoKernel("grouping by computed text has no CUDA kernel");
            }
            var dictionary = facts.dictionary(column.input);
            int size = dictionary == null ? 1 : dictionary.size();
            return new GroupKey.Codes(dictionary, size + 1, size);
        }
        requireLane(column.type);
        boolean isInteger =
                switch (column.type) {
                    case DataType.Float32 _, DataType.Float64 _, DataType.Decimal _ -> false;
                    default -> true;
                };
        long[] bounds = column.bounds != null ? column.bounds : bounds(column.type);
        if (!isInteger || bounds == null) {
            throw new NoKernel("grouping by " + column.type + " of unknown range has no CUDA kernel");
        }
        long width = bounds[1] - bounds[0];
        if (width < 0 || width >= MAX_NUMBERS) {
            throw new NoKernel("grouping by " + column.type + " of so wide a range has no CUDA kernel");
        }
        long values = width + 1;
        return new GroupKey.Range(column.type, bounds[0], isNullable ? values + 1 : values, isNullable ? values : -1);
    }

    /// All that a type holds, or null where that is too much.
    private static long[] bounds(DataType type) {
        return switch (type) {
            case DataType.Int16 _ -> new long[] {Short.MIN_VALUE, Short.MAX_VALUE};
            case DataType.Int32 _, DataType.Date _ -> new long[] {Integer.MIN_VALUE, Integer.MAX_VALUE};
            default -> null;
        };
    }

    /// A key's number times its stride, in hand.
    private void digit(Value column, GroupKey key, long stride) {
        if (column.isTruth()) {
            truthDigit(column);
        } else {
            bring(column);
            spillHand();
            if (key instanceof GroupKey.Range range) {
                long numbers = range.nullNumber() < 0 ? range.values() : range.values() - 1;
                emit(VmOpcode.CHECK, 0, 0, constant(range.least()), constant(range.least() + numbers - 1), 0);
                if (range.least() != 0) {
                    emit(VmOpcode.SUBTRACT, VmInstruction.IMMEDIATE, 0, 0, constant(range.least()), 0);
                }
            }
            if (key.nullNumber() >= 0) {
                emit(VmOpcode.VALUE_OR, 0, 0, constant(key.nullNumber()), 0, 0);
            }
        }
        if (stride != 1) {
            emit(VmOpcode.MULTIPLY, VmInstruction.IMMEDIATE, 0, 0, constant(stride), 0);
        }
    }

    /// 0 for false, 1 for true, 2 for NULL.
    private void truthDigit(Value column) {
        int slot = column.slot;
        if (!isStored(column)) {
            bringTruth(column);
            slot = newMaskSlots(2);
            emit(VmOpcode.BOOL_STORE, 0, slot, 0, 0, 0);
        }
        spillHand();
        emit(VmOpcode.VALUE_LOAD, VmInstruction.IMMEDIATE, 0, 0, constant(2), 0);
        emit(VmOpcode.SELECT, VmInstruction.IMMEDIATE, 0, slot, constant(1), 0);
        emit(VmOpcode.SELECT, VmInstruction.IMMEDIATE, 0, slot + 1, constant(0), 0);
    }

    private void joinDigits(int join) {
        Value row = rowOf.get(join);
        if (hand != row) {
            spillHand();
            emit(VmOpcode.VALUE_LOAD, row.valid >= 0 ? VmInstruction.VALID : 0, 0, 0, row.slot, Math.max(row.valid, 0));
        }
        hand = null;
        boolean isHashed = facts.build(join) != null && !facts.build(join).isDense();
        if (joinsAskedForRows.contains(join) || isHashed) {
            emit(VmOpcode.GATHER_I32, 0, table(new TableUse.RowDigits(join)), 0, 0, 0);
        }
        if (pipeline.joins().get(join).kind() == JoinKind.LEFT) {
            long missing = 0;
            for (int key = 0; key < keys.size(); key++) {
                if (keys.get(key) instanceof GroupKey.OfBuild of && of.join() == join) {
                    missing += (long) Math.max(of.nullNumber(), 0) * strides.get(key);
                }
            }
            emit(VmOpcode.VALUE_OR, 0, 0, constant(missing), 0, 0);
        }
    }

    // ---- several steps in one

    /// MULTIPLY whose result is only added up.
    private void fuse() {
        for (int at = 0; at + 1 < code.size(); at++) {
            VmInstruction product = code.get(at);
            VmInstruction sum = code.get(at + 1);
            boolean isLast = at + 2 >= code.size() || !usesHand(code.get(at + 2));
            if (product.op() == VmOpcode.MULTIPLY && sum.op() == VmOpcode.OWN_SUM && isLast) {
                code.set(
                        at,
                        new VmInstruction(
                                VmOpcode.OWN_MULTIPLY_SUM, product.flags(), 0, sum.a(), product.b(), product.c()));
                code.remove(at + 1);
            }
        }
    }

    /// Whether an instruction may read the values in hand.
    private static boolean usesHand(VmInstruction instruction) {
        return switch (instruction.op()) {
            case END,
                    MASK_LOAD,
                    MASK_STORE,
                    VALUE_LOAD,
                    VALUE_NULL,
                    LOAD_BOOL,
                    LOAD_U8,
                    LOAD_U16,
                    LOAD_I16,
                    LOAD_I32,
                    LOAD_I64 -> false;
            default -> true;
        };
    }
}
