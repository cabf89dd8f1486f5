package dev.quarrel.cli.imports;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.csv.CsvColumns;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.zip.GZIPInputStream;

/// A CSV file, compressed by gzip or not.
public final class CsvSource implements ImportSource {
    private static final int SNIFFED_ROWS = 10_000;
    private static final int LEAST_SNIFFED_ROWS = 100;
    private static final int BATCH_ROWS = 1 << 18;

    private final Schema schema;
    private final CsvFile file;

    /// How such files are written, and who reads them.
    ///
    /// @param threads read the values
    /// @param threadCount how many these are
    public record Reading(CsvFormat format, Charset encoding, Executor threads, int threadCount) {
        private InputStream open(Path file) throws IOException {
            InputStream in = Files.newInputStream(file);
            if (file.toString().endsWith(".gz")) {
                in = new GZIPInputStream(in, 1 << 16);
            }
            return encoding.equals(StandardCharsets.UTF_8) ? in : new TranscodedBytes(in, encoding);
        }
    }

    private CsvSource(Path path, Schema schema, Reading reading) throws IOException {
        this.schema = schema;
        this.file = new CsvFile(path.toString(), reading.open(path), reading.format(), schema);
        file.readAhead(reading.threads(), reading.threadCount());
    }

    /// Files that have these columns, in this order.
    public static ImportFormat of(List<Field> columns, Reading reading) {
        Schema schema = new Schema(columns);
        return file -> new CsvSource(file, schema, reading);
    }

    /// Files whose first rows say what columns they have.
    ///
    /// @param known columns of the table, whose types hold where none are said
    public static ImportFormat sniffed(List<Path> files, List<Field> known, Reading reading) throws IOException {
        CsvColumns columns = new CsvColumns(reading.format());
        int rows = Math.max(LEAST_SNIFFED_ROWS, SNIFFED_ROWS / files.size());
        Map<Path, List<String>> names = new HashMap<>();
        for (Path file : files) {
            try (InputStream in = reading.open(file)) {
                names.put(file, columns.add(file.toString(), in, rows));
            }
        }
        if (columns.fields().isEmpty()) {
            throw new QueryException(SqlState.BAD_COPY_FILE_FORMAT, "file \"" + files.getFirst() + "\" has no columns");
        }
        Map<String, Field> fields = new HashMap<>();
        columns.fields().forEach(field -> fields.put(field.name(), field));
        known.forEach(field -> fields.replace(field.name(), field));
        return file -> new CsvSource(
                file, new Schema(names.get(file).stream().map(fields::get).toList()), reading);
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public Batch next() throws IOException {
        return file.next(BATCH_ROWS);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
