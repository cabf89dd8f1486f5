package dev.quarrel.core.arrow.dataset;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.device.KeyHash;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;

/// Makes numbers of 64 or 128 bits of rows' keys. Two keys have the same number if their values have the same bytes.
public final class KeyCodes {
    private static final long FIRST_FACTOR = 0x87C37B91114253D5L;
    private static final long SECOND_FACTOR = 0x4CF5AD432745937FL;
    private static final int LONG_BYTES = 8;

    private final Schema columns;
    private final int bytes; // of all values; -1 where their number varies, or is above 16
    private final long seed = new SecureRandom().nextLong();

    /// @param high null where all keys fit into `low`
    public record Codes(long[] high, long[] low) {
        long high(int row) {
            return high == null ? 0 : high[row];
        }

        /// Those of some rows.
        Codes of(int[] rows) {
            long[] someLow = new long[rows.length];
            long[] someHigh = high == null ? null : new long[rows.length];
            for (int index = 0; index < rows.length; index++) {
                someLow[index] = low[rows[index]];
                if (someHigh != null) {
                    someHigh[index] = high[rows[index]];
                }
            }
            return new Codes(someHigh, someLow);
        }
    }

    /// Where a key has the value of a column of 2, 4 or 8 bytes.
    ///
    /// @param at bytes of the key before it
    record Place(int at, int width) {
        /// The value, with its sign.
        long of(long high, long low) {
            int rest = Long.SIZE - Byte.SIZE * width;
            long word = at < LONG_BYTES ? low : high;
            return word << rest - Byte.SIZE * (at % LONG_BYTES) >> rest;
        }
    }

    /// @param columns of the key
    public KeyCodes(Schema columns) {
        this.columns = columns;
        int all = 0;
        for (int column = 0; column < columns.size(); column++) {
            int width = width(columns.type(column));
            all = width < 0 || all < 0 ? -1 : all + width;
        }
        this.bytes = all > 2 * LONG_BYTES ? -1 : all;
    }

    private static int width(DataType type) {
        return type instanceof DataType.Bool ? 1 : type.byteWidth() > 0 ? type.byteWidth() : -1;
    }

    /// The columns of the key.
    public Schema columns() {
        return columns;
    }

    boolean isShort() {
        return bytes >= 0 && bytes <= LONG_BYTES;
    }

    /// Null for a column whose values do not stand in keys, or not in one half of them.
    Place place(int column) {
        if (bytes < 0) {
            return null;
        }
        int at = 0;
        for (int before = 0; before < column; before++) {
            at += width(columns.type(before));
        }
        int width = width(columns.type(column));
        boolean isWhole = width <= LONG_BYTES && at % LONG_BYTES + width <= LONG_BYTES;
        return isWhole && width > 1 ? new Place(at, width) : null;
    }

    /// The keys' numbers.
    ///
    /// - Nulls: 23502 for a NULL, which is no part of a key.
    public Codes of(List<Column> values, int rowCount) {
        for (int column = 0; column < values.size(); column++) {
            requirePresent(values.get(column), columns.field(column).name());
        }
        Codes codes = new Codes(isShort() ? null : new long[rowCount], new long[rowCount]);
        if (bytes < 0) {
            hash(values, null, codes);
        } else {
            int at = 0;
            for (Column column : values) {
                pack(column, at, codes);
                at += width(column.type());
            }
        }
        return codes;
    }

    /// The numbers of some rows' keys, in which there is no NULL.
    Codes of(List<Column> values, int[] rows) {
        Codes codes = new Codes(isShort() ? null : new long[rows.length], new long[rows.length]);
        if (bytes < 0) {
            hash(values, rows, codes);
        } else {
            int at = 0;
            for (Column column : values) {
                pack(column, rows, at, codes);
                at += width(column.type());
            }
        }
        return codes;
    }

    private static void requirePresent(Column column, String name) {
        if (column.validity().isAllPresent()) {
            return;
        }
        for (int row = 0; row < column.rowCount(); row++) {
            if (!column.validity().isPresent(row)) {
                throw new QueryException(
                                SqlState.NOT_NULL_VIOLATION, "column \"" + name + "\" of a key contains null values")
                        .withHint("rows are told apart by a key: name one whose columns are NOT NULL");
            }
        }
    }

    /// Puts a column's bytes behind those of the columns before it.
    private static void pack(Column column, int at, Codes codes) {
        int rowCount = column.rowCount();
        switch (column) {
            case BoolColumn bool -> {
                for (int row = 0; row < rowCount; row++) {
                    put(codes, row, at, 1, bit(bool, row));
                }
            }
            case FixedColumn fixed -> {
                switch (fixed.type().byteWidth()) {
                    case 2 -> packShorts(fixed, at, codes);
                    case 4 -> packInts(fixed, at, codes);
                    default -> packLongs(fixed, at, codes);
                }
            }
            case DictionaryColumn _, Utf8Column _ -> throw new IllegalStateException("of no fixed width: " + column);
        }
    }

    private static void pack(Column column, int[] rows, int at, Codes codes) {
        switch (column) {
            case BoolColumn bool -> {
                for (int index = 0; index < rows.length; index++) {
                    put(codes, index, at, 1, bit(bool, rows[index]));
                }
            }
            case FixedColumn fixed -> {
                switch (fixed.type().byteWidth()) {
                    case Short.BYTES -> {
                        short[] shorts = shorts(fixed);
                        for (int index = 0; index < rows.length; index++) {
                            put(codes, index, at, Short.BYTES, shorts[rows[index]] & 0xFFFFL);
                        }
                    }
                    case Integer.BYTES -> {
                        int[] ints = ints(fixed);
                        for (int index = 0; index < rows.length; index++) {
                            put(codes, index, at, Integer.BYTES, ints[rows[index]] & 0xFFFFFFFFL);
                        }
                    }
                    default -> packLongs(fixed, rows, at, codes);
                }
            }
            case DictionaryColumn _, Utf8Column _ -> throw new IllegalStateException("of no fixed width: " + column);
        }
    }

    private static void packLongs(FixedColumn fixed, int[] rows, int at, Codes codes) {
        int parts = fixed.type().byteWidth() / LONG_BYTES;
        long[] longs = longs(fixed);
        for (int index = 0; index < rows.length; index++) {
            for (int part = 0; part < parts; part++) {
                put(codes, index, at + part * LONG_BYTES, LONG_BYTES, longs[rows[index] * parts + part]);
            }
        }
    }

    private static int bit(BoolColumn bool, int row) {
        return bool.bits().get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1;
    }

    // An increment is over before loops over segments are compiled well; those over arrays need no more than the first
    // compiler.
    private static short[] shorts(FixedColumn fixed) {
        short[] shorts = new short[fixed.rowCount()];
        MemorySegment.copy(fixed.values(), INT16, 0, shorts, 0, shorts.length);
        return shorts;
    }

    private static int[] ints(FixedColumn fixed) {
        int[] ints = new int[fixed.rowCount()];
        MemorySegment.copy(fixed.values(), INT32, 0, ints, 0, ints.length);
        return ints;
    }

    private static long[] longs(FixedColumn fixed) {
        long[] longs = new long[fixed.rowCount() * (fixed.type().byteWidth() / LONG_BYTES)];
        MemorySegment.copy(fixed.values(), INT64, 0, longs, 0, longs.length);
        return longs;
    }

    private static void packShorts(FixedColumn fixed, int at, Codes codes) {
        short[] shorts = shorts(fixed);
        for (int row = 0; row < shorts.length; row++) {
            put(codes, row, at, Short.BYTES, shorts[row] & 0xFFFFL);
        }
    }

    private static void packInts(FixedColumn fixed, int at, Codes codes) {
        int[] ints = ints(fixed);
        if (at + Integer.BYTES > LONG_BYTES) {
            for (int row = 0; row < ints.length; row++) {
                put(codes, row, at, Integer.BYTES, ints[row] & 0xFFFFFFFFL);
            }
            return;
        }
        long[] low = codes.low();
        int shift = Byte.SIZE * at;
        for (int row = 0; row < ints.length; row++) {
            low[row] |= (ints[row] & 0xFFFFFFFFL) << shift;
        }
    }

    private static void packLongs(FixedColumn fixed, int at, Codes codes) {
        int parts = fixed.type().byteWidth() / LONG_BYTES;
        int rowCount = fixed.rowCount();
        if (parts == 1 && at == 0) {
            MemorySegment.copy(fixed.values(), INT64, 0, codes.low(), 0, rowCount);
            return;
        }
        long[] longs = longs(fixed);
        for (int row = 0; row < rowCount; row++) {
            for (int part = 0; part < parts; part++) {
                put(codes, row, at + part * LONG_BYTES, LONG_BYTES, longs[row * parts + part]);
            }
        }
    }

    private static void put(Codes codes, int row, int at, int width, long value) {
        if (at < LONG_BYTES) {
            codes.low()[row] |= value << Byte.SIZE * at;
            if (at + width > LONG_BYTES) {
                codes.high()[row] |= value >>> Byte.SIZE * (LONG_BYTES - at);
            }
        } else {
            codes.high()[row] |= value << Byte.SIZE * (at - LONG_BYTES);
        }
    }

    /// @param rows null for all
    private void hash(List<Column> values, int[] rows, Codes codes) {
        Arrays.fill(codes.low(), seed);
        Arrays.fill(codes.high(), Long.rotateLeft(seed, 17) ^ SECOND_FACTOR);
        values.forEach(column -> hash(column, rows, codes));
        for (int index = 0; index < codes.low().length; index++) {
            long first = codes.low()[index] + codes.high()[index];
            codes.low()[index] = KeyHash.of(first);
            codes.high()[index] = KeyHash.of(codes.high()[index] + first);
        }
    }

    private static void hash(Column column, int[] rows, Codes codes) {
        int count = codes.low().length;
        switch (column) {
            case BoolColumn bool -> {
                for (int index = 0; index < count; index++) {
                    hash(codes, index, bit(bool, row(rows, index)));
                }
            }
            case FixedColumn fixed -> {
                int width = fixed.type().byteWidth();
                for (int index = 0; index < count; index++) {
                    hash(codes, index, fixed.values(), (long) row(rows, index) * width, width);
                }
            }
            case DictionaryColumn coded -> {
                Utf8Column values = coded.dictionary().values();
                for (int index = 0; index < count; index++) {
                    hashText(codes, index, values, coded.code(row(rows, index)));
                }
            }
            case Utf8Column text -> {
                for (int index = 0; index < count; index++) {
                    hashText(codes, index, text, row(rows, index));
                }
            }
        }
    }

    private static int row(int[] rows, int index) {
        return rows == null ? index : rows[index];
    }

    private static void hashText(Codes codes, int row, Utf8Column text, int value) {
        long start = text.offset(value);
        int length = (int) (text.offset(value + 1) - start);
        hash(codes, row, length); // so that the end of one text is no beginning of the next
        hash(codes, row, text.data(), start, length);
    }

    private static void hash(Codes codes, int row, MemorySegment bytes, long start, int length) {
        int at = 0;
        for (; at + LONG_BYTES <= length; at += LONG_BYTES) {
            hash(codes, row, bytes.get(INT64, start + at));
        }
        if (at < length) {
            long rest = 0;
            for (int shift = 0; at < length; at++, shift += 8) {
                rest |= (bytes.get(ValueLayout.JAVA_BYTE, start + at) & 0xFFL) << shift;
            }
            hash(codes, row, rest);
        }
    }

    /// One step of MurmurHash3's variant of 128 bits, with the same eight bytes for both halves.
    private static void hash(Codes codes, int row, long value) {
        long low = codes.low()[row] ^ Long.rotateLeft(value * FIRST_FACTOR, 31) * SECOND_FACTOR;
        long high = codes.high()[row] ^ Long.rotateLeft(value * SECOND_FACTOR, 33) * FIRST_FACTOR;
        low = (Long.rotateLeft(low, 27) + high) * 5 + 0x52DCE729L;
        high = (Long.rotateLeft(high, 31) + low) * 5 + 0x38495AB5L;
        codes.low()[row] = low;
        codes.high()[row] = high;
    }
}
