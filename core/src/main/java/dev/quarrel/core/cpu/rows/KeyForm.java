package dev.quarrel.core.cpu.rows;

import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.cpu.number.FloatBits;
import dev.quarrel.core.cpu.number.Int128;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// The form in which one sort key becomes bits that order as its values do; see [KeyWords].
public abstract sealed class KeyForm {
    private final ValueStore[] columns;
    final boolean descending;
    private final boolean nullsFirst;
    private boolean anyNull;
    private int position;
    private int valueBits;

    private KeyForm(ValueStore[] columns, SortKey key) {
        this.columns = columns;
        this.descending = key.descending();
        this.nullsFirst = key.nullsFirst();
    }

    static KeyForm of(ValueStore[] columns, SortKey key) {
        return switch (columns[0]) {
            case TextStore _ -> {
                TextStore[] texts = Arrays.copyOf(columns, columns.length, TextStore[].class);
                Dictionary shared = RankForm.sharedDictionary(texts);
                yield shared == null ? new TextForm(texts, key) : new RankForm(texts, key, shared);
            }
            case DecimalStore _ -> new WideForm(Arrays.copyOf(columns, columns.length, DecimalStore[].class), key);
            case BoolStore _, IntStore _, LongStore _, FloatStore _, DoubleStore _ -> new WordForm(columns, key);
        };
    }

    /// Takes the range of some rows' values in.
    void addStatistics(int store, int from, int count, KeyWords.Tile tile) {
        boolean hasNull = false;
        ValueStore column = columns[store];
        for (int index = 0; index < count && !column.isAllPresent() && !hasNull; index++) {
            hasNull = !column.isPresent(from + index);
        }
        if (hasNull) {
            synchronized (this) {
                anyNull = true;
            }
        }
        addRange(store, from, count, tile);
    }

    /// Decides on the code, which stands `newPosition` bits after the start of the first word.
    ///
    /// @return whether equal codes mean equal values
    final boolean settle(int newPosition) {
        position = newPosition;
        boolean isExact = settleValues();
        valueBits = bitsOfValues();
        return isExact;
    }

    final int bits() {
        return valueBits + (anyNull ? 1 : 0);
    }

    final void encode(int store, int from, int count, KeyWords.Tile tile, KeyWords words) {
        int start = position;
        if (anyNull) {
            long[] codes = tile.codes;
            for (int index = 0; index < count; index++) {
                codes[index] = columns[store].isPresent(from + index) == nullsFirst ? 1 : 0;
            }
            words.put(start, 1, store, from, count, codes);
            start++;
        }
        encodeValues(start, store, from, count, tile, words);
    }

    /// What stands under a NULL must not disturb the order of NULLs among themselves.
    final void clearNulls(int store, int from, int count, long[] codes) {
        ValueStore column = columns[store];
        if (!column.isAllPresent()) {
            for (int index = 0; index < count; index++) {
                codes[index] = column.isPresent(from + index) ? codes[index] : 0;
            }
        }
    }

    final int compare(int storeA, int a, int storeB, int b) {
        boolean isThere = columns[storeA].isPresent(a);
        boolean isOther = columns[storeB].isPresent(b);
        if (!isThere || !isOther) {
            return isThere == isOther ? 0 : isThere == nullsFirst ? 1 : -1;
        }
        int order = compareValues(storeA, a, storeB, b);
        return descending ? -order : order;
    }

    /// The order of two present values of one type.
    public static int compareValues(ValueStore one, int a, ValueStore other, int b) {
        return switch (one) {
            case BoolStore _, IntStore _, LongStore _, FloatStore _, DoubleStore _ ->
                Long.compare(WordForm.word(one, a), WordForm.word(other, b));
            case DecimalStore decimals -> WideForm.compare(decimals, a, (DecimalStore) other, b);
            case TextStore texts -> TextForm.compare(texts, a, (TextStore) other, b);
        };
    }

    abstract void addRange(int store, int from, int count, KeyWords.Tile tile);

    abstract boolean settleValues();

    abstract int bitsOfValues();

    abstract void encodeValues(int start, int store, int from, int count, KeyWords.Tile tile, KeyWords words);

    abstract int compareValues(int storeA, int a, int storeB, int b);

    private static int bitsFor(long span) {
        return 64 - Long.numberOfLeadingZeros(span);
    }

    /// The form of keys whose values one word orders.
    public static final class WordForm extends KeyForm {
        private final ValueStore[] columns;
        private long min = Long.MAX_VALUE;
        private long max = Long.MIN_VALUE;

        WordForm(ValueStore[] columns, SortKey key) {
            super(columns, key);
            this.columns = columns;
        }

        /// Words that order, signed, as the values do.
        public static void order(ValueStore column, int from, int count, long[] to) {
            switch (column) {
                case BoolStore bools -> {
                    for (int index = 0; index < count; index++) {
                        to[index] = bools.get(from + index) ? 1 : 0;
                    }
                }
                case IntStore ints -> {
                    int[] values = ints.values();
                    for (int index = 0; index < count; index++) {
                        to[index] = values[from + index];
                    }
                }
                case LongStore longs -> System.arraycopy(longs.values(), from, to, 0, count);
                case FloatStore floats -> {
                    float[] values = floats.values();
                    for (int index = 0; index < count; index++) {
                        to[index] = FloatBits.ordered(values[from + index]);
                    }
                }
                case DoubleStore doubles -> {
                    double[] values = doubles.values();
                    for (int index = 0; index < count; index++) {
                        to[index] = FloatBits.ordered(values[from + index]);
                    }
                }
                case DecimalStore _, TextStore _ -> throw new IllegalStateException("no word orders " + column.type());
            }
        }

        @Override
        void addRange(int store, int from, int count, KeyWords.Tile tile) {
            long[] values = tile.codes;
            ValueStore column = columns[store];
            order(column, from, count, values);
            long least = Long.MAX_VALUE;
            long most = Long.MIN_VALUE;
            if (column.isAllPresent()) {
                for (int index = 0; index < count; index++) {
                    least = Math.min(least, values[index]);
                    most = Math.max(most, values[index]);
                }
            } else {
                for (int index = 0; index < count; index++) {
                    if (column.isPresent(from + index)) {
                        least = Math.min(least, values[index]);
                        most = Math.max(most, values[index]);
                    }
                }
            }
            synchronized (this) {
                min = Math.min(min, least);
                max = Math.max(max, most);
            }
        }

        @Override
        boolean settleValues() {
            return true;
        }

        @Override
        int bitsOfValues() {
            return min > max ? 0 : bitsFor(max - min);
        }

        @Override
        void encodeValues(int start, int store, int from, int count, KeyWords.Tile tile, KeyWords words) {
            long[] codes = tile.codes;
            order(columns[store], from, count, codes);
            long base = descending ? max : min;
            if (descending) {
                for (int index = 0; index < count; index++) {
                    codes[index] = base - codes[index];
                }
            } else {
                for (int index = 0; index < count; index++) {
                    codes[index] -= base;
                }
            }
            clearNulls(store, from, count, codes);
            words.put(start, bitsOfValues(), store, from, count, codes);
        }

        @Override
        int compareValues(int storeA, int a, int storeB, int b) {
            return Long.compare(word(columns[storeA], a), word(columns[storeB], b));
        }

        /// The word that orders one value.
        public static long word(ValueStore column, int row) {
            return switch (column) {
                case BoolStore bools -> bools.get(row) ? 1 : 0;
                case IntStore ints -> ints.values()[row];
                case LongStore longs -> longs.values()[row];
                case FloatStore floats -> FloatBits.ordered(floats.values()[row]);
                case DoubleStore doubles -> FloatBits.ordered(doubles.values()[row]);
                case DecimalStore _, TextStore _ -> throw new IllegalStateException("no word orders " + column.type());
            };
        }
    }

    /// Decimals, and numbers with a scale a value: as integers at the greatest scale, if those have 38 digits at most.
    /// Intervals: the days of their spans above the rest.
    static final class WideForm extends KeyForm {
        private final DecimalStore[] columns;
        private final boolean isInterval;
        private boolean any;
        private boolean fits = true;
        private int minScale = Integer.MAX_VALUE;
        private int maxScale;
        private long minHigh = Long.MAX_VALUE;
        private long minLow = -1;
        private long maxHigh = Long.MIN_VALUE;
        private long maxLow;
        private int lowBits;
        private int highBits;

        WideForm(DecimalStore[] columns, SortKey key) {
            super(columns, key);
            this.columns = columns;
            this.isInterval = columns[0].type() instanceof DataType.Interval;
        }

        @Override
        void addRange(int store, int from, int count, KeyWords.Tile tile) {
            DecimalStore column = columns[store];
            long[] high = tile.upper;
            long[] low = tile.codes;
            halves(column, from, count, high, low);
            int[] scale = column.scale();
            long leastHigh = Long.MAX_VALUE;
            long leastLow = -1;
            long mostHigh = Long.MIN_VALUE;
            long mostLow = 0;
            int least = Integer.MAX_VALUE;
            int most = 0;
            boolean anyHere = false;
            for (int index = 0; index < count; index++) {
                if (!column.isPresent(from + index)) {
                    continue;
                }
                anyHere = true;
                if (Int128.compare(high[index], low[index], leastHigh, leastLow) < 0) {
                    leastHigh = high[index];
                    leastLow = low[index];
                }
                if (Int128.compare(high[index], low[index], mostHigh, mostLow) > 0) {
                    mostHigh = high[index];
                    mostLow = low[index];
                }
                if (scale != null) {
                    least = Math.min(least, scale[from + index]);
                    most = Math.max(most, scale[from + index]);
                }
            }
            synchronized (this) {
                any |= anyHere;
                minScale = Math.min(minScale, least);
                maxScale = Math.max(maxScale, most);
                if (Int128.compare(leastHigh, leastLow, minHigh, minLow) < 0) {
                    minHigh = leastHigh;
                    minLow = leastLow;
                }
                if (Int128.compare(mostHigh, mostLow, maxHigh, maxLow) > 0) {
                    maxHigh = mostHigh;
                    maxLow = mostLow;
                }
            }
        }

        /// The 128-bit integers that order as the values of one scale do.
        private void halves(DecimalStore column, int from, int count, long[] high, long[] low) {
            System.arraycopy(column.high(), from, high, 0, count);
            System.arraycopy(column.low(), from, low, 0, count);
            for (int index = 0; isInterval && index < count; index++) {
                long micros = high[index];
                high[index] = Interval.spanDays(low[index], micros);
                low[index] = Interval.spanMicros(micros);
            }
        }

        @Override
        boolean settleValues() {
            if (!any) {
                return true;
            }
            int lift = columns[0].scale() == null ? 0 : maxScale - minScale;
            if (lift > 0) {
                fits = lift <= Int128.MAX_DIGITS
                        && Int128.fits(minHigh, minLow, Int128.MAX_DIGITS - lift)
                        && Int128.fits(maxHigh, maxLow, Int128.MAX_DIGITS - lift);
                if (!fits) {
                    return false;
                }
                // A bound of both signs holds at every scale between the two.
                boolean hasNegative = minHigh < 0;
                boolean hasPositive = maxHigh >= 0;
                long high = hasNegative ? productHigh(minHigh, minLow, lift) : 0;
                minLow = hasNegative ? minLow * Int128.powerLow(lift) : 0;
                minHigh = high;
                high = hasPositive ? productHigh(maxHigh, maxLow, lift) : 0;
                maxLow = hasPositive ? maxLow * Int128.powerLow(lift) : 0;
                maxHigh = high;
            }
            long spanLow = maxLow - minLow;
            long spanHigh = maxHigh - minHigh - (Long.compareUnsigned(maxLow, minLow) < 0 ? 1 : 0);
            highBits = bitsFor(spanHigh);
            lowBits = highBits > 0 ? 64 : bitsFor(spanLow);
            return true;
        }

        /// The upper half of a number times 10^lift, which fits.
        private static long productHigh(long high, long low, int lift) {
            return Math.unsignedMultiplyHigh(low, Int128.powerLow(lift))
                    + high * Int128.powerLow(lift)
                    + low * Int128.powerHigh(lift);
        }

        @Override
        int bitsOfValues() {
            return highBits + lowBits;
        }

        @Override
        void encodeValues(int start, int store, int from, int count, KeyWords.Tile tile, KeyWords words) {
            if (!fits || !any) {
                return;
            }
            DecimalStore column = columns[store];
            long[] upper = tile.upper;
            long[] lower = tile.codes;
            halves(column, from, count, upper, lower);
            for (int index = 0; index < count; index++) {
                long high = upper[index];
                long low = lower[index];
                if (column.scale() != null && column.isPresent(from + index)) {
                    int lift = maxScale - column.scale()[from + index];
                    high = productHigh(high, low, lift);
                    low *= Int128.powerLow(lift);
                }
                long fromLow = descending ? maxLow : low;
                long lessLow = descending ? low : minLow;
                long borrow = Long.compareUnsigned(fromLow, lessLow) < 0 ? 1 : 0;
                lower[index] = fromLow - lessLow;
                upper[index] = (descending ? maxHigh - high : high - minHigh) - borrow;
            }
            clearNulls(store, from, count, lower);
            clearNulls(store, from, count, upper);
            words.put(start, highBits, store, from, count, upper);
            words.put(start + highBits, lowBits, store, from, count, lower);
        }

        @Override
        int compareValues(int storeA, int a, int storeB, int b) {
            return compare(columns[storeA], a, columns[storeB], b);
        }

        static int compare(DecimalStore one, int a, DecimalStore other, int b) {
            if (one.type() instanceof DataType.Interval) {
                return Interval.compareSpans(one.low()[a], one.high()[a], other.low()[b], other.high()[b]);
            }
            return Int128.compareScaled(
                    one.high()[a],
                    one.low()[a],
                    one.scale() == null ? 0 : one.scale()[a],
                    other.high()[b],
                    other.low()[b],
                    other.scale() == null ? 0 : other.scale()[b]);
        }
    }

    /// Text of one dictionary with few entries: the rank of each entry among those that occur.
    static final class RankForm extends KeyForm {
        private static final int MAX_ENTRIES = 1 << 14;

        private final TextStore[] columns;
        private final Dictionary dictionary;
        private final boolean[] used;
        private int[] ranks;
        private int last;

        RankForm(TextStore[] columns, SortKey key, Dictionary dictionary) {
            super(columns, key);
            this.columns = columns;
            this.dictionary = dictionary;
            this.used = new boolean[dictionary.size()];
        }

        /// The dictionary of all columns that hold rows, or null where there is none or ranking it would not pay.
        static Dictionary sharedDictionary(TextStore[] columns) {
            Dictionary shared = null;
            long rows = 0;
            for (TextStore column : columns) {
                if (column.size() == 0) {
                    continue;
                }
                if (column.dictionary() == null || shared != null && shared != column.dictionary()) {
                    return null;
                }
                shared = column.dictionary();
                rows += column.size();
            }
            return shared == null || shared.size() > MAX_ENTRIES || shared.size() > 64 + rows / 4 ? null : shared;
        }

        @Override
        void addRange(int store, int from, int count, KeyWords.Tile tile) {
            TextStore column = columns[store];
            int[] codes = column.codes();
            for (int row = from; row < from + count; row++) {
                if (column.isPresent(row)) {
                    used[codes[row]] = true; // threads write nothing but true
                }
            }
        }

        @Override
        boolean settleValues() {
            int[] sorted = new int[used.length];
            int count = 0;
            for (int code = 0; code < used.length; code++) {
                if (used[code]) {
                    sorted[count++] = code;
                }
            }
            TieSort.sort(sorted, 0, count, (one, other) -> compareEntries(one, other), () -> {});
            ranks = new int[used.length];
            for (int rank = 0; rank < count; rank++) {
                ranks[sorted[rank]] = rank;
            }
            last = Math.max(0, count - 1);
            return true;
        }

        private int compareEntries(int one, int other) {
            var values = dictionary.values();
            long start = values.offset(one);
            long otherStart = values.offset(other);
            return SortOrder.compareBytes(
                    values.data(), start, (int) (values.offset(one + 1) - start), values.data(), otherStart, (int)
                            (values.offset(other + 1) - otherStart));
        }

        @Override
        int bitsOfValues() {
            return bitsFor(last);
        }

        @Override
        void encodeValues(int start, int store, int from, int count, KeyWords.Tile tile, KeyWords words) {
            long[] to = tile.codes;
            TextStore column = columns[store];
            int[] codes = column.codes();
            boolean all = column.isAllPresent();
            for (int index = 0; index < count; index++) {
                int rank = all || column.isPresent(from + index) ? ranks[codes[from + index]] : 0;
                to[index] = descending ? last - rank : rank;
            }
            clearNulls(store, from, count, to);
            words.put(start, bitsOfValues(), store, from, count, to);
        }

        @Override
        int compareValues(int storeA, int a, int storeB, int b) {
            if (ranks == null) {
                // Behind a key that the words hold in part nothing was ranked.
                return TextForm.compare(columns[storeA], a, columns[storeB], b);
            }
            return Integer.compare(
                    ranks[columns[storeA].codes()[a]], ranks[columns[storeB].codes()[b]]);
        }
    }

    /// Text by its bytes, after what all values begin with: all of it where it is short, else its first bytes.
    static final class TextForm extends KeyForm {
        private static final int MAX_EXACT_BYTES = 16;

        private final TextStore[] columns;
        private final byte[] model; // a value
        private int common; // bytes at the start that all values share with it
        private int maxLength;
        private boolean isExact;
        private int byteCount;
        private int lengthBits;

        TextForm(TextStore[] columns, SortKey key) {
            super(columns, key);
            this.columns = columns;
            this.model = firstValue(columns);
            this.common = model.length;
        }

        private static byte[] firstValue(TextStore[] columns) {
            for (TextStore column : columns) {
                for (int row = 0; row < column.size(); row++) {
                    if (column.isPresent(row)) {
                        return column.bytes(row)
                                .asSlice(column.start(row), column.length(row))
                                .toArray(ValueLayout.JAVA_BYTE);
                    }
                }
            }
            return new byte[0];
        }

        @Override
        void addRange(int store, int from, int count, KeyWords.Tile tile) {
            TextStore column = columns[store];
            int shared;
            synchronized (this) {
                shared = common;
            }
            int longest = 0;
            for (int row = from; row < from + count; row++) {
                if (column.isPresent(row)) {
                    int length = column.length(row);
                    longest = Math.max(longest, length);
                    if (shared > 0) {
                        MemorySegment bytes = column.bytes(row);
                        long start = column.start(row);
                        int same = 0;
                        int most = Math.min(shared, length);
                        while (same < most && bytes.get(ValueLayout.JAVA_BYTE, start + same) == model[same]) {
                            same++;
                        }
                        shared = same;
                    }
                }
            }
            synchronized (this) {
                common = Math.min(common, shared);
                maxLength = Math.max(maxLength, longest);
            }
        }

        @Override
        boolean settleValues() {
            int rest = maxLength - common;
            isExact = rest <= MAX_EXACT_BYTES;
            byteCount = isExact ? rest : 8;
            // Behind the bytes: a value that ends with zero bytes comes after the one without them.
            lengthBits = isExact ? bitsFor(rest) : 0;
            return isExact;
        }

        @Override
        int bitsOfValues() {
            return byteCount * 8 + lengthBits;
        }

        @Override
        void encodeValues(int start, int store, int from, int count, KeyWords.Tile tile, KeyWords words) {
            TextStore column = columns[store];
            long[] codes = tile.codes;
            for (int first = 0; first < byteCount; first += 8) {
                int bits = Math.min(8, byteCount - first) * 8;
                for (int index = 0; index < count; index++) {
                    int row = from + index;
                    codes[index] = column.isPresent(row)
                            ? SortOrder.prefix(
                                            column.bytes(row),
                                            column.start(row) + common + first,
                                            column.length(row) - common - first)
                                    >>> 64 - bits
                            : 0;
                }
                finish(start + first * 8, bits, store, from, count, codes, words);
            }
            if (lengthBits > 0) {
                for (int index = 0; index < count; index++) {
                    int row = from + index;
                    codes[index] = column.isPresent(row) ? column.length(row) - common : 0;
                }
                finish(start + byteCount * 8, lengthBits, store, from, count, codes, words);
            }
        }

        private void finish(int start, int bits, int store, int from, int count, long[] codes, KeyWords words) {
            if (descending) {
                long mask = -1L >>> 64 - bits;
                for (int index = 0; index < count; index++) {
                    codes[index] = ~codes[index] & mask;
                }
            }
            clearNulls(store, from, count, codes);
            words.put(start, bits, store, from, count, codes);
        }

        @Override
        int compareValues(int storeA, int a, int storeB, int b) {
            return compare(columns[storeA], a, columns[storeB], b);
        }

        static int compare(TextStore one, int a, TextStore other, int b) {
            return SortOrder.compareBytes(
                    one.bytes(a), one.start(a), one.length(a), other.bytes(b), other.start(b), other.length(b));
        }
    }
}
