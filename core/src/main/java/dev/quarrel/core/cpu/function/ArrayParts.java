package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.ArrayElements;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// Elements and parts of arrays by their subscripts, and arrays made of given dimensions.
///
/// - Source: PostgreSQL's `arrayfuncs.c` (array_get_element, array_get_slice, array_fill, trim_array) and
///   `execExprInterp.c` (ExecEvalArrayExpr).
final class ArrayParts {
    private static final int MAX_ELEMENTS = 134_217_727;

    private ArrayParts() {}

    static void register(Map<String, Function<PgType, BatchFunction>> kernels) {
        ArrayWork.put(kernels, "array_make", ArrayParts::make);
        ArrayWork.put(kernels, "array_nest", ArrayParts::nest);
        ArrayWork.put(kernels, "array_get", ArrayParts::get);
        ArrayWork.put(kernels, "array_slice", ArrayParts::slice);
        ArrayWork.put(kernels, "array_key", ArrayParts::key);
        ArrayWork.put(kernels, "trim_array", ArrayParts::trim);
        ArrayWork.put(kernels, "array_fill", (work, in, out, row) -> fill(work, in, out, row, false));
        ArrayWork.put(kernels, "array_fill_with_lower_bounds", (work, in, out, row) -> fill(work, in, out, row, true));
    }

    /// `ARRAY[a, b, …]`.
    private static void make(ArrayWork work, Arguments in, Vector out, int row) {
        work.builder.clear();
        for (int argument = 0; argument < in.count(); argument++) {
            work.add(in, argument);
        }
        work.builder.put(out, row);
    }

    /// `ARRAY[a, b, …]` of arrays: their items one behind the other, in one dimension more.
    private static void nest(ArrayWork work, Arguments in, Vector out, int row) {
        ArrayElements array = work.array;
        ArrayBuilder builder = work.builder;
        builder.clear();
        int[] shape = null;
        boolean hasEmpty = false;
        for (int argument = 0; argument < in.count(); argument++) {
            if (!in.isNull(argument)) {
                array.openAny(in.text(argument));
            }
            if (in.isNull(argument) || array.dimensions() == 0) {
                hasEmpty = true;
                continue;
            }
            int[] its = shape(array);
            if (shape == null) {
                if (its.length / 2 == ArrayElements.MAX_DIMENSIONS) {
                    throw new QueryException(
                            SqlState.PROGRAM_LIMIT_EXCEEDED,
                            "number of array dimensions (7) exceeds the maximum allowed (6)");
                }
                shape = its;
                builder.dimensions(1 + shape.length / 2);
                builder.shape(0, in.count(), 1);
                for (int dimension = 0; dimension < shape.length / 2; dimension++) {
                    builder.shape(dimension + 1, shape[2 * dimension], shape[2 * dimension + 1]);
                }
            } else if (!java.util.Arrays.equals(shape, its)) {
                throw misshapen();
            }
            builder.addAll(array);
        }
        if (hasEmpty && shape != null) {
            throw misshapen();
        }
        builder.put(out, row);
    }

    private static int[] shape(ArrayElements array) {
        int[] shape = new int[2 * array.dimensions()];
        for (int dimension = 0; dimension < array.dimensions(); dimension++) {
            shape[2 * dimension] = array.length(dimension);
            shape[2 * dimension + 1] = array.first(dimension);
        }
        return shape;
    }

    private static QueryException misshapen() {
        return new QueryException(
                SqlState.ARRAY_SUBSCRIPT_ERROR,
                "multidimensional arrays must have array expressions with matching dimensions");
    }

    /// `a[i][j]`: NULL where there is no such element.
    private static void get(ArrayWork work, Arguments in, Vector out, int row) {
        ArrayElements array = work.array;
        array.openAny(in.text(0));
        boolean isThere = array.dimensions() == in.count() - 1;
        int skipped = 0;
        for (int dimension = 0; isThere && dimension < array.dimensions(); dimension++) {
            long index = (long) in.int32(dimension + 1) - array.first(dimension);
            // The length of one dimension is not counted: the elements end.
            boolean isOne = array.dimensions() == 1;
            isThere = index >= 0 && (isOne || index < array.length(dimension)) && index <= Integer.MAX_VALUE;
            skipped = isOne ? (int) index : skipped * array.length(dimension) + (int) index;
        }
        for (int element = 0; isThere && element <= skipped; element++) {
            isThere = array.next();
        }
        if (isThere) {
            work.form.put(array, out, row);
        } else {
            Results.set(out, row, null);
        }
    }

    /// `a[i:j][k:l]`: arguments are the array, and a lower and an upper bound for each subscript.
    ///
    /// The smallest and the largest integer stand for a bound that is not written: they cut nothing off.
    private static void slice(ArrayWork work, Arguments in, Vector out, int row) {
        ArrayElements array = work.array;
        array.openAny(in.text(0));
        int count = in.count() / 2;
        int[] lower = new int[ArrayElements.MAX_DIMENSIONS];
        int[] upper = new int[ArrayElements.MAX_DIMENSIONS];
        for (int subscript = 0; subscript < ArrayElements.MAX_DIMENSIONS; subscript++) {
            boolean isGiven = subscript < count;
            lower[subscript] = isGiven ? in.int32(2 * subscript + 1) : Integer.MIN_VALUE;
            upper[subscript] = isGiven ? in.int32(2 * subscript + 2) : Integer.MAX_VALUE;
        }
        work.builder.clear();
        if (array.dimensions() >= count) {
            copy(work, lower, upper);
        }
        work.builder.put(out, row);
    }

    private static void trim(ArrayWork work, Arguments in, Vector out, int row) {
        ArrayElements array = work.array;
        array.openAny(in.text(0));
        int length = array.dimensions() == 0 ? 0 : array.length(0);
        int cut = in.int32(1);
        if (cut < 0 || cut > length) {
            throw new QueryException(
                    SqlState.ARRAY_SUBSCRIPT_ERROR, "number of elements to trim must be between 0 and " + length);
        }
        int[] lower = new int[ArrayElements.MAX_DIMENSIONS];
        int[] upper = new int[ArrayElements.MAX_DIMENSIONS];
        java.util.Arrays.fill(lower, Integer.MIN_VALUE);
        java.util.Arrays.fill(upper, Integer.MAX_VALUE);
        work.builder.clear();
        if (length > 0) {
            upper[0] = array.first(0) + length - cut - 1;
            copy(work, lower, upper);
        }
        work.builder.put(out, row);
    }

    /// Copies the elements whose subscripts lie between the bounds; the copy counts from 1.
    private static void copy(ArrayWork work, int[] lower, int[] upper) {
        ArrayElements array = work.array;
        int dimensions = array.dimensions();
        work.builder.dimensions(dimensions);
        int[] at = new int[dimensions];
        for (int dimension = 0; dimension < dimensions; dimension++) {
            int first = array.first(dimension);
            int last = first + array.length(dimension) - 1;
            lower[dimension] = Math.max(lower[dimension], first);
            upper[dimension] = Math.min(upper[dimension], last);
            if (lower[dimension] > upper[dimension]) {
                return;
            }
            work.builder.shape(dimension, upper[dimension] - lower[dimension] + 1, 1);
            at[dimension] = first;
        }
        while (array.next()) {
            boolean isWithin = true;
            for (int dimension = 0; dimension < dimensions; dimension++) {
                isWithin &= at[dimension] >= lower[dimension] && at[dimension] <= upper[dimension];
            }
            if (isWithin) {
                work.builder.add(array);
            }
            for (int dimension = dimensions - 1; dimension >= 0; dimension--) {
                if (++at[dimension] < array.first(dimension) + array.length(dimension)) {
                    break;
                }
                at[dimension] = array.first(dimension);
            }
        }
    }

    /// A key whose bytes order as arrays do: by their elements, a NULL after all others; then by their shapes.
    ///
    /// - Source: PostgreSQL's `array_cmp`.
    private static void key(ArrayWork work, Arguments in, Vector out, int row) {
        TextBuffer key = key(work, in);
        ((TextVector) out).append(row, key.array(), 0, key.length());
    }

    /// Bytes that order as arrays do, of which none begins another; valid until the next.
    static TextBuffer key(ArrayWork work, Arguments in) {
        ArrayElements array = work.array;
        array.openAny(in.text(0));
        int dimensions = array.dimensions();
        for (int dimension = 0; dimension < dimensions; dimension++) {
            array.length(dimension); // which is counted from here
        }
        TextBuffer key = work.key;
        key.clear();
        while (array.next()) {
            key.append((byte) (array.isNull ? 2 : 1));
            if (!array.isNull) {
                work.form.appendKey(array, key);
            }
        }
        key.append((byte) 0);
        key.append((byte) dimensions);
        for (int dimension = 0; dimension < dimensions; dimension++) {
            ElementForm.word(array.length(dimension), key);
        }
        for (int dimension = 0; dimension < dimensions; dimension++) {
            ElementForm.word(array.first(dimension), key);
        }
        return key;
    }

    private static void fill(ArrayWork work, Arguments in, Vector out, int row, boolean isBounded) {
        if (in.isNull(1) || isBounded && in.isNull(2)) {
            throw new QueryException(
                    SqlState.NULL_VALUE_NOT_ALLOWED, "dimension array or low bound array cannot be null");
        }
        List<Integer> lengths = integers(work, in, 1);
        if (lengths.size() > ArrayElements.MAX_DIMENSIONS) {
            throw new QueryException(
                    SqlState.PROGRAM_LIMIT_EXCEEDED,
                    "number of array dimensions (" + lengths.size() + ") exceeds the maximum allowed (6)");
        }
        List<Integer> firsts =
                isBounded ? integers(work, in, 2) : lengths.stream().map(_ -> 1).toList();
        if (lengths.size() != firsts.size()) {
            throw wrongSubscripts("Low bound array has different size than dimensions array.");
        }
        long count = lengths.isEmpty() ? 0 : 1;
        for (int length : lengths) {
            count *= length;
            if (length < 0 || count > MAX_ELEMENTS) {
                throw tooMany();
            }
        }
        work.builder.clear();
        work.builder.dimensions(lengths.size());
        for (int dimension = 0; dimension < lengths.size(); dimension++) {
            int first = firsts.get(dimension);
            if ((long) first + lengths.get(dimension) > Integer.MAX_VALUE) {
                throw new QueryException(SqlState.PROGRAM_LIMIT_EXCEEDED, "array lower bound is too large: " + first);
            }
            work.builder.shape(dimension, lengths.get(dimension), first);
        }
        for (int element = 0; element < count; element++) {
            work.add(in, 0);
        }
        work.builder.put(out, row);
    }

    private static QueryException tooMany() {
        return new QueryException(
                SqlState.PROGRAM_LIMIT_EXCEEDED, "array size exceeds the maximum allowed (" + MAX_ELEMENTS + ")");
    }

    private static QueryException wrongSubscripts(String detail) {
        return new QueryException(SqlState.ARRAY_SUBSCRIPT_ERROR, "wrong number of array subscripts")
                .withDetail(detail);
    }

    /// The elements of an int4[].
    private static List<Integer> integers(ArrayWork work, Arguments in, int argument) {
        ArrayElements array = work.other;
        array.openAny(in.text(argument));
        if (array.dimensions() > 1) {
            throw wrongSubscripts("Dimension array must be one dimensional.");
        }
        List<Integer> numbers = new ArrayList<>();
        while (array.next()) {
            if (array.isNull) {
                throw new QueryException(SqlState.NULL_VALUE_NOT_ALLOWED, "dimension values cannot be null");
            }
            numbers.add(Integer.parseInt(ElementForm.text(array)));
        }
        return numbers;
    }
}
