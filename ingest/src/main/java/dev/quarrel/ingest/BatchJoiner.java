package dev.quarrel.ingest;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.LittleEndian;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/// Puts batches one behind the other into a larger one.
///
/// - Memory: its own arena, until it is closed.
final class BatchJoiner implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final Schema schema;
    private final List<ColumnWriter> writers;

    BatchJoiner(Schema schema, int expectedRows) {
        this.schema = schema;
        this.writers = schema.fields().stream()
                .map(field -> new ColumnWriter(field.type(), Allocator.of(arena), expectedRows))
                .toList();
    }

    int rowCount() {
        return writers.getFirst().rowCount();
    }

    long byteCount() {
        return writers.stream().mapToLong(ColumnWriter::byteCount).sum();
    }

    void add(Batch batch) {
        for (int column = 0; column < writers.size(); column++) {
            append(batch.column(column), writers.get(column));
        }
    }

    private static void append(Column column, ColumnWriter out) {
        for (int row = 0; row < column.rowCount(); row++) {
            if (!column.validity().isPresent(row)) {
                out.appendNull();
                continue;
            }
            switch (column) {
                case FixedColumn fixed -> appendFixed(fixed, row, out);
                case BoolColumn bool ->
                    out.appendBool((bool.bits().get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1) != 0);
                case Utf8Column text ->
                    out.appendUtf8(text.data(), text.offset(row), (int) (text.offset(row + 1) - text.offset(row)));
                case DictionaryColumn coded -> {
                    MemorySegment text = coded.dictionary().values().bytes(coded.code(row));
                    out.appendUtf8(text, 0, (int) text.byteSize());
                }
            }
        }
    }

    private static void appendFixed(FixedColumn column, int row, ColumnWriter out) {
        switch (column.type().byteWidth()) {
            case 2 -> out.appendInt16(column.values().get(LittleEndian.INT16, row * 2L));
            case 4 -> out.appendInt32(column.values().get(LittleEndian.INT32, row * 4L));
            case 8 -> out.appendInt64(column.values().get(LittleEndian.INT64, row * 8L));
            default -> throw new IllegalArgumentException("a column of " + column.type());
        }
    }

    /// All rows so far.
    ///
    /// - Memory: lives as long as this.
    Batch batch() {
        int rows = rowCount();
        return Batch.view(schema, ColumnWriter.finishAll(writers), rows);
    }

    @Override
    public void close() {
        arena.close();
    }
}
