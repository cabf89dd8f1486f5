package dev.quarrel.bench;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/// A client of PostgreSQL's protocol that does next to nothing: it sends prepared bytes and reads to ReadyForQuery. So
/// a server that shares this machine is measured, and not its client.
///
/// One thread at a time uses it.
final class WireClient implements AutoCloseable {
    private final Socket socket;
    private final OutputStream out;
    private final DataInputStream in;
    private static final int BUFFER_BYTES = 1 << 16;

    private byte[] body = new byte[BUFFER_BYTES];
    private long readBytes;
    private String tag = "";

    /// Logs in without a password.
    WireClient(int port, String user, String database) throws IOException {
        socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        out = socket.getOutputStream();
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES));
        ByteArrayOutputStream parameters = new ByteArrayOutputStream();
        for (String word : new String[] {"user", user, "database", database, ""}) {
            parameters.writeBytes(text(word));
        }
        ByteArrayOutputStream startup = new ByteArrayOutputStream();
        DataOutputStream data = new DataOutputStream(startup);
        data.writeInt(8 + parameters.size());
        data.writeInt(3 << 16);
        data.write(parameters.toByteArray());
        exchange(startup.toByteArray());
    }

    /// Query.
    static byte[] simple(String sql) {
        return message('Q', text(sql));
    }

    /// Parse and Sync.
    static byte[] prepare(String name, String sql) {
        return together(message('P', together(text(name), text(sql), new byte[2])), message('S'));
    }

    /// Bind, Describe, Execute and Sync for a statement without parameters, as pgbench sends them.
    static byte[] execute(String name) {
        return execute(name, new byte[2]);
    }

    /// The same, with all columns in binary.
    static byte[] executeBinary(String name) {
        return execute(name, new byte[] {0, 1, 0, 1});
    }

    /// @param formats of the result, as Bind has them
    private static byte[] execute(String name, byte[] formats) {
        return together(
                message('B', together(text(""), text(name), new byte[4], formats)),
                message('D', together(new byte[] {'P'}, text(""))),
                message('E', together(text(""), new byte[4])),
                message('S'));
    }

    private static byte[] text(String text) {
        return (text + '\0').getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] together(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static byte[] message(char type, byte... content) {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        try {
            DataOutputStream data = new DataOutputStream(message);
            data.writeByte(type);
            data.writeInt(4 + content.length);
            data.write(content);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return message.toByteArray();
    }

    /// Sends bytes and reads all that is answered, ReadyForQuery included.
    ///
    /// - Errors: [IOException] for an error that the server tells.
    ///
    /// @return rows
    int exchange(byte[] request) throws IOException {
        out.write(request);
        int rows = 0;
        while (true) {
            int type = in.readUnsignedByte();
            int bytes = in.readInt() - 4;
            if (bytes > body.length) {
                body = new byte[bytes];
            }
            in.readFully(body, 0, bytes);
            readBytes += 5 + bytes;
            switch (type) {
                case 'D' -> rows++;
                case 'C' -> tag = new String(body, 0, bytes - 1, StandardCharsets.UTF_8);
                case 'E' -> throw new IOException(new String(body, 0, bytes, StandardCharsets.UTF_8));
                case 'Z' -> {
                    return rows;
                }
                default -> {}
            }
        }
    }

    /// Bytes of all messages so far.
    long readBytes() {
        return readBytes;
    }

    /// The rows that the last command says it had.
    long taggedRows() {
        return Long.parseLong(tag.substring(tag.lastIndexOf(' ') + 1));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
