package dev.quarrel.calcite.host;

import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.rel.QuarrelAppend;
import dev.quarrel.calcite.rel.QuarrelCalls;
import dev.quarrel.calcite.rel.QuarrelCorrelate;
import dev.quarrel.calcite.rel.QuarrelFunctions;
import dev.quarrel.calcite.rel.QuarrelLimit;
import dev.quarrel.calcite.rel.QuarrelRecursion;
import dev.quarrel.calcite.rel.QuarrelRowNumber;
import dev.quarrel.calcite.rel.QuarrelStream;
import dev.quarrel.calcite.rel.QuarrelWorkingTable;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// One execution of a [PhysicalPlan]: it starts a pipeline when its rows are asked for, and keeps the rows that
/// host nodes produced.
///
/// - Memory: cursors it opened and tables it made stay until `close`, for batches may point into them.
public final class HostRun implements AutoCloseable {
    private final Devices devices;
    private final SqlSession session;
    private final MemoryBudget budget;
    private final Cancellation cancellation;
    private final Map<PhysicalPlan.Host, HostTable> tables = new IdentityHashMap<>();
    private final Map<Object, WorkingRows> working = new IdentityHashMap<>();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    /// Runs pipelines.
    @FunctionalInterface
    public interface Devices {
        /// @param parameters the statement's, then the hidden ones
        /// @param tables the host schema's
        ResultCursor start(QueryPlan plan, List<Literal> parameters, List<Table> tables, Schema schema);
    }

    /// @param budget for what the host holds; pipelines have their own
    public HostRun(Devices devices, SqlSession session, MemoryBudget budget, Cancellation cancellation) {
        this.devices = devices;
        this.session = session;
        this.budget = budget;
        this.cancellation = cancellation;
    }

    SqlSession session() {
        return session;
    }

    MemoryBudget budget() {
        return budget;
    }

    void check() {
        cancellation.check();
    }

    /// The plan's rows. Closing the cursor gives back what it alone holds; the rest goes with `close`.
    public ResultCursor cursor(PhysicalPlan plan, List<Literal> parameters, Schema schema) {
        return switch (plan) {
            case PhysicalPlan.Device device -> device(device, parameters, schema);
            case PhysicalPlan.Host host -> host(host, parameters, schema);
        };
    }

    private ResultCursor device(PhysicalPlan.Device device, List<Literal> parameters, Schema schema) {
        List<Table> inputs = new ArrayList<>();
        for (int number = 0; number < device.inputs().size(); number++) {
            inputs.add(rows(device.inputs().get(number), number, parameters));
        }
        ResultCursor cursor = devices.start(device.plan(), parameters, inputs, schema);
        open.push(cursor);
        return cursor;
    }

    private Table rows(PhysicalPlan.Host host, int number, List<Literal> parameters) {
        return host.rel() instanceof QuarrelWorkingTable rows
                ? working.get(rows.identity()).table(number)
                : table(host, parameters).table(number);
    }

    private HostTable table(PhysicalPlan.Host host, List<Literal> parameters) {
        HostTable known = tables.get(host);
        if (known != null && !host.dependsOnOuterRow()) {
            return known;
        }
        HostTable made = HostTable.of(host(host, parameters, numbered(host.types())), host.types(), budget);
        open.push(made);
        tables.put(host, made);
        return made;
    }

    /// A schema for rows whose names nobody sees.
    static Schema numbered(List<DataType> types) {
        return new Schema(IntStream.range(0, types.size())
                .mapToObj(index -> new Field(Integer.toString(index), types.get(index), true))
                .toList());
    }

    private ResultCursor input(PhysicalPlan.Host host, int index, List<Literal> parameters) {
        PhysicalPlan input = host.inputs().get(index);
        return cursor(input, parameters, numbered(input.types()));
    }

    private ResultCursor host(PhysicalPlan.Host host, List<Literal> parameters, Schema schema) {
        return switch (host.rel()) {
            case QuarrelAppend _ ->
                new AppendCursor(schema, host.inputs().size(), index -> input(host, index, parameters));
            case QuarrelFunctions functions -> new FunctionsCursor(this, schema, input(host, 0, parameters), functions);
            case QuarrelRowNumber _ -> new RowNumberCursor(this, schema, input(host, 0, parameters));
            case QuarrelCalls calls -> new CallsCursor(this, schema, input(host, 0, parameters), calls.calls());
            case QuarrelRecursion recursion -> {
                RecursionCursor cursor = new RecursionCursor(this, schema, host, recursion, parameters);
                open.push(cursor);
                yield cursor;
            }
            case QuarrelLimit _ ->
                new LimitCursor(schema, () -> input(host, 0, parameters), input(host, 1, parameters));
            case QuarrelStream stream ->
                new StreamCursor(
                        this, schema, input(host, 0, parameters), host.inputs().get(1), stream.identity(), parameters);
            case QuarrelWorkingTable rows -> new WorkingCursor(schema, working.get(rows.identity()));
            case QuarrelCorrelate correlate -> new CorrelateCursor(this, schema, host, correlate, parameters);
            default ->
                throw new IllegalStateException("nobody runs " + host.rel().getRelTypeName());
        };
    }

    /// Runs a plan over a working table, and forgets what it held for that.
    ///
    /// - Memory: the caller closes the result.
    ///
    /// @param rows of the working table; null for none
    /// @param seen leaves out rows that it has, or null to take all
    WorkingRows over(WorkingRows rows, Object identity, PhysicalPlan plan, List<Literal> parameters, SeenRows seen) {
        WorkingRows[] made = new WorkingRows[1];
        WorkingRows around = working.put(identity, rows);
        try {
            scoped(() -> {
                Schema types = numbered(plan.types());
                made[0] = WorkingRows.of(cursor(plan, parameters, types), types, seen, this);
            });
        } finally {
            working.put(identity, around);
        }
        return made[0];
    }

    /// Makes the tables under a plan that are the same in all rounds of the recursive query around.
    void makeAhead(PhysicalPlan plan, List<Literal> parameters) {
        switch (plan) {
            case PhysicalPlan.Device device ->
                device.inputs().forEach(input -> {
                    if (!input.workingTables().isEmpty()) {
                        input.inputs().forEach(below -> makeAhead(below, parameters));
                    } else if (!input.dependsOnOuterRow()) {
                        table(input, parameters);
                    }
                });
            case PhysicalPlan.Host host -> host.inputs().forEach(input -> makeAhead(input, parameters));
        }
    }

    /// Runs a part once more and forgets what it held: for the right side of a [QuarrelCorrelate], and for each round
    /// of a recursive query.
    void scoped(Runnable body) {
        int before = open.size();
        try {
            body.run();
        } finally {
            while (open.size() > before) {
                AutoCloseable last = open.pop();
                if (last instanceof HostTable table && tables.values().remove(table)) {
                    // It depended on the outer row, or will be made again when it is asked for.
                    close(table);
                } else {
                    close(last);
                }
            }
        }
    }

    private static void close(AutoCloseable resource) {
        try {
            resource.close();
        } catch (QueryException problem) {
            throw problem;
        } catch (Exception problem) {
            throw new IllegalStateException("closing a query", problem);
        }
    }

    @Override
    public void close() {
        RuntimeException first = null;
        while (!open.isEmpty()) {
            try {
                close(open.pop());
            } catch (RuntimeException problem) {
                if (first == null) {
                    first = problem;
                } else {
                    first.addSuppressed(problem);
                }
            }
        }
        tables.clear();
        if (first != null) {
            throw first;
        }
    }
}
