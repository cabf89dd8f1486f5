package dev.quarrel.ingest.intake;

import dev.quarrel.core.type.QueryException;

/// What becomes of a chunk, told once, by a thread of the intake: it must be quick.
public interface Receipt {
    /// The chunk is on disk and its rows are seen by whoever asks from now on; or it had been before.
    ///
    /// @param rejected how many of its events their table does not take, and lie aside; 0 of a chunk that had been
    ///     there before
    void kept(long rejected);

    /// Nothing of it is kept: 53100 for a full disk, 23505 where its id is of other events, 57P01 at the end, 58030
    /// for a disk that fails.
    void refused(QueryException reason);
}
