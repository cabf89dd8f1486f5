package dev.quarrel.core.arrow;

import static dev.quarrel.core.column.LittleEndian.INT32;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Copies a dictionary column into plain text, for tables whose files do not all have a dictionary.
public final class PlainText {
    private PlainText() {}

    /// The most that `of` may allocate: every row with the longest entry.
    public static long mostBytes(Dictionary dictionary, long rowCount) {
        Utf8Column entries = dictionary.values();
        long longest = 0;
        for (int entry = 0; entry < dictionary.size(); entry++) {
            longest = Math.max(longest, entries.offset(entry + 1) - entries.offset(entry));
        }
        return (rowCount + 1) * 4 + rowCount / 8 + 1 + Math.min(rowCount * longest, Integer.MAX_VALUE);
    }

    /// - Nulls: a row is null where it was, and where its entry is.
    /// - Errors: `QueryException` 0A000 for more than 2 GiB of text.
    public static Utf8Column of(DictionaryColumn coded, Allocator memory) {
        int rowCount = coded.rowCount();
        Utf8Column entries = coded.dictionary().values();
        MemorySegment offsets = memory.allocate((rowCount + 1L) * 4);
        MemorySegment present = memory.allocate((rowCount + 7L) / 8);
        long end = 0;
        int nullCount = 0;
        for (int row = 0; row < rowCount; row++) {
            int code = coded.validity().isPresent(row) ? coded.code(row) : -1;
            if (code >= 0 && entries.validity().isPresent(code)) {
                end += entries.offset(code + 1) - entries.offset(code);
                int bits = present.get(ValueLayout.JAVA_BYTE, row >>> 3) | 1 << (row & 7);
                present.set(ValueLayout.JAVA_BYTE, row >>> 3, (byte) bits);
            } else {
                nullCount++;
            }
            if (end > Integer.MAX_VALUE) {
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED, "a batch has more than 2 GiB of text in one column");
            }
            offsets.set(INT32, (row + 1L) * 4, (int) end);
        }
        MemorySegment text = memory.allocate(end);
        Validity validity = Validity.of(present, rowCount, nullCount);
        for (int row = 0; row < rowCount; row++) {
            if (validity.isPresent(row)) {
                long start = entries.offset(coded.code(row));
                long length = entries.offset(coded.code(row) + 1) - start;
                MemorySegment.copy(entries.data(), start, text, offsets.get(INT32, row * 4L), length);
            }
        }
        return new Utf8Column(entries.type(), rowCount, offsets, false, text, validity);
    }
}
