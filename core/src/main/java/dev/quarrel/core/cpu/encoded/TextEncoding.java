package dev.quarrel.core.cpu.encoded;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.cpu.rows.SharedTexts;
import dev.quarrel.core.table.Table;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// The encoding of a table's plain text column as codes of two bytes.
public final class TextEncoding implements ColumnEncoding {
    private final int column;
    private final SharedTexts texts;
    private final MemorySegment[] codes;
    private final KeptValidity validity;
    private final long bytes;
    private volatile boolean isRefused;
    private Dictionary dictionary;

    public TextEncoding(Table table, int column) {
        Arena arena = Arena.ofAuto();
        this.column = column;
        this.texts = new SharedTexts(SharedTexts.MAX_CODES, byteSize -> arena.allocate(byteSize, 8));
        this.codes = new MemorySegment[table.batchCount()];
        this.validity = new KeptValidity(codes.length);
        this.bytes = bytes(table);
        for (int batch = 0; batch < codes.length; batch++) {
            codes[batch] = arena.allocate(table.batchRows(batch) * 2L, 64);
        }
    }

    /// What an encoding of a column takes, about.
    public static long bytes(Table table) {
        return table.stats().rowCount() * 2 + table.stats().rowCount() / 8 + SharedTexts.MAX_TEXT_BYTES;
    }

    @Override
    public int column() {
        return column;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public Part newPart() {
        TextEncoder encoder = new TextEncoder(texts);
        return (batch, values, firstRow, rowCount, cancellation) -> {
            if (values instanceof Utf8Column plain) {
                encode(batch, plain, firstRow, rowCount, encoder, cancellation);
            } else {
                isRefused = true;
            }
        };
    }

    private void encode(
            int batch, Utf8Column values, int firstRow, int rowCount, TextEncoder encoder, Cancellation cancellation) {
        if (firstRow == 0) {
            validity.keep(batch, values);
        }
        for (int done = 0; done < rowCount && !isRefused; done += TILE_ROWS) {
            cancellation.check();
            int count = Math.min(TILE_ROWS, rowCount - done);
            if (!encoder.encode(values, firstRow + done, count, codes[batch])) {
                isRefused = true;
            }
        }
    }

    /// Whether the column has more values than codes.
    @Override
    public boolean isRefused() {
        return isRefused;
    }

    @Override
    public void refuse() {
        isRefused = true;
    }

    @Override
    public void finish() {
        dictionary = texts.toDictionary();
    }

    Dictionary dictionary() {
        return dictionary;
    }

    DictionaryColumn read(int batch, int rowCount) {
        return new DictionaryColumn(rowCount, codes[batch], 2, dictionary, validity.of(batch, rowCount));
    }
}
