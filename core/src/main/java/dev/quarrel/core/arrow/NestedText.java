package dev.quarrel.core.arrow;

import static dev.quarrel.core.column.LittleEndian.INT32;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;

/// Writes the texts of lists and structs, as PostgreSQL shows arrays, composites and ranges.
///
/// - Nulls: as the `validity` given has them.
/// - Memory: the texts live in the allocator's memory.
/// - Errors: [ArithmeticException] for more than 2 GiB of text.
/// - Source: PostgreSQL's `array_out`, `record_out`, `range_out` and `multirange_out`.
final class NestedText implements AutoCloseable {
    private static final String DIGITS = "0123456789ABCDEF";
    /// Texts go outside of the heap in parts of about this size: the buffer they are in before is used again for the
    /// next, as it is not if it is larger than a mebibyte.
    private static final int PART_BYTES = 1 << 19;

    private final Allocator memory;
    private final int rowCount;
    private final MemorySegment offsets;
    private final TextBuffer out = new TextBuffer();
    private final TextBuffer value = new TextBuffer();
    private final OwnedMemory parted = new OwnedMemory(); // of parts
    private final List<MemorySegment> parts = new ArrayList<>(); // what was in `out` before
    private long partBytes;

    private NestedText(int rowCount, Allocator memory) {
        this.rowCount = rowCount;
        this.memory = memory;
        this.offsets = memory.allocate((rowCount + 1L) * 4);
        offsets.set(INT32, 0, 0);
    }

    private void endRow(int row) {
        offsets.set(INT32, (row + 1L) * 4, Math.toIntExact(partBytes + out.length()));
        if (out.length() >= PART_BYTES) {
            MemorySegment part = parted.allocateUnset(out.length());
            MemorySegment.copy(out.array(), 0, part, ValueLayout.JAVA_BYTE, 0, out.length());
            parts.add(part);
            partBytes += out.length();
            out.clear();
        }
    }

    private Utf8Column finish(Validity validity) {
        MemorySegment data = memory.allocateUnset(Math.max(1, partBytes + out.length()));
        long end = 0;
        for (MemorySegment part : parts) {
            MemorySegment.copy(part, 0, data, end, part.byteSize());
            end += part.byteSize();
        }
        MemorySegment.copy(out.array(), 0, data, ValueLayout.JAVA_BYTE, end, out.length());
        return new Utf8Column(DataType.UTF8, rowCount, offsets, false, data, validity);
    }

    @Override
    public void close() {
        parted.close();
    }

    /// @param starts where each row's elements begin, and the last one's end; they ascend, within `elements`
    static Utf8Column lists(
            Column elements,
            IntToLongFunction starts,
            Storage.ListForm form,
            Validity validity,
            int rowCount,
            Allocator memory) {
        return lists(elements, starts, row -> starts.applyAsLong(row + 1), form, validity, rowCount, memory);
    }

    /// The same of lists that need not follow one another.
    static Utf8Column lists(
            Column elements,
            IntToLongFunction starts,
            IntToLongFunction ends,
            Storage.ListForm form,
            Validity validity,
            int rowCount,
            Allocator memory) {
        try (NestedText text = new NestedText(rowCount, memory)) {
            for (int row = 0; row < rowCount; row++) {
                if (validity.isPresent(row)) {
                    text.list(elements, (int) starts.applyAsLong(row), (int) ends.applyAsLong(row), form);
                }
                text.endRow(row);
            }
            return text.finish(validity);
        }
    }

    private void list(Column elements, int start, int end, Storage.ListForm form) {
        out.append(form == Storage.ListForm.VECTOR ? '[' : '{');
        for (int index = start; index < end; index++) {
            if (index > start) {
                out.append(',');
            }
            if (!isPresent(elements, index)) {
                out.appendAscii("NULL");
            } else if (!form.isArray()) { // no other needs quotes
                PgText.append(elements, index, out);
            } else {
                value.clear();
                PgText.append(elements, index, value);
                ArrayText.appendElement(value.array(), value.length(), out);
            }
        }
        out.append(form == Storage.ListForm.VECTOR ? ']' : '}');
    }

    private static boolean isPresent(Column column, int row) {
        return column.validity().isPresent(row)
                && !(column instanceof DictionaryColumn coded
                        && !coded.dictionary().values().validity().isPresent(coded.code(row)));
    }

    static Utf8Column hstores(
            Column keys, Column values, IntToLongFunction starts, Validity validity, int rowCount, Allocator memory) {
        try (NestedText text = new NestedText(rowCount, memory)) {
            for (int row = 0; row < rowCount; row++) {
                if (validity.isPresent(row)) {
                    int start = (int) starts.applyAsLong(row);
                    for (int index = start; index < starts.applyAsLong(row + 1); index++) {
                        if (index > start) {
                            text.out.appendAscii(", ");
                        }
                        text.word(keys, index);
                        text.out.appendAscii("=>");
                        text.word(values, index);
                    }
                }
                text.endRow(row);
            }
            return text.finish(validity);
        }
    }

    private void word(Column words, int row) {
        if (!isPresent(words, row)) {
            out.appendAscii("NULL");
            return;
        }
        value.clear();
        PgText.append(words, row, value);
        out.append('"');
        for (int index = 0; index < value.length(); index++) {
            if (value.array()[index] == '"' || value.array()[index] == '\\') {
                out.append('\\');
            }
            out.append(value.array()[index]);
        }
        out.append('"');
    }

    static Utf8Column hex(Utf8Column bytes, int rowCount, Allocator memory) {
        try (NestedText text = new NestedText(rowCount, memory)) {
            for (int row = 0; row < rowCount; row++) {
                for (long at = bytes.offset(row); bytes.validity().isPresent(row) && at < bytes.offset(row + 1); at++) {
                    int each = bytes.data().get(ValueLayout.JAVA_BYTE, at) & 0xFF;
                    text.out.append((byte) DIGITS.charAt(each >>> 4));
                    text.out.append((byte) DIGITS.charAt(each & 15));
                }
                text.endRow(row);
            }
            return text.finish(bytes.validity());
        }
    }

    static Utf8Column documents(NestedJson values, Validity validity, int rowCount, Allocator memory) {
        try (NestedText text = new NestedText(rowCount, memory)) {
            for (int row = 0; row < rowCount; row++) {
                if (validity.isPresent(row)) {
                    values.append(row, text.out);
                }
                text.endRow(row);
            }
            return text.finish(validity);
        }
    }

    static Utf8Column composites(List<Column> members, Validity validity, int rowCount, Allocator memory) {
        try (NestedText text = new NestedText(rowCount, memory)) {
            for (int row = 0; row < rowCount; row++) {
                if (validity.isPresent(row)) {
                    text.out.append('(');
                    for (int index = 0; index < members.size(); index++) {
                        if (index > 0) {
                            text.out.append(',');
                        }
                        text.member(members.get(index), row, false);
                    }
                    text.out.append(')');
                }
                text.endRow(row);
            }
            return text.finish(validity);
        }
    }

    /// @param members those of [NestedType.Range]
    static Utf8Column ranges(List<Column> members, Validity validity, int rowCount, Allocator memory) {
        try (NestedText text = new NestedText(rowCount, memory)) {
            for (int row = 0; row < rowCount; row++) {
                if (validity.isPresent(row)) {
                    text.range(members, row);
                }
                text.endRow(row);
            }
            return text.finish(validity);
        }
    }

    private void range(List<Column> members, int row) {
        if (isSet(members.get(4), row)) {
            out.appendAscii("empty");
            return;
        }
        out.append(isSet(members.get(2), row) ? '[' : '(');
        member(members.get(0), row, true);
        out.append(',');
        member(members.get(1), row, true);
        out.append(isSet(members.get(3), row) ? ']' : ')');
    }

    private boolean isSet(Column flags, int row) {
        if (!flags.validity().isPresent(row)) {
            return false;
        }
        value.clear();
        PgText.append(flags, row, value);
        return value.array()[0] == 't';
    }

    /// Appends a field of a composite or a bound of a range; NULL is nothing at all.
    private void member(Column column, int row, boolean isBound) {
        if (!isPresent(column, row)) {
            return;
        }
        value.clear();
        PgText.append(column, row, value);
        byte[] bytes = value.array();
        int length = value.length();
        if (!needsQuotes(bytes, length, isBound)) {
            out.append(MemorySegment.ofArray(bytes), 0, length);
            return;
        }
        out.append('"');
        for (int index = 0; index < length; index++) {
            if (bytes[index] == '"' || bytes[index] == '\\') {
                out.append(bytes[index]);
            }
            out.append(bytes[index]);
        }
        out.append('"');
    }

    private static boolean needsQuotes(byte[] text, int length, boolean isBound) {
        for (int index = 0; index < length; index++) {
            switch (text[index]) {
                case '"', '\\', '(', ')', ',', ' ', '\t', '\n', '\r', 0x0B, '\f' -> {
                    return true;
                }
                case '[', ']' -> {
                    if (isBound) {
                        return true;
                    }
                }
                default -> {}
            }
        }
        return length == 0;
    }
}
