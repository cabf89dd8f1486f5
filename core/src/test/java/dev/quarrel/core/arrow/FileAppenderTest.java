package dev.quarrel.core.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What is appended in parts of any size is what the file has, through the system's cache and past it.
class FileAppenderTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261122);
    private static final int PIECE = 4 << 20;

    @TempDir
    private Path folder;

    @BeforeAll
    static void tellSeed() {
        System.out.println("FileAppenderTest: -Dquarrel.seed=" + SEED);
    }

    static List<Object[]> options() {
        List<Object[]> all = new ArrayList<>();
        WriteOptions plain = WriteOptions.PLAIN;
        for (WriteOptions options : List.of(plain, plain.withDirect(true), plain.withDurable(false))) {
            for (int size :
                    new int[] {0, 1, 65_536, 65_537, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 5 * PIECE + 4097}) {
                all.add(new Object[] {options, size});
            }
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("options")
    void theFileHasWhatWasAppended(WriteOptions options, int size) throws IOException {
        Random random = new Random(SEED + size);
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        Path path = folder.resolve("file");
        Files.write(path, new byte[] {1, 2, 3}); // what an earlier run left
        try (FileAppender file = new FileAppender(path, options, new OpenFiles(random.nextInt(2)))) {
            MemorySegment all = MemorySegment.ofArray(bytes);
            for (long at = 0; at < size; ) {
                file.begin(random.nextInt(2 * PIECE));
                for (int part = random.nextInt(4); part >= 0 && at < size; part--) {
                    long count = Math.min(size - at, random.nextInt(random.nextInt(3) == 0 ? 3 * PIECE : 100_000));
                    file.append(all.asSlice(at, count));
                    at += count;
                    assertThat(file.position()).isEqualTo(at);
                }
                file.end();
            }
            String sha256 = file.finish();
            assertThat(sha256)
                    .isEqualTo(HexFormat.of().formatHex(FileAppender.sha256().digest(bytes)));
        }
        assertThat(Files.readAllBytes(path)).isEqualTo(bytes);
    }

    /// A file system in memory that need not know how to go past the cache.
    @ParameterizedTest
    @MethodSource("options")
    void sharedMemoryWillDo(WriteOptions options, int size) throws IOException {
        Path shared = Path.of("/dev/shm");
        assumeTrue(Files.isWritable(shared), "no /dev/shm here");
        Path path = Files.createTempFile(shared, "quarrel", ".test");
        try (FileAppender file = new FileAppender(path, options, new OpenFiles(1))) {
            file.begin(size);
            file.append(new byte[size]);
            file.end();
            file.finish();
            assertThat(Files.size(path)).isEqualTo(size);
        } finally {
            Files.delete(path);
        }
    }

    /// A device that is always full says so.
    @ParameterizedTest
    @MethodSource("options")
    void aFullDiskIsSaid(WriteOptions options, int size) throws IOException {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.isWritable(full), "no /dev/full here");
        try (FileAppender file = new FileAppender(full, options, new OpenFiles(1))) {
            assertThatThrownBy(() -> {
                        file.begin(size);
                        file.append(new byte[size + 1]);
                        file.end();
                        file.finish();
                    })
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("No space left");
        }
        assertThat(Files.isRegularFile(full)).isFalse();
    }
}
