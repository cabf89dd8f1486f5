package dev.quarrel.calcite;

import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// The engine inside this process.
final class LocalEngine {
    private LocalEngine() {}

    static Engine open(Catalog catalog, EngineConfig config) {
        catalog.close();
        throw new QueryException(
                SqlState.FEATURE_NOT_SUPPORTED, "no engine over " + config.threads() + " threads is built yet");
    }
}
