package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.OwnedMemory;
import dev.quarrel.core.arrow.Storage;
import dev.quarrel.core.arrow.dataset.rows.DeletedRows;
import dev.quarrel.core.type.Schema;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/// The keys of a table's rows, as its files have them.
///
/// - Threads: batches are looked at by those of the common pool.
public final class StoredKeys {
    private final Path root;
    private final Manifest.TableEntry table;
    private final Schema columns;
    private Map<String, DeletedRows> deleted = new LinkedHashMap<>();

    /// @param columns those of the key
    public StoredKeys(Path root, Manifest.TableEntry table, List<String> columns) {
        this.root = root;
        this.table = table;
        Schema all = new Schema(table.fields());
        this.columns = new Schema(columns.stream()
                .map(name -> all.field(all.indexOf(name)).withNullable(true))
                .toList());
        table.files().forEach(file -> deleted.put(file.path(), file.deleted()));
    }

    public Schema columns() {
        return columns;
    }

    /// The columns that the newest file has in dictionaries. They are the whole table's only if all files have them so.
    public Set<String> codedColumns() {
        Set<String> coded = new HashSet<>();
        Manifest.FileEntry entry =
                table.files().isEmpty() ? null : table.files().getLast();
        if (entry != null) {
            try (ArrowFile file = ArrowFile.openRun(root.resolve(entry.path()), entry.bytes())) {
                for (int column = 0; column < file.schema().size(); column++) {
                    if (file.storage(column) instanceof Storage.Coded) {
                        coded.add(file.schema().field(column).name());
                    }
                }
            }
        }
        return coded;
    }

    /// All deleted rows so far, by the files' paths.
    public Map<String, DeletedRows> deleted() {
        return Map.copyOf(deleted);
    }

    /// The rows that are left.
    public long rowCount() {
        return count(file -> file.rows() - deleted.get(file.path()).count());
    }

    private long count(ToLongFunction<Manifest.FileEntry> rows) {
        return table.files().stream().mapToLong(rows).sum();
    }

    /// Deletes the rows whose keys are in a set, or those whose keys are not.
    ///
    /// - Nulls: 23502 for a NULL in a key where those are deleted that are not in the set; else they are in none.
    /// - Errors: `QueryException` for a file that cannot be read.
    ///
    /// @return how many they are
    public long delete(KeySet keys, boolean areMembers) {
        long before = rowCount();
        Map<String, DeletedRows> after = new LinkedHashMap<>();
        for (Manifest.FileEntry entry : table.files()) {
            DeletedRows known = deleted.get(entry.path());
            if (known.count() == entry.rows()) {
                after.put(entry.path(), known);
                continue;
            }
            try (ArrowFile file = ArrowFile.openRun(root.resolve(entry.path()), entry.bytes())) {
                long[] more = found(file, entry, known, keys, areMembers);
                after.put(entry.path(), more.length == 0 ? known : known.with(more, entry.rows()));
            }
        }
        deleted = after;
        return before - rowCount();
    }

    private long[] found(ArrowFile file, Manifest.FileEntry entry, DeletedRows known, KeySet keys, boolean areMembers) {
        TableFile.Part part = new TableFile.Part(
                file.path(), file, null, entry.keys(), TableOpener.statsOf(entry, file, table.fields()));
        KeyedFile keyed = new KeyedFile(part, table.name(), columns, known, entry.rows());
        return IntStream.range(0, keyed.batchCount())
                .parallel()
                .mapToObj(batch -> found(keyed, batch, keys, areMembers))
                .flatMapToLong(LongStream::of)
                .toArray();
    }

    private static long[] found(KeyedFile file, int batch, KeySet keys, boolean areMembers) {
        int[] rows;
        try (OwnedMemory memory = new OwnedMemory()) {
            int rowCount = file.batchRows(batch);
            rows = areMembers
                    ? file.members(batch, keys, memory).rows()
                    : keys.rows(keys.codes().of(file.columns(batch, memory), rowCount), rowCount, false);
        }
        long[] found = new long[rows.length];
        int count = 0;
        for (int row : rows) {
            if (!file.isDeleted(batch, row)) {
                found[count++] = file.row(batch, row);
            }
        }
        return Arrays.copyOf(found, count);
    }

    /// The keys of a file's rows, added to a set.
    ///
    /// @param path of a file that this run has written
    public static void addTo(KeySet keys, Path path, long bytes) {
        Schema wanted = keys.codes().columns();
        try (ArrowFile file = ArrowFile.openRun(path, bytes)) {
            KeyedFile keyed = new KeyedFile(
                    TableFile.Part.of(file, null), path.toString(), wanted, DeletedRows.NONE, file.rowCount());
            for (int batch = 0; batch < keyed.batchCount(); batch++) {
                try (OwnedMemory memory = new OwnedMemory()) {
                    keys.add(keyed.columns(batch, memory), keyed.batchRows(batch));
                }
            }
        }
    }
}
