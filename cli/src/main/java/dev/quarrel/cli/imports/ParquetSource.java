package dev.quarrel.cli.imports;

import dev.hardwood.InputFile;
import dev.hardwood.reader.ColumnReaders;
import dev.hardwood.reader.ParquetFileReader;
import dev.hardwood.schema.ColumnProjection;
import dev.hardwood.schema.ColumnSchema;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Parquet files of the same columns, read by Hardwood, column by column.
///
/// Integers, floats, decimals to 38 digits, booleans, dates, times, timestamps, texts, JSON, UUIDs, half floats,
/// intervals and bytes are read ([ParquetColumn]); columns of lists, maps and structs are refused.
///
/// - Errors: `QueryException` 0A000 for a column or a compression that is not read, 22P04 for what is no Parquet file,
///   with the file's name.
public final class ParquetSource implements ImportSource {
    private static final int BATCH_ROWS = 1 << 17;

    private final List<Path> files;
    private final Schema schema;
    private int nextFile;
    private Path path;
    private ParquetFileReader file;
    private ColumnReaders readers;
    private List<ParquetColumn> columns = List.of();

    private ParquetSource(List<Path> files) throws IOException {
        this.files = List.copyOf(files);
        boolean isOpen = false;
        try {
            advance();
            this.schema = new Schema(columns.stream().map(ParquetColumn::field).toList());
            isOpen = true;
        } finally {
            if (!isOpen) {
                close();
            }
        }
    }

    /// @param files at least one; the first says what columns there are
    public static ParquetSource open(List<Path> files) throws IOException {
        return new ParquetSource(files);
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public Batch next() throws IOException {
        while (true) {
            if (file == null) {
                if (nextFile == files.size()) {
                    return null;
                }
                advance();
                requireSameColumns();
            }
            Batch batch = batch();
            if (batch != null) {
                return batch;
            }
            closeFile();
        }
    }

    private void advance() throws IOException {
        path = files.get(nextFile++);
        try {
            file = ParquetFileReader.open(InputFile.of(path));
            columns = new ArrayList<>();
            for (ColumnSchema column : file.getFileSchema().getColumns()) {
                columns.add(ParquetColumn.of(column, path));
            }
            readers = file.buildColumnReaders(ColumnProjection.all())
                    .batchSize(BATCH_ROWS)
                    .build();
        } catch (QueryException refused) {
            throw refused;
        } catch (IOException | RuntimeException | LinkageError broken) {
            throw unreadable(broken);
        }
    }

    private void requireSameColumns() {
        List<Field> fields = columns.stream().map(ParquetColumn::field).toList();
        boolean isSame = fields.size() == schema.size();
        for (int column = 0; isSame && column < fields.size(); column++) {
            Field one = fields.get(column);
            Field first = schema.field(column);
            isSame = one.name().equals(first.name()) && one.type().equals(first.type());
        }
        if (!isSame) {
            throw new QueryException(
                            SqlState.DATATYPE_MISMATCH,
                            "file \"" + path + "\" has other columns than \"" + files.getFirst() + "\"")
                    .withHint("import it by itself, with --append");
        }
    }

    private Batch batch() {
        PooledMemory memory = new PooledMemory();
        Batch batch = null;
        try {
            if (!readers.nextBatch()) {
                return null;
            }
            int rows = readers.getRecordCount();
            List<ColumnWriter> writers = new ArrayList<>();
            for (int column = 0; column < columns.size(); column++) {
                ColumnWriter writer =
                        new ColumnWriter(columns.get(column).field().type(), memory, rows);
                columns.get(column).copy(readers.getColumnReader(column), rows, writer);
                writers.add(writer);
            }
            batch = Batch.owning(schema, ColumnWriter.finishAll(writers), rows, memory::close);
            return batch;
        } catch (QueryException wrong) {
            throw new QueryException(wrong.state(), "file \"" + path + "\": " + wrong.getMessage());
        } catch (RuntimeException | LinkageError broken) {
            throw unreadable(broken);
        } finally {
            if (batch == null) {
                memory.close();
            }
        }
    }

    private QueryException unreadable(Throwable broken) {
        boolean lacksLibrary = broken instanceof LinkageError || broken.getCause() instanceof LinkageError;
        return lacksLibrary
                ? new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED, "file \"" + path + "\" has a compression that is not read")
                : new QueryException(
                        SqlState.BAD_COPY_FILE_FORMAT,
                        "file \"" + path + "\" cannot be read as Parquet: " + broken.getMessage());
    }

    private void closeFile() throws IOException {
        try (ParquetFileReader closing = file) {
            if (readers != null) {
                readers.close();
            }
        } finally {
            file = null;
            readers = null;
        }
    }

    @Override
    public void close() throws IOException {
        closeFile();
    }
}
