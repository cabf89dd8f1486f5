package dev.quarrel.core.arrow.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Locks between processes: closing any channel of a locked file gives up the process' POSIX lock on it.
final class DatasetLocksTest {
    @TempDir
    private Path root;

    /// What another process does.
    static final class Other {
        private Other() {}

        public static void main(String[] arguments) {
            Path root = Path.of(arguments[1]);
            if (arguments[0].equals("run")) {
                try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.APPEND, "other")) {
                    System.exit(7);
                } catch (dev.quarrel.core.type.QueryException wrong) {
                    System.exit(0);
                }
            }
            try (StagedFolder folder = StagedFolder.begin(root)) {
                folder.next();
            }
            System.exit(0);
        }
    }

    private int other(String what) throws Exception {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-preview",
                        "--add-modules",
                        "jdk.incubator.vector",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.quarrel.core.arrow.dataset.DatasetLocksTest$Other",
                        what,
                        root.toString())
                .inheritIO()
                .start()
                .waitFor();
    }

    @Test
    void twoSessionsThatWaitLetNoOtherProcessIn() throws Exception {
        try (DatasetWriter first = DatasetWriter.begin(root, DatasetWriter.Mode.APPEND, "first")) {
            assertThat(other("run")).as("before anybody waits").isZero();
            AtomicInteger looks = new AtomicInteger();
            try {
                DatasetWriter.await(root, DatasetWriter.Mode.APPEND, "second session", () -> {
                    if (looks.incrementAndGet() == 3) {
                        throw new IllegalStateException("waited long enough");
                    }
                });
            } catch (IllegalStateException _) {
                // it waits in vain
            }
            assertThat(other("run")).as("while another session has waited").isZero();
        }
    }

    /// As an import does beside a server whose clients insert rows.
    @Test
    void aRunWaitsForOneThatIsSoonOver() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        Thread first = new Thread(() -> {
            try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.APPEND, "first")) {
                begun.countDown();
                LockSupport.parkNanos(200_000_000);
            }
        });
        first.start();
        begun.await();
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.APPEND, "second")) {
            assertThat(run.run()).isPositive();
        }
        first.join();
    }

    @Test
    void stagedFilesOfALivingProcessStay() throws Exception {
        try (StagedFolder temporary = StagedFolder.begin(root)) {
            Path file = temporary.next();
            Files.writeString(file, "rows of a temporary table");
            StagedFolder.begin(root).close(); // another statement of this process
            other("stage");
            assertThat(file).exists();
        }
    }

    /// As the first writes of several sessions find them, after the server was killed.
    @Test
    void statementsRemoveWhatAKilledProcessLeftAtTheSameTime() throws Exception {
        Path all = root.resolve(StagedFolder.NAME);
        for (int index = 0; index < 200; index++) {
            Path left = Files.createDirectories(all.resolve("left" + index));
            Files.writeString(left.resolve("lock"), "");
            Files.writeString(left.resolve("part-0-1.arrow"), "rows");
        }
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        CountDownLatch start = new CountDownLatch(1);
        List<Thread> threads = Stream.generate(() -> new Thread(() -> {
                    try {
                        start.await();
                        StagedFolder.begin(root).close();
                    } catch (InterruptedException | RuntimeException failure) {
                        failures.add(failure);
                    }
                }))
                .limit(8)
                .toList();
        threads.forEach(Thread::start);
        start.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        StagedFolder.begin(root).close();
        assertThat(all).isEmptyDirectory();
    }

    /// Two catalogs are as two processes: each has a lock of its own on the names.
    @Test
    void namesOfTwoProcessesAreAllThere() throws Exception {
        int count = 60;
        try (DatasetCatalog one = DatasetCatalog.open(root);
                DatasetCatalog two = DatasetCatalog.open(root)) {
            CountDownLatch start = new CountDownLatch(1);
            List<Thread> threads = Stream.of(one, two)
                    .map(catalog -> new Thread(() -> {
                        for (int index = 0; index < count; index++) {
                            try (DatasetTransaction changes = DatasetTransaction.begin(catalog)) {
                                changes.createSchema((catalog == one ? "a" : "b") + index);
                                changes.commit(() -> {});
                            }
                        }
                    }))
                    .toList();
            threads.forEach(Thread::start);
            start.countDown();
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(NamedTables.read(root).schemas()).hasSize(2 * count);
        }
    }
}
