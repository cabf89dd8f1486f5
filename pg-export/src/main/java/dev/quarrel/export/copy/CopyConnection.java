package dev.quarrel.export.copy;

import java.sql.SQLException;

/// A connection that runs statements without a result and reads COPY streams; nothing else.
///
/// - Threads: one, but for `abort`.
/// - Errors: [SQLException] with the server's SQLSTATE; 08006 and the like where the connection is lost.
public sealed interface CopyConnection extends AutoCloseable permits JdbcCopyConnection, SocketCopyConnection {
    void execute(String sql) throws SQLException;

    /// Starts a `COPY … TO STDOUT`. It is to be read to its end, or the connection given up.
    void startCopy(String sql) throws SQLException;

    /// Reads on until there is at least one message.
    ///
    /// @return false at the end of the stream; the connection takes the next statement then
    boolean read(CopyFrames frames) throws SQLException;

    /// Cuts the connection off: whoever waits for it fails. Any thread.
    void abort();

    @Override
    void close() throws SQLException;
}
