package dev.quarrel.core.cpu;

import dev.quarrel.core.ir.SortKey;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/// What a row's first key must reach to be among the first N, once N rows are known: the key of the last of them.
///
/// It belongs to one worker, whose rows come in scan order: a later row that is equal in all keys comes behind.
final class SortBar {
    private final SortKey key;
    private final boolean isOnlyKey;
    private final boolean isNull;
    private final long word; // orders as the key's value does
    private final MemorySegment text;
    private int[] kept = new int[0];

    private SortBar(SortKey key, boolean isOnlyKey, boolean isNull, long word, MemorySegment text) {
        this.key = key;
        this.isOnlyKey = isOnlyKey;
        this.isNull = isNull;
        this.word = word;
        this.text = text;
    }

    /// The bar that row `row` of the first key's column sets, or null for types that have none.
    static SortBar of(ValueStore column, int row, List<SortKey> keys) {
        SortKey key = keys.getFirst();
        boolean isOnly = keys.size() == 1;
        if (!column.isPresent(row)) {
            return column instanceof DecimalStore ? null : new SortBar(key, isOnly, true, 0, null);
        }
        return switch (column) {
            case BoolStore bools -> new SortBar(key, isOnly, false, bools.get(row) ? 1 : 0, null);
            case IntStore ints -> new SortBar(key, isOnly, false, ints.values()[row], null);
            case LongStore longs -> new SortBar(key, isOnly, false, longs.values()[row], null);
            case FloatStore floats -> new SortBar(key, isOnly, false, FloatBits.ordered(floats.values()[row]), null);
            case DoubleStore doubles -> new SortBar(key, isOnly, false, FloatBits.ordered(doubles.values()[row]), null);
            case DecimalStore _ -> null;
            case TextStore texts -> {
                byte[] bytes = texts.bytes(row)
                        .asSlice(texts.start(row), texts.length(row))
                        .toArray(ValueLayout.JAVA_BYTE);
                yield new SortBar(key, isOnly, false, 0, MemorySegment.ofArray(bytes));
            }
        };
    }

    /// Selects those of `rows` that may be among the first.
    void admit(Vector values, Mask rows, Mask admitted) {
        int count = rows.count();
        if (kept.length < count) {
            kept = new int[count];
        }
        int[] indexes = rows.indexes();
        int next = 0;
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            kept[next] = row;
            next += isAdmitted(values, row) ? 1 : 0;
        }
        admitted.setIndexes(kept, next, rows.rowCount());
    }

    private boolean isAdmitted(Vector values, int row) {
        boolean absent = !values.isPresent(row);
        int order;
        if (absent || isNull) {
            order = absent == isNull ? 0 : absent == key.nullsFirst() ? -1 : 1;
        } else {
            order = compare(values, row);
            order = key.descending() ? -order : order;
        }
        return isOnlyKey ? order < 0 : order <= 0;
    }

    private int compare(Vector values, int row) {
        return switch (values) {
            case IntVector ints -> Long.compare(ints.values()[row], word);
            case LongVector longs -> Long.compare(longs.values()[row], word);
            case BoolVector bools -> Long.compare(bools.get(row) ? 1 : 0, word);
            case FloatVector floats -> Long.compare(FloatBits.ordered(floats.values()[row]), word);
            case DoubleVector doubles -> Long.compare(FloatBits.ordered(doubles.values()[row]), word);
            case TextVector texts ->
                SortOrder.compareBytes(
                        texts.data(), texts.start(row), texts.length(row), text, 0, (int) text.byteSize());
            case DecimalVector _ -> throw new IllegalStateException("decimals set no bar");
        };
    }
}
