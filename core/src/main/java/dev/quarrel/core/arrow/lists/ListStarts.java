package dev.quarrel.core.arrow.lists;

import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.type.QueryException;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/// Where each list of a column begins among its elements, and the last one ends: as a file has it, list after list.
///
/// - Memory: a view of the file's numbers, which are taken out in blocks.
public final class ListStarts {
    /// So many numbers stay in a processor's nearest memory while something is made of them.
    static final int BLOCK = 2048;

    private static final int MAX_ELEMENTS = Integer.MAX_VALUE - 64;

    private final MemorySegment stored; // null for lists of one length
    private final int width;
    private final int rowCount;
    private final int before;
    private final long[] wide; // of a block; null where they are not
    private final Supplier<QueryException> wrong;

    /// @param stored a number more than lists; null for lists of one length, and for no lists
    /// @param width of a number, 4 or 8 bytes; or -n for lists of n elements each
    /// @param wrong what is raised where they do not ascend from 0, or lead too far
    public ListStarts(MemorySegment stored, int width, int rowCount, Supplier<QueryException> wrong) {
        this(stored, width, rowCount, 0, wrong);
    }

    private ListStarts(MemorySegment stored, int width, int rowCount, int before, Supplier<QueryException> wrong) {
        this.stored = stored;
        this.width = width;
        this.rowCount = rowCount;
        this.before = before;
        this.wrong = wrong;
        this.wide = stored != null && width == Long.BYTES ? new long[BLOCK] : null;
    }

    int rowCount() {
        return rowCount;
    }

    public int first() {
        return one(0);
    }

    /// Where the last list ends.
    int end() {
        return one(rowCount);
    }

    private int one(int row) {
        int[] taken = new int[1];
        take(row, 1, taken, 0);
        return taken[0];
    }

    /// The same where the first elements are left out. None of these may be in a list.
    public ListStarts from(int element) {
        return element == 0 ? this : new ListStarts(stored, width, rowCount, before + element, wrong);
    }

    /// All of them.
    public int[] all() {
        int[] all = new int[rowCount + 1];
        for (int row = 0; row <= rowCount; row += BLOCK) {
            int again = row == 0 ? 0 : 1; // the last one of the block before, with which it is compared
            take(row - again, Math.min(BLOCK, rowCount + 1 - row) + again, all, row - again);
        }
        return all;
    }

    /// Takes the numbers of some rows.
    ///
    /// @param row up to the number of lists, for which there is an end
    /// @param count at most a number more than a block
    void take(int row, int count, int[] to, int at) {
        if (stored == null) {
            for (int index = 0; index < count; index++) {
                to[at + index] = inRange((row + (long) index) * -width) - before;
            }
            return;
        }
        if (width == Integer.BYTES) {
            MemorySegment.copy(stored, INT32, row * 4L, to, at, count);
        } else {
            takeWide(row, count, to, at);
        }
        int outside = to[at] | MAX_ELEMENTS - to[at + count - 1];
        for (int index = at; index < at + count - 1; index++) {
            outside |= to[index + 1] | to[index + 1] - to[index];
        }
        if (outside < 0) {
            throw wrong.get();
        }
        for (int index = at; before > 0 && index < at + count; index++) {
            to[index] = Math.max(0, to[index] - before);
        }
    }

    private void takeWide(int row, int count, int[] to, int at) {
        for (int done = 0; done < count; done += BLOCK) {
            int some = Math.min(BLOCK, count - done);
            MemorySegment.copy(stored, INT64, (row + done) * 8L, wide, 0, some);
            long outside = 0;
            for (int index = 0; index < some; index++) {
                outside |= wide[index] | MAX_ELEMENTS - wide[index];
                to[at + done + index] = (int) wide[index];
            }
            if (outside < 0) {
                throw wrong.get();
            }
        }
    }

    private int inRange(long start) {
        if (start > MAX_ELEMENTS) {
            throw wrong.get();
        }
        return (int) start;
    }
}
