package dev.quarrel.core.run;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.LittleEndian;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// Puts batches one behind the other into a larger one.
///
/// - Memory: its own, until it is closed.
public final class BatchJoiner implements AutoCloseable {
    /// Columns of more values are texts from here on.
    private static final int MOST_CODES = 1 << 15;

    private final PooledMemory memory = new PooledMemory();
    private final Schema schema;
    private final ColumnWriter[] writers;
    private final boolean[] isCoded;

    /// @param schema of the larger one; a batch's Decimal may be its Numeric
    public BatchJoiner(Schema schema, int expectedRows) {
        this.schema = schema;
        this.writers = new ColumnWriter[schema.size()];
        this.isCoded = new boolean[schema.size()];
        for (int column = 0; column < writers.length; column++) {
            writers[column] = new ColumnWriter(schema.type(column), memory, expectedRows);
        }
    }

    public int rowCount() {
        return writers[0].rowCount();
    }

    public long byteCount() {
        return Arrays.stream(writers).mapToLong(ColumnWriter::byteCount).sum();
    }

    public void add(Batch batch) {
        for (int column = 0; column < writers.length; column++) {
            Column rows = batch.column(column);
            boolean isFew =
                    rows instanceof DictionaryColumn coded && coded.dictionary().size() <= MOST_CODES;
            if (writers[column].rowCount() == 0 && isFew) {
                writers[column] = ColumnWriter.coded(schema.type(column), memory, rows.rowCount());
                isCoded[column] = true;
            }
            append(rows, writers[column], isCoded[column]);
        }
    }

    private static void append(Column column, ColumnWriter out, boolean isCoded) {
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
            case DictionaryColumn coded when isCoded -> out.appendAll(coded);
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
        return Batch.view(schema, ColumnWriter.finishAll(Arrays.asList(writers)), rows);
    }

    /// All rows so far, and what they lie in; this one is not used any more.
    public Batch take() {
        int rows = rowCount();
        return Batch.owning(schema, ColumnWriter.finishAll(Arrays.asList(writers)), rows, memory::close);
    }

    @Override
    public void close() {
        memory.close();
    }
}
