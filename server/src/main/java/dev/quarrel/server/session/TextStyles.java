package dev.quarrel.server.session;

import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.pg.IntervalStyle;
import dev.quarrel.server.rows.TextStyle;

/// The style of texts that a session's settings say.
final class TextStyles {
    private TextStyles() {}

    static TextStyle of(SqlSession sql) {
        return new TextStyle(
                SessionZone.of(sql),
                "escape".equals(sql.setting("bytea_output")),
                IntervalStyle.of(sql.setting("IntervalStyle")),
                Integer.parseInt(sql.setting("extra_float_digits")));
    }
}
