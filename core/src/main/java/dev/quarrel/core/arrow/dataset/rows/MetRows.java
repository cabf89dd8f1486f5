package dev.quarrel.core.arrow.dataset.rows;

import dev.quarrel.core.arrow.OwnedMemory;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// Rows to insert, by whether a table has rows that are equal to them by a key.
///
/// - Memory: its own, until it is closed.
public final class MetRows implements AutoCloseable {
    private final List<Batch> fresh = new ArrayList<>();
    private final List<Batch> met = new ArrayList<>();
    private boolean hasSame;

    public MetRows() {}

    /// Those that are equal to none of the table's rows, nor to one before them.
    public List<Batch> fresh() {
        return List.copyOf(fresh);
    }

    /// Those that are equal to one of the table's rows.
    public List<Batch> met() {
        return List.copyOf(met);
    }

    /// Whether some are equal to ones before them.
    public boolean hasSame() {
        return hasSame;
    }

    /// @param isMet whether each is equal to a row of the table
    /// @param isSame whether each is equal to one before it
    public void add(Batch rows, boolean[] isMet, boolean[] isSame) {
        int count = rows.rowCount();
        hasSame |= IntStream.range(0, count).anyMatch(row -> isSame[row]);
        add(rows, IntStream.range(0, count).filter(row -> isMet[row] || isSame[row]), fresh);
        add(rows, IntStream.range(0, count).filter(row -> !isMet[row]), met);
    }

    private static void add(Batch rows, IntStream without, List<Batch> to) {
        long[] gone = without.asLongStream().toArray();
        if (gone.length == rows.rowCount()) {
            return;
        }
        LiveRows[] left = LiveRows.of(new int[] {rows.rowCount()}, gone);
        OwnedMemory memory = new OwnedMemory();
        List<Column> columns = new ArrayList<>();
        List<Field> fields = new ArrayList<>();
        for (int index = 0; index < rows.columns().size(); index++) {
            Column column = rows.column(index);
            columns.add(left == null ? column : left[0].of(column, memory));
            fields.add(rows.schema().field(index));
        }
        to.add(Batch.owning(new Schema(fields), columns, rows.rowCount() - gone.length, memory::close));
    }

    @Override
    public void close() {
        fresh.forEach(Batch::close);
        met.forEach(Batch::close);
    }
}
