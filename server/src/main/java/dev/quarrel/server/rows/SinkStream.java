package dev.quarrel.server.rows;

import java.io.IOException;
import java.io.OutputStream;

/// Gives what is written to a sink, in pieces that fit a message.
final class SinkStream extends OutputStream {
    private static final int PIECE_BYTES = 1 << 16;

    private final CopyEncoder.Sink sink;

    SinkStream(CopyEncoder.Sink sink) {
        this.sink = sink;
    }

    @Override
    public void write(int value) throws IOException {
        sink.send(new byte[] {(byte) value}, 1);
    }

    @Override
    public void write(byte[] bytes, int start, int length) throws IOException {
        if (start == 0 && length <= PIECE_BYTES) {
            if (length > 0) {
                sink.send(bytes, length);
            }
            return;
        }
        byte[] piece = new byte[Math.min(PIECE_BYTES, length)];
        for (int at = 0; at < length; at += piece.length) {
            int count = Math.min(piece.length, length - at);
            System.arraycopy(bytes, start + at, piece, 0, count);
            sink.send(piece, count);
        }
    }
}
