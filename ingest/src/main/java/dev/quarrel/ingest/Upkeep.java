package dev.quarrel.ingest;

import java.util.function.BooleanSupplier;

/// Merges small files, and drops old ones.
final class Upkeep {
    Upkeep(IngestConfig config, IngestCounts counts) {}

    void run(BooleanSupplier mustStop) {}
}
