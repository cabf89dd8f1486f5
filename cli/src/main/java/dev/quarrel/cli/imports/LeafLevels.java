package dev.quarrel.cli.imports;

import dev.hardwood.reader.ColumnReader;
import dev.hardwood.reader.LayerKind;
import dev.hardwood.reader.Validity;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Arrays;
import java.util.stream.IntStream;

/// The levels of a column that is in lists or structs, of one batch: an entry for each value, and for each place where
/// there is none because a field around it is NULL or empty. Rows are taken from it one after another.
///
/// The reader has values of some entries only, those whose definition level is at least one that it does not tell:
/// of all that are in the innermost list, as a rule.
final class LeafLevels {
    private final ColumnReader reader;
    private final int[] definitions; // null where all is there
    private final int[] repetitions; // null where every entry is a row
    private final int[] textOffsets; // null where values have one width
    private final int entryCount;
    private final int valueLevel;
    private int nextEntry;
    private int nextValue;

    /// Entries of some rows.
    ///
    /// @param firstValue the reader's value of the first entry that has one
    record Range(int from, int to, int firstValue) {}

    /// @param rowCount of the batch
    /// @param isText whether values have lengths of their own
    LeafLevels(ColumnReader reader, int rowCount, boolean isText) {
        this.reader = reader;
        this.definitions = definitions(reader, rowCount);
        this.repetitions = reader.getRepetitionLevels();
        this.textOffsets = isText ? reader.getBinaryOffsets() : null;
        this.entryCount = repetitions == null ? rowCount : repetitions.length;
        if (definitions == null && reader.getColumnSchema().maxDefinitionLevel() > 0) {
            throw unknown("levels", 0, "of", reader.getColumnSchema().maxDefinitionLevel());
        }
        this.valueLevel = definitions == null ? 0 : valueLevel();
        int lists = 0;
        for (int layer = 0; layer < reader.getLayerCount(); layer++) {
            lists += reader.getLayerKind(layer) == LayerKind.REPEATED ? 1 : 0;
        }
        if (lists != reader.getColumnSchema().maxRepetitionLevel()) {
            throw unknown("lists", lists, "levels to", reader.getColumnSchema().maxRepetitionLevel());
        }
    }

    /// Of a column that is optional, in structs that are always there, the reader gives no levels.
    private static int[] definitions(ColumnReader reader, int rowCount) {
        int[] levels = reader.getDefinitionLevels();
        if (levels != null || reader.getColumnSchema().maxDefinitionLevel() != 1) {
            return levels;
        }
        Validity present = reader.getLeafValidity();
        return IntStream.range(0, rowCount)
                .map(row -> present.isNotNull(row) ? 1 : 0)
                .toArray();
    }

    /// - Errors: `QueryException` 0A000 where values cannot be told from what is missing.
    private int valueLevel() {
        int most = reader.getColumnSchema().maxDefinitionLevel();
        int[] counts = new int[most + 1];
        for (int entry = 0; entry < entryCount; entry++) {
            counts[definitions[entry]]++;
        }
        int count = 0;
        for (int level = most; level >= 0; level--) {
            count += counts[level];
            if (count == reader.getValueCount()) {
                return level;
            }
        }
        throw unknown("values", reader.getValueCount(), "levels", Arrays.toString(counts));
    }

    private QueryException unknown(String what, int count, String levels, Object of) {
        return new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "column \""
                                + String.join(
                                        ".",
                                        reader.getColumnSchema().fieldPath().elements())
                                + "\" has a form that is not read: " + what + " " + count + ", " + levels + " " + of)
                .withHint("write the file without the column");
    }

    ColumnReader reader() {
        return reader;
    }

    int definition(int entry) {
        return definitions == null ? 0 : definitions[entry];
    }

    int repetition(int entry) {
        return repetitions == null ? 0 : repetitions[entry];
    }

    /// Whether the reader has a value of an entry.
    boolean hasValue(int entry) {
        return definition(entry) >= valueLevel;
    }

    /// How many of the next rows have so many entries and bytes together at most; one at least.
    int rowsWithin(int maxRows, int maxEntries, long maxBytes) {
        int rows = 0;
        int value = nextValue;
        long end = textOffsets == null ? 0 : textOffsets[nextValue] + maxBytes;
        for (int entry = nextEntry; entry < entryCount; entry++) {
            boolean isRow = repetition(entry) == 0;
            boolean isFull = entry - nextEntry >= maxEntries || textOffsets != null && textOffsets[value] > end;
            if (isRow && (rows == maxRows || rows > 0 && isFull)) {
                break;
            }
            rows += isRow ? 1 : 0;
            value += hasValue(entry) ? 1 : 0;
        }
        return rows;
    }

    /// The entries of the next rows.
    Range take(int rows) {
        int from = nextEntry;
        int firstValue = nextValue;
        int begun = 0;
        for (; nextEntry < entryCount; nextEntry++) {
            if (repetition(nextEntry) == 0 && begun++ == rows) {
                break;
            }
            nextValue += hasValue(nextEntry) ? 1 : 0;
        }
        return new Range(from, nextEntry, firstValue);
    }
}
