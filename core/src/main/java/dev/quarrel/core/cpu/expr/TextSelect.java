package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TextVector;
import java.lang.foreign.MemorySegment;

/// Chooses between two text vectors that may differ in form.
final class TextSelect {
    private final TextReader reader = new TextReader();

    /// @param rest the rows in which `otherwise` is taken
    void select(Mask chosen, TextVector whenTrue, TextVector otherwise, TextVector result, Mask rest) {
        boolean sameCodes = whenTrue.dictionary() != null && whenTrue.dictionary() == otherwise.dictionary();
        boolean sameBase = whenTrue.dictionary() == null
                && otherwise.dictionary() == null
                && isSame(whenTrue.base(), otherwise.base());
        if (sameCodes || sameBase) {
            result.copyValues(whenTrue, chosen);
            result.copyValues(otherwise, rest);
            return;
        }
        result.startBuffer();
        copy(whenTrue, result, chosen);
        copy(otherwise, result, rest);
    }

    /// Segments are equal by their address alone, which one of no bytes may have of its neighbour.
    private static boolean isSame(MemorySegment one, MemorySegment other) {
        return one.equals(other) && one.byteSize() == other.byteSize();
    }

    private void copy(TextVector from, TextVector to, Mask rows) {
        reader.bind(from, rows);
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (from.isPresent(row)) {
                reader.read(row);
                to.append(row, reader.bytes, reader.start, reader.length);
            }
        }
    }
}
