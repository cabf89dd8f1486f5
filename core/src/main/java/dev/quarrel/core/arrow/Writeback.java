package dev.quarrel.core.arrow;

import java.io.IOException;

/// Lets the disk write a file while it still grows, so that little is left to wait for at its end.
///
/// A thread of its own waits for the disk, and is there only while there is something to wait for: of thousands of
/// files that grow little by little, most have none.
final class Writeback {
    private static final long PIECE_BYTES = 8L << 20;

    private final OpenFiles.Held file;
    private Thread thread; // guarded by this, as is all below; null while there is nothing to write
    private long writtenBytes; // since the disk was last asked to follow
    private boolean ended;
    private IOException failure;

    Writeback(OpenFiles.Held file) {
        this.file = file;
    }

    /// Says that there is more to write. Any thread.
    synchronized void wrote(long bytes) {
        writtenBytes += bytes;
        if (thread == null && !ended && writtenBytes >= PIECE_BYTES) {
            thread = Thread.ofPlatform().daemon(true).name("writeback").start(this::run);
        }
    }

    private void run() {
        while (hasMore()) {
            try {
                file.hold();
                try {
                    file.force(false);
                } finally {
                    file.letGo();
                }
            } catch (IOException e) {
                synchronized (this) {
                    // The system tells of a failed write once; the last force would not hear of it.
                    failure = failure == null ? e : failure;
                }
            }
        }
    }

    private synchronized boolean hasMore() {
        boolean more = writtenBytes >= PIECE_BYTES && !ended;
        if (more) {
            writtenBytes = 0;
        } else {
            thread = null;
        }
        return more;
    }

    /// Ends the work in the background.
    ///
    /// @return what went wrong, or null
    IOException end() {
        Thread running;
        synchronized (this) {
            ended = true;
            running = thread;
        }
        boolean interrupted = false;
        while (running != null && running.isAlive()) {
            try {
                running.join();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            return failure;
        }
    }
}
