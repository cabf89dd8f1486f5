package dev.quarrel.export.files;

import dev.quarrel.core.arrow.dataset.KeySet;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.export.copy.CopyBinaryReader;
import dev.quarrel.export.copy.CopyFrames;
import dev.quarrel.export.snapshot.RowRange;
import java.util.List;
import java.util.Set;

/// No files at all: the rows that workers read are keys, which are only remembered.
public final class KeyFiles implements TableFiles {
    private static final long BATCH_BYTES = 1L << 20;

    private final TableLayout layout;
    private final KeySet keys;

    /// @param layout of a table whose columns are those of the key
    public KeyFiles(TableLayout layout, KeySet keys) {
        this.layout = layout;
        this.keys = keys;
    }

    @Override
    public UnwrittenRows newRows() {
        return new KeyRows(keys, new BatchBuilder(layout.schema(), Set.of(), BATCH_BYTES, layout.expectedRows()));
    }

    @Override
    public List<Finished> finish(Cancellation cancellation) {
        return List.of();
    }

    @Override
    public void close() {
        // The rows' owners close what they have.
    }

    /// The keys that one worker reads. To remember one twice does no harm, so that none must be forgotten.
    static final class KeyRows implements UnwrittenRows {
        private final KeySet keys;
        private final BatchBuilder builder;

        KeyRows(KeySet keys, BatchBuilder builder) {
            this.keys = keys;
            this.builder = builder;
        }

        @Override
        public void beginAt(RowRange range, long row) {
            // Their order means nothing.
        }

        @Override
        public int accept(CopyBinaryReader reader, CopyFrames frames) {
            int rows = reader.accept(frames, builder.writers());
            if (builder.isFull()) {
                remember();
            }
            return rows;
        }

        private void remember() {
            if (builder.rowCount() > 0) {
                try (Batch batch = builder.take()) {
                    keys.add(batch.columns(), batch.rowCount());
                }
            }
        }

        @Override
        public boolean offer() {
            return false;
        }

        @Override
        public void mark() {
            // As of beginAt.
        }

        @Override
        public void rewind() {
            // As of mark.
        }

        @Override
        public void leave(boolean isLast) {
            try (this) {
                remember();
            }
        }

        @Override
        public void close() {
            builder.close();
        }
    }
}
