package dev.quarrel.core.arrow;

import java.io.IOException;
import java.nio.channels.FileChannel;

/// Lets the disk write a file while it still grows, so that little is left to wait for at its end.
final class Writeback {
    private final FileChannel channel;
    private Thread thread; // guarded by this, as is all below; null before there is something to write
    private long wanted;
    private boolean ended;
    private IOException failure;

    Writeback(FileChannel channel) {
        this.channel = channel;
    }

    /// Says that there is more to write. Any thread.
    synchronized void poke() {
        wanted++;
        if (thread == null && !ended) {
            thread = Thread.ofPlatform().daemon(true).name("writeback").start(this::run);
        }
        notifyAll();
    }

    private void run() {
        long done = 0;
        while (true) {
            synchronized (this) {
                while (wanted == done && !ended) {
                    try {
                        wait();
                    } catch (InterruptedException _) {
                        return;
                    }
                }
                if (ended) {
                    return;
                }
                done = wanted;
            }
            try {
                channel.force(false);
            } catch (IOException e) {
                synchronized (this) {
                    // The system tells of a failed write once; the last force would not hear of it.
                    failure = failure == null ? e : failure;
                }
            }
        }
    }

    /// Ends the work in the background.
    ///
    /// @return what went wrong, or null
    IOException end() {
        Thread running;
        synchronized (this) {
            ended = true;
            notifyAll();
            running = thread;
        }
        join(running);
        synchronized (this) {
            return failure;
        }
    }

    /// Waits for a thread that uses a file, whatever else is wished meanwhile.
    ///
    /// @param running may be null
    static void join(Thread running) {
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
    }
}
