package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Dictionary;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Comparisons of text by its UTF-8 bytes, unsigned.
final class TextComparisons {
    private TextComparisons() {}

    /// @param a left of "less" or "equal" (already swapped)
    static void compare(Relation relation, TextVector a, TextVector b, BoolVector result, Mask rows) {
        long[] out = result.bits();
        int[] indexes = rows.indexes();
        int count = rows.count();
        boolean negated = relation.flip != 0;
        Dictionary dictionary = a.dictionary();
        boolean sameCodes = dictionary != null && dictionary == b.dictionary();
        MemorySegment dataA = a.data();
        MemorySegment dataB = b.data();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (!result.isPresent(row)) {
                continue;
            }
            boolean holds;
            if (sameCodes && (relation.isEquality || a.codes()[row] == b.codes()[row])) {
                holds = relation.isEquality && a.codes()[row] == b.codes()[row];
            } else if (relation.isEquality) {
                int length = a.length(row);
                holds = length == b.length(row) && isEqual(dataA, a.start(row), dataB, b.start(row), length);
            } else {
                holds = compare(dataA, a.start(row), a.length(row), dataB, b.start(row), b.length(row)) < 0;
            }
            Bits.set(out, row, holds != negated);
        }
    }

    static boolean isEqual(MemorySegment a, long startA, MemorySegment b, long startB, int length) {
        for (int index = 0; index < length; index++) {
            if (a.get(ValueLayout.JAVA_BYTE, startA + index) != b.get(ValueLayout.JAVA_BYTE, startB + index)) {
                return false;
            }
        }
        return true;
    }

    static int compare(MemorySegment a, long startA, int lengthA, MemorySegment b, long startB, int lengthB) {
        int common = Math.min(lengthA, lengthB);
        for (int index = 0; index < common; index++) {
            int x = a.get(ValueLayout.JAVA_BYTE, startA + index) & 0xFF;
            int y = b.get(ValueLayout.JAVA_BYTE, startB + index) & 0xFF;
            if (x != y) {
                return x - y;
            }
        }
        return lengthA - lengthB;
    }
}
