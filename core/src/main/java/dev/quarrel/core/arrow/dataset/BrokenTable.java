package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.ForeignTable;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.TableStats;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.util.Collections;
import java.util.List;

/// A table that stands in the catalog only to say why it cannot be read.
final class BrokenTable implements Table {
    private final String schemaName;
    private final String name;
    private final Schema schema;
    private final QueryException fault;
    private final NamedTable named;

    /// @param fields as far as they are known
    /// @param named what named it, or null
    BrokenTable(String schemaName, String name, List<Field> fields, QueryException fault, NamedTable named) {
        this.named = named;
        this.schemaName = schemaName;
        this.name = name;
        this.schema = new Schema(fields);
        this.fault = fault;
    }

    @Override
    public String schemaName() {
        return schemaName;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public TableStats stats() {
        return new TableStats(0, Collections.nCopies(schema.size(), ColumnStats.UNKNOWN));
    }

    @Override
    public QueryException fault() {
        // A new one each time: whoever catches it may add to it, and its stack says who asked.
        return new QueryException(fault.state(), fault.getMessage(), fault)
                .withDetail(fault.detail())
                .withHint(fault.hint());
    }

    @Override
    public ForeignTable foreign() {
        return named == null ? null : named.foreign();
    }

    @Override
    public int batchCount() {
        throw fault();
    }

    @Override
    public int batchRows(int batch) {
        throw fault();
    }

    @Override
    public Batch read(int batch, int[] columns) {
        throw fault();
    }
}
