package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.type.DataType;

/// A register's value, and where it is.
final class Value {
    /// Uses of a value that others may ask for.
    static final int OTHERS = 1 << 20;

    final DataType type;
    int input = -1;
    Literal constant;
    int join = -1;
    int payload;
    Value row; // of the build side, whose payload it is
    boolean isNullable;
    int slot = -1; // of values, or the first of two mask slots
    int valid = -1; // mask slot
    Rows storedIn; // where it was computed, of what is fetched
    int uses;
    Value text; // the column that a condition on text is of
    Program condition;
    TextCondition test; // of text without a dictionary
    long[] bounds; // or null; statistics may be wrong
    long[] sure; // bounds that no row is beyond, or null
    long step = 1; // all values are this far apart, or multiples of it, from the least bound on
    int follows = -1; // the input that its values ascend with, or fall

    Value(DataType type) {
        this.type = type;
    }

    boolean isFetched() {
        return input >= 0 || constant != null || join >= 0 || condition != null || test != null;
    }

    boolean isTruth() {
        return type instanceof DataType.Bool;
    }

    /// Bounds that no row is beyond, or null.
    long[] sureBounds() {
        return switch (type) {
            case DataType.Int16 _ -> sure != null ? sure : new long[] {Short.MIN_VALUE, Short.MAX_VALUE};
            case DataType.Int32 _, DataType.Date _ ->
                sure != null ? sure : new long[] {Integer.MIN_VALUE, Integer.MAX_VALUE};
            default -> sure;
        };
    }

    /// Bounds of what is one or the other; null where unknown.
    static long[] union(long[] one, long[] other) {
        return one == null || other == null
                ? null
                : new long[] {Math.min(one[0], other[0]), Math.max(one[1], other[1])};
    }
}
