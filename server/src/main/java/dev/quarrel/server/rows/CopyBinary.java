package dev.quarrel.server.rows;

import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.pg.TextBuffer;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/// The format binary: a signature, the rows with the bytes of each value, an end mark.
final class CopyBinary extends CopyEncoder {
    private static final byte[] SIGNATURE = {'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xFF, '\r', '\n', 0};
    private static final int FLAGS_AND_EXTENSION_BYTES = 8;
    private static final byte[] END = {-1, -1};

    private final RowValues values;
    private final Sink sink;
    private final TextBuffer row = new TextBuffer(1024);

    CopyBinary(List<ResultColumn> columns, TextStyle style, Sink sink) {
        this.sink = sink;
        short[] formats = new short[columns.size()];
        Arrays.fill(formats, (short) 1);
        this.values = RowValues.of(columns, formats, style);
    }

    /// PostgreSQL sends them with the first row.
    @Override
    public void begin() {
        for (byte next : SIGNATURE) {
            row.append(next);
        }
        for (int index = 0; index < FLAGS_AND_EXTENSION_BYTES; index++) {
            row.append((byte) 0);
        }
    }

    @Override
    public void write(Batch batch) throws IOException {
        values.open(batch);
        for (int index = 0; index < batch.rowCount(); index++) {
            values.append(index, row);
            sink.send(row.array(), row.length());
            row.clear();
        }
    }

    @Override
    public void end() throws IOException {
        for (byte next : END) {
            row.append(next);
        }
        sink.send(row.array(), row.length());
    }
}
