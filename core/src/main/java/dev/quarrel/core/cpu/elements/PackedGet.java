package dev.quarrel.core.cpu.elements;

import static dev.quarrel.core.column.LittleEndian.FLOAT32;
import static dev.quarrel.core.column.LittleEndian.FLOAT64;
import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.cpu.simd.CompareKernels;
import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.function.PackedArrays;
import dev.quarrel.core.pg.PgType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// Subscripts of arrays, with the arguments of [PackedArrays].
public final class PackedGet {
    private final int width;
    private final boolean isText;
    private final boolean hasPresence;
    private long[] there = new long[0]; // a bit a row: whether it has the element
    private int[] least = new int[0]; // bytes of an array that has it, as often as there are rows

    /// @param hasPresence whether there is an argument of which elements are NULL
    public PackedGet(PgType element, boolean hasPresence) {
        this.isText = PackedArrays.hasEnds(element);
        this.width = isText ? 4 : element.dataType().byteWidth();
        this.hasPresence = hasPresence;
    }

    /// Puts the element of each of the rows into `out`, or makes it NULL there.
    public void compute(Arguments in, Vector out) {
        TextVector places = (TextVector) in.vector(isText ? 1 : 0);
        TextVector presence = hasPresence ? (TextVector) in.vector(isText ? 2 : 1) : null;
        IntVector subscripts = (IntVector) in.vector(in.count() - 1);
        int[] rows = in.rows();
        int[] elements = in.scratch();
        int count = in.rowCount();
        boolean isOfAll = count > 0
                && rows[count - 1] - rows[0] < 4L * count
                && subscripts.isConstant()
                && subscripts.isPresent(0)
                && subscripts.values()[0] > 0
                && subscripts.values()[0] <= Integer.MAX_VALUE / width
                && places.isContiguous()
                && (presence == null || presence.isContiguous());
        if (isOfAll) {
            int index = subscripts.values()[0] - 1;
            findAll(places, presence, index, rows[0] >>> 6, rows[count - 1]);
            if (!isText) {
                numbersOfAll(places, index, rows[0] >>> 6, (rows[count - 1] >>> 6) + 1, out);
            }
            int found = take(index, rows, elements, count, out);
            if (isText) {
                texts((TextVector) in.vector(0), places, rows, elements, found, (TextVector) out);
            }
            return;
        }
        int found = find(places, presence, subscripts, rows, elements, count, out);
        if (isText) {
            texts((TextVector) in.vector(0), places, rows, elements, found, (TextVector) out);
        } else {
            numbers(places, rows, elements, found, out);
        }
    }

    /// Says of all rows from a word to the last one which have an element of that index, without a branch that depends
    /// on the arrays.
    private void findAll(TextVector places, TextVector presence, int index, int firstWord, int lastRow) {
        int endWord = (lastRow >>> 6) + 1;
        if (there.length < Bits.words(places.capacity())) {
            there = new long[Bits.words(places.capacity())];
            least = new int[places.capacity()];
        }
        if (least[0] != (index + 1) * width) {
            Arrays.fill(least, (index + 1) * width);
        }
        CompareKernels.current().less(places.lengths(), least, there, endWord, -1L);
        there[endWord - 1] &= -1L >>> 63 - (lastRow & 63);
        long[] validity = places.validity();
        for (int word = firstWord; validity != null && word < endWord; word++) {
            there[word] &= validity[word];
        }
        if (presence == null) {
            return;
        }
        MemorySegment bytes = presence.data();
        long[] starts = presence.offsets();
        long[] known = presence.validity();
        for (int word = firstWord; word < endWord; word++) {
            long asked = there[word] & (known == null ? -1L : known[word]);
            long absent = 0;
            for (int bit = 0; asked != 0 && bit < 64; bit++) {
                long isAsked = asked >>> bit & 1;
                long place = starts[(word << 6) + bit] + index & -isAsked;
                absent |= (bytes.get(ValueLayout.JAVA_BYTE, place) & 1 ^ 1 & isAsked) << bit;
            }
            there[word] &= ~(absent & asked);
        }
    }

    /// Makes rows NULL that lack the element. Of texts those that have it go to the front.
    ///
    /// @return how many these are
    private int take(int index, int[] rows, int[] elements, int count, Vector out) {
        int first = rows[0];
        int last = rows[count - 1];
        if (!isText && last - first == count - 1) {
            for (int word = first >>> 6; word <= last >>> 6; word++) {
                long from = word == first >>> 6 ? -1L << first : -1L;
                long to = word == last >>> 6 ? -1L >>> 63 - (last & 63) : -1L;
                out.setAbsent(word, from & to & ~there[word]);
            }
            return 0;
        }
        int found = 0;
        int at = 0;
        while (at < count) {
            int word = rows[at] >>> 6;
            long all = 0;
            for (; at < count && rows[at] >>> 6 == word; at++) {
                all |= 1L << rows[at];
                if (isText) {
                    elements[found] = index;
                    rows[found] = rows[at];
                    found += (int) (there[word] >>> rows[at] & 1);
                }
            }
            out.setAbsent(word, all & ~there[word]);
        }
        return found;
    }

    /// Moves the rows that have an element to the front, and says which each has; the others are NULL.
    ///
    /// @return how many have
    private int find(
            TextVector places,
            TextVector presence,
            IntVector subscripts,
            int[] rows,
            int[] elements,
            int count,
            Vector out) {
        int[] indexes = subscripts.values();
        int found = 0;
        for (int at = 0; at < count; at++) {
            int row = rows[at];
            int index = indexes[row] - 1;
            boolean isThere = index >= 0
                    && places.isPresent(row)
                    && subscripts.isPresent(row)
                    && (index + 1L) * width <= places.length(row)
                    && (presence == null || PackedPresence.isPresent(presence, row, index));
            if (isThere) {
                elements[found] = index;
                rows[found++] = row;
            } else {
                out.setAbsent(row);
            }
        }
        return found;
    }

    /// The elements of all rows of some words that have one; others have any value.
    private void numbersOfAll(TextVector arrays, int index, int firstWord, int endWord, Vector out) {
        MemorySegment bytes = arrays.data();
        long[] starts = arrays.offsets();
        long before = (long) index * width;
        for (int word = firstWord; word < endWord; word++) {
            long own = there[word];
            int first = word << 6;
            if (own == 0) {
                continue;
            }
            switch (out) {
                case IntVector ints
                when width == 2 -> {
                    int[] values = ints.values();
                    for (int bit = 0; bit < 64; bit++) {
                        values[first + bit] = bytes.get(INT16, starts[first + bit] + before & -(own >>> bit & 1));
                    }
                }
                case IntVector ints -> {
                    int[] values = ints.values();
                    for (int bit = 0; bit < 64; bit++) {
                        values[first + bit] = bytes.get(INT32, starts[first + bit] + before & -(own >>> bit & 1));
                    }
                }
                case LongVector longs -> {
                    long[] values = longs.values();
                    for (int bit = 0; bit < 64; bit++) {
                        values[first + bit] = bytes.get(INT64, starts[first + bit] + before & -(own >>> bit & 1));
                    }
                }
                case FloatVector floats -> {
                    float[] values = floats.values();
                    for (int bit = 0; bit < 64; bit++) {
                        values[first + bit] = bytes.get(FLOAT32, starts[first + bit] + before & -(own >>> bit & 1));
                    }
                }
                case DoubleVector doubles -> {
                    double[] values = doubles.values();
                    for (int bit = 0; bit < 64; bit++) {
                        values[first + bit] = bytes.get(FLOAT64, starts[first + bit] + before & -(own >>> bit & 1));
                    }
                }
                default -> throw new IllegalStateException("elements of " + out.type());
            }
        }
    }

    private void numbers(TextVector arrays, int[] rows, int[] elements, int count, Vector out) {
        MemorySegment bytes = arrays.data();
        switch (out) {
            case IntVector ints
            when width == 2 -> {
                for (int at = 0; at < count; at++) {
                    ints.values()[rows[at]] = bytes.get(INT16, arrays.start(rows[at]) + 2L * elements[at]);
                }
            }
            case IntVector ints -> {
                int[] values = ints.values();
                for (int at = 0; at < count; at++) {
                    values[rows[at]] = bytes.get(INT32, arrays.start(rows[at]) + 4L * elements[at]);
                }
            }
            case LongVector longs -> {
                long[] values = longs.values();
                for (int at = 0; at < count; at++) {
                    values[rows[at]] = bytes.get(INT64, arrays.start(rows[at]) + 8L * elements[at]);
                }
            }
            case FloatVector floats -> {
                for (int at = 0; at < count; at++) {
                    floats.values()[rows[at]] = bytes.get(FLOAT32, arrays.start(rows[at]) + 4L * elements[at]);
                }
            }
            case DoubleVector doubles -> {
                for (int at = 0; at < count; at++) {
                    doubles.values()[rows[at]] = bytes.get(FLOAT64, arrays.start(rows[at]) + 8L * elements[at]);
                }
            }
            default -> throw new IllegalStateException("elements of " + out.type());
        }
    }

    /// References: nothing is copied.
    private static void texts(
            TextVector arrays, TextVector ends, int[] rows, int[] elements, int count, TextVector out) {
        out.useReferences(arrays.data());
        MemorySegment places = ends.data();
        for (int at = 0; at < count; at++) {
            int row = rows[at];
            long place = ends.start(row) + 4L * elements[at];
            long base = PackedTexts.base(arrays, ends, row);
            long start = elements[at] == 0 ? arrays.start(row) : base + places.get(INT32, place - 4);
            out.offsets()[row] = start;
            out.lengths()[row] = (int) (base + places.get(INT32, place) - start);
        }
    }
}
