package dev.quarrel.core.csv;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.core.type.Utf8Text;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Makes columns of the rows of one block.
///
/// - Errors: as [CsvFile].
final class RowParser {
    private static final int LONGEST_CHARACTER = 4;

    private final String name;
    private final RowBlock block;
    private final RowFields fields;
    private final Schema schema;
    private final CsvFile.Rules rules;
    private final List<CsvValues> values = new ArrayList<>();
    private final boolean[] quotedNulls;
    private final boolean[] neverNull;
    private final List<String> skipped = new ArrayList<>();
    private long skippedCount;
    private CsvFile.Misfit misfit; // null before
    private int row;

    /// Rows as far as they went.
    ///
    /// @param batch null where there are none
    /// @param skippedCount how many were left out
    /// @param skipped where the first of these are, as many as may be too many
    /// @param failure what ended them; null where nothing did
    /// @param misfit the value that did; null where it was none
    record Parsed(
            Batch batch, long skippedCount, List<String> skipped, QueryException failure, CsvFile.Misfit misfit) {}

    /// @param name for messages
    /// @param fields that nobody else uses
    RowParser(String name, RowBlock block, RowFields fields, Schema schema, CsvFile.Rules rules) {
        this.name = name;
        this.block = block;
        this.fields = fields;
        this.schema = schema;
        this.rules = rules;
        this.quotedNulls = places(rules.quotedNulls());
        this.neverNull = places(rules.neverNull());
        for (Field field : schema.fields()) {
            boolean isFound = rules.found().contains(field.name());
            values.add(new CsvValues(PgType.Declared.held(field), rules.moment(), isFound));
        }
    }

    private boolean[] places(Set<String> names) {
        boolean[] places = new boolean[schema.size()];
        for (int column = 0; column < places.length; column++) {
            places[column] = names.contains(schema.field(column).name());
        }
        return places;
    }

    private void cut() {
        fields.cut(block.bytes(), block.start(row), block.end(row));
    }

    /// - Errors: 22P04 where the first row has not the columns' names.
    void checkHeader() {
        if (block.count() == 0) {
            throw block.fault();
        }
        cut();
        if (fields.count() != schema.size()) {
            throw wrongHeader(
                    "wrong number of fields in header line: got " + fields.count() + ", expected " + schema.size());
        }
        for (int column = 0; column < fields.count(); column++) {
            String found = fields.isNull(column)
                    ? "null value (\"" + fields.nullText() + "\")"
                    : "\"" + fields.text(column) + "\"";
            String name = schema.field(column).name();
            if (fields.isNull(column) || !fields.text(column).equals(name)) {
                throw wrongHeader("column name mismatch in header line field " + (column + 1) + ": got " + found
                        + ", expected \"" + name + "\"");
            }
        }
    }

    private QueryException wrongHeader(String message) {
        return located(new QueryException(SqlState.BAD_COPY_FILE_FORMAT, message), -1);
    }

    /// - Memory: the caller closes the batch.
    Parsed parse() {
        PooledMemory memory = new PooledMemory();
        Batch batch = null;
        try {
            List<ColumnWriter> writers = schema.fields().stream()
                    .map(field -> new ColumnWriter(field.type(), memory, block.count()))
                    .toList();
            int count = appendAll(writers);
            if (count > 0) {
                List<Column> columns = ColumnWriter.finishAll(writers);
                batch = Batch.owning(schema, columns, count, memory::close);
            }
            return new Parsed(batch, skippedCount, skipped, block.fault(), null);
        } catch (QueryException wrong) {
            return new Parsed(null, skippedCount, skipped, wrong, misfit);
        } finally {
            if (batch == null) {
                memory.close();
            }
        }
    }

    private int appendAll(List<ColumnWriter> writers) {
        MemorySegment source = MemorySegment.ofArray(block.bytes());
        int count = 0;
        for (row = 0; row < block.count(); row++) {
            if (rules.skipsEmptyLines() && block.isEmpty(row) && schema.size() > 1) {
                continue;
            }
            cut();
            requireNoMore();
            try {
                append(writers, source);
                count++;
            } catch (QueryException wrong) {
                if (!rules.skipsErrors() || !isOfValue(wrong)) {
                    throw wrong;
                }
                int left = count;
                writers.forEach(writer -> writer.truncate(Math.min(left, writer.rowCount())));
                if (skippedCount++ <= rules.rejectLimit()) {
                    skipped.add(wrong.context());
                }
            }
        }
        return count;
    }

    /// Whether a value is to blame, not how the file is cut or encoded.
    private static boolean isOfValue(QueryException wrong) {
        return wrong.state().code().startsWith("22")
                && wrong.state() != SqlState.BAD_COPY_FILE_FORMAT
                && wrong.state() != SqlState.CHARACTER_NOT_IN_REPERTOIRE;
    }

    private boolean isNull(int column) {
        return fields.isNull(column) ? !neverNull[column] : quotedNulls[column] && fields.isQuotedNull(column);
    }

    private void append(List<ColumnWriter> writers, MemorySegment source) {
        for (int column = 0; column < writers.size(); column++) {
            requireNoFewer(column + 1);
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
                values.get(column)
                        .append(
                                writers.get(column),
                                block.bytes(),
                                source,
                                fields.start(column),
                                fields.length(column));
            } catch (QueryException wrong) {
                if (isOfValue(wrong)) {
                    misfit = new CsvFile.Misfit(
                            schema.field(column).name(), fields.text(column), fields.isQuoted(column));
                }
                throw wrong.state() == SqlState.CHARACTER_NOT_IN_REPERTOIRE
                        ? misencoded(wrong, column)
                        : located(wrong, column);
            }
        }
    }

    /// PostgreSQL finds bytes that are no text before it cuts a row into fields, but for those that escapes stand for:
    /// it names no column, and shows bytes behind the field, too.
    private QueryException misencoded(QueryException wrong, int column) {
        if (fields.isEscaped(column)) {
            return located(wrong, -1);
        }
        int start = fields.start(column);
        int end = Math.min(start + fields.length(column) + LONGEST_CHARACTER - 1, block.lineEnd(row));
        try {
            Utf8Text.require(block.bytes(), start, end - start);
        } catch (QueryException whole) {
            return whole.withContext(name + ", line " + block.line(row));
        }
        return wrong.withContext(name + ", line " + block.line(row));
    }

    private void requireNoFewer(int count) {
        if (fields.count() < count) {
            throw located(
                    new QueryException(
                            SqlState.BAD_COPY_FILE_FORMAT,
                            "missing data for column \""
                                    + schema.field(fields.count()).name() + "\""),
                    -1);
        }
    }

    private void requireNoMore() {
        if (fields.count() > schema.size()) {
            throw located(
                    new QueryException(SqlState.BAD_COPY_FILE_FORMAT, "extra data after last expected column"), -1);
        }
    }

    private QueryException located(QueryException wrong, int column) {
        String place = name + ", line " + block.line(row);
        if (column < 0) {
            return wrong.withContext(place + ": \"" + fields.shown() + "\"");
        }
        String shown = isNull(column) ? "null input" : "\"" + fields.shown(column) + "\"";
        return wrong.withContext(place + ", column " + schema.field(column).name() + ": " + shown);
    }
}
