package dev.quarrel.core.cpu.encoded;

import dev.quarrel.core.device.ForwardingContext;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.QueryException;
import java.util.Collection;
import java.util.List;

/// The context of an execution that reads one of its tables through an [EncodedTable].
public record EncodedContext(PipelineContext context, EncodedTable encoded) implements ForwardingContext {
    @Override
    public CatalogSnapshot catalog() {
        return new Snapshot(context.catalog(), encoded);
    }

    private record Snapshot(CatalogSnapshot all, EncodedTable encoded) implements CatalogSnapshot {
        @Override
        public long version() {
            return all.version();
        }

        @Override
        public List<String> schemaNames() {
            return all.schemaNames();
        }

        @Override
        public Collection<Table> tables(String schemaName) {
            return all.tables(schemaName);
        }

        @Override
        public Table table(String schemaName, String tableName) {
            Table table = all.table(schemaName, tableName);
            return table == encoded.table() ? encoded : table;
        }

        @Override
        public Table scanned(String schemaName, String tableName) {
            Table table = all.scanned(schemaName, tableName);
            return table == encoded.table() ? encoded : table;
        }

        @Override
        public QueryException faultOf(InternalError error) {
            return all.faultOf(error);
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException("the snapshot belongs to the query");
        }
    }
}
