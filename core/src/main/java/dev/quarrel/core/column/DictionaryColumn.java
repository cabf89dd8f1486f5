package dev.quarrel.core.column;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;

import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/// A column of text or bytes as codes into a dictionary.
///
/// - Shape: `codes` holds `rowCount` unsigned integers of `codeBytes` (1, 2 or 4) bytes. A present row's code must be
///   below `dictionary.size()`; whoever reads a file checks that once a batch.
public record DictionaryColumn(
        int rowCount, MemorySegment codes, int codeBytes, Dictionary dictionary, Validity validity) implements Column {

    public DictionaryColumn {
        if (codeBytes != 1 && codeBytes != 2 && codeBytes != 4) {
            throw new IllegalArgumentException("dictionary codes of " + codeBytes + " bytes");
        }
        Objects.checkFromIndexSize(0L, (long) rowCount * codeBytes, codes.byteSize());
        Objects.requireNonNull(dictionary, "dictionary");
        Objects.requireNonNull(validity, "validity");
    }

    @Override
    public DataType type() {
        return dictionary.type();
    }

    /// The code of row `row` in `dictionary` (not in its table's).
    public int code(int row) {
        return switch (codeBytes) {
            case 1 -> codes.get(ValueLayout.JAVA_BYTE, row) & 0xFF;
            case 2 -> codes.get(INT16, row * 2L) & 0xFFFF;
            default -> codes.get(INT32, row * 4L);
        };
    }
}
