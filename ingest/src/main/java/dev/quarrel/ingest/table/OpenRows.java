package dev.quarrel.ingest.table;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/// The rows of one table in a view: numbered batches, as a table has.
public final class OpenRows {
    private record Part(Partition partition, OpenBlock.View view) {}

    private final EventTable table;
    private final List<EventColumn> columns;
    private final List<Part> parts = new ArrayList<>();
    private long rowCount;

    OpenRows(EventTable table, List<EventColumn> columns) {
        this.table = table;
        this.columns = columns;
    }

    /// Adds what can be seen of an hour.
    void addAll(Partition partition) {
        for (OpenBlock block : partition.blocks()) {
            if (block.published().rowCount() > 0) {
                add(partition, block.published());
            }
        }
    }

    void add(Partition partition, OpenBlock.View view) {
        parts.add(new Part(partition, view));
        rowCount += view.rowCount();
    }

    /// Whether the rows stand beside others of a table's columns as they are.
    ///
    /// @param stored the table's columns
    public boolean fit(List<Field> stored) {
        return EventColumns.conflict(stored) == null && stored.stream().allMatch(this::fits);
    }

    private boolean fits(Field stored) {
        int index = indexOf(stored.name());
        if (index == DAY || index == HOUR) {
            return true;
        }
        boolean isMissing = index == NONE || isAbsent(index);
        if (!isMissing && !EventTable.isSameType(stored, columns.get(index).field())) {
            return false;
        }
        return stored.nullable()
                || parts.stream()
                        .allMatch(part -> !isMissing
                                && part.view().column(index) != null
                                && part.view().column(index).validity().nullCount() == 0);
    }

    /// Whether a column has no value in any row.
    private boolean isAbsent(int index) {
        return parts.stream().allMatch(part -> part.view().column(index) == null);
    }

    /// The rows made anew for a table whose columns they do not fit: what a column does not take goes beside it, as it
    /// does for events that come. Events that the table does not take are left out.
    ///
    /// - Memory: goes when nobody refers to the rows any more.
    ///
    /// @param stored the table's columns
    public OpenRows fitted(List<Field> stored) {
        EventTable fitted = table.with(stored, BlockMemory.collected());
        new Refit(this, fitted, (_, _, _) -> {}).run();
        fitted.publish();
        return fitted.publishedRows();
    }

    EventTable table() {
        return table;
    }

    List<EventColumn> columns() {
        return columns;
    }

    OpenBlock.View view(int batch) {
        return parts.get(batch).view();
    }

    /// The columns, with those of the folders' keys at the end.
    public List<Field> fields() {
        List<Field> fields = new ArrayList<>(columns.stream()
                .filter(column -> !isAbsent(column.index()))
                .map(EventColumn::field)
                .toList());
        fields.addAll(FrozenRows.KEYS);
        return fields;
    }

    public long rowCount() {
        return rowCount;
    }

    public int batchCount() {
        return parts.size();
    }

    public int batchRows(int batch) {
        return parts.get(batch).view().rowCount();
    }

    /// Which of our columns a field is, for `column`; less than 0 for none.
    public int indexOf(String name) {
        return switch (name) {
            case EventColumns.DAY -> DAY;
            case EventColumns.HOUR -> HOUR;
            default -> {
                for (EventColumn column : columns) {
                    if (column.field().name().equals(name)) {
                        yield column.index();
                    }
                }
                yield NONE;
            }
        };
    }

    private static final int DAY = -1;
    private static final int HOUR = -2;
    private static final int NONE = -3;

    /// What is known of a column of a batch.
    ///
    /// @param index as [#indexOf] has it
    public ColumnStats stats(int batch, int index) {
        Part part = parts.get(batch);
        return switch (index) {
            case DAY -> constant(part.partition().day());
            case HOUR -> constant(part.partition().hourOfDay());
            case NONE -> new ColumnStats(part.view().rowCount(), null, null, 0);
            case 0 -> new ColumnStats(0, part.view().leastTime(), part.view().greatestTime(), -1);
            default -> {
                Column column = part.view().column(index);
                yield column == null
                        ? new ColumnStats(part.view().rowCount(), null, null, 0)
                        : new ColumnStats(column.validity().nullCount(), null, null, -1);
            }
        };
    }

    private static ColumnStats constant(long value) {
        return new ColumnStats(0, value, value, 1);
    }

    /// Bytes that [#column] would allocate.
    public long madeBytes(int batch, int index, DataType type) {
        Part part = parts.get(batch);
        boolean isThere = index >= 0 && part.view().column(index) != null;
        long rows = part.view().rowCount();
        return isThere ? 0 : (rows + 64) * (Math.max(4, type.byteWidth()) + 1) + 256;
    }

    /// One column of a batch.
    ///
    /// - Memory: a view, or of `memory` where it is of one value.
    ///
    /// @param index as [#indexOf] has it
    public Column column(int batch, int index, DataType type, Allocator memory) {
        Part part = parts.get(batch);
        int rows = part.view().rowCount();
        return switch (index) {
            case DAY -> constant(type, (long) part.partition().day(), rows, memory);
            case HOUR -> constant(type, (long) part.partition().hourOfDay(), rows, memory);
            default -> {
                Column column = index < 0 ? null : part.view().column(index);
                yield column == null ? constant(type, null, rows, memory) : column;
            }
        };
    }

    private static Column constant(DataType type, Object value, int rows, Allocator memory) {
        ColumnWriter writer = new ColumnWriter(type, memory, rows);
        for (int row = 0; row < rows; row++) {
            writer.append(value);
        }
        return writer.finish();
    }

    /// The rows of a block with some columns.
    static Batch batch(Schema schema, List<EventColumn> columns, OpenBlock.View view) {
        Arena arena = Arena.ofShared();
        List<Column> views = new ArrayList<>();
        for (EventColumn column : columns) {
            Column known = view.column(column.index());
            views.add(
                    known == null
                            ? constant(column.field().type(), null, view.rowCount(), Allocator.of(arena))
                            : known);
        }
        return Batch.owning(schema, views, view.rowCount(), arena::close);
    }
}
