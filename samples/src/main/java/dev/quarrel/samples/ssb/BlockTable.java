package dev.quarrel.samples.ssb;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.dataset.DatasetWriter;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.util.Map;
import java.util.function.LongConsumer;

/// A table that can be made block by block, and written as one file of a dataset.
///
/// @param wordCounts how many distinct texts the columns of few have, by name
record BlockTable(String name, Schema schema, Map<String, Integer> wordCounts, Blocks blocks) {
    private static final String SCHEMA_NAME = "public";

    /// @param plainText writes texts of few values as plain utf8, not as dictionaries
    /// @param progress is told of rows as they are written, by several threads
    /// @return rows written
    long write(DatasetWriter run, int threads, boolean plainText, LongConsumer progress) throws IOException {
        try (ArrowFileWriter file = run.create(SCHEMA_NAME, name, schema, options(plainText))) {
            long rows = new BlockMaker(schema, blocks).numbered(threads, (number, batch) -> {
                file.append(number, batch);
                progress.accept(batch.rowCount());
            });
            run.add(SCHEMA_NAME, name, file.finish());
            return rows;
        }
    }

    private WriteOptions options(boolean plainText) {
        WriteOptions options = WriteOptions.PLAIN;
        if (plainText) {
            return options;
        }
        for (Map.Entry<String, Integer> column : wordCounts.entrySet()) {
            options = options.withDictionary(column.getKey(), column.getValue() <= Byte.MAX_VALUE ? 1 : 2);
        }
        return options;
    }
}
