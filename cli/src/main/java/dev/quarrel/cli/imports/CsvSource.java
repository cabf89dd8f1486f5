package dev.quarrel.cli.imports;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.csv.CsvFile;
import dev.quarrel.core.csv.CsvFormat;
import dev.quarrel.core.csv.DelimiterGuess;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.regex.Pattern;

/// A CSV file, compressed by gzip or not.
public final class CsvSource implements ImportSource {
    private static final Pattern OF_TABS = Pattern.compile("\\.tsv(\\.gz)?$", Pattern.CASE_INSENSITIVE);
    private static final int BATCH_ROWS = 1 << 18;

    private final Schema schema;
    private final Misfits misfits;
    private final CsvFile file;

    /// Hears of a value that ends the rows, since it is none of its column's type.
    @FunctionalInterface
    interface Misfits {
        void accept(CsvFile.Misfit misfit) throws IOException;
    }

    /// How such files are written, and who reads them.
    ///
    /// @param threads read the values
    /// @param threadCount how many these are
    public record Reading(CsvFormat format, Charset encoding, Executor threads, int threadCount) {
        /// With what stands between the fields of files, by the first that says it.
        ///
        /// - Errors: `QueryException` 22P04 where files differ.
        ///
        /// @param columns how many there are; 0 where nobody says it
        public Reading withDelimiterOf(List<Path> files, int columns) throws IOException {
            Path first = null;
            byte found = DelimiterGuess.NONE;
            for (Path file : files) {
                try (InputStream in = open(file)) {
                    byte own = DelimiterGuess.of(
                            in,
                            format,
                            columns,
                            OF_TABS.matcher(file.toString()).find());
                    if (found != DelimiterGuess.NONE && own != DelimiterGuess.NONE && own != found) {
                        throw new QueryException(
                                        SqlState.BAD_COPY_FILE_FORMAT,
                                        "fields of file \"" + first + "\" are separated by '" + (char) found
                                                + "', those of file \"" + file + "\" by '" + (char) own + "'")
                                .withHint("--delimiter says what separates those of all");
                    }
                    if (found == DelimiterGuess.NONE && own != DelimiterGuess.NONE) {
                        found = own;
                        first = file;
                    }
                }
            }
            return found == DelimiterGuess.NONE
                    ? this
                    : new Reading(format.withDelimiter(found), encoding, threads, threadCount);
        }

        Reading withHeader(boolean header) {
            return new Reading(format.withHeader(header), encoding, threads, threadCount);
        }

        InputStream open(Path file) throws IOException {
            InputStream in = FileBytes.of(file);
            return encoding.equals(StandardCharsets.UTF_8) ? in : new TranscodedBytes(in, encoding);
        }
    }

    CsvSource(Path path, Schema schema, Reading reading, CsvFile.Rules rules, Misfits misfits) throws IOException {
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
