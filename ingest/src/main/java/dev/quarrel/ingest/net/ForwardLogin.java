package dev.quarrel.ingest.net;

import dev.quarrel.ingest.msgpack.Msgpack;
import dev.quarrel.ingest.msgpack.Msgpack.Kind;
import dev.quarrel.ingest.msgpack.MsgpackException;
import dev.quarrel.ingest.msgpack.MsgpackWriter;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;

/// How a sender and we show each other that we know the shared key: HELO with our nonce, PING with the sender's salt
/// and digest, PONG with ours.
///
/// - Source: Forward Protocol Specification v1, "Handshake Messages".
final class ForwardLogin {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int NONCE_BYTES = 16;

    private final byte[] sharedKey;
    private final byte[] hostName;
    private final byte[] nonce = new byte[NONCE_BYTES];

    ForwardLogin(String sharedKey, String hostName) {
        this.sharedKey = sharedKey.getBytes(StandardCharsets.UTF_8);
        this.hostName = hostName.getBytes(StandardCharsets.UTF_8);
        RANDOM.nextBytes(nonce);
    }

    /// `["HELO", {"nonce": …, "auth": "", "keepalive": true}]`
    byte[] helo() {
        MsgpackWriter out = new MsgpackWriter(64);
        out.array(2);
        out.text("HELO");
        out.map(3);
        out.text("nonce");
        out.binary(nonce, 0, nonce.length);
        out.text("auth");
        out.binary(nonce, 0, 0); // empty: no user and password
        out.text("keepalive");
        out.bool(true);
        return out.toArray();
    }

    /// What to answer to a PING.
    ///
    /// @param isRight whether the sender may go on
    record Answer(byte[] pong, boolean isRight) {}

    /// - Errors: [MsgpackException] for what is no PING.
    Answer answer(byte[] bytes, int start, int end) {
        if (Msgpack.kind(bytes[start]) != Kind.ARRAY || Msgpack.length(bytes, start) != 6) {
            throw new MsgpackException("a PING is an array of six");
        }
        byte[][] parts = new byte[6][];
        int at = start + Msgpack.head(bytes[start]);
        for (int part = 0; part < 6; part++) {
            Kind kind = Msgpack.kind(bytes[at]);
            if (kind != Kind.STR && kind != Kind.BIN) {
                throw new MsgpackException("member " + part + " of a PING is no text");
            }
            int next = Msgpack.skip(bytes, at, end);
            parts[part] = Arrays.copyOfRange(bytes, at + Msgpack.head(bytes[at]), next);
            at = next;
        }
        if (!"PING".equals(new String(parts[0], StandardCharsets.UTF_8))) {
            throw new MsgpackException("the first message is no PING");
        }
        byte[] salt = parts[2];
        boolean isRight = MessageDigest.isEqual(digest(salt, parts[1]), parts[3]);
        MsgpackWriter out = new MsgpackWriter(256);
        out.array(5);
        out.text("PONG");
        out.bool(isRight);
        out.text(isRight ? "" : "shared_key mismatch");
        out.text(isRight ? hostName : new byte[0], 0, isRight ? hostName.length : 0);
        byte[] ours = isRight ? digest(salt, hostName) : new byte[0];
        out.text(ours, 0, ours.length);
        return new Answer(out.toArray(), isRight);
    }

    /// Hexadecimal SHA-512 of salt, a host's name, nonce and key.
    private byte[] digest(byte[] salt, byte[] name) {
        try {
            MessageDigest sha512 = MessageDigest.getInstance("SHA-512");
            sha512.update(salt);
            sha512.update(name);
            sha512.update(nonce);
            sha512.update(sharedKey);
            return HexFormat.of().formatHex(sha512.digest()).getBytes(StandardCharsets.US_ASCII);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
