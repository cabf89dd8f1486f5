package dev.quarrel.cli.imports;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/// Text of another encoding as UTF-8.
///
/// - Errors: [java.nio.charset.CharacterCodingException] for bytes that are none of the encoding.
final class TranscodedBytes extends InputStream {
    private final Reader reader;
    private final char[] characters = new char[1 << 15];
    private byte[] bytes = new byte[0];
    private int at;
    private int kept; // the first half of a pair

    TranscodedBytes(InputStream in, Charset encoding) {
        this.reader = new InputStreamReader(
                in,
                encoding.newDecoder()
                        .onMalformedInput(CodingErrorAction.REPORT)
                        .onUnmappableCharacter(CodingErrorAction.REPORT));
    }

    @Override
    public int read() throws IOException {
        return fill() ? bytes[at++] & 0xFF : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (!fill()) {
            return -1;
        }
        int count = Math.min(length, bytes.length - at);
        System.arraycopy(bytes, at, target, offset, count);
        at += count;
        return count;
    }

    private boolean fill() throws IOException {
        while (at == bytes.length) {
            int read = reader.read(characters, kept, characters.length - kept);
            if (read < 0 && kept == 0) {
                return false;
            }
            int end = kept + Math.max(0, read);
            kept = read >= 0 && end > 0 && Character.isHighSurrogate(characters[end - 1]) ? 1 : 0;
            bytes = new String(characters, 0, end - kept).getBytes(StandardCharsets.UTF_8);
            at = 0;
            characters[0] = kept == 1 ? characters[end - 1] : characters[0];
        }
        return true;
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
