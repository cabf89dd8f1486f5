package dev.quarrel.core.arrow.dataset;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Up to where an exported table is what its source was, so that the next run need read what has come since.
///
/// @param column by whose values new rows are told
/// @param value the value up to which every row is in the table, as its source writes it
/// @param snapshot PostgreSQL's of that moment
/// @param relations the source's numbers of the tables that it was read from: itself, or its partitions and children
/// @param settings what else must be the same for the next run to go on from here, by name
public record Watermark(
        String column, String value, String snapshot, List<Long> relations, Map<String, String> settings) {
    public Watermark {
        relations = List.copyOf(relations);
        settings = Map.copyOf(new LinkedHashMap<>(settings));
    }
}
