package dev.quarrel.core.arrow;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// The checks that look at values: once a column and batch, so that no later reader has to.
///
/// Each answers null, or what is wrong.
final class ValueCheck {
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

    private ValueCheck() {}

    /// Times of day lie between midnight and 24:00.
    static String times(FixedColumn column) {
        for (int row = 0; row < column.rowCount(); row++) {
            long micros = column.values().get(INT64, row * 8L);
            if ((micros < 0 || micros > DataType.Time.MICROS_PER_DAY)
                    && column.validity().isPresent(row)) {
                return "row " + row + " has a time of " + micros + " microseconds";
            }
        }
        return null;
    }

    /// Offsets ascend and stay within the data, and every value of a text column is UTF-8.
    static String text(Utf8Column column) {
        int rowCount = column.rowCount();
        if (rowCount == 0) {
            return null;
        }
        boolean ascending = column.largeOffsets()
                ? ascending64(column.offsets(), rowCount)
                : ascending32(column.offsets(), rowCount);
        if (!ascending) {
            return "text offsets do not ascend";
        }
        long start = column.offset(0);
        long end = column.offset(rowCount);
        if (end > column.data().byteSize()) {
            return "text offsets end at " + end + ", the text at "
                    + column.data().byteSize();
        }
        if (column.type() instanceof DataType.Binary || isAscii(column.data(), start, end)) {
            return null;
        }
        for (int row = 0; row < rowCount; row++) {
            if (!isUtf8(column.data(), column.offset(row), column.offset(row + 1))) {
                return "text in row " + row + " is not UTF-8";
            }
        }
        return null;
    }

    private static boolean ascending32(MemorySegment offsets, int rowCount) {
        int previous = offsets.get(INT32, 0);
        int bad = previous;
        for (int row = 1; row <= rowCount; row++) {
            int next = offsets.get(INT32, row * 4L);
            bad |= next | (next - previous); // neither below 0 nor below its predecessor
            previous = next;
        }
        return bad >= 0;
    }

    private static boolean ascending64(MemorySegment offsets, int rowCount) {
        long previous = offsets.get(INT64, 0);
        long bad = previous;
        for (int row = 1; row <= rowCount; row++) {
            long next = offsets.get(INT64, row * 8L);
            bad |= next | (next - previous);
            previous = next;
        }
        return bad >= 0;
    }

    private static boolean isAscii(MemorySegment data, long start, long end) {
        long seen = 0;
        long index = start;
        for (; index + 8 <= end; index += 8) {
            seen |= data.get(INT64, index);
        }
        for (; index < end; index++) {
            seen |= data.get(ValueLayout.JAVA_BYTE, index);
        }
        return (seen & HIGH_BITS) == 0;
    }

    /// As PostgreSQL: no overlong forms, no surrogates, nothing above U+10FFFF.
    static boolean isUtf8(MemorySegment data, long start, long end) {
        long index = start;
        while (index < end) {
            int lead = data.get(ValueLayout.JAVA_BYTE, index++) & 0xFF;
            if (lead < 0x80) {
                continue;
            }
            int more = lead < 0xC2 ? -1 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : lead < 0xF5 ? 3 : -1;
            if (more < 0 || end - index < more) {
                return false;
            }
            int low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
            int high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
            int second = data.get(ValueLayout.JAVA_BYTE, index) & 0xFF;
            if (second < low || second > high) {
                return false;
            }
            for (int step = 1; step < more; step++) {
                if ((data.get(ValueLayout.JAVA_BYTE, index + step) & 0xC0) != 0x80) {
                    return false;
                }
            }
            index += more;
        }
        return true;
    }

    /// Codes of present rows are below the dictionary's size.
    static String codes(DictionaryColumn column) {
        int rowCount = column.rowCount();
        int size = column.dictionary().size();
        if (rowCount == 0 || largestCode(column.codes(), column.codeBytes(), rowCount) < size) {
            return null;
        }
        Validity validity = column.validity();
        for (int row = 0; row < rowCount; row++) {
            if (validity.isPresent(row) && Integer.compareUnsigned(column.code(row), size) >= 0) {
                return "row " + row + " has code " + Integer.toUnsignedString(column.code(row))
                        + " into a dictionary of " + size + " entries";
            }
        }
        return null;
    }

    private static long largestCode(MemorySegment codes, int codeBytes, int rowCount) {
        int largest = 0;
        switch (codeBytes) {
            case 1 -> {
                for (int row = 0; row < rowCount; row++) {
                    largest = Math.max(largest, codes.get(ValueLayout.JAVA_BYTE, row) & 0xFF);
                }
            }
            case 2 -> {
                for (int row = 0; row < rowCount; row++) {
                    largest = Math.max(largest, codes.get(INT16, row * 2L) & 0xFFFF);
                }
            }
            default -> {
                int signs = 0;
                for (int row = 0; row < rowCount; row++) {
                    int code = codes.get(INT32, row * 4L);
                    signs |= code;
                    largest = Math.max(largest, code);
                }
                return signs < 0 ? Long.MAX_VALUE : largest;
            }
        }
        return largest;
    }
}
