package dev.quarrel.core.cpu.sink;

import java.util.List;

/// The content that the sinks of one pipeline have put into temporary files.
///
/// Threads share it: workers spill at the same time.
public interface SinkSpill extends Ending {
    /// Whether a worker's sink should be emptied now.
    boolean isDue(TileSink sink);

    /// Writes the whole content of a sink, and leaves it empty.
    void spill(TileSink sink);

    /// Decides, when all rows have come, whether the rest goes to files too: it must if anything did, or if finishing
    /// in memory would take more than there is. Called once, alone.
    ///
    /// @return whether this is to end the pipeline
    boolean takesOver(List<TileSink> sinks);

    /// Deletes the files; what `finish` has handed out stays.
    @Override
    void close();
}
