package dev.quarrel.cli.imports;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.csv.CsvFile;
import dev.quarrel.core.csv.CsvFormat;
import dev.quarrel.core.csv.DelimiterGuess;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;

/// A CSV file, compressed by gzip or not.
public final class CsvSource implements ImportSource {
    private static final int BATCH_ROWS = 1 << 18;

    private final Schema schema;
    private final Consumer<CsvFile.Misfit> misfits;
    private final CsvFile file;

    /// How such files are written, and who reads them.
    ///
    /// @param threads read the values
    /// @param threadCount how many these are
    public record Reading(CsvFormat format, Charset encoding, Executor threads, int threadCount) {
        /// With what stands between the fields of a file.
        public Reading withDelimiterOf(Path file) throws IOException {
            try (InputStream in = open(file)) {
                byte delimiter = DelimiterGuess.of(in, format);
                return new Reading(format.withDelimiter(delimiter), encoding, threads, threadCount);
            }
        }

        Reading withHeader(boolean header) {
            return new Reading(format.withHeader(header), encoding, threads, threadCount);
        }

        InputStream open(Path file) throws IOException {
            InputStream in = Files.newInputStream(file);
            if (file.toString().endsWith(".gz")) {
                in = new GZIPInputStream(in, 1 << 16);
            }
            return encoding.equals(StandardCharsets.UTF_8) ? in : new TranscodedBytes(in, encoding);
        }
    }

    /// @param misfits hears of a value that ends the rows, since it is none of its column's type
    CsvSource(Path path, Schema schema, Reading reading, CsvFile.Rules rules, Consumer<CsvFile.Misfit> misfits)
            throws IOException {
        this.schema = schema;
        this.misfits = misfits;
        this.file = new CsvFile(path.toString(), reading.open(path), reading.format(), schema, rules);
        file.readAhead(reading.threads(), reading.threadCount());
    }

    /// Files that have these columns, in this order.
    public static ImportFormat of(List<Field> columns, Reading reading) {
        Schema schema = new Schema(columns);
        return file -> new CsvSource(file, schema, reading, CsvFile.Rules.usual(), _ -> {});
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public Batch next() throws IOException {
        try {
            return file.next(BATCH_ROWS);
        } catch (QueryException wrong) {
            if (file.misfit() != null) {
                misfits.accept(file.misfit());
            }
            throw wrong;
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
