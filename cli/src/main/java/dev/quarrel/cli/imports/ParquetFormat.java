package dev.quarrel.cli.imports;

import dev.hardwood.HardwoodContext;
import java.io.IOException;
import java.nio.file.Path;

/// Parquet files, which one pool of threads decodes.
public final class ParquetFormat implements ImportFormat {
    private final HardwoodContext context = HardwoodContext.create();

    @Override
    public ImportSource open(Path file) throws IOException {
        return new ParquetSource(file, context, ReadBatch.MAX_ENTRIES);
    }

    @Override
    public void close() {
        context.close();
    }
}
