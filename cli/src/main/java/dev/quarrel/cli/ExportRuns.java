package dev.quarrel.cli;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.run.StopHook;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.export.ExportReport;
import dev.quarrel.export.Exporter;
import dev.quarrel.export.JsonProgress;
import dev.quarrel.export.config.ExportConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Runs an export, once or again and again, and tells people or programs of it.
///
/// ctrl-C and SIGTERM end a run that is under way, which then leaves nothing.
final class ExportRuns {
    private final ExportConfig config;
    private final boolean isForPrograms;
    private final Cancellation cancellation = new Cancellation();
    private final CountDownLatch stopped = new CountDownLatch(1);

    ExportRuns(ExportConfig config, boolean isForPrograms) {
        this.config = config;
        this.isForPrograms = isForPrograms;
    }

    void once() {
        try (StopHook _ = new StopHook(this::stop)) {
            run();
        }
        ClassRecord.keep();
    }

    /// Runs until it is stopped. The first run shows whether the settings are right, so that its failure ends the
    /// command; what makes a later one fail may pass, and the next one is tried when it is due.
    ///
    /// @param period from the beginning of a run to the next one, which waits until the one before has ended
    void every(Duration period) {
        try (StopHook _ = new StopHook(this::stop)) {
            long begun = System.nanoTime();
            run();
            ClassRecord.keep();
            while (isStillWanted(begun + period.toNanos())) {
                begun = System.nanoTime();
                try {
                    run();
                } catch (QueryException failure) {
                    cancellation.check();
                    Main.report(failure);
                    Main.say("the dataset is as it was; the next run is to begin " + period.toSeconds()
                            + " s after this one");
                }
            }
        }
    }

    private void stop() {
        stopped.countDown();
        cancellation.cancel();
    }

    /// Waits until the next run is due.
    ///
    /// @return false where there is to be none
    private boolean isStillWanted(long due) {
        try {
            return !stopped.await(Math.max(due - System.nanoTime(), 0), TimeUnit.NANOSECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void run() {
        if (isForPrograms) {
            runForPrograms();
        } else {
            runForPeople();
        }
    }

    private void runForPeople() {
        ExportReport report;
        try (ExportBar progress = new ExportBar()) {
            report = Exporter.run(config, progress, cancellation);
        }
        summary(report).forEach(System.err::println);
    }

    private void runForPrograms() {
        JsonProgress events = new JsonProgress(System.out);
        try {
            events.ended(Exporter.run(config, events, cancellation));
        } catch (QueryException failure) {
            events.failed(failure);
            throw failure;
        }
    }

    private static String rows(ExportReport.TableReport table) {
        String rows = String.format(Locale.ROOT, "%,d rows", table.rowCount());
        ExportReport.Change change = table.change();
        return change == null
                ? rows
                : String.format(
                        Locale.ROOT,
                        "%,d changed rows (%,d of them new), %,d deleted, now %,d,",
                        table.rowCount(),
                        table.rowCount() - change.replaced(),
                        change.deleted(),
                        change.rowCount());
    }

    /// One line a table and one for all.
    static List<String> summary(ExportReport report) {
        List<String> lines = new ArrayList<>();
        for (ExportReport.TableReport table : report.tables()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%s: %s in %d batches, %,.1f MB, %s",
                    table.qualifiedName(),
                    rows(table),
                    table.batchCount(),
                    table.byteSize() / 1e6,
                    table.elapsed().isZero()
                            ? "kept"
                            : String.format(
                                    Locale.ROOT, "%.1f s", table.elapsed().toMillis() / 1e3)));
        }
        double seconds = report.elapsed().toNanos() / 1e9;
        lines.add(String.format(
                Locale.ROOT,
                "%,d rows, %,.1f MB of snapshot %s%s in %.1f s, %,.0f rows/s",
                report.rowCount(),
                report.byteSize() / 1e6,
                report.snapshot(),
                report.lsn() == null ? "" : " (LSN " + report.lsn() + ")",
                seconds,
                report.rowCount() / seconds));
        return lines;
    }
}
