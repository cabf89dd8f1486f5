package dev.quarrel.core.cpu.rows;

import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.Utf8Column;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/// The single values of a text column, plain or with a dictionary.
public record TextCells(Column column) {
    /// The text of a present row. Allocates: for the few numbers that are too large for words.
    public static String text(Column column, int row) {
        TextCells cells = new TextCells(column);
        byte[] bytes = cells.data().asSlice(cells.start(row), cells.length(row)).toArray(ValueLayout.JAVA_BYTE);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    public boolean isPresent(int row) {
        return column.validity().isPresent(row);
    }

    private Utf8Column values() {
        return column instanceof DictionaryColumn codes ? codes.dictionary().values() : (Utf8Column) column;
    }

    private int entry(int row) {
        return column instanceof DictionaryColumn codes ? codes.code(row) : row;
    }

    public MemorySegment data() {
        return values().data();
    }

    public long start(int row) {
        return values().offset(entry(row));
    }

    public int length(int row) {
        return (int) (values().offset(entry(row) + 1) - start(row));
    }
}
