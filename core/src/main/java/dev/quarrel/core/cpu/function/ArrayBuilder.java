package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.ArrayElements;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// Makes an array's text out of elements, which come one after the other, and of the shape they are to have.
///
/// - Source: PostgreSQL's `array_out`.
final class ArrayBuilder {
    private static final int MAX_BYTES = 1 << 29;

    /// The elements as the text shows them, and where each ends.
    private final TextBuffer items = new TextBuffer();
    private int[] ends = new int[16];
    private int count;

    private int dimensions;
    private final int[] lengths = new int[ArrayElements.MAX_DIMENSIONS];
    private final int[] firsts = new int[ArrayElements.MAX_DIMENSIONS];
    private final TextBuffer text = new TextBuffer();

    /// Starts an array that counts from 1 in one dimension, unless it is told otherwise.
    void clear() {
        items.clear();
        count = 0;
        dimensions = 1;
        firsts[0] = 1;
        lengths[0] = -1;
    }

    int count() {
        return count;
    }

    void addNull() {
        items.appendAscii("NULL");
        end();
    }

    void add(TextBuffer element) {
        add(element.array(), 0, element.length());
    }

    void add(ArrayElements from) {
        if (from.isNull) {
            addNull();
        } else {
            add(from.bytes, from.start, from.length);
        }
    }

    void addAll(ArrayElements from) {
        while (from.next()) {
            add(from);
        }
    }

    private void add(byte[] bytes, int start, int length) {
        ArrayText.appendElement(bytes, start, length, items);
        end();
    }

    private void end() {
        if (items.length() > MAX_BYTES) {
            throw tooLarge();
        }
        if (count == ends.length) {
            ends = Arrays.copyOf(ends, 2 * count);
        }
        ends[count++] = items.length();
    }

    static QueryException tooLarge() {
        return new QueryException(
                SqlState.PROGRAM_LIMIT_EXCEEDED, "array size exceeds the maximum allowed (1073741823)");
    }

    /// The array has the shape of `like`.
    void shape(ArrayElements like) {
        dimensions = like.dimensions();
        for (int dimension = 0; dimension < dimensions; dimension++) {
            shape(dimension, like.length(dimension), like.first(dimension));
        }
    }

    void dimensions(int number) {
        dimensions = number;
    }

    void shape(int dimension, int length, int first) {
        lengths[dimension] = length;
        firsts[dimension] = first;
    }

    /// The number of the first element, of an array of one dimension whose length the elements tell.
    void first(int number) {
        firsts[0] = number;
    }

    /// Puts the array into a row.
    void put(Vector out, int row) {
        finish();
        ((TextVector) out).append(row, text.array(), 0, text.length());
    }

    private void finish() {
        text.clear();
        if (count == 0) {
            text.appendAscii("{}");
            return;
        }
        if (dimensions <= 1) {
            dimensions = 1;
            lengths[0] = count;
        }
        boolean isBounded = false;
        for (int dimension = 0; dimension < dimensions; dimension++) {
            isBounded |= firsts[dimension] != 1;
        }
        if (isBounded) {
            for (int dimension = 0; dimension < dimensions; dimension++) {
                text.appendAscii("[" + firsts[dimension] + ":" + (firsts[dimension] + lengths[dimension] - 1) + "]");
            }
            text.append('=');
        }
        append(0, 0);
    }

    private int append(int dimension, int from) {
        int next = from;
        text.append('{');
        for (int index = 0; index < lengths[dimension]; index++) {
            if (index > 0) {
                text.append(',');
            }
            if (dimension + 1 < dimensions) {
                next = append(dimension + 1, next);
            } else {
                int start = next == 0 ? 0 : ends[next - 1];
                text.append(MemorySegment.ofArray(items.array()), start, ends[next] - start);
                next++;
            }
        }
        text.append('}');
        return next;
    }
}
