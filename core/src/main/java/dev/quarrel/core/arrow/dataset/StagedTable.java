package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.WrittenFile;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.List;

/// Rows that a statement writes, in files of their own, which are part of nothing until a change of a
/// [DatasetTransaction] takes them.
///
/// - Threads: one.
public final class StagedTable {
    private final StagedFolder folder;
    private final List<WrittenFile> files = new ArrayList<>();

    StagedTable(StagedFolder folder) {
        this.folder = folder;
    }

    /// What writes the rows.
    ///
    /// @param options without dictionaries
    public TableLoad load(Schema schema, WriteOptions options) {
        return new TableLoad(new OfFolder(), schema, options);
    }

    private final class OfFolder implements TableLoad.Target {
        @Override
        public ArrowFileWriter create(Schema schema, WriteOptions options) {
            return ArrowFileWriter.create(folder.next(), schema, options);
        }

        @Override
        public void add(WrittenFile file) {
            files.add(file);
        }

        @Override
        public void finish() {
            // They are part of nothing yet.
        }
    }

    /// Those that are finished.
    List<WrittenFile> files() {
        return List.copyOf(files);
    }
}
