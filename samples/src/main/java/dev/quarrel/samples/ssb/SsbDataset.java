package dev.quarrel.samples.ssb;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.DatasetWriter;
import dev.quarrel.core.arrow.WriteOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.LongConsumer;

/// Writes the benchmark's tables as one run of a dataset: a file a table, texts of few values dictionary-encoded.
public final class SsbDataset {
    private static final String SCHEMA = "public";

    private final SsbGenerator generator;
    private final int threads;
    private final String dateTable;

    /// @param dateTable the name of the table of days: `date` in the paper, `dates` or `date1` in others' queries
    public SsbDataset(SsbGenerator generator, int threads, String dateTable) {
        this.generator = generator;
        this.threads = threads;
        this.dateTable = dateTable;
    }

    /// Makes and writes all five tables; readers see them when this returns.
    ///
    /// - Errors: `QueryException` when the disk fails or another run writes to `root`; the dataset is as it was
    ///   then.
    ///
    /// @param progress is told of rows as they are written, by several threads
    /// @return rows written
    public long write(Path root, LongConsumer progress) throws IOException {
        SsbScale scale = generator.scale();
        String source = "Star Schema Benchmark, scale factor " + scale.scaleFactor() + ", seed " + scale.seed();
        long rows = 0;
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, source)) {
            for (SsbTable table : SsbTable.values()) {
                rows += write(run, table, progress);
            }
            run.commit(null, null);
        }
        return rows;
    }

    private long write(DatasetWriter run, SsbTable table, LongConsumer progress) throws IOException {
        String name = table.tableName(dateTable);
        try (ArrowFileWriter file = run.create(SCHEMA, name, table.schema(), options(table))) {
            long rows = generator.generateNumbered(table, threads, (number, batch) -> {
                file.append(number, batch);
                progress.accept(batch.rowCount());
            });
            run.add(SCHEMA, name, file.finish());
            return rows;
        }
    }

    private static WriteOptions options(SsbTable table) {
        WriteOptions options = WriteOptions.PLAIN;
        for (Map.Entry<String, Integer> column : table.wordCounts().entrySet()) {
            options = options.withDictionary(column.getKey(), column.getValue() <= Byte.MAX_VALUE ? 1 : 2);
        }
        return options;
    }
}
