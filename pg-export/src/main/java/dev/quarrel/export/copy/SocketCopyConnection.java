package dev.quarrel.export.copy;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/// A COPY connection that speaks PostgreSQL's protocol itself, as far as COPY needs it: simple statements, and
/// rows that are read where they lie in one large buffer.
///
/// - Memory: the buffer, of 256 KiB, or of the largest message so far; a message's length is believed only as far as
///   its bytes come.
/// - Errors: [SQLException] with the server's SQLSTATE; 08006 when the connection is lost, 08P01 for what is no such
///   protocol. After one of these two the connection can only be closed.
/// - Source: PostgreSQL documentation, "Message Formats", "COPY Operations".
public final class SocketCopyConnection implements CopyConnection {
    private static final int BUFFER_BYTES = 1 << 18;
    private static final int HEADER_BYTES = 5;

    // A message of the server: a type, and a length that counts itself.
    private static final int MIN_LENGTH = 4;
    private static final int MAX_LENGTH = (1 << 30) + MIN_LENGTH;

    private static final int CLOSING_MILLIS = 1000;

    /// PostgreSQL sends 8 KiB at a time, and to take them so costs both sides a switch each time. So what a slower
    /// server sends is let gather for a moment, in the system's buffer.
    private static final int GATHERED_BYTES = 1 << 16;

    private static final long GATHERING_NANOS = 500_000;
    private static final int UNPAUSED_READS = 16;
    private static final int RECEIVE_BYTES = 4 << 20;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final boolean gathers;
    private int lastRead = GATHERED_BYTES;
    private int unpaused; // so many reads go without a pause
    private boolean isCopying;
    private byte[] buffer = new byte[BUFFER_BYTES];
    private int position; // of the next message
    private int limit; // of what has been read
    private boolean broken;

    // The message that `next` stopped at.
    private char type;
    private int start;
    private int end;

    /// @param gathers whether a read may take all that has come
    SocketCopyConnection(Socket socket, boolean gathers) throws IOException {
        this.socket = socket;
        this.gathers = gathers;
        this.in = socket.getInputStream();
        this.out = socket.getOutputStream();
    }

    /// @return null where the server asks for something that is not known here
    static SocketCopyConnection open(CopyTarget target) throws SQLException {
        Socket socket = null;
        SocketCopyConnection connection = null;
        try {
            socket = target.isUnix() ? new UnixSocket(CopyTarget.socket(target.host(), target.port())) : new Socket();
            socket.setTcpNoDelay(true);
            socket.setKeepAlive(Boolean.parseBoolean(target.property("tcpKeepAlive", "true")));
            // The server fills it while a batch is being written.
            socket.setReceiveBufferSize(RECEIVE_BYTES);
            int millis = Math.multiplyExact(target.connectSeconds(), 1000);
            socket.connect(target.isUnix() ? null : new InetSocketAddress(target.host(), target.port()), millis);
            socket.setSoTimeout(millis);
            Socket secured = SocketEncryption.negotiate(socket, target);
            if (secured == null) {
                return null;
            }
            // TLS hands over a record at a time.
            SocketCopyConnection fresh = new SocketCopyConnection(secured, secured == socket);
            if (new SocketLogin(fresh, target).run()) {
                // From here on the server may take its time.
                socket.setSoTimeout(0);
                connection = fresh;
            }
            return connection;
        } catch (IOException failure) {
            throw lost(failure);
        } finally {
            if (connection == null) {
                closeQuietly(socket);
            }
        }
    }

    private static void closeQuietly(Socket socket) {
        if (socket == null) {
            return;
        }
        try {
            socket.close();
        } catch (IOException _) {
            // There is nothing to lose.
        }
    }

    static SQLException lost(IOException failure) {
        String what = failure instanceof EOFException ? "the server closed the connection" : failure.getMessage();
        return new SQLException(what == null ? failure.toString() : what, "08006", failure);
    }

    private SQLException violated(String what) {
        broken = true;
        return new SQLException("the server does not speak PostgreSQL's protocol: " + what, "08P01");
    }

    @Override
    public void execute(String sql) throws SQLException {
        try {
            send('Q', sql.getBytes(StandardCharsets.UTF_8), true);
            SQLException failure = null;
            for (next(); type != 'Z'; next()) {
                switch (type) {
                    case 'E' -> failure = serverError();
                    // Whatever rows the statement has are of no interest.
                    case 'C', 'D', 'I', 'T' -> {}
                    default -> throw violated("message " + type + " after a statement");
                }
            }
            if (failure != null) {
                throw failure;
            }
        } catch (IOException failure) {
            throw lostHere(failure);
        }
    }

    @Override
    public void startCopy(String sql) throws SQLException {
        try {
            send('Q', sql.getBytes(StandardCharsets.UTF_8), true);
            next();
            switch (type) {
                case 'H' -> {
                    isCopying = true;
                    lastRead = GATHERED_BYTES; // a small table's rows may all have come
                }
                case 'E' -> throw failedStatement();
                default -> throw violated("message " + type + " instead of a COPY's begin");
            }
        } catch (IOException failure) {
            throw lostHere(failure);
        }
    }

    @Override
    public boolean read(CopyFrames frames) throws SQLException {
        try {
            while (true) {
                frames.clear(buffer);
                gather(frames);
                if (frames.count() > 0) {
                    return true;
                }
                next();
                switch (type) {
                    case 'd' -> {
                        frames.clear(buffer);
                        frames.add(start, end);
                        gather(frames);
                        return true;
                    }
                    case 'c' -> isCopying = false;
                    case 'C' -> {
                        next();
                        if (type != 'Z') {
                            throw violated("message " + type + " after a COPY");
                        }
                        return false;
                    }
                    case 'E' -> throw failedStatement();
                    default -> throw violated("message " + type + " in a COPY");
                }
            }
        } catch (IOException failure) {
            throw lostHere(failure);
        }
    }

    /// Takes the messages of data that are in the buffer as a whole.
    private void gather(CopyFrames frames) throws SQLException {
        int at = position;
        while (limit - at >= HEADER_BYTES && buffer[at] == 'd' && !frames.isFull()) {
            int length = (int) FieldReader.INT32.get(buffer, at + 1);
            if (length > limit - at - 1) {
                break;
            }
            if (length < MIN_LENGTH) {
                throw violated("a length of " + length);
            }
            frames.add(at + HEADER_BYTES, at + 1 + length);
            at += 1 + length;
        }
        position = at;
    }

    private SQLException failedStatement() throws IOException, SQLException {
        isCopying = false;
        SQLException failure = serverError();
        for (next(); type != 'Z'; next()) {
            if (type == 'E') {
                break; // a server that goes down says so, and no more
            }
        }
        return failure;
    }

    private SQLException serverError() {
        return new PSQLException(
                new ServerErrorMessage(new String(buffer, start, end - start, StandardCharsets.UTF_8)));
    }

    private SQLException lostHere(IOException failure) {
        broken = true;
        return lost(failure);
    }

    void send(char messageType, byte[] text, boolean terminated) throws IOException {
        int length = MIN_LENGTH + text.length + (terminated ? 1 : 0);
        byte[] message = new byte[1 + length];
        message[0] = (byte) messageType;
        FieldReader.INT32.set(message, 1, length);
        System.arraycopy(text, 0, message, HEADER_BYTES, text.length);
        out.write(message);
        out.flush();
    }

    void sendRaw(byte[] message) throws IOException {
        out.write(message);
        out.flush();
    }

    /// Reads on to the next message that is not by the way.
    ///
    /// @return its type; `contents` has the rest
    char next() throws IOException, SQLException {
        do {
            require(HEADER_BYTES);
            type = (char) (buffer[position] & 0xFF);
            int length = (int) FieldReader.INT32.get(buffer, position + 1);
            if (length < MIN_LENGTH || length > MAX_LENGTH) {
                throw violated("a length of " + length);
            }
            require(1 + length);
            start = position + HEADER_BYTES;
            end = position + 1 + length;
            position = end;
            // Notices, changed parameters and notifications may come at any time.
        } while (type == 'N' || type == 'S' || type == 'A');
        return type;
    }

    byte[] contents() {
        return Arrays.copyOfRange(buffer, start, end);
    }

    SQLException error() {
        return serverError();
    }

    /// Reads until `count` bytes from `position` on are here.
    private void require(int count) throws IOException {
        while (limit - position < count) {
            if (position > 0) {
                System.arraycopy(buffer, position, buffer, 0, limit - position);
                limit -= position;
                position = 0;
            }
            if (limit == buffer.length) {
                // Twice as large, whatever the message says of its length: what it says need not come.
                buffer = Arrays.copyOf(buffer, (int) Math.min(2L * buffer.length, 1L + MAX_LENGTH));
            }
            boolean paused = false;
            if (gathers && isCopying && lastRead < GATHERED_BYTES) {
                paused = unpaused-- <= 0;
                if (paused) {
                    LockSupport.parkNanos(GATHERING_NANOS);
                }
            }
            int read = in.read(buffer, limit, buffer.length - limit);
            if (read < 0) {
                throw new EOFException();
            }
            if (paused) {
                // Nothing gathers where the system's buffers are small, or the server is slower still.
                unpaused = read > lastRead ? 0 : UNPAUSED_READS;
            }
            lastRead = read;
            limit += read;
        }
    }

    @Override
    public void abort() {
        closeQuietly(socket);
    }

    @Override
    public void close() {
        if (!broken && !socket.isClosed()) {
            try {
                socket.setSoTimeout(CLOSING_MILLIS);
                sendRaw(new byte[] {'X', 0, 0, 0, MIN_LENGTH});
            } catch (IOException _) {
                // The server sees that it is alone.
            }
        }
        closeQuietly(socket);
    }
}
