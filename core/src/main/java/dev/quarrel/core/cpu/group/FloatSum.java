package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.number.Int128;
import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.cpu.rows.Cells;
import dev.quarrel.core.cpu.rows.TextCells;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;

/// Exact sums of floats, rounded once at the end: so they do not depend on the order of rows.
///
/// A group's sum is a 192-bit integer of units of 2^`exponent`, which the group's first value fixes; a value
/// that is too small or too large for it goes into limbs that cover the whole range of a float64, made when the
/// first such value comes. Infinities and NaN are flags. The values that a tile has for one group, or for few,
/// are added up beforehand ([SlicedSum]), and those of many groups that have many rows each over many tiles
/// ([FloatSlices]).
final class FloatSum extends Accumulator {
    private static final int LIMBS = 70;
    private static final int LIMB_BITS = 32;
    private static final long LIMB_MASK = 0xFFFF_FFFFL;
    private static final int MIN_EXPONENT = -1074;
    private static final int NORMALIZE_AFTER = 1 << 29;
    /// Where in its window a group's first value lies: 2⁵³ times smaller ones still fit.
    private static final int FIRST_SHIFT = 53;

    /// The same of products, whose rests are 2⁵³ times smaller, and more where the factors are. Up to 31 come
    /// on top of it. There is about as much room below as above.
    private static final int FIRST_PRODUCT_SHIFT = 76;

    /// 53 bits of a value at this shift, and 2¹⁰ of them, are a window: as are the sums of slices, which are much
    /// greater than a first value.
    private static final int MAX_SHIFT = 127;

    /// Besides the sign. There is one bit more, so that an addition does not overflow.
    private static final int WINDOW_BITS = 190;

    /// Fewer rows are added one by one, and so are those of groups that have fewer in a tile on average.
    private static final int MIN_SLICED = 16;

    private static final int ROWS_A_GROUP = 4;

    /// From so many rows a group on it is likely that as many will come, which pays for emptying the slices.
    private static final int ROWS_BEFORE_SLICES = 8;

    private static final int SEEN = 1;
    private static final int NAN = 2;
    private static final int POSITIVE_INFINITY = 4;
    private static final int NEGATIVE_INFINITY = 8;
    /// A value other than -0: the sum of -0 alone is -0.
    private static final int NOT_NEGATIVE_ZERO = 16;
    private static final int HAS_EXPONENT = 32;

    private static final int MEMORY_SHARE = 4;
    private static final int STATE_WORDS = 4;
    private static final int FLAG_BITS = 8;
    private static final long FLAG_MASK = (1L << FLAG_BITS) - 1;

    private final boolean isSingle;
    private final int firstShift;
    // Four words a group, in one line of the cache: the window from its lowest word on, then its exponent and flags.
    private long[] states = new long[0];
    private int groupCount; // that there is room for
    private Limbs[] wide;
    private final SlicedSum slices = new SlicedSum();
    // Of many groups; null before they pay. Several threads may ask for the results of one sum.
    private volatile FloatSlices values;
    private volatile FloatSlices rests; // the same of values that are much smaller as a rule
    private long unslicedRows;
    private double[] dense = new double[0];
    private double[] uppers = new double[0];
    private double[] lowers = new double[0];

    /// A fixed-point number with room for every float64: the weight of limb i is 2^(32·i − 1074). Limbs are
    /// signed, and carries are passed on now and then.
    private static final class Limbs {
        final long[] words = new long[LIMBS];
        int additions;

        void add(long mantissa, int position, boolean isNegative) {
            int limb = position >>> 5;
            int shift = position & 31;
            long lowPart = (mantissa & LIMB_MASK) << shift;
            long highPart = (mantissa >>> LIMB_BITS) << shift;
            long sign = isNegative ? -1 : 1;
            words[limb] += sign * (lowPart & LIMB_MASK);
            words[limb + 1] += sign * ((lowPart >>> LIMB_BITS) + (highPart & LIMB_MASK));
            words[limb + 2] += sign * (highPart >>> LIMB_BITS);
            if (++additions >= NORMALIZE_AFTER) {
                normalize();
            }
        }

        void normalize() {
            long carry = 0;
            for (int limb = 0; limb < LIMBS - 1; limb++) {
                long word = words[limb] + carry;
                words[limb] = word & LIMB_MASK;
                carry = word >> LIMB_BITS;
            }
            words[LIMBS - 1] += carry;
            additions = 0;
        }

        BinaryNumber sum() {
            int lowest = 0;
            while (lowest < LIMBS - 1 && words[lowest] == 0) {
                lowest++;
            }
            BigInteger sum = BigInteger.ZERO;
            for (int limb = LIMBS - 1; limb >= lowest; limb--) {
                if (words[limb] != 0 || sum.signum() != 0) {
                    sum = sum.shiftLeft(LIMB_BITS).add(BigInteger.valueOf(words[limb]));
                }
            }
            return new BinaryNumber(sum, lowest * LIMB_BITS + MIN_EXPONENT);
        }

        /// Of 2^-1074.
        BigInteger units() {
            BinaryNumber sum = sum();
            return sum.units().shiftLeft(sum.exponent() - MIN_EXPONENT);
        }
    }

    FloatSum(DataType argument, Reservation reservation) {
        this(argument instanceof DataType.Float32, FIRST_SHIFT, reservation);
    }

    private FloatSum(boolean isSingle, int firstShift, Reservation reservation) {
        super(reservation);
        this.isSingle = isSingle;
        this.firstShift = firstShift;
    }

    /// Of what [FloatProducts] adds.
    static FloatSum ofProducts(Reservation reservation) {
        return new FloatSum(false, FIRST_PRODUCT_SHIFT, reservation);
    }

    @Override
    int groupBytes() {
        return STATE_WORDS * 8;
    }

    @Override
    void resize(int groups) {
        if (!hasRoomForSlices(groups - groupCount)) {
            settle();
        }
        states = Arrays.copyOf(states, Math.multiplyExact(STATE_WORDS, groups));
        wide = wide == null ? null : Arrays.copyOf(wide, groups);
        values = resized(values, groups);
        rests = resized(rests, groups);
        groupCount = groups;
    }

    private FloatSlices resized(FloatSlices some, int groups) {
        if (some != null) {
            reservation.grow((groups - (long) groupCount) * FloatSlices.GROUP_BYTES);
            some.resize(groups);
        }
        return some;
    }

    private boolean hasRoomForSlices(int groups) {
        return 2L * groups * FloatSlices.GROUP_BYTES <= reservation.budget().availableBytes() / MEMORY_SHARE;
    }

    /// Slices for all groups, where there is memory; null where not.
    private FloatSlices newSlices() {
        if (!hasRoomForSlices(groupCount)) {
            return null;
        }
        reservation.grow((long) groupCount * FloatSlices.GROUP_BYTES);
        FloatSlices made = new FloatSlices();
        made.resize(groupCount);
        return made;
    }

    /// Has all that was added in the states.
    void settle() {
        if (values == null && rests == null) {
            return;
        }
        synchronized (this) {
            values = settled(values);
            rests = settled(rests);
            unslicedRows = 0;
        }
    }

    private FloatSlices settled(FloatSlices some) {
        if (some != null) {
            some.empty(this);
            reservation.shrink((long) groupCount * FloatSlices.GROUP_BYTES);
        }
        return null;
    }

    private long low(int group) {
        return states[STATE_WORDS * group];
    }

    private long middle(int group) {
        return states[STATE_WORDS * group + 1];
    }

    private long high(int group) {
        return states[STATE_WORDS * group + 2];
    }

    /// Of a settled sum's window.
    short exponent(int group) {
        return (short) (states[STATE_WORDS * group + 3] >> FLAG_BITS);
    }

    private int flags(int group) {
        return (int) (states[STATE_WORDS * group + 3] & FLAG_MASK);
    }

    private void flag(int group, int bits) {
        states[STATE_WORDS * group + 3] |= bits;
    }

    private void setExponent(int group, int exponent) {
        int at = STATE_WORDS * group + 3;
        states[at] = states[at] & FLAG_MASK | (long) exponent << FLAG_BITS;
    }

    private void setWindow(int group, long word0, long word1, long word2) {
        int at = STATE_WORDS * group;
        states[at] = word0;
        states[at + 1] = word1;
        states[at + 2] = word2;
    }

    private boolean isZeroWindow(int group) {
        return (low(group) | middle(group) | high(group)) == 0;
    }

    @Override
    public void add(Vector argument, int[] rows, int[] groups, int count) {
        addAll(dense(argument, rows, count), groups, count);
    }

    @Override
    public void addToGroup(int group, Vector argument, int[] rows, int count) {
        if (argument instanceof DoubleVector doubles && count > 0 && rows[count - 1] - rows[0] == count - 1) {
            addToOne(group, doubles.values(), rows[0], count);
        } else {
            addToOne(group, dense(argument, rows, count), 0, count);
        }
    }

    /// The rows' values one behind the other.
    private double[] dense(Vector argument, int[] rows, int count) {
        if (dense.length < count) {
            dense = new double[count];
        }
        if (argument instanceof FloatVector floats) {
            float[] values = floats.values();
            for (int index = 0; index < count; index++) {
                dense[index] = values[rows[index]];
            }
        } else {
            double[] values = ((DoubleVector) argument).values();
            for (int index = 0; index < count; index++) {
                dense[index] = values[rows[index]];
            }
        }
        return dense;
    }

    /// Adds `more[i]` to `groups[i]`, or all to group 0 where `groups` is null.
    void addAll(double[] more, int[] groups, int count) {
        if (isAdded(more, groups, count)) {
            return;
        }
        if (values == null && isSlicingDue(count)) {
            values = newSlices();
        }
        addSliced(values, more, groups, count);
    }

    /// The same of what was left over in the rounding of other values.
    void addRests(double[] more, int[] groups, int count) {
        if (isAdded(more, groups, count)) {
            return;
        }
        if (rests == null && values != null) {
            rests = newSlices();
        }
        addSliced(rests, more, groups, count);
    }

    /// Adds what all goes to one group, or to few.
    private boolean isAdded(double[] more, int[] groups, int count) {
        if (groups == null) {
            addToOne(0, more, 0, count);
            return true;
        }
        return count >= MIN_SLICED
                && count <= SlicedSum.MAX_ROWS
                && groupCount * ROWS_A_GROUP <= count
                && addToFew(more, groups, count);
    }

    private boolean isSlicingDue(int count) {
        unslicedRows += count;
        return count >= MIN_SLICED && unslicedRows / ROWS_BEFORE_SLICES >= groupCount;
    }

    /// @param some null where rows are added one by one
    private void addSliced(FloatSlices some, double[] more, int[] groups, int count) {
        if (some == null || !some.add(more, groups, count, this)) {
            for (int index = 0; index < count; index++) {
                add(groups[index], more[index]);
            }
        }
    }

    private void addToOne(int group, double[] values, int from, int count) {
        for (int at = 0; at < count; at += SlicedSum.MAX_ROWS) {
            addSlice(group, values, from + at, Math.min(SlicedSum.MAX_ROWS, count - at));
        }
    }

    private void addSlice(int group, double[] values, int from, int count) {
        if (count >= MIN_SLICED && slices.of(values, from, count)) {
            flag(group, SEEN | NOT_NEGATIVE_ZERO);
            add(group, slices.upper());
            add(group, slices.lower());
            return;
        }
        for (int index = from; index < from + count; index++) {
            add(group, values[index]);
        }
    }

    /// Adds to few groups: their sums in this tile are made first.
    private boolean addToFew(double[] more, int[] groups, int count) {
        if (uppers.length != groupCount) {
            uppers = new double[groupCount];
            lowers = new double[groupCount];
        }
        boolean isExact = slices.byGroup(more, groups, count, uppers, lowers);
        for (int index = 0; isExact && index < count; index++) {
            boolean isNegativeZero = Double.doubleToRawLongBits(more[index]) == Long.MIN_VALUE;
            flag(groups[index], isNegativeZero ? SEEN : SEEN | NOT_NEGATIVE_ZERO);
        }
        for (int group = 0; group < uppers.length; group++) {
            if (isExact && uppers[group] != 0) {
                add(group, uppers[group]);
            }
            if (isExact && lowers[group] != 0) {
                add(group, lowers[group]);
            }
            uppers[group] = 0;
            lowers[group] = 0;
        }
        return isExact;
    }

    /// Says that a group has a value that is not -0.
    void markSeen(int group) {
        flag(group, SEEN | NOT_NEGATIVE_ZERO);
    }

    void add(int group, double value) {
        long bits = Double.doubleToRawLongBits(value);
        int biased = (int) (bits >>> 52) & 0x7FF;
        long mantissa = bits & (1L << 52) - 1;
        if (biased == 0x7FF) {
            int kind = mantissa != 0 ? NAN : bits < 0 ? NEGATIVE_INFINITY : POSITIVE_INFINITY;
            flag(group, SEEN | NOT_NEGATIVE_ZERO | kind);
            return;
        }
        if ((bits & Long.MAX_VALUE) == 0) {
            flag(group, bits < 0 ? SEEN : SEEN | NOT_NEGATIVE_ZERO);
            return;
        }
        mantissa = biased == 0 ? mantissa : mantissa | 1L << 52;
        int exponent = Math.max(biased, 1) - 1 + MIN_EXPONENT; // of the mantissa's lowest bit
        if ((flags(group) & HAS_EXPONENT) == 0) {
            // A multiple of 32, so that windows of like values agree when states are merged.
            setExponent(group, Math.floorDiv(exponent - firstShift, LIMB_BITS) * LIMB_BITS);
        }
        flag(group, SEEN | NOT_NEGATIVE_ZERO | HAS_EXPONENT);
        int shift = exponent - exponent(group);
        if (shift < 0 && Long.numberOfTrailingZeros(mantissa) >= -shift) {
            mantissa >>>= -shift;
            shift = 0;
        }
        if (shift < 0 || shift > MAX_SHIFT) {
            limbs(group).add(mantissa, exponent - MIN_EXPONENT, bits < 0);
            return;
        }
        // mantissa << shift, in three words, then its negative where the sign says so.
        long word0 = shift < 64 ? mantissa << shift : 0;
        long word1 = shift == 0 ? 0 : shift < 64 ? mantissa >>> 64 - shift : mantissa << shift - 64;
        long word2 = shift <= 64 ? 0 : mantissa >>> 128 - shift;
        long sign = bits >> 63;
        word0 = (word0 ^ sign) - sign;
        long borrow = sign != 0 && word0 == 0 ? 1 : 0;
        word1 = (word1 ^ sign) + borrow;
        word2 = (word2 ^ sign) + (borrow != 0 && word1 == 0 ? 1 : 0);
        addWords(group, word0, word1, word2);
    }

    /// Adds to the window. Where the sum would leave it, what was there goes to the limbs: so additions are few that
    /// take long.
    private void addWords(int group, long word0, long word1, long word2) {
        int at = STATE_WORDS * group;
        long oldLow = states[at];
        long newLow = oldLow + word0;
        long carry = Long.compareUnsigned(newLow, oldLow) < 0 ? 1 : 0;
        long oldMiddle = states[at + 1];
        long withWord = oldMiddle + word1;
        long newMiddle = withWord + carry;
        long carries = (Long.compareUnsigned(withWord, oldMiddle) < 0 ? 1 : 0)
                + (Long.compareUnsigned(newMiddle, withWord) < 0 ? 1 : 0);
        long newHigh = states[at + 2] + word2 + carries;
        if ((newHigh ^ newHigh << 1) < 0) {
            addToLimbs(group, window(group), exponent(group));
            setWindow(group, word0, word1, word2);
            return;
        }
        states[at] = newLow;
        states[at + 1] = newMiddle;
        states[at + 2] = newHigh;
    }

    private Limbs limbs(int group) {
        if (wide == null) {
            reservation.grow(groupCount * 4L);
            wide = new Limbs[groupCount];
        }
        if (wide[group] == null) {
            reservation.grow(LIMBS * 8L + 40);
            wide[group] = new Limbs();
        }
        return wide[group];
    }

    @Override
    int partialColumns() {
        return 6;
    }

    @Override
    public void partials(int[] order, int from, int count, Allocator allocator, List<Column> columns) {
        settle();
        for (int word = 0; word < 3; word++) {
            columns.add(words(word, order, from, count, allocator));
        }
        short[] exponents = new short[count];
        short[] flags = new short[count];
        for (int index = 0; index < count; index++) {
            long last = states[STATE_WORDS * place(order, from + index) + 3];
            exponents[index] = (short) (last >> FLAG_BITS);
            flags[index] = (short) (last & FLAG_MASK);
        }
        columns.add(int16s(exponents, allocator));
        columns.add(int16s(flags, allocator));
        columns.add(wide == null ? noUnits(count, allocator) : units(order, from, count, allocator));
    }

    private Column units(int[] order, int from, int count, Allocator allocator) {
        ColumnWriter rest = new ColumnWriter(DataType.UTF8, allocator, count);
        for (int index = from; index < from + count; index++) {
            Limbs limbs = wide[place(order, index)];
            if (limbs == null) {
                rest.appendNull();
            } else {
                rest.appendUtf8(limbs.units().toString(16));
            }
        }
        return rest.finish();
    }

    private static Column noUnits(int count, Allocator allocator) {
        Validity none = Validity.of(allocator.allocate((count + 7L) / 8), count, count);
        MemorySegment offsets = allocator.allocate((count + 1L) * Integer.BYTES);
        return new Utf8Column(DataType.UTF8, count, offsets, false, MemorySegment.NULL, none);
    }

    private Column words(int word, int[] order, int from, int count, Allocator allocator) {
        long[] words = new long[count];
        for (int index = 0; index < count; index++) {
            words[index] = states[STATE_WORDS * place(order, from + index) + word];
        }
        return StateColumns.int64s(words, null, allocator);
    }

    private static Column int16s(short[] values, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(DataType.INT16, allocator, values.length);
        writer.appendInt16s(values, null, values.length);
        return writer.finish();
    }

    @Override
    public void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        long[] lows = Cells.int64s(columns.get(firstColumn), firstRow, count);
        long[] middles = Cells.int64s(columns.get(firstColumn + 1), firstRow, count);
        long[] highs = Cells.int64s(columns.get(firstColumn + 2), firstRow, count);
        short[] exponents = Cells.int16s(columns.get(firstColumn + 3), firstRow, count);
        short[] flags = Cells.int16s(columns.get(firstColumn + 4), firstRow, count);
        Column rest = columns.get(firstColumn + 5);
        for (int index = 0; index < count; index++) {
            int group = groups[index];
            if ((flags[index] & HAS_EXPONENT) != 0) {
                absorbWords(group, lows[index], middles[index], highs[index], exponents[index]);
            }
            flag(group, flags[index]);
            if (rest.validity().isPresent(firstRow + index)) {
                absorbUnits(group, new BigInteger(TextCells.text(rest, firstRow + index), 16), 0);
            }
        }
    }

    private void absorbWords(int group, long word0, long word1, long word2, short exponent) {
        if ((flags(group) & HAS_EXPONENT) == 0) {
            setExponent(group, exponent);
            setWindow(group, word0, word1, word2);
        } else if (exponent(group) == exponent) {
            addWords(group, word0, word1, word2);
        } else if ((word0 | word1 | word2) != 0) {
            absorbWindow(group, window(word0, word1, word2), exponent);
        }
    }

    /// Adds a window of another exponent: at the lower of both, if the sum leaves room enough there.
    private void absorbWindow(int group, BigInteger units, short exponent) {
        int common = Math.min(exponent(group), exponent);
        BigInteger sum = window(group).shiftLeft(exponent(group) - common).add(units.shiftLeft(exponent - common));
        if (sum.bitLength() <= WINDOW_BITS) {
            setExponent(group, common);
            setWindow(
                    group,
                    sum.longValue(),
                    sum.shiftRight(64).longValue(),
                    sum.shiftRight(128).longValue());
        } else {
            addToLimbs(group, units, exponent);
        }
    }

    private void addToLimbs(int group, BigInteger units, short exponent) {
        // Units below 2^-1074 are zeros: values were whole multiples of it.
        int position = exponent - MIN_EXPONENT;
        absorbUnits(group, position < 0 ? units.shiftRight(-position) : units, Math.max(position, 0));
    }

    private BigInteger window(int group) {
        return window(low(group), middle(group), high(group));
    }

    private static BigInteger window(long word0, long word1, long word2) {
        return BigInteger.valueOf(word2)
                .shiftLeft(128)
                .or(Int128.toBigInteger(0, word1).shiftLeft(64))
                .or(Int128.toBigInteger(0, word0));
    }

    private void absorbUnits(int group, BigInteger units, int position) {
        Limbs to = limbs(group);
        BigInteger rest = units.abs();
        for (int at = position; rest.signum() != 0; at += LIMB_BITS) {
            to.add(rest.longValue() & LIMB_MASK, at, units.signum() < 0);
            rest = rest.shiftRight(LIMB_BITS);
        }
    }

    /// The sum, rounded once to float64.
    ///
    /// - Errors: 22003 when finite values sum to what a float64 cannot hold.
    double doubleSum(int group) {
        settle();
        return rounded(group);
    }

    /// Of a settled sum.
    private double rounded(int group) {
        return rounded(group, 53, -1074, 1023);
    }

    private double rounded(int group, int precision, int minExponent, int maxExponent) {
        int bits = flags(group);
        boolean isPositive = (bits & POSITIVE_INFINITY) != 0;
        boolean isNegative = (bits & NEGATIVE_INFINITY) != 0;
        if ((bits & NAN) != 0 || isPositive && isNegative) {
            return Double.NaN;
        }
        if (isPositive || isNegative) {
            return isPositive ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
        }
        double zero = (bits & NOT_NEGATIVE_ZERO) == 0 ? -0.0 : 0.0;
        int exponent = exponent(group);
        if (isWindow(group)) {
            return isZeroWindow(group)
                    ? zero
                    : round(low(group), middle(group), high(group), exponent, precision, minExponent, maxExponent);
        }
        BinaryNumber sum = exact(group);
        return sum.signum() == 0 ? zero : round(sum.units(), sum.exponent(), precision, minExponent, maxExponent);
    }

    /// Whether neither NaN nor an infinity was added to a settled sum.
    boolean isFinite(int group) {
        return (flags(group) & (NAN | POSITIVE_INFINITY | NEGATIVE_INFINITY)) == 0;
    }

    /// Whether all of a settled sum is in its window.
    boolean isWindow(int group) {
        return wide == null || wide[group] == null;
    }

    /// How large the window is, from the lowest word on.
    ///
    /// @return whether it is negative
    boolean magnitude(int group, long[] words) {
        long low = low(group);
        long middle = middle(group);
        long sign = high(group) >> 63;
        long carry = sign & 1;
        words[0] = (low ^ sign) + carry;
        carry = low == 0 ? carry : 0;
        words[1] = (middle ^ sign) + carry;
        carry = middle == 0 ? carry : 0;
        words[2] = (high(group) ^ sign) + carry;
        return sign != 0;
    }

    /// The finite values of a settled sum.
    BinaryNumber exact(int group) {
        BinaryNumber sum = new BinaryNumber(window(group), exponent(group));
        return isWindow(group) ? sum : sum.plus(wide[group].sum());
    }

    /// `units · 2^exponent`, rounded half to even.
    ///
    /// - Errors: 22003 beyond `maxExponent`.
    static double round(BigInteger units, int exponent, int precision, int minExponent, int maxExponent) {
        BigInteger magnitude = units.abs();
        int top = magnitude.bitLength() - 1 + exponent;
        int lowest = Math.max(top - precision + 1, minExponent);
        int drop = lowest - exponent;
        BigInteger mantissa = magnitude;
        if (drop > 0) {
            mantissa = magnitude.shiftRight(drop);
            boolean half = magnitude.testBit(drop - 1);
            boolean more = magnitude.getLowestSetBit() < drop - 1;
            if (half && (more || mantissa.testBit(0))) {
                mantissa = mantissa.add(BigInteger.ONE);
            }
        } else {
            lowest = exponent;
        }
        if (mantissa.bitLength() - 1 + lowest > maxExponent) {
            throw RowErrors.floatOverflow();
        }
        // The mantissa has few enough bits, or zeros below them, to be exact.
        double value = Math.scalb(mantissa.doubleValue(), lowest);
        return units.signum() < 0 ? -value : value;
    }

    /// The same of a window that is not 0, in three words: most sums are one.
    static double round(
            long low, long middle, long high, int exponent, int precision, int minExponent, int maxExponent) {
        boolean isNegative = high < 0;
        long word0 = isNegative ? -low : low;
        long word1 = isNegative ? ~middle + (low == 0 ? 1 : 0) : middle;
        long word2 = isNegative ? ~high + (low == 0 && middle == 0 ? 1 : 0) : high;
        int bitLength = word2 != 0
                ? 192 - Long.numberOfLeadingZeros(word2)
                : word1 != 0 ? 128 - Long.numberOfLeadingZeros(word1) : 64 - Long.numberOfLeadingZeros(word0);
        int top = bitLength - 1 + exponent;
        int lowest = Math.max(top - precision + 1, minExponent);
        int drop = lowest - exponent;
        long mantissa = word0;
        if (drop >= bitLength + 1) {
            mantissa = 0; // less than half of the least that there is
        } else if (drop > 0) {
            mantissa = drop == bitLength ? 0 : bitsFrom(drop, word0, word1, word2);
            boolean half = (bitsFrom(drop - 1, word0, word1, word2) & 1) != 0;
            if (half && ((mantissa & 1) != 0 || isBelow(drop - 1, word0, word1, word2))) {
                mantissa++;
            }
        } else {
            lowest = exponent;
        }
        if (64 - Long.numberOfLeadingZeros(mantissa) - 1 + lowest > maxExponent) {
            throw RowErrors.floatOverflow();
        }
        double value = Math.scalb((double) mantissa, lowest);
        return isNegative ? -value : value;
    }

    /// 64 bits of three words, from a place below 192 on.
    private static long bitsFrom(int place, long word0, long word1, long word2) {
        int shift = place & 63;
        long first = place < 64 ? word0 : place < 128 ? word1 : word2;
        long next = place < 64 ? word1 : place < 128 ? word2 : 0;
        return shift == 0 ? first : first >>> shift | next << 64 - shift;
    }

    /// Whether any of the bits below a place is 1.
    private static boolean isBelow(int place, long word0, long word1, long word2) {
        long low = place >= 64 ? word0 : word0 & (1L << place) - 1;
        long middle = place < 64 ? 0 : place >= 128 ? word1 : word1 & (1L << place) - 1;
        long high = place < 128 ? 0 : word2 & (1L << place) - 1;
        return (low | middle | high) != 0;
    }

    @Override
    public Column result(int from, int count, Allocator allocator) {
        settle();
        ColumnWriter writer = new ColumnWriter(isSingle ? DataType.FLOAT32 : DataType.FLOAT64, allocator, count);
        for (int group = from; group < from + count; group++) {
            if ((flags(group) & SEEN) == 0) {
                writer.appendNull();
            } else if (isSingle) {
                writer.appendFloat32((float) rounded(group, 24, -149, 127));
            } else {
                writer.appendFloat64(rounded(group));
            }
        }
        return writer.finish();
    }
}
