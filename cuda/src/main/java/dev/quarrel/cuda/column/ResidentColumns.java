package dev.quarrel.cuda.column;

import dev.quarrel.core.table.Table;
import dev.quarrel.cuda.backend.Backend;
import dev.quarrel.cuda.backend.DeviceFault;
import dev.quarrel.cuda.backend.DeviceMemory;
import dev.quarrel.cuda.vm.ColumnForm;
import dev.quarrel.cuda.vm.DeviceColumn;
import dev.quarrel.cuda.vm.Physical;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/// The columns and join tables in device memory, kept from query to query as far as that pays.
///
/// Threads share it.
public final class ResidentColumns implements AutoCloseable {
    /// What a column costs to bring: the bus, and the form that it has to be given. Only proportions matter.
    private static final double SECONDS_A_BYTE = 1 / 5e9;
    /// And to make a table for joins: launches, and the waits between them.
    private static final double SECONDS_A_TABLE = 1e-4;

    /// Of a row's columns that do not stay, about; of all that is kept, they may take this part of the room.
    private static final int PASSING_ROW_BYTES = 16;
    private static final int PASSING_SHARE = 8;

    private final Backend backend;
    private final ColumnCache<Resident> cache;
    private final long limitBytes;
    private final int chunksATable;
    private final long chunkRows;
    private final long mostRows;
    /// A table is what a file was when it was opened: one that has changed since is another object.
    private final Map<Table, Long> numbers = new WeakHashMap<>(); // guarded by this
    private final Map<Table, List<Chunk>> chunks = new WeakHashMap<>(); // guarded by this
    private long lastNumber; // guarded by this

    /// A chunk of a column on the device.
    public static final class Resident implements AutoCloseable {
        private final ColumnForm form;
        private final DeviceColumn column;
        private final DeviceMemory data;
        private final DeviceMemory valid; // or null
        private final List<DeviceMemory> texts;

        /// @param texts what the records in `data` point to
        public Resident(
                ColumnForm form, DeviceColumn column, DeviceMemory data, DeviceMemory valid, List<DeviceMemory> texts) {
            this.form = form;
            this.column = column;
            this.data = data;
            this.valid = valid;
            this.texts = List.copyOf(texts);
        }

        public DeviceColumn column() {
            return column;
        }

        ColumnForm form() {
            return form;
        }

        public long bytes() {
            return data.byteSize()
                    + (valid == null ? 0 : valid.byteSize())
                    + texts.stream().mapToLong(DeviceMemory::byteSize).sum();
        }

        @Override
        public void close() {
            data.close();
            if (valid != null) {
                valid.close();
            }
            texts.forEach(DeviceMemory::close);
        }
    }

    /// @param limitBytes of what is kept between queries
    /// @param chunksATable at least, of a large one: one a worker, so that all have some to bring
    /// @param chunkRows at least, of a chunk that is not all of a table
    public ResidentColumns(Backend backend, long limitBytes, int chunksATable, long chunkRows) {
        this.chunksATable = chunksATable;
        this.chunkRows = chunkRows;
        long passing = chunksATable * Chunk.MOST_ROWS * PASSING_ROW_BYTES;
        this.mostRows =
                Math.max(chunkRows, passing <= limitBytes / PASSING_SHARE ? Chunk.MOST_ROWS : Chunk.MODEST_ROWS);
        this.backend = backend;
        this.limitBytes = limitBytes;
        this.cache = new ColumnCache<>(limitBytes);
    }

    /// @param batches of the piece
    private ColumnUnit unit(Table table, int column, int firstBatch, int batches, ColumnForm form) {
        return new ColumnUnit("table " + number(table), 0, column, firstBatch, batches, form.text());
    }

    /// A table's number, which no other has.
    public synchronized long number(Table table) {
        return numbers.computeIfAbsent(table, _ -> ++lastNumber);
    }

    /// A table of a build side, if it is there; otherwise null.
    ///
    /// - Memory: it stays until the pin is closed.
    ///
    /// @param name which of its tables
    public ColumnCache<Resident>.Pin findTable(long build, String name) {
        return cache.find(tableUnit(build, name));
    }

    /// Takes over one that was not there.
    public ColumnCache<Resident>.Pin keepTable(long build, String name, Resident made) {
        long bytes = made.bytes();
        return cache.offer(tableUnit(build, name), made, bytes, bytes, SECONDS_A_TABLE + bytes * SECONDS_A_BYTE);
    }

    private static ColumnUnit tableUnit(long build, String name) {
        return new ColumnUnit("build " + build, 0, 0, 0, 0, name);
    }

    /// Bytes of a table's column that are there, over all batches.
    public long residentBytes(Table table, int column, ColumnForm form) {
        return cache.bytesOfColumn(unit(table, column, 0, 0, form));
    }

    /// Bytes of what is kept between queries, at most.
    public long limitBytes() {
        return limitBytes;
    }

    /// The pieces that a table's columns are kept in.
    public synchronized List<Chunk> chunks(Table table) {
        return chunks.computeIfAbsent(table, of -> List.copyOf(Chunk.of(of, chunksATable, chunkRows, mostRows)));
    }

    /// Whether a chunk of a column is there in that form now; it may be gone when it is looked for.
    public boolean holds(Table table, int column, Chunk chunk, ColumnForm form) {
        return cache.holds(unit(table, column, chunk.first(), chunk.end() - chunk.first(), form));
    }

    /// A chunk of a column if it is there in that form; otherwise null.
    ///
    /// - Memory: it stays until the pin is closed.
    public ColumnCache<Resident>.Pin find(Table table, int column, Chunk chunk, ColumnForm form) {
        return cache.find(unit(table, column, chunk.first(), chunk.end() - chunk.first(), form));
    }

    /// Takes over one that was not there.
    public ColumnCache<Resident>.Pin keep(Table table, int column, Chunk chunk, Resident made) {
        ColumnUnit unit = unit(table, column, chunk.first(), chunk.end() - chunk.first(), made.form());
        return keep(table, unit, made, chunk.rows());
    }

    private ColumnCache<Resident>.Pin keep(Table table, ColumnUnit unit, Resident made, int rows) {
        long bytes = made.bytes();
        long tableRows = table.stats().rowCount();
        double likely = made.form().physical() == Physical.TEXT
                ? (double) bytes * tableRows / Math.max(1, rows)
                : made.form().bytes(tableRows);
        long ofColumn = Math.max(bytes, (long) likely);
        return cache.offer(unit, made, bytes, ofColumn, bytes * SECONDS_A_BYTE);
    }

    /// Memory; columns that are not in use make room where need be.
    ///
    /// - Errors: [DeviceFault] where nothing is left to make room.
    public DeviceMemory allocate(long byteSize) {
        while (true) {
            try {
                return backend.allocate(byteSize);
            } catch (DeviceFault fault) {
                if (fault.kind() != DeviceFault.Kind.OUT_OF_MEMORY || !cache.evictOne()) {
                    throw fault;
                }
            }
        }
    }

    @Override
    public void close() {
        cache.close();
    }
}
