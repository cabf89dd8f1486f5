package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.ArrayElements;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/// The functions of arrays that statements call by name, for elements of any type.
///
/// - Source: PostgreSQL's `array_userfuncs.c`, `arrayfuncs.c` and `varlena.c` (array_to_text).
final class ArrayKernels {
    private ArrayKernels() {}

    static void register(Map<String, Function<PgType, BatchFunction>> kernels) {
        ArrayWork.put(kernels, "array_cardinality", (work, in, out, row) -> {
            work.array.openAny(in.text(0));
            Results.int32(out, row, work.array.count());
        });
        ArrayWork.put(kernels, "array_ndims", (work, in, out, row) -> {
            work.array.openAny(in.text(0));
            number(out, row, work.array.dimensions(), work.array.dimensions() > 0);
        });
        ArrayWork.put(kernels, "array_dims", ArrayKernels::dims);
        ArrayWork.put(kernels, "array_length", (work, in, out, row) -> {
            int dimension = dimension(work, in);
            number(out, row, dimension < 0 ? 0 : work.array.length(dimension), dimension >= 0);
        });
        ArrayWork.put(kernels, "array_lower", (work, in, out, row) -> {
            int dimension = dimension(work, in);
            number(out, row, dimension < 0 ? 0 : work.array.first(dimension), dimension >= 0);
        });
        ArrayWork.put(kernels, "array_upper", (work, in, out, row) -> {
            int dimension = dimension(work, in);
            int last = dimension < 0 ? 0 : work.array.first(dimension) + work.array.length(dimension) - 1;
            number(out, row, last, dimension >= 0);
        });
        ArrayWork.put(kernels, "array_append", ArrayKernels::append);
        ArrayWork.put(kernels, "array_prepend", ArrayKernels::prepend);
        ArrayWork.put(kernels, "array_cat", ArrayKernels::concatenate);
        ArrayWork.put(kernels, "array_remove", (work, in, out, row) -> replace(work, in, out, row, true));
        ArrayWork.put(kernels, "array_replace", (work, in, out, row) -> replace(work, in, out, row, false));
        ArrayWork.put(kernels, "array_position", ArrayKernels::position);
        ArrayWork.put(kernels, "array_position_start", ArrayKernels::position);
        ArrayWork.put(kernels, "array_positions", ArrayKernels::positions);
        ArrayWork.put(kernels, "array_to_text", (work, in, out, row) -> join(work, in, out, row, null));
        ArrayWork.put(kernels, "array_to_text_null", ArrayKernels::joinNulls);
        ArrayWork.put(kernels, "array_reverse", ArrayKernels::reverse);
        ArrayWork.put(kernels, "array_sort", (work, in, out, row) -> sort(work, in, out, row, false, false));
        ArrayWork.put(
                kernels, "array_sort_order", (work, in, out, row) -> sort(work, in, out, row, in.bool(1), in.bool(1)));
        ArrayWork.put(
                kernels,
                "array_sort_order_nulls_first",
                (work, in, out, row) -> sort(work, in, out, row, in.bool(1), in.bool(2)));
        ArrayWork.put(kernels, "width_bucket_array", ArrayKernels::bucket);
        ArrayWork.put(
                kernels,
                "arraycontains",
                (work, in, out, row) -> Results.bool(out, row, meets(work, in.text(0), in.text(1), true)));
        ArrayWork.put(
                kernels,
                "arraycontained",
                (work, in, out, row) -> Results.bool(out, row, meets(work, in.text(1), in.text(0), true)));
        ArrayWork.put(
                kernels,
                "arrayoverlap",
                (work, in, out, row) -> Results.bool(out, row, meets(work, in.text(0), in.text(1), false)));
    }

    private static void number(Vector out, int row, int value, boolean isThere) {
        if (isThere) {
            Results.int32(out, row, value);
        } else {
            out.setAbsent(row);
        }
    }

    /// The dimension that argument 1 names of the array that is argument 0, counted from 0; -1 where there is none.
    private static int dimension(ArrayWork work, Arguments in) {
        work.array.openAny(in.text(0));
        int dimension = in.int32(1);
        return dimension < 1 || dimension > work.array.dimensions() ? -1 : dimension - 1;
    }

    private static void dims(ArrayWork work, Arguments in, Vector out, int row) {
        ArrayElements array = work.array;
        array.openAny(in.text(0));
        if (array.dimensions() == 0) {
            Results.set(out, row, null);
            return;
        }
        work.text.clear();
        for (int dimension = 0; dimension < array.dimensions(); dimension++) {
            int first = array.first(dimension);
            work.text.appendAscii("[" + first + ":" + (first + array.length(dimension) - 1) + "]");
        }
        ((TextVector) out).append(row, work.text.array(), 0, work.text.length());
    }

    /// Opens an array that may be NULL, which counts as one without elements.
    private static boolean open(ArrayElements array, Arguments in, int argument) {
        if (in.isNull(argument)) {
            return false;
        }
        array.openAny(in.text(argument));
        if (array.dimensions() > 1) {
            throw new QueryException(SqlState.DATA_EXCEPTION, "argument must be empty or one-dimensional array");
        }
        return array.dimensions() == 1;
    }

    private static void append(ArrayWork work, Arguments in, Vector out, int row) {
        ArrayBuilder builder = work.builder;
        builder.clear();
        if (open(work.array, in, 0)) {
            builder.first(work.array.first(0));
            builder.addAll(work.array);
            requireInt((long) work.array.first(0) + builder.count());
        }
        work.add(in, 1);
        builder.put(out, row);
    }

    private static void prepend(ArrayWork work, Arguments in, Vector out, int row) {
        ArrayBuilder builder = work.builder;
        boolean isAny = open(work.array, in, 1);
        builder.clear();
        work.add(in, 0);
        if (isAny) {
            requireInt(work.array.first(0) - 1L);
            builder.first(work.array.first(0));
            builder.addAll(work.array);
        }
        builder.put(out, row);
    }

    private static void requireInt(long number) {
        if (number != (int) number) {
            throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "integer out of range");
        }
    }

    private static void concatenate(ArrayWork work, Arguments in, Vector out, int row) {
        int whole = in.isNull(0) ? 1 : in.isNull(1) ? 0 : -1;
        if (whole >= 0 && in.isNull(whole)) {
            Results.set(out, row, null);
            return;
        }
        if (whole < 0) {
            work.array.openAny(in.text(0));
            work.other.openAny(in.text(1));
            if (work.array.dimensions() == 0 || work.other.dimensions() == 0) {
                whole = work.other.dimensions() == 0 ? 0 : 1;
            }
        }
        if (whole >= 0) {
            TextReader text = in.text(whole);
            ((TextVector) out).append(row, text.bytes, text.start, text.length);
            return;
        }
        ArrayBuilder builder = work.builder;
        builder.clear();
        shapeJoined(work);
        builder.addAll(work.array);
        builder.addAll(work.other);
        builder.put(out, row);
    }

    /// The shape of two arrays one behind the other: both of as many dimensions, or one of them an item of the other.
    private static void shapeJoined(ArrayWork work) {
        ArrayElements one = work.array;
        ArrayElements two = work.other;
        int difference = one.dimensions() - two.dimensions();
        if (Math.abs(difference) > 1) {
            throw incompatible("Arrays of " + one.dimensions() + " and " + two.dimensions()
                    + " dimensions are not compatible for concatenation.");
        }
        ArrayElements outer = difference >= 0 ? one : two;
        ArrayElements inner = difference >= 0 ? two : one;
        int shift = Math.abs(difference);
        for (int dimension = shift == 0 ? 1 : 0; dimension < inner.dimensions(); dimension++) {
            if (inner.length(dimension) != outer.length(dimension + shift)
                    || inner.first(dimension) != outer.first(dimension + shift)) {
                throw incompatible(
                        shift == 0
                                ? "Arrays with differing element dimensions are not compatible for concatenation."
                                : "Arrays with differing dimensions are not compatible for concatenation.");
            }
        }
        work.builder.shape(outer);
        int items = shift == 0 ? one.length(0) + two.length(0) : outer.length(0) + 1;
        work.builder.shape(0, items, outer.first(0));
    }

    private static QueryException incompatible(String detail) {
        return new QueryException(SqlState.ARRAY_SUBSCRIPT_ERROR, "cannot concatenate incompatible arrays")
                .withDetail(detail);
    }

    private static void replace(ArrayWork work, Arguments in, Vector out, int row, boolean removes) {
        if (in.isNull(0)) {
            Results.set(out, row, null);
            return;
        }
        ArrayElements array = work.array;
        array.openAny(in.text(0));
        if (removes && array.dimensions() > 1) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED, "removing elements from multidimensional arrays is not supported");
        }
        TextBuffer wanted = wanted(work, in);
        work.builder.clear();
        work.builder.shape(array);
        while (array.next()) {
            boolean isWanted = array.isNull ? wanted == null : wanted != null && work.hasKey(array, wanted);
            if (!isWanted) {
                work.builder.add(array);
            } else if (!removes) {
                work.add(in, 2);
            }
        }
        work.builder.put(out, row);
    }

    /// The key of the value that argument 1 is; null for NULL.
    private static TextBuffer wanted(ArrayWork work, Arguments in) {
        if (in.isNull(1)) {
            return null;
        }
        TextBuffer wanted = new TextBuffer(16);
        work.form.appendKey(in, 1, wanted);
        return wanted;
    }

    private static void openForSearch(ArrayWork work, Arguments in) {
        work.array.openAny(in.text(0));
        if (work.array.dimensions() > 1) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "searching for elements in multidimensional arrays is not supported");
        }
    }

    private static void position(ArrayWork work, Arguments in, Vector out, int row) {
        if (in.isNull(0)) {
            out.setAbsent(row);
            return;
        }
        ArrayElements array = work.array;
        openForSearch(work, in);
        TextBuffer wanted = wanted(work, in);
        boolean isSearched = array.dimensions() > 0 && (wanted != null || hasNull(array));
        if (isSearched && in.count() > 2 && in.isNull(2)) {
            throw new QueryException(SqlState.NULL_VALUE_NOT_ALLOWED, "initial position must not be null");
        }
        if (isSearched) {
            openForSearch(work, in);
            int position = array.first(0);
            int from = in.count() > 2 ? in.int32(2) : position;
            for (; array.next(); position++) {
                boolean isWanted = array.isNull ? wanted == null : wanted != null && work.hasKey(array, wanted);
                if (position >= from && isWanted) {
                    Results.int32(out, row, position);
                    return;
                }
            }
        }
        out.setAbsent(row);
    }

    static boolean hasNull(ArrayElements array) {
        while (array.next()) {
            if (array.isNull) {
                return true;
            }
        }
        return false;
    }

    private static void positions(ArrayWork work, Arguments in, Vector out, int row) {
        if (in.isNull(0)) {
            Results.set(out, row, null);
            return;
        }
        ArrayElements array = work.array;
        openForSearch(work, in);
        TextBuffer wanted = wanted(work, in);
        work.builder.clear();
        for (int position = array.dimensions() == 0 ? 0 : array.first(0); array.next(); position++) {
            if (array.isNull ? wanted == null : wanted != null && work.hasKey(array, wanted)) {
                work.text.clear();
                work.text.appendAscii(Integer.toString(position));
                work.builder.add(work.text);
            }
        }
        work.builder.put(out, row);
    }

    private static void joinNulls(ArrayWork work, Arguments in, Vector out, int row) {
        if (in.isNull(0) || in.isNull(1)) {
            Results.set(out, row, null);
        } else {
            join(work, in, out, row, in.isNull(2) ? null : in.text(2));
        }
    }

    private static void join(ArrayWork work, Arguments in, Vector out, int row, TextReader ofNull) {
        TextReader separator = in.text(1);
        ArrayElements array = work.array;
        array.openAny(in.text(0));
        TextBuffer text = work.text;
        text.clear();
        boolean isFirst = true;
        while (array.next()) {
            if (array.isNull && ofNull == null) {
                continue;
            }
            if (!isFirst) {
                text.append(MemorySegment.ofArray(separator.bytes), separator.start, separator.length);
            }
            isFirst = false;
            if (array.isNull) {
                text.append(MemorySegment.ofArray(ofNull.bytes), ofNull.start, ofNull.length);
            } else {
                text.append(MemorySegment.ofArray(array.bytes), array.start, array.length);
            }
        }
        ((TextVector) out).append(row, text.array(), 0, text.length());
    }

    private static void reverse(ArrayWork work, Arguments in, Vector out, int row) {
        ArrayElements array = work.array;
        array.openAny(in.text(0));
        if (array.dimensions() == 0) {
            work.builder.clear();
            work.builder.put(out, row);
            return;
        }
        List<TextBuffer> elements = elements(array);
        int length = array.length(0);
        int size = elements.size() / length;
        work.builder.clear();
        work.builder.shape(array);
        for (int item = length - 1; item >= 0; item--) {
            elements.subList(item * size, (item + 1) * size).forEach(element -> add(work.builder, element));
        }
        work.builder.put(out, row);
    }

    /// Copies of all elements; null for NULL.
    private static List<TextBuffer> elements(ArrayElements array) {
        array.length(0); // which is counted from here
        List<TextBuffer> elements = new ArrayList<>();
        while (array.next()) {
            TextBuffer element = array.isNull ? null : new TextBuffer(Math.max(8, array.length));
            if (element != null) {
                element.append(MemorySegment.ofArray(array.bytes), array.start, array.length);
            }
            elements.add(element);
        }
        return elements;
    }

    private static void add(ArrayBuilder builder, TextBuffer element) {
        if (element == null) {
            builder.addNull();
        } else {
            builder.add(element);
        }
    }

    private record Sortable(TextBuffer text, TextBuffer key) {}

    private static void sort(
            ArrayWork work, Arguments in, Vector out, int row, boolean isDescending, boolean nullsFirst) {
        ArrayElements array = work.array;
        array.openAny(in.text(0));
        if (array.dimensions() > 1 && array.length(0) > 1) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED, "not supported: array_sort of an array of several dimensions");
        }
        if (array.dimensions() != 1) {
            TextReader text = in.text(0);
            ((TextVector) out).append(row, text.bytes, text.start, text.length);
            return;
        }
        List<Sortable> present = new ArrayList<>();
        int nulls = 0;
        array.length(0);
        while (array.next()) {
            if (array.isNull) {
                nulls++;
                continue;
            }
            TextBuffer text = new TextBuffer(Math.max(8, array.length));
            text.append(MemorySegment.ofArray(array.bytes), array.start, array.length);
            TextBuffer key = new TextBuffer(16);
            work.form.appendKey(array, key);
            present.add(new Sortable(text, key));
        }
        Comparator<Sortable> order = (one, two) -> ElementForm.compare(one.key, two.key);
        present.sort(isDescending ? order.reversed() : order);
        List<TextBuffer> sorted = new ArrayList<>(nullsFirst ? Collections.nCopies(nulls, null) : List.of());
        present.forEach(each -> sorted.add(each.text));
        sorted.addAll(nullsFirst ? List.of() : Collections.nCopies(nulls, null));
        work.builder.clear();
        work.builder.shape(array);
        sorted.forEach(element -> add(work.builder, element));
        work.builder.put(out, row);
    }

    /// Of thresholds that do not ascend the answer is PostgreSQL's too: it halves the array as PostgreSQL does.
    private static void bucket(ArrayWork work, Arguments in, Vector out, int row) {
        ArrayElements array = work.array;
        array.openAny(in.text(1));
        if (array.dimensions() > 1) {
            throw new QueryException(SqlState.ARRAY_SUBSCRIPT_ERROR, "thresholds must be one-dimensional array");
        }
        List<TextBuffer> thresholds = new ArrayList<>();
        while (array.next()) {
            if (array.isNull) {
                throw new QueryException(SqlState.NULL_VALUE_NOT_ALLOWED, "thresholds array must not contain NULLs");
            }
            TextBuffer key = new TextBuffer(16);
            work.form.appendKey(array, key);
            thresholds.add(key);
        }
        TextBuffer wanted = new TextBuffer(16);
        work.form.appendKey(in, 0, wanted);
        int left = 0;
        int right = thresholds.size();
        while (left < right) {
            int middle = (left + right) / 2;
            if (ElementForm.compare(wanted, thresholds.get(middle)) < 0) {
                right = middle;
            } else {
                left = middle + 1;
            }
        }
        Results.int32(out, row, left);
    }

    /// Whether all elements of the one array, or any, equal elements of the other; a NULL equals none.
    private static boolean meets(ArrayWork work, TextReader container, TextReader parts, boolean all) {
        work.array.openAny(container);
        Set<ByteBuffer> keys = new HashSet<>();
        while (work.array.next()) {
            if (!work.array.isNull) {
                keys.add(key(work, work.array));
            }
        }
        work.array.openAny(parts);
        while (work.array.next()) {
            boolean isIn = !work.array.isNull && keys.contains(key(work, work.array));
            if (isIn != all) {
                return isIn;
            }
        }
        return all;
    }

    private static ByteBuffer key(ArrayWork work, ArrayElements element) {
        work.key.clear();
        work.form.appendKey(element, work.key);
        return ByteBuffer.wrap(Arrays.copyOf(work.key.array(), work.key.length()));
    }
}
