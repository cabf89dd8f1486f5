package dev.quarrel.cuda;

import dev.quarrel.core.table.Table;
import dev.quarrel.cuda.vm.DeviceColumn;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.WeakHashMap;

/// Columns in device memory, kept from query to query as long as there is room; those used longest ago leave first.
///
/// Threads share it.
final class ColumnCache implements AutoCloseable {
    private final Backend backend;
    private final long limitBytes;
    private final Map<Table, Map<Long, Resident>> places = new WeakHashMap<>(); // guarded by this
    private final LinkedHashSet<Resident> kept =
            new LinkedHashSet<>(); // the one used longest ago first; guarded by this
    private long keptBytes; // guarded by this

    /// A column of a batch on the device. Whoever has it from the cache gives it back.
    static final class Resident {
        private final DeviceColumn column;
        private final DeviceMemory data;
        private final DeviceMemory valid; // or null
        private int pins;
        private boolean isForgotten;

        Resident(DeviceColumn column, DeviceMemory data, DeviceMemory valid) {
            this.column = column;
            this.data = data;
            this.valid = valid;
        }

        DeviceColumn column() {
            return column;
        }

        long bytes() {
            return data.byteSize() + (valid == null ? 0 : valid.byteSize());
        }

        private void free() {
            data.close();
            if (valid != null) {
                valid.close();
            }
        }
    }

    ColumnCache(Backend backend, long limitBytes) {
        this.backend = backend;
        this.limitBytes = limitBytes;
    }

    private static long place(int column, int batch) {
        return (long) column << 32 | batch;
    }

    /// A column if it is there, pinned; otherwise null.
    synchronized Resident find(Table table, int column, int batch) {
        Resident found = places.getOrDefault(table, Map.of()).get(place(column, batch));
        if (found != null) {
            found.pins++;
            kept.remove(found);
            kept.add(found);
        }
        return found;
    }

    /// Memory for a column; others make room where need be.
    ///
    /// - Errors: [DeviceFault] where nothing is left to make room.
    DeviceMemory allocate(long byteSize) {
        while (true) {
            try {
                return backend.allocate(byteSize);
            } catch (DeviceFault fault) {
                if (fault.kind() != DeviceFault.Kind.OUT_OF_MEMORY || !evictOne()) {
                    throw fault;
                }
            }
        }
    }

    /// Takes a column over, pinned once.
    ///
    /// @return it, or the one that another thread was faster to add
    synchronized Resident keep(Table table, int column, int batch, Resident made) {
        Map<Long, Resident> columns = places.computeIfAbsent(table, _ -> new HashMap<>());
        Resident other = columns.get(place(column, batch));
        if (other != null) {
            made.free();
            other.pins++;
            return other;
        }
        made.pins = 1;
        columns.put(place(column, batch), made);
        kept.add(made);
        keptBytes += made.bytes();
        while (keptBytes > limitBytes && evictOne()) {
            // One after another.
        }
        return made;
    }

    /// Frees a column that was never kept.
    void discard(Resident made) {
        made.free();
    }

    synchronized void release(Resident resident) {
        resident.pins--;
        if (resident.pins == 0 && resident.isForgotten) {
            resident.free();
        }
    }

    private synchronized boolean evictOne() {
        for (Resident resident : kept) {
            if (resident.pins == 0) {
                forget(resident);
                return true;
            }
        }
        return false;
    }

    private void forget(Resident resident) {
        kept.remove(resident);
        keptBytes -= resident.bytes();
        places.values().forEach(columns -> columns.values().remove(resident));
        resident.isForgotten = true;
        if (resident.pins == 0) {
            resident.free();
        }
    }

    @Override
    public synchronized void close() {
        for (Resident resident : kept.toArray(Resident[]::new)) {
            forget(resident);
        }
        places.clear();
    }
}
