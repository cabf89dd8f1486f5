package dev.quarrel.cli.rows;

import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

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
            file = ArrowFileWriter.create(folder.resolve("rows.arrow"), schema(batch.schema()), options());
        }
        file.append(batch);
    }

    private static WriteOptions options() {
        return WriteOptions.PLAIN.withDurable(false);
    }

    /// The batches' types under the result's names, made distinct, since a file's columns are told apart by name.
    private Schema schema(Schema types) {
        List<Field> fields = new ArrayList<>();
        Set<String> taken = new HashSet<>();
        for (int index = 0; index < columns.size(); index++) {
            ResultColumn column = columns.get(index);
            String name = column.name();
            for (int suffix = 2; !taken.add(name); suffix++) {
                name = column.name() + "_" + suffix;
            }
            fields.add(
                    new Field(name, types.type(index), true, column.declared().text(), column.other()));
        }
        return new Schema(fields);
    }

    @Override
    public void end(long rowCount) throws IOException {
        if (file == null) {
            writeEmpty();
        }
        file.finish();
        Files.copy(folder.resolve("rows.arrow"), out);
        close();
    }

    /// A query without rows has a schema all the same.
    private void writeEmpty() {
        try (Arena arena = Arena.ofConfined()) {
            List<ColumnWriter> writers = new ArrayList<>();
            List<Field> fields = new ArrayList<>();
            for (ResultColumn column : columns) {
                DataType type = column.declared().dataType();
                writers.add(new ColumnWriter(type, Allocator.of(arena)));
                fields.add(new Field(column.name(), type, true));
            }
            write(Batch.view(new Schema(fields), ColumnWriter.finishAll(writers), 0));
        }
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
