package dev.quarrel.core.cpu.rows;

import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.cpu.number.FloatBits;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.TextTile;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.KeyHash;
import dev.quarrel.core.type.DataType;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;

/// A tile's keys of any columns: their hashes ([KeyHash]), and whether they are equal to keys that are stored. Both are
/// made column by column over many rows, so that the core overlaps cache misses.
///
/// NULLs are equal to each other here.
///
/// - Memory: some arrays of a tile, and the bytes of its texts.
final class KeyTile {
    /// Of the entries of larger dictionaries no hashes are kept.
    private static final int MAX_HASHED = 1 << 17;

    private static final int MAX_DICTIONARIES = 16;

    final long[] hashes; // by place in `rows`
    final int[] slots; // by place: where a search stands
    final int[] places; // of the rows that are compared
    private final long[] differing;
    private final long[] values;
    private final int[] comparedPlaces; // of what is compared
    private final int[] compared; // the rows of the same
    private final int[] stored; // the keys that they are compared with
    private final TextTile[] texts;
    private final boolean[] hasBytes; // whether the tile's texts are in `texts`
    private final Map<Dictionary, long[]> entryHashes = new IdentityHashMap<>(); // 0: not made yet
    private Vector[] keys;
    private int[] rows;

    KeyTile(int keyCount, int tileRows) {
        this.hashes = new long[tileRows];
        this.slots = new int[tileRows];
        this.places = new int[tileRows];
        this.differing = new long[tileRows];
        this.values = new long[tileRows];
        this.comparedPlaces = new int[tileRows];
        this.compared = new int[tileRows];
        this.stored = new int[tileRows];
        this.texts = new TextTile[keyCount];
        this.hasBytes = new boolean[keyCount];
    }

    /// Takes rows of key columns, which stay as they are while it works on them, and makes the hashes.
    void load(Vector[] newKeys, int[] newRows, int count) {
        keys = newKeys;
        rows = newRows;
        for (int key = 0; key < keys.length; key++) {
            long[] out = key == 0 ? hashes : values;
            hash(key, count, out);
            long[] present = keys[key].validity();
            for (int index = 0; present != null && index < count; index++) {
                out[index] = Bits.get(present, rows[index]) ? out[index] : KeyHash.NULL;
            }
            for (int index = 0; key > 0 && index < count; index++) {
                hashes[index] = KeyHash.combine(hashes[index], values[index]);
            }
        }
    }

    /// The same for keys whose hashes are there.
    void loadForComparison(Vector[] newKeys, int[] newRows, int count) {
        keys = newKeys;
        rows = newRows;
        for (int key = 0; key < keys.length; key++) {
            if (keys[key] instanceof TextVector text) {
                loadBytes(key, text, count);
            }
        }
    }

    private void loadBytes(int key, TextVector text, int count) {
        hasBytes[key] = false;
        if (text.dictionary() == null) {
            if (texts[key] == null) {
                texts[key] = new TextTile();
            }
            hasBytes[key] = texts[key].load(text, rows, count);
        }
    }

    /// Of NULLs, anything.
    private void hash(int key, int count, long[] out) {
        switch (keys[key]) {
            case BoolVector bools -> {
                for (int index = 0; index < count; index++) {
                    out[index] = KeyHash.of(bools.get(rows[index]) ? 1 : 0);
                }
            }
            case IntVector ints -> {
                for (int index = 0; index < count; index++) {
                    out[index] = KeyHash.of(ints.values()[rows[index]]);
                }
            }
            case LongVector longs -> {
                for (int index = 0; index < count; index++) {
                    out[index] = KeyHash.of(longs.values()[rows[index]]);
                }
            }
            case FloatVector floats -> {
                for (int index = 0; index < count; index++) {
                    out[index] = KeyHash.of(FloatBits.canonical(floats.values()[rows[index]]));
                }
            }
            case DoubleVector doubles -> {
                for (int index = 0; index < count; index++) {
                    out[index] = KeyHash.of(FloatBits.canonical(doubles.values()[rows[index]]));
                }
            }
            case DecimalVector decimals -> hash(decimals, count, out);
            case TextVector text -> hash(key, text, count, out);
        }
    }

    private void hash(DecimalVector decimals, int count, long[] out) {
        boolean isInterval = decimals.type() instanceof DataType.Interval;
        boolean isNumeric = decimals.type() instanceof DataType.Numeric;
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            long high = decimals.high()[row];
            long low = decimals.low()[row];
            if (isNumeric) {
                // Under a NULL may stand a scale that takes long.
                out[index] = decimals.isPresent(row) ? DecimalStore.numericHash(high, low, decimals.scale()[row]) : 0;
            } else {
                out[index] = isInterval ? KeyHash.ofInterval(low, high) : KeyHash.ofDecimal(high, low);
            }
        }
    }

    private void hash(int key, TextVector text, int count, long[] out) {
        Dictionary dictionary = text.dictionary();
        loadBytes(key, text, count);
        if (hasBytes[key]) {
            texts[key].hash(count, out);
            return;
        }
        long[] known = dictionary == null ? null : entryHashes(dictionary);
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            if (!text.isPresent(row)) {
                continue;
            }
            long hash = known == null ? 0 : known[text.codes()[row]];
            if (hash == 0) {
                hash = KeyHash.ofBytes(text.data(), text.start(row), text.length(row));
                if (known != null) {
                    known[text.codes()[row]] = hash;
                }
            }
            out[index] = hash;
        }
    }

    private long[] entryHashes(Dictionary dictionary) {
        if (dictionary.size() > MAX_HASHED) {
            return null;
        }
        if (entryHashes.size() == MAX_DICTIONARIES && !entryHashes.containsKey(dictionary)) {
            entryHashes.clear();
        }
        return entryHashes.computeIfAbsent(dictionary, _ -> new long[dictionary.size()]);
    }

    /// Compares the keys at some of `places` with stored ones.
    ///
    /// @param numbers by place: the row of the stored key
    /// @param from the first of `places`
    /// @return how many differ: their places stand from there on now
    int keepDiffering(ValueStore[] columns, int[] numbers, int from, int count) {
        for (int index = 0; index < count; index++) {
            comparedPlaces[index] = places[from + index];
            compared[index] = rows[comparedPlaces[index]];
            stored[index] = numbers[comparedPlaces[index]];
        }
        Arrays.fill(differing, 0, count, 0);
        for (int key = 0; key < keys.length; key++) {
            compare(key, columns[key], count);
            addDifferences(keys[key].validity(), columns[key], count);
        }
        int left = 0;
        for (int index = 0; index < count; index++) {
            places[from + left] = comparedPlaces[index];
            left += differing[index] == 0 ? 0 : 1;
        }
        return left;
    }

    private void addDifferences(long[] present, ValueStore column, int count) {
        if (present == null && column.isAllPresent()) {
            for (int index = 0; index < count; index++) {
                differing[index] |= values[index];
            }
            return;
        }
        for (int index = 0; index < count; index++) {
            boolean here = present == null || Bits.get(present, compared[index]);
            boolean there = column.isPresent(stored[index]);
            differing[index] |= here != there ? 1 : here ? values[index] : 0;
        }
    }

    /// Fills `values` with something that is 0 for equal values; for NULLs, anything.
    private void compare(int key, ValueStore column, int count) {
        switch (keys[key]) {
            case BoolVector bools -> {
                BoolStore known = (BoolStore) column;
                for (int index = 0; index < count; index++) {
                    values[index] = bools.get(compared[index]) == known.get(stored[index]) ? 0 : 1;
                }
            }
            case IntVector ints -> {
                int[] here = ints.values();
                int[] known = ((IntStore) column).values();
                for (int index = 0; index < count; index++) {
                    values[index] = here[compared[index]] ^ known[stored[index]];
                }
            }
            case LongVector longs -> {
                long[] here = longs.values();
                long[] known = ((LongStore) column).values();
                for (int index = 0; index < count; index++) {
                    values[index] = here[compared[index]] ^ known[stored[index]];
                }
            }
            case FloatVector floats -> {
                float[] known = ((FloatStore) column).values();
                for (int index = 0; index < count; index++) {
                    values[index] = FloatBits.canonical(floats.values()[compared[index]])
                            ^ FloatBits.canonical(known[stored[index]]);
                }
            }
            case DoubleVector doubles -> {
                double[] known = ((DoubleStore) column).values();
                for (int index = 0; index < count; index++) {
                    values[index] = FloatBits.canonical(doubles.values()[compared[index]])
                            ^ FloatBits.canonical(known[stored[index]]);
                }
            }
            case DecimalVector decimals -> compare(decimals, (DecimalStore) column, count);
            case TextVector text -> compare(key, text, (TextStore) column, count);
        }
    }

    private void compare(DecimalVector decimals, DecimalStore known, int count) {
        boolean hasForms = DecimalStore.hasForms(decimals.type());
        for (int index = 0; index < count; index++) {
            int row = compared[index];
            int other = stored[index];
            long here = decimals.high()[row];
            long there = known.high()[other];
            values[index] = here ^ there | decimals.low()[row] ^ known.low()[other];
        }
        for (int index = 0; hasForms && index < count; index++) {
            int row = compared[index];
            if (decimals.isPresent(row) && known.isPresent(stored[index])) {
                values[index] = known.isEqual(stored[index], decimals, row) ? 0 : 1;
            }
        }
    }

    private void compare(int key, TextVector text, TextStore known, int count) {
        Dictionary dictionary = text.dictionary();
        if (dictionary != null && dictionary == known.dictionary()) {
            for (int index = 0; index < count; index++) {
                values[index] = text.codes()[compared[index]] ^ known.codes()[stored[index]];
            }
            return;
        }
        if (hasBytes[key] && known.dictionary() == null) {
            texts[key].compare(comparedPlaces, count, stored, known.ends(), known.bytes(), values);
            return;
        }
        for (int index = 0; index < count; index++) {
            int row = compared[index];
            if (text.isPresent(row) && known.isPresent(stored[index])) {
                values[index] = known.isEqual(stored[index], text.data(), text.start(row), text.length(row)) ? 0 : 1;
            }
        }
    }
}
