package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.run.Cancellation;
import dev.quarrel.core.table.Table;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// A plain text column of a table as codes of two bytes, made by the workers of one query and then kept for others.
///
/// - Memory: its own, freed when nobody refers to it any more.
/// - Threads: parts of a batch are encoded by several, each part by one; `finish` comes after all of them.
final class TextEncoding {
    private final int column;
    private final SharedTexts texts;
    private final MemorySegment[] codes;
    private final MemorySegment[] present; // null where all rows are
    private final long[] nullCounts;
    private final long bytes;
    private volatile boolean isRefused;
    private Dictionary dictionary;

    TextEncoding(Table table, int column) {
        Arena arena = Arena.ofAuto();
        this.column = column;
        this.texts = new SharedTexts(SharedTexts.MAX_CODES, byteSize -> arena.allocate(byteSize, 8));
        this.codes = new MemorySegment[table.batchCount()];
        this.present = new MemorySegment[codes.length];
        this.nullCounts = new long[codes.length];
        this.bytes = bytes(table);
        for (int batch = 0; batch < codes.length; batch++) {
            codes[batch] = arena.allocate(table.batchRows(batch) * 2L, 64);
        }
    }

    /// What an encoding of a column takes, about.
    static long bytes(Table table) {
        return table.stats().rowCount() * 2 + table.stats().rowCount() / 8 + SharedTexts.MAX_TEXT_BYTES;
    }

    int column() {
        return column;
    }

    long bytes() {
        return bytes;
    }

    TextEncoder newEncoder() {
        return new TextEncoder(texts);
    }

    /// Encodes a part of a batch.
    ///
    /// - Errors: the reason why the query is to stop.
    void encode(
            int batch, Utf8Column values, int firstRow, int rowCount, TextEncoder encoder, Cancellation cancellation) {
        if (firstRow == 0 && !values.validity().isAllPresent()) {
            keepValidity(batch, values);
        }
        for (int done = 0; done < rowCount && !isRefused; done += TextEncoder.TILE_ROWS) {
            cancellation.check();
            int count = Math.min(TextEncoder.TILE_ROWS, rowCount - done);
            if (!encoder.encode(values, firstRow + done, count, codes[batch])) {
                isRefused = true;
            }
        }
    }

    private void keepValidity(int batch, Utf8Column values) {
        int words = Bits.words(values.rowCount());
        MemorySegment bits = Arena.ofAuto().allocate(words * 8L, 8);
        long count = 0;
        for (int word = 0; word < words; word++) {
            long valid = values.validity().word(word * 64L);
            bits.setAtIndex(ValueLayout.JAVA_LONG, word, valid);
            count += Long.bitCount(word == words - 1 ? valid & -1L >>> -values.rowCount() : valid);
        }
        nullCounts[batch] = values.rowCount() - count;
        present[batch] = bits;
    }

    /// Whether the column has more values than codes.
    boolean isRefused() {
        return isRefused;
    }

    void refuse() {
        isRefused = true;
    }

    /// Once all parts are encoded.
    void finish() {
        dictionary = texts.toDictionary();
    }

    Dictionary dictionary() {
        return dictionary;
    }

    DictionaryColumn read(int batch, int rowCount) {
        Validity validity = present[batch] == null
                ? Validity.allPresent()
                : Validity.of(present[batch], rowCount, nullCounts[batch]);
        return new DictionaryColumn(rowCount, codes[batch], 2, dictionary, validity);
    }
}
