package dev.quarrel.cuda.encode;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// What one pass over a pipeline finds for the next: how often each column is fetched, which build rows are asked for,
/// and how many words a group has.
final class Usage {
    private final Map<Integer, Integer> fetches = new HashMap<>();
    private final Set<Integer> askedForRows = new HashSet<>();
    private int cellWords;

    /// What the first pass goes by: every build row may be asked for.
    static Usage unknown(int joins) {
        Usage usage = new Usage();
        for (int join = 0; join < joins; join++) {
            usage.askForRows(join);
        }
        return usage;
    }

    void fetch(int input) {
        fetches.merge(input, 1, Integer::sum);
    }

    void addFetches(Usage other) {
        other.fetches.forEach((input, count) -> fetches.merge(input, count, Integer::sum));
    }

    int fetches(int input) {
        return fetches.getOrDefault(input, 0);
    }

    /// Words of a group's cells; 0 where the full interpreter runs, which has no cells of blocks.
    void cellWords(int words) {
        cellWords = words;
    }

    /// The same; 0 where unknown.
    int cellWords() {
        return cellWords;
    }

    void askForRows(int join) {
        askedForRows.add(join);
    }

    boolean asksForRows(int join) {
        return askedForRows.contains(join);
    }
}
