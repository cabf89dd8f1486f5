package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.vm.VmInstruction;
import dev.quarrel.cuda.vm.VmOpcode;
import dev.quarrel.cuda.vm.VmProgram;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Groups: each row's number is made of digits, one a key.
final class GroupEncoder {
    /// Words of all groups' cells at most.
    static final long MAX_GROUP_WORDS = 1L << 24;

    /// Numbers of groups at most: they and the mark of a free slot fit 64 bits.
    private static final long MAX_NUMBERS = 1L << 62;

    private static final int MIN_SLOTS = 1 << 6;

    /// Where joins let less of the rows through, those do not wait for each other in device memory.
    private static final double LEAST_FOR_BLOCKS = 1.0 / 16;

    private final Sink.Aggregate sink;
    private final Pipeline pipeline;
    private final Facts facts;
    private final ProgramWriter code;
    private final SlotAllocator slots;
    private final Hand hand;
    private final Usage known;
    private final List<GroupKey> keys = new ArrayList<>();
    private final List<Long> strides = new ArrayList<>();
    private boolean isHashed;
    private int tableSlots;
    private int mostWords;
    private int split = -1;
    private boolean isClustered = true;

    GroupEncoder(Encoding encoding) {
        this.pipeline = encoding.pipeline();
        this.facts = encoding.facts();
        this.code = encoding.code();
        this.slots = encoding.slots();
        this.hand = encoding.hand();
        this.known = encoding.known();
        this.sink = (Sink.Aggregate) encoding.pipeline().sink();
    }

    /// Writes the number of each row's group.
    ///
    /// @return where it is: a slot has it
    Value encode(List<Value> outputs) {
        List<Value> columns = new ArrayList<>();
        mostWords = AggregateEncoder.mostWords(sink, outputs);
        for (int output : sink.keys()) {
            Value column = outputs.get(output);
            columns.add(column);
            isClustered = isClustered && column.follows >= 0 && facts.isClustered(column.follows);
            keys.add(key(column));
            strides.add(0L);
        }
        long numbers = numbers();
        setStrides(columns);
        isHashed = numbers > MAX_GROUP_WORDS / mostWords;
        if (isHashed && code.laneBytes() == Lanes.NARROW) {
            throw new WiderLanes();
        }
        Set<Integer> joins = new HashSet<>();
        Value group = slotOfDigits(columns, joins);
        for (int index : order(columns)) {
            Value column = columns.get(index);
            if (column.join < 0) {
                digit(column, keys.get(index), strides.get(index));
            } else if (joins.add(column.join)) {
                joinDigits(column.join, column.row);
            } else {
                continue;
            }
            if (group != null) {
                code.emit(VmOpcode.ADD, VmInstruction.SURE, 0, 0, group.slot, 0);
                code.emit(VmOpcode.VALUE_STORE, 0, 0, 0, group.slot, 0);
            } else {
                group = new Value(DataType.INT32);
                group.uses = Value.OTHERS;
                hand.take(group);
                hand.store(group);
            }
            hand.value = null;
        }
        if (isHashed) {
            tableSlots = slotsFor(Math.min(numbers, facts.rowCount()));
            code.emit(VmOpcode.GROUP_FIND, 0, code.table(new TableUse.Groups(tableSlots)), group.slot, 0, 0);
        } else if (fitBlock(numbers)) {
            split = slots.newMaskSlots(VmProgram.SPLIT_SLOTS);
            code.emit(VmOpcode.BLOCK_SPLIT, 0, 0, 0, group.slot, split);
        }
        return group;
    }

    /// Whether blocks have cells for so many groups.
    private boolean fitBlock(long numbers) {
        int words = known.cellWords();
        return words > 0
                && words <= VmProgram.MAX_OWN_WORDS
                && numbers * words * Long.BYTES <= facts.blockBytes()
                && passing() >= LEAST_FOR_BLOCKS;
    }

    /// Which part of the rows joins let through, as far as their keys tell; while they are not known, none.
    private double passing() {
        double passing = 1;
        for (int join = 0; join < pipeline.joins().size(); join++) {
            BuildSide build = facts.build(join);
            double found =
                    build == null ? 0 : build.isDense() ? (double) build.keyedRows() / Math.max(1, build.width()) : 1;
            passing *= switch (pipeline.joins().get(join).kind()) {
                case INNER, SEMI -> Math.min(1, found);
                default -> 1;
            };
        }
        return passing;
    }

    /// The mask slots by which rows are split into groups; -1 where blocks have no cells of groups.
    int split() {
        return split;
    }

    /// Whether most rows near each other are of one group.
    boolean isClustered() {
        return isClustered;
    }

    /// A slot that has the digits of a join and nothing that is needed beside; null if there is none.
    ///
    /// @param done joins whose digits need not be added any more
    private Value slotOfDigits(List<Value> columns, Set<Integer> done) {
        for (Value column : columns) {
            // Digits are added to it, which must not happen twice.
            boolean isThere = !hand.isLooped
                    && column.join >= 0
                    && column.row.slot >= 0
                    && !isHashed(column.join)
                    && !known.asksForRows(column.join)
                    && pipeline.joins().get(column.join).kind() != JoinKind.LEFT;
            if (isThere) {
                done.add(column.join);
                Value group = new Value(DataType.INT32);
                group.uses = Value.OTHERS;
                group.slot = column.row.slot;
                if (hand.value == column.row) {
                    hand.value = null;
                }
                return group;
            }
        }
        return null;
    }

    /// Numbers of the columns, that first whose digits are in hand.
    private List<Integer> order(List<Value> columns) {
        List<Integer> order = new ArrayList<>();
        for (int index = 0; index < columns.size(); index++) {
            if (columns.get(index).join >= 0 && columns.get(index).row == hand.value) {
                order.addFirst(index);
            } else {
                order.add(index);
            }
        }
        return order;
    }

    private boolean isHashed(int join) {
        return facts.build(join) != null && !facts.build(join).isDense();
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

    /// How many numbers there are. Where they are too many, the values of wide ranges are numbered as they come.
    private long numbers() {
        while (true) {
            long numbers = 1;
            for (GroupKey key : keys) {
                numbers = key.values() < 1 || key.values() > MAX_NUMBERS / numbers
                        ? MAX_NUMBERS + 1
                        : numbers * key.values();
                if (numbers > MAX_NUMBERS) {
                    break;
                }
            }
            if (numbers <= MAX_NUMBERS) {
                return numbers;
            }
            int widest = -1;
            for (int index = 0; index < keys.size(); index++) {
                boolean isWider = keys.get(index) instanceof GroupKey.Range range
                        && range.values() > slotsFor(facts.rowCount()) + 2L
                        && (widest < 0 || range.values() > keys.get(widest).values());
                widest = isWider ? index : widest;
            }
            if (widest < 0) {
                throw new NoKernel("groups of so many values have no CUDA kernel");
            }
            keys.set(widest, found(widest, ((GroupKey.Range) keys.get(widest)).type()));
        }
    }

    private GroupKey found(int column, DataType type) {
        if (code.laneBytes() == Lanes.NARROW) {
            throw new WiderLanes();
        }
        return new GroupKey.Found(column, type, slotsFor(facts.rowCount()));
    }

    /// Twice as many as there may be groups, as far as cells have room.
    private int slotsFor(long groups) {
        long most = Long.highestOneBit(MAX_GROUP_WORDS / mostWords - 2);
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
        Lanes.require(column.type);
        boolean isInteger =
                switch (column.type) {
                    case DataType.Float32 _, DataType.Float64 _, DataType.Decimal _ -> false;
                    default -> true;
                };
        long[] bounds = column.bounds != null ? column.bounds : bounds(column.type);
        if (!isInteger || bounds == null || bounds[1] - bounds[0] < 0 || bounds[1] - bounds[0] >= MAX_NUMBERS) {
            return found(keys.size(), column.type);
        }
        long values = (bounds[1] - bounds[0]) / column.step + 1;
        return new GroupKey.Range(
                column.type, bounds[0], column.step, isNullable ? values + 1 : values, isNullable ? values : -1);
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
            hand.used(column);
        } else {
            hand.bring(column);
            hand.used(column);
            hand.spillValue();
            if (key instanceof GroupKey.Found found) {
                numberValues(found);
                multiply(stride);
                return;
            }
            if (key instanceof GroupKey.Range range) {
                long numbers = range.nullNumber() < 0 ? range.values() : range.values() - 1;
                long greatest = range.least() + (numbers - 1) * range.step();
                long[] sure = column.sureBounds();
                if (sure == null || sure[0] < range.least() || sure[1] > greatest) {
                    code.emit(VmOpcode.CHECK, 0, 0, code.constant(range.least()), code.constant(greatest), 0);
                }
                if (range.least() != 0) {
                    code.emit(
                            VmOpcode.SUBTRACT,
                            VmInstruction.IMMEDIATE | VmInstruction.SURE,
                            0,
                            0,
                            code.constant(range.least()),
                            0);
                }
                if (range.step() != 1) {
                    code.emit(VmOpcode.DIVIDE, VmInstruction.IMMEDIATE, 0, 0, code.constant(range.step()), 0);
                }
            }
            if (key.nullNumber() >= 0) {
                code.emit(VmOpcode.VALUE_OR, 0, 0, code.constant(key.nullNumber()), 0, 0);
            }
        }
        multiply(stride);
    }

    private void multiply(long stride) {
        if (stride != 1) {
            code.emit(VmOpcode.MULTIPLY, VmInstruction.IMMEDIATE | VmInstruction.SURE, 0, 0, code.constant(stride), 0);
        }
    }

    /// Values in hand become numbers by a table on the device.
    private void numberValues(GroupKey.Found key) {
        if (key.type() instanceof DataType.Float64) {
            code.emit(VmOpcode.FLOAT_ORDER);
        } else if (key.type() instanceof DataType.Float32) {
            code.emit(VmOpcode.FLOAT32_ORDER);
        }
        int slot = hand.scratch();
        code.emit(VmOpcode.GROUP_KEY, 0, code.table(new TableUse.Keys(key.column(), key.slots())), slot, 0, 0);
    }

    /// 0 for false, 1 for true, 2 for NULL.
    private void truthDigit(Value column) {
        int slot = column.slot;
        if (!hand.isStored(column)) {
            hand.bringTruth(column);
            slot = slots.newMaskSlots(2);
            code.emit(VmOpcode.BOOL_STORE, 0, slot, 0, 0, 0);
        }
        hand.spillValue();
        code.emit(VmOpcode.VALUE_LOAD, VmInstruction.IMMEDIATE, 0, 0, code.constant(2), 0);
        code.emit(VmOpcode.SELECT, VmInstruction.IMMEDIATE, 0, slot, code.constant(1), 0);
        code.emit(VmOpcode.SELECT, VmInstruction.IMMEDIATE, 0, slot + 1, code.constant(0), 0);
    }

    private void joinDigits(int join, Value row) {
        if (hand.value != row) {
            hand.spillValue();
            code.emit(
                    VmOpcode.VALUE_LOAD,
                    row.valid >= 0 ? VmInstruction.VALID : 0,
                    0,
                    0,
                    row.slot,
                    Math.max(row.valid, 0));
        } else if (known.asksForRows(join)) {
            hand.spillValue();
        }
        hand.value = null;
        if (known.asksForRows(join) || isHashed(join)) {
            code.emit(VmOpcode.GATHER_I32, 0, code.table(new TableUse.RowDigits(join)), 0, 0, 0);
        }
        if (pipeline.joins().get(join).kind() == JoinKind.LEFT) {
            long missing = 0;
            for (int key = 0; key < keys.size(); key++) {
                if (keys.get(key) instanceof GroupKey.OfBuild of && of.join() == join) {
                    missing += (long) Math.max(of.nullNumber(), 0) * strides.get(key);
                }
            }
            code.emit(VmOpcode.VALUE_OR, 0, 0, code.constant(missing), 0, 0);
        }
    }

    List<GroupKey> keys() {
        return List.copyOf(keys);
    }

    /// What a key's number counts in the number of the group.
    List<Long> strides() {
        return List.copyOf(strides);
    }

    /// Whether the number of a group is looked up in a table.
    boolean isHashed() {
        return isHashed;
    }

    /// How many groups have cells.
    ///
    /// - Errors: [NoKernel] where they are too many.
    ///
    /// @param words of a group
    long count(int words) {
        long count = isHashed ? tableSlots : 1;
        for (GroupKey key : isHashed ? List.<GroupKey>of() : keys) {
            count *= key.values();
        }
        if (count * words > MAX_GROUP_WORDS) {
            throw new NoKernel("groups that may have " + count + " values have no CUDA kernel");
        }
        return count;
    }
}
