package dev.quarrel.cli.imports;

import dev.hardwood.metadata.PhysicalType;
import dev.hardwood.reader.ColumnReader;
import dev.hardwood.reader.ColumnReaders;
import dev.quarrel.core.arrow.NullColumn;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.NestedColumn;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A batch of the reader's, cut into as many of ours as its lists take: rows of a batch have a limited number of
/// elements in each column, unless it is a single row.
///
/// - Memory: reads the readers' arrays, until these go on to their next batch.
final class ReadBatch {
    /// Elements, or places where there is none, in a batch's column of lists.
    static final int MAX_ENTRIES = 1 << 22;

    private static final long MAX_TEXT_BYTES = 1L << 28;

    private final ColumnReaders readers;
    private final List<ParquetTop> columns;
    private final Map<Integer, LeafLevels> leaves = new HashMap<>();
    private final int rowCount;
    private final int maxEntries;
    private int doneRows;

    /// @param readers at a batch
    /// @param maxEntries how many elements a batch of ours has in a column, where it is not one row: [#MAX_ENTRIES]
    ReadBatch(ColumnReaders readers, List<ParquetTop> columns, int maxEntries) {
        this.readers = readers;
        this.columns = columns;
        this.rowCount = readers.getRecordCount();
        this.maxEntries = maxEntries;
        for (ParquetTop column : columns) {
            if (column instanceof ParquetTop.Nested nested) {
                for (ParquetNode.Values leaf : nested.leaves()) {
                    ColumnReader reader = readers.getColumnReader(leaf.leaf());
                    boolean isText = reader.getColumnSchema().type() == PhysicalType.BYTE_ARRAY;
                    leaves.put(leaf.leaf(), new LeafLevels(reader, rowCount, isText));
                }
            }
        }
    }

    boolean isDone() {
        return doneRows == rowCount;
    }

    /// The next rows.
    ///
    /// @param memory the batch's, which it closes
    Batch next(Schema schema, PooledMemory memory) {
        int rows = rowCount - doneRows;
        for (LeafLevels leaf : leaves.values()) {
            rows = leaf.rowsWithin(rows, maxEntries, MAX_TEXT_BYTES);
        }
        if (rows == 0) {
            throw new IllegalArgumentException("a column with fewer rows than " + rowCount);
        }
        Map<Integer, LeafLevels.Range> ranges = new HashMap<>();
        for (Map.Entry<Integer, LeafLevels> leaf : leaves.entrySet()) {
            ranges.put(leaf.getKey(), leaf.getValue().take(rows));
        }
        NestedAssembly assembly = new NestedAssembly(leaves, ranges, memory);
        List<Column> made = new ArrayList<>();
        NestedColumn[] nested = new NestedColumn[columns.size()];
        for (int index = 0; index < columns.size(); index++) {
            switch (columns.get(index)) {
                case ParquetTop.Flat(int leaf, ParquetColumn column) -> {
                    ColumnWriter writer = new ColumnWriter(column.field().type(), memory, rows);
                    column.copy(readers.getColumnReader(leaf), doneRows, rows, writer);
                    made.add(writer.finish());
                }
                case ParquetTop.Nested column -> {
                    nested[index] = assembly.column(column.node());
                    made.add(NullColumn.textsFor(nested[index], memory));
                }
            }
        }
        doneRows += rows;
        Batch batch = Batch.owning(schema, made, rows, memory::close);
        return leaves.isEmpty() ? batch : Batch.nested(batch, nested);
    }
}
