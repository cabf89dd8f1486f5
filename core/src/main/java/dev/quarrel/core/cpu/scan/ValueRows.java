package dev.quarrel.core.cpu.scan;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Source;
import java.util.ArrayList;
import java.util.List;

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
                    writer.append(slotValues
                            .get(values.slots().get(row * width + column))
                            .value());
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

    @Override
    public void close() {
        arena.close();
    }
}
