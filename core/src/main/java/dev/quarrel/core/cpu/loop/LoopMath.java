package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.column.LittleEndian;
import dev.quarrel.core.cpu.number.RowErrors;
import java.lang.foreign.ValueLayout;

/// The small methods that compiled loops call and the JIT inlines. Their errors are those of the interpreter.
public final class LoopMath {
    public static final ValueLayout.OfShort INT16 = LittleEndian.INT16;
    public static final ValueLayout.OfInt INT32 = LittleEndian.INT32;
    public static final ValueLayout.OfLong INT64 = LittleEndian.INT64;

    private LoopMath() {}

    static int add(int x, int y) {
        return exact((long) x + y);
    }

    static int subtract(int x, int y) {
        return exact((long) x - y);
    }

    static int multiply(int x, int y) {
        return exact((long) x * y);
    }

    static int negate(int x) {
        return exact(-(long) x);
    }

    private static int exact(long value) {
        if (value != (int) value) {
            throw RowErrors.outOfRange("integer");
        }
        return (int) value;
    }

    static int addShort(int x, int y) {
        return exactShort(x + y);
    }

    static int subtractShort(int x, int y) {
        return exactShort(x - y);
    }

    static int multiplyShort(int x, int y) {
        return exactShort(x * y);
    }

    private static int exactShort(int value) {
        if (value != (short) value) {
            throw RowErrors.outOfRange("smallint");
        }
        return value;
    }

    static long add(long x, long y) {
        long sum = x + y;
        if (((x ^ sum) & (y ^ sum)) < 0) {
            throw RowErrors.outOfRange("bigint");
        }
        return sum;
    }

    static long subtract(long x, long y) {
        long difference = x - y;
        if (((x ^ y) & (x ^ difference)) < 0) {
            throw RowErrors.outOfRange("bigint");
        }
        return difference;
    }

    static long multiply(long x, long y) {
        long low = x * y;
        if (Math.multiplyHigh(x, y) != low >> 63) {
            throw RowErrors.outOfRange("bigint");
        }
        return low;
    }

    static long negate(long x) {
        if (x == Long.MIN_VALUE) {
            throw RowErrors.outOfRange("bigint");
        }
        return -x;
    }

    /// Adds to a 128-bit sum: its low word at `at`, its high one after it.
    static void addWide(long[] states, int at, long value) {
        long before = states[at];
        long after = before + value;
        states[at] = after;
        states[at + 1] += (value >> 63) + (Long.compareUnsigned(after, before) < 0 ? 1 : 0);
    }
}
