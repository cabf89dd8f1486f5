package dev.quarrel.core.cpu.sort;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.rows.RowGather;
import dev.quarrel.core.cpu.rows.RowSort;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.sink.Ending;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.RowBatches;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.type.Schema;
import java.util.Arrays;
import java.util.List;

/// The end of a sort: it brings the rows of all workers into one order, then makes batches of them, each as a
/// part of its own.
///
/// - Memory: owns the stores.
public final class SortMerge implements Ending {
    private static final int FEW_ROWS = 1 << 13;

    private final Pipeline pipeline;
    private final List<RowStore> stores;
    private final RowSort sort;
    private final RowGather gather;
    private final int first;
    private final int end;
    private final int batchRows;
    private final BudgetArena arena;
    private final Batch[] batches;
    private boolean isSorted;
    private boolean isGathered;
    private boolean isHandedOver;

    /// @param stores at least one; owned from here on, also when this fails
    /// @param offset rows in order to leave out; `lastRow` is where the last one ends
    public SortMerge(
            Pipeline pipeline,
            List<RowStore> stores,
            List<SortKey> keys,
            long offset,
            long lastRow,
            MemoryBudget budget) {
        this.pipeline = pipeline;
        this.stores = stores;
        try {
            this.sort = new RowSort(stores, keys, offset, lastRow, budget);
        } catch (RuntimeException | Error problem) {
            stores.forEach(RowStore::close);
            throw problem;
        }
        this.gather = new RowGather(stores, sort.rowIds());
        this.first = (int) Math.min(offset, sort.rowCount());
        this.end = (int) Math.max(first, Math.min(lastRow, sort.rowCount()));
        this.batchRows = RowStore.BATCH_ROWS;
        this.batches = new Batch[(int) ((end - (long) first + batchRows - 1) / batchRows)];
        this.arena = new BudgetArena(budget);
    }

    /// So few rows that other threads would come too late to help.
    private boolean isSmall() {
        return sort.rowCount() <= FEW_ROWS;
    }

    @Override
    public int beginRound(int number) {
        return isSmall() ? 0 : nextRound();
    }

    private int nextRound() {
        if (!isSorted) {
            int parts = sort.beginRound();
            if (parts > 0) {
                return parts;
            }
            isSorted = true;
            sort.releaseWords();
            return batches.length;
        }
        isGathered = true;
        return 0;
    }

    @Override
    public void run(int part) {
        if (!isSorted) {
            sort.run(part);
            return;
        }
        Schema schema = RowStore.schema(pipeline.rowTypes());
        int from = first + part * batchRows;
        int count = Math.min(batchRows, end - from);
        batches[part] = Batch.view(schema, gather.columns(sort.ids(), from - sort.firstHeld(), count, arena), count);
    }

    /// The rows in order; what is left of the rounds is done here.
    @Override
    public Materialized finish() {
        while (!isGathered) {
            int parts = nextRound();
            for (int part = 0; part < parts; part++) {
                run(part);
            }
        }
        isHandedOver = true;
        return new RowBatches(pipeline, Arrays.asList(batches), arena::close);
    }

    @Override
    public void close() {
        sort.close();
        stores.forEach(RowStore::close);
        if (!isHandedOver) {
            arena.close();
        }
    }
}
