package dev.quarrel.core.arrow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/// The attributes of a file or folder that show whether it has changed: time of modification, size and key. A
/// missing file has none of them.
public record FileStamp(long modifiedNanos, long size, Object fileKey) {
    /// File systems count modification times in steps; a change within the same step has the same time.
    public static final long TIME_STEP_NANOS = 20_000_000;

    private static final FileStamp MISSING = new FileStamp(0, -1, null);

    /// How long a file must be left alone until the next change shows.
    public long unsettledNanos() {
        // In whole milliseconds a wait of some microseconds would be repeated until the next one.
        Instant now = Instant.now();
        long age = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano() - modifiedNanos;
        return Math.abs(age) < TIME_STEP_NANOS ? TIME_STEP_NANOS - age : 0;
    }

    public static FileStamp of(Path path) {
        try {
            return of(Files.readAttributes(path, BasicFileAttributes.class));
        } catch (IOException e) {
            return MISSING;
        }
    }

    /// Whether there is no file.
    public boolean isMissing() {
        return equals(MISSING);
    }

    public static FileStamp of(BasicFileAttributes attributes) {
        return new FileStamp(
                attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS),
                attributes.isDirectory() ? 0 : attributes.size(),
                attributes.fileKey());
    }
}
