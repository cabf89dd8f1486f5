package dev.quarrel.core.arrow;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SpecialNumeric;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.Type;

/// `numeric` without a declared scale in a file: a struct of the digits as decimal128(38,0), and of the scale that
/// PostgreSQL shows, as int16; so `1.50` and `1.5` stay apart. NaN and the infinities have the scale and the digits
/// that [SpecialNumeric] gives them; readers that do not know it refuse the negative scale.
final class NumericStruct {
    static final String UNSCALED = "unscaled";
    static final String SCALE = "scale";

    private static final int WIDTH = DataType.NUMERIC.byteWidth();

    // 10^38, in two words.
    private static final long LIMIT_HIGH = 0x4B3B4CA85A86C47AL;
    private static final long LIMIT_LOW = 0x098A224000000000L;

    private NumericStruct() {}

    /// Whether a file's field is such a struct, and says that it is numeric.
    static boolean is(Field field, String pgType) {
        if (pgType == null
                || field.typeType() != Type.Struct_
                || field.dictionary() != null
                || field.childrenLength() != 2
                || !isNumeric(pgType)) {
            return false;
        }
        Field unscaled = field.children(0);
        Field scale = field.children(1);
        if (!UNSCALED.equals(unscaled.name())
                || !SCALE.equals(scale.name())
                || unscaled.typeType() != Type.Decimal
                || scale.typeType() != Type.Int
                || unscaled.dictionary() != null
                || scale.dictionary() != null) {
            return false;
        }
        Decimal digits = (Decimal) unscaled.type(new Decimal());
        Int number = (Int) scale.type(new Int());
        return digits != null
                && number != null
                && digits.bitWidth() == 128
                && digits.scale() == 0
                && number.bitWidth() == 16
                && number.isSigned();
    }

    private static boolean isNumeric(String pgType) {
        try {
            return PgType.parse(pgType).type() == PgType.NUMERIC;
        } catch (QueryException _) {
            return false;
        }
    }

    /// Adds the buffers of both members.
    static void addMembers(FixedColumn column, List<MemorySegment> buffers, Allocator memory) {
        int rowCount = column.rowCount();
        MemorySegment digits = memory.allocate(rowCount * 16L);
        MemorySegment scales = memory.allocate(rowCount * 2L);
        MemorySegment values = column.values();
        for (int row = 0; row < rowCount; row++) {
            boolean isPresent = column.validity().isPresent(row);
            digits.set(INT64, row * 16L, isPresent ? values.get(INT64, (long) row * WIDTH) : 0);
            digits.set(INT64, row * 16L + 8, isPresent ? values.get(INT64, (long) row * WIDTH + 8) : 0);
            scales.set(INT16, row * 2L, (short) (isPresent ? values.get(INT32, (long) row * WIDTH + 16) : 0));
        }
        buffers.add(MemorySegment.NULL);
        buffers.add(digits);
        buffers.add(MemorySegment.NULL);
        buffers.add(scales);
    }

    /// A value is there if the struct and both its members are.
    ///
    /// @param digits bits of the member, or null for all
    /// @param scales bits of the member, or null for all
    static Validity validity(
            Validity struct, MemorySegment digits, MemorySegment scales, int rowCount, Allocator memory) {
        if (digits == null && scales == null) {
            return struct;
        }
        MemorySegment bits = memory.allocate((rowCount + 7L) / 8);
        bits.fill((byte) 0);
        long nullCount = 0;
        for (int row = 0; row < rowCount; row++) {
            boolean isPresent = struct.isPresent(row) && isSet(digits, row) && isSet(scales, row);
            if (isPresent) {
                long at = row >>> 3;
                bits.set(ValueLayout.JAVA_BYTE, at, (byte) (bits.get(ValueLayout.JAVA_BYTE, at) | 1 << (row & 7)));
            } else {
                nullCount++;
            }
        }
        return nullCount == 0 ? Validity.allPresent() : Validity.of(bits, rowCount, nullCount);
    }

    private static boolean isSet(MemorySegment bits, int row) {
        return bits == null || (bits.get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1) != 0;
    }

    /// Fills `values` with Numerics.
    ///
    /// @return null, or what is wrong
    static String read(
            MemorySegment digits, MemorySegment scales, Validity validity, int rowCount, MemorySegment values) {
        for (int row = 0; row < rowCount; row++) {
            long at = (long) row * WIDTH;
            if (!validity.isPresent(row)) {
                values.asSlice(at, WIDTH).fill((byte) 0);
                continue;
            }
            long low = digits.get(INT64, row * 16L);
            long high = digits.get(INT64, row * 16L + 8);
            int scale = scales.get(INT16, row * 2L);
            boolean isSpecial = scale == SpecialNumeric.SCALE && high == low >> 63 && low >= -1 && low <= 1;
            boolean isNumber = scale >= 0 && scale <= DataType.Decimal.MAX_PRECISION && isBelowLimit(high, low);
            if (!isSpecial && !isNumber) {
                return "row " + row + " has a numeric of more than 38 digits, or of scale " + scale;
            }
            values.set(INT64, at, low);
            values.set(INT64, at + 8, high);
            values.set(INT64, at + 16, scale & 0xFFFF_FFFFL);
        }
        return null;
    }

    private static boolean isBelowLimit(long high, long low) {
        long upper = high < 0 ? ~high + (low == 0 ? 1 : 0) : high;
        long lower = high < 0 ? -low : low;
        return upper >= 0 && (upper < LIMIT_HIGH || upper == LIMIT_HIGH && Long.compareUnsigned(lower, LIMIT_LOW) < 0);
    }
}
