package dev.quarrel.server.rows;

import dev.quarrel.calcite.CopyOptions.Compression;
import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.core.arrow.ArrowStreamWriter;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

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
        this.out = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                sink.send(new byte[] {(byte) value}, 1);
            }

            @Override
            public void write(byte[] bytes, int start, int length) throws IOException {
                if (start != 0) {
                    throw new IllegalArgumentException("a piece that begins at " + start);
                }
                if (length > 0) {
                    sink.send(bytes, length);
                }
            }
        };
    }

    @Override
    public void begin() {}

    @Override
    public void write(Batch batch) throws IOException {
        if (stream == null) {
            start(batch.schema().fields().stream().map(Field::type).toList());
        }
        stream.append(batch);
    }

    @Override
    public void end() throws IOException {
        if (stream == null) {
            start(columns.stream().map(column -> column.declared().dataType()).toList());
        }
        stream.finish();
    }

    /// The rows' types under the result's names, made distinct: many readers tell columns apart by name.
    private void start(List<DataType> types) throws IOException {
        List<Field> fields = new ArrayList<>();
        Set<String> taken = new HashSet<>();
        for (int index = 0; index < columns.size(); index++) {
            ResultColumn column = columns.get(index);
            String name = column.name();
            for (int suffix = 2; !taken.add(name); suffix++) {
                name = column.name() + "_" + suffix;
            }
            fields.add(new Field(name, types.get(index), true, column.declared().text(), column.other()));
        }
        stream = new ArrowStreamWriter(out, new Schema(fields), options);
    }
}
