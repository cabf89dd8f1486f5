package dev.quarrel.server.rows;

import dev.quarrel.calcite.CopyOptions;
import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.core.arrow.Codec;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.parquet.ParquetWriter;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/// The format parquet: a file, in pieces of any size.
///
/// The types are those of the first batch's rows, or the declared ones of a result without any.
final class CopyParquet extends CopyEncoder {
    private final List<ResultColumn> columns;
    private final Codec codec;
    private final int rowGroupRows;
    private final OutputStream out;
    private ParquetWriter file;

    CopyParquet(List<ResultColumn> columns, CopyOptions options, Sink sink) {
        this.columns = columns;
        this.codec = switch (options.compression()) {
            case NONE -> Codec.PLAIN;
            case LZ4 -> Codec.LZ4_FRAME;
            case ZSTD -> Codec.ZSTD;
        };
        this.rowGroupRows = options.rowGroupRows() == 0 ? ParquetWriter.ROW_GROUP_ROWS : options.rowGroupRows();
        this.out = new SinkStream(sink);
    }

    @Override
    public void begin() {}

    @Override
    public void write(Batch batch) throws IOException {
        if (file == null) {
            List<DataType> types =
                    batch.schema().fields().stream().map(Field::type).toList();
            open(ResultSchema.of(columns, types));
        }
        file.append(batch);
    }

    private void open(Schema schema) throws IOException {
        file = new ParquetWriter(out, schema, codec, rowGroupRows);
    }

    @Override
    public void end() throws IOException {
        if (file == null) {
            open(ResultSchema.of(columns));
        }
        file.finish();
    }
}
