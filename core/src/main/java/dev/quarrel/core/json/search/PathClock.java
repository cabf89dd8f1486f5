package dev.quarrel.core.json.search;

import dev.quarrel.core.pg.PgZone;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.time.ZoneId;

/// The session's time zone, and whether a search may convert dates and times by it: that is what the functions whose
/// names end in `_tz` do, JSON_VALUE, JSON_QUERY and JSON_EXISTS.
public record PathClock(ZoneId id, PgZone zone, boolean converts) {
    /// - Errors: 0A000 where it may not be used.
    void require(String from, String to) {
        if (!converts) {
            throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "cannot convert value from " + from + " to " + to + " without time zone usage")
                    .withHint("Use *_tz() function for time zone support.");
        }
    }
}
