package dev.quarrel.core.cpu.function;

import static dev.quarrel.core.column.LittleEndian.FLOAT32;
import static dev.quarrel.core.column.LittleEndian.FLOAT64;
import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.function.PackedArrays;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.function.Function;

/// Subscripts and `= ANY` of arrays as [PackedArrays] has them: elements are read where they lie.
final class PackedArrayKernels {
    /// Elements between two looks whether the query is still wanted.
    private static final int WORK_BETWEEN_CHECKS = 1 << 20;

    private PackedArrayKernels() {}

    static void register(Map<String, Function<PgType, BatchFunction>> kernels) {
        kernels.put(PackedArrays.GET, element -> get(element, false));
        kernels.put(PackedArrays.GET_PRESENT, element -> get(element, true));
        kernels.put(PackedArrays.HAS, element -> has(element, false, true));
        kernels.put(PackedArrays.HAS_PRESENT, element -> has(element, true, true));
        kernels.put(PackedArrays.HOLDS_PRESENT, element -> has(element, true, false));
    }

    private static BatchFunction get(PgType element, boolean hasPresence) {
        boolean isText = PackedArrays.hasEnds(element);
        int width = isText ? 4 : element.dataType().byteWidth();
        return (OfVectors) (in, out) -> {
            TextVector places = (TextVector) in.vector(isText ? 1 : 0);
            TextVector presence = hasPresence ? (TextVector) in.vector(isText ? 2 : 1) : null;
            IntVector subscripts = (IntVector) in.vector(in.count() - 1);
            int[] rows = in.rows();
            int[] elements = in.scratch();
            int[] indexes = subscripts.values();
            int count = in.rowCount();
            int found = 0;
            for (int at = 0; at < count; at++) {
                int row = rows[at];
                int index = indexes[row] - 1;
                boolean isThere = index >= 0
                        && places.isPresent(row)
                        && subscripts.isPresent(row)
                        && (index + 1L) * width <= places.length(row)
                        && (presence == null || isPresent(presence, row, index));
                if (isThere) {
                    elements[found] = index;
                    rows[found++] = row;
                } else {
                    out.setAbsent(row);
                }
            }
            if (isText) {
                texts((TextVector) in.vector(0), places, rows, elements, found, (TextVector) out);
            } else {
                numbers(places, width, rows, elements, found, out);
            }
        };
    }

    private static boolean isPresent(TextVector presence, int row, int index) {
        return !presence.isPresent(row) || presence.data().get(ValueLayout.JAVA_BYTE, presence.start(row) + index) != 0;
    }

    private static void numbers(TextVector arrays, int width, int[] rows, int[] elements, int count, Vector out) {
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
                for (int at = 0; at < count; at++) {
                    longs.values()[rows[at]] = bytes.get(INT64, arrays.start(rows[at]) + 8L * elements[at]);
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
            long first = ends.start(row);
            long place = first + 4L * elements[at];
            long base = base(arrays, ends, row);
            long start = elements[at] == 0 ? arrays.start(row) : base + places.get(INT32, place - 4);
            out.offsets()[row] = start;
            out.lengths()[row] = (int) (base + places.get(INT32, place) - start);
        }
    }

    /// Where the text is that ends count from; of a row with elements.
    private static long base(TextVector arrays, TextVector ends, int row) {
        int last = ends.data().get(INT32, ends.start(row) + ends.length(row) - 4);
        return arrays.start(row) + arrays.length(row) - last;
    }

    /// @param isNullWhereUnknown whether a NULL among elements that are all others makes NULL of false
    private static BatchFunction has(PgType element, boolean hasPresence, boolean isNullWhereUnknown) {
        boolean isText = PackedArrays.hasEnds(element);
        return (OfVectors) (in, out) -> {
            TextVector arrays = (TextVector) in.vector(0);
            TextVector counted = isText ? (TextVector) in.vector(1) : arrays;
            TextVector presence = hasPresence ? (TextVector) in.vector(isText ? 2 : 1) : null;
            Vector wanted = in.vector(in.count() - 1);
            Search search = isText ? new TextSearch(arrays, counted, (TextVector) wanted) : search(element, wanted);
            int width = isText ? 4 : element.dataType().byteWidth();
            int[] rows = in.rows();
            long work = 0;
            for (int at = 0; at < in.rowCount(); at++) {
                int row = rows[at];
                int count = counted.isPresent(row) ? counted.length(row) / width : -1;
                if (count < 0 || count > 0 && !wanted.isPresent(row)) {
                    out.setAbsent(row);
                    continue;
                }
                work += count;
                if (work > WORK_BETWEEN_CHECKS) {
                    work = 0;
                    Cancellation.checkCurrent();
                }
                int index = count == 0 ? -1 : search.next(arrays, row, 0, count);
                if (presence != null && count > 0 && presence.isPresent(row)) {
                    while (index >= 0 && !isPresent(presence, row, index)) {
                        index = search.next(arrays, row, index + 1, count);
                    }
                    if (index < 0 && isNullWhereUnknown && hasNull(presence, row)) {
                        out.setAbsent(row);
                        continue;
                    }
                }
                Results.bool(out, row, index >= 0);
            }
        };
    }

    private static boolean hasNull(TextVector presence, int row) {
        long start = presence.start(row);
        for (long at = start; at < start + presence.length(row); at++) {
            if (presence.data().get(ValueLayout.JAVA_BYTE, at) == 0) {
                return true;
            }
        }
        return false;
    }

    private static Search search(PgType element, Vector wanted) {
        DataType type = element.dataType();
        return switch (wanted) {
            case IntVector ints
            when type.byteWidth() == 2 ->
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
            default -> throw new IllegalStateException("elements of " + type);
        };
    }

    /// Finds a value among the elements of a row's array.
    @FunctionalInterface
    private interface Search {
        /// The first element from `from` on that equals the row's value; -1 where there is none.
        int next(TextVector arrays, int row, int from, int count);
    }

    /// Compares lengths, then bytes.
    private static final class TextSearch implements Search {
        private final TextVector ends;
        private final TextVector wanted;
        private final MemorySegment places;
        private final MemorySegment texts;
        private byte[] value = new byte[0];
        private int length = -1;
        private int head;

        TextSearch(TextVector arrays, TextVector ends, TextVector wanted) {
            this.ends = ends;
            this.wanted = wanted;
            this.places = ends.data();
            this.texts = arrays.data();
        }

        @Override
        public int next(TextVector arrays, int row, int from, int count) {
            if (length < 0 || !wanted.isConstant()) {
                take(row);
            }
            long first = ends.start(row);
            long base = base(arrays, ends, row);
            long start = from == 0 ? arrays.start(row) : base + places.get(INT32, first + 4L * (from - 1));
            for (int index = from; index < count; index++) {
                long end = base + places.get(INT32, first + 4L * index);
                if (end - start == length && isSame(start)) {
                    return index;
                }
                start = end;
            }
            return -1;
        }

        private void take(int row) {
            length = wanted.length(row);
            if (value.length < length) {
                value = new byte[Math.max(length, 2 * value.length)];
            }
            MemorySegment.copy(wanted.data(), ValueLayout.JAVA_BYTE, wanted.start(row), value, 0, length);
            head = length < 4 ? 0 : MemorySegment.ofArray(value).get(INT32, 0);
        }

        private boolean isSame(long start) {
            if (length >= 4 && texts.get(INT32, start) != head) {
                return false;
            }
            for (int index = length < 4 ? 0 : 4; index < length; index++) {
                if (texts.get(ValueLayout.JAVA_BYTE, start + index) != value[index]) {
                    return false;
                }
            }
            return true;
        }
    }

    /// A function that reads vectors itself.
    @FunctionalInterface
    private interface OfVectors extends BatchFunction {
        @Override
        default boolean readsVectors() {
            return true;
        }
    }
}
