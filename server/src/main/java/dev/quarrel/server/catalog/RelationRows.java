package dev.quarrel.server.catalog;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.VectorText;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// The rows of one system relation, and the table made of them.
///
/// A column that a row says nothing of is NULL, or, where it is NOT NULL, zero, false or empty text.
///
/// - Memory: a table's columns live as long as something points at them, since no one is told when the last query
///   over a catalog
///   version has ended; they are some kilobytes of names, not data.
final class RelationRows {
    private final CatalogRelation relation;
    private final List<Object[]> rows = new ArrayList<>();

    RelationRows(String qualifiedName) {
        this.relation = CatalogRelation.of(qualifiedName);
    }

    /// Adds a row.
    ///
    /// @param namesAndValues column name, value, column name, value, …; numbers of any width, text, booleans, null
    RelationRows add(Object... namesAndValues) {
        Object[] row = new Object[relation.columns().size()];
        for (int index = 0; index < row.length; index++) {
            CatalogRelation.Column column = relation.columns().get(index);
            row[index] = column.notNull() ? zero(column.type()) : null;
        }
        for (int index = 0; index < namesAndValues.length; index += 2) {
            int column = relation.columnIndex((String) namesAndValues[index]);
            PgType type = relation.columns().get(column).type();
            Object value = namesAndValues[index + 1];
            row[column] = type.isVector() && value != null ? VectorText.read((String) value, type) : value;
        }
        rows.add(row);
        return this;
    }

    /// Adds the rows of a file in PostgreSQL's COPY text form, with a header line.
    RelationRows addAll(String resource) {
        List<String> lines = CatalogRelation.lines(resource);
        String[] header = lines.getFirst().split("\t", -1);
        for (String line : lines.subList(1, lines.size())) {
            String[] fields = line.split("\t", -1);
            Object[] namesAndValues = new Object[header.length * 2];
            for (int index = 0; index < header.length; index++) {
                PgType type = relation.columns()
                        .get(relation.columnIndex(header[index]))
                        .type();
                namesAndValues[index * 2] = header[index];
                namesAndValues[index * 2 + 1] = fields[index].equals("\\N") ? null : value(fields[index], type);
            }
            add(namesAndValues);
        }
        return this;
    }

    /// Arrays as their text, which [#add] takes.
    private static Object value(String text, PgType type) {
        return type.isArray()
                ? text
                : PgParse.literal(text, new PgType.Declared(type, PgType.NO_TYPMOD))
                        .value();
    }

    /// Names and values of a row whose counts are all 0.
    Object[] zeros() {
        return relation.columns().stream()
                .filter(column -> column.type() == PgType.INT8 || column.type() == PgType.FLOAT8)
                .flatMap(column -> Stream.of(column.name(), 0L))
                .toArray();
    }

    private static Object zero(PgType type) {
        return switch (type.dataType()) {
            case DataType.Bool _ -> false;
            case DataType.Utf8 _ -> "";
            default -> 0L;
        };
    }

    /// The value of a column in the rows added so far.
    Object value(int row, String column) {
        return rows.get(row)[relation.columnIndex(column)];
    }

    int rowCount() {
        return rows.size();
    }

    Table table() {
        Schema schema = relation.schema();
        if (rows.isEmpty()) {
            return new MemoryTable(relation.schemaName(), relation.name(), schema, List.of());
        }
        Allocator allocator = Allocator.of(Arena.ofAuto());
        List<ColumnWriter> writers = new ArrayList<>();
        for (int column = 0; column < schema.size(); column++) {
            ColumnWriter writer = new ColumnWriter(schema.type(column), allocator, rows.size());
            for (Object[] row : rows) {
                append(row[column], writer);
            }
            writers.add(writer);
        }
        Batch batch = Batch.view(schema, ColumnWriter.finishAll(writers), rows.size());
        return new MemoryTable(relation.schemaName(), relation.name(), schema, List.of(batch));
    }

    private static void append(Object value, ColumnWriter writer) {
        if (value == null) {
            writer.appendNull();
            return;
        }
        switch (writer.type()) {
            case DataType.Bool _ -> writer.appendBool((Boolean) value);
            case DataType.Int16 _ -> writer.appendInt16(((Number) value).shortValue());
            case DataType.Int32 _, DataType.Date _ -> writer.appendInt32(((Number) value).intValue());
            case DataType.Int64 _, DataType.Timestamp _ -> writer.appendInt64(((Number) value).longValue());
            case DataType.Float32 _ -> writer.appendFloat32(((Number) value).floatValue());
            case DataType.Float64 _ -> writer.appendFloat64(((Number) value).doubleValue());
            case DataType.Interval _ -> writer.appendInterval((Interval) value);
            case DataType.Utf8 _ -> writer.appendUtf8((String) value);
            case DataType.Decimal _, DataType.Numeric _, DataType.Uuid _, DataType.Binary _, DataType.Time _ ->
                throw new IllegalArgumentException("no system relation has a column of " + writer.type());
        }
    }
}
