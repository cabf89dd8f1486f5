package dev.quarrel.core.budget;

/// A thread that several queries share.
public interface Yielding {
    /// Lets other queries go first, if the thread has been asked to. Called by the thread itself, with no lock held.
    void checkpoint();
}
