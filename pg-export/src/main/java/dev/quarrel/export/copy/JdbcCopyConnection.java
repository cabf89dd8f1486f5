package dev.quarrel.export.copy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyOut;

/// A COPY connection by pgjdbc, which knows every way to connect, but makes an array of each row.
public final class JdbcCopyConnection implements CopyConnection {
    private final Connection connection;
    private CopyOut copy;

    /// - Memory: owns `connection`.
    public JdbcCopyConnection(Connection connection) {
        this.connection = connection;
    }

    @Override
    public void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void startCopy(String sql) throws SQLException {
        copy = connection.unwrap(PGConnection.class).getCopyAPI().copyOut(sql);
    }

    @Override
    public boolean read(CopyFrames frames) throws SQLException {
        byte[] message = copy.readFromCopy();
        if (message == null) {
            return false;
        }
        frames.clear(message);
        frames.add(0, message.length);
        return true;
    }

    @Override
    public void abort() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException _) {
            // It is cut off already.
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
