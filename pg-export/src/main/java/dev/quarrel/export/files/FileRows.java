package dev.quarrel.export.files;

import dev.quarrel.export.copy.CopyBinaryReader;
import dev.quarrel.export.copy.CopyFrames;
import dev.quarrel.export.snapshot.RowRange;

/// The rows on their way into the files of a table without folders: a batch that grows.
public final class FileRows implements UnwrittenRows {
    private final OneFile file;
    private final BatchBuilder builder;
    private int markedRows;

    /// - Memory: owns `builder`.
    FileRows(OneFile file, BatchBuilder builder) {
        this.file = file;
        this.builder = builder;
    }

    public BatchBuilder builder() {
        return builder;
    }

    @Override
    public void beginAt(RowRange range, long row) {
        builder.beginAt(BatchBuilder.sequence(range, row));
    }

    @Override
    public int accept(CopyBinaryReader reader, CopyFrames frames) {
        int rows = reader.accept(frames, builder.writers());
        builder.foresee();
        return rows;
    }

    @Override
    public boolean offer() {
        if (!builder.isFull()) {
            return false;
        }
        file.write(builder);
        return true;
    }

    @Override
    public void mark() {
        markedRows = builder.rowCount();
    }

    @Override
    public void rewind() {
        builder.truncate(markedRows);
    }

    @Override
    public void leave(boolean isLast) {
        file.leave(builder);
    }

    @Override
    public void close() {
        builder.close();
    }
}
