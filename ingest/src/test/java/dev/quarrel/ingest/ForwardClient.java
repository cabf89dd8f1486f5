package dev.quarrel.ingest;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.Value;

/// A sender of the forward protocol, by another implementation of MessagePack than ours.
final class ForwardClient implements AutoCloseable {
    private final Socket socket;
    private final MessageUnpacker in;

    ForwardClient(InetSocketAddress address) throws IOException {
        this(new Socket(address.getAddress(), address.getPort()));
    }

    ForwardClient(Socket socket) throws IOException {
        this.socket = socket;
        this.socket.setSoTimeout(20_000);
        InputStream stream = socket.getInputStream();
        this.in = MessagePack.newDefaultUnpacker(stream);
    }

    /// What writes one part of a message.
    interface Packing {
        void pack(MessageBufferPacker out) throws IOException;
    }

    static byte[] bytes(Packing packing) {
        try (MessageBufferPacker out = MessagePack.newDefaultBufferPacker()) {
            packing.pack(out);
            return out.toByteArray();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    static void eventTime(MessageBufferPacker out, long seconds, int nanos) throws IOException {
        out.packExtensionTypeHeader((byte) 0, 8);
        out.addPayload(java.nio.ByteBuffer.allocate(8)
                .putInt((int) seconds)
                .putInt(nanos)
                .array());
    }

    static void value(MessageBufferPacker out, Object value) throws IOException {
        switch (value) {
            case null -> out.packNil();
            case String text -> out.packString(text);
            case Integer number -> out.packInt(number);
            case Long number -> out.packLong(number);
            case Double number -> out.packDouble(number);
            case Float number -> out.packFloat(number);
            case Boolean bool -> out.packBoolean(bool);
            case java.math.BigInteger number -> out.packBigInteger(number);
            case byte[] data -> {
                out.packBinaryHeader(data.length);
                out.addPayload(data);
            }
            case Map<?, ?> map -> {
                out.packMapHeader(map.size());
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    value(out, entry.getKey());
                    value(out, entry.getValue());
                }
            }
            case java.util.List<?> list -> {
                out.packArrayHeader(list.size());
                for (Object each : list) {
                    value(out, each);
                }
            }
            case java.time.Instant time -> eventTime(out, time.getEpochSecond(), time.getNano());
            default -> throw new IllegalArgumentException(value.getClass().toString());
        }
    }

    /// `[time, record]`
    static byte[] event(Object time, Map<String, ?> record) {
        return bytes(out -> {
            out.packArrayHeader(2);
            value(out, time);
            value(out, record);
        });
    }

    static byte[] events(byte[]... events) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] event : events) {
            all.writeBytes(event);
        }
        return all.toByteArray();
    }

    static byte[] packed(String tag, byte[] events, Map<String, ?> options) {
        return bytes(out -> {
            out.packArrayHeader(3);
            out.packString(tag);
            out.packBinaryHeader(events.length);
            out.addPayload(events);
            value(out, options);
        });
    }

    static byte[] gzip(byte[] plain) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(plain);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    void send(byte[] message) throws IOException {
        socket.getOutputStream().write(message);
        socket.getOutputStream().flush();
    }

    Value receive() throws IOException {
        return in.unpackValue();
    }

    /// The id that the next acknowledgement names.
    String ack() throws IOException {
        Map<Value, Value> map = receive().asMapValue().map();
        return map.values().iterator().next().asStringValue().asString();
    }

    boolean isClosedByPeer() throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (java.net.SocketException e) {
            return true;
        }
    }

    /// HELO, PING, PONG as Fluentd's output does it.
    Value logIn(String key, String hostName) throws IOException {
        java.util.List<Value> helo = receive().asArrayValue().list();
        byte[] nonce = helo.get(1).asMapValue().map().entrySet().stream()
                .filter(entry -> entry.getKey().asStringValue().asString().equals("nonce"))
                .findFirst()
                .orElseThrow()
                .getValue()
                .asRawValue()
                .asByteArray();
        byte[] salt = "0123456789abcdef".getBytes(StandardCharsets.UTF_8);
        send(bytes(out -> {
            out.packArrayHeader(6);
            out.packString("PING");
            out.packString(hostName);
            out.packBinaryHeader(salt.length);
            out.addPayload(salt);
            out.packString(digest(salt, hostName, nonce, key));
            out.packString("");
            out.packString("");
        }));
        Value pong = receive();
        java.util.List<Value> parts = pong.asArrayValue().list();
        if (parts.get(1).asBooleanValue().getBoolean()) {
            String server = parts.get(3).asStringValue().asString();
            if (!digest(salt, server, nonce, key)
                    .equals(parts.get(4).asStringValue().asString())) {
                throw new IOException("the server does not know the key");
            }
        }
        return pong;
    }

    private static String digest(byte[] salt, String host, byte[] nonce, String key) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-512");
            sha.update(salt);
            sha.update(host.getBytes(StandardCharsets.UTF_8));
            sha.update(nonce);
            sha.update(key.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(sha.digest());
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
