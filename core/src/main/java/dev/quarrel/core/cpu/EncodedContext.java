package dev.quarrel.core.cpu;

import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PipelineCounters;
import dev.quarrel.core.device.Placement;
import dev.quarrel.core.device.ResultChannel;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.run.Cancellation;
import dev.quarrel.core.run.MemoryBudget;
import dev.quarrel.core.spill.QuerySpill;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.QueryException;
import java.util.Collection;
import java.util.List;

/// An execution one of whose tables is read through [EncodedTable].
record EncodedContext(PipelineContext context, EncodedTable encoded) implements PipelineContext {
    @Override
    public long queryId() {
        return context.queryId();
    }

    @Override
    public List<Literal> slotValues() {
        return context.slotValues();
    }

    @Override
    public CatalogSnapshot catalog() {
        return new Snapshot(context.catalog(), encoded);
    }

    @Override
    public Materialized materialized(int pipeline) {
        return context.materialized(pipeline);
    }

    @Override
    public ResultChannel results() {
        return context.results();
    }

    @Override
    public MemoryBudget budget() {
        return context.budget();
    }

    @Override
    public QuerySpill spill() {
        return context.spill();
    }

    @Override
    public Cancellation cancellation() {
        return context.cancellation();
    }

    @Override
    public Placement.Choice choice() {
        return context.choice();
    }

    @Override
    public PipelineCounters counters() {
        return context.counters();
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
        public QueryException faultOf(InternalError error) {
            return all.faultOf(error);
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException("the snapshot belongs to the query");
        }
    }
}
