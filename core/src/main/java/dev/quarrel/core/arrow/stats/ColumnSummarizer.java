package dev.quarrel.core.arrow.stats;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.UuidWords;
import dev.quarrel.core.type.ValueOrder;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/// Gathers a column's statistics in one pass, while its batch is in cache anyway because it is being written.
///
/// Numbers go through tiles of longs whose order is PostgreSQL's, so that a few plain loops serve all their types.
public final class ColumnSummarizer {
    private static final int TILE_ROWS = 1024;

    private final Validity validity;
    private final int rowCount;
    private final long nullCount;

    private ColumnSummarizer(Column column) {
        this.validity = column.validity();
        this.rowCount = column.rowCount();
        this.nullCount = nullCount(validity, rowCount);
    }

    public static ColumnSummary summarize(Column column) {
        ColumnSummarizer summarizer = new ColumnSummarizer(column);
        if (summarizer.nullCount == summarizer.rowCount) {
            return new ColumnSummary(
                    new ColumnStats(summarizer.nullCount, null, null, 0), summarizer.rowCount == 0, null, null);
        }
        return switch (column) {
            case BoolColumn bools -> summarizer.bools(bools);
            case FixedColumn fixed ->
                fixed.type().byteWidth() >= 16 ? summarizer.wide(fixed) : summarizer.numbers(fixed);
            case Utf8Column text -> summarizer.text(text);
            case DictionaryColumn coded -> summarizer.coded(coded);
        };
    }

    public static long nullCount(Validity validity, int rowCount) {
        if (validity.isAllPresent() || validity.nullCount() >= 0) {
            return Math.max(0, validity.nullCount());
        }
        long present = 0;
        for (int row = 0; row < rowCount; row += 64) {
            long word = validity.word(row);
            present += Long.bitCount(rowCount - row >= 64 ? word : word & ((1L << (rowCount - row)) - 1));
        }
        return rowCount - present;
    }

    private ColumnSummary bools(BoolColumn column) {
        boolean seenTrue = false;
        boolean seenFalse = false;
        for (int row = 0; row < rowCount && !(seenTrue && seenFalse); row++) {
            if (validity.isPresent(row)) {
                boolean value = (column.bits().get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1) != 0;
                seenTrue |= value;
                seenFalse |= !value;
            }
        }
        ColumnStats stats = new ColumnStats(nullCount, !seenFalse, seenTrue, seenTrue && seenFalse ? 2 : 1);
        return new ColumnSummary(stats, false, null, null);
    }

    private ColumnSummary numbers(FixedColumn column) {
        long[] tile = new long[Math.min(TILE_ROWS, rowCount)];
        int[] ints = new int[tile.length];
        DistinctEstimate distinct = new DistinctEstimate();
        Bounds bounds = new Bounds();
        long first = 0;
        long previous = Long.MIN_VALUE;
        boolean ascending = nullCount == 0;
        for (int row = 0; row < rowCount; row += TILE_ROWS) {
            int count = Math.min(TILE_ROWS, rowCount - row);
            load(column, row, count, ints, tile);
            count = nullCount == 0 ? count : dropNulls(row, count, tile);
            bounds.widen(tile, count);
            if (ascending && count > 0) {
                first = row == 0 ? tile[0] : first;
                ascending = ascends(previous, tile, count);
                previous = tile[count - 1];
            }
            mix(tile, count);
            distinct.addAll(tile, count);
        }
        DataType type = column.type();
        ColumnStats stats = new ColumnStats(
                nullCount,
                canonical(type, bounds.min),
                canonical(type, bounds.max),
                distinct.count(rowCount - nullCount));
        return ascending
                ? new ColumnSummary(stats, true, canonical(type, first), canonical(type, previous))
                : new ColumnSummary(stats, false, null, null);
    }

    // Loops are methods of their own: the JIT compiles a small one at once, and makes vectors of it; one that holds all
    // of them it compiles anew for each.

    private static final class Bounds {
        private long min = Long.MAX_VALUE;
        private long max = Long.MIN_VALUE;

        void widen(long[] tile, int count) {
            long least = min;
            long most = max;
            for (int index = 0; index < count; index++) {
                least = Math.min(least, tile[index]);
                most = Math.max(most, tile[index]);
            }
            min = least;
            max = most;
        }
    }

    private static void mix(long[] tile, int count) {
        for (int index = 0; index < count; index++) {
            tile[index] = TextHash.mix(tile[index]);
        }
    }

    private static boolean ascends(long previous, long[] tile, int count) {
        boolean ascends = previous <= tile[0];
        for (int index = 1; index < count; index++) {
            ascends &= tile[index - 1] <= tile[index];
        }
        return ascends;
    }

    private int dropNulls(int firstRow, int count, long[] tile) {
        int kept = 0;
        for (int index = 0; index < count; index += Long.SIZE) {
            kept = keep(tile, index, Math.min(Long.SIZE, count - index), validity.word(firstRow + index), kept);
        }
        return kept;
    }

    private static int keep(long[] tile, int from, int count, long bits, int keptBefore) {
        int kept = keptBefore;
        for (int index = 0; index < count; index++) {
            tile[kept] = tile[from + index];
            kept += (int) (bits >>> index & 1);
        }
        return kept;
    }

    /// @param ints to work with
    private static void load(FixedColumn column, int firstRow, int count, int[] ints, long[] tile) {
        MemorySegment values = column.values();
        switch (column.type()) {
            case DataType.Int16 _ -> {
                short[] shorts = new short[count];
                MemorySegment.copy(values, INT16, firstRow * 2L, shorts, 0, count);
                widen(shorts, count, tile);
            }
            case DataType.Int32 _, DataType.Date _ -> {
                MemorySegment.copy(values, INT32, firstRow * 4L, ints, 0, count);
                widen(ints, count, tile);
            }
            case DataType.Int64 _, DataType.Time _, DataType.Timestamp _ ->
                MemorySegment.copy(values, INT64, firstRow * 8L, tile, 0, count);
            case DataType.Float32 _ -> {
                MemorySegment.copy(values, INT32, firstRow * 4L, ints, 0, count);
                order(ints, count, tile);
            }
            case DataType.Float64 _ -> {
                MemorySegment.copy(values, INT64, firstRow * 8L, tile, 0, count);
                order(tile, count);
            }
            case DataType.Bool _,
                    DataType.Decimal _,
                    DataType.Numeric _,
                    DataType.Uuid _,
                    DataType.Interval _,
                    DataType.Utf8 _,
                    DataType.Binary _ ->
                throw new IllegalArgumentException(column.type().toString());
        }
    }

    static void widen(int[] ints, int count, long[] tile) {
        for (int index = 0; index < count; index++) {
            tile[index] = ints[index];
        }
    }

    private static void widen(short[] shorts, int count, long[] tile) {
        for (int index = 0; index < count; index++) {
            tile[index] = shorts[index];
        }
    }

    private static void order(int[] floats, int count, long[] tile) {
        for (int index = 0; index < count; index++) {
            tile[index] = ordered(Float.intBitsToFloat(floats[index]));
        }
    }

    private static void order(long[] tile, int count) {
        for (int index = 0; index < count; index++) {
            tile[index] = ordered(Double.longBitsToDouble(tile[index]));
        }
    }

    /// A long whose order is PostgreSQL's of doubles: -0 is 0, NaN is the largest. Floats are doubles.
    private static long ordered(double value) {
        long bits = Double.doubleToLongBits(value + 0.0);
        return bits ^ (bits >> 63 & Long.MAX_VALUE);
    }

    private static Object canonical(DataType type, long value) {
        if (type instanceof DataType.Float64 || type instanceof DataType.Float32) {
            double number = Double.longBitsToDouble(value ^ (value >> 63 & Long.MAX_VALUE));
            return type instanceof DataType.Float64 ? (Object) number : (Object) (float) number;
        }
        return value;
    }

    /// Decimals: compared as 128-bit integers. Numerics have a scale each, intervals several forms of one span: they
    /// get no bounds.
    private ColumnSummary wide(FixedColumn column) {
        if (column.type() instanceof DataType.Uuid) {
            return uuids(column);
        }
        if (column.type() instanceof DataType.Interval) {
            return intervals(column);
        }
        if (!(column.type() instanceof DataType.Decimal type)) {
            return unknown();
        }
        int scale = type.scale();
        MemorySegment values = column.values();
        DistinctEstimate distinct = new DistinctEstimate();
        long minHigh = Long.MAX_VALUE;
        long minLow = -1;
        long maxHigh = Long.MIN_VALUE;
        long maxLow = 0;
        long previousHigh = Long.MIN_VALUE;
        long previousLow = 0;
        boolean ascending = nullCount == 0;
        for (int row = 0; row < rowCount; row++) {
            if (!validity.isPresent(row)) {
                continue;
            }
            long low = values.get(INT64, row * 16L);
            long high = values.get(INT64, row * 16L + 8);
            if (less(high, low, minHigh, minLow)) {
                minHigh = high;
                minLow = low;
            }
            if (less(maxHigh, maxLow, high, low)) {
                maxHigh = high;
                maxLow = low;
            }
            ascending &= !less(high, low, previousHigh, previousLow);
            previousHigh = high;
            previousLow = low;
            distinct.add(TextHash.mix(low ^ TextHash.mix(high)));
        }
        ColumnStats stats = new ColumnStats(
                nullCount,
                decimal(minHigh, minLow, scale),
                decimal(maxHigh, maxLow, scale),
                distinct.count(rowCount - nullCount));
        return ascending
                ? new ColumnSummary(
                        stats,
                        true,
                        decimal(values.get(INT64, 8), values.get(INT64, 0), scale),
                        decimal(previousHigh, previousLow, scale))
                : new ColumnSummary(stats, false, null, null);
    }

    private ColumnSummary uuids(FixedColumn column) {
        MemorySegment values = column.values();
        DistinctEstimate distinct = new DistinctEstimate();
        UUID first = null;
        UUID min = null;
        UUID max = null;
        long previousHigh = Long.MIN_VALUE;
        long previousLow = 0;
        boolean ascending = nullCount == 0;
        for (int row = 0; row < rowCount; row++) {
            if (!validity.isPresent(row)) {
                continue;
            }
            long high = UuidWords.high(values, row * 16L);
            long low = UuidWords.low(values, row * 16L);
            if (min == null || less(high, low, UuidWords.high(min), UuidWords.low(min))) {
                min = UuidWords.uuid(high, low);
            }
            if (max == null || less(UuidWords.high(max), UuidWords.low(max), high, low)) {
                max = UuidWords.uuid(high, low);
            }
            first = first == null ? min : first;
            ascending &= !less(high, low, previousHigh, previousLow);
            previousHigh = high;
            previousLow = low;
            distinct.add(TextHash.mix(low ^ TextHash.mix(high)));
        }
        ColumnStats stats = new ColumnStats(nullCount, min, max, distinct.count(rowCount - nullCount));
        return ascending
                ? new ColumnSummary(stats, true, first, UuidWords.uuid(previousHigh, previousLow))
                : new ColumnSummary(stats, false, null, null);
    }

    private ColumnSummary intervals(FixedColumn column) {
        DistinctEstimate distinct = new DistinctEstimate();
        for (int row = 0; row < rowCount; row++) {
            if (validity.isPresent(row)) {
                long calendar = column.values().get(INT64, row * 16L);
                long micros = column.values().get(INT64, row * 16L + 8);
                distinct.add(
                        TextHash.mix(Interval.spanMicros(micros) ^ TextHash.mix(Interval.spanDays(calendar, micros))));
            }
        }
        ColumnStats stats = new ColumnStats(nullCount, null, null, distinct.count(rowCount - nullCount));
        return new ColumnSummary(stats, false, null, null);
    }

    private static boolean less(long high, long low, long otherHigh, long otherLow) {
        return high < otherHigh || (high == otherHigh && Long.compareUnsigned(low, otherLow) < 0);
    }

    private static BigDecimal decimal(long high, long low, int scale) {
        if (high == low >> 63) {
            return BigDecimal.valueOf(low, scale);
        }
        BigInteger unsignedLow = BigInteger.valueOf(low >>> 1).shiftLeft(1).or(BigInteger.valueOf(low & 1));
        return new BigDecimal(BigInteger.valueOf(high).shiftLeft(64).add(unsignedLow), scale);
    }

    private ColumnSummary text(Utf8Column column) {
        TextSummarizer texts = new TextSummarizer(column, nullCount > 0);
        if (texts.minRow() < 0) { // more are NULL than a damaged file says
            return unknown();
        }
        ColumnStats stats = new ColumnStats(
                nullCount,
                lowerBound(value(column, texts.minRow())),
                upperBound(value(column, texts.maxRow())),
                texts.distinctCount(rowCount - nullCount));
        return texts.ascends()
                ? new ColumnSummary(stats, true, value(column, 0), value(column, rowCount - 1))
                : new ColumnSummary(stats, false, null, null);
    }

    private ColumnSummary unknown() {
        return new ColumnSummary(new ColumnStats(nullCount, null, null, -1), false, null, null);
    }

    /// A value in canonical form: a string, or bytes.
    private static Object value(Utf8Column column, int row) {
        return column.type() instanceof DataType.Binary ? Bytes.of(column.bytes(row)) : string(column, row);
    }

    private static Object lowerBound(Object value) {
        return value instanceof Bytes bytes ? StatsText.lowerBound(bytes) : StatsText.lowerBound((String) value);
    }

    private static Object upperBound(Object value) {
        return value instanceof Bytes bytes ? StatsText.upperBound(bytes) : StatsText.upperBound((String) value);
    }

    public static String string(Utf8Column column, int row) {
        return new String(column.bytes(row).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    /// Looks at entries instead of rows. A row whose entry is NULL is NULL.
    private ColumnSummary coded(DictionaryColumn column) {
        Utf8Column entries = column.dictionary().values();
        boolean[] used = new boolean[column.dictionary().size()];
        long nulls = 0;
        for (int row = 0; row < rowCount; row++) {
            if (validity.isPresent(row)) {
                int code = column.code(row);
                used[code] = true;
                nulls += entries.validity().isPresent(code) ? 0 : 1;
            } else {
                nulls++;
            }
        }
        List<Object> texts = new ArrayList<>();
        for (int code = 0; code < used.length; code++) {
            if (used[code] && entries.validity().isPresent(code)) {
                texts.add(value(entries, code));
            }
        }
        return distinct(texts, nulls);
    }

    /// What there is to say of a column that holds exactly these texts (or bytes).
    public static ColumnSummary distinct(List<?> texts, long nullCount) {
        if (texts.isEmpty()) {
            return new ColumnSummary(new ColumnStats(nullCount, null, null, 0), false, null, null);
        }
        Object min = texts.getFirst();
        Object max = min;
        for (Object text : texts) {
            min = ValueOrder.least(min, text);
            max = ValueOrder.greatest(max, text);
        }
        ColumnStats stats = new ColumnStats(nullCount, lowerBound(min), upperBound(max), texts.size());
        return new ColumnSummary(stats, false, null, null);
    }
}
