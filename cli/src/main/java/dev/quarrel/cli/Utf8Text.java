package dev.quarrel.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/// Text into a stream of bytes that others write into as well: nothing is held back here.
final class Utf8Text implements Appendable {
    private final OutputStream out;

    Utf8Text(OutputStream out) {
        this.out = out;
    }

    @Override
    public Appendable append(CharSequence text) throws IOException {
        out.write(text.toString().getBytes(StandardCharsets.UTF_8));
        return this;
    }

    @Override
    public Appendable append(CharSequence text, int start, int end) throws IOException {
        return append(text.subSequence(start, end));
    }

    @Override
    public Appendable append(char unit) throws IOException {
        return append(String.valueOf(unit));
    }
}
