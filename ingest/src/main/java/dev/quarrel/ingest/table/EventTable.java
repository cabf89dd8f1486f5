package dev.quarrel.ingest.table;

import dev.quarrel.core.type.Field;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The events of a table that are in no file yet, by hours.
///
/// - Threads: the one that decodes, but where the lock of the tables is held.
final class EventTable {
    private final String name;
    private final List<Field> declared;
    private List<Field> stored;
    private volatile boolean isWritten; // whether rows of it stand in files
    private final int mostColumns;
    private final String conflict;
    private final EventColumns columns;
    private final BlockMemory memory;
    private final RecordDecoder decoder;
    private final List<EventColumn> required;
    private Map<Long, Partition> partitions = new LinkedHashMap<>();
    private final Map<Long, Partition> pending = new LinkedHashMap<>(); // nobody has seen yet
    private Partition last; // that an event went to
    private List<EventColumn> publishedColumns = List.of(); // guarded by the lock of the tables

    /// @param fault why there can be no events of that name, or null
    /// @param declared what somebody has said of the table's columns; the types that its files have hold instead
    /// @param stored what the table's files have
    EventTable(
            String name, String fault, List<Field> declared, List<Field> stored, int mostColumns, BlockMemory memory) {
        this.name = name;
        this.declared = declared;
        this.stored = stored;
        this.mostColumns = mostColumns;
        this.conflict = fault == null ? EventColumns.conflict(stored) : fault;
        this.columns = new EventColumns(
                declared.stream()
                        .filter(field -> stored.stream()
                                .allMatch(other -> !other.name().equals(field.name())
                                        || other.type().equals(field.type())))
                        .toList(),
                stored,
                mostColumns);
        this.memory = memory;
        this.decoder = new RecordDecoder(this);
        this.required = columns.all().stream()
                .filter(column -> column != columns.time())
                .filter(column -> !column.field().nullable() || isStoredNotNull(column.field()))
                .toList();
    }

    private boolean isStoredNotNull(Field field) {
        return stored.stream().anyMatch(other -> other.name().equals(field.name()) && !other.nullable());
    }

    /// A table of the same name without rows, for files of other columns.
    EventTable with(List<Field> newStored, BlockMemory newMemory) {
        return new EventTable(name, null, declared, newStored, mostColumns, newMemory);
    }

    /// Whether rows of it go into files of such columns as they are. If so, these are the ones that it is for.
    ///
    /// @param newFault why there can be no events of its name any more, or null
    boolean isFor(List<Field> newStored, String newFault) {
        String newConflict = newFault == null ? EventColumns.conflict(newStored) : newFault;
        Map<String, Field> byName = new HashMap<>();
        newStored.forEach(field -> byName.put(field.name(), field));
        boolean isGone = isWritten && newStored.isEmpty();
        boolean isFor = !isGone
                && Objects.equals(conflict, newConflict)
                && stored.stream().allMatch(field -> isSame(field, byName.get(field.name())))
                && newStored.stream().allMatch(field -> isOwn(field) || isSame(field, columns.named(field.name())));
        if (isFor) {
            stored = newStored; // what it has learned stands in files by now; that these go shows, too
        }
        return isFor;
    }

    /// Whether a column is one that all events have, and `conflict` looks at.
    private static boolean isOwn(Field field) {
        return field.name().equals(EventColumns.TIME)
                || field.name().equals(EventColumns.DAY)
                || field.name().equals(EventColumns.HOUR);
    }

    private static boolean isSame(Field field, EventColumn column) {
        return column != null
                && (column.isDeclared() ? column.field().type().equals(field.type()) : isSame(field, column.field()));
    }

    private static boolean isSame(Field one, Field two) {
        return two != null && isSameType(one, two) && (isOwn(one) || one.nullable() == two.nullable());
    }

    /// Whether values of one column are such of another.
    static boolean isSameType(Field one, Field two) {
        return one.type().equals(two.type()) && ColumnKind.of(one) == ColumnKind.of(two);
    }

    String name() {
        return name;
    }

    String conflict() {
        return conflict;
    }

    EventColumns columns() {
        return columns;
    }

    RecordDecoder decoder() {
        return decoder;
    }

    Partition partition(long micros) {
        long hour = Math.floorDiv(micros, Partition.HOUR_MICROS);
        if (last == null || last.hour() != hour) {
            last = partitions.get(hour);
            if (last == null) {
                last = pending.computeIfAbsent(hour, _ -> new Partition(hour, memory));
            }
        }
        return last;
    }

    /// - Errors: [RejectedException] where a row lacks what its column must have.
    void checkComplete(OpenBlock block, int row) {
        for (EventColumn column : required) {
            if (!block.column(column).isPresent(row)) {
                throw new RejectedException("null value in column \""
                        + column.field().name() + "\" of relation \"" + name + "\" violates not-null constraint");
            }
        }
    }

    /// Shows what was written; the caller holds the lock.
    void publish() {
        partitions.putAll(pending);
        pending.clear();
        for (Partition partition : partitions.values()) {
            if (partition.isChanged()) {
                partition.publish(columns.size());
            }
        }
        if (publishedColumns.size() != columns.size()) {
            publishedColumns = columns.all();
        }
    }

    /// The columns that can be seen; the caller holds the lock.
    List<EventColumn> publishedColumns() {
        return publishedColumns;
    }

    /// All of its rows that can be seen; the caller holds the lock.
    OpenRows publishedRows() {
        OpenRows rows = new OpenRows(this, publishedColumns);
        for (Partition partition : partitions.values()) {
            rows.addAll(partition);
        }
        return rows;
    }

    /// The hours that can be seen; the caller holds the lock.
    Iterable<Partition> partitions() {
        return partitions.values();
    }

    /// Hands over all hours and begins with none; everything is published, and the caller holds the lock.
    FrozenRows.TableRows freeze() {
        FrozenRows.TableRows frozen = frozen();
        partitions = new LinkedHashMap<>();
        last = null;
        return frozen;
    }

    /// Says that rows of it stand in files now.
    void written() {
        isWritten = true;
    }

    /// All hours; everything is published, and nobody adds to them.
    FrozenRows.TableRows frozen() {
        return new FrozenRows.TableRows(this, publishedColumns, List.copyOf(partitions.values()));
    }
}
