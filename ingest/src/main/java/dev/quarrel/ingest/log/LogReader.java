package dev.quarrel.ingest.log;

import dev.quarrel.core.arrow.Durable;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.ingest.intake.Chunk;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/// Reads what a log holds when the process starts.
public final class LogReader {
    private static final Pattern NAME = Pattern.compile("log-(\\d{10})\\.wal");

    /// What is in a log, in the order in which it was written.
    public interface Visitor {
        void chunk(Chunk chunk, long arrivalMicros);

        void id(String id, long timeMicros);
    }

    private LogReader() {}

    /// The numbers of the segments there are, ascending.
    public static List<Long> segments(Path folder) throws IOException {
        try (Stream<Path> paths = Files.list(folder)) {
            return paths.map(path -> NAME.matcher(path.getFileName().toString()))
                    .filter(Matcher::matches)
                    .map(name -> Long.parseLong(name.group(1)))
                    .sorted()
                    .toList();
        }
    }

    /// Reads all segments. What was being written when the process ended stands at the end of the last one, not whole:
    /// nobody was told that it is kept, and it is cut off.
    ///
    /// - Errors: `QueryException` XX001 where another segment is not whole, 58030.
    ///
    /// @return the greatest number, or 0
    public static long read(Path folder, Visitor visitor) {
        try {
            List<Long> segments = segments(folder);
            for (int index = 0; index < segments.size(); index++) {
                read(WriteAheadLog.path(folder, segments.get(index)), index == segments.size() - 1, visitor);
            }
            return segments.isEmpty() ? 0 : segments.getLast();
        } catch (IOException e) {
            throw new QueryException(
                    SqlState.IO_ERROR, "could not read the log in \"" + folder + "\": " + e.getMessage(), e);
        }
    }

    private static void read(Path path, boolean isLast, Visitor visitor) throws IOException {
        long whole = 0;
        long size = Files.size(path);
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(path), 1 << 18))) {
            byte[] magic = in.readNBytes(WriteAheadLog.MAGIC.length);
            if (Arrays.equals(magic, WriteAheadLog.MAGIC)) {
                whole = magic.length;
                for (byte[] payload = next(in, size - whole); payload != null; payload = next(in, size - whole)) {
                    LogRecord.read(payload, visitor);
                    whole += LogRecord.HEAD_BYTES + payload.length;
                }
            }
        }
        if (whole == size) {
            return;
        }
        if (!isLast) {
            throw new QueryException(
                            SqlState.DATA_CORRUPTED,
                            "log segment \"" + path + "\" is damaged " + whole + " bytes from its start")
                    .withHint("Events behind that place were acknowledged: restore the file, or move it away to go"
                            + " on without them.");
        }
        if (whole == 0) {
            Files.delete(path);
            return;
        }
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.truncate(whole);
            channel.force(true);
        } catch (IOException e) {
            throw Durable.failed(path, e);
        }
    }

    /// The next payload, or null where none is whole.
    private static byte[] next(DataInputStream in, long left) throws IOException {
        if (left < LogRecord.HEAD_BYTES) {
            return null;
        }
        try {
            int length = Integer.reverseBytes(in.readInt());
            int expected = Integer.reverseBytes(in.readInt());
            if (length <= 0 || length > left - LogRecord.HEAD_BYTES) {
                return null;
            }
            byte[] payload = in.readNBytes(length);
            CRC32C crc = new CRC32C();
            crc.update(payload);
            return payload.length == length && (int) crc.getValue() == expected ? payload : null;
        } catch (EOFException _) {
            return null;
        }
    }
}
