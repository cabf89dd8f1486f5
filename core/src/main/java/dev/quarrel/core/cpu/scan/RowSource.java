package dev.quarrel.core.cpu.scan;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.join.Sweep;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.event.BatchScanned;
import dev.quarrel.core.event.FlightRecording;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.run.BatchBytes;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;

/// The batches that a pipeline reads: the first morsel that needs a batch opens it, and it is closed after its
/// last morsel.
///
/// Threads share it.
public final class RowSource implements Sweep.Batches {
    private final Reader reader;
    private final int[] rowCounts;
    private final Opened[] opened;

    /// What makes a batch.
    private interface Reader extends AutoCloseable {
        Batch read(int batch);

        /// After a morsel: whether what it read was really there.
        default void check(int batch) {}

        default QueryException faultOf(InternalError error) {
            return null;
        }

        @Override
        default void close() {}
    }

    private static final class Opened {
        private int morsels;
        private Batch batch;
    }

    private RowSource(Reader reader, int[] rowCounts) {
        this.reader = reader;
        this.rowCounts = rowCounts;
        this.opened = new Opened[rowCounts.length];
        for (int batch = 0; batch < opened.length; batch++) {
            opened[batch] = new Opened();
        }
    }

    public static RowSource of(Source source, int pipeline, PipelineContext context) {
        return switch (source) {
            case Source.TableScan scan -> ofTable(scan, table(scan, context), pipeline, context);
            case Source.Rows(int maker, List<DataType> _) -> ofRows(context.materialized(maker));
            case Source.Union _ ->
                new RowSource(
                        batch -> {
                            throw new IllegalStateException("no batch " + batch);
                        },
                        new int[0]);
            case Source.Values values -> {
                ValueRows rows = ValueRows.of(values, context.slotValues(), context.budget());
                yield new RowSource(
                        new Reader() {
                            @Override
                            public Batch read(int batch) {
                                return rows.view();
                            }

                            @Override
                            public void close() {
                                rows.close();
                            }
                        },
                        values.rowCount() == 0 ? new int[0] : new int[] {values.rowCount()});
            }
        };
    }

    /// The scan's table in the query's snapshot.
    public static Table table(Source.TableScan scan, PipelineContext context) {
        Table table = context.catalog().scanned(scan.schemaName(), scan.tableName());
        if (table == null) {
            throw new QueryException(
                    SqlState.UNDEFINED_TABLE,
                    "relation \"" + scan.schemaName() + "." + scan.tableName() + "\" does not exist");
        }
        return table;
    }

    /// The scan's columns as indexes into the table's.
    public static int[] columns(Source.TableScan scan, Table table) {
        int[] columns = new int[scan.columnNames().size()];
        for (int index = 0; index < columns.length; index++) {
            columns[index] = table.schema().indexOf(scan.columnNames().get(index));
            if (columns[index] < 0
                    || !table.schema().type(columns[index]).equals(scan.types().get(index))) {
                throw new QueryException(
                        SqlState.UNDEFINED_COLUMN,
                        "column " + scan.tableName() + "." + scan.columnNames().get(index) + " has changed or is gone");
            }
        }
        return columns;
    }

    private static RowSource ofTable(Source.TableScan scan, Table table, int pipeline, PipelineContext context) {
        int[] columns = columns(scan, table);
        int[] rowCounts = new int[table.batchCount()];
        for (int batch = 0; batch < rowCounts.length; batch++) {
            rowCounts[batch] = table.batchRows(batch);
        }
        return new RowSource(
                new Reader() {
                    @Override
                    public Batch read(int batch) {
                        BatchScanned event = FlightRecording.hasBegun() ? BatchScanned.begun() : null;
                        Batch read = reserved(table, batch, columns, context.budget());
                        context.counters().batchesRead.increment();
                        if (event != null) {
                            event.commit(
                                    context.queryId(),
                                    pipeline,
                                    scan.tableName(),
                                    batch,
                                    read.rowCount(),
                                    BatchBytes.of(read));
                        }
                        return read;
                    }

                    @Override
                    public void check(int batch) {
                        table.checkIntact(batch);
                    }

                    @Override
                    public QueryException faultOf(InternalError error) {
                        return context.faultOf(table, error);
                    }
                },
                rowCounts);
    }

    /// Reads a batch, whose decompressed and converted values count in the query's memory until it is closed.
    private static Batch reserved(Table table, int batch, int[] columns, MemoryBudget budget) {
        long bytes = table.readBytes(batch, columns);
        if (bytes == 0) {
            return table.read(batch, columns);
        }
        budget.reserve(bytes);
        try {
            return table.read(batch, columns).andThen(() -> budget.release(bytes));
        } catch (RuntimeException | Error problem) {
            budget.release(bytes);
            throw problem;
        }
    }

    private static RowSource ofRows(Materialized rows) {
        int[] rowCounts = new int[rows.batchCount()];
        for (int batch = 0; batch < rowCounts.length; batch++) {
            rowCounts[batch] = rows.batchRows(batch);
        }
        return new RowSource(rows::batch, rowCounts);
    }

    public int batchCount() {
        return rowCounts.length;
    }

    public int rowCount(int batch) {
        return rowCounts[batch];
    }

    /// Says that one more morsel reads a batch; before any runs.
    public void addMorsel(int batch) {
        opened[batch].morsels++;
    }

    /// The batch, for one of its morsels.
    public Batch open(int batch) {
        synchronized (opened[batch]) {
            return read(batch);
        }
    }

    @Override
    public Batch hold(int batch) {
        synchronized (opened[batch]) {
            Batch held = read(batch);
            opened[batch].morsels++;
            return held;
        }
    }

    /// What is open, or is now. Under the place's lock.
    private Batch read(int batch) {
        if (opened[batch].batch == null) {
            opened[batch].batch = reader.read(batch);
        }
        return opened[batch].batch;
    }

    /// A morsel of the batch will not be read.
    public void skip(int batch) {
        Opened place = opened[batch];
        synchronized (place) {
            if (--place.morsels == 0 && place.batch != null) {
                place.batch.close();
                place.batch = null;
            }
        }
    }

    /// A morsel of the batch is done.
    @Override
    public void release(int batch) {
        reader.check(batch);
        Opened place = opened[batch];
        synchronized (place) {
            if (--place.morsels == 0 && place.batch != null) {
                place.batch.close();
                place.batch = null;
            }
        }
    }

    /// What an access fault means, or null where no file is to blame.
    public QueryException faultOf(InternalError error) {
        return reader.faultOf(error);
    }

    @Override
    public void close() {
        List<Batch> left = new ArrayList<>();
        for (Opened place : opened) {
            synchronized (place) {
                if (place.batch != null) {
                    left.add(place.batch);
                    place.batch = null;
                }
            }
        }
        left.forEach(Batch::close);
        reader.close();
    }
}
