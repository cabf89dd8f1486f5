package dev.quarrel.cuda.column;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;

/// The cache of the columns that the device keeps between queries, up to a bound.
///
/// - Admission: a unit is kept from its second use on, or from the first when all of its column fits without
///   pushing anything out: one scan of a table that is larger than memory does not empty the cache.
/// - Eviction: the unit that saves least goes first: seconds saved × uses / bytes, plus a clock that rises
///   with each eviction, so that what was once popular ages (GDSF: Cherkasova, "Improving WWW proxies
///   performance with greedy-dual-size-frequency caching", 1998). A unit that saves less than what would have
///   to go for it is not admitted.
/// - Memory: owns the buffers it keeps. One in use is *pinned* and stays. A buffer that is not kept belongs
///   to its pin.
///
/// Threads share it.
///
/// @param <B> a buffer on the device
public final class ColumnCache<B extends AutoCloseable> implements AutoCloseable {
    private static final int REMEMBERED = 1 << 16;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<ColumnUnit, Entry> entries = new HashMap<>();
    private final Map<ColumnUnit.Whole, Long> bytesOfColumns = new HashMap<>();
    private final TreeSet<Entry> evictable = new TreeSet<>();
    /// How often units were asked for that are not kept; the oldest are forgotten.
    private final Map<ColumnUnit, Integer> uses = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ColumnUnit, Integer> eldest) {
            return size() > REMEMBERED;
        }
    };

    private long capacityBytes;
    private long usedBytes;
    private double clock;
    private long sequence;
    private long hits;
    private long misses;
    private boolean closed;

    /// What the cache has done.
    public record Counts(long hits, long misses, long usedBytes, int units) {}

    private final class Entry implements Comparable<Entry> {
        private final ColumnUnit unit;
        private final long bytes;
        private final double savedSeconds;
        private final long number = sequence++;
        private double priority;
        private long useCount;
        private int pins = 1;
        private final B buffer;

        Entry(ColumnUnit unit, B buffer, long bytes, double savedSeconds, long useCount) {
            this.unit = unit;
            this.buffer = buffer;
            this.bytes = bytes;
            this.savedSeconds = savedSeconds;
            this.useCount = useCount;
            this.priority = priority(bytes, savedSeconds, useCount);
        }

        @Override
        public int compareTo(Entry other) {
            int order = Double.compare(priority, other.priority);
            return order != 0 ? order : Long.compare(number, other.number);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(number);
        }
    }

    /// A unit in use: its buffer stays until this is closed.
    public final class Pin implements AutoCloseable {
        private final Entry entry; // null for a buffer that is not kept
        private final B buffer;
        private boolean closed;

        private Pin(Entry entry, B buffer) {
            this.entry = entry;
            this.buffer = buffer;
        }

        public B buffer() {
            if (closed) {
                throw new IllegalStateException("the pin is closed");
            }
            return buffer;
        }

        /// Whether the buffer stays for later queries.
        public boolean isKept() {
            return entry != null;
        }

        @Override
        public void close() {
            if (closed) {
                return;
            }
            closed = true;
            if (entry == null) {
                closeAll(List.of(buffer));
            } else {
                unpin(entry);
            }
        }
    }

    /// @param capacityBytes bound of what is kept
    public ColumnCache(long capacityBytes) {
        this.capacityBytes = capacityBytes;
    }

    private double priority(long bytes, double savedSeconds, long useCount) {
        return clock + useCount * savedSeconds / bytes;
    }

    /// A unit that is kept, or null.
    public Pin find(ColumnUnit unit) {
        lock.lock();
        try {
            Entry known = entries.get(unit);
            if (known == null) {
                misses++;
                return null;
            }
            hits++;
            pin(known);
            return new Pin(known, known.buffer);
        } finally {
            lock.unlock();
        }
    }

    /// A unit that was not found and has been loaded: kept where that is worth while, and for use in any
    /// case.
    ///
    /// - Memory: takes the buffer over. When another thread was faster, its buffer is the one, and this one
    ///   is closed.
    ///
    /// @param bytes of the unit on the device, above 0
    /// @param columnBytes of all of its column
    /// @param savedSeconds what it cost to load it
    public Pin offer(ColumnUnit unit, B buffer, long bytes, long columnBytes, double savedSeconds) {
        if (bytes <= 0 || columnBytes < bytes || !(savedSeconds >= 0)) {
            throw new IllegalArgumentException(bytes + " of " + columnBytes + " bytes, " + savedSeconds + " s");
        }
        List<B> left = new ArrayList<>();
        Pin pin;
        lock.lock();
        try {
            Entry known = entries.get(unit);
            if (known != null) {
                pin(known);
                left.add(buffer);
                pin = new Pin(known, known.buffer);
            } else {
                pin = new Pin(closed ? null : admit(unit, buffer, bytes, columnBytes, savedSeconds, left), buffer);
            }
        } finally {
            lock.unlock();
        }
        closeAll(left);
        return pin;
    }

    private void pin(Entry entry) {
        if (entry.pins++ == 0) {
            evictable.remove(entry);
        }
        entry.useCount++;
        entry.priority = priority(entry.bytes, entry.savedSeconds, entry.useCount);
    }

    private void unpin(Entry entry) {
        B left = null;
        lock.lock();
        try {
            if (--entry.pins == 0) {
                if (entries.get(entry.unit) == entry) {
                    evictable.add(entry);
                } else {
                    left = entry.buffer; // dropped while in use
                }
            }
        } finally {
            lock.unlock();
        }
        if (left != null) {
            closeAll(List.of(left));
        }
    }

    /// The entry of a unit that is kept from now on, or null. Under the lock.
    private Entry admit(ColumnUnit unit, B buffer, long bytes, long columnBytes, double savedSeconds, List<B> evicted) {
        int useCount = uses.merge(unit, 1, Integer::sum);
        long ofColumn = bytesOfColumns.getOrDefault(unit.whole(), 0L);
        boolean columnFits = usedBytes - ofColumn + columnBytes <= capacityBytes;
        if (useCount < 2 && !columnFits || !makeRoom(bytes, priority(bytes, savedSeconds, useCount), evicted)) {
            return null;
        }
        uses.remove(unit);
        Entry entry = new Entry(unit, buffer, bytes, savedSeconds, useCount);
        entries.put(unit, entry);
        bytesOfColumns.merge(unit.whole(), bytes, Long::sum);
        usedBytes += bytes;
        return entry;
    }

    /// Evicts what is worth less than `priority` until there is room; if that does not suffice, nothing.
    private boolean makeRoom(long bytes, double priority, List<B> evicted) {
        List<Entry> victims = new ArrayList<>();
        long free = capacityBytes - usedBytes;
        for (Entry entry : evictable) {
            if (free >= bytes) {
                break;
            }
            if (entry.priority > priority) {
                return false;
            }
            victims.add(entry);
            free += entry.bytes;
        }
        if (free < bytes) {
            return false;
        }
        victims.forEach(victim -> evict(victim, evicted));
        return true;
    }

    private void evict(Entry entry, List<B> evicted) {
        evictable.remove(entry);
        clock = Math.max(clock, entry.priority);
        remove(entry);
        evicted.add(entry.buffer);
        uses.put(entry.unit, 1);
    }

    private void remove(Entry entry) {
        entries.remove(entry.unit);
        usedBytes -= entry.bytes;
        bytesOfColumns.computeIfPresent(
                entry.unit.whole(), (_, ofColumn) -> ofColumn == entry.bytes ? null : ofColumn - entry.bytes);
    }

    /// Bytes that are there now of the column that a unit is of, in its encoding: for estimates.
    public long bytesOfColumn(ColumnUnit unit) {
        lock.lock();
        try {
            return bytesOfColumns.getOrDefault(unit.whole(), 0L);
        } finally {
            lock.unlock();
        }
    }

    /// Whether a unit is there now: for estimates, and without counting as a use.
    public boolean holds(ColumnUnit unit) {
        lock.lock();
        try {
            return entries.containsKey(unit);
        } finally {
            lock.unlock();
        }
    }

    /// Frees the unit that is worth least, of those not in use: for whoever needs memory more than the cache
    /// does.
    ///
    /// @return whether there was one
    public boolean evictOne() {
        List<B> evicted = new ArrayList<>();
        lock.lock();
        try {
            if (!evictable.isEmpty()) {
                evict(evictable.first(), evicted);
            }
        } finally {
            lock.unlock();
        }
        closeAll(evicted);
        return !evicted.isEmpty();
    }

    /// Sets the bound, and evicts what is above it and not in use.
    ///
    /// @return bytes still kept: more than the bound where that much is in use
    public long resize(long newCapacityBytes) {
        List<B> evicted = new ArrayList<>();
        long kept;
        lock.lock();
        try {
            capacityBytes = newCapacityBytes;
            while (usedBytes > capacityBytes && !evictable.isEmpty()) {
                evict(evictable.first(), evicted);
            }
            kept = usedBytes;
        } finally {
            lock.unlock();
        }
        closeAll(evicted);
        return kept;
    }

    public Counts counts() {
        lock.lock();
        try {
            return new Counts(hits, misses, usedBytes, entries.size());
        } finally {
            lock.unlock();
        }
    }

    /// Frees all that is not in use; what is, when its pin is closed.
    @Override
    public void close() {
        List<B> left = new ArrayList<>();
        lock.lock();
        try {
            closed = true;
            evictable.forEach(entry -> left.add(entry.buffer));
            evictable.clear();
            entries.clear();
            bytesOfColumns.clear();
            usedBytes = 0;
        } finally {
            lock.unlock();
        }
        closeAll(left);
    }

    private static void closeAll(List<? extends AutoCloseable> buffers) {
        RuntimeException first = null;
        for (AutoCloseable buffer : buffers) {
            try {
                buffer.close();
            } catch (Exception problem) {
                if (first == null) {
                    first = new IllegalStateException("closing a device buffer", problem);
                } else {
                    first.addSuppressed(problem);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
