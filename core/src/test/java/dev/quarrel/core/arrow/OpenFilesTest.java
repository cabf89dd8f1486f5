package dev.quarrel.core.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.arrow.dataset.DatasetWriter;
import dev.quarrel.core.arrow.dataset.Inspection;
import dev.quarrel.core.column.Batch;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Many files that grow at once, of which few are open.
final class OpenFilesTest {
    private static final long SEED = Long.getLong("quarrel.seed", System.nanoTime());
    private static final int FILES = 60;
    private static final int THREADS = 4;
    private static final int MOST = 5;

    @TempDir
    Path folder;

    @Test
    void filesAreWholeHoweverFewAreOpen() throws Exception {
        OpenFiles files = new OpenFiles(MOST);
        List<ArrowFileWriter> writers = new ArrayList<>();
        for (int file = 0; file < FILES; file++) {
            writers.add(ArrowFileWriter.create(
                    folder.resolve(file + ".arrow"), RandomBatch.EVERY_TYPE, WriteOptions.PLAIN, files));
        }
        int[] appended = new int[FILES];
        try (Arena arena = Arena.ofShared();
                ExecutorService executor = Executors.newFixedThreadPool(THREADS)) {
            List<Future<?>> parts = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                Random random = new Random(SEED + thread);
                Batch batch = RandomBatch.of(RandomBatch.EVERY_TYPE, 1 + thread, 0.2, random, arena);
                parts.add(executor.submit(() -> {
                    for (int step = 0; step < 300; step++) {
                        int file = random.nextInt(FILES);
                        writers.get(file).append(batch);
                        synchronized (appended) {
                            appended[file] += batch.rowCount();
                        }
                    }
                }));
            }
            for (Future<?> part : parts) {
                part.get();
            }
        }
        assertOpen(MOST);
        for (int file = 0; file < FILES; file++) {
            WrittenFile written = writers.get(file).finish();
            assertThat(written.sha256()).isEqualTo(DatasetWriter.sha256(written.path()));
            try (ArrowFile arrow = ArrowFile.open(written.path())) {
                assertThat(arrow.rowCount()).as("seed %d", SEED).isEqualTo(appended[file]);
            }
        }
        assertOpen(0);
        assertThat(Inspection.of(folder, true).isSound()).isTrue();
    }

    @Test
    void unfinishedFilesAreRemoved() throws IOException {
        OpenFiles files = new OpenFiles(1);
        for (int file = 0; file < 3; file++) {
            ArrowFileWriter.create(folder.resolve(file + ".arrow"), RandomBatch.EVERY_TYPE, WriteOptions.PLAIN, files)
                    .close();
        }
        assertThat(folder).isEmptyDirectory();
        assertOpen(0);
    }

    /// How many of the folder's files this process has open.
    private void assertOpen(int most) throws IOException {
        Path descriptors = Path.of("/proc/self/fd");
        if (!Files.isDirectory(descriptors)) {
            return;
        }
        int open = 0;
        try (Stream<Path> links = Files.list(descriptors)) {
            for (Path link : links.toList()) {
                try {
                    open += Files.readSymbolicLink(link).startsWith(folder.toRealPath()) ? 1 : 0;
                } catch (IOException _) {
                    // It was closed meanwhile.
                }
            }
        }
        assertThat(open).isLessThanOrEqualTo(most);
    }
}
