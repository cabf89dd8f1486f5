package dev.quarrel.core.spill;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Folders of temporary files belong to one process, and go with it, or with the next one's start.
class SpillFolderTest {
    @TempDir
    private Path shared;

    /// Opens a file in the folder given, says so, and waits for its end.
    public static final class Spiller {
        private Spiller() {}

        public static void main(String[] arguments) throws IOException {
            SpillFolder folder = SpillFolder.open(Path.of(arguments[0]));
            new QuerySpill(folder, QuerySpill.NO_LIMIT).open();
            System.out.println("ready");
            System.in.read();
        }
    }

    @Test
    void killedProcessIsCleanedAfterAtTheNextStart() throws IOException, InterruptedException {
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Spiller.class.getName(),
                        shared.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            BufferedReader out =
                    new BufferedReader(new InputStreamReader(other.getInputStream(), StandardCharsets.UTF_8));
            assertThat(out.readLine()).isEqualTo("ready");
            List<Path> folders = list(shared);
            assertThat(folders).hasSize(1);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folders.getFirst())))
                    .isEqualTo("rwx------");
            assertThat(list(folders.getFirst())).hasSize(1).allMatch(file -> file.endsWith("lock"));
            SpillFolder.open(shared).close();
            assertThat(list(shared)).as("the folder of a living process").hasSize(1);
        } finally {
            other.destroyForcibly();
            other.waitFor();
        }
        assertThat(list(shared)).as("what a killed process leaves").hasSize(1);
        SpillFolder.open(shared).close();
        assertThat(list(shared)).isEmpty();
    }

    @Test
    void ownFolderStaysUntilItIsClosed() throws IOException {
        try (SpillFolder one = SpillFolder.open(shared);
                QuerySpill query = new QuerySpill(one, QuerySpill.NO_LIMIT)) {
            query.open();
            SpillFolder.open(shared).close();
            assertThat(list(shared)).hasSize(1);
        }
        assertThat(list(shared)).isEmpty();
    }

    @Test
    void folderWithoutLockIsLeftForAWhile() throws IOException {
        Path folder = Files.createDirectory(shared.resolve("quarrel-spill-1-2"));
        SpillFolder.open(shared).close();
        assertThat(folder).exists();
        Files.setLastModifiedTime(folder, FileTime.from(Instant.now().minus(Duration.ofHours(1))));
        SpillFolder.open(shared).close();
        assertThat(folder).doesNotExist();
    }

    @Test
    void otherFilesStay() throws IOException {
        Path file = Files.writeString(shared.resolve("quarrel-spill.txt"), "not ours");
        SpillFolder.open(shared).close();
        assertThat(file).exists();
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }
}
