package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.RowBatches;
import dev.quarrel.core.ir.Pipeline;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// The groups of an aggregation that ends partition by partition, in the partitions' order.
///
/// - Memory: of one arena, until `finish` hands it over.
///
/// Threads share it: each sets partitions of its own.
final class PartitionResults implements AutoCloseable {
    private final List<List<Batch>> batches; // by partition
    private final BudgetArena arena;
    private boolean isHandedOver;

    PartitionResults(int partitionCount, MemoryBudget budget) {
        this.batches = new ArrayList<>(Collections.nCopies(partitionCount, List.of()));
        this.arena = new BudgetArena(budget);
    }

    /// Where the batches' memory comes from.
    BudgetArena arena() {
        return arena;
    }

    void set(int partition, List<Batch> groups) {
        batches.set(partition, groups);
    }

    Materialized finish(Pipeline pipeline) {
        isHandedOver = true;
        return new RowBatches(pipeline, batches.stream().flatMap(List::stream).toList(), arena::close);
    }

    /// Frees what was not handed over.
    @Override
    public void close() {
        if (!isHandedOver) {
            isHandedOver = true;
            arena.close();
        }
    }
}
