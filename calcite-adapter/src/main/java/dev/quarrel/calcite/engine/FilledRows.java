package dev.quarrel.calcite.engine;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.LittleEndian;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.run.BatchJoiner;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.table.ColumnDefault;
import dev.quarrel.core.table.Counter;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Rows that say nothing of some of a table's columns, with what these hold then: values of expressions, or the next
/// ones of counters. Columns without a default are left out: they are NULL.
final class FilledRows {
    private final Relations relations;
    private final Relations.Taker taker;
    private final Expressions expressions;
    private final List<Integer> kept = new ArrayList<>(); // of the rows' columns
    private final List<Field> fields = new ArrayList<>(); // of those, and then of what is filled in
    private final List<ColumnDefault> evaluated = new ArrayList<>();
    private final List<Field> evaluatedFields = new ArrayList<>();
    private final List<ColumnDefault> counted = new ArrayList<>();
    private final List<Field> countedFields = new ArrayList<>();
    private final Map<Integer, Counter> partly = new HashMap<>(); // by place in `fields`: NULL is the next value

    /// Evaluates defaults.
    @FunctionalInterface
    interface Expressions {
        /// - Memory: the caller closes the batch.
        ///
        /// @param fields whose they are
        Batch of(List<ColumnDefault> defaults, List<Field> fields, int rowCount);
    }

    /// @param taker of the rows' columns
    /// @param replaced those of them whose values are DEFAULT
    /// @param counted the places of those in which NULL stands for DEFAULT, where they have counters
    FilledRows(
            Relations relations,
            Relations.Taker taker,
            Set<String> replaced,
            Set<Integer> counted,
            Expressions expressions) {
        this.relations = relations;
        this.taker = taker;
        this.expressions = expressions;
        for (int index = 0; index < taker.columns().size(); index++) {
            Field field = taker.columns().field(index);
            if (!replaced.contains(field.name())) {
                ColumnDefault known = taker.defaultOf(field.name());
                if (counted.contains(index) && known != null && known.counter() != null) {
                    partly.put(fields.size(), known.counter());
                }
                kept.add(index);
                fields.add(taker.all().field(taker.all().indexOf(field.name())));
            }
        }
        for (Field field : taker.all().fields()) {
            ColumnDefault known = taker.defaultOf(field.name());
            boolean isGiven = taker.columns().indexOf(field.name()) >= 0 && !replaced.contains(field.name());
            if (known != null && !isGiven) {
                (known.counter() == null ? evaluated : this.counted).add(known);
                (known.counter() == null ? evaluatedFields : countedFields).add(field);
            }
        }
        fields.addAll(evaluatedFields);
        fields.addAll(countedFields);
        if (fields.isEmpty()) { // nothing but NULL: a row has a column
            kept.add(0);
            fields.add(taker.all()
                    .field(taker.all().indexOf(taker.columns().field(0).name())));
        }
    }

    /// What takes the rows once they are filled.
    Relations.Taker taker() {
        return taker.of(new Schema(fields));
    }

    private boolean isNone() {
        return partly.isEmpty() && kept.size() == taker.columns().size() && kept.size() == fields.size();
    }

    /// - Memory: takes the rows over; the caller closes the result.
    Batch of(Batch rows) {
        if (isNone()) {
            return rows;
        }
        PooledMemory memory = new PooledMemory();
        Batch values = null;
        boolean isDone = false;
        try {
            List<Column> columns = new ArrayList<>();
            List<Field> held = new ArrayList<>(fields);
            for (int index = 0; index < kept.size(); index++) {
                Column column = rows.column(kept.get(index));
                if (partly.containsKey(index)) {
                    column = counted(column, partly.get(index), fields.get(index), memory);
                }
                columns.add(column);
                Field field = fields.get(index);
                held.set(index, new Field(field.name(), column.type(), field.nullable()));
            }
            if (!evaluated.isEmpty()) {
                values = expressions.of(evaluated, evaluatedFields, rows.rowCount());
                columns.addAll(values.columns());
            }
            for (int index = 0; index < counted.size(); index++) {
                columns.add(count(counted.get(index).counter(), countedFields.get(index), rows.rowCount(), memory));
            }
            Batch owned = values;
            Batch filled = Batch.owning(new Schema(held), columns, rows.rowCount(), () -> {
                rows.close();
                if (owned != null) {
                    owned.close();
                }
                memory.close();
            });
            isDone = true;
            return filled;
        } finally {
            if (!isDone) {
                rows.close();
                if (values != null) {
                    values.close();
                }
                memory.close();
            }
        }
    }

    private Column count(Counter counter, Field field, int rowCount, PooledMemory memory) {
        long next = relations.changes().nextValues(counter, rowCount, field.pgType(), most(field));
        ColumnWriter writer = new ColumnWriter(field.type(), memory, rowCount);
        for (int row = 0; row < rowCount; row++) {
            writer.append(next);
            next += counter.increment();
        }
        return writer.finish();
    }

    private static long most(Field field) {
        return switch (field.type()) {
            case DataType.Int16 _ -> Short.MAX_VALUE;
            case DataType.Int32 _ -> Integer.MAX_VALUE;
            default -> Long.MAX_VALUE;
        };
    }

    /// A column with the next values of a counter in place of NULL.
    private Column counted(Column column, Counter counter, Field field, PooledMemory memory) {
        ColumnWriter writer = new ColumnWriter(field.type(), memory, column.rowCount());
        for (int row = 0; row < column.rowCount(); row++) {
            if (!column.validity().isPresent(row)) {
                writer.append(relations.changes().nextValues(counter, 1, field.pgType(), most(field)));
                continue;
            }
            MemorySegment values = ((FixedColumn) column).values();
            writer.append(
                    switch (field.type()) {
                        case DataType.Int16 _ -> (long) values.get(LittleEndian.INT16, row * 2L);
                        case DataType.Int32 _ -> (long) values.get(LittleEndian.INT32, row * 4L);
                        default -> values.get(LittleEndian.INT64, row * 8L);
                    });
        }
        return writer.finish();
    }

    /// - Memory: takes the rows over.
    ResultCursor of(ResultCursor rows) {
        if (isNone()) {
            return rows;
        }
        return new ResultCursor() {
            @Override
            public Schema schema() {
                return new Schema(fields);
            }

            @Override
            public Batch next() {
                Batch batch = rows.next();
                return batch == null ? null : FilledRows.this.of(batch);
            }

            @Override
            public void close() {
                rows.close();
            }
        };
    }

    /// All rows of a query, as columns of a table take them.
    ///
    /// - Memory: the caller closes the batch.
    static Batch joined(ResultCursor rows, List<Field> fields, int rowCount) {
        Schema schema = new Schema(fields);
        BatchJoiner joiner = new BatchJoiner(schema, rowCount);
        boolean isTaken = false;
        try (rows) {
            for (Batch batch = rows.next(); batch != null; batch = rows.next()) {
                try (Batch owned = batch;
                        Batch fitted = RowWriting.fitted(owned, schema)) {
                    joiner.add(fitted);
                }
            }
            isTaken = true;
            return joiner.take();
        } finally {
            if (!isTaken) {
                joiner.close();
            }
        }
    }
}
