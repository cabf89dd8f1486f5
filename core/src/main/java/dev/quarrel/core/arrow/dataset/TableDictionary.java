package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.TextTable;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.Utf8Column;
import java.util.ArrayList;
import java.util.List;

/// One code space over the dictionaries that a column has in several files.
///
/// @param table the code space
/// @param files one a file given to `of`: its dictionary, translated where codes differ; `table` itself where not
record TableDictionary(Dictionary table, List<Dictionary> files) {

    /// Merges the files' dictionaries. One file whose entries are distinct is its own code space, without a copy.
    ///
    /// - Memory: merged entries are copied into `memory`.
    /// - Nulls: null when a dictionary has a NULL entry: such columns are read as plain text instead.
    static TableDictionary of(List<Dictionary> files, Allocator memory) {
        for (Dictionary file : files) {
            if (file.values().validity().nullCount() != 0) {
                return null;
            }
        }
        int entryCount =
                Math.toIntExact(files.stream().mapToLong(Dictionary::size).max().orElse(0));
        Dictionary first = files.getFirst();
        TextTable entries = new TextTable(entryCount);
        List<int[]> codes = new ArrayList<>(files.size());
        ColumnWriter merged = files.size() == 1 ? null : new ColumnWriter(first.type(), memory);
        for (Dictionary file : files) {
            codes.add(entries.addAll(file.values(), merged));
        }
        if (files.size() == 1) {
            if (entries.size() == first.size()) {
                return new TableDictionary(first, List.of(first));
            }
            merged = new ColumnWriter(first.type(), memory);
            TextTable distinct = new TextTable(entries.size());
            codes = List.of(distinct.addAll(first.values(), merged));
        }
        Dictionary table = new Dictionary((Utf8Column) merged.finish());
        List<Dictionary> translated = new ArrayList<>(files.size());
        for (int file = 0; file < files.size(); file++) {
            translated.add(new Dictionary(files.get(file).values(), table, codes.get(file)));
        }
        return new TableDictionary(table, translated);
    }
}
