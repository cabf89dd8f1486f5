package dev.quarrel.cli.imports;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.csv.ColumnList;
import dev.quarrel.core.csv.CsvFile;
import dev.quarrel.core.csv.CsvFormat;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.zip.GZIPInputStream;

/// CSV files of the same columns, compressed by gzip or not.
public final class CsvSource implements ImportSource {
    private static final int SNIFFED_ROWS = 10_000;
    private static final int BATCH_ROWS = 1 << 18;

    private final List<Path> files;
    private final CsvFormat format;
    private final Charset encoding;
    private final Schema schema;
    private final Executor threads;
    private final int threadCount;
    private int nextFile;
    private CsvFile file;

    private CsvSource(
            List<Path> files, CsvFormat format, Charset encoding, Schema schema, Executor threads, int threadCount) {
        this.files = List.copyOf(files);
        this.format = format;
        this.encoding = encoding;
        this.schema = schema;
        this.threads = threads;
        this.threadCount = threadCount;
    }

    /// @param columns names and types, or null: by the first file's first rows
    /// @param known columns of the table, whose types hold where none are said
    /// @param threads read the values
    /// @param threadCount how many these are
    public static CsvSource open(
            List<Path> files,
            CsvFormat format,
            Charset encoding,
            String columns,
            List<Field> known,
            Executor threads,
            int threadCount)
            throws IOException {
        List<Field> fields;
        if (columns != null) {
            fields = ColumnList.parse(columns);
        } else {
            try (InputStream in = open(files.getFirst(), encoding)) {
                fields = CsvFile.sniffed(files.getFirst().toString(), in, format, SNIFFED_ROWS).stream()
                        .map(field -> known.stream()
                                .filter(each -> each.name().equals(field.name()))
                                .findFirst()
                                .orElse(field))
                        .toList();
            }
        }
        if (fields.isEmpty()) {
            throw new QueryException(SqlState.BAD_COPY_FILE_FORMAT, "file \"" + files.getFirst() + "\" has no columns");
        }
        if (fields.stream().map(Field::name).distinct().count() < fields.size()) {
            throw new QueryException(
                            SqlState.DUPLICATE_COLUMN, "file \"" + files.getFirst() + "\" has two columns of one name")
                    .withHint("name them: --columns");
        }
        return new CsvSource(files, format, encoding, new Schema(fields), threads, threadCount);
    }

    private static InputStream open(Path file, Charset encoding) throws IOException {
        InputStream in = Files.newInputStream(file);
        if (file.toString().endsWith(".gz")) {
            in = new GZIPInputStream(in, 1 << 16);
        }
        return encoding.equals(StandardCharsets.UTF_8) ? in : new TranscodedBytes(in, encoding);
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
                Path path = files.get(nextFile++);
                file = new CsvFile(path.toString(), open(path, encoding), format, schema);
                file.readAhead(threads, threadCount);
            }
            Batch batch = file.next(BATCH_ROWS);
            if (batch != null) {
                return batch;
            }
            file.close();
            file = null;
        }
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
