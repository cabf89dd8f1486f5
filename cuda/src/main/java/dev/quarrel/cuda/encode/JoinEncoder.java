package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.vm.ColumnForm;
import dev.quarrel.cuda.vm.TableKind;
import dev.quarrel.cuda.vm.VmInstruction;
import dev.quarrel.cuda.vm.VmOpcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Joins: a key is looked up in a table that is made of the build side. Where a row has several matches, what
/// follows is gone through once for each.
final class JoinEncoder {
    /// Matches of all rows at most: words of sums have room for them, and no launch takes too long.
    private static final double MAX_MATCHES = 1L << 31;

    private final Encoding encoding;
    private final Pipeline pipeline;
    private final Facts facts;
    private final ProgramWriter code;
    private final SlotAllocator slots;
    private final Hand hand;
    private final Usage known;
    private final Usage seen;
    private double turns = 1; // that a tile may take

    /// @param first its first instruction
    /// @param row slot of the build row
    /// @param rows mask slot of the rows that it is gone through for
    record Loop(int join, int first, int row, int rows) {}

    JoinEncoder(Encoding encoding) {
        this.encoding = encoding;
        this.pipeline = encoding.pipeline();
        this.facts = encoding.facts();
        this.code = encoding.code();
        this.slots = encoding.slots();
        this.hand = encoding.hand();
        this.known = encoding.known();
        this.seen = encoding.seen();
    }

    /// Writes the lookup of a join's keys, and its condition.
    ///
    /// @return inputs of the program after it
    List<Value> encode(int number, List<Value> outputs) {
        Join join = pipeline.joins().get(number);
        BuildSide build = facts.build(number);
        checkJoin(join, build);
        join.keys().forEach(key -> requireKey(outputs.get(key).type));
        boolean multiplies = multiplies(join) && build != null && !build.isUnique();
        boolean hasPayload = !join.payload().isEmpty();
        boolean hasCondition = join.residual() != null;
        boolean hasRow = hasPayload || hasCondition || multiplies;
        if (multiplies) {
            seen.askForRows(number);
        }
        TableUse use = table(number, hasRow, build);
        Rows outer = hand.rows;
        boolean returns = hasCondition && (join.kind() == JoinKind.LEFT || join.kind() == JoinKind.ANTI);
        boolean drops = join.kind() == JoinKind.INNER || join.kind() == JoinKind.SEMI || returns;
        Value key = join.keys().size() == 1 ? outputs.get(join.keys().getFirst()) : packedKey(join, build, outputs);
        if (returns) {
            outer.uses++;
            hand.spillRows();
        }
        probe(key, use, drops, returns ? 0 : hand.skip());
        boolean keepsMisses = join.kind() == JoinKind.LEFT;
        if (keepsMisses && !returns) {
            code.emit(VmOpcode.TAKE_FOUND);
        }
        Value row = new Value(DataType.INT32);
        row.isNullable = keepsMisses && !returns;
        row.uses = hasRow ? Value.OTHERS : 0;
        List<Value> next = new ArrayList<>();
        join.carried().forEach(carried -> next.add(outputs.get(carried)));
        hand.truth = null;
        if (join.kind() == JoinKind.MARK) {
            Value mark = new Value(DataType.BOOL);
            // A key that is NULL matches nothing: false, not NULL.
            code.emit(VmOpcode.BOOL_IS_TRUE);
            mark.uses = Value.OTHERS;
            hand.takeTruth(mark);
            next.add(mark);
        } else if (join.kind() == JoinKind.ANTI && !hasCondition) {
            code.emit(VmOpcode.FILTER_NOT_TRUE, hand.skip(), 0, 0, 0, 0);
        }
        boolean narrows = drops || join.kind() == JoinKind.ANTI;
        hand.rows = narrows || multiplies ? new Rows(outer) : outer;
        hand.value = null;
        if (hasRow) {
            hand.take(row);
        }
        if (multiplies) {
            loop(number, row);
        }
        if (hasCondition) {
            boolean isLooped = hand.isLooped;
            hand.isLooped |= returns;
            condition(number, join, row, outputs);
            hand.isLooped = isLooped;
        }
        if (returns) {
            putBack(join, row, outer);
        }
        int place = next.size();
        Program after = pipeline.programs().get(number + 1);
        for (int column : join.payload()) {
            next.add(payload(number, column, row, after.inputs().get(place++), keepsMisses));
        }
        return next;
    }

    /// Writes the ends of loops, the innermost first, behind what the last program's outputs are for.
    static void finish(Encoding encoding) {
        ProgramWriter code = encoding.code();
        for (Loop loop : encoding.hand().loops.reversed()) {
            int next = code.table(new TableUse.NextRow(loop.join()));
            code.emit(VmOpcode.NEXT_MATCH, 0, next, loop.first(), loop.row(), loop.rows());
        }
    }

    private static boolean multiplies(Join join) {
        return join.kind() == JoinKind.INNER || join.kind() == JoinKind.LEFT;
    }

    private TableUse table(int number, boolean hasRow, BuildSide build) {
        boolean isHashed = build != null && !build.isDense();
        if (!hasRow && !isHashed) {
            return new TableUse.KeySet(number);
        }
        return hasRow && !known.asksForRows(number) && !isHashed
                ? new TableUse.KeyDigits(number)
                : new TableUse.KeyRows(number, isHashed);
    }

    /// The entry of a key into the hand, and the rows that have one where others are dropped.
    private void probe(Value key, TableUse use, boolean drops, int skip) {
        boolean isPlain = key.input >= 0
                && !key.isNullable
                && drops
                && use.kind() != TableKind.HASH
                && !hand.isInHand(key)
                && !hand.isStored(key)
                && known.fetches(key.input) <= 1
                && facts.form(key.input).physical().isFused();
        if (isPlain) {
            hand.spillValue();
            hand.spillTruth();
            seen.fetch(key.input);
            ColumnForm form = facts.form(key.input);
            boolean isSet = use instanceof TableUse.KeySet;
            VmOpcode op =
                    switch (form.physical()) {
                        case I8 -> isSet ? VmOpcode.LOAD_TEST_I8 : VmOpcode.LOAD_PROBE_I8;
                        case I16 -> isSet ? VmOpcode.LOAD_TEST_I16 : VmOpcode.LOAD_PROBE_I16;
                        case I24 -> isSet ? VmOpcode.LOAD_TEST_I24 : VmOpcode.LOAD_PROBE_I24;
                        default -> isSet ? VmOpcode.LOAD_TEST_I32 : VmOpcode.LOAD_PROBE_I32;
                    };
            TableUse ofStored = form.base() == 0 ? use : new TableUse.Shifted(use, form.base());
            code.emit(op, skip, code.column(key.input), code.table(ofStored), 0, 0);
            return;
        }
        hand.bring(key);
        hand.spillTruth();
        VmOpcode op =
                switch (use.kind()) {
                    case BITS -> VmOpcode.TEST_BITS;
                    case HASH -> VmOpcode.PROBE_HASH;
                    case DENSE, ARRAY_64, GROUPS, TEXTS -> VmOpcode.PROBE_DENSE;
                };
        hand.spillValue();
        code.emit(op, 0, code.table(use), 0, 0, 0);
        if (drops) {
            code.emit(VmOpcode.FILTER_TRUE, skip, 0, 0, 0, 0);
        }
    }

    /// Several keys as one number, in hand: as [BuildSide] numbers them.
    private Value packedKey(Join join, BuildSide build, List<Value> outputs) {
        Value packed = null;
        for (int place = 0; place < join.keys().size(); place++) {
            Value column = outputs.get(join.keys().get(place));
            BuildSide.KeyRange range = build == null ? BuildSide.KeyRange.HOPED_FOR : build.keyRange(place);
            long outside = range.least() + range.values();
            long most = outside - range.least();
            boolean isNarrow = outside == (int) outside
                    && range.least() == (int) range.least()
                    && (most + 1) * range.stride() <= Integer.MAX_VALUE;
            if (!isNarrow && code.laneBytes() == Lanes.NARROW) {
                throw new WiderLanes();
            }
            hand.bring(column);
            hand.spillTruth();
            hand.spillValue();
            if (range.values() > 0) {
                code.emit(VmOpcode.RANGE, 0, 0, code.constant(range.least()), code.constant(outside - 1), 0);
            } else {
                code.emit(VmOpcode.BOOL_CONST, 0, 2, 0, 0, 0);
            }
            int within = slots.newMaskSlots(2);
            code.emit(VmOpcode.BOOL_STORE, 0, within, 0, 0, 0);
            // What is outside has a digit that no build row has.
            code.emit(VmOpcode.SELECT, VmInstruction.IMMEDIATE, 0, within + 1, code.constant(outside), 0);
            slots.freeMasks(within, 2);
            if (range.least() != 0) {
                code.emit(VmOpcode.SUBTRACT, VmInstruction.IMMEDIATE, 0, 0, code.constant(range.least()), 0);
            }
            if (range.stride() != 1) {
                code.emit(VmOpcode.MULTIPLY, VmInstruction.IMMEDIATE, 0, 0, code.constant(range.stride()), 0);
            }
            Value sum = new Value(code.laneBytes() == Lanes.NARROW ? DataType.INT32 : DataType.INT64);
            sum.isNullable = column.isNullable || column.constant != null && column.constant.isNull();
            if (packed != null) {
                Operand before = hand.operand(packed);
                code.emit(VmOpcode.ADD, before.flags(), 0, 0, before.b(), before.c());
                sum.isNullable |= packed.isNullable;
                hand.used(packed);
            }
            sum.uses = place + 1 < join.keys().size() ? 1 : 0;
            hand.take(sum);
            packed = sum;
        }
        return packed;
    }

    private void loop(int number, Value row) {
        turns *= facts.build(number).mostMatches();
        if (turns * facts.rowCount() > MAX_MATCHES) {
            throw new NoKernel("a join of so many matches has no CUDA kernel");
        }
        hand.spillValue(); // the row
        int rows = slots.newMaskSlots(1);
        code.emit(VmOpcode.MASK_STORE, 0, rows, 0, 0, 0);
        hand.loops.add(new Loop(number, code.next(), row.slot, rows));
        hand.isLooped = true;
    }

    private Value payload(int number, int column, Value row, DataType type, boolean isNullable) {
        BuildSide build = facts.build(number);
        Value payload = new Value(type);
        payload.join = number;
        payload.row = row;
        payload.payload = column;
        payload.isNullable = isNullable || build != null && build.hasNulls(column);
        payload.bounds = build == null ? new long[] {0, 1} : build.bounds(column);
        return payload;
    }

    /// Leaves the rows whose match satisfies the condition.
    private void condition(int number, Join join, Value row, List<Value> outputs) {
        Join.Residual residual = join.residual();
        List<Value> inputs = new ArrayList<>();
        residual.carried().forEach(carried -> inputs.add(outputs.get(carried)));
        for (int column : residual.payload()) {
            inputs.add(payload(number, column, row, residual.program().inputs().get(inputs.size()), false));
        }
        new BodyEncoder(encoding, residual.program(), inputs).run();
    }

    /// Goes back to all rows before the join, from those that have a match: LEFT keeps them, ANTI those without.
    private void putBack(Join join, Value row, Rows outer) {
        int matches = slots.newMaskSlots(1);
        code.emit(VmOpcode.MASK_STORE, 0, matches, 0, 0, 0);
        code.emit(VmOpcode.MASK_LOAD, 0, outer.slot, 0, 0, 0);
        hand.leave(outer);
        if (join.kind() == JoinKind.ANTI) {
            code.emit(VmOpcode.FILTER_MINUS, hand.skip(), matches, 0, 0, 0);
            slots.freeMasks(matches, 1);
            hand.rows = new Rows(outer);
            hand.used(outer);
        } else {
            row.isNullable = true;
            row.valid = matches;
        }
    }

    private static void checkJoin(Join join, BuildSide build) {
        switch (join.kind()) {
            case INNER, LEFT, SEMI, ANTI, MARK -> {}
            case RIGHT, FULL, RIGHT_SEMI, RIGHT_ANTI, MARK_IN ->
                throw new NoKernel("a "
                        + join.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ')
                        + " join has no CUDA kernel");
        }
        if (join.keys().isEmpty()) {
            throw new NoKernel("a join without equal keys has no CUDA kernel");
        }
        if (join.nearest() != null) {
            throw new NoKernel("an ASOF join has no CUDA kernel");
        }
        if (join.range() != null) {
            throw new NoKernel("a join by a range has no CUDA kernel");
        }
        if (join.residual() != null && join.kind() == JoinKind.MARK) {
            throw new NoKernel("a mark join with a condition beside equal keys has no CUDA kernel");
        }
        if (join.residual() != null && join.kind() != JoinKind.INNER && build != null && !build.isUnique()) {
            throw new NoKernel("a " + join.kind().name().toLowerCase(Locale.ROOT)
                    + " join with a condition and several build rows of a key has no CUDA kernel");
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
}
