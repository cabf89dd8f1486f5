package dev.quarrel.core.arrow;

import static dev.quarrel.core.column.LittleEndian.INT32;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/// Plain texts as codes, for the few rows of a table that have no dictionary where nearly all have one. The opposite is
/// [PlainText].
///
/// @param dictionary of the texts that there are
/// @param columns one for each that was given, with codes into it
public record CodedText(Dictionary dictionary, List<DictionaryColumn> columns) {

    /// - Nulls: a row is null where it was.
    /// - Memory: all of it in `memory`; nothing refers to what was given.
    ///
    /// @param type that of all columns
    public static CodedText of(DataType type, List<Utf8Column> plain, Allocator memory) {
        TextTable texts = new TextTable(0);
        ColumnWriter entries = new ColumnWriter(type, memory);
        List<MemorySegment> codes = new ArrayList<>();
        List<Validity> validities = new ArrayList<>();
        for (Utf8Column column : plain) {
            int rowCount = column.rowCount();
            MemorySegment numbers = memory.allocate(rowCount * 4L);
            MemorySegment present = memory.allocate((rowCount + 7L) / 8);
            int nullCount = 0;
            for (int row = 0; row < rowCount; row++) {
                if (!column.validity().isPresent(row)) {
                    nullCount++;
                    continue;
                }
                int bits = present.get(ValueLayout.JAVA_BYTE, row >>> 3) | 1 << (row & 7);
                present.set(ValueLayout.JAVA_BYTE, row >>> 3, (byte) bits);
                int before = texts.size();
                int number = texts.number(column, row);
                if (number == before) {
                    MemorySegment text = column.bytes(row);
                    entries.appendUtf8(text, 0, Math.toIntExact(text.byteSize()));
                }
                numbers.set(INT32, row * 4L, number);
            }
            codes.add(numbers);
            validities.add(Validity.of(present, rowCount, nullCount));
        }
        Dictionary dictionary = new Dictionary((Utf8Column) entries.finish());
        List<DictionaryColumn> columns = new ArrayList<>();
        for (int index = 0; index < codes.size(); index++) {
            int rowCount = plain.get(index).rowCount();
            columns.add(new DictionaryColumn(rowCount, codes.get(index), 4, dictionary, validities.get(index)));
        }
        return new CodedText(dictionary, List.copyOf(columns));
    }

    /// A column in the code space that its dictionary was given in a table.
    ///
    /// @param translated of the same entries as [#dictionary]
    public DictionaryColumn column(int index, Dictionary translated) {
        DictionaryColumn own = columns.get(index);
        return new DictionaryColumn(own.rowCount(), own.codes(), own.codeBytes(), translated, own.validity());
    }
}
