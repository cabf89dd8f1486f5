package dev.quarrel.core.spill;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Folders of temporary files belong to one process, and go with it, or with the next one's start.
class SpillFolderTest {
    private static final FileTime LONG_AGO = FileTime.from(Instant.now().minus(Duration.ofHours(1)));

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
        Files.setLastModifiedTime(folder, LONG_AGO);
        SpillFolder.open(shared).close();
        assertThat(folder).doesNotExist();
    }

    @Test
    void otherFilesStay() throws IOException {
        Path file = Files.writeString(shared.resolve("quarrel-spill.txt"), "not ours");
        SpillFolder.open(shared).close();
        assertThat(file).exists();
    }

    /// Whoever shares the folder can put links of our names there.
    @Test
    void linksAreNotFollowed(@TempDir Path others) throws IOException {
        Path file = Files.writeString(others.resolve("spill-1"), "not ours");
        Path link = Files.createSymbolicLink(shared.resolve("quarrel-spill-1-2"), others);
        Files.setLastModifiedTime(others, LONG_AGO);
        SpillFolder.open(shared).close();
        assertThat(file).exists();
        assertThat(link).isSymbolicLink();
    }

    @Test
    void lockThatIsALinkIsNotOpened(@TempDir Path others) throws IOException {
        Path folder = Files.createDirectory(shared.resolve("quarrel-spill-1-2"));
        Path spilled = Files.writeString(folder.resolve("spill-1"), "x");
        Files.createSymbolicLink(folder.resolve("lock"), Files.writeString(others.resolve("file"), "not ours"));
        Files.setLastModifiedTime(folder, LONG_AGO);
        SpillFolder.open(shared).close();
        assertThat(spilled).exists();
    }

    @Test
    void onlyFilesOfOurNamesAreDeleted(@TempDir Path others) throws IOException {
        Path linked = Files.writeString(others.resolve("file"), "not ours");
        Path folder = Files.createDirectory(shared.resolve("quarrel-spill-1-2"));
        Path spilled = Files.writeString(folder.resolve("spill-1"), "x");
        Path link = Files.createSymbolicLink(folder.resolve("spill-2"), linked);
        Path other = Files.writeString(folder.resolve("spill-1.txt"), "not ours");
        Files.setLastModifiedTime(folder, LONG_AGO);
        SpillFolder.open(shared).close();
        assertThat(spilled).doesNotExist();
        assertThat(link).doesNotExist();
        assertThat(linked).hasContent("not ours");
        assertThat(other).exists();
    }

    @Test
    void foldersOfOtherNamesStay() throws IOException {
        for (String name :
                List.of("quarrel-spill-1", "quarrel-spill-mine", "quarrel-spill-1-2-3", "quarrel-spill-1-x")) {
            Path folder = Files.createDirectory(shared.resolve(name));
            Files.writeString(folder.resolve("spill-1"), "not ours");
            Files.setLastModifiedTime(folder, LONG_AGO);
            SpillFolder.open(shared).close();
            assertThat(folder.resolve("spill-1")).exists();
        }
    }

    @Test
    void anotherUsersFolderStays() throws IOException {
        Path folder = Files.createDirectory(shared.resolve("quarrel-spill-1-2"));
        Files.writeString(folder.resolve("spill-1"), "not ours");
        try {
            Files.setOwner(
                    folder,
                    folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));
        } catch (FileSystemException | UserPrincipalNotFoundException _) {
            return; // only root can give a folder away
        }
        Files.setLastModifiedTime(folder, LONG_AGO);
        SpillFolder.open(shared).close();
        assertThat(folder.resolve("spill-1")).exists();
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }
}
