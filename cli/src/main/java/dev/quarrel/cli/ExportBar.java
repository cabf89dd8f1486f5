package dev.quarrel.cli;

import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.export.ExportProgress;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/// Shows people the progress of an export: on a terminal as a bar that is redrawn, elsewhere as a line every ten
/// seconds.
///
/// Drawn by a thread of its own, so that it tells of a server that sends nothing, too.
final class ExportBar implements ExportProgress, AutoCloseable {
    private static final int REDRAW_MILLIS = 200;
    private static final int LINE_MILLIS = 10_000;
    private static final int BAR_WIDTH = 30;
    private static final double MEGA = 1e6;

    // Before that there is nothing to judge by.
    private static final double FIRST_ESTIMATE_SECONDS = 3;

    private final boolean isTerminal = ProgressBar.isTerminal();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("progress").factory());
    private final long startNanos = System.nanoTime();
    private final LongAdder rows = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final RemainingTime remaining = new RemainingTime();
    private long estimatedRows = -1; // guarded by this
    private long lastBytes; // guarded by this, like the rest
    private double lastSeconds;
    private double bytesPerSecond;
    private boolean isDrawn;

    ExportBar() {
        int millis = isTerminal ? REDRAW_MILLIS : LINE_MILLIS;
        clock.scheduleAtFixedRate(this::draw, millis, millis, TimeUnit.MILLISECONDS);
    }

    @Override
    public synchronized void begun(Manifest.Origin origin, int tables, long estimate) {
        estimatedRows = estimate;
    }

    @Override
    public void advanced(String table, long newRows, long newBytes) {
        rows.add(newRows);
        bytes.add(newBytes);
    }

    @Override
    public synchronized void notice(String text) {
        clear();
        Main.say(text);
    }

    private synchronized void draw() {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        long byteCount = bytes.sum();
        double passed = seconds - lastSeconds;
        double current = (byteCount - lastBytes) / passed;
        // The last five seconds or so count.
        double weight = bytesPerSecond == 0 ? 1 : Math.min(1, passed / 5);
        bytesPerSecond += weight * (current - bytesPerSecond);
        lastBytes = byteCount;
        lastSeconds = seconds;
        String text = text(rows.sum(), seconds);
        if (isTerminal) {
            System.err.print("\r\033[K" + text);
            isDrawn = true;
        } else {
            System.err.println(text);
        }
    }

    private String text(long done, double seconds) {
        StringBuilder line = new StringBuilder("exporting ");
        if (estimatedRows > 0) {
            // The estimate may be too small.
            double part = Math.min(0.99, (double) done / estimatedRows);
            if (isTerminal) {
                int filled = (int) (part * BAR_WIDTH);
                line.append('[')
                        .repeat('#', filled)
                        .repeat('.', BAR_WIDTH - filled)
                        .append("] ");
            }
            line.append(String.format(Locale.ROOT, "%,d of about %,d rows", done, Math.max(done, estimatedRows)));
        } else {
            line.append(String.format(Locale.ROOT, "%,d rows", done));
        }
        line.append(String.format(Locale.ROOT, ", %,.1f MB/s", bytesPerSecond / MEGA));
        if (estimatedRows > 0 && done > 0 && seconds > FIRST_ESTIMATE_SECONDS) {
            line.append(", ").append(remaining.text(seconds, (double) done / estimatedRows));
        }
        return line.toString();
    }

    private void clear() {
        if (isDrawn) {
            System.err.print("\r\033[K");
            isDrawn = false;
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
        synchronized (this) {
            clear();
        }
    }
}
