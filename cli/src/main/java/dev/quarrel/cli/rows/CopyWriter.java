package dev.quarrel.cli.rows;

import dev.quarrel.calcite.CopyOptions;
import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
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
        if (encoder != null && options.format() == CopyOptions.Format.PARQUET) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "a Parquet file holds one query's rows, and this is the second query");
        }
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
