package dev.quarrel.ingest.net;

import dev.quarrel.ingest.msgpack.MsgpackException;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;

/// Unpacks gzip, up to a bound.
final class Gzip {
    private Gzip() {}

    /// - Errors: [MsgpackException] for what is no gzip, and for more bytes than there may be.
    static byte[] inflate(byte[] bytes, int start, int end, int mostBytes) {
        byte[] out = new byte[Math.clamp((end - start) * 4L, 1024, mostBytes)];
        int size = 0;
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes, start, end - start), 1 << 14)) {
            while (true) {
                if (size == out.length) {
                    int more = in.read();
                    if (more < 0) {
                        break;
                    }
                    if (size == mostBytes) {
                        throw new MsgpackException("more than " + mostBytes + " bytes when unpacked");
                    }
                    out = Arrays.copyOf(out, (int) Math.min(mostBytes, 2L * size));
                    out[size++] = (byte) more;
                }
                int read = in.read(out, size, out.length - size);
                if (read < 0) {
                    break;
                }
                size += read;
            }
        } catch (EOFException _) { // which has no message
            throw new MsgpackException("gzip: it ends too early");
        } catch (IOException e) {
            throw new MsgpackException("gzip: " + e.getMessage());
        }
        return size == out.length ? out : Arrays.copyOf(out, size);
    }
}
