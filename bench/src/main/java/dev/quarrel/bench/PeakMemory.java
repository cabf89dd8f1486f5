package dev.quarrel.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Watches `RssAnon` and `RssShmem`: resident memory of the process' own, pages of mapped files left out. Linux only; 0
/// elsewhere.
final class PeakMemory {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final int SAMPLE_MILLIS = 20;

    private long peak;

    private PeakMemory() {}

    static PeakMemory start() {
        PeakMemory memory = new PeakMemory();
        Thread.ofPlatform().daemon().name("peak-memory").start(() -> {
            while (true) {
                memory.sample();
                try {
                    Thread.sleep(SAMPLE_MILLIS);
                } catch (InterruptedException stop) {
                    return;
                }
            }
        });
        return memory;
    }

    /// The largest value seen, in KiB.
    long peakKibibytes() {
        sample();
        synchronized (this) {
            return peak;
        }
    }

    private void sample() {
        if (!Files.exists(STATUS)) {
            return;
        }
        try {
            long kibibytes = 0;
            for (String line : Files.readAllLines(STATUS)) {
                if (line.startsWith("RssAnon:") || line.startsWith("RssShmem:")) {
                    kibibytes += Long.parseLong(line.replaceAll("\\D", ""));
                }
            }
            synchronized (this) {
                peak = Math.max(peak, kibibytes);
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
