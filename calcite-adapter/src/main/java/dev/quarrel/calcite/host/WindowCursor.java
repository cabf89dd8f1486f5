package dev.quarrel.calcite.host;

import dev.quarrel.calcite.rel.QuarrelWindow;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.run.BatchBytes;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/// The input, which comes sorted, with the results of window functions.
///
/// - Memory: it holds the whole input, accounted, since a partition may be all of it.
final class WindowCursor implements ResultCursor {
    private static final BigInteger NUMERIC_LIMIT = BigInteger.TEN.pow(DataType.Decimal.MAX_PRECISION);

    private final HostRun run;
    private final Schema schema;
    private final ResultCursor input;
    private final QuarrelWindow window;
    private final List<Batch> batches = new ArrayList<>();
    private final List<int[]> rows = new ArrayList<>();
    private List<Object[]> results;
    private int nextBatch;
    private int nextRow;
    private long reserved;

    WindowCursor(HostRun run, Schema schema, ResultCursor input, QuarrelWindow window) {
        this.run = run;
        this.schema = schema;
        this.input = input;
        this.window = window;
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public Batch next() {
        if (results == null) {
            readAll();
            computeAll();
        }
        if (nextBatch == batches.size()) {
            return null;
        }
        Batch batch = batches.set(nextBatch, null);
        nextBatch++;
        Widened widened = new Widened(batch, schema);
        for (int row = 0; row < batch.rowCount(); row++) {
            for (int call = 0; call < results.size(); call++) {
                widened.append(call, results.get(call)[nextRow]);
            }
            nextRow++;
        }
        return widened.finish();
    }

    private void readAll() {
        for (Batch batch = input.next(); batch != null; batch = input.next()) {
            run.check();
            batches.add(batch);
            // Beside the columns, a row has its place and one result a call.
            long bytes = BatchBytes.of(batch)
                    + batch.rowCount() * 24L * (1 + window.calls().size());
            run.budget().reserve(bytes);
            reserved += bytes;
            for (int row = 0; row < batch.rowCount(); row++) {
                rows.add(new int[] {batches.size() - 1, row});
            }
        }
    }

    private Object cell(int row, int column) {
        int[] place = rows.get(row);
        return Cells.read(batches.get(place[0]).column(column), place[1]);
    }

    private boolean isSame(int row, int other, List<Integer> columns) {
        for (int column : columns) {
            if (!CellOrder.isSame(cell(row, column), cell(other, column))) {
                return false;
            }
        }
        return true;
    }

    private void computeAll() {
        results = new ArrayList<>();
        window.calls().forEach(_ -> results.add(new Object[rows.size()]));
        int start = 0;
        while (start < rows.size()) {
            run.check();
            int end = start + 1;
            while (end < rows.size() && isSame(start, end, window.partition())) {
                end++;
            }
            partition(start, end);
            start = end;
        }
    }

    private void partition(int start, int end) {
        // The end of each row's peers: rows that the order does not tell apart.
        int[] peersEnd = new int[end - start];
        int peersStart = start;
        for (int row = start; row < end; row++) {
            boolean isLast = row + 1 == end || !isSame(row, row + 1, window.order());
            if (isLast) {
                for (int peer = peersStart; peer <= row; peer++) {
                    peersEnd[peer - start] = row + 1;
                }
                peersStart = row + 1;
            }
        }
        for (int call = 0; call < window.calls().size(); call++) {
            compute(window.calls().get(call), results.get(call), start, end, peersEnd, schemaType(call));
        }
    }

    private DataType schemaType(int call) {
        return schema.type(schema.size() - window.calls().size() + call);
    }

    private void compute(QuarrelWindow.Call call, Object[] result, int start, int end, int[] peersEnd, DataType type) {
        int argument = call.arguments().isEmpty() ? -1 : call.arguments().getFirst();
        switch (call.function()) {
            case ROW_NUMBER -> {
                for (int row = start; row < end; row++) {
                    result[row] = (long) (row - start + 1);
                }
            }
            case RANK, DENSE_RANK -> {
                long rank = 0;
                int peersStart = start;
                while (peersStart < end) {
                    int next = peersEnd[peersStart - start];
                    rank = call.function() == QuarrelWindow.Function.RANK ? peersStart - start + 1 : rank + 1;
                    for (int row = peersStart; row < next; row++) {
                        result[row] = rank;
                    }
                    peersStart = next;
                }
            }
            case LAG, LEAD -> {
                for (int row = start; row < end; row++) {
                    result[row] = shifted(call, row, start, end);
                }
            }
            case FIRST_VALUE -> {
                Object first = cell(start, argument);
                for (int row = start; row < end; row++) {
                    result[row] = first;
                }
            }
            case LAST_VALUE -> {
                for (int row = start; row < end; row++) {
                    result[row] = cell(call.wholePartition() ? end - 1 : peersEnd[row - start] - 1, argument);
                }
            }
            case COUNT_STAR, COUNT, MIN, MAX, SUM -> running(call, argument, result, start, end, peersEnd, type);
        }
    }

    /// lag and lead: column, then distance (default 1), then what stands where there is no such row (default NULL).
    private Object shifted(QuarrelWindow.Call call, int row, int start, int end) {
        List<Integer> arguments = call.arguments();
        Object distance = arguments.size() > 1 ? cell(row, arguments.get(1)) : (Object) 1L;
        if (distance == null) {
            return null;
        }
        long step = call.function() == QuarrelWindow.Function.LAG ? -(long) distance : (long) distance;
        long target = row + step;
        if (target >= start && target < end) {
            return cell((int) target, arguments.getFirst());
        }
        return arguments.size() > 2 ? cell(row, arguments.get(2)) : null;
    }

    /// Aggregates over all rows up to the last peer, or over the whole partition.
    private void running(
            QuarrelWindow.Call call, int argument, Object[] result, int start, int end, int[] peersEnd, DataType type) {
        long count = 0;
        Object value = null;
        int row = start;
        while (row < end) {
            int until = call.wholePartition() ? end : peersEnd[row - start];
            for (int added = row; added < until; added++) {
                Object cell = argument < 0 ? null : cell(added, argument);
                if (call.function() == QuarrelWindow.Function.COUNT_STAR || cell != null) {
                    count++;
                }
                value = cell == null ? value : accumulate(call.function(), value, cell);
            }
            Object answer =
                    switch (call.function()) {
                        case COUNT_STAR, COUNT -> (Object) count;
                        case SUM -> sum(value, type);
                        default -> value;
                    };
            for (int filled = row; filled < until; filled++) {
                result[filled] = answer;
            }
            row = until;
        }
    }

    private static Object accumulate(QuarrelWindow.Function function, Object value, Object cell) {
        if (value == null) {
            return function == QuarrelWindow.Function.SUM ? number(cell) : cell;
        }
        return switch (function) {
            case MIN -> CellOrder.INSTANCE.compare(cell, value) < 0 ? cell : value;
            case MAX -> CellOrder.INSTANCE.compare(cell, value) > 0 ? cell : value;
            case SUM -> ((BigDecimal) value).add(number(cell));
            default -> value;
        };
    }

    private static BigDecimal number(Object cell) {
        return cell instanceof Long whole ? BigDecimal.valueOf(whole) : (BigDecimal) cell;
    }

    /// A sum in the form of its type.
    ///
    /// - Errors: 22003 beyond it.
    private static Object sum(Object value, DataType type) {
        if (value == null) {
            return null;
        }
        BigDecimal number = (BigDecimal) value;
        if (number.unscaledValue().abs().compareTo(NUMERIC_LIMIT) >= 0) {
            throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format");
        }
        if (type instanceof DataType.Int64) {
            if (number.toBigInteger().bitLength() > 63) {
                throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "bigint out of range");
            }
            return number.longValueExact();
        }
        return new Literal(type, type instanceof DataType.Decimal(int _, int scale) ? number.setScale(scale) : number)
                .value();
    }

    @Override
    public void close() {
        for (Batch batch : batches) {
            if (batch != null) {
                batch.close();
            }
        }
        batches.clear();
        run.budget().release(reserved);
        reserved = 0;
        input.close();
    }
}
