package dev.quarrel.export.files;

import static dev.quarrel.core.column.LittleEndian.INT32;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/// Puts batches of one schema one after another into one batch.
final class BatchMerger {
    private BatchMerger() {}

    /// - Shape: `batches` hold at least one batch; the result has all their rows, in order.
    /// - Memory: the result's columns are in `memory`; the batches are only read.
    /// - Errors: [ArithmeticException] when a column would have more than 2 GiB of text.
    static Batch merge(Schema schema, List<Batch> batches, Allocator memory) {
        int rowCount = 0;
        for (Batch batch : batches) {
            rowCount = Math.addExact(rowCount, batch.rowCount());
        }
        List<Column> columns = new ArrayList<>();
        for (int index = 0; index < schema.size(); index++) {
            List<Column> parts = new ArrayList<>();
            for (Batch batch : batches) {
                parts.add(batch.column(index));
            }
            columns.add(merge(parts, rowCount, memory));
        }
        return Batch.view(schema, columns, rowCount);
    }

    private static Column merge(List<Column> parts, int rowCount, Allocator memory) {
        Validity validity = validity(parts, rowCount, memory);
        return switch (parts.getFirst()) {
            case FixedColumn first -> {
                int width = first.type().byteWidth();
                MemorySegment values = memory.allocate((long) rowCount * width);
                long at = 0;
                for (Column part : parts) {
                    long bytes = (long) part.rowCount() * width;
                    MemorySegment.copy(((FixedColumn) part).values(), 0, values, at, bytes);
                    at += bytes;
                }
                yield new FixedColumn(first.type(), rowCount, values, validity);
            }
            case BoolColumn _ -> {
                MemorySegment bits = memory.allocate((rowCount + 7L) / 8);
                int at = 0;
                for (Column part : parts) {
                    appendBits(((BoolColumn) part).bits(), part.rowCount(), bits, at);
                    at += part.rowCount();
                }
                yield new BoolColumn(rowCount, bits, validity);
            }
            case Utf8Column _ -> text(parts, rowCount, validity, memory);
            case DictionaryColumn _ -> codes(parts, rowCount, validity, memory);
        };
    }

    /// Codes of four bytes, as builders make them: the dictionaries follow one another, and equal texts of
    /// two stay two.
    private static DictionaryColumn codes(List<Column> parts, int rowCount, Validity validity, Allocator memory) {
        MemorySegment codes = memory.allocate(rowCount * 4L);
        List<Column> dictionaries = new ArrayList<>();
        int row = 0;
        int base = 0;
        for (Column part : parts) {
            DictionaryColumn coded = (DictionaryColumn) part;
            for (int index = 0; index < coded.rowCount(); index++) {
                codes.set(INT32, (row + index) * 4L, base + coded.code(index));
            }
            row += coded.rowCount();
            base += coded.dictionary().size();
            dictionaries.add(coded.dictionary().values());
        }
        Utf8Column values = text(dictionaries, base, Validity.allPresent(), memory);
        return new DictionaryColumn(rowCount, codes, 4, new Dictionary(values), validity);
    }

    private static Utf8Column text(List<Column> parts, int rowCount, Validity validity, Allocator memory) {
        long bytes = 0;
        for (Column part : parts) {
            bytes += ((Utf8Column) part).offset(part.rowCount());
        }
        MemorySegment data = memory.allocate(Math.toIntExact(bytes));
        MemorySegment offsets = memory.allocate((rowCount + 1L) * 4);
        int row = 0;
        int base = 0;
        for (Column part : parts) {
            Utf8Column text = (Utf8Column) part;
            int partBytes = (int) text.offset(text.rowCount());
            MemorySegment.copy(text.data(), 0, data, base, partBytes);
            for (int index = 0; index < text.rowCount(); index++) {
                offsets.set(INT32, (row + index) * 4L, base + (int) text.offset(index));
            }
            row += text.rowCount();
            base += partBytes;
        }
        offsets.set(INT32, row * 4L, base);
        return new Utf8Column(parts.getFirst().type(), rowCount, offsets, false, data, validity);
    }

    private static Validity validity(List<Column> parts, int rowCount, Allocator memory) {
        long nullCount = 0;
        for (Column part : parts) {
            nullCount += part.validity().nullCount();
        }
        if (nullCount == 0) {
            return Validity.allPresent();
        }
        MemorySegment bits = memory.allocate((rowCount + 7L) / 8);
        int at = 0;
        for (Column part : parts) {
            Validity validity = part.validity();
            if (validity.isAllPresent()) {
                for (int row = 0; row < part.rowCount(); row++) {
                    setBit(bits, at + row);
                }
            } else {
                appendBits(validity.bits(), part.rowCount(), bits, at);
            }
            at += part.rowCount();
        }
        return Validity.of(bits, rowCount, nullCount);
    }

    private static void appendBits(MemorySegment source, int count, MemorySegment target, int start) {
        if ((start & 7) == 0) {
            MemorySegment.copy(source, 0, target, start >>> 3, count >>> 3);
        }
        for (int index = (start & 7) == 0 ? count & ~7 : 0; index < count; index++) {
            if ((source.get(ValueLayout.JAVA_BYTE, index >>> 3) >>> (index & 7) & 1) != 0) {
                setBit(target, start + index);
            }
        }
    }

    private static void setBit(MemorySegment bits, int index) {
        byte old = bits.get(ValueLayout.JAVA_BYTE, index >>> 3);
        bits.set(ValueLayout.JAVA_BYTE, index >>> 3, (byte) (old | 1 << (index & 7)));
    }
}
