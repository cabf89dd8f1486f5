package dev.quarrel.core.cpu.text;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// The elements of an array's text, one after the other; nothing is allocated for those without backslashes.
///
/// It trusts the text to be an array as `ArrayWriter` and PostgreSQL write it.
public final class ArrayElements {
    public static final int MAX_DIMENSIONS = 6;

    private byte[] array;
    private int at;
    private int end; // where the closing braces are
    private byte[] scratch = new byte[64];
    private int dimensions;
    private final int[] lengths = new int[MAX_DIMENSIONS];
    private final int[] firsts = new int[MAX_DIMENSIONS];

    /// The current element's text; nothing that counts where it is NULL.
    public byte[] bytes;
    public int start;
    public int length;
    public boolean isNull;

    /// Stands before the first element.
    ///
    /// - Errors: `QueryException` 0A000 for an array of several dimensions, or counted from another number than 1.
    public void open(TextReader text) {
        array = text.bytes;
        boolean isBounded = text.length > 0 && array[text.start] == '[';
        boolean isNested = text.length > 1 && array[text.start + 1] == '{';
        if (isBounded || isNested) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "not supported: an array of several dimensions, or counted from another number than 1, here");
        }
        at = text.start + 1;
        end = text.end() - 1;
        dimensions = 1;
    }

    /// Stands before the first element of an array of any shape.
    public void openAny(TextReader text) {
        array = text.bytes;
        at = text.start;
        int bounds = readBounds();
        dimensions = 0;
        while (array[at + dimensions] == '{') {
            dimensions++;
        }
        end = text.end() - dimensions;
        at += dimensions;
        if (at >= end && text.end() - text.start == 2) {
            dimensions = 0;
        } else if (dimensions == 1) {
            // One dimension is counted while it is read, by those who want to know.
            lengths[0] = -1;
        } else {
            measure();
        }
        for (int dimension = bounds; dimension < dimensions; dimension++) {
            firsts[dimension] = 1;
        }
    }

    /// Reads `[0:2][1:3]=`, if that is there.
    private int readBounds() {
        int count = 0;
        while (array[at] == '[') {
            at++;
            boolean isNegative = array[at] == '-';
            at += isNegative ? 1 : 0;
            long number = 0;
            while (array[at] != ':') {
                number = 10 * number + array[at++] - '0';
            }
            firsts[count++] = (int) (isNegative ? -number : number);
            while (array[at++] != ']') {}
        }
        at += count > 0 ? 1 : 0;
        return count;
    }

    /// The lengths of the dimensions: of each the items of its first array.
    private void measure() {
        java.util.Arrays.fill(lengths, 0, dimensions, 1);
        int depth = dimensions;
        int known = dimensions; // dimensions from there on have been counted
        boolean isQuoted = false;
        for (int index = at; index < end + dimensions; index++) {
            byte each = array[index];
            if (each == '\\') {
                index++;
            } else if (each == '"') {
                isQuoted = !isQuoted;
            } else if (!isQuoted && each == '{') {
                depth++;
            } else if (!isQuoted && each == '}') {
                known = Math.min(known, --depth);
            } else if (!isQuoted && each == ',' && depth <= known) {
                lengths[depth - 1]++;
            }
        }
    }

    /// The number of dimensions; 0 for an array without elements.
    public int dimensions() {
        return dimensions;
    }

    /// The length of a dimension, the outermost being 0.
    public int length(int dimension) {
        if (lengths[dimension] < 0) {
            int here = at;
            int count = 0;
            while (next()) {
                count++;
            }
            at = here;
            lengths[dimension] = count;
        }
        return lengths[dimension];
    }

    /// The number of a dimension's first element.
    public int first(int dimension) {
        return firsts[dimension];
    }

    /// How many elements there are, in all dimensions.
    public int count() {
        int count = dimensions == 0 ? 0 : 1;
        for (int dimension = 0; dimension < dimensions; dimension++) {
            count *= length(dimension);
        }
        return count;
    }

    /// Moves to the next element.
    ///
    /// @return false behind the last
    public boolean next() {
        if (at >= end) {
            return false;
        }
        while (dimensions > 1 && (array[at] == '{' || array[at] == '}' || array[at] == ',')) {
            at++;
        }
        if (array[at] == '"') {
            quoted();
        } else {
            plain();
        }
        return true;
    }

    /// Moves to the element of that number, from 1.
    boolean find(int number) {
        if (number < 1) {
            return false;
        }
        for (int count = number; count > 0; count--) {
            if (!next()) {
                return false;
            }
        }
        return true;
    }

    private void plain() {
        bytes = array;
        start = at;
        while (at < end && array[at] != ',' && array[at] != '}') {
            at++;
        }
        length = at - start;
        at++;
        isNull = length == 4
                && array[start] == 'N'
                && array[start + 1] == 'U'
                && array[start + 2] == 'L'
                && array[start + 3] == 'L';
    }

    private void quoted() {
        isNull = false;
        start = at + 1;
        int escapes = 0;
        int last = start;
        while (last < end && array[last] != '"') {
            if (array[last] == '\\') {
                escapes++;
                last++;
            }
            last++;
        }
        last = Math.min(last, end);
        length = last - start - escapes;
        bytes = array;
        at = last + 2; // behind the quote and the comma
        if (escapes > 0) {
            unescape(last);
        }
    }

    private void unescape(int last) {
        if (scratch.length < length) {
            scratch = new byte[Math.max(length, 2 * scratch.length)];
        }
        int to = 0;
        for (int from = start; from < last && to < length; from++) {
            if (array[from] == '\\' && from + 1 < last) {
                from++;
            }
            scratch[to++] = array[from];
        }
        bytes = scratch;
        start = 0;
    }
}
