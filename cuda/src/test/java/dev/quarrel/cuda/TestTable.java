package dev.quarrel.cuda;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.TableStats;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A table of given values with exact statistics, its text coded by one dictionary.
final class TestTable implements Table {
    private final String name;
    private final Schema schema;
    private final List<Batch> batches = new ArrayList<>();
    private final List<ColumnStats> stats = new ArrayList<>();
    private final Map<Integer, Dictionary> dictionaries = new HashMap<>();
    private final int rowCount;
    private boolean hasBatchStats;

    /// @param columns by column, then by row; as a `Literal` has them, null for NULL
    /// @param batchRows rows of the first batch, the second, and so on, round and round
    TestTable(String name, List<DataType> types, List<List<Object>> columns, int... batchRows) {
        this(name, types, columns, true, batchRows);
    }

    /// @param isCoded whether text has dictionaries
    TestTable(String name, List<DataType> types, List<List<Object>> columns, boolean isCoded, int... batchRows) {
        this.name = name;
        this.rowCount = columns.isEmpty() ? 0 : columns.getFirst().size();
        List<Field> fields = new ArrayList<>();
        for (int column = 0; column < types.size(); column++) {
            fields.add(new Field("c" + column, types.get(column), true));
            stats.add(stats(columns.get(column)));
        }
        schema = new Schema(fields);
        Map<Integer, Map<Object, Integer>> codes = new HashMap<>();
        for (int column = 0; column < types.size(); column++) {
            if (isCoded && types.get(column) instanceof DataType.Utf8) {
                Map<Object, Integer> entries = new HashMap<>();
                List<Object> order = new ArrayList<>();
                for (Object value : columns.get(column)) {
                    if (value != null && entries.putIfAbsent(value, order.size()) == null) {
                        order.add(value);
                    }
                }
                codes.put(column, entries);
                dictionaries.put(column, new Dictionary((Utf8Column) column(DataType.UTF8, order)));
            }
        }
        int from = 0;
        for (int index = 0; from < rowCount; index++) {
            int count = Math.min(batchRows[index % batchRows.length], rowCount - from);
            List<Column> parts = new ArrayList<>();
            for (int column = 0; column < types.size(); column++) {
                List<Object> values = columns.get(column).subList(from, from + count);
                parts.add(
                        dictionaries.containsKey(column)
                                ? coded(values, codes.get(column), dictionaries.get(column))
                                : column(types.get(column), values));
            }
            batches.add(Batch.view(schema, parts, count));
            from += count;
        }
    }

    private static ColumnStats stats(List<Object> values) {
        long nulls = 0;
        Object least = null;
        Object greatest = null;
        for (Object value : values) {
            nulls += value == null ? 1 : 0;
            if (value instanceof Long || value instanceof BigDecimal) {
                least = least == null || compare(value, least) < 0 ? value : least;
                greatest = greatest == null || compare(value, greatest) > 0 ? value : greatest;
            }
        }
        return new ColumnStats(nulls, least, greatest, -1);
    }

    private static int compare(Object one, Object other) {
        return one instanceof Long number
                ? number.compareTo((Long) other)
                : ((BigDecimal) one).compareTo((BigDecimal) other);
    }

    private static Column coded(List<Object> values, Map<Object, Integer> codes, Dictionary dictionary) {
        ColumnWriter writer =
                new ColumnWriter(DataType.INT32, bytes -> Arena.ofAuto().allocate(bytes, 8));
        MemorySegment places = Arena.ofAuto().allocate(Math.max(1, values.size()) * 4L, 4);
        for (int row = 0; row < values.size(); row++) {
            if (values.get(row) == null) {
                writer.appendNull();
            } else {
                writer.appendInt32(0);
                places.setAtIndex(ValueLayout.JAVA_INT, row, codes.get(values.get(row)));
            }
        }
        return new DictionaryColumn(
                values.size(), places, 4, dictionary, writer.finish().validity());
    }

    private static Column column(DataType type, List<Object> values) {
        ColumnWriter writer = new ColumnWriter(type, bytes -> Arena.ofAuto().allocate(bytes, 8));
        for (Object value : values) {
            if (value == null) {
                writer.appendNull();
                continue;
            }
            switch (type) {
                case DataType.Bool _ -> writer.appendBool((Boolean) value);
                case DataType.Int16 _ -> writer.appendInt16(((Long) value).shortValue());
                case DataType.Int32 _, DataType.Date _ -> writer.appendInt32(((Long) value).intValue());
                case DataType.Float32 _ -> writer.appendFloat32((Float) value);
                case DataType.Float64 _ -> writer.appendFloat64((Double) value);
                case DataType.Decimal _ -> {
                    var unscaled = ((BigDecimal) value).unscaledValue();
                    writer.appendDecimal(unscaled.shiftRight(64).longValue(), unscaled.longValue());
                }
                case DataType.Utf8 _ -> writer.appendUtf8((String) value);
                case DataType.Uuid _ -> writer.appendUuid((java.util.UUID) value);
                default -> writer.appendInt64((Long) value);
            }
        }
        return writer.finish();
    }

    int rows() {
        return rowCount;
    }

    /// From here on statistics of batches are known too, so that a scan may skip some.
    void keepBatchStats() {
        hasBatchStats = true;
    }

    /// Statistics that a column of the table has from here on, right or wrong.
    void setStats(int column, ColumnStats of) {
        stats.set(column, of);
    }

    @Override
    public ColumnStats batchStats(int batch, int column) {
        if (!hasBatchStats) {
            return ColumnStats.UNKNOWN;
        }
        List<Object> values = new ArrayList<>();
        for (int row = 0; row < batchRows(batch); row++) {
            Object value = Cell.of(batches.get(batch).column(column), row);
            values.add(
                    value instanceof Integer || value instanceof Short ? (Object) ((Number) value).longValue() : value);
        }
        return stats(values);
    }

    @Override
    public String schemaName() {
        return "public";
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public TableStats stats() {
        return new TableStats(rowCount, stats);
    }

    @Override
    public int batchCount() {
        return batches.size();
    }

    @Override
    public int batchRows(int batch) {
        return batches.get(batch).rowCount();
    }

    @Override
    public Dictionary dictionary(int column) {
        return dictionaries.get(column);
    }

    @Override
    public Batch read(int batch, int[] columns) {
        List<Field> fields = new ArrayList<>();
        List<Column> parts = new ArrayList<>();
        for (int column : columns) {
            fields.add(schema.field(column));
            parts.add(batches.get(batch).column(column));
        }
        return Batch.view(new Schema(fields), parts, batchRows(batch));
    }
}
