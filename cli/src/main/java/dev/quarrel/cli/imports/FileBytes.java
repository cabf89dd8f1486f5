package dev.quarrel.cli.imports;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.zip.GZIPInputStream;

/// The bytes of a file, of one whose name ends in `.gz` those that are compressed in it.
///
/// - Errors: IOException with the file's name.
public final class FileBytes extends FilterInputStream {
    private static final int BUFFER_BYTES = 1 << 16;

    private final Path file;

    private FileBytes(Path file, InputStream in) {
        super(in);
        this.file = file;
    }

    public static InputStream of(Path file) throws IOException {
        InputStream in = Files.newInputStream(file);
        if (!file.toString().toLowerCase(Locale.ROOT).endsWith(".gz")) {
            return in;
        }
        try {
            return new FileBytes(file, new GZIPInputStream(in, BUFFER_BYTES));
        } catch (IOException wrong) {
            in.close();
            throw named(file, wrong);
        }
    }

    private static IOException named(Path file, IOException wrong) {
        String what = wrong.getMessage() == null ? "it ends too soon" : wrong.getMessage();
        return new IOException("file \"" + file + "\" is not whole or not of gzip: " + what, wrong);
    }

    @Override
    public int read() throws IOException {
        try {
            return super.read();
        } catch (IOException wrong) {
            throw named(file, wrong);
        }
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        try {
            return super.read(target, offset, length);
        } catch (IOException wrong) {
            throw named(file, wrong);
        }
    }

    /// - Errors: `IOException` for what cannot be read twice, such as a pipe.
    public static void requireRegular(Path file, String instead) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new IOException(
                    "\"" + file + "\" is no file that can be read twice, in search of its columns first: " + instead);
        }
    }
}
