package dev.quarrel.ingest.table;

import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.ingest.intake.Chunk;
import dev.quarrel.ingest.intake.TableName;
import dev.quarrel.ingest.msgpack.Msgpack;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/// All rows that are in no file yet.
///
/// Rows are added by one thread, and seen by others once it has published them: all rows of a chunk at once. A freeze
/// puts what there is aside, to be written to files; it stays visible until the files are.
///
/// - Threads: `add`, `publish` and `freeze` from one; the rest from any.
public final class OpenTables {
    private final KnownTables knownTables;
    private final int mostColumns;
    private final int mostTables;
    private final AtomicLong bytes = new AtomicLong();
    private final BlockMemory memory = BlockMemory.counted(bytes);
    private final Map<String, EventTable> tables = new LinkedHashMap<>(); // changed with the lock held
    private final Map<String, EventTable> begun = new LinkedHashMap<>();
    private final Set<EventTable> touched = new LinkedHashSet<>();

    private final ReentrantLock lock = new ReentrantLock();
    private FrozenRows frozen; // guarded by lock; null for none
    private long changes; // guarded by lock
    // Guarded by lock: those of rows that were made anew. Who reads them may do so until the files change.
    private final List<OpenBlock> outdated = new ArrayList<>();
    private boolean mayBeOutdated; // whether tables are to be looked at once no rows are frozen

    public OpenTables(KnownTables knownTables, int mostTables, int mostColumns) {
        this.knownTables = knownTables;
        this.mostTables = mostTables;
        this.mostColumns = mostColumns;
    }

    /// Told of events that are not taken.
    public interface Rejected {
        /// An event that its table does not take.
        ///
        /// @param at where the event begins among the chunk's bytes, or -1
        void event(Chunk chunk, int at, String reason);
    }

    /// An event as JSON, for people to read.
    public static String json(Chunk chunk, int at) {
        return MsgpackJson.text(chunk.bytes(), at);
    }

    /// Bytes that all rows take.
    public long byteSize() {
        return bytes.get();
    }

    /// Adds a chunk's events, which are seen after `publish`.
    ///
    /// @return how many were added
    public int add(Chunk chunk, long arrivalMicros, Rejected rejected) {
        String fault = TableName.fault(chunk.table());
        if (fault != null) { // no file of it could be written, nor any of the same run
            reject(chunk, fault, rejected);
            return 0;
        }
        EventTable table = table(chunk.table());
        if (table == null) {
            reject(chunk, "the table would be one more than the " + mostTables + " that there may be", rejected);
            return 0;
        }
        if (table.conflict() != null) {
            reject(chunk, table.conflict(), rejected);
            return 0;
        }
        touched.add(table);
        return table.decoder().decode(chunk, arrivalMicros, rejected::event);
    }

    /// Rejects all of a chunk's events.
    private static void reject(Chunk chunk, String reason, Rejected rejected) {
        int at = chunk.start();
        while (at < chunk.end()) {
            int next;
            try {
                next = Msgpack.skip(chunk.bytes(), at, chunk.end());
            } catch (IndexOutOfBoundsException _) {
                at = -1;
                next = chunk.end();
            }
            rejected.event(chunk, at, reason);
            at = next;
        }
    }

    private EventTable table(String name) {
        EventTable known = tables.get(name);
        if (known == null) {
            known = begun.get(name);
        }
        if (known == null && tables.size() + begun.size() < mostTables) {
            known = made(name);
            begun.put(name, known);
        }
        return known;
    }

    private EventTable made(String name) {
        return new EventTable(
                name,
                knownTables.fault(name),
                knownTables.declared(name),
                knownTables.stored(name),
                mostColumns,
                memory);
    }

    /// Sees to it that rows are made for the columns that their tables have now, as soon as none are frozen: those that
    /// were made for others are made anew.
    ///
    /// @param isChanged whether what is known of tables has changed
    public void renew(boolean isChanged, Rejected rejected) {
        if (!isChanged && !mayBeOutdated) {
            return;
        }
        mayBeOutdated = false;
        boolean isFrozen = isFrozen();
        for (EventTable table : List.copyOf(tables.values())) {
            String name = table.name();
            if (!table.isFor(knownTables.stored(name), knownTables.fault(name))) {
                if (isFrozen) {
                    mayBeOutdated = true;
                } else {
                    renew(table, rejected);
                }
            }
        }
    }

    private void renew(EventTable table, Rejected rejected) {
        EventTable renewed = made(table.name());
        new Refit(table.publishedRows(), renewed, rejected::event).run();
        lock.lock();
        try {
            outdated.addAll(table.freeze().blocks().toList());
            renewed.publish();
            tables.put(table.name(), renewed);
            changes++;
        } finally {
            lock.unlock();
        }
    }

    /// Shows everything that was added.
    public void publish() {
        lock.lock();
        try {
            tables.putAll(begun);
            begun.clear();
            touched.forEach(EventTable::publish);
            touched.clear();
            changes++;
        } finally {
            lock.unlock();
        }
    }

    /// Puts all published rows aside, unless some are so already.
    ///
    /// @return them, or null where there are none
    public FrozenRows freeze() {
        lock.lock();
        try {
            if (frozen != null) {
                throw new IllegalStateException("rows are frozen already");
            }
            List<FrozenRows.TableRows> all = new ArrayList<>();
            for (EventTable table : tables.values()) {
                FrozenRows.TableRows rows = table.freeze();
                if (rows.rowCount() > 0) {
                    all.add(rows);
                } else {
                    rows.blocks().forEach(OpenBlock::retire);
                }
            }
            if (all.isEmpty()) {
                return null;
            }
            frozen = new FrozenRows(all);
            return frozen;
        } finally {
            lock.unlock();
        }
    }

    /// Whether rows are put aside that are in no file yet.
    public boolean isFrozen() {
        lock.lock();
        try {
            return frozen != null;
        } finally {
            lock.unlock();
        }
    }

    /// Does what makes the frozen rows visible elsewhere, and has them seen here no more, at once for whoever
    /// takes a view within the same lock.
    public void retire(Runnable meanwhile) {
        lock.lock();
        try {
            meanwhile.run();
            FrozenRows gone = frozen;
            frozen = null;
            changes++;
            if (gone != null) {
                gone.blocks().forEach(OpenBlock::retire);
                gone.tables().forEach(FrozenRows.TableRows::written);
            }
            outdated.forEach(OpenBlock::retire);
            outdated.clear();
        } finally {
            lock.unlock();
        }
    }

    /// All rows as they are now, together with what `beside` gives at the same moment.
    ///
    /// - Memory: the caller closes the view.
    public <T> OpenView<T> view(Function<Long, T> beside) {
        lock.lock();
        try {
            T with = beside.apply(changes);
            Map<String, OpenRows> rows = new LinkedHashMap<>();
            List<OpenBlock> used = new ArrayList<>();
            if (frozen != null) {
                frozen.tables().forEach(table -> {
                    rows.put(table.name(), table.openRows());
                    used.addAll(table.blocks().toList());
                });
            }
            for (EventTable table : tables.values()) {
                for (Partition partition : table.partitions()) {
                    collect(table, partition, rows, used);
                }
            }
            used.forEach(OpenBlock::use);
            return new OpenView<>(with, changes, rows, () -> release(used));
        } finally {
            lock.unlock();
        }
    }

    private static void collect(
            EventTable table, Partition partition, Map<String, OpenRows> rows, List<OpenBlock> used) {
        for (OpenBlock block : partition.blocks()) {
            if (block.published().rowCount() > 0) {
                rows.computeIfAbsent(table.name(), _ -> new OpenRows(table, table.publishedColumns()))
                        .add(partition, block.published());
                used.add(block);
            }
        }
    }

    private void release(List<OpenBlock> used) {
        lock.lock();
        try {
            used.forEach(OpenBlock::letGo);
        } finally {
            lock.unlock();
        }
    }

    /// How often what is seen has changed.
    public long changes() {
        lock.lock();
        try {
            return changes;
        } finally {
            lock.unlock();
        }
    }

    /// Frees all rows; nobody reads them any more.
    public void close() {
        retire(() -> {
            for (EventTable table : tables.values()) {
                table.freeze().blocks().forEach(OpenBlock::retire);
            }
        });
    }

    /// - Errors: `QueryException` 42804 where a declared column stands against the table's files.
    public static void check(String table, List<Field> declared, List<Field> existing) {
        for (Field field : declared) {
            for (Field other : existing) {
                if (field.name().equals(other.name()) && !field.type().equals(other.type())) {
                    throw new QueryException(
                            SqlState.DATATYPE_MISMATCH,
                            "column \"" + field.name() + "\" of table \"" + table + "\" is declared as " + field.type()
                                    + ", and is " + other.type() + " in its files");
                }
            }
        }
    }
}
