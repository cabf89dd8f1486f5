package dev.quarrel.core.cpu.sink;

import dev.quarrel.core.device.Materialized;

/// The end of a pipeline, when no row is left: rounds of parts that workers do at the same time, if it has any,
/// then the result.
///
/// - Threads: one at a time calls `beginRound` and `finish`; workers call `run` for the parts of one round at once.
/// - Memory: owns what the workers' sinks have kept, from its making on; `close` frees what `finish` has not
///   handed out.
public interface Ending extends AutoCloseable {
    /// Begins the next round that has work.
    ///
    /// @param round 0 for the first, then one more each time, until there is none
    /// @return its parts; 0 where no round is left, or where there is so little that `finish` does it as fast alone
    default int beginRound(int round) {
        return 0;
    }

    /// Does one part of the round.
    default void run(int part) {
        throw new IllegalStateException("no round has begun");
    }

    /// What later pipelines read; null where the rows have left already. Called once; does what is left of the rounds.
    Materialized finish();

    @Override
    void close();
}
