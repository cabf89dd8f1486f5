package dev.quarrel.tests;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A client that sends the protocol's messages as it is told, which drivers do not do: several statements in one text,
/// or before one Sync.
///
/// What is answered comes as a line a message: `C tag`, `E state`, `N state`, `D value|value`, `Z status`, and the
/// letter alone for what says nothing more. Left out are what tells of settings or describes rows, and that a
/// statement was
/// parsed and bound: it depends on who finds an error when.
final class RawClient implements Closeable {
    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;

    RawClient(int port, String user, String database) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(60_000);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
        byte[] startup =
                bytes(0x00, 0x03, 0x00, 0x00, text("user"), text(user), text("database"), text(database), text(""));
        out.writeInt(startup.length + 4);
        out.write(startup);
        answers();
    }

    /// A text of any number of statements.
    List<String> query(String text) throws IOException {
        send('Q', text(text));
        return answers();
    }

    /// Parse, Bind and Execute of each, then Sync.
    ///
    /// @param flushes whether each is asked for its answer before the next
    List<String> pipeline(List<String> statements, boolean flushes) throws IOException {
        for (String statement : statements) {
            send('P', text(""), text(statement), 0, 0);
            send('B', text(""), text(""), 0, 0, 0, 0, 0, 0);
            send('E', text(""), 0, 0, 0, 0);
            if (flushes) {
                send('H');
            }
        }
        send('S');
        return answers();
    }

    private static byte[] text(String text) {
        return (text + "\0").getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] bytes(Object... parts) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (Object part : parts) {
            if (part instanceof byte[] many) {
                bytes.write(many);
            } else {
                bytes.write((int) part);
            }
        }
        return bytes.toByteArray();
    }

    private void send(char type, Object... parts) throws IOException {
        byte[] body = bytes(parts);
        out.writeByte(type);
        out.writeInt(body.length + 4);
        out.write(body);
        if (type != 'P' && type != 'B') {
            out.flush();
        }
    }

    private List<String> answers() throws IOException {
        List<String> answers = new ArrayList<>();
        while (true) {
            int type = in.read();
            if (type < 0) {
                throw new EOFException("the server has gone, after " + answers);
            }
            byte[] body = new byte[in.readInt() - 4];
            in.readFully(body);
            switch (type) {
                case 'E', 'N' -> answers.add((char) type + " " + state(body));
                case 'C' -> answers.add("C " + new String(body, 0, body.length - 1, StandardCharsets.UTF_8));
                case 'D' -> answers.add("D " + row(body));
                case 'R', 'K', 'S', 'T', '1', '2' -> {}
                case 'Z' -> {
                    answers.add("Z " + (char) body[0]);
                    return answers;
                }
                default -> answers.add(Character.toString(type));
            }
        }
    }

    private static String state(byte[] body) {
        for (String field : new String(body, StandardCharsets.UTF_8).split("\0")) {
            if (field.startsWith("C")) {
                return field.substring(1);
            }
        }
        return "";
    }

    private static String row(byte[] body) throws IOException {
        DataInputStream values = new DataInputStream(new java.io.ByteArrayInputStream(body));
        List<String> texts = new ArrayList<>();
        for (int left = values.readShort(); left > 0; left--) {
            int length = values.readInt();
            texts.add(length < 0 ? "NULL" : new String(values.readNBytes(length), StandardCharsets.UTF_8));
        }
        return String.join("|", texts);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
