package dev.quarrel.core.cpu.sort;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.cpu.number.FloatBits;
import dev.quarrel.core.cpu.number.Int128;
import dev.quarrel.core.cpu.rows.SortOrder;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.UuidWords;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.stream.IntStream;

/// Makes a 64-bit word of each value of a sort key's column that orders as the key does, as far as 64 bits say it, and
/// compares values for the rest.
final class RunKey {
    /// Of larger dictionaries the entries are not ranked.
    private static final int MAX_RANKED = 1 << 16;

    private final SortKey key;
    private final int[] ranks; // of the one dictionary that all chunks share, or null
    private boolean exact;
    private boolean mayBeNull;

    private RunKey(SortKey key, int[] ranks) {
        this.key = key;
        this.ranks = ranks;
        this.exact = true;
    }

    /// @param dictionary the one that the column has wherever it is read, or null
    static RunKey of(SortKey key, Dictionary dictionary, Reservation reservation) {
        return new RunKey(
                key, dictionary == null || dictionary.size() > MAX_RANKED ? null : ranks(dictionary, reservation));
    }

    private static int[] ranks(Dictionary dictionary, Reservation reservation) {
        int size = dictionary.size();
        reservation.grow(size * 4L);
        Utf8Column values = dictionary.values();
        int[] sorted = IntStream.range(0, size)
                .boxed()
                .sorted((one, other) -> compareText(values, one, values, other))
                .mapToInt(Integer::intValue)
                .toArray();
        int[] ranks = new int[size];
        for (int rank = 1; rank < size; rank++) {
            boolean isSame = compareText(values, sorted[rank - 1], values, sorted[rank]) == 0;
            ranks[sorted[rank]] = isSame ? ranks[sorted[rank - 1]] : rank;
        }
        return ranks;
    }

    int output() {
        return key.output();
    }

    /// Whether equal words stand for equal values, NULLs aside.
    boolean isExact() {
        return exact;
    }

    boolean mayBeNull() {
        return mayBeNull;
    }

    /// Fills in the words of a chunk's rows.
    void fill(Column column, int rowCount, long[] words) {
        mayBeNull |= !column.validity().isAllPresent();
        switch (column) {
            case BoolColumn bools -> {
                for (int row = 0; row < rowCount; row++) {
                    words[row] = bools.bits().get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1;
                }
            }
            case FixedColumn fixed -> fillFixed(fixed, rowCount, words);
            case DictionaryColumn codes
            when ranks != null -> {
                for (int row = 0; row < rowCount; row++) {
                    // Under a NULL may stand any code.
                    int code = codes.code(row);
                    words[row] = code >= 0 && code < ranks.length ? ranks[code] : 0;
                }
            }
            case DictionaryColumn codes -> {
                exact = false;
                Utf8Column values = codes.dictionary().values();
                for (int row = 0; row < rowCount; row++) {
                    words[row] = codes.validity().isPresent(row) ? prefix(values, codes.code(row)) : 0;
                }
            }
            case Utf8Column text -> {
                exact = false;
                for (int row = 0; row < rowCount; row++) {
                    words[row] = prefix(text, row);
                }
            }
        }
        if (key.descending()) {
            for (int row = 0; row < rowCount; row++) {
                words[row] = ~words[row];
            }
        }
    }

    private void fillFixed(FixedColumn column, int rowCount, long[] words) {
        MemorySegment values = column.values();
        switch (column.type()) {
            case DataType.Int16 _ -> {
                for (int row = 0; row < rowCount; row++) {
                    words[row] = values.get(INT16, row * 2L);
                }
            }
            case DataType.Int32 _, DataType.Date _ -> {
                for (int row = 0; row < rowCount; row++) {
                    words[row] = values.get(INT32, row * 4L);
                }
            }
            case DataType.Int64 _, DataType.Time _, DataType.Timestamp _ -> {
                for (int row = 0; row < rowCount; row++) {
                    words[row] = values.get(INT64, row * 8L);
                }
            }
            case DataType.Float32 _ -> {
                for (int row = 0; row < rowCount; row++) {
                    words[row] = FloatBits.ordered(Float.intBitsToFloat(values.get(INT32, row * 4L)));
                }
            }
            case DataType.Float64 _ -> {
                for (int row = 0; row < rowCount; row++) {
                    words[row] = FloatBits.ordered(Double.longBitsToDouble(values.get(INT64, row * 8L)));
                }
            }
            case DataType.Decimal _ -> {
                for (int row = 0; row < rowCount; row++) {
                    long low = values.get(INT64, row * 16L);
                    long high = values.get(INT64, row * 16L + 8);
                    exact &= high == low >> 63;
                    words[row] = OrderWords.clamp(high, low);
                }
            }
            case DataType.Uuid _ -> {
                exact = false;
                for (int row = 0; row < rowCount; row++) {
                    words[row] = UuidWords.high(values, row * 16L);
                }
            }
            case DataType.Interval _ -> {
                for (int row = 0; row < rowCount; row++) {
                    words[row] = OrderWords.span(values.get(INT64, row * 16L), values.get(INT64, row * 16L + 8));
                    exact &= words[row] != Long.MIN_VALUE && words[row] != Long.MAX_VALUE;
                }
            }
            case DataType.Numeric _ -> {
                exact = false;
                Arrays.fill(words, 0, rowCount, 0);
            }
            case DataType.Bool _, DataType.Utf8 _, DataType.Binary _ ->
                throw new IllegalArgumentException("width of " + column.type());
        }
    }

    private static long prefix(Utf8Column text, int row) {
        long start = text.offset(row);
        return SortOrder.prefix(text.data(), start, (int) (text.offset(row + 1) - start)) ^ Long.MIN_VALUE;
    }

    /// Orders two rows whose words are given.
    int compare(Column one, int oneRow, long oneWord, Column other, int otherRow, long otherWord) {
        if (mayBeNull) {
            boolean isPresent = one.validity().isPresent(oneRow);
            if (!isPresent || !other.validity().isPresent(otherRow)) {
                return compareNulls(one, oneRow, other, otherRow);
            }
        }
        if (oneWord != otherWord) {
            return Long.compare(oneWord, otherWord);
        }
        if (exact) {
            return 0;
        }
        int order = compareValues(one, oneRow, other, otherRow);
        return key.descending() ? -order : order;
    }

    /// Orders two rows by which of them is NULL.
    int compareNulls(Column one, int oneRow, Column other, int otherRow) {
        boolean isOneNull = !one.validity().isPresent(oneRow);
        boolean isOtherNull = !other.validity().isPresent(otherRow);
        if (isOneNull == isOtherNull) {
            return 0;
        }
        return isOneNull == key.nullsFirst() ? -1 : 1;
    }

    private static int compareValues(Column one, int oneRow, Column other, int otherRow) {
        if (one instanceof FixedColumn(DataType type, int _, MemorySegment a, var _)
                && other instanceof FixedColumn(DataType _, int _, MemorySegment b, var _)) {
            if (type instanceof DataType.Numeric) {
                long at = oneRow * 24L;
                long to = otherRow * 24L;
                return Int128.compareScaled(
                        a.get(INT64, at + 8),
                        a.get(INT64, at),
                        a.get(INT32, at + 16),
                        b.get(INT64, to + 8),
                        b.get(INT64, to),
                        b.get(INT32, to + 16));
            }
            if (type instanceof DataType.Uuid) {
                // Their first halves are equal.
                return Long.compareUnsigned(UuidWords.low(a, oneRow * 16L), UuidWords.low(b, otherRow * 16L));
            }
            if (type instanceof DataType.Interval) {
                return Interval.compareSpans(
                        a.get(INT64, oneRow * 16L),
                        a.get(INT64, oneRow * 16L + 8),
                        b.get(INT64, otherRow * 16L),
                        b.get(INT64, otherRow * 16L + 8));
            }
            if (type instanceof DataType.Decimal) {
                int order = Long.compare(a.get(INT64, oneRow * 16L + 8), b.get(INT64, otherRow * 16L + 8));
                return order != 0
                        ? order
                        : Long.compareUnsigned(a.get(INT64, oneRow * 16L), b.get(INT64, otherRow * 16L));
            }
            return 0;
        }
        Utf8Column a =
                one instanceof DictionaryColumn codes ? codes.dictionary().values() : (Utf8Column) one;
        int at = one instanceof DictionaryColumn codes ? codes.code(oneRow) : oneRow;
        Utf8Column b =
                other instanceof DictionaryColumn codes ? codes.dictionary().values() : (Utf8Column) other;
        int to = other instanceof DictionaryColumn codes ? codes.code(otherRow) : otherRow;
        return compareText(a, at, b, to);
    }

    private static int compareText(Utf8Column one, int oneRow, Utf8Column other, int otherRow) {
        long oneStart = one.offset(oneRow);
        long otherStart = other.offset(otherRow);
        return SortOrder.compareBytes(
                one.data(), oneStart, (int) (one.offset(oneRow + 1) - oneStart), other.data(), otherStart, (int)
                        (other.offset(otherRow + 1) - otherStart));
    }
}
