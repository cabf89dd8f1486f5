package dev.quarrel.core.run;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.spill.QuerySpill;
import dev.quarrel.core.spill.SpillFile;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/// The rows of a cursor, read piece by piece, from a place that each piece moves on: before the first row, on a row,
/// or behind the last.
///
/// Those of a scrollable cursor are read in both directions: what came from the source is kept, in a temporary file.
///
/// - Memory: owns its source; batches that are handed out are views, of use until the receiver returns.
/// - Threads: one at a time.
public final class CursorRows implements AutoCloseable {
    /// Where in a result a row is, and how many are wanted.
    public enum Direction {
        FORWARD,
        BACKWARD,
        /// The count is a row's number, from the end where it is negative.
        ABSOLUTE,
        /// The count is a distance in rows.
        RELATIVE
    }

    /// The count that stands for all rows.
    public static final long ALL = Long.MAX_VALUE;

    private final ResultCursor source;
    private final QuerySpill kept; // null where rows are read once
    private SpillFile file;
    private final List<SpillFile.Chunk> chunks = new ArrayList<>();
    private final List<Long> starts = new ArrayList<>(); // the chunks' first rows
    private boolean isEnd; // of the source
    private long known; // rows that came from it
    private long place; // 0 before the first row, known + 1 behind the last
    private Batch batch; // the last one that was looked at
    private PooledMemory memory; // of that, if it comes from the file
    private long first; // row of it

    /// @param kept where rows go that may be read again, owned from here on; null for rows that are read forward only
    public CursorRows(ResultCursor source, QuerySpill kept) {
        this.source = source;
        this.kept = kept;
    }

    public boolean isScrollable() {
        return kept != null;
    }

    /// Reads rows, or only moves.
    ///
    /// - Errors: `QueryException` 55000 where it would go back and may not; those of the source.
    ///
    /// @param rows takes them, in the order of the direction; null to move only
    /// @return how many were read, or would have been
    public long read(Direction direction, long count, Consumer<Batch> rows) {
        return switch (direction) {
            case FORWARD -> count < 0 ? backward(-count, rows) : count == 0 ? again(rows) : forward(count, rows);
            case BACKWARD -> count < 0 ? forward(-count, rows) : count == 0 ? again(rows) : backward(count, rows);
            case ABSOLUTE -> absolute(count, rows);
            case RELATIVE -> relative(count, rows);
        };
    }

    private long forward(long count, Consumer<Batch> rows) {
        long done = 0;
        while (done < count) {
            Batch next = rows(place + 1, count - done);
            if (next == null) {
                place = known + 1;
                break;
            }
            place += next.rowCount();
            done += next.rowCount();
            if (rows != null) {
                rows.accept(next);
            }
        }
        return done;
    }

    private long backward(long count, Consumer<Batch> rows) {
        if (place == 0) {
            return 0;
        }
        requireScrollable();
        long done = 0;
        while (done < count && place > 0) {
            place--;
            if (place > 0) {
                done++;
                if (rows != null) {
                    rows.accept(rows(place, 1));
                }
            }
        }
        return done;
    }

    /// The row that it stands on.
    private long again(Consumer<Batch> rows) {
        boolean isOnRow = place > 0 && place <= known;
        if (isOnRow && rows != null) {
            requireScrollable();
            rows.accept(rows(place, 1));
        }
        return isOnRow ? 1 : 0;
    }

    private long absolute(long number, Consumer<Batch> rows) {
        long target = number;
        if (number < 0) {
            requireScrollable();
            forward(ALL, null);
            target = Math.max(0, known + 1 + number);
        }
        return goTo(target, rows);
    }

    private long relative(long distance, Consumer<Batch> rows) {
        return distance == 0 ? again(rows) : goTo(Math.max(0, place + distance), rows);
    }

    /// Moves onto a row, and reads it.
    private long goTo(long target, Consumer<Batch> rows) {
        if (target == 0) {
            if (place > 0) {
                requireScrollable();
            }
            place = 0;
            return 0;
        }
        if (target <= place) {
            requireScrollable();
            place = target - 1;
        } else if (target > place + 1) {
            forward(target - 1 - place, null);
        }
        return place == target - 1 ? forward(1, rows) : 0;
    }

    private void requireScrollable() {
        if (kept == null) {
            throw new QueryException(SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE, "cursor can only scan forward")
                    .withHint("Declare it with SCROLL option to enable backward scan.");
        }
    }

    /// Rows from that number on, as many as lie together; null behind the last.
    private Batch rows(long number, long most) {
        while (batch == null || number < first || number >= first + batch.rowCount()) {
            if (number <= known) {
                open(number);
            } else if (!pull()) {
                return null;
            }
        }
        int from = (int) (number - first);
        int count = (int) Math.min(batch.rowCount() - from, most);
        if (from == 0 && count == batch.rowCount()) {
            return Batch.view(batch.schema(), batch.columns(), count);
        }
        List<Column> columns = batch.columns().stream()
                .map(column -> ColumnSlice.of(column, from, count))
                .toList();
        return Batch.view(batch.schema(), columns, count);
    }

    /// Takes the next batch of the source.
    private boolean pull() {
        Batch next = isEnd ? null : source.next();
        if (next == null) {
            isEnd = true;
            return false;
        }
        closeBatch();
        batch = next;
        first = known + 1;
        known += next.rowCount();
        if (kept != null) {
            if (file == null) {
                file = kept.open();
            }
            chunks.add(file.write(next));
            starts.add(first);
        }
        return true;
    }

    /// Takes a batch that was kept.
    private void open(long number) {
        int index = Collections.binarySearch(starts, number);
        index = index < 0 ? -index - 2 : index;
        closeBatch();
        memory = new PooledMemory();
        batch = file.read(chunks.get(index), memory);
        first = starts.get(index);
    }

    private void closeBatch() {
        if (batch != null) {
            batch.close();
            batch = null;
        }
        if (memory != null) {
            memory.close();
            memory = null;
        }
    }

    /// A second call does nothing.
    @Override
    public void close() {
        closeBatch();
        chunks.clear();
        starts.clear();
        try {
            source.close();
        } finally {
            if (kept != null) {
                kept.close();
            }
        }
    }
}
