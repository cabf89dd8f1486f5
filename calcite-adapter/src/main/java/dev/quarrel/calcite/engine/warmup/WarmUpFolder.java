package dev.quarrel.calcite.engine.warmup;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A temporary folder for the tables of a warm-up. Those that processes have left behind which were killed meanwhile go
/// when the next one begins.
public final class WarmUpFolder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WarmUpFolder.class);
    private static final String PREFIX = "quarrel-warm-up";

    /// No warm-up takes as long.
    private static final Duration OLD = Duration.ofHours(1);

    private final Path path;

    private WarmUpFolder(Path path) {
        this.path = path;
    }

    public static WarmUpFolder create() throws IOException {
        Path path = Files.createTempDirectory(PREFIX);
        deleteLeftBehind(path);
        return new WarmUpFolder(path);
    }

    public Path path() {
        return path;
    }

    /// Deletes what lies beside a folder of ours, is of the same user, and too old to be in use.
    private static void deleteLeftBehind(Path ours) {
        try (DirectoryStream<Path> others = Files.newDirectoryStream(ours.getParent(), PREFIX + "*")) {
            for (Path other : others) {
                if (Files.isDirectory(other, LinkOption.NOFOLLOW_LINKS)
                        && Files.getLastModifiedTime(other)
                                .toInstant()
                                .isBefore(Instant.now().minus(OLD))
                        && Files.getOwner(other).equals(Files.getOwner(ours))) {
                    delete(other);
                }
            }
        } catch (IOException left) {
            LOG.debug("warm_up.left folder={} reason={}", ours.getParent(), left.getMessage());
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException left) {
            LOG.debug("warm_up.left folder={} reason={}", folder, left.getMessage());
        }
    }

    @Override
    public void close() {
        delete(path);
    }
}
