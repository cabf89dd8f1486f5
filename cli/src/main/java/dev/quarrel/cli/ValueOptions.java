package dev.quarrel.cli;

import dev.quarrel.export.config.ValueRules;
import java.util.List;
import picocli.CommandLine.Option;

/// The options of `quarrel export` that say what becomes of values before they are sent, and of files.
final class ValueOptions {
    @Option(
            names = "--cast",
            paramLabel = "COLUMN=TYPE",
            description = "Has PostgreSQL cast a column to another type: column, table.column or schema.table.column;"
                    + " may be repeated.")
    private List<String> casts = List.of();

    @Option(
            names = "--interval",
            paramLabel = "WHAT",
            defaultValue = "keep",
            description =
                    "What intervals become, which some readers do not know: ${COMPLETION-CANDIDATES}; microseconds"
                            + " are a bigint, of a month 30 days.")
    private ValueRules.Intervals intervals;

    @Option(
            names = "--set",
            paramLabel = "NAME=VALUE",
            description = "Sets a parameter of the sessions that read; may be repeated.")
    private List<String> settings = List.of();

    @Option(names = "--lz4", description = "Compresses with LZ4: larger than ZSTD's, and sooner unpacked.")
    private boolean lz4;

    ValueRules rules(boolean numericByValues) {
        return new ValueRules(casts, intervals, numericByValues);
    }

    List<String> settings() {
        return settings;
    }

    boolean lz4() {
        return lz4;
    }
}
