package dev.quarrel.ingest.table;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/// The events of a table that are in no file yet, by hours.
///
/// - Threads: the one that decodes, but where the lock of the tables is held.
final class EventTable {
    private final String name;
    private final String conflict;
    private final EventColumns columns;
    private final AtomicLong total;
    private final RecordDecoder decoder;
    private final List<EventColumn> required;
    private Map<Long, Partition> partitions = new LinkedHashMap<>();
    private final Map<Long, Partition> pending = new LinkedHashMap<>(); // nobody has seen yet
    private Partition last; // that an event went to
    private List<EventColumn> publishedColumns = List.of(); // guarded by the lock of the tables

    /// @param conflict why events do not fit the table's files, or null
    EventTable(String name, String conflict, EventColumns columns, AtomicLong total) {
        this.name = name;
        this.conflict = conflict;
        this.columns = columns;
        this.total = total;
        this.decoder = new RecordDecoder(this);
        this.required = columns.all().stream()
                .filter(column -> column.isDeclared() && !column.field().nullable() && column != columns.time())
                .toList();
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
                last = pending.computeIfAbsent(hour, _ -> new Partition(hour, total));
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

    /// The hours that can be seen; the caller holds the lock.
    Iterable<Partition> partitions() {
        return partitions.values();
    }

    /// Hands over all hours and begins with none; everything is published, and the caller holds the lock.
    List<Partition> freeze() {
        List<Partition> frozen = List.copyOf(partitions.values());
        partitions = new LinkedHashMap<>();
        last = null;
        return frozen;
    }
}
