package dev.quarrel.bench;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.device.Device;
import dev.quarrel.core.device.DeviceProvider;
import dev.quarrel.core.run.MemoryBandwidth;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.cuda.host.HostProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A suite's queries on the CUDA device and on the CPU: whether the rows are the same, and how long each takes, as a
/// table in Markdown.
///
/// - *hot*: all columns are on the device; *cold*: none is, and files are in the page cache.
/// - *floor*: the bytes of the columns that kernels read, at the speed that the device reads its memory at.
public final class GpuQueries {
    private static final Pattern KERNELS =
            Pattern.compile("Kernels: (\\d+) launches over (\\d+) bytes of columns(?:; ([\\d.]+) ms)?");
    private static final Pattern MOVED =
            Pattern.compile("Moved: (\\d+) bytes to the device; \\d+ were there(?:; ([\\d.]+) ms)?");
    private static final Pattern DEVICE = Pattern.compile("^ +Device: (\\S+) \\((.*)\\)$");
    private static final Pattern FALLBACK = Pattern.compile("^ +Fallback: (.*)$");
    private static final int WARM_UPS = 3;
    private static final String DIFFER = "**DIFFER**";

    private final String device;
    private final Path data;
    private final Map<String, String> queries; // texts by name
    private final int runs;
    private final int threads;
    private final Path file;
    private final StringBuilder report = new StringBuilder();
    private boolean isEqual = true;

    /// What EXPLAIN ANALYZE says that the device did.
    private static final class Work {
        private long launches;
        private long bytes;
        private double kernelMillis;
        private long movedBytes;
        private double moveMillis;
        private int pipelines;
        private int onDevice;
        private final Set<String> reasons = new LinkedHashSet<>();
    }

    private record Line(String query, double hot, double cpu, double kernels, double floor, double cold) {}

    private GpuQueries(String device, Path data, Map<String, String> queries, int runs, int threads, Path file) {
        this.device = device;
        this.data = data;
        this.queries = queries;
        this.runs = runs;
        this.threads = threads;
        this.file = file;
    }

    /// Adds to the file what is known by now: whoever has waited long enough has that.
    private void tell() throws IOException {
        System.out.print(report);
        Files.writeString(file, report, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        report.setLength(0);
    }

    /// Arguments: `cuda` or `cuda-host`; the dataset's folder; the folder of queries; timed runs a query; threads; the
    /// file that the report is added to. Ends with 1 where the devices' rows differ.
    public static void main(String[] arguments) throws IOException {
        GpuQueries suite = new GpuQueries(
                arguments[0],
                Path.of(arguments[1]),
                SuiteQueries.read(Path.of(arguments[2]), "quarrel", List.of()),
                Integer.parseInt(arguments[3]),
                Integer.parseInt(arguments[4]),
                Path.of(arguments[5]));
        suite.run();
        suite.tell();
        System.exit(suite.isEqual ? 0 : 1);
    }

    private Engine open() {
        List<DeviceProvider> more = device.equals("cuda-host") ? List.of(new HostProvider()) : List.of();
        return LocalEngine.open(
                DatasetCatalog.open(data), EngineConfig.defaults().withThreads(threads), more);
    }

    private void run() throws IOException {
        double peak;
        try (Engine engine = open()) {
            Device found = engine.devices().stream()
                    .filter(candidate -> candidate.name().equals(device))
                    .findFirst()
                    .orElse(null);
            if (found == null) {
                report.append("not run: ")
                        .append(device)
                        .append(": ")
                        .append(engine.missingDevices())
                        .append('\n');
                isEqual = false;
                return;
            }
            report.append(found.description())
                    .append("; ")
                    .append(threads)
                    .append(" threads; median of ")
                    .append(runs)
                    .append('\n');
            peak = found.peaks() == null
                    ? MemoryBandwidth.bytesPerSecond(threads)
                    : found.peaks().memoryBytes();
            report.append(String.format(Locale.ROOT, "The floor is at %.1f GB/s", peak / 1e9))
                    .append(found.peaks() == null ? ", what this machine's CPU reads memory at.\n\n" : ".\n\n");
            // What the JVM compiles it compiles before anything is timed.
            for (String sql : queries.values()) {
                answer(engine, sql, device);
            }
        }
        report.append(
                        "| query | rows | hot, ms | CPU, ms | ratio | kernels, ms | launches | MB read | floor, ms | kernels' share")
                .append(" | share | cold, ms | MB moved | GB/s | on the device |\n")
                .append("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
        List<Line> lines = new ArrayList<>();
        Map<String, Set<String>> reasons = new LinkedHashMap<>();
        for (Map.Entry<String, String> query : queries.entrySet()) {
            tell();
            try {
                lines.add(measure(query.getKey(), query.getValue(), peak, reasons));
            } catch (QueryException failure) {
                isEqual = false;
                report.append("| ")
                        .append(query.getKey())
                        .append(" | ")
                        .append(failure.getMessage())
                        .append(" |\n");
            }
        }
        double hot = lines.stream().mapToDouble(Line::hot).sum();
        double cpu = lines.stream().mapToDouble(Line::cpu).sum();
        double kernels = lines.stream().mapToDouble(Line::kernels).sum();
        double floor = lines.stream().mapToDouble(Line::floor).sum();
        report.append(String.format(
                Locale.ROOT,
                "| **sum** | | %.2f | %.2f | %.1f | %.3f | | | %.3f | %s | %s | %.1f | | | |%n",
                hot,
                cpu,
                cpu / hot,
                kernels,
                floor,
                share(floor, kernels),
                share(floor, hot),
                lines.stream().mapToDouble(Line::cold).sum()));
        report.append('\n');
        reasons.forEach((reason, queries) -> report.append("- ")
                .append(String.join(", ", queries))
                .append(": ")
                .append(reason)
                .append('\n'));
    }

    private static String share(double floor, double millis) {
        return millis == 0 ? "–" : String.format(Locale.ROOT, "%.0f %%", 100 * floor / millis);
    }

    private Line measure(String query, String sql, double peak, Map<String, Set<String>> reasons) {
        double cold;
        try (Engine engine = open();
                SqlSession session = session(engine, device)) {
            Statements.execute(session, "EXPLAIN " + sql, _ -> {}); // planning is not what is cold
            cold = once(session, sql);
        }
        Work coldWork;
        try (Engine engine = open();
                SqlSession session = session(engine, device)) {
            coldWork = analyzed(session, sql);
        }
        try (Engine engine = open();
                SqlSession session = session(engine, device);
                SqlSession other = session(engine, "cpu")) {
            String rows = compared(rows(session, sql), rows(other, sql));
            isEqual &= !rows.equals(DIFFER);
            double hot = median(session, sql);
            Work work = analyzed(session, sql);
            for (int run = 1; run < WARM_UPS; run++) {
                Work again = analyzed(session, sql);
                work = again.kernelMillis < work.kernelMillis ? again : work;
            }
            double cpu = median(other, sql);
            double floor = work.bytes / peak * 1e3;
            report.append(String.format(
                    Locale.ROOT,
                    "| %s | %s | %.2f | %.2f | %.1f | %.3f | %d | %.1f | %.3f | %s | %s | %.1f | %.1f | %.1f | %d of %d |%n",
                    query,
                    rows,
                    hot,
                    cpu,
                    cpu / hot,
                    work.kernelMillis,
                    work.launches,
                    work.bytes / 1e6,
                    floor,
                    share(floor, work.kernelMillis),
                    share(floor, hot),
                    cold,
                    coldWork.movedBytes / 1e6,
                    coldWork.moveMillis == 0 ? 0 : coldWork.movedBytes / coldWork.moveMillis / 1e6,
                    work.onDevice,
                    work.pipelines));
            work.reasons.forEach(reason ->
                    reasons.computeIfAbsent(reason, _ -> new LinkedHashSet<>()).add(query));
            return new Line(query, hot, cpu, work.kernelMillis, floor, cold);
        }
    }

    private static SqlSession session(Engine engine, String device) {
        SqlSession session = engine.openSession("bench");
        Statements.execute(session, "SET quarrel.device = " + (device.equals("cpu") ? "cpu" : "cuda"), _ -> {});
        return session;
    }

    private static void answer(Engine engine, String sql, String device) {
        try (SqlSession session = session(engine, device)) {
            Statements.execute(session, sql, _ -> {});
        } catch (QueryException told) {
            // where its turn comes
        }
    }

    private static double once(SqlSession session, String sql) {
        long start = System.nanoTime();
        Statements.execute(session, sql, _ -> {});
        return (System.nanoTime() - start) / 1e6;
    }

    private double median(SqlSession session, String sql) {
        for (int run = 0; run < WARM_UPS; run++) {
            once(session, sql);
        }
        double[] millis = new double[runs];
        for (int run = 0; run < runs; run++) {
            millis[run] = once(session, sql);
        }
        Arrays.sort(millis);
        return millis[runs / 2];
    }

    /// Where an order leaves ties they may come either way round.
    private static String compared(List<String> rows, List<String> others) {
        if (rows.equals(others)) {
            return "equal";
        }
        return rows.stream().sorted().toList().equals(others.stream().sorted().toList())
                ? "equal, ties otherwise"
                : DIFFER;
    }

    private static List<String> rows(SqlSession session, String sql) {
        List<String> rows = new ArrayList<>();
        Statements.execute(session, sql, batch -> Statements.rows(batch, cells -> rows.add(cells.toString())));
        return rows;
    }

    private Work analyzed(SqlSession session, String sql) {
        Work work = new Work();
        Statements.execute(
                session,
                "EXPLAIN (ANALYZE) " + sql,
                batch -> Statements.rows(batch, cells -> read(cells.getFirst(), work)));
        return work;
    }

    private void read(String line, Work work) {
        Matcher kernels = KERNELS.matcher(line);
        if (kernels.find()) {
            work.launches += Long.parseLong(kernels.group(1));
            work.bytes += Long.parseLong(kernels.group(2));
            work.kernelMillis += kernels.group(3) == null ? 0 : Double.parseDouble(kernels.group(3));
        }
        Matcher moved = MOVED.matcher(line);
        if (moved.find()) {
            work.movedBytes += Long.parseLong(moved.group(1));
            work.moveMillis += moved.group(2) == null ? 0 : Double.parseDouble(moved.group(2));
        }
        Matcher placed = DEVICE.matcher(line);
        if (placed.find()) {
            work.pipelines++;
            if (placed.group(1).equals(device)) {
                work.onDevice++;
            } else {
                work.reasons.add(placed.group(2));
            }
        }
        Matcher fallback = FALLBACK.matcher(line);
        if (fallback.find()) {
            work.onDevice--;
            work.reasons.add(fallback.group(1));
        }
    }
}
