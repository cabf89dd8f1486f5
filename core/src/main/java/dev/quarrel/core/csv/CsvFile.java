package dev.quarrel.core.csv;

import dev.quarrel.core.budget.Awaited;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/// CSV, or the text format of COPY, as batches of typed columns.
///
/// One thread finds where rows end; their values are read block by block, by other threads where there are some.
///
/// - Errors: `QueryException` 22P04 for rows of too many or too few fields, 22P02 and its like for values; the context
///   says the line, the column and the text. That of the first wrong row, whatever was read ahead.
/// - Memory: blocks have 32 MiB of heap at most, unless a single row has more; there is one more of them than are read
///   ahead.
/// - Threads: one, and those it is given.
public final class CsvFile implements AutoCloseable {
    /// What becomes of values.
    ///
    /// @param matchesHeader whether a header must have the columns' names; else it is passed over
    /// @param quotedNulls columns whose values in quotes may be NULL
    /// @param neverNull columns whose values without quotes are never NULL
    /// @param skipsErrors whether rows are left out that have a value which is none of its type
    /// @param rejectLimit how many of these are too many; 0 for none
    /// @param moment how texts of times are read
    public record Rules(
            boolean matchesHeader,
            Set<String> quotedNulls,
            Set<String> neverNull,
            boolean skipsErrors,
            long rejectLimit,
            PgParse.Moment moment) {
        static Rules usual() {
            return new Rules(true, Set.of(), Set.of(), false, 0, PgParse.Moment.utc());
        }
    }

    private final String name;
    private final InputStream in;
    private final RowScanner scanner;
    private final Supplier<RowFields> fields;
    private final Schema schema;
    private final Rules rules;
    private final Deque<CompletableFuture<RowParser.Parsed>> underWay = new ArrayDeque<>();
    private Executor threads; // null for none
    private int ahead;
    private long skipped;

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
        RowBlock header = hasHeader ? scanner.next(1) : null;
        if (header != null && rules.matchesHeader()) {
            parser(header).checkHeader();
        }
    }

    private RowParser parser(RowBlock block) {
        return new RowParser(name, block, fields.get(), schema, rules);
    }

    /// Has other threads read the values.
    ///
    /// @param most so many blocks of rows are read ahead
    public void readAhead(Executor others, int most) {
        threads = others;
        ahead = most;
    }

    /// How many rows were left out.
    public long skippedRows() {
        return skipped;
    }

    /// The next rows, at most so many; null where there are none.
    ///
    /// - Memory: the caller closes the batch.
    public Batch next(int maxRows) throws IOException {
        while (true) {
            while (underWay.isEmpty() || threads != null && underWay.size() < ahead) {
                RowBlock block = scanner.hasEnded() ? null : scanner.next(maxRows);
                if (block == null) {
                    break;
                }
                underWay.add(parsed(block));
            }
            if (underWay.isEmpty()) {
                return null;
            }
            Batch batch = taken(Awaited.of(underWay.removeFirst()));
            if (batch != null) {
                return batch;
            }
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

    /// The columns of CSV of which nobody says the types: what the first rows' values are.
    ///
    /// @param name for messages
    /// @param maxRows how many are looked at
    public static List<Field> sniffed(String name, InputStream in, CsvFormat format, int maxRows) throws IOException {
        CsvScanner scanner = new CsvScanner(name, in, format);
        CsvFields row = new CsvFields(format);
        List<String> names = new ArrayList<>();
        List<TypeGuess> guesses = new ArrayList<>();
        int rows = 0;
        while (rows < maxRows) {
            RowBlock block = scanner.next(maxRows - rows);
            if (block == null) {
                break;
            }
            if (block.fault() != null) {
                throw block.fault();
            }
            for (int index = 0; index < block.count(); index++, rows++) {
                row.cut(block.bytes(), block.start(index), block.end(index));
                if (rows == 0 && format.header()) {
                    addNames(row, names);
                } else {
                    addValues(row, guesses);
                }
            }
        }
        List<Field> fields = new ArrayList<>();
        for (int column = 0; column < Math.max(names.size(), guesses.size()); column++) {
            String columnName = column < names.size() ? names.get(column) : "column" + (column + 1);
            PgType type = column < guesses.size() ? guesses.get(column).type() : PgType.TEXT;
            fields.add(new Field(columnName, type.dataType(), true, type.formatName()));
        }
        return fields;
    }

    private static void addNames(RowFields row, List<String> names) {
        for (int column = 0; column < row.count(); column++) {
            names.add(row.text(column));
        }
    }

    private static void addValues(RowFields row, List<TypeGuess> guesses) {
        for (int column = 0; column < row.count(); column++) {
            if (column == guesses.size()) {
                guesses.add(new TypeGuess());
            }
            if (!row.isNull(column)) {
                guesses.get(column).add(row.text(column));
            }
        }
    }

    @Override
    public void close() throws IOException {
        for (CompletableFuture<RowParser.Parsed> each : underWay) {
            RowParser.Parsed parsed = each.handle((done, _) -> done).join();
            if (parsed != null && parsed.batch() != null) {
                parsed.batch().close();
            }
        }
        underWay.clear();
        in.close();
    }
}
