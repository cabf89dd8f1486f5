package dev.quarrel.core.device;

import dev.quarrel.core.column.Batch;
import java.util.List;

/// A pipeline ready to run once on one device.
///
/// The scheduler calls `newState` once a worker, `run` for every morsel on any worker, then `finish` once.
public interface PreparedPipeline extends AutoCloseable {
    /// The work, in scan order: batches that statistics exclude are left out. Called once.
    List<Morsel> morsels();

    /// Further work that may begin only now that all given out so far has ended, or none; called once each time
    /// that all has, alone, until it is empty. The morsels' indexes go on from the last one's.
    default List<Morsel> moreMorsels() {
        return List.of();
    }

    /// An empty sink state for one worker.
    SinkState newState();

    /// Runs one morsel into the worker's state: all of it, or it throws and the state counts as lost.
    ///
    /// - Errors: `QueryException` of a row that fails; of the budget; of a file that is cut short or corrupt.
    void run(Morsel morsel, SinkState state);

    /// Takes rows that another device made of a morsel, in place of `run`: outputs of the last program, in the source's
    /// order. Such rows come in one batch or several; the morsel's rows may also be split between this and `run`.
    ///
    /// - Memory: takes the batch over.
    /// - Errors: as `run`.
    ///
    /// @param morsel its index orders it among the source's rows; it need not be one that this pipeline gave out
    default void transferRows(Morsel morsel, Batch rows, SinkState state) {
        rows.close();
        throw new UnsupportedOperationException("rows of another device");
    }

    /// What the first key of a row must reach to be among the first rows of a [dev.quarrel.core.ir.Sink.Sort] with a
    /// limit, as far as it is known now; otherwise null.
    default SortBound sortBound() {
        return null;
    }

    /// Whether statistics say that no row of a batch can be among those first rows.
    ///
    /// @param morsel as `transferRows` would be given it
    default boolean rulesOut(Morsel morsel) {
        return false;
    }

    /// Whether further morsels cannot change the answer; asked under a lock, so it must be quick. (LIMIT of a
    /// [dev.quarrel.core.ir.Sink.Result] is the result channel's business, across devices.)
    boolean isSatisfied();

    /// Begins a round of merging: called alone, first when no further morsel runs, then again when all parts of the
    /// round before are done, until it answers 0. It may cut the work into parts that workers do at the same time.
    ///
    /// @param round 0 for the first
    /// @param states those of all workers that ran a morsel; none for a pipeline without morsels
    /// @return how often `merge` is to be called in this round; 0 ends the merging
    default int mergeParts(int round, List<SinkState> states) {
        return 0;
    }

    /// Does one part of a round, at the same time as the round's other parts.
    ///
    /// @param part 0 to the round's `mergeParts` - 1
    default void merge(int round, int part, List<SinkState> states) {}

    /// Merges the workers' states into what later pipelines read; called once, alone, after all merge parts.
    ///
    /// - Memory: states are consumed: `finish` closes them, also when it fails. The result belongs to the query.
    ///
    /// @return null for a [dev.quarrel.core.ir.Sink.Result], whose rows have left already
    Materialized finish(List<SinkState> states);

    @Override
    void close();
}
