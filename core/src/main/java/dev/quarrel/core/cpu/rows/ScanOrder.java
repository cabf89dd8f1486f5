package dev.quarrel.core.cpu.rows;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Dictionary;
import java.util.List;

/// Brings the rows of several stores into one store, in scan order: in two rounds, whose parts run on several
/// threads at the same time.
///
/// - Memory: takes the stores over; `finish` closes them, and hands the one store on.
public final class ScanOrder implements AutoCloseable {
    private static final int PART_ROWS = 1 << 17;

    private final List<RowStore> stores;
    private final RowStore all;
    private final MemoryBudget budget;
    private final RowStore.Runs runs;
    private final int rowCount;
    private final int[] targets; // where each run goes
    private final int[] partStarts; // among runs
    private boolean isTaken;

    /// @param stores owned from here on, also when this fails
    public ScanOrder(List<RowStore> stores, MemoryBudget budget) {
        this.stores = stores;
        this.budget = budget;
        boolean isDone = false;
        try {
            if (stores.size() == 1) {
                this.all = stores.getFirst();
                this.runs = null;
                this.rowCount = all.rowCount();
                this.targets = new int[0];
                this.partStarts = new int[1];
            } else {
                this.all = new RowStore(stores.getFirst().types(), budget);
                this.runs = RowStore.runs(stores);
                this.targets = new int[runs.store().length];
                int next = 0;
                for (int run = 0; run < targets.length; run++) {
                    targets[run] = next;
                    next = Math.addExact(next, runs.count()[run]);
                }
                this.rowCount = next;
                this.partStarts = runs.parts(PART_ROWS);
            }
            isDone = true;
        } finally {
            if (!isDone) {
                stores.forEach(RowStore::close);
            }
        }
    }

    public int rowCount() {
        return rowCount;
    }

    /// Parts of the first round: a column each, which gets its memory, or all of its rows.
    public int columnParts() {
        return stores.size() == 1 ? 0 : all.types().size();
    }

    public void runColumn(int column) {
        ValueStore to = all.column(column);
        ValueStore[] from = new ValueStore[stores.size()];
        boolean allPresent = true;
        for (int store = 0; store < from.length; store++) {
            from[store] = stores.get(store).column(column);
            allPresent &= from[store].isAllPresent();
        }
        if (allPresent && to instanceof TextStore text) {
            Dictionary shared = RowGather.sharedDictionary(from);
            if (shared != null) {
                text.startCodes(shared);
            }
        }
        if (allPresent && to.isPiecewise()) {
            to.grow(rowCount);
            return;
        }
        to.ensure(rowCount);
        for (int run = 0; run < targets.length; run++) {
            budget.checkStop();
            to.append(from[runs.store()[run]], runs.from()[run], runs.count()[run]);
        }
    }

    /// Parts of the second round: some runs of rows each.
    public int rowParts() {
        return partStarts.length - 1;
    }

    public void runRows(int part) {
        for (int column = 0; column < all.types().size(); column++) {
            ValueStore to = all.column(column);
            if (!to.isPiecewise() || !to.isAllPresent()) {
                continue;
            }
            budget.checkStop();
            for (int run = partStarts[part]; run < partStarts[part + 1]; run++) {
                to.copyValues(
                        stores.get(runs.store()[run]).column(column),
                        runs.from()[run],
                        runs.count()[run],
                        targets[run]);
            }
        }
    }

    /// The rows, which are the caller's.
    public RowStore finish() {
        isTaken = true;
        if (stores.size() > 1) {
            all.filled(rowCount);
            stores.forEach(RowStore::close);
        }
        return all;
    }

    @Override
    public void close() {
        if (!isTaken) {
            isTaken = true;
            stores.forEach(RowStore::close);
            all.close();
        }
    }
}
