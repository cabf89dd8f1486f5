package dev.quarrel.calcite.jdbc;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.engine.PlannedStatement;
import dev.quarrel.calcite.host.HostCells;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SpecialNumeric;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.calcite.DataContext;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.linq4j.AbstractEnumerable;
import org.apache.calcite.linq4j.Enumerable;
import org.apache.calcite.linq4j.Enumerator;

/// Converts a planned statement's rows to the Java objects that Calcite's generated code works with.
///
/// Calcite counts a timestamp's milliseconds: one with a finer fraction is refused, not cut.
public final class EnumerableRows {
    private static final long MICROS_PER_MILLI = 1000;

    private final Engine engine;
    private final PlannedStatement statement;

    EnumerableRows(Engine engine, PlannedStatement statement) {
        this.engine = engine;
        this.statement = statement;
    }

    /// Called by generated code: each enumeration runs the statement anew. Rows of one column are bare values.
    public Enumerable<Object> rows(DataContext context) {
        return new AbstractEnumerable<>() {
            @Override
            public Enumerator<Object> enumerator() {
                SqlSession session = engine.openSession("calcite");
                try {
                    Cancellation cancellation = new Cancellation();
                    Execution execution = statement.execute(session, parameters(context), cancellation);
                    return new Rows(session, execution, cancellation, context);
                } catch (RuntimeException problem) {
                    session.close();
                    throw problem;
                }
            }
        };
    }

    private List<Literal> parameters(DataContext context) {
        List<Literal> parameters = new ArrayList<>();
        for (int index = 0; index < statement.parameterTypes().size(); index++) {
            DataType type = statement.parameterTypes().get(index);
            parameters.add(type == null ? null : new Literal(type, toOurs(context.get("?" + index), type)));
        }
        return parameters;
    }

    private static Object toOurs(Object value, DataType type) {
        if (value == null) {
            return null;
        }
        return switch (type) {
            case DataType.Int16 _, DataType.Int32 _, DataType.Int64 _, DataType.Date _ -> ((Number) value).longValue();
            case DataType.Time _, DataType.Timestamp _ -> ((Number) value).longValue() * MICROS_PER_MILLI;
            case DataType.Interval _ -> PgParse.interval(value.toString());
            case DataType.Float32 _ -> ((Number) value).floatValue();
            case DataType.Float64 _ -> ((Number) value).doubleValue();
            case DataType.Decimal(int _, int scale) ->
                new BigDecimal(value.toString()).setScale(scale, RoundingMode.UNNECESSARY);
            case DataType.Numeric _ -> new BigDecimal(value.toString());
            case DataType.Bool _ -> value;
            case DataType.Uuid _ -> value instanceof UUID uuid ? uuid : PgParse.uuid(value.toString());
            case DataType.Utf8 _ -> value.toString();
            case DataType.Binary _ -> Bytes.of(((ByteString) value).getBytes());
        };
    }

    private static Object toCalcites(Object value, DataType type) {
        if (value == null) {
            return null;
        }
        return switch (type) {
            case DataType.Binary _ -> new ByteString(((Bytes) value).toArray());
            case DataType.Int16 _ -> (short) (long) value;
            case DataType.Int32 _, DataType.Date _ -> (int) (long) value;
            case DataType.Time _ -> (int) millis((long) value);
            case DataType.Timestamp _ -> millis((long) value);
            case DataType.Interval _ -> PgText.text(new Literal(type, value));
            case DataType.Numeric _
            when value instanceof SpecialNumeric ->
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED, "Calcite's decimals are numbers, and this one is " + value);
            default -> value;
        };
    }

    private static long millis(long micros) {
        if (Math.floorMod(micros, MICROS_PER_MILLI) != 0) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "Calcite's timestamps have milliseconds, and this one has microseconds");
        }
        return Math.floorDiv(micros, MICROS_PER_MILLI);
    }

    private static final class Rows implements Enumerator<Object> {
        private final SqlSession session;
        private final Execution execution;
        private final Cancellation cancellation;
        private final DataContext context;
        private Batch batch;
        private int row = -1;
        private Object current;

        Rows(SqlSession session, Execution execution, Cancellation cancellation, DataContext context) {
            this.session = session;
            this.execution = execution;
            this.cancellation = cancellation;
            this.context = context;
        }

        @Override
        public Object current() {
            return current;
        }

        @Override
        public boolean moveNext() {
            row++;
            while (batch == null || row == batch.rowCount()) {
                if (batch != null) {
                    batch.close();
                }
                if (DataContext.Variable.CANCEL_FLAG.get(context)
                                instanceof java.util.concurrent.atomic.AtomicBoolean flag
                        && flag.get()) {
                    cancellation.cancel();
                }
                batch = execution.cursor().next();
                row = 0;
                if (batch == null) {
                    return false;
                }
            }
            int count = batch.columns().size();
            Object[] values = new Object[count];
            for (int column = 0; column < count; column++) {
                values[column] = toCalcites(
                        HostCells.read(batch.column(column), row),
                        batch.column(column).type());
            }
            current = count == 1 ? values[0] : values;
            return true;
        }

        @Override
        public void reset() {
            throw new UnsupportedOperationException("rows come once");
        }

        @Override
        public void close() {
            if (batch != null) {
                batch.close();
                batch = null;
            }
            execution.close();
            session.close();
        }
    }
}
