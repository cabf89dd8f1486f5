package dev.quarrel.core.pg;

import java.util.Locale;

/// The style in which intervals are shown: PostgreSQL's setting of that name.
public enum IntervalStyle {
    /// `1 year 2 mons -3 days +04:05:06.7`
    POSTGRES,
    /// `@ 1 year 2 mons -3 days 4 hours 5 mins 6.7 secs`
    POSTGRES_VERBOSE,
    /// `+1-2 -3 +4:05:06.7`
    SQL_STANDARD,
    /// `P1Y2M-3DT4H5M6.7S`
    ISO_8601;

    /// The style that the setting names; POSTGRES for null.
    public static IntervalStyle of(String setting) {
        return setting == null ? POSTGRES : valueOf(setting.toUpperCase(Locale.ROOT));
    }
}
