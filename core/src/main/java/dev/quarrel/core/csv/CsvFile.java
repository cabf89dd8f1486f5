package dev.quarrel.core.csv;

import dev.quarrel.core.budget.Awaited;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.run.JoinedBatch;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/// CSV, or the text format of COPY, as batches of typed columns.
///
/// One thread finds where rows end; their values are read block by block, by other threads where there are some, and
/// joined into batches.
///
/// - Errors: `QueryException` 22P04 for rows of too many or too few fields, 22P02 and its like for values; the context
///   says the line, the column and the text. That of the first wrong row, whatever was read ahead.
/// - Memory: blocks have 1 MiB of heap, unless a single row has more; there is one more of them than are read ahead.
/// - Threads: one, and those it is given.
public final class CsvFile implements AutoCloseable {
    /// What becomes of values.
    ///
    /// @param matchesHeader whether a header must have the columns' names; else it is passed over
    /// @param skipsEmptyLines whether lines on which nothing stands are no rows, unless of a single column
    /// @param found columns whose types nobody has declared: later values are written as the first ones were, by
    ///              which the types were found
    public record Rules(
            boolean matchesHeader,
            boolean skipsEmptyLines,
            Set<String> found,
            Set<String> quotedNulls,
            Set<String> neverNull,
            boolean skipsErrors,
            long rejectLimit,
            PgParse.Moment moment) {
        /// Those of files that are imported.
        public static Rules usual() {
            return new Rules(true, true, Set.of(), Set.of(), Set.of(), false, 0, PgParse.Moment.utc());
        }

        /// The same where the files show what columns there are.
        public static Rules ofFound(Set<String> found) {
            return new Rules(false, true, found, Set.of(), Set.of(), false, 0, PgParse.Moment.utc());
        }
    }

    /// A value that is none of its column's type.
    ///
    /// @param column its name
    public record Misfit(String column, String text, boolean isQuoted) {}

    /// A batch's texts end with the block that has so many bytes of them.
    private static final long BATCH_BYTES = 32L << 20;

    private static final int BLOCKS_A_THREAD = 4;

    /// A block whose values are read.
    ///
    /// @param endsBatch whether the next one is another batch's
    private record Part(CompletableFuture<RowParser.Parsed> work, int rowCount, boolean endsBatch) {}

    private final String name;
    private final InputStream in;
    private final RowScanner scanner;
    private final Supplier<RowFields> fields;
    private final Schema schema;
    private final Rules rules;
    private final Deque<Part> underWay = new ArrayDeque<>();
    private Executor threads; // null for none
    private int ahead;
    private long skipped;
    private Misfit misfit; // null before
    // Of the batch that the blocks found last belong to.
    private int partRows;
    private long partBytes;

    /// @param name for messages
    /// @param in closed with it
    /// @param schema the columns in their order; a header must have their names
    public CsvFile(String name, InputStream in, CsvFormat format, Schema schema) throws IOException {
        this(name, in, format, schema, Rules.usual());
    }

    /// The same by other rules.
    public CsvFile(String name, InputStream in, CsvFormat format, Schema schema, Rules rules) throws IOException {
        this(name, in, new CsvScanner(name, in, format), () -> new CsvFields(format), format.header(), schema, rules);
    }

    /// The text format of COPY.
    ///
    /// @param format its delimiter, text of NULL, and whether it has a header; quotes are none
    public static CsvFile ofText(String name, InputStream in, CsvFormat format, Schema schema, Rules rules)
            throws IOException {
        return new CsvFile(
                name,
                in,
                new TextScanner(name, in),
                () -> new TextFields(format.delimiter(), format.nullText()),
                format.header(),
                schema,
                rules);
    }

    private CsvFile(
            String name,
            InputStream in,
            RowScanner scanner,
            Supplier<RowFields> fields,
            boolean hasHeader,
            Schema schema,
            Rules rules)
            throws IOException {
        this.name = name;
        this.in = in;
        this.scanner = scanner;
        this.fields = fields;
        this.schema = schema;
        this.rules = rules;
        RowBlock header = hasHeader ? header() : null;
        if (header != null && rules.matchesHeader()) {
            parser(header).checkHeader();
        }
    }

    private RowBlock header() throws IOException {
        RowBlock header = scanner.next(1);
        while (rules.skipsEmptyLines() && header != null && header.count() > 0 && header.isEmpty(0)) {
            header = scanner.next(1);
        }
        return header;
    }

    private RowParser parser(RowBlock block) {
        return new RowParser(name, block, fields.get(), schema, rules);
    }

    /// Has other threads read the values.
    ///
    /// @param count of the threads
    public void readAhead(Executor others, int count) {
        threads = others;
        ahead = count * BLOCKS_A_THREAD;
    }

    /// How many rows were left out.
    public long skippedRows() {
        return skipped;
    }

    /// The value that has ended the rows; null where none has.
    public Misfit misfit() {
        return misfit;
    }

    /// The next rows, at most so many and of about 32 MiB at most; null where there are none.
    ///
    /// - Memory: the caller closes the batch.
    public Batch next(int maxRows) throws IOException {
        try (JoinedBatch rows = new JoinedBatch(schema)) {
            for (readOn(maxRows); !underWay.isEmpty(); readOn(maxRows)) {
                Part part = underWay.removeFirst();
                Batch block = taken(Awaited.of(part.work()));
                if (block != null) {
                    long known = rows.rowCount() + block.rowCount() + rowsUnderWay();
                    rows.add(block, scanner.hasEnded() ? (int) Math.min(maxRows, known) : maxRows);
                }
                if (part.endsBatch() && !rows.isEmpty()) {
                    break;
                }
            }
            return rows.take();
        }
    }

    private long rowsUnderWay() {
        return underWay.stream().mapToLong(Part::rowCount).sum();
    }

    /// Has blocks read until there are as many as may be.
    private void readOn(int maxRows) throws IOException {
        while (underWay.isEmpty() || threads != null && underWay.size() < ahead) {
            RowBlock block = scanner.hasEnded() ? null : scanner.next(maxRows - partRows);
            if (block == null) {
                return;
            }
            partRows += block.count();
            partBytes += block.byteCount();
            boolean endsBatch = partRows >= maxRows || partBytes >= BATCH_BYTES;
            if (endsBatch) {
                partRows = 0;
                partBytes = 0;
            }
            underWay.add(new Part(parsed(block), block.count(), endsBatch));
        }
    }

    private CompletableFuture<RowParser.Parsed> parsed(RowBlock block) {
        Supplier<RowParser.Parsed> work = () -> {
            RowParser.Parsed parsed = parser(block).parse();
            scanner.giveBack(block);
            return parsed;
        };
        boolean isAlone = underWay.isEmpty() && scanner.hasEnded();
        return threads == null || isAlone
                ? CompletableFuture.completedFuture(work.get())
                : CompletableFuture.supplyAsync(work, threads);
    }

    private Batch taken(RowParser.Parsed parsed) {
        boolean isTaken = false;
        try {
            long before = skipped;
            skipped += parsed.skippedCount();
            if (rules.rejectLimit() > 0 && skipped > rules.rejectLimit()) {
                throw new QueryException(
                                SqlState.INVALID_TEXT_REPRESENTATION,
                                "skipped more than REJECT_LIMIT (" + rules.rejectLimit()
                                        + ") rows due to data type incompatibility")
                        .withContext(parsed.skipped().get((int) (rules.rejectLimit() - before)));
            }
            if (parsed.failure() != null) {
                misfit = parsed.misfit();
                throw parsed.failure();
            }
            isTaken = true;
            return parsed.batch();
        } finally {
            if (!isTaken && parsed.batch() != null) {
                parsed.batch().close();
            }
        }
    }

    @Override
    public void close() throws IOException {
        for (Part each : underWay) {
            RowParser.Parsed parsed = each.work().handle((done, _) -> done).join();
            if (parsed != null && parsed.batch() != null) {
                parsed.batch().close();
            }
        }
        underWay.clear();
        in.close();
    }
}
