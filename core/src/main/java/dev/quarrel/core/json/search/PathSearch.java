package dev.quarrel.core.json.search;

import dev.quarrel.core.json.JsonValue;
import dev.quarrel.core.json.path.JsonPathExpression;
import dev.quarrel.core.json.path.LikePattern;
import dev.quarrel.core.regex.Regex;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Searches documents by a path.
///
/// - Errors: those of SQL/JSON, if they are not suppressed; 42704 for a missing variable; 0A000 for a conversion that
///   takes a time zone which may not be used.
/// - Threads: one uses it.
/// - Source: PostgreSQL's `jsonpath_exec.c`.
public final class PathSearch {
    private final JsonPathExpression path;
    private final Map<LikePattern, Regex> patterns = new HashMap<>();

    public PathSearch(JsonPathExpression path) {
        this.path = path;
    }

    /// What the path finds.
    ///
    /// @param isSilent whether errors end the search without a word
    public List<JsonValue> find(JsonValue document, PathVariables variables, PathClock clock, boolean isSilent) {
        return run(document, variables, clock).find(isSilent);
    }

    /// What the path finds; null where an error that may be suppressed ends the search.
    public List<JsonValue> findOrNull(JsonValue document, PathVariables variables, PathClock clock) {
        return run(document, variables, clock).findOrNull();
    }

    /// Whether the path finds anything; null where a suppressed error leaves that open.
    public Boolean exists(JsonValue document, PathVariables variables, PathClock clock, boolean isSilent) {
        return run(document, variables, clock).exists(isSilent);
    }

    private PathRun run(JsonValue document, PathVariables variables, PathClock clock) {
        return new PathRun(this, document, variables, clock);
    }

    JsonPathExpression path() {
        return path;
    }

    Regex regex(LikePattern pattern) {
        return patterns.computeIfAbsent(pattern, LikePattern::compile);
    }
}
