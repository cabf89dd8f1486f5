package dev.quarrel.core.cpu.join;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.sink.PartitionedRows;
import dev.quarrel.core.cpu.sink.SpilledRows;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.ir.Pipeline;

/// A build side that memory did not hold: its rows by partitions, in a temporary file.
final class SpilledBuild implements Materialized {
    private final PartitionedRows partitions;
    private final SpilledRows rows;

    /// @param partitions owned from here on
    SpilledBuild(Pipeline pipeline, PartitionedRows partitions, MemoryBudget budget) {
        this.partitions = partitions;
        this.rows = SpilledRows.of(pipeline, partitions.file(), partitions.all(), budget);
    }

    PartitionedRows partitions() {
        return partitions;
    }

    @Override
    public Pipeline pipeline() {
        return rows.pipeline();
    }

    @Override
    public long rowCount() {
        return rows.rowCount();
    }

    @Override
    public int batchCount() {
        return rows.batchCount();
    }

    @Override
    public int batchRows(int batch) {
        return rows.batchRows(batch);
    }

    @Override
    public Batch batch(int batch) {
        return rows.batch(batch);
    }

    @Override
    public void close() {
        partitions.close();
    }
}
