package dev.quarrel.cuda.column;

import dev.quarrel.core.table.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Consecutive batches of a table that lie in one piece in device memory, column by column: a launch over one
/// small batch would be done before the next launch is on its way.
///
/// @param first batch
/// @param starts the first row of each batch, counted from the chunk's; then the rows of all
public record Chunk(int first, int[] starts) {
    /// Of a chunk at most, unless it is a single batch: 64 MiB of an int32 column.
    public static final long MOST_ROWS = 1L << 24;
    /// On a device that has little memory beside so many workers.
    public static final long MODEST_ROWS = 1L << 22;
    /// Fewer make no launch longer than its way there.
    public static final long FEWEST_ROWS = 1L << 18;

    /// All of a table's, in order. They depend on the table and `parts` alone, so that what one query brings others
    /// find.
    ///
    /// @param parts how many there should be at least, for so many workers to have some
    /// @param fewestRows of one, unless they are all
    /// @param mostRows of one, unless it is a single batch
    public static List<Chunk> of(Table table, int parts, long fewestRows, long mostRows) {
        long most = Math.clamp(table.stats().rowCount() / parts, fewestRows, mostRows);
        List<Chunk> chunks = new ArrayList<>();
        List<Integer> starts = new ArrayList<>(List.of(0));
        for (int batch = 0; batch < table.batchCount(); batch++) {
            long rows = starts.getLast() + (long) table.batchRows(batch);
            if (starts.size() > 1 && rows > most) {
                chunks.add(chunk(batch, starts));
                starts = new ArrayList<>(List.of(0));
                rows = table.batchRows(batch);
            }
            starts.add((int) rows);
        }
        if (starts.size() > 1) {
            chunks.add(chunk(table.batchCount(), starts));
        }
        return chunks;
    }

    private static Chunk chunk(int end, List<Integer> starts) {
        return new Chunk(
                end - starts.size() + 1,
                starts.stream().mapToInt(Integer::intValue).toArray());
    }

    /// A batch by itself.
    public static Chunk ofBatch(Table table, int batch) {
        return new Chunk(batch, new int[] {0, table.batchRows(batch)});
    }

    /// The batch after its last.
    public int end() {
        return first + starts.length - 1;
    }

    public int rows() {
        return starts[starts.length - 1];
    }

    /// Where a batch's rows begin.
    public int start(int batch) {
        return starts[batch - first];
    }

    /// The batch that a row is in.
    public int batchOf(int row) {
        int found = Arrays.binarySearch(starts, 0, starts.length - 1, row);
        if (found < 0) {
            return first - found - 2;
        }
        while (starts[found + 1] == row) { // those without rows
            found++;
        }
        return first + found;
    }
}
