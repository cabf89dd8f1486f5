package dev.quarrel.core.csv;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// CSV, or the text format of COPY, as batches of typed columns.
///
/// - Errors: `QueryException` 22P04 for rows of too many or too few fields, 22P02 and its like for values; the context
///   says the line, the column and the text.
/// - Threads: one.
public final class CsvFile implements AutoCloseable {
    private static final int MAX_SHOWN = 100;

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
    private final FieldRows rows;
    private final Schema schema;
    private final Rules rules;
    private final List<CsvValues> values = new ArrayList<>();
    private final boolean[] quotedNulls;
    private final boolean[] neverNull;
    private MemorySegment source = MemorySegment.NULL;
    private byte[] sourceBytes;
    private long skipped;

    /// @param name for messages
    /// @param in closed with it
    /// @param schema the columns in their order; a header must have their names
    public CsvFile(String name, InputStream in, CsvFormat format, Schema schema) throws IOException {
        this(name, in, new CsvRows(in, format), format.header(), schema, Rules.usual());
    }

    /// The same by other rules.
    public CsvFile(String name, InputStream in, CsvFormat format, Schema schema, Rules rules) throws IOException {
        this(name, in, new CsvRows(in, format), format.header(), schema, rules);
    }

    /// The text format of COPY.
    ///
    /// @param format its delimiter, text of NULL, and whether it has a header; quotes are none
    public static CsvFile ofText(String name, InputStream in, CsvFormat format, Schema schema, Rules rules)
            throws IOException {
        FieldRows rows = new TextRows(in, format.delimiter(), format.nullText());
        return new CsvFile(name, in, rows, format.header(), schema, rules);
    }

    private CsvFile(String name, InputStream in, FieldRows rows, boolean hasHeader, Schema schema, Rules rules)
            throws IOException {
        this.name = name;
        this.in = in;
        this.rows = rows;
        this.schema = schema;
        this.rules = rules;
        this.quotedNulls = places(rules.quotedNulls());
        this.neverNull = places(rules.neverNull());
        schema.fields().forEach(field -> values.add(new CsvValues(PgType.Declared.of(field), rules.moment())));
        if (hasHeader && nextRow() && rules.matchesHeader()) {
            checkHeader();
        }
    }

    private boolean[] places(Set<String> names) {
        boolean[] places = new boolean[schema.size()];
        for (int column = 0; column < places.length; column++) {
            places[column] = names.contains(schema.field(column).name());
        }
        return places;
    }

    private boolean nextRow() throws IOException {
        try {
            return rows.next();
        } catch (QueryException wrong) {
            throw wrong.context() == null ? located(wrong, -1) : wrong;
        }
    }

    /// How many rows were left out.
    public long skippedRows() {
        return skipped;
    }

    private void checkHeader() {
        requireCount();
        for (int column = 0; column < rows.count(); column++) {
            String found = rows.isNull(column) ? null : rows.text(column);
            if (!schema.field(column).name().equals(found)) {
                throw located(
                        new QueryException(
                                SqlState.BAD_COPY_FILE_FORMAT,
                                "column name mismatch in header line field " + (column + 1) + ": got "
                                        + (found == null ? "null value" : "\"" + found + "\"") + ", expected \""
                                        + schema.field(column).name() + "\""),
                        -1);
            }
        }
    }

    /// The next rows, of which there are as many as asked for unless it is the end; null where there are none.
    ///
    /// - Memory: the caller closes the batch.
    public Batch next(int maxRows) throws IOException {
        PooledMemory memory = new PooledMemory();
        Batch batch = null;
        try {
            batch = next(maxRows, memory);
            return batch;
        } finally {
            if (batch == null) {
                memory.close();
            }
        }
    }

    private Batch next(int maxRows, PooledMemory memory) throws IOException {
        Allocator allocator = memory;
        List<ColumnWriter> writers = schema.fields().stream()
                .map(field -> new ColumnWriter(field.type(), allocator))
                .toList();
        int count = 0;
        while (count < maxRows && nextRow()) {
            requireNoMore();
            try {
                append(writers);
                count++;
            } catch (QueryException wrong) {
                if (!rules.skipsErrors() || !isOfValue(wrong)) {
                    throw wrong;
                }
                int left = count;
                writers.forEach(writer -> writer.truncate(Math.min(left, writer.rowCount())));
                skip(wrong.context());
            }
        }
        if (count == 0) {
            return null;
        }
        List<Column> columns = ColumnWriter.finishAll(writers);
        return Batch.owning(schema, columns, count, memory::close);
    }

    /// Whether a value is to blame, not how the file is cut or encoded.
    private static boolean isOfValue(QueryException wrong) {
        return wrong.state().code().startsWith("22")
                && wrong.state() != SqlState.BAD_COPY_FILE_FORMAT
                && wrong.state() != SqlState.CHARACTER_NOT_IN_REPERTOIRE;
    }

    private void skip(String context) {
        skipped++;
        if (rules.rejectLimit() > 0 && skipped > rules.rejectLimit()) {
            throw new QueryException(
                            SqlState.INVALID_TEXT_REPRESENTATION,
                            "skipped more than REJECT_LIMIT (" + rules.rejectLimit()
                                    + ") rows due to data type incompatibility")
                    .withContext(context);
        }
    }

    private boolean isNull(int column) {
        return rows.isNull(column) ? !neverNull[column] : quotedNulls[column] && rows.isQuotedNull(column);
    }

    private void append(List<ColumnWriter> writers) {
        byte[] bytes = rows.bytes();
        if (bytes != sourceBytes) {
            sourceBytes = bytes;
            source = MemorySegment.ofArray(bytes);
        }
        for (int column = 0; column < writers.size(); column++) {
            if (column >= rows.count()) {
                throw missing();
            }
            if (isNull(column)) {
                if (!schema.field(column).nullable()) {
                    throw located(
                            new QueryException(
                                    SqlState.NOT_NULL_VIOLATION,
                                    "null value in column \""
                                            + schema.field(column).name() + "\" violates not-null constraint"),
                            -1);
                }
                writers.get(column).appendNull();
                continue;
            }
            try {
                values.get(column).append(writers.get(column), bytes, source, rows.start(column), rows.length(column));
            } catch (QueryException wrong) {
                throw located(wrong, column);
            }
        }
    }

    private void requireCount() {
        if (rows.count() < schema.size()) {
            throw missing();
        }
        requireNoMore();
    }

    private QueryException missing() {
        return located(
                new QueryException(
                        SqlState.BAD_COPY_FILE_FORMAT,
                        "missing data for column \""
                                + schema.field(rows.count()).name() + "\""),
                -1);
    }

    private void requireNoMore() {
        if (rows.count() > schema.size()) {
            throw located(
                    new QueryException(SqlState.BAD_COPY_FILE_FORMAT, "extra data after last expected column"), -1);
        }
    }

    private QueryException located(QueryException wrong, int column) {
        String place = name + ", line " + rows.line();
        if (column >= 0) {
            String text = isNull(column) ? null : rows.text(column);
            String shown = text == null
                    ? "null input"
                    : "\"" + (text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "..." : text) + "\"";
            place += ", column " + schema.field(column).name() + ": " + shown;
        } else if (rows.shown() != null) {
            place += ": \"" + rows.shown() + "\"";
        }
        return wrong.withContext(place);
    }

    /// The names in the header of a file.
    ///
    /// @return null for an empty one
    public static List<String> header(InputStream in, CsvFormat format) throws IOException {
        CsvRows rows = new CsvRows(in, format);
        if (!rows.next()) {
            return null;
        }
        List<String> names = new ArrayList<>();
        for (int column = 0; column < rows.count(); column++) {
            names.add(rows.text(column));
        }
        return names;
    }

    /// The columns of CSV of which nobody says the types: what the first rows' values are.
    ///
    /// @param maxRows how many are looked at
    public static List<Field> sniffed(InputStream in, CsvFormat format, int maxRows) throws IOException {
        CsvRows rows = new CsvRows(in, format);
        List<String> names = new ArrayList<>();
        List<TypeGuess> guesses = new ArrayList<>();
        boolean isHeader = format.header();
        for (int row = 0; row < maxRows && rows.next(); row++) {
            for (int column = 0; column < rows.count(); column++) {
                if (isHeader) {
                    names.add(rows.text(column));
                    continue;
                }
                if (column == guesses.size()) {
                    guesses.add(new TypeGuess());
                }
                if (!rows.isNull(column)) {
                    guesses.get(column).add(rows.text(column));
                }
            }
            isHeader = false;
        }
        List<Field> fields = new ArrayList<>();
        for (int column = 0; column < Math.max(names.size(), guesses.size()); column++) {
            String name = column < names.size() ? names.get(column) : "column" + (column + 1);
            PgType type = column < guesses.size() ? guesses.get(column).type() : PgType.TEXT;
            fields.add(new Field(name, type.dataType(), true, type.formatName()));
        }
        return fields;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
