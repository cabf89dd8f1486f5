package dev.quarrel.export.files;

import dev.quarrel.export.copy.CopyBinaryReader;
import dev.quarrel.export.copy.CopyFrames;
import dev.quarrel.export.snapshot.RowRange;

/// The rows of one table that one worker has read and not written yet.
///
/// - Memory: owns them. One thread at a time.
public sealed interface UnwrittenRows extends AutoCloseable permits FileRows, FolderRows, KeyFiles.KeyRows {
    /// Says which rows come next: those of `range` from its `row` on, counted from 0.
    void beginAt(RowRange range, long row);

    /// Takes the rows of some messages.
    ///
    /// @return their number
    int accept(CopyBinaryReader reader, CopyFrames frames);

    /// Writes rows when they are many enough, or too many to keep.
    ///
    /// @return whether it did
    boolean offer();

    /// Remembers the rows there are, for `rewind`.
    void mark();

    /// Forgets the rows since `mark`. None of them has been written.
    void rewind();

    /// Hands the rows over to the table's files: this worker reads no more of the table. Closes this.
    ///
    /// @param isLast whether it reads no other table either
    void leave(boolean isLast);

    @Override
    void close();
}
