package dev.quarrel.core.arrow;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.Utf8Column;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// The entries of one dictionary id: its first batch and the deltas after it.
record DictionaryEntries(long id, List<Utf8Column> parts, Allocator memory) {
    /// All entries as one column; a copy only where there are deltas.
    Utf8Column join() {
        if (parts.size() == 1) {
            return parts.getFirst();
        }
        ColumnWriter joined = new ColumnWriter(parts.getFirst().type(), memory);
        for (Utf8Column part : parts) {
            for (int entry = 0; entry < part.rowCount(); entry++) {
                if (part.validity().isPresent(entry)) {
                    MemorySegment text = part.bytes(entry);
                    joined.appendUtf8(text, 0, Math.toIntExact(text.byteSize()));
                } else {
                    joined.appendNull();
                }
            }
        }
        return (Utf8Column) joined.finish();
    }
}
