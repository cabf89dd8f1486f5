package dev.quarrel.core.cpu.sink;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.RowBatches;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// The end of rows that were gathered in memory: batches of each worker's rows, each a part of its own. A worker's rows
/// are given back as soon as all their batches are made.
///
/// - Memory: owns the stores.
public final class CollectEnding implements Ending {
    private final Pipeline pipeline;
    private final List<RowStore> stores;
    private final List<Piece> pieces = new ArrayList<>();
    private final AtomicInteger[] open; // pieces of each store that are not made yet
    private final BudgetArena arena;
    private final Batch[] batches;
    private boolean isHandedOver;

    private record Piece(int store, int from, int count) {}

    /// @param stores owned from here on
    public CollectEnding(Pipeline pipeline, List<RowStore> stores, MemoryBudget budget) {
        this.pipeline = pipeline;
        this.stores = stores;
        this.open = new AtomicInteger[stores.size()];
        for (int store = 0; store < open.length; store++) {
            int before = pieces.size();
            int rows = stores.get(store).rowCount();
            for (int from = 0; from < rows; from += RowStore.BATCH_ROWS) {
                pieces.add(new Piece(store, from, Math.min(RowStore.BATCH_ROWS, rows - from)));
            }
            open[store] = new AtomicInteger(pieces.size() - before);
        }
        this.arena = new BudgetArena(budget);
        this.batches = new Batch[pieces.size()];
    }

    @Override
    public int beginRound(int round) {
        return round == 0 ? pieces.size() : 0;
    }

    @Override
    public void run(int part) {
        Piece piece = pieces.get(part);
        Schema schema = RowStore.schema(pipeline.rowTypes());
        RowStore store = stores.get(piece.store());
        batches[part] = Batch.view(schema, store.toColumns(null, piece.from(), piece.count(), arena), piece.count());
        if (open[piece.store()].decrementAndGet() == 0) {
            store.clear();
        }
    }

    @Override
    public Materialized finish() {
        isHandedOver = true;
        return new RowBatches(pipeline, Arrays.asList(batches), arena::close);
    }

    @Override
    public void close() {
        stores.forEach(RowStore::close);
        if (!isHandedOver) {
            arena.close();
        }
    }
}
