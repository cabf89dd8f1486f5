package dev.quarrel.ingest.table;

import dev.quarrel.core.column.Column;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/// Rows of one hour of a table, in memory: written by one thread, read by others as far as they are published.
///
/// - Memory: an arena of its own, which is closed when the rows are in a file and nobody reads them.
final class OpenBlock {
    private final Arena arena;
    private final int capacity;
    private final AtomicLong total; // bytes of all blocks
    private OpenColumn[] columns = new OpenColumn[16];
    private int rowCount;
    private long bytes;
    private long leastTime = Long.MAX_VALUE;
    private long greatestTime = Long.MIN_VALUE;

    // Guarded by the lock of the tables.
    private View published;
    private int users;
    private boolean retired;

    /// The rows that can be seen.
    ///
    /// @param columns by index among the table's; null for one that has no value here
    record View(OpenBlock block, int rowCount, Column[] columns, long leastTime, long greatestTime) {
        Column column(int index) {
            return index < columns.length ? columns[index] : null;
        }
    }

    OpenBlock(int capacity, BlockMemory memory) {
        this.capacity = capacity;
        this.total = memory.total();
        this.arena = memory.arenas().get();
        this.published = new View(this, 0, new Column[0], Long.MAX_VALUE, Long.MIN_VALUE);
    }

    private void allocated(long more) {
        bytes += more;
        total.addAndGet(more);
    }

    int rowCount() {
        return rowCount;
    }

    int capacity() {
        return capacity;
    }

    boolean isFull() {
        return rowCount == capacity;
    }

    OpenColumn column(EventColumn column) {
        int index = column.index();
        if (index < columns.length) {
            OpenColumn known = columns[index];
            if (known != null) {
                return known;
            }
        } else {
            columns = Arrays.copyOf(columns, Math.max(index + 1, columns.length * 2));
        }
        OpenColumn made = new OpenColumn(column.kind(), capacity, arena, this::allocated);
        columns[index] = made;
        return made;
    }

    /// The row that was written last counts.
    void endRow(long time) {
        leastTime = Math.min(leastTime, time);
        greatestTime = Math.max(greatestTime, time);
        rowCount++;
    }

    /// Takes back the row that is being written; columns that were made for it go.
    ///
    /// @param columnCount how many the table had before
    void clearRow(int columnCount) {
        for (int index = 0; index < columns.length; index++) {
            if (columns[index] != null) {
                if (index >= columnCount) {
                    columns[index] = null;
                } else {
                    columns[index].clear(rowCount);
                }
            }
        }
    }

    /// What readers see from now on; the caller holds the lock.
    void publish(int columnCount) {
        Column[] views = new Column[Math.min(columns.length, columnCount)];
        for (int index = 0; index < views.length; index++) {
            if (columns[index] != null) {
                views[index] = columns[index].view(rowCount);
            }
        }
        published = new View(this, rowCount, views, leastTime, greatestTime);
    }

    View published() {
        return published;
    }

    /// Counts a reader; the caller holds the lock.
    void use() {
        users++;
    }

    void letGo() {
        users--;
        closeIfUnused();
    }

    /// Says that no new reader comes.
    void retire() {
        retired = true;
        closeIfUnused();
    }

    private void closeIfUnused() {
        if (retired && users == 0) {
            arena.close();
            total.addAndGet(-bytes);
        }
    }
}
