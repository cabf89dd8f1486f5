package dev.quarrel.cuda.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JCudaNativesTest {
    private static final byte[] LIBRARY = {1, 2, 3};
    private static final String NAME = "libJCudaDriver-12.6.0-linux-x86_64.so";

    @TempDir
    private Path cache;

    @Test
    void theLibraryIsUnpackedOnceIntoAFolderOfTheUsersOwn() throws IOException {
        Path folder = JCudaNatives.unpacked(LIBRARY, cache.resolve("a/b"));
        assertThat(folder).hasParent(cache.resolve("a/b"));
        assertThat(folder.getFileName().toString()).hasSize(64);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
                .isEqualTo("rwx------");
        assertThat(folder.resolve(NAME)).hasBinaryContent(LIBRARY);
        assertThat(JCudaNatives.unpacked(LIBRARY, cache.resolve("a/b"))).isEqualTo(folder);
        try (var files = Files.list(cache.resolve("a/b"))) {
            assertThat(files).containsExactly(folder);
        }
    }

    @Test
    void whatSomebodyElseMayHaveWrittenIsNotLoaded() throws IOException {
        Path folder = JCudaNatives.unpacked(LIBRARY, cache);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(JCudaNatives.unpacked(LIBRARY, cache)).isNotEqualTo(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        assertThat(JCudaNatives.unpacked(LIBRARY, cache)).isEqualTo(folder);
        Files.delete(folder.resolve(NAME));
        Files.write(folder.resolve(NAME), new byte[] {6, 6, 6});
        Path other = JCudaNatives.unpacked(LIBRARY, cache);
        assertThat(other).isNotEqualTo(folder);
        assertThat(other.resolve(NAME)).hasBinaryContent(LIBRARY);
    }

    @Test
    void linksAreNotFollowed(@TempDir Path others) throws IOException {
        Path made = JCudaNatives.unpacked(LIBRARY, others);
        Files.createSymbolicLink(cache.resolve(made.getFileName()), made);
        assertThat(JCudaNatives.unpacked(LIBRARY, cache)).isNotEqualTo(cache.resolve(made.getFileName()));
        Path link = Files.createSymbolicLink(cache.resolve("natives"), others);
        assertThat(JCudaNatives.unpacked(LIBRARY, link).getParent()).isNotEqualTo(link);
    }

    @Test
    void theCacheIsTheUsersAlone() throws IOException {
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(JCudaNatives.unpacked(LIBRARY, cache)).hasParent(cache);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(cache)))
                .isEqualTo("rwx------");
    }

    @Test
    void aHomeThatCannotBeWrittenIsNoObstacle() throws IOException {
        Path file = Files.createFile(cache.resolve("file"));
        assertThat(JCudaNatives.unpacked(LIBRARY, file.resolve("below")).resolve(NAME))
                .hasBinaryContent(LIBRARY);
    }
}
