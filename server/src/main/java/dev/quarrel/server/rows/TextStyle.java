package dev.quarrel.server.rows;

import dev.quarrel.core.pg.IntervalStyle;
import java.time.ZoneId;

/// The style of a value's text: all that the text depends on besides the value.
///
/// @param zone the session's TimeZone, for timestamps with time zone
/// @param escapesBytes whether `bytea_output` is escape, not hex
/// @param intervals the setting IntervalStyle
/// @param floatDigits the setting `extra_float_digits`
public record TextStyle(ZoneId zone, boolean escapesBytes, IntervalStyle intervals, int floatDigits) {
    /// Bytes in hex, intervals as PostgreSQL shows them by default.
    public static TextStyle in(ZoneId zone) {
        return new TextStyle(zone, false, IntervalStyle.POSTGRES, 1);
    }

    /// Whether values look as programs write them: zones in UTC, bytes in hex, IntervalStyle postgres.
    boolean isDefault() {
        return !escapesBytes
                && floatDigits > 0
                && intervals == IntervalStyle.POSTGRES
                && ColumnEncoder.ZonedText.isUtc(zone.getRules());
    }
}
