package dev.quarrel.core.cpu.rows;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.cpu.number.FloatBits;
import dev.quarrel.core.cpu.number.LongTable;
import dev.quarrel.core.cpu.number.SplitTable;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Arrays;
import java.util.List;

/// An index that numbers the distinct keys of any columns, from 0 in order of arrival: the heart of grouping and
/// hash joins.
///
/// NULLs are equal to each other here. While the columns' ranges multiply to little, a key's number stands in an
/// array at its place in that space (dense); from then on in a hash table of 64-bit words into which the columns' codes
/// are packed. Keys that have no such codes (text, wide numbers), or whose codes do not fit one word, are found by one
/// hash of all columns ([RowKeys]).
///
/// - Memory: the index owns the keys, column by column, in the order of their numbers; not where it is filled from
///   outside.
///
/// Adding is for one thread; finding, which changes nothing, for any number.
public final class KeyIndex {
    public static final int MAX_KEYS = 31;
    /// Of hashes: as ever but in tests, which force equal ones.
    public static final long ALL_BITS = -1L;

    private static final int FIRST_KEYS = 16;
    private static final long MAX_PLACES = 1L << 31;
    private static final long SMALL_PLACES = 1 << 20;
    /// With more, a hash table stays in cache better than an array that is mostly empty.
    private static final long PLACES_PER_KEY = 16;

    private final Reservation reservation;
    private final ValueStore[] columns; // the keys; empty where others fill the index
    private final KeyCoder[] coders; // null where values have no codes
    private final int[] bits;
    private final long denseLimit;
    private final long hashMask;
    private int size;
    private int expected = FIRST_KEYS;

    // Dense: place = sum of (code - base + 1, or 0 for NULL) · stride.
    private boolean dense;
    private final long[] base;
    private final int[] span;
    private int[] dense2id = new int[0];

    // Hashed.
    private final int wordBits; // of all codes together
    private LongTable words;
    private RowKeys rows;

    // Built by several threads; then no key is added to it.
    private SplitTable split;
    private HashedKeys hashed; // null where words say all of a key
    private long[] lowest; // of columns whose codes are packed by their ranges, else null
    private long[] range;

    /// @param denseLimit places of the dense array at most; 0 for none
    public KeyIndex(List<DataType> types, Reservation reservation, long denseLimit) {
        this(types, reservation, denseLimit, ALL_BITS);
    }

    /// @param hashMask bits of hashes that are looked at
    public KeyIndex(List<DataType> types, Reservation reservation, long denseLimit, long hashMask) {
        if (types.size() > MAX_KEYS) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED, types.size() + " key columns; the most is " + MAX_KEYS);
        }
        this.reservation = reservation;
        this.hashMask = hashMask;
        this.columns =
                types.stream().map(type -> ValueStore.of(type, reservation)).toArray(ValueStore[]::new);
        this.coders = new KeyCoder[types.size()];
        this.bits = new int[types.size()];
        int sum = 0;
        for (int key = 0; key < coders.length; key++) {
            coders[key] = KeyCoder.of(types.get(key), reservation);
            bits[key] = coders[key] == null ? 0 : coders[key].bits();
            sum += bits[key];
        }
        this.wordBits = sum;
        this.denseLimit = Math.min(denseLimit, 1 << 30);
        this.base = new long[coders.length];
        this.span = new int[coders.length];
        this.dense = denseLimit > 0 && coders.length > 0;
    }

    public int size() {
        return size;
    }

    /// The keys by number, column by column; of floats that are equal, one form. Where others fill the index, nothing.
    public ValueStore[] columns() {
        return columns;
    }

    /// The keys' hashes ([dev.quarrel.core.device.KeyHash]) by number, or null where they were not made.
    public long[] hashes() {
        return rows == null ? null : rows.hashes();
    }

    public boolean isDense() {
        return dense;
    }

    /// The dense array of a single key column: entry `code - denseBase() + 1` is the key's number or -1; entry 0 is
    /// NULL's.
    public int[] denseNumbers() {
        return dense2id;
    }

    public long denseBase() {
        return base[0];
    }

    public int denseSpan() {
        return span[0];
    }

    /// Says, before anything is added, that so many keys will come, and that they are not dense.
    public void expectHashed(int expectedKeys) {
        dense = false;
        expected = expectedKeys;
    }

    /// Says what the key columns' codes lie between, before anything is added.
    ///
    /// @return whether there is an array for them now, with a place for each; otherwise nothing has changed
    public boolean expectDense(long[] min, long[] max, int expectedKeys) {
        long places = 1;
        for (int key = 0; key < coders.length; key++) {
            long width = max[key] - min[key];
            boolean isNarrow = width >= 0 && width < MAX_PLACES;
            places = isNarrow ? Math.min(MAX_PLACES, places * (width + 2)) : MAX_PLACES;
        }
        boolean isFull = coders.length == 1 || places <= Math.max(SMALL_PLACES, PLACES_PER_KEY * expectedKeys);
        if (!dense || places > denseLimit || !isFull) {
            return false;
        }
        for (int key = 0; key < coders.length; key++) {
            base[key] = min[key];
            span[key] = (int) (max[key] - min[key]) + 2;
        }
        allocateDense((int) places);
        return true;
    }

    /// Begins a table that several threads fill at the same time, if the keys' words say all: so that words can be made
    /// without adding anything.
    ///
    /// @param min what integer keys lie between, or null
    /// @return the table, or null; then nothing has changed
    public SplitTable startSplit(long[] min, long[] max) {
        int natural = 0;
        int ranged = 0;
        for (int key = 0; key < coders.length; key++) {
            if (!(coders[key] instanceof KeyCoder.Words)) {
                return null;
            }
            natural += bits[key];
            ranged += min == null ? 64 : 64 - Long.numberOfLeadingZeros(max[key] - min[key]);
        }
        if (coders.length == 0 || coders.length > 1 && natural > 64 && ranged > 64) {
            return null;
        }
        if (natural > 64 && coders.length > 1) {
            lowest = min.clone();
            range = new long[min.length];
            for (int key = 0; key < range.length; key++) {
                range[key] = max[key] - min[key];
            }
        }
        dense = false;
        split = new SplitTable(reservation);
        return split;
    }

    /// The same for keys of any kind, whose words are hashes: what has the same word is not the same key before it was
    /// compared ([#haveEqualKeys]).
    ///
    /// @param stored the rows' key columns, which stay as they are
    public SplitTable startHashed(List<ValueStore> stored) {
        dense = false;
        hashed = new HashedKeys(stored, hashMask);
        split = new SplitTable(reservation);
        return split;
    }

    /// Whether keys' words are hashes.
    public boolean isHashed() {
        return hashed != null;
    }

    /// Whether the keys of some rows are those of others, which are stored.
    ///
    /// @param others by place in `selected`: the row that each is compared with
    public boolean haveEqualKeys(Vector[] keys, Mask selected, int[] others, KeyScratch scratch) {
        return hashed.areEqual(keys, selected, others, scratch);
    }

    /// Whether the keys' words are places of the dense array, all of which are there, or of a table of parts.
    public boolean hasWords() {
        return split != null || dense && dense2id.length > 0;
    }

    /// One word for each selected row's key (`scratch.packed`, by place in `rows.indexes()`): its place in the dense
    /// array, or what the table of parts has. Any number of threads at a time.
    public void words(Vector[] keys, Mask rows, KeyScratch scratch) {
        if (hashed != null) {
            hashed.words(keys, rows, scratch);
            return;
        }
        code(keys, rows, scratch, false);
        int count = rows.count();
        if (!dense) {
            pack(scratch, count);
            return;
        }
        densePlaces(scratch, count);
        for (int index = 0; index < count; index++) {
            scratch.packed[index] = scratch.numbers[index];
        }
    }

    /// Says that the array or the table has been filled from outside.
    public void filled(int distinctKeys) {
        size = distinctKeys;
    }

    /// Says which stored rows have which key, where keys' words are hashes.
    ///
    /// @param starts by number, where its rows begin in `order`; empty where a key's number is its row
    public void setRows(int[] starts, int[] order) {
        if (hashed != null) {
            hashed.setRows(starts, order);
        }
    }

    private void allocateDense(int places) {
        reservation.grow(places * 4L);
        reservation.shrink(dense2id.length * 4L);
        dense2id = new int[places];
        Arrays.fill(dense2id, -1);
    }

    /// Numbers the selected rows' keys (`scratch.ids`, by place in `rows.indexes()`); new keys get new numbers.
    public void assign(Vector[] keys, Mask selected, KeyScratch scratch) {
        int count = selected.count();
        scratch.newCount = 0;
        if (coders.length == 0) {
            Arrays.fill(scratch.ids, 0, count, 0);
            if (size == 0 && count > 0) {
                scratch.newAt[0] = 0;
                scratch.newCount = 1;
                size = 1;
            }
            return;
        }
        int[] indexes = selected.indexes();
        if (rows == null && !assignByCode(keys, selected, scratch)) {
            leaveCodes();
        }
        if (rows != null) {
            Owned owned = new Owned(keys, indexes, scratch);
            scratch.tile().load(keys, indexes, count);
            scratch.newCount = rows.assign(count, scratch.tile(), scratch.ids, scratch.newAt, owned);
            size = rows.size();
        } else if (scratch.newCount > 0) {
            new Owned(keys, indexes, scratch).append(scratch.newAt, 0, scratch.newCount);
        }
    }

    /// The index's own keys, as a tile is looked up in them.
    private final class Owned implements RowKeys.Stored {
        private final Vector[] keys;
        private final int[] indexes;
        private final KeyScratch scratch;

        Owned(Vector[] keys, int[] indexes, KeyScratch scratch) {
            this.keys = keys;
            this.indexes = indexes;
            this.scratch = scratch;
        }

        @Override
        public int keepDiffering(int[] numbers, int count) {
            return scratch.tile().keepDiffering(columns, numbers, 0, count);
        }

        @Override
        public void append(int[] at, int from, int to) {
            for (int place = from; place < to; place++) {
                scratch.numbers[place - from] = indexes[at[place]];
            }
            KeyIndex.this.append(keys, scratch.numbers, to - from);
        }
    }

    /// Appends rows to the keys without looking for them; then none is found or assigned any more.
    public void append(Vector[] keys, int[] indexes, int count) {
        for (int key = 0; key < columns.length; key++) {
            int first = columns[key].size();
            columns[key].append(keys[key], indexes, count);
            canonicalize(columns[key], first);
        }
    }

    /// -0 and 0 are one key, and every NaN is: what is shown must not depend on which came first.
    private static void canonicalize(ValueStore store, int first) {
        switch (store) {
            case FloatStore floats -> {
                for (int row = first; row < floats.size(); row++) {
                    floats.values()[row] = (float) Double.longBitsToDouble(FloatBits.canonical(floats.values()[row]));
                }
            }
            case DoubleStore doubles -> {
                for (int row = first; row < doubles.size(); row++) {
                    doubles.values()[row] = Double.longBitsToDouble(FloatBits.canonical(doubles.values()[row]));
                }
            }
            case BoolStore _, IntStore _, LongStore _, DecimalStore _, TextStore _ -> {}
        }
    }

    /// Numbers keys by their codes, unless those that are there have left them meanwhile.
    ///
    /// @return false where they have none, or none that fit
    private boolean assignByCode(Vector[] keys, Mask selected, KeyScratch scratch) {
        for (int key = 0; key < coders.length; key++) {
            if (coders[key] == null || !coders[key].hasCodes(keys[key])) {
                return false;
            }
        }
        if (!dense && wordBits > Long.SIZE) {
            return false;
        }
        int count = selected.count();
        code(keys, selected, scratch, true);
        if (dense) {
            if (assignDense(scratch, count)) {
                return true;
            }
            if (wordBits > Long.SIZE) {
                return false;
            }
            leaveDense();
            if (rows != null) {
                return true; // by their hashes
            }
        }
        if (scratch.anyNull && !hasNullBits()) {
            return false;
        }
        if (words == null) {
            words = new LongTable(reservation, expected);
        }
        pack(scratch, count);
        int before = size;
        size = words.assignAll(scratch.packed, count, scratch.ids, size, scratch.newAt, 0);
        scratch.newCount = size - before;
        return true;
    }

    /// From now on all keys are found by their hashes.
    private void leaveCodes() {
        dense = false;
        reservation.shrink(dense2id.length * 4L);
        dense2id = new int[0];
        if (words != null) {
            words.release();
            words = null;
        }
        rows = new RowKeys(reservation, Math.max(expected, size), hashMask);
        rows.addStored(columns, size);
    }

    /// Whether a word has a bit for each column that says whether it is NULL.
    private boolean hasNullBits() {
        return split == null && wordBits + coders.length <= Long.SIZE;
    }

    /// The numbers of the selected rows' keys (`scratch.ids`), -1 for those that were never added.
    public void find(Vector[] keys, Mask selected, KeyScratch scratch) {
        int count = selected.count();
        if (coders.length == 0) {
            Arrays.fill(scratch.ids, 0, count, size - 1);
            return;
        }
        if (rows != null) {
            scratch.tile().load(keys, selected.indexes(), count);
            rows.find(count, scratch.tile(), scratch.ids, new Owned(keys, selected.indexes(), scratch));
            return;
        }
        if (hashed != null) {
            hashed.words(keys, selected, scratch);
            findSplit(scratch, count);
            hashed.compare(count, scratch);
            return;
        }
        if (words == null && split == null && dense2id.length == 0) {
            Arrays.fill(scratch.ids, 0, count, -1);
            return;
        }
        code(keys, selected, scratch, false);
        if (dense) {
            findDense(scratch, count);
        } else {
            findHashed(scratch, count);
        }
        if (scratch.anyMissing) {
            for (int index = 0; index < count; index++) {
                if (scratch.missing[index]) {
                    scratch.ids[index] = -1;
                }
            }
        }
    }

    private void code(Vector[] keys, Mask rows, KeyScratch scratch, boolean add) {
        int count = rows.count();
        int[] indexes = rows.indexes();
        scratch.anyNull = false;
        scratch.anyMissing = false;
        for (int key = 0; key < coders.length; key++) {
            long[] codes = scratch.codes[key];
            if (coders[key].code(keys[key], indexes, count, codes, add)) {
                for (int index = 0; index < count; index++) {
                    if (codes[index] < 0) {
                        scratch.miss(index, count);
                        codes[index] = 0;
                    }
                }
            }
            markNulls(keys[key], key, indexes, count, scratch);
        }
    }

    private static void markNulls(Vector keys, int key, int[] indexes, int count, KeyScratch scratch) {
        long[] present = keys.validity();
        if (present == null) {
            return;
        }
        if (!scratch.anyNull) {
            Arrays.fill(scratch.nulls, 0, count, 0);
            scratch.anyNull = true;
        }
        int[] nulls = scratch.nulls;
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            nulls[index] |= (int) (~present[row >>> 6] >>> row & 1) << key;
        }
    }

    // Dense.

    private boolean assignDense(KeyScratch scratch, int count) {
        if (!densePlaces(scratch, count) && (!widen(scratch, count) || !densePlaces(scratch, count))) {
            return false;
        }
        int[] ids = scratch.ids;
        int[] places = scratch.numbers;
        int[] numbers = dense2id;
        for (int index = 0; index < count; index++) {
            int id = numbers[places[index]];
            if (id < 0) {
                id = size++;
                numbers[places[index]] = id;
                scratch.newAt[scratch.newCount++] = index;
            }
            ids[index] = id;
        }
        return true;
    }

    private void findDense(KeyScratch scratch, int count) {
        int[] ids = scratch.ids;
        if (densePlaces(scratch, count)) {
            for (int index = 0; index < count; index++) {
                ids[index] = dense2id[scratch.numbers[index]];
            }
            return;
        }
        for (int index = 0; index < count; index++) {
            long place = densePlace(scratch, index);
            ids[index] = place < 0 ? -1 : dense2id[(int) place];
        }
    }

    private long densePlace(KeyScratch scratch, int index) {
        long place = 0;
        long stride = 1;
        for (int key = 0; key < coders.length; key++) {
            boolean isNull = scratch.anyNull && (scratch.nulls[index] >>> key & 1) != 0;
            long digit = isNull ? 0 : scratch.codes[key][index] - base[key] + 1;
            if (!isNull && (digit < 1 || digit >= span[key])) {
                return -1;
            }
            place += digit * stride;
            stride *= span[key];
        }
        return place;
    }

    /// Fills `scratch.numbers` with the rows' places; false if one lies outside (they are of no use then).
    private boolean densePlaces(KeyScratch scratch, int count) {
        if (dense2id.length == 0) {
            return count == 0;
        }
        int[] places = scratch.numbers;
        Arrays.fill(places, 0, count, 0);
        long outside = 0;
        int stride = 1;
        for (int key = 0; key < coders.length; key++) {
            long from = base[key] - 1;
            long last = span[key] - 1;
            long[] codes = scratch.codes[key];
            if (scratch.anyNull) {
                int[] nulls = scratch.nulls;
                for (int index = 0; index < count; index++) {
                    long notNull = (nulls[index] >>> key & 1) - 1L; // all bits, or none
                    long digit = codes[index] - from;
                    outside |= (digit - 1 | last - digit) & notNull;
                    places[index] += (int) digit * stride & (int) notNull;
                }
            } else {
                for (int index = 0; index < count; index++) {
                    long digit = codes[index] - from;
                    outside |= digit - 1 | last - digit;
                    places[index] += (int) digit * stride;
                }
            }
            stride *= span[key];
        }
        return outside >= 0;
    }

    /// Makes room for the tile's codes; false if that needs more than the limit.
    private boolean widen(KeyScratch scratch, int count) {
        long limit = denseLimit;
        long[] newBase = base.clone();
        int[] newSpan = span.clone();
        long places = 1;
        for (int key = 0; key < coders.length; key++) {
            long min = span[key] < 2 ? Long.MAX_VALUE : base[key];
            long max = span[key] < 2 ? Long.MIN_VALUE : base[key] + span[key] - 2;
            long oldMin = min;
            long oldMax = max;
            for (int index = 0; index < count; index++) {
                if (!scratch.anyNull || (scratch.nulls[index] >>> key & 1) == 0) {
                    min = Math.min(min, scratch.codes[key][index]);
                    max = Math.max(max, scratch.codes[key][index]);
                }
            }
            if (min > max) {
                newBase[key] = 0;
                newSpan[key] = 1;
                continue;
            }
            long width = max - min;
            if (width < 0 || width >= limit) {
                return false;
            }
            // A range that grows tile by tile is met with room to spare.
            boolean grows = oldMin <= oldMax && (min < oldMin || max > oldMax);
            if (grows) {
                long spare = width / 2 + 1;
                min = min < oldMin && min > Long.MIN_VALUE + spare ? min - spare : min;
                max = max > oldMax && max < Long.MAX_VALUE - spare ? max + spare : max;
            }
            newBase[key] = min;
            long newWidth = max - min + 2;
            if (newWidth > limit) {
                return false;
            }
            newSpan[key] = (int) newWidth;
            places *= newSpan[key];
            if (places > limit) {
                return false;
            }
        }
        moveDense(newBase, newSpan, (int) places);
        return true;
    }

    private void moveDense(long[] newBase, int[] newSpan, int places) {
        int[] old = dense2id;
        reservation.grow(places * 4L);
        int[] moved = new int[places];
        Arrays.fill(moved, -1);
        if (coders.length == 1 && old.length > 0) {
            moved[0] = old[0];
            if (old.length > 1) {
                System.arraycopy(old, 1, moved, (int) (base[0] - newBase[0]) + 1, old.length - 1);
            }
        }
        for (int place = 0; coders.length > 1 && place < old.length; place++) {
            if (old[place] >= 0) {
                long at = 0;
                long stride = 1;
                int rest = place;
                for (int key = 0; key < coders.length; key++) {
                    int digit = rest % span[key];
                    rest /= span[key];
                    at += (digit == 0 ? 0 : digit - 1 + base[key] - newBase[key] + 1) * stride;
                    stride *= newSpan[key];
                }
                moved[(int) at] = old[place];
            }
        }
        dense2id = moved;
        System.arraycopy(newBase, 0, base, 0, base.length);
        System.arraycopy(newSpan, 0, span, 0, span.length);
        reservation.shrink(old.length * 4L);
    }

    private void leaveDense() {
        dense = false;
        words = new LongTable(reservation, Math.max(expected, size));
        int[] old = dense2id;
        KeyScratch scratch = new KeyScratch(coders.length, 1);
        for (int place = 0; place < old.length; place++) {
            if (old[place] >= 0) {
                int rest = place;
                scratch.nulls[0] = 0;
                for (int key = 0; key < coders.length; key++) {
                    int digit = rest % span[key];
                    rest /= span[key];
                    scratch.codes[key][0] = digit == 0 ? 0 : digit - 1 + base[key];
                    scratch.nulls[0] |= digit == 0 ? 1 << key : 0;
                }
                scratch.anyNull = scratch.nulls[0] != 0;
                if (scratch.anyNull && !hasNullBits()) {
                    leaveCodes();
                    return;
                }
                pack(scratch, 1);
                words.findOrAdd(scratch.packed[0], old[place]);
            }
        }
        dense2id = new int[0];
        reservation.shrink(old.length * 4L);
    }

    // Hashed.

    /// Makes one word of each row's codes (`scratch.packed`).
    private void pack(KeyScratch scratch, int count) {
        if (range != null) {
            packByRange(scratch, count);
            return;
        }
        long[] packed = scratch.packed;
        // Sign bits above the code's own are shifted out, or are the same for equal codes.
        System.arraycopy(scratch.codes[0], 0, packed, 0, count);
        for (int key = 1; key < coders.length; key++) {
            long[] codes = scratch.codes[key];
            int width = bits[key];
            long low = (1L << width) - 1;
            for (int index = 0; index < count; index++) {
                packed[index] = packed[index] << width | codes[index] & low;
            }
        }
        if (hasNullBits()) {
            int width = coders.length;
            for (int index = 0; index < count; index++) {
                packed[index] = packed[index] << width | (scratch.anyNull ? scratch.nulls[index] : 0);
            }
        }
    }

    /// A code outside its column's range is that of no key.
    private void packByRange(KeyScratch scratch, int count) {
        long[] packed = scratch.packed;
        Arrays.fill(packed, 0, count, 0);
        for (int key = 0; key < coders.length; key++) {
            long[] codes = scratch.codes[key];
            int width = 64 - Long.numberOfLeadingZeros(range[key]);
            for (int index = 0; index < count; index++) {
                long digit = codes[index] - lowest[key];
                if (Long.compareUnsigned(digit, range[key]) > 0) {
                    scratch.miss(index, count);
                    digit = 0;
                }
                packed[index] = (width == 64 ? 0 : packed[index] << width) | digit;
            }
        }
    }

    private void findSplit(KeyScratch scratch, int count) {
        if (!split.isFiltered() || !scratch.isSelective()) {
            split.findAll(scratch.packed, count, scratch.ids);
            int found = 0;
            for (int index = 0; index < count; index++) {
                found += ~scratch.ids[index] >>> 31;
            }
            scratch.noteFound(count, found);
            return;
        }
        int[] places = scratch.numbers;
        int kept = split.filter(scratch.packed, count, places);
        scratch.noteFound(count, kept);
        long[] keys = scratch.codes[0];
        for (int index = 0; index < kept; index++) {
            keys[index] = scratch.packed[places[index]];
        }
        split.findAll(keys, kept, scratch.newAt);
        Arrays.fill(scratch.ids, 0, count, -1);
        for (int index = 0; index < kept; index++) {
            scratch.ids[places[index]] = scratch.newAt[index];
        }
    }

    private void findHashed(KeyScratch scratch, int count) {
        pack(scratch, count);
        if (split != null) {
            findSplit(scratch, count);
        } else {
            words.findAll(scratch.packed, count, scratch.ids);
        }
        for (int index = 0; scratch.anyNull && !hasNullBits() && index < count; index++) {
            scratch.ids[index] = scratch.nulls[index] == 0 ? scratch.ids[index] : -1;
        }
    }
}
