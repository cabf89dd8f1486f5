package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.vm.Physical;
import dev.quarrel.cuda.vm.VmInstruction;
import dev.quarrel.cuda.vm.VmOpcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Joins: a key is looked up in a table that is made of the build side.
final class JoinEncoder {
    private final Pipeline pipeline;
    private final Facts facts;
    private final ProgramWriter code;
    private final Hand hand;
    private final Usage known;
    private final Usage seen;

    JoinEncoder(Encoding encoding) {
        this.pipeline = encoding.pipeline();
        this.facts = encoding.facts();
        this.code = encoding.code();
        this.hand = encoding.hand();
        this.known = encoding.known();
        this.seen = encoding.seen();
    }

    /// Writes the lookup of a join's keys.
    ///
    /// @return inputs of the program after it
    List<Value> encode(int number, List<Value> outputs) {
        Join join = pipeline.joins().get(number);
        BuildSide build = facts.build(number);
        checkJoin(join, build);
        Value key = outputs.get(join.keys().getFirst());
        boolean drops = join.kind() == JoinKind.INNER || join.kind() == JoinKind.SEMI;
        boolean hasPayload = !join.payload().isEmpty();
        boolean needsRows = hasPayload && known.asksForRows(number);
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
                && !hand.isInHand(key)
                && !hand.isStored(key)
                && known.fetches(key.input) <= 1
                && facts.physical(key.input) == Physical.I32;
        Rows inner = new Rows(hand.rows);
        if (isPlain) {
            hand.spillValue();
            seen.fetch(key.input);
            VmOpcode op = use instanceof TableUse.KeySet ? VmOpcode.LOAD_TEST_I32 : VmOpcode.LOAD_PROBE_I32;
            code.emit(op, VmInstruction.SKIP, code.column(key.input), code.table(use), 0, 0);
        } else {
            hand.bring(key);
            hand.spillTruth();
            VmOpcode op =
                    switch (use.kind()) {
                        case BITS -> VmOpcode.TEST_BITS;
                        case HASH -> VmOpcode.PROBE_HASH;
                        case DENSE, ARRAY_64, GROUPS -> VmOpcode.PROBE_DENSE;
                    };
            hand.spillValue();
            code.emit(op, 0, code.table(use), 0, 0, 0);
        }
        boolean keepsMisses = join.kind() == JoinKind.LEFT;
        if (keepsMisses) {
            code.emit(VmOpcode.TAKE_FOUND);
        }
        Value row = new Value(DataType.INT32);
        row.isNullable = keepsMisses;
        if (hasPayload) {
            hand.value = row;
            row.uses = Value.OTHERS;
        } else {
            hand.value = null;
        }
        List<Value> next = new ArrayList<>();
        join.carried().forEach(carried -> next.add(outputs.get(carried)));
        if (join.kind() == JoinKind.MARK) {
            Value mark = new Value(DataType.BOOL);
            // A key that is NULL matches nothing: false, not NULL.
            code.emit(VmOpcode.BOOL_IS_TRUE);
            mark.uses = Value.OTHERS;
            hand.takeTruth(mark);
            next.add(mark);
        } else {
            hand.truth = null;
        }
        if (!isPlain && drops) {
            code.emit(VmOpcode.FILTER_TRUE, VmInstruction.SKIP, 0, 0, 0, 0);
        } else if (join.kind() == JoinKind.ANTI) {
            code.emit(VmOpcode.FILTER_NOT_TRUE, VmInstruction.SKIP, 0, 0, 0, 0);
        }
        hand.rows = drops || join.kind() == JoinKind.ANTI ? inner : hand.rows;
        if (hasPayload) {
            hand.take(row);
        }
        int place = next.size();
        Program after = pipeline.programs().get(number + 1);
        for (int column : join.payload()) {
            Value payload = new Value(after.inputs().get(place++));
            payload.join = number;
            payload.row = row;
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
                        + join.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ')
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
}
