package dev.quarrel.calcite.host;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.run.RowBounds;
import dev.quarrel.core.run.RowWindow;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import java.util.List;
import java.util.function.Supplier;

/// A cursor over the rows that OFFSET and LIMIT leave of an input's, which is not asked for any more then.
final class LimitCursor implements ResultCursor {
    private final Schema schema;
    private final Supplier<ResultCursor> input;
    private final ResultCursor bounds;
    private ResultCursor rows;
    private RowWindow window;

    /// @param bounds one row: offset and limit
    LimitCursor(Schema schema, Supplier<ResultCursor> input, ResultCursor bounds) {
        this.schema = schema;
        this.input = input;
        this.bounds = bounds;
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public Batch next() {
        if (window == null) {
            window = window();
        }
        while (!window.isSpent()) {
            if (rows == null) {
                rows = input.get();
            }
            Batch batch = rows.next();
            if (batch == null) {
                return null;
            }
            Batch given = window.cut(batch);
            if (given != null) {
                return given;
            }
        }
        return null;
    }

    private RowWindow window() {
        try (Batch row = bounds.next()) {
            List<Literal> values = List.of(bound(row, 0), bound(row, 1));
            return new RowWindow(
                    schema,
                    RowBounds.offset(Sink.Bound.ofSlot(0), values),
                    RowBounds.limit(Sink.Bound.ofSlot(1), values));
        }
    }

    private static Literal bound(Batch row, int column) {
        return new Literal(DataType.INT64, HostCells.read(row.column(column), 0));
    }

    @Override
    public void close() {
        bounds.close();
        if (rows != null) {
            rows.close();
        }
    }
}
