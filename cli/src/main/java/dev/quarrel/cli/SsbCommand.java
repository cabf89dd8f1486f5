package dev.quarrel.cli;

import dev.quarrel.samples.ssb.ReadingsDataset;
import dev.quarrel.samples.ssb.SsbDataset;
import dev.quarrel.samples.ssb.SsbGenerator;
import dev.quarrel.samples.ssb.SsbScale;
import dev.quarrel.samples.ssb.SsbTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `quarrel ssb`: the Star Schema Benchmark's tables as a dataset.
@Command(
        name = "ssb",
        description = "Makes the Star Schema Benchmark's tables, and wide test tables, as Arrow files.",
        mixinStandardHelpOptions = true)
final class SsbCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--sf",
            paramLabel = "N",
            description = "Scale factor: 6 million rows each; may be left out with --readings.")
    private Double scaleFactor;

    @Option(names = "--flat", description = "Adds the table lineorder_flat: lineorder joined with its dimensions.")
    private boolean flat;

    @Option(
            names = "--readings",
            paramLabel = "ROWS",
            description = "Makes the table readings: what a fleet's sensors report, ascending in time.")
    private Long readings;

    @Option(names = "--plain-text", description = "Writes texts of few values as plain utf8, not as dictionaries.")
    private boolean plainText;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "ROOT",
            description = "The dataset's folder; made where it is missing.")
    private Path root;

    @Option(
            names = "--seed",
            paramLabel = "S",
            description = "Other rows for another number; the same rows for the same one.")
    private long seed = SsbScale.DEFAULT_SEED;

    @Option(
            names = "--date-table",
            defaultValue = SsbTable.DEFAULT_DATE_TABLE,
            paramLabel = "NAME",
            description = "The table of days; default ${DEFAULT-VALUE}.")
    private String dateTable;

    @Option(names = "--threads", paramLabel = "N", description = "Makers of rows; default: all cores.")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Override
    public Integer call() throws IOException {
        if (scaleFactor == null && readings == null) {
            throw wrong("one of --sf and --readings must be given");
        }
        if (scaleFactor != null && (!(scaleFactor > 0) || scaleFactor > SsbScale.MAX_SCALE_FACTOR)) {
            throw wrong("--sf must be above 0 and at most " + SsbScale.MAX_SCALE_FACTOR);
        }
        if (scaleFactor == null && flat) {
            throw wrong("--flat needs --sf");
        }
        if (readings != null && (readings < 1 || readings > ReadingsDataset.MAX_ROWS)) {
            throw wrong("--readings must be within 1 and " + ReadingsDataset.MAX_ROWS);
        }
        if (threads < 1) {
            throw wrong("--threads must be at least 1");
        }
        long start = System.nanoTime();
        long rows = 0;
        int tables = 0;
        if (scaleFactor != null) {
            SsbDataset dataset = new SsbDataset(new SsbGenerator(new SsbScale(scaleFactor, seed)), threads, dateTable);
            dataset = flat ? dataset.withFlat() : dataset;
            dataset = plainText ? dataset.withPlainText() : dataset;
            try (ProgressBar bar =
                    new ProgressBar("making rows", Math.round(6_000_000 * scaleFactor) * (flat ? 2 : 1))) {
                rows += dataset.write(root, bar::add);
            }
            tables += dataset.tableCount();
        }
        if (readings != null) {
            try (ProgressBar bar = new ProgressBar("making readings", readings)) {
                rows += new ReadingsDataset(readings, seed, threads, plainText).write(root, bar::add);
            }
            tables++;
        }
        System.err.printf(
                Locale.ROOT,
                "%,d rows in %d %s written to %s in %.1f s%n",
                rows,
                tables,
                tables == 1 ? "table" : "tables",
                root,
                (System.nanoTime() - start) / 1e9);
        return 0;
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
