package dev.quarrel.samples.ssb;

import static dev.quarrel.core.column.LittleEndian.FLOAT64;
import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;

/// Collects one batch's columns, in the table's order.
///
/// - Memory: one arena a batch, freed when the batch is closed, or by `abandon`.
final class BlockColumns {
    private final int rowCount;
    private final Arena arena = Arena.ofShared();
    private final List<Column> columns = new ArrayList<>();

    BlockColumns(int rowCount) {
        this.rowCount = rowCount;
    }

    BlockColumns integers(IntUnaryOperator valueOfRow) {
        MemorySegment values = arena.allocate(rowCount * 4L, 64);
        for (int row = 0; row < rowCount; row++) {
            values.setAtIndex(INT32, row, valueOfRow.applyAsInt(row));
        }
        columns.add(new FixedColumn(DataType.INT32, rowCount, values, Validity.allPresent()));
        return this;
    }

    BlockColumns integers(int[] valueOfRow) {
        MemorySegment values = arena.allocate(rowCount * 4L, 64);
        MemorySegment.copy(valueOfRow, 0, values, INT32, 0, rowCount);
        columns.add(new FixedColumn(DataType.INT32, rowCount, values, Validity.allPresent()));
        return this;
    }

    BlockColumns words(Dictionary dictionary, IntUnaryOperator codeOfRow) {
        boolean oneByte = dictionary.size() <= 256;
        MemorySegment codes = arena.allocate(rowCount * (oneByte ? 1L : 2L), 64);
        for (int row = 0; row < rowCount; row++) {
            int code = codeOfRow.applyAsInt(row);
            if (oneByte) {
                codes.set(ValueLayout.JAVA_BYTE, row, (byte) code);
            } else {
                codes.setAtIndex(INT16, row, (short) code);
            }
        }
        columns.add(new DictionaryColumn(rowCount, codes, oneByte ? 1 : 2, dictionary, Validity.allPresent()));
        return this;
    }

    BlockColumns texts(IntFunction<String> textOfRow) {
        ColumnWriter writer = new ColumnWriter(DataType.UTF8, Allocator.of(arena), rowCount);
        for (int row = 0; row < rowCount; row++) {
            writer.appendUtf8(textOfRow.apply(row));
        }
        columns.add(writer.finish());
        return this;
    }

    BlockColumns timestamps(IntToLongFunction microsOfRow) {
        MemorySegment values = arena.allocate(rowCount * 8L, 64);
        for (int row = 0; row < rowCount; row++) {
            values.setAtIndex(INT64, row, microsOfRow.applyAsLong(row));
        }
        columns.add(new FixedColumn(DataType.TIMESTAMP, rowCount, values, Validity.allPresent()));
        return this;
    }

    BlockColumns doubles(IntToDoubleFunction valueOfRow) {
        MemorySegment values = arena.allocate(rowCount * 8L, 64);
        for (int row = 0; row < rowCount; row++) {
            values.setAtIndex(FLOAT64, row, valueOfRow.applyAsDouble(row));
        }
        columns.add(new FixedColumn(DataType.FLOAT64, rowCount, values, Validity.allPresent()));
        return this;
    }

    Batch batch(Schema schema) {
        return Batch.owning(schema, columns, rowCount, arena::close);
    }

    void abandon() {
        arena.close();
    }
}
