package dev.quarrel.server.rows;

import dev.quarrel.calcite.CopyOptions.Compression;
import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.core.arrow.ArrowStreamWriter;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/// The format arrow: an IPC stream, in pieces of any size.
///
/// The schema goes out with the first batch, whose types are those of the rows, or at the end of a result without any.
final class CopyArrow extends CopyEncoder {
    /// Makes texts small at little cost.
    private static final int ZSTD_LEVEL = 3;

    private final List<ResultColumn> columns;
    private final WriteOptions options;
    private final OutputStream out;
    private ArrowStreamWriter stream;

    CopyArrow(List<ResultColumn> columns, Compression compression, Sink sink) {
        this.columns = columns;
        this.options = switch (compression) {
            case NONE -> WriteOptions.PLAIN;
            case LZ4 -> WriteOptions.PLAIN.withLz4();
            case ZSTD -> WriteOptions.PLAIN.withZstd(ZSTD_LEVEL);
        };
        this.out = new SinkStream(sink);
    }

    @Override
    public void begin() {}

    @Override
    public void write(Batch batch) throws IOException {
        if (stream == null) {
            List<DataType> types =
                    batch.schema().fields().stream().map(Field::type).toList();
            stream = new ArrowStreamWriter(out, ResultSchema.of(columns, types), options);
        }
        stream.append(batch);
    }

    @Override
    public void end() throws IOException {
        if (stream == null) {
            stream = new ArrowStreamWriter(out, ResultSchema.of(columns), options);
        }
        stream.finish();
    }
}
