package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.run.BudgetArena;
import dev.quarrel.core.run.MemoryBudget;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/// The rows of a VALUES source as one batch.
record ValueRows(Batch batch, BudgetArena arena) implements AutoCloseable {
    static ValueRows of(Source.Values values, List<Literal> slotValues, MemoryBudget budget) {
        BudgetArena arena = new BudgetArena(budget);
        try {
            List<Column> columns = new ArrayList<>();
            int width = values.types().size();
            for (int column = 0; column < width; column++) {
                ColumnWriter writer =
                        new ColumnWriter(values.types().get(column), arena, Math.max(1, values.rowCount()));
                for (int row = 0; row < values.rowCount(); row++) {
                    append(writer, slotValues.get(values.slots().get(row * width + column)));
                }
                columns.add(writer.finish());
            }
            return new ValueRows(Batch.view(RowStore.schema(values.types()), columns, values.rowCount()), arena);
        } catch (RuntimeException | Error problem) {
            arena.close();
            throw problem;
        }
    }

    Batch view() {
        return batch;
    }

    static void append(ColumnWriter writer, Literal literal) {
        if (literal.isNull()) {
            writer.appendNull();
            return;
        }
        Object value = literal.value();
        switch (literal.type()) {
            case DataType.Bool _ -> writer.appendBool((Boolean) value);
            case DataType.Int16 _ -> writer.appendInt16(((Long) value).shortValue());
            case DataType.Int32 _, DataType.Date _ -> writer.appendInt32(((Long) value).intValue());
            case DataType.Int64 _, DataType.Time _, DataType.Timestamp _ -> writer.appendInt64((Long) value);
            case DataType.Float32 _ -> writer.appendFloat32((Float) value);
            case DataType.Float64 _ -> writer.appendFloat64((Double) value);
            case DataType.Decimal _ -> {
                BigInteger unscaled = ((BigDecimal) value).unscaledValue();
                writer.appendDecimal(unscaled.shiftRight(64).longValue(), unscaled.longValue());
            }
            case DataType.Numeric _ -> {
                BigDecimal number = (BigDecimal) value;
                BigInteger unscaled = number.unscaledValue();
                writer.appendNumeric(unscaled.shiftRight(64).longValue(), unscaled.longValue(), number.scale());
            }
            case DataType.Uuid _ -> writer.appendUuid((UUID) value);
            case DataType.Interval _ -> writer.appendInterval((Interval) value);
            case DataType.Utf8 _ -> writer.appendUtf8((String) value);
            case DataType.Binary _ -> writer.appendBytes((Bytes) value);
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
