package dev.quarrel.samples.ssb;

import dev.quarrel.core.arrow.dataset.DatasetWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/// Writes the benchmark's tables as one run of a dataset: one file per table, with texts of few values
/// dictionary-encoded.
public final class SsbDataset {
    private final SsbGenerator generator;
    private final int threads;
    private final String dateTable;
    private final boolean flat;
    private final boolean plainText;

    private SsbDataset(SsbGenerator generator, int threads, String dateTable, boolean flat, boolean plainText) {
        this.generator = generator;
        this.threads = threads;
        this.dateTable = dateTable;
        this.flat = flat;
        this.plainText = plainText;
    }

    /// @param dateTable the name of the table of days: `date` in the paper, `dates` or `date1` in others' queries
    public SsbDataset(SsbGenerator generator, int threads, String dateTable) {
        this(generator, threads, dateTable, false, false);
    }

    /// Adds `lineorder_flat`: `lineorder` joined with its dimensions.
    public SsbDataset withFlat() {
        return new SsbDataset(generator, threads, dateTable, true, plainText);
    }

    /// Writes all texts as plain utf8.
    public SsbDataset withPlainText() {
        return new SsbDataset(generator, threads, dateTable, flat, true);
    }

    /// How many tables [#write] makes.
    public int tableCount() {
        return SsbTable.values().length + (flat ? 1 : 0);
    }

    /// Makes and writes all tables; readers see them when this returns.
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
            for (BlockTable table : tables()) {
                rows += table.write(run, threads, plainText, progress);
            }
            run.commit(null, null);
        }
        return rows;
    }

    private List<BlockTable> tables() {
        List<BlockTable> tables = new ArrayList<>();
        for (SsbTable table : SsbTable.values()) {
            tables.add(new BlockTable(
                    table.tableName(dateTable), table.schema(), table.wordCounts(), generator.blocks(table)));
        }
        if (flat) {
            tables.add(FlatBlocks.table(generator.scale()));
        }
        return tables;
    }
}
