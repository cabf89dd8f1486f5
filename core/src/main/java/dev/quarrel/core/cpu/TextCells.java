package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.Utf8Column;
import java.lang.foreign.MemorySegment;

/// The single values of a text column, plain or with a dictionary.
record TextCells(Column column) {
    boolean isPresent(int row) {
        return column.validity().isPresent(row);
    }

    private Utf8Column values() {
        return column instanceof DictionaryColumn codes ? codes.dictionary().values() : (Utf8Column) column;
    }

    private int entry(int row) {
        return column instanceof DictionaryColumn codes ? codes.code(row) : row;
    }

    MemorySegment data() {
        return values().data();
    }

    long start(int row) {
        return values().offset(entry(row));
    }

    int length(int row) {
        return (int) (values().offset(entry(row) + 1) - start(row));
    }
}
