package dev.quarrel.server.session;

import dev.quarrel.calcite.Notice;
import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import java.util.List;

/// What a [DirectSession] answers to a statement.
///
/// @param columns empty for a statement without rows
/// @param rows the first ones, as PostgreSQL's text, null for NULL
/// @param isCut whether there are more rows than these, or longer texts
/// @param tag CommandComplete's text
/// @param devices that ran it; empty for none
public record DirectRows(
        List<ResultColumn> columns,
        List<String[]> rows,
        boolean isCut,
        String tag,
        String devices,
        long nanos,
        List<Notice> notices) {
    /// How much is answered.
    ///
    /// @param bytes of all texts together
    /// @param chars of one text
    /// @param millis of time; the session's statement_timeout counts where it is shorter
    public record Bounds(int rows, long bytes, int chars, long millis) {}
}
