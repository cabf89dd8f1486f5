package dev.quarrel.server.rows;

import java.time.ZoneId;

/// What the text of a value depends on besides the value.
///
/// @param zone the session's TimeZone, for timestamps with time zone
/// @param escapesBytes whether `bytea_output` is escape, not hex
public record TextStyle(ZoneId zone, boolean escapesBytes) {
    /// Bytes in hex.
    public static TextStyle in(ZoneId zone) {
        return new TextStyle(zone, false);
    }
}
