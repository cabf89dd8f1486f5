package dev.quarrel.cli.rows;

import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.server.rows.ResultSchema;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Writes one query's rows as an Arrow IPC file.
///
/// The file format wants to be written at two places, so it is made in the temporary folder and copied to `out`
/// at the end.
///
/// - Errors: `QueryException` 0A000 for a second query, and for a numeric column without a declared precision.
public final class ArrowWriter implements RowWriter {
    private final OutputStream out;
    private boolean written;
    private List<ResultColumn> columns;
    private Path folder;
    private ArrowFileWriter file;

    public ArrowWriter(OutputStream out) {
        this.out = out;
    }

    @Override
    public void begin(List<ResultColumn> resultColumns) throws IOException {
        if (written) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "an Arrow file holds one query's rows, and this is the second query");
        }
        written = true;
        columns = List.copyOf(resultColumns);
        folder = Files.createTempDirectory("quarrel-sql-");
    }

    @Override
    public void write(Batch batch) {
        if (file == null) {
            List<DataType> types =
                    batch.schema().fields().stream().map(Field::type).toList();
            begin(ResultSchema.of(columns, types));
        }
        file.append(batch);
    }

    private void begin(Schema schema) {
        file = ArrowFileWriter.create(folder.resolve("rows.arrow"), schema, WriteOptions.PLAIN.withDurable(false));
    }

    @Override
    public void end(long rowCount) throws IOException {
        if (file == null) {
            begin(ResultSchema.of(columns)); // a query without rows has a schema all the same
        }
        file.finish();
        Files.copy(folder.resolve("rows.arrow"), out);
        close();
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
            file = null;
        }
        if (folder != null) {
            Files.deleteIfExists(folder.resolve("rows.arrow"));
            Files.deleteIfExists(folder);
            folder = null;
        }
    }
}
