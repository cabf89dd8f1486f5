package dev.quarrel.core.cpu.elements;

import static dev.quarrel.core.column.LittleEndian.FLOAT32;
import static dev.quarrel.core.column.LittleEndian.FLOAT64;
import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.function.PackedArrays;
import dev.quarrel.core.pg.PgType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// Which arrays hold a value: `= ANY`, with the arguments of [PackedArrays].
///
/// Where arrays follow one another all of their elements are compared first, some thousand at a time by the kernels of
/// `simd`, and each row asks the bits that its own elements have; others are searched row by row.
public final class PackedSearch {
    /// Elements between two looks whether the query is still wanted.
    private static final int WORK_BETWEEN_CHECKS = 1 << 20;

    private final int width;
    private final boolean isText;
    private final boolean hasPresence;
    private final boolean isNullWhereUnknown;
    private final PackedTexts texts; // null for elements of another type
    private final PackedPresence presence = new PackedPresence();
    private final long[] hits = new long[PackedElements.words(PackedElements.BLOCK) + 2];
    private PackedElements elements; // null until they are compared
    private long work;

    private Arguments in;
    private TextVector arrays;
    private TextVector counted; // its lengths tell of how many elements
    private TextVector present; // null where none is NULL
    private Vector wanted;
    private BoolVector out;
    private Search search;

    /// @param hasPresence whether there is an argument of which elements are NULL
    /// @param isNullWhereUnknown whether a NULL among elements that are all others makes NULL of false
    public PackedSearch(PgType element, boolean hasPresence, boolean isNullWhereUnknown) {
        this.isText = PackedArrays.hasEnds(element);
        this.width = isText ? 4 : element.dataType().byteWidth();
        this.hasPresence = hasPresence;
        this.isNullWhereUnknown = isNullWhereUnknown;
        this.texts = isText ? new PackedTexts() : null;
    }

    /// Says of each of the rows, in `result`, whether its array holds the row's value, or makes it NULL there.
    public void compute(Arguments arguments, Vector result) {
        in = arguments;
        out = (BoolVector) result;
        arrays = (TextVector) in.vector(0);
        counted = isText ? (TextVector) in.vector(1) : arrays;
        present = hasPresence ? (TextVector) in.vector(isText ? 2 : 1) : null;
        wanted = in.vector(in.count() - 1);
        search = null;
        int[] rows = in.rows();
        int count = in.rowCount();
        if (count == 0) {
            return;
        }
        Arrays.fill(out.bits(), rows[0] >>> 6, (rows[count - 1] >>> 6) + 1, 0L);
        if (!isBlockwise(rows, count)) {
            eachRow(0, count);
            return;
        }
        takeConstant();
        int at = 0;
        while (at < count) {
            int end = blockEnd(rows, at, count);
            if (end == at || !block(rows, at, end)) {
                end = Math.max(end, at + 1);
                eachRow(at, end);
            }
            at = end;
        }
    }

    private boolean isBlockwise(int[] rows, int count) {
        boolean isDense = rows[count - 1] - rows[0] < 4L * count;
        return isDense
                && arrays.isContiguous()
                && counted.isContiguous()
                && (present == null || present.isContiguous())
                && (!wanted.isConstant() || wanted.isPresent(0))
                && (wanted.isConstant() || !isText);
    }

    private void takeConstant() {
        if (isText) {
            texts.want((TextVector) wanted, 0);
            return;
        }
        elements = elements == null ? PackedElements.of(wanted, width) : elements;
        if (wanted.isConstant()) {
            elements.want(wanted);
        }
    }

    /// The first of the rows from `at` on whose elements are no part of a block that begins with row `at`.
    private int blockEnd(int[] rows, int at, int count) {
        long[] offsets = counted.offsets();
        int[] lengths = counted.lengths();
        long limit = offsets[rows[at]] + (long) PackedElements.BLOCK * width;
        int low = at;
        int high = count;
        while (low < high) {
            int middle = low + high >>> 1;
            if (offsets[rows[middle]] + lengths[rows[middle]] <= limit) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /// @return false where nothing was done
    private boolean block(int[] rows, int at, int end) {
        int firstRow = rows[at];
        int lastRow = rows[end - 1];
        long place = counted.offsets()[firstRow];
        int count = (int) ((counted.offsets()[lastRow] + counted.lengths()[lastRow] - place) / width);
        if (present != null && !presence.load(present, firstRow, lastRow)) {
            return false;
        }
        if (isText) {
            if (!texts.find(arrays, counted, firstRow, lastRow, hits)) {
                return false;
            }
        } else {
            elements.load(arrays.data(), place, count);
            if (!wanted.isConstant()) {
                want(rows, at, end, place);
            }
            elements.equal(count, wanted.isConstant(), hits);
        }
        if (present == null) {
            answer(rows, at, end, place);
        } else {
            answerPresent(rows, at, end, place);
        }
        checkWork(count);
        return true;
    }

    private void want(int[] rows, int at, int end, long place) {
        for (int index = at; index < end; index++) {
            int row = rows[index];
            int from = (int) ((counted.offsets()[row] - place) / width);
            elements.want(wanted, row, from, from + counted.lengths()[row] / width);
        }
    }

    /// Whether a row's value is NULL although its array is not: no element equals it, if there are some.
    private boolean isUnknown(int row, int count) {
        return count > 0 && !wanted.isPresent(row);
    }

    private void answer(int[] rows, int at, int end, long place) {
        long[] offsets = counted.offsets();
        int[] lengths = counted.lengths();
        long[] bits = out.bits();
        int shift = Integer.numberOfTrailingZeros(width);
        boolean mayBeAbsent = counted.validity() != null || wanted.validity() != null;
        int index = at;
        while (index < end) {
            int word = rows[index] >>> 6;
            long found = 0;
            for (; index < end && rows[index] >>> 6 == word; index++) {
                int row = rows[index];
                int count = lengths[row] >>> shift;
                long hit = hits((int) (offsets[row] - place >>> shift), count);
                found |= (hit | -hit) >>> 63 << row;
                if (mayBeAbsent && (!counted.isPresent(row) || isUnknown(row, count))) {
                    out.setAbsent(row);
                }
            }
            bits[word] |= found;
        }
    }

    /// Not 0 where one of the elements is hit.
    private long hits(int from, int count) {
        long hit = PackedPresence.window(hits, from) & PackedPresence.first(count);
        for (int done = 64; done < count; done += 64) {
            hit |= PackedPresence.window(hits, from + done) & PackedPresence.first(count - done);
        }
        return hit;
    }

    private void answerPresent(int[] rows, int at, int end, long place) {
        long[] offsets = counted.offsets();
        int[] lengths = counted.lengths();
        long[] bits = out.bits();
        int shift = Integer.numberOfTrailingZeros(width);
        boolean mayBeAbsent = counted.validity() != null || wanted.validity() != null;
        int index = at;
        while (index < end) {
            int word = rows[index] >>> 6;
            long found = 0;
            long unknown = 0;
            for (; index < end && rows[index] >>> 6 == word; index++) {
                int row = rows[index];
                int from = (int) (offsets[row] - place >>> shift);
                int count = lengths[row] >>> shift;
                long own = PackedPresence.first(count);
                long there = presence.window(row, 0);
                long hit = PackedPresence.window(hits, from) & there & own;
                long missing = own & ~there;
                for (int done = 64; done < count; done += 64) {
                    long more = PackedPresence.first(count - done);
                    long moreThere = presence.window(row, done);
                    hit |= PackedPresence.window(hits, from + done) & moreThere & more;
                    missing |= more & ~moreThere;
                }
                long isHit = (hit | -hit) >>> 63;
                found |= isHit << row;
                unknown |= ((missing | -missing) >>> 63 & ~isHit) << row;
                if (mayBeAbsent && (!counted.isPresent(row) || isUnknown(row, count))) {
                    out.setAbsent(row);
                }
            }
            bits[word] |= found;
            out.setAbsent(word, isNullWhereUnknown ? unknown : 0);
        }
    }

    private void eachRow(int at, int end) {
        int[] rows = in.rows();
        for (int index = at; index < end; index++) {
            int row = rows[index];
            int count = counted.isPresent(row) ? counted.length(row) / width : -1;
            if (count < 0 || isUnknown(row, count)) {
                out.setAbsent(row);
                continue;
            }
            checkWork(count);
            int found = count == 0 ? -1 : next(row, 0, count);
            if (present != null && count > 0 && present.isPresent(row)) {
                while (found >= 0 && !PackedPresence.isPresent(present, row, found)) {
                    found = next(row, found + 1, count);
                }
                if (found < 0 && isNullWhereUnknown && PackedPresence.hasNull(present, row)) {
                    out.setAbsent(row);
                    continue;
                }
            }
            Bits.set(out.bits(), row, found >= 0);
        }
    }

    private void checkWork(int count) {
        work += count;
        if (work > WORK_BETWEEN_CHECKS) {
            work = 0;
            Cancellation.checkCurrent();
        }
    }

    private int next(int row, int from, int count) {
        if (!isText) {
            search = search == null ? search(wanted, width) : search;
            return search.next(arrays, row, from, count);
        }
        if (from == 0) {
            texts.want((TextVector) wanted, row);
        }
        return texts.next(arrays, counted, row, from, count);
    }

    private static Search search(Vector wanted, int width) {
        return switch (wanted) {
            case IntVector ints
            when width == 2 ->
                (arrays, row, from, count) -> {
                    long first = arrays.start(row);
                    int value = ints.values()[row];
                    for (int index = from; index < count; index++) {
                        if (arrays.data().get(INT16, first + 2L * index) == value) {
                            return index;
                        }
                    }
                    return -1;
                };
            case IntVector ints ->
                (arrays, row, from, count) -> {
                    MemorySegment bytes = arrays.data();
                    long first = arrays.start(row);
                    int value = ints.values()[row];
                    for (int index = from; index < count; index++) {
                        if (bytes.get(INT32, first + 4L * index) == value) {
                            return index;
                        }
                    }
                    return -1;
                };
            case LongVector longs ->
                (arrays, row, from, count) -> {
                    MemorySegment bytes = arrays.data();
                    long first = arrays.start(row);
                    long value = longs.values()[row];
                    for (int index = from; index < count; index++) {
                        if (bytes.get(INT64, first + 8L * index) == value) {
                            return index;
                        }
                    }
                    return -1;
                };
            case FloatVector floats ->
                (arrays, row, from, count) -> {
                    long first = arrays.start(row);
                    float value = floats.values()[row] + 0.0f; // -0 equals 0, and NaN equals NaN
                    for (int index = from; index < count; index++) {
                        if (Float.compare(arrays.data().get(FLOAT32, first + 4L * index) + 0.0f, value) == 0) {
                            return index;
                        }
                    }
                    return -1;
                };
            case DoubleVector doubles ->
                (arrays, row, from, count) -> {
                    long first = arrays.start(row);
                    double value = doubles.values()[row] + 0.0;
                    for (int index = from; index < count; index++) {
                        if (Double.compare(arrays.data().get(FLOAT64, first + 8L * index) + 0.0, value) == 0) {
                            return index;
                        }
                    }
                    return -1;
                };
            default -> throw new IllegalStateException("elements of " + wanted.type());
        };
    }

    /// Finds a value among the elements of a row's array.
    @FunctionalInterface
    private interface Search {
        /// The first element from `from` on that equals the row's value; -1 where there is none.
        int next(TextVector arrays, int row, int from, int count);
    }
}
