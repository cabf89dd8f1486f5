package dev.quarrel.core.cpu.text;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.collate.Utf8;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.Relation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Arrays;

/// The functions of text, for one row at a time. Characters are code points; case is ASCII's, as under collation
/// "C".
///
/// - Source: PostgreSQL's `varlena.c` and `oracle_compat.c`.
public final class TextFunctions {
    private static final int WORK_BETWEEN_CHECKS = 1 << 20;

    private TextFunctions() {}

    public static void length(Arguments in, Vector out, int row) {
        TextReader text = in.text(0);
        ((IntVector) out).values()[row] = Utf8.count(text.bytes, text.start, text.end());
    }

    public static void upper(Arguments in, Vector out, int row) {
        TextReader text = in.text(0);
        TextVector result = (TextVector) out;
        int place = result.begin(row, text.length);
        byte[] from = text.bytes;
        byte[] to = result.buffer();
        int start = text.start;
        int length = text.length;
        for (int index = 0; index < length; index++) {
            to[place + index] = Utf8.upper(from[start + index]);
        }
    }

    public static void lower(Arguments in, Vector out, int row) {
        TextReader text = in.text(0);
        TextVector result = (TextVector) out;
        int place = result.begin(row, text.length);
        byte[] from = text.bytes;
        byte[] to = result.buffer();
        int start = text.start;
        int length = text.length;
        for (int index = 0; index < length; index++) {
            to[place + index] = Utf8.lower(from[start + index]);
        }
    }

    public static void reverse(Arguments in, Vector out, int row) {
        TextReader text = in.text(0);
        TextVector result = (TextVector) out;
        int place = result.begin(row, text.length);
        int end = text.end();
        while (end > text.start) {
            int last = Utf8.previous(text.bytes, text.start, end);
            System.arraycopy(text.bytes, last, result.buffer(), place, end - last);
            place += end - last;
            end = last;
        }
    }

    public static void concat(Arguments in, Vector out, int row) {
        TextReader a = in.text(0);
        TextReader b = in.text(1);
        TextVector result = (TextVector) out;
        int place = result.begin(row, TextVector.checkedLength((long) a.length + b.length));
        System.arraycopy(a.bytes, a.start, result.buffer(), place, a.length);
        System.arraycopy(b.bytes, b.start, result.buffer(), place + a.length, b.length);
    }

    public static void substring(Arguments in, Vector out, int row) {
        int from = in.int32(1);
        int length = in.int32(2);
        if (length < 0) {
            throw new QueryException(SqlState.SUBSTRING_ERROR, "negative substring length not allowed");
        }
        between(in.text(0), Math.max(from, 1), (long) from + length, (TextVector) out, row);
    }

    public static void substringFrom(Arguments in, Vector out, int row) {
        between(in.text(0), Math.max(in.int32(1), 1), Long.MAX_VALUE, (TextVector) out, row);
    }

    /// Characters [from, end), 1-based.
    private static void between(TextReader text, long from, long end, TextVector out, int row) {
        int start = Utf8.skip(text.bytes, text.start, text.end(), from - 1);
        int stop = end <= from ? start : Utf8.skip(text.bytes, start, text.end(), end - from);
        out.append(row, text.bytes, start, stop - start);
    }

    public static void left(Arguments in, Vector out, int row) {
        TextReader text = in.text(0);
        long count = in.int32(1);
        if (count < 0) {
            count += Utf8.count(text.bytes, text.start, text.end());
        }
        int stop = Utf8.skip(text.bytes, text.start, text.end(), count);
        ((TextVector) out).append(row, text.bytes, text.start, stop - text.start);
    }

    public static void right(Arguments in, Vector out, int row) {
        TextReader text = in.text(0);
        long count = in.int32(1);
        // PostgreSQL turns the sign in 32 bits: the least number keeps it, and nothing is left out.
        long skipped = count == Integer.MIN_VALUE
                ? 0
                : count < 0 ? -count : Utf8.count(text.bytes, text.start, text.end()) - count;
        int start = Utf8.skip(text.bytes, text.start, text.end(), skipped);
        ((TextVector) out).append(row, text.bytes, start, text.end() - start);
    }

    public static void trim(boolean atStart, boolean atEnd, Arguments in, Vector out, int row) {
        TextReader text = in.text(0);
        TextReader set = in.text(1);
        int start = text.start;
        int end = text.end();
        long work = 0;
        while (atStart && start < end && contains(set, text.bytes, start, Utf8.width(text.bytes[start]))) {
            start += Utf8.width(text.bytes[start]);
            work = checked(work, set);
        }
        while (atEnd && start < end) {
            int last = Utf8.previous(text.bytes, start, end);
            if (!contains(set, text.bytes, last, end - last)) {
                break;
            }
            end = last;
            work = checked(work, set);
        }
        ((TextVector) out).append(row, text.bytes, start, end - start);
    }

    /// The work of a trim with one more character looked for in the set; looks now and then whether it is still wanted.
    private static long checked(long work, TextReader set) {
        if (work + set.length < WORK_BETWEEN_CHECKS) {
            return work + set.length;
        }
        Cancellation.checkCurrent();
        return 0;
    }

    private static boolean contains(TextReader set, byte[] bytes, int start, int width) {
        int index = set.start;
        while (index < set.end()) {
            int candidate = Utf8.width(set.bytes[index]);
            if (candidate == width && Utf8.regionMatches(set.bytes, index, bytes, start, width)) {
                return true;
            }
            index += candidate;
        }
        return false;
    }

    public static void replace(Arguments in, Vector out, int row) {
        TextReader text = in.text(0);
        TextReader from = in.text(1);
        TextReader to = in.text(2);
        TextVector result = (TextVector) out;
        int end = text.end();
        int found =
                from.length == 0 ? -1 : Utf8.indexOf(text.bytes, text.start, end, from.bytes, from.start, from.length);
        if (found < 0) {
            result.append(row, text.bytes, text.start, text.length);
            return;
        }
        result.begin(row, 0);
        int copied = text.start;
        while (found >= 0) {
            result.extend(row, text.bytes, copied, found - copied);
            result.extend(row, to.bytes, to.start, to.length);
            copied = found + from.length;
            found = Utf8.indexOf(text.bytes, copied, end, from.bytes, from.start, from.length);
        }
        result.extend(row, text.bytes, copied, end - copied);
    }

    public static void position(Arguments in, Vector out, int row) {
        TextReader text = in.text(0);
        TextReader part = in.text(1);
        int found = Utf8.indexOf(text.bytes, text.start, text.end(), part.bytes, part.start, part.length);
        ((IntVector) out).values()[row] = found < 0 ? 0 : Utf8.count(text.bytes, text.start, found) + 1;
    }

    /// "Less" or "equal" of the first two arguments, before `flip`.
    public static void compare(Relation relation, Arguments in, Vector out, int row) {
        TextReader a = in.text(relation.swaps ? 1 : 0);
        TextReader b = in.text(relation.swaps ? 0 : 1);
        boolean holds;
        if (relation.isEquality) {
            holds = a.length == b.length && Arrays.equals(a.bytes, a.start, a.end(), b.bytes, b.start, b.end());
        } else {
            holds = Arrays.compareUnsigned(a.bytes, a.start, a.end(), b.bytes, b.start, b.end()) < 0;
        }
        Bits.set(((BoolVector) out).bits(), row, holds == (relation.flip == 0));
    }
}
