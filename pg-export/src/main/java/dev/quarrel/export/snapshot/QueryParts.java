package dev.quarrel.export.snapshot;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.ExportConfig;
import java.util.ArrayList;
import java.util.List;

/// The statements that a query with macros stands for: together they give all of its rows.
///
/// | macro | stands for |
/// |---|---|
/// | `$(WORKER_ID)`, `$(N_WORKERS)` | the part's number, from 0, and how many there are: one a worker, or a key |
/// | `$(PARALLEL_KEY)` | one of the keys, as it was written |
///
/// That no row is in two parts, or in none, is the matter of who writes the query.
public final class QueryParts {
    private static final String WORKER_ID = "$(WORKER_ID)";
    private static final String N_WORKERS = "$(N_WORKERS)";
    private static final String PARALLEL_KEY = "$(PARALLEL_KEY)";

    private QueryParts() {}

    /// @param workers how many parts a query for each worker has
    /// - Errors: `QueryException` 22023 for macros by which rows would be lost or repeated.
    public static List<String> of(ExportConfig.Query query, int workers) {
        String sql = query.sql().strip();
        while (sql.endsWith(";")) {
            sql = sql.substring(0, sql.length() - 1).stripTrailing();
        }
        boolean hasKey = sql.contains(PARALLEL_KEY);
        if (hasKey == query.keys().isEmpty()) {
            throw wrong(
                    query,
                    hasKey
                            ? "has $(PARALLEL_KEY), and there are no keys"
                            : "has no $(PARALLEL_KEY), and each of the keys would export all rows");
        }
        List<String> parts = new ArrayList<>();
        if (hasKey) {
            for (int index = 0; index < query.keys().size(); index++) {
                parts.add(numbered(sql, index, query.keys().size())
                        .replace(PARALLEL_KEY, query.keys().get(index)));
            }
            return parts;
        }
        boolean hasWorker = sql.contains(WORKER_ID);
        if (hasWorker != sql.contains(N_WORKERS)) {
            throw wrong(query, "has one of $(WORKER_ID) and $(N_WORKERS), and needs both: each worker reads its part")
                    .withHint("for example: SELECT * FROM t WHERE id % $(N_WORKERS) = $(WORKER_ID)");
        }
        if (!hasWorker) {
            return List.of(sql);
        }
        for (int index = 0; index < workers; index++) {
            parts.add(numbered(sql, index, workers));
        }
        return parts;
    }

    private static String numbered(String sql, int index, int count) {
        return sql.replace(WORKER_ID, Integer.toString(index)).replace(N_WORKERS, Integer.toString(count));
    }

    private static QueryException wrong(ExportConfig.Query query, String why) {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, "the query of table " + query.name() + " " + why);
    }
}
