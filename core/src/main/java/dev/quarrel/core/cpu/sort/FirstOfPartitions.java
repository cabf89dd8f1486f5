package dev.quarrel.core.cpu.sort;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.cpu.rows.RowSort;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import java.util.List;

/// What a worker forgets of a window's rows where the first ones of each partition are wanted: now and then, those that
/// have enough rows of their partition before them. The first rows of all are among each worker's first ones.
public final class FirstOfPartitions {
    private static final int MIN_ROWS = 1 << 14;

    private final Sink.Window window;
    private final long sortBytes; // a row
    private final int threads;
    private final FirstSeen.Order order; // or null
    private int nextCount = MIN_ROWS;

    private FirstOfPartitions(Sink.Window window, FirstSeen.Order order, long sortBytes, int threads) {
        this.window = window;
        this.order = order;
        this.sortBytes = sortBytes;
        this.threads = threads;
    }

    /// null where all rows are wanted.
    ///
    /// @param order null where the rows come in another one than the window's
    /// @param types of the rows
    /// @param threads how many workers do this
    public static FirstOfPartitions of(Sink.Window window, FirstSeen.Order order, List<DataType> types, int threads) {
        return window.first().isAll()
                ? null
                : new FirstOfPartitions(
                        window,
                        order,
                        RowSort.rowBytes(window.keys().stream()
                                .map(key -> types.get(key.output()))
                                .toList()),
                        threads);
    }

    /// What leaves out rows at once, or null.
    FirstSeen newSeen(List<DataType> types, int tileRows, Reservation reservation) {
        return order == null ? null : new FirstSeen(order, window, types, tileRows, reservation);
    }

    /// What leaves out most of the other rows before they are stored, or null.
    PartitionBars newBars(List<DataType> types, int tileRows, MemoryBudget budget) {
        return order == null ? PartitionBars.of(window, types, tileRows, threads, budget) : null;
    }

    /// Whether so many rows are worth a look, and there is memory for it.
    boolean isDue(int rowCount, MemoryBudget budget) {
        return rowCount >= nextCount && 2 * rowCount * sortBytes <= budget.availableBytes() / 4;
    }

    void prune(RowStore rows) {
        int rowCount = rows.rowCount();
        try (RowSort sort = new RowSort(
                List.of(rows),
                window.keys(),
                0,
                Long.MAX_VALUE,
                rows.reservation().budget())) {
            sort.run();
            long[] wanted = new long[Bits.words(rowCount)];
            int count = mark(sort, wanted);
            if (count > rowCount / 4 * 3) {
                nextCount = Integer.MAX_VALUE; // partitions are small
                return;
            }
            int[] kept = new int[count];
            int next = 0;
            for (int word = 0; word < wanted.length; word++) {
                for (long rest = wanted[word]; rest != 0; rest &= rest - 1) {
                    kept[next++] = (word << 6) + Long.numberOfTrailingZeros(rest);
                }
            }
            rows.retain(kept, count);
            nextCount = Math.max(MIN_ROWS, 2 * count);
        }
    }

    private int mark(RowSort sort, long[] wanted) {
        int partitionKeys = window.partition().size();
        int allKeys = partitionKeys + window.order().size();
        long most = window.first().rows();
        Sink.Window.Ties ties = window.first().ties();
        int[] ids = sort.ids();
        long before = 0; // rows of the partition, or keys of rows, in front of the row, or of its peers
        long place = 0;
        int count = 0;
        for (int row = 0; row < sort.rowCount(); row++) {
            if (row == 0 || !sort.keys().isEqual(0, partitionKeys, ids[row - 1], ids[row])) {
                place = 0;
                before = 0;
            } else if (ties == Sink.Window.Ties.CUT
                    || before < most && !sort.keys().isEqual(partitionKeys, allKeys, ids[row - 1], ids[row])) {
                before = ties == Sink.Window.Ties.COUNTED_ONCE ? before + 1 : place;
            }
            place++;
            if (before < most) {
                Bits.set(wanted, ids[row], true);
                count++;
            }
        }
        return count;
    }
}
