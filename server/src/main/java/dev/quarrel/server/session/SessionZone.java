package dev.quarrel.server.session;

import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.pg.ZoneNames;
import java.time.ZoneId;
import java.time.ZoneOffset;

/// The zone that timestamps with time zone are shown in.
final class SessionZone {
    private SessionZone() {}

    /// UTC where the setting is missing; the engine refuses a zone that Java does not know.
    static ZoneId of(SqlSession session) {
        String name = session.setting("TimeZone");
        ZoneId zone = name == null ? null : ZoneNames.ofSetting(name);
        return zone == null ? ZoneOffset.UTC : zone;
    }
}
