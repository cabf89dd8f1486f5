package dev.quarrel.cli.imports;

import dev.quarrel.core.arrow.NestedType;
import dev.quarrel.core.arrow.dataset.SourceFiles;
import dev.quarrel.core.arrow.dataset.rows.AlignedRows;
import dev.quarrel.core.arrow.dataset.rows.UnionByName;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.run.JoinedBatch;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The rows of several files of one format, whose columns match by name, with the keys of their paths. Rows of small
/// files are joined into batches.
public final class ImportedFiles implements ImportSource {
    private static final int ENOUGH_ROWS = 1 << 16;
    private static final int MAX_ROWS = 1 << 18;
    private static final long ENOUGH_BYTES = 32L << 20;

    private final SourceFiles files;
    private final ImportFormat format;
    private final Schema schema;
    private final Map<String, NestedType> nested;
    private final List<String> notes = new ArrayList<>();
    private int nextFile;
    private ImportSource source; // null between files
    private AlignedRows aligned;
    private Batch pending;

    private ImportedFiles(
            SourceFiles files, ImportFormat format, UnionByName columns, Set<String> known, ImportSource first) {
        this.files = files;
        this.format = format;
        this.schema = columns.schema(files.keys(), known);
        this.nested = columns.nested();
        if (first != null) {
            begin(first);
        }
    }

    /// - Errors: `QueryException` 42804 where the types of two files do not go together, and what is wrong with a file.
    ///
    /// @param files at least one
    /// @param known columns of the table that gets the rows
    public static ImportSource open(SourceFiles files, ImportFormat format, Set<String> known) throws IOException {
        UnionByName columns = new UnionByName();
        ImportSource only = null;
        boolean isOpen = false;
        try {
            for (SourceFiles.SourceFile file : files.files()) {
                ImportSource source = format.open(file.path());
                try {
                    columns.add(file.path(), source.schema(), source.nested(), source.untyped());
                } finally {
                    if (files.files().size() > 1) {
                        source.close();
                    } else {
                        only = source;
                    }
                }
            }
            ImportedFiles opened = new ImportedFiles(files, format, columns, known, only);
            isOpen = true;
            return opened;
        } finally {
            if (!isOpen && only != null) {
                only.close();
            }
        }
    }

    private void begin(ImportSource opened) {
        source = opened;
        Map<String, Object> constants = files.files().get(nextFile++).values(schema.fields());
        aligned = new AlignedRows(schema, nested, opened.schema(), opened.untyped(), constants);
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public Map<String, NestedType> nested() {
        return nested;
    }

    @Override
    public Batch next() throws IOException {
        try (JoinedBatch rows = new JoinedBatch(schema)) {
            while (rows.rowCount() < ENOUGH_ROWS && rows.byteCount() < ENOUGH_BYTES) {
                Batch batch = pending == null ? nextOfFiles() : pending;
                pending = null;
                if (batch == null) {
                    break;
                }
                if (!rows.isEmpty() && (rows.rowCount() + batch.rowCount() > MAX_ROWS || !nested.isEmpty())) {
                    pending = batch;
                    break;
                }
                rows.add(batch, ENOUGH_ROWS);
            }
            return rows.take();
        }
    }

    private Batch nextOfFiles() throws IOException {
        while (source != null || nextFile < files.files().size()) {
            if (source == null) {
                begin(format.open(files.files().get(nextFile).path()));
            }
            Batch batch = source.next();
            if (batch != null) {
                return aligned.of(batch);
            }
            notes.addAll(source.notes());
            source.close();
            source = null;
        }
        return null;
    }

    @Override
    public List<String> notes() {
        return List.copyOf(notes);
    }

    @Override
    public void close() throws IOException {
        if (pending != null) {
            pending.close();
            pending = null;
        }
        if (source != null) {
            source.close();
            source = null;
        }
    }
}
