package dev.quarrel.cli.rows;

import dev.quarrel.calcite.CopyOptions;
import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.core.column.Batch;
import dev.quarrel.server.rows.CopyEncoder;
import dev.quarrel.server.rows.TextStyle;
import java.io.IOException;
import java.io.OutputStream;
import java.time.ZoneOffset;
import java.util.List;

/// Writes rows as PostgreSQL's `COPY … TO STDOUT` does, times in UTC.
public final class CopyWriter implements RowWriter {
    private final OutputStream out;
    private final CopyOptions options;
    private CopyEncoder encoder;

    public CopyWriter(OutputStream out, CopyOptions options) {
        this.out = out;
        this.options = options;
    }

    @Override
    public void begin(List<ResultColumn> columns) throws IOException {
        encoder = CopyEncoder.of(
                columns, options, TextStyle.in(ZoneOffset.UTC), (bytes, length) -> out.write(bytes, 0, length));
        encoder.begin();
    }

    @Override
    public void write(Batch batch) throws IOException {
        encoder.write(batch);
    }

    @Override
    public void end(long rowCount) throws IOException {
        encoder.end();
    }
}
