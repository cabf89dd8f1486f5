package dev.quarrel.calcite.explain;

import dev.quarrel.core.device.Device;
import dev.quarrel.core.device.PipelineCounters;
import dev.quarrel.core.run.MemoryBandwidth;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Writes EXPLAIN ANALYZE's lines about one pipeline's run: its rows, time and tier, and for a scan also bytes,
/// batches and speed.
final class ActualWork {
    /// Below it a scan's speed is that of starting it, and measuring memory takes longer.
    private static final long MIN_BYTES_FOR_SPEED = 4L << 20;

    private final PipelineCounters counters;
    private final Explain.Options options;
    private final Device.Peaks peaks; // or null

    /// @param peaks of the device that ran the pipeline, or null
    ActualWork(PipelineCounters counters, Explain.Options options, Device.Peaks peaks) {
        this.counters = counters;
        this.options = options;
        this.peaks = peaks;
    }

    /// What is said of it, in order.
    ///
    /// @param scansTable whether the pipeline's source is a table
    List<PlanProperty> properties(boolean scansTable) {
        List<PlanProperty> properties = new ArrayList<>();
        if (!counters.note().isEmpty()) {
            properties.add(PlanProperty.of("Fallback", counters.note()));
        }
        properties.add(PlanProperty.line(
                "Rows",
                counters.rowsIn.sum() + " in, " + counters.rowsOut.sum() + " out",
                PlanProperty.named("Rows In", counters.rowsIn.sum(), "Rows Out", counters.rowsOut.sum())));
        properties.add(PlanProperty.of("Tier", tier()));
        if (options.timing()) {
            properties.add(PlanProperty.line(
                    "Time",
                    String.format(
                            Locale.ROOT,
                            "%.3f ms after %.3f ms of preparation; workers %.3f ms",
                            counters.elapsedNanos.sum() / 1e6,
                            counters.prepareNanos.sum() / 1e6,
                            counters.workNanos.sum() / 1e6),
                    PlanProperty.named(
                            "Pipeline Time",
                            PlanProperty.millis(counters.elapsedNanos.sum()),
                            "Preparation Time",
                            PlanProperty.millis(counters.prepareNanos.sum()),
                            "Worker Time",
                            PlanProperty.millis(counters.workNanos.sum()))));
        }
        if (scansTable) {
            properties.add(PlanProperty.line(
                    "Read",
                    read() + speed(),
                    PlanProperty.named(
                            "Rows Read",
                            counters.rowsIn.sum(),
                            "Bytes Read",
                            counters.bytesRead.sum(),
                            "Batches Read",
                            counters.batchesRead.sum(),
                            "Batches Skipped",
                            counters.batchesSkipped.sum())));
        }
        if (counters.piecesSwept.sum() > 0) {
            properties.add(PlanProperty.line(
                    "Kept",
                    "the last row of each key in " + counters.piecesSwept.sum()
                            + " pieces; the join reads the others again",
                    PlanProperty.named("Kept Pieces", counters.piecesSwept.sum())));
        }
        if (counters.rowsSorted.sum() > 0) {
            properties.add(PlanProperty.line(
                    "Sort",
                    sort(),
                    PlanProperty.named(
                            "Rows Sorted", counters.rowsSorted.sum(), "Sort Passes", counters.sortPasses.sum())));
        }
        if (counters.launches.sum() > 0) {
            properties.add(PlanProperty.line(
                    "Kernels",
                    kernels(),
                    PlanProperty.named(
                            "Kernel Launches",
                            counters.launches.sum(),
                            "Device Bytes Read",
                            counters.deviceBytesRead.sum())));
            properties.add(
                    PlanProperty.line("Moved", moved(), PlanProperty.named("Bytes Moved", counters.bytesMoved.sum())));
        }
        return properties;
    }

    private String kernels() {
        long bytes = counters.deviceBytesRead.sum();
        String text = counters.launches.sum() + " launches over " + bytes + " bytes of columns";
        if (counters.passes.sum() > 0) {
            text += " in " + (counters.passes.sum() + 1) + " passes, by ranges of a join's keys";
        }
        return options.timing()
                ? text
                        + rate(
                                bytes,
                                counters.deviceNanos.sum(),
                                peaks == null ? 0 : peaks.memoryBytes(),
                                "that the device reads memory at")
                : text;
    }

    private String sort() {
        long rows = counters.rowsSorted.sum();
        long nanos = counters.sortNanos.sum();
        String text = rows + " rows on the device in " + counters.sortPasses.sum() + " passes";
        return options.timing() && nanos > 0
                ? text + String.format(Locale.ROOT, "; %.3f ms, %.1f million rows/s", nanos / 1e6, rows * 1e3 / nanos)
                : text;
    }

    private String moved() {
        long bytes = counters.bytesMoved.sum();
        String text =
                bytes + " bytes to the device; " + Math.max(0, counters.deviceBytesRead.sum() - bytes) + " were there";
        return options.timing() && bytes > 0
                ? text
                        + rate(
                                bytes,
                                counters.moveNanos.sum(),
                                peaks == null ? 0 : peaks.linkBytes(),
                                "that the link copies at")
                : text;
    }

    private static String rate(long bytes, long nanos, double peak, String what) {
        if (nanos == 0) {
            return ""; // not measured
        }
        String text = String.format(Locale.ROOT, "; %.3f ms", nanos / 1e6);
        double speed = bytes * 1e9 / nanos;
        text += String.format(Locale.ROOT, ", %.1f GB/s", speed / 1e9);
        return peak == 0
                ? text
                : text
                        + String.format(
                                Locale.ROOT, ", %.0f %% of the %.1f GB/s %s", 100 * speed / peak, peak / 1e9, what);
    }

    private String tier() {
        if (counters.rowsKept.sum() > 0) {
            return "none, what an earlier statement made is there";
        }
        long rows = counters.rowsIn.sum();
        long onDevice = counters.rowsOnDevice.sum();
        if (onDevice > 0) {
            return onDevice >= rows
                    ? "kernels"
                    : String.format(Locale.ROOT, "kernels for %.0f %% of the rows", 100.0 * onDevice / rows);
        }
        long compiled = counters.rowsCompiled.sum();
        if (compiled == 0 || rows == 0) {
            return "interpreted";
        }
        return compiled >= rows
                ? "compiled"
                : String.format(Locale.ROOT, "compiled for %.0f %% of the rows", 100.0 * compiled / rows);
    }

    private String read() {
        return counters.rowsIn.sum() + " rows, " + counters.bytesRead.sum() + " bytes in " + counters.batchesRead.sum()
                + " batches; " + counters.batchesSkipped.sum() + " batches skipped";
    }

    /// Bytes by the time after preparation, and what that is of the memory's speed for as many threads.
    private String speed() {
        long bytes = counters.bytesRead.sum();
        long nanos = counters.elapsedNanos.sum();
        if (!options.timing() || bytes < MIN_BYTES_FOR_SPEED || nanos == 0 || counters.launches.sum() > 0) {
            return "";
        }
        double speed = bytes * 1e9 / nanos;
        String text = String.format(Locale.ROOT, "; %.1f GB/s", speed / 1e9);
        double bandwidth = options.threads() == 0 ? 0 : MemoryBandwidth.bytesPerSecond(options.threads());
        return bandwidth == 0
                ? text
                : text
                        + String.format(
                                Locale.ROOT,
                                ", %.0f %% of the %.1f GB/s that %d threads read memory at",
                                100 * speed / bandwidth,
                                bandwidth / 1e9,
                                options.threads());
    }
}
