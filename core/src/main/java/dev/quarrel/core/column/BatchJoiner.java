package dev.quarrel.core.column;

import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/// Puts batches one behind the other into a larger one.
///
/// - Memory: its own, until it is closed.
public final class BatchJoiner implements AutoCloseable {
    private final PooledMemory memory = new PooledMemory();
    private final Schema schema;
    private final List<ColumnWriter> writers;

    /// @param schema of the larger one; a batch's Decimal may be its Numeric
    public BatchJoiner(Schema schema, int expectedRows) {
        this.schema = schema;
        this.writers = schema.fields().stream()
                .map(field -> new ColumnWriter(field.type(), memory, expectedRows))
                .toList();
    }

    public int rowCount() {
        return writers.getFirst().rowCount();
    }

    public long byteCount() {
        return writers.stream().mapToLong(ColumnWriter::byteCount).sum();
    }

    public void add(Batch batch) {
        for (int column = 0; column < writers.size(); column++) {
            append(batch.column(column), writers.get(column));
        }
    }

    private static void append(Column column, ColumnWriter out) {
        switch (column) {
            case FixedColumn fixed
            when fixed.type() instanceof DataType.Decimal decimal && out.type() instanceof DataType.Numeric ->
                appendNumerics(fixed, decimal.scale(), out);
            case FixedColumn fixed -> out.appendAll(fixed);
            case Utf8Column text -> out.appendAll(text);
            case BoolColumn bools -> {
                for (int row = 0; row < column.rowCount(); row++) {
                    if (column.validity().isPresent(row)) {
                        out.appendBool((bools.bits().get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1) != 0);
                    } else {
                        out.appendNull();
                    }
                }
            }
            case DictionaryColumn coded -> {
                for (int row = 0; row < column.rowCount(); row++) {
                    if (column.validity().isPresent(row)) {
                        MemorySegment text = coded.dictionary().values().bytes(coded.code(row));
                        out.appendUtf8(text, 0, (int) text.byteSize());
                    } else {
                        out.appendNull();
                    }
                }
            }
        }
    }

    private static void appendNumerics(FixedColumn column, int scale, ColumnWriter out) {
        MemorySegment values = column.values();
        for (int row = 0; row < column.rowCount(); row++) {
            if (column.validity().isPresent(row)) {
                out.appendNumeric(
                        values.get(LittleEndian.INT64, row * 16L + 8),
                        values.get(LittleEndian.INT64, row * 16L),
                        scale);
            } else {
                out.appendNull();
            }
        }
    }

    /// All rows so far.
    ///
    /// - Memory: lives as long as this.
    public Batch batch() {
        int rows = rowCount();
        return Batch.view(schema, ColumnWriter.finishAll(writers), rows);
    }

    /// All rows so far, and what they lie in; this one is not used any more.
    public Batch take() {
        int rows = rowCount();
        return Batch.owning(schema, ColumnWriter.finishAll(writers), rows, memory::close);
    }

    @Override
    public void close() {
        memory.close();
    }
}
