package dev.quarrel.core.event;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/// The event of a client's statement; the duration is that of running it and of sending its rows. It has no text,
/// since literals can be personal data: `query` is the number that `pg_stat_activity` and the log have too.
@Name("dev.quarrel.StatementFinished")
@Label("Statement finished")
@Category("Quarrel")
@Description("A statement of a client has ended")
@StackTrace(false)
public final class StatementFinished extends Event {
    @Label("Statement")
    String name;

    @Label("Query id")
    long query;

    @Label("Session")
    int session;

    @Label("Rows")
    long rows;

    @Label("Bytes")
    @DataAmount
    long bytes;

    @Label("Devices")
    String devices;

    @Label("SQLSTATE")
    String state;

    /// Whether anybody records such events.
    public static boolean isOn() {
        return new StatementFinished().isEnabled();
    }

    /// Records the event begun with `begin`, if anybody records.
    ///
    /// @param kind such as `select`
    public void commit(
            String kind,
            long queryId,
            int sessionId,
            long rowCount,
            long byteCount,
            String onDevices,
            String sqlState) {
        name = kind;
        query = queryId;
        session = sessionId;
        rows = rowCount;
        bytes = byteCount;
        devices = onDevices;
        state = sqlState;
        commit();
    }
}
