package dev.quarrel.export.config;

import java.util.List;

/// The rules by which PostgreSQL turns values into others before it sends them.
///
/// @param casts columns and the types that they are cast to: `column=type`, the column by one to three parts
/// @param intervals what intervals become
/// @param numericByValues whether numerics without precision become decimals that hold what values they have, where
///     those fit into 38 digits; the table is looked at once for that
public record ValueRules(List<String> casts, Intervals intervals, boolean numericByValues) {
    public static final ValueRules DEFAULT = new ValueRules(List.of(), Intervals.KEEP, false);

    /// What becomes of intervals.
    public enum Intervals {
        /// Arrow's month_day_nano, which keeps all, and which not every reader knows.
        KEEP,
        /// PostgreSQL's text.
        TEXT,
        /// Their length in microseconds, a bigint: of a month 30 days, of a year 365.25, as `extract(epoch …)` has it.
        MICROSECONDS
    }

    public ValueRules {
        casts = List.copyOf(casts);
    }
}
