package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.LittleEndian;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.OverlaidSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Rows of a table that a statement is to change, found by a query of the column [#COLUMN]: file and place in it.
///
/// - Memory: eight bytes a row, of a budget, until it is closed.
public final class FoundRows implements AutoCloseable {
    /// The hidden column that a table of [#in] has.
    public static final String COLUMN = "$row";

    public static final Field FIELD = new Field(COLUMN, DataType.INT64, false);

    static final int PLACE_BITS = 40;
    private static final int EXPECTED_ROWS = 1 << 10;

    private final List<String> paths;
    private final MemoryBudget budget;
    private long[] rows = new long[EXPECTED_ROWS];
    private int count;
    private long reserved;

    /// @param snapshot one that `in` has made
    public FoundRows(CatalogSnapshot snapshot, String schemaName, String name, MemoryBudget budget) {
        this.budget = budget;
        Table table = snapshot.table(schemaName, name);
        this.paths = new ArrayList<>();
        for (int file = 0; file < table.fileCount(); file++) {
            paths.add(table.fileName(file));
        }
    }

    /// A catalog whose table has the column.
    ///
    /// - Memory: takes `snapshot` over.
    ///
    /// @return null, with the snapshot closed, for a table that has rows in no file, or a column of that name
    public static CatalogSnapshot in(CatalogSnapshot snapshot, String schemaName, String name) {
        Table found = snapshot.table(schemaName, name);
        if (found instanceof OpeningTable opening) {
            found = opening.opened();
        }
        if (found instanceof ArrowTable table && table.schema().indexOf(COLUMN) < 0) {
            return new OverlaidSnapshot(snapshot, new NumberedTable(table));
        }
        snapshot.close();
        return null;
    }

    /// - Errors: `QueryException` 53200 where there is no memory for them.
    public void add(Column numbers) {
        FixedColumn column = (FixedColumn) numbers;
        int more = column.rowCount();
        if (count + more > rows.length) {
            int larger = Math.max(Math.addExact(count, more), (int) Math.min(Integer.MAX_VALUE - 8, rows.length * 2L));
            budget.reserve((long) larger * Long.BYTES - reserved);
            reserved = (long) larger * Long.BYTES;
            rows = Arrays.copyOf(rows, larger);
        }
        for (int row = 0; row < more; row++) {
            rows[count++] = column.values().get(LittleEndian.INT64, (long) row * Long.BYTES);
        }
    }

    /// Forgets that rows were found more than once; afterwards they are in order.
    ///
    /// @return how often that was
    public int makeUnique() {
        Arrays.sort(rows, 0, count);
        int unique = 0;
        for (int index = 0; index < count; index++) {
            if (index == 0 || rows[index] != rows[index - 1]) {
                rows[unique++] = rows[index];
            }
        }
        int more = count - unique;
        count = unique;
        return more;
    }

    public int count() {
        return count;
    }

    /// The places of the rows by their files, ascending; they are unique.
    Map<String, long[]> byFile() {
        Map<String, long[]> files = new HashMap<>();
        int from = 0;
        while (from < count) {
            int file = (int) (rows[from] >>> PLACE_BITS);
            int to = from;
            while (to < count && (int) (rows[to] >>> PLACE_BITS) == file) {
                to++;
            }
            long[] places = new long[to - from];
            for (int index = 0; index < places.length; index++) {
                places[index] = rows[from + index] & (1L << PLACE_BITS) - 1;
            }
            files.put(paths.get(file), places);
            from = to;
        }
        return files;
    }

    @Override
    public void close() {
        budget.release(reserved);
        reserved = 0;
    }
}
