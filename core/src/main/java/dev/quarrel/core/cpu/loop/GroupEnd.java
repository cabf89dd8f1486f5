package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.device.Materialized;

/// The end of an aggregation all of whose groups stand in the workers' own tables: parts of them become rows on all
/// workers at once.
public sealed interface GroupEnd extends AutoCloseable permits DenseGroups, ClusteredGroups {
    int parts();

    void merge(int part);

    /// The groups, after all parts.
    Materialized finish();

    @Override
    void close();
}
