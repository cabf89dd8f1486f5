package dev.quarrel.cli;

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
        description = "Makes the Star Schema Benchmark's tables as Arrow files.",
        mixinStandardHelpOptions = true)
final class SsbCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--sf", required = true, paramLabel = "N", description = "Scale factor: 6 million rows each.")
    private double scaleFactor;

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
        if (!(scaleFactor > 0) || scaleFactor > SsbScale.MAX_SCALE_FACTOR) {
            throw new ParameterException(
                    spec.commandLine(), "--sf must be above 0 and at most " + SsbScale.MAX_SCALE_FACTOR);
        }
        if (threads < 1) {
            throw new ParameterException(spec.commandLine(), "--threads must be at least 1");
        }
        SsbGenerator generator = new SsbGenerator(new SsbScale(scaleFactor, seed));
        long start = System.nanoTime();
        long rows;
        long expected = Math.round(6_000_000 * scaleFactor);
        try (ProgressBar bar = new ProgressBar("making rows", expected)) {
            rows = new SsbDataset(generator, threads, dateTable).write(root, bar::add);
        }
        System.err.printf(
                Locale.ROOT,
                "%,d rows in 5 tables written to %s in %.1f s%n",
                rows,
                root,
                (System.nanoTime() - start) / 1e9);
        return 0;
    }
}
