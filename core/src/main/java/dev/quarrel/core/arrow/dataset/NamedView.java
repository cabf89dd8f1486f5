package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.TableStats;
import dev.quarrel.core.table.ViewDefinition;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.util.Collections;
import java.util.List;

/// A view: it stands among the tables, and has no rows of its own.
///
/// @param fields its columns, of the types that they had when it was made
public record NamedView(String schemaName, String name, List<Field> fields, ViewDefinition view) implements Table {
    public NamedView {
        fields = List.copyOf(fields);
    }

    @Override
    public Schema schema() {
        return new Schema(fields);
    }

    @Override
    public TableStats stats() {
        return new TableStats(0, Collections.nCopies(fields.size(), ColumnStats.UNKNOWN));
    }

    @Override
    public int batchCount() {
        return 0;
    }

    @Override
    public int batchRows(int batch) {
        throw new IndexOutOfBoundsException(batch);
    }

    @Override
    public Batch read(int batch, int[] columns) {
        throw new IndexOutOfBoundsException(batch);
    }
}
