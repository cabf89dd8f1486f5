package dev.quarrel.export.files;

import dev.quarrel.core.arrow.WrittenFile;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.copy.FieldReader;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// The files of a table in folders: one in each, which all workers write. A folder is there from its first row on.
///
/// - Errors: `QueryException` 54000 for more than 10,000 folders.
public final class FolderFiles implements TableFiles {
    private static final int MAX_FOLDERS = 10_000;

    private final TableLayout layout;
    private final Opening opening;
    private final int workers;
    private final Map<ByteBuffer, Folder> folders = new ConcurrentHashMap<>();
    private final List<Arena> arenas = new ArrayList<>(); // guarded by this; of rows that are left over

    public FolderFiles(TableLayout layout, Opening opening, int workers) {
        this.layout = layout;
        this.opening = opening;
        this.workers = workers;
    }

    /// How large the batches of one folder become: they and the rows that they are made of have to fit.
    static long batchBytes(TableLayout layout) {
        return Math.max(1, Math.min(layout.batchBytes(), layout.memoryBytes() / 2));
    }

    @Override
    public FolderRows newRows() {
        return new FolderRows(this, layout);
    }

    /// The folder of a row.
    ///
    /// @param key the row's fields of the keys as COPY sends them, each with its length before it; kept
    Folder folder(byte[] key) {
        return folders.computeIfAbsent(ByteBuffer.wrap(key), _ -> {
            if (folders.size() >= MAX_FOLDERS) {
                throw new QueryException(
                                SqlState.PROGRAM_LIMIT_EXCEEDED,
                                "table " + layout.table().name() + " has more than " + MAX_FOLDERS + " partitions")
                        .withHint("partition by an expression of fewer values");
            }
            Map<String, String> keys = keys(key);
            return new Folder(keys, () -> opening.open(keys, layout.schema()));
        });
    }

    private Map<String, String> keys(byte[] key) {
        Map<String, String> keys = new LinkedHashMap<>();
        int at = 0;
        for (Field field : layout.table().keys().fields()) {
            int length = (int) FieldReader.INT32.get(key, at);
            at += Integer.BYTES;
            keys.put(field.name(), length < 0 ? null : text(key, at, length, field.name()));
            at += Math.max(0, length);
        }
        return keys;
    }

    private String text(byte[] bytes, int start, int length, String name) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, start, length))
                    .toString();
        } catch (CharacterCodingException _) {
            throw new QueryException(
                    SqlState.CHARACTER_NOT_IN_REPERTOIRE,
                    "key " + name + " of table " + layout.table().name() + " has a value that is not valid UTF-8");
        }
    }

    /// Memory for rows that are left over, until the table is finished.
    synchronized Arena newArena() {
        Arena arena = Arena.ofShared();
        arenas.add(arena);
        return arena;
    }

    @Override
    public List<Finished> finish(Cancellation cancellation) {
        List<Finished> finished = new ArrayList<>();
        Queue<Folder> unfinished = new ConcurrentLinkedQueue<>(folders.values());
        // Mostly they wait for the disk, each for its file.
        int threads = Math.max(1, Math.min(workers, folders.size()));
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Future<List<Finished>>> parts = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                parts.add(executor.submit(() -> finish(unfinished, cancellation)));
            }
            for (Future<List<Finished>> part : parts) {
                finished.addAll(result(part));
            }
        }
        closeArenas();
        return finished.isEmpty() ? List.of(empty()) : finished;
    }

    private List<Finished> finish(Queue<Folder> unfinished, Cancellation cancellation) {
        List<Finished> finished = new ArrayList<>();
        try (FolderBatches batches = new FolderBatches(layout, batchBytes(layout))) {
            for (Folder folder = unfinished.poll(); folder != null; folder = unfinished.poll()) {
                cancellation.check();
                WrittenFile file = folder.finish(batches);
                if (file != null) {
                    finished.add(new Finished(folder.keys(), file));
                }
            }
        } catch (Throwable failure) {
            unfinished.clear(); // the others may end, too
            throw failure;
        }
        return finished;
    }

    private static List<Finished> result(Future<List<Finished>> part) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return part.get();
                } catch (InterruptedException _) {
                    interrupted = true;
                } catch (ExecutionException failure) {
                    switch (failure.getCause()) {
                        case RuntimeException thrown -> throw thrown;
                        case Error thrown -> throw thrown;
                        default -> throw new IllegalStateException(failure.getCause());
                    }
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /// A file without rows, in no folder: the table is there all the same, with all its columns.
    private Finished empty() {
        List<Field> fields = new ArrayList<>(layout.schema().fields());
        fields.addAll(layout.table().keys().fields());
        Folder none = new Folder(Map.of(), () -> opening.open(Map.of(), new Schema(fields)));
        folders.put(ByteBuffer.allocate(0), none);
        return new Finished(Map.of(), none.finishEmpty());
    }

    private synchronized void closeArenas() {
        arenas.forEach(Arena::close);
        arenas.clear();
    }

    @Override
    public void close() {
        closeArenas();
        RuntimeException failure = null;
        for (Folder folder : folders.values()) {
            try {
                folder.close();
            } catch (RuntimeException e) {
                failure = failure == null ? e : failure; // of thousands, one tells enough
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
