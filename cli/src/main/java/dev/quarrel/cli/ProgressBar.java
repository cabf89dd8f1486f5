package dev.quarrel.cli;

import java.util.Locale;

/// The progress of a long command: one line on stderr, redrawn at most ten times a second, and only where stderr
/// is a terminal.
///
/// Threads may share it.
final class ProgressBar implements AutoCloseable {
    private static final long REDRAW_NANOS = 100_000_000;
    private static final int BAR_WIDTH = 30;

    private final boolean shown = isTerminal();
    private final String label;
    private final long total;
    private final long startNanos = System.nanoTime();
    private long done;
    private long drawnNanos;

    /// @param total how much there is to do, or 0 where that is not known
    ProgressBar(String label, long total) {
        this.label = label;
        this.total = total;
        draw();
    }

    /// Whether people look at stderr. It may be a pipe of the launcher's, who says so.
    static boolean isTerminal() {
        return Boolean.getBoolean("quarrel.terminal");
    }

    synchronized void add(long amount) {
        done += amount;
        if (System.nanoTime() - drawnNanos >= REDRAW_NANOS) {
            draw();
        }
    }

    private void draw() {
        if (!shown) {
            return;
        }
        drawnNanos = System.nanoTime();
        double seconds = (drawnNanos - startNanos) / 1e9;
        StringBuilder line = new StringBuilder("\r\033[K").append(label).append(' ');
        if (total > 0) {
            int filled = (int) (Math.min(done, total) * BAR_WIDTH / total);
            line.append('[').repeat('#', filled).repeat('.', BAR_WIDTH - filled).append("] ");
        }
        line.append(String.format(Locale.ROOT, "%,d rows", done));
        if (seconds > 1) {
            line.append(String.format(Locale.ROOT, ", %,.0f/s", done / seconds));
        }
        System.err.print(line);
    }

    /// Takes the bar off the screen.
    @Override
    public synchronized void close() {
        if (shown) {
            System.err.print("\r\033[K");
        }
    }
}
