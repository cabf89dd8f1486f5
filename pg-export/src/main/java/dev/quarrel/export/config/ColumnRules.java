package dev.quarrel.export.config;

import java.util.List;
import java.util.Optional;

/// The rules by which columns are written, where their types leave a choice. Columns are named as SQL names
/// them: `column`, `table.column` or `schema.table.column`.
///
/// @param flatten whether a composite's fields become columns of their own, `column.field`
/// @param halves columns of real or double precision that are rounded to half floats
/// @param dictionaries the text columns that get a dictionary, besides enums; empty: those of few values by
///     PostgreSQL's statistics
/// @param statistics the columns whose bounds and distinct values are counted; empty: all
/// @param largeOffsets whether texts and bytes get offsets of 8 bytes
/// @param partitionBy expressions of SQL, `expression` or `expression AS name`: their values become folders
public record ColumnRules(
        boolean flatten,
        List<String> halves,
        Optional<List<String>> dictionaries,
        Optional<List<String>> statistics,
        boolean largeOffsets,
        List<String> partitionBy) {
    public static final ColumnRules DEFAULT =
            new ColumnRules(false, List.of(), Optional.empty(), Optional.empty(), false, List.of());

    public ColumnRules {
        halves = List.copyOf(halves);
        dictionaries = dictionaries.map(List::copyOf);
        statistics = statistics.map(List::copyOf);
        partitionBy = List.copyOf(partitionBy);
    }
}
