package dev.quarrel.bench;

import dev.quarrel.export.ExportReport;
import dev.quarrel.export.Exporter;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.source.PostgresSource;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Locale;

/// One export in a process of its own, as `quarrel export` runs it: prints what it took as one line of JSON.
final class ExportRun {
    private ExportRun() {}

    /// @param arguments address, tables (with commas), folder, workers, batch in MiB (0: the default)
    public static void main(String[] arguments) throws IOException {
        ExportConfig.Builder config = ExportConfig.builder(PostgresSource.parse(arguments[0]), Path.of(arguments[2]))
                .tables(arguments[1].split(","))
                .workers(Integer.parseInt(arguments[3]));
        long batchMebibytes = Long.parseLong(arguments[4]);
        if (batchMebibytes > 0) {
            config.batchBytes(batchMebibytes << 20);
        }
        long start = cpuNanos();
        long startMillis = ManagementFactory.getRuntimeMXBean().getUptime();
        ExportReport report = Exporter.run(config.build());
        System.out.printf(
                Locale.ROOT,
                "{\"start_ms\": %d, \"wall_ms\": %.1f, \"cpu_ms\": %.1f, \"start_cpu_ms\": %.1f, \"rows\": %d, \"bytes\": %d}%n",
                startMillis,
                report.elapsed().toNanos() / 1e6,
                (cpuNanos() - start) / 1e6,
                start / 1e6,
                report.rowCount(),
                report.tables().stream()
                        .mapToLong(ExportReport.TableReport::byteSize)
                        .sum());
    }

    private static long cpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }
}
