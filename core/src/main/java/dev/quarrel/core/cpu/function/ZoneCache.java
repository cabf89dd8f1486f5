package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.pg.PgZone;
import java.time.ZoneId;
import java.util.Arrays;

/// The time zone that a kernel looked up last: most rows name the same one.
final class ZoneCache {
    private byte[] name = new byte[0];
    private PgZone zone;
    private ZoneId session;

    /// The session's zone, from the argument that the planner adds to a call.
    PgZone session(TextReader id) {
        if (zone == null || !isLast(id)) {
            zone = PgZone.of(id(id));
            keep(id);
        }
        return zone;
    }

    ZoneId id(TextReader id) {
        if (session == null) {
            session = ZoneId.of(id.string());
        }
        return session;
    }

    /// The zone that a statement names.
    ///
    /// - Errors: as [PgZone#named].
    PgZone named(TextReader text, TextReader sessionId) {
        if (zone == null || !isLast(text)) {
            zone = null;
            zone = PgZone.named(text.string(), id(sessionId));
            keep(text);
        }
        return zone;
    }

    /// The zone that `make_timestamptz` is told.
    ///
    /// - Errors: as [PgZone#ofNumberOrName].
    PgZone numberOrName(TextReader text, TextReader sessionId) {
        if (zone == null || !isLast(text)) {
            zone = null;
            zone = PgZone.ofNumberOrName(text.string(), id(sessionId));
            keep(text);
        }
        return zone;
    }

    private boolean isLast(TextReader text) {
        return Arrays.equals(name, 0, name.length, text.bytes, text.start, text.end());
    }

    private void keep(TextReader text) {
        name = Arrays.copyOfRange(text.bytes, text.start, text.end());
    }
}
