package dev.quarrel.calcite.engine;

import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.dataset.StagedTable;
import dev.quarrel.core.arrow.dataset.TableLoad;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.run.BatchJoiner;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.IntStream;

/// Writes the rows of a query as files of a table: in batches as large as those of imports, which several threads
/// encode, so many at a time.
final class RowWriting {
    private static final int BATCH_ROWS = 1 << 18;
    private static final long BATCH_BYTES = 32L << 20;
    private static final int MOST_THREADS = 4;

    private final StagedTable staged;
    private final int threads;
    private final boolean mustFit;
    private final Cancellation cancellation;
    private ReturnedRows returned; // null where nobody wants the rows
    private Schema returnedColumns;

    /// @param mustFit whether the columns were there before the rows
    RowWriting(StagedTable staged, int threads, boolean mustFit, Cancellation cancellation) {
        this.staged = staged;
        this.mustFit = mustFit;
        this.threads = Math.clamp(threads, 1, MOST_THREADS);
        this.cancellation = cancellation;
    }

    /// Has somebody get the rows as the table has them, too.
    ///
    /// @param to null for nobody
    RowWriting returningTo(ReturnedRows to, Schema columns) {
        returned = to;
        returnedColumns = columns;
        return this;
    }

    /// @param schemaOf the table's columns for the types that the rows have
    /// @param empty the table's columns where there are no rows; null: no file is written then
    /// @return how many rows there were
    long write(ResultCursor rows, Function<Schema, Schema> schemaOf, Schema empty) {
        Batch first = rows.next();
        if (first == null) {
            return empty == null ? 0 : empty(empty);
        }
        Schema schema;
        try {
            schema = schemaOf.apply(first.schema());
        } catch (RuntimeException | Error wrong) {
            first.close();
            throw wrong;
        }
        try (ExecutorService pool = threads(threads);
                TableLoad load = staged.load(schema, WriteOptions.PLAIN)) {
            Batch batch = first;
            while (batch != null) {
                batch = joined(batch, rows, schema, load, pool);
            }
            return load.finish();
        }
    }

    /// Writes a file of no rows.
    ///
    /// @return 0
    long empty(Schema schema) {
        try (TableLoad load = staged.load(schema, WriteOptions.PLAIN)) {
            return load.finish();
        }
    }

    /// Threads that start when there is work for them.
    static ExecutorService threads(int most) {
        return Executors.newFixedThreadPool(
                most, Thread.ofPlatform().name("quarrel-write-", 0).daemon().factory());
    }

    /// Writes a batch with some that follow; answers the one after them, or null.
    private Batch joined(Batch first, ResultCursor rows, Schema schema, TableLoad load, ExecutorService pool) {
        BatchJoiner joiner = new BatchJoiner(schema, 1 << 12);
        boolean isTaken = false;
        Batch batch = first;
        try {
            do {
                try (Batch owned = batch) {
                    cancellation.check();
                    if (mustFit) {
                        addFitted(owned, schema, joiner);
                    } else {
                        joiner.add(owned);
                    }
                }
                batch = rows.next();
            } while (batch != null
                    && joiner.rowCount() + batch.rowCount() <= BATCH_ROWS
                    && joiner.byteCount() < BATCH_BYTES);
            isTaken = true;
            load.append(joiner.take(), pool, threads);
            return batch;
        } catch (RuntimeException | Error wrong) {
            if (batch != null) {
                batch.close();
            }
            throw wrong;
        } finally {
            if (!isTaken) {
                joiner.close();
            }
        }
    }

    private void addFitted(Batch batch, Schema schema, BatchJoiner joiner) {
        try (Batch fitted = fitted(batch, schema)) {
            joiner.add(fitted);
            if (returned != null) {
                returned.add(fitted, returnedColumns);
            }
        }
    }

    /// Rows as a table's columns take them.
    ///
    /// - Errors: as of [Fitted]; 23502 for a NULL where there may be none.
    /// - Memory: as [Fitted#of].
    static Batch fitted(Batch batch, Schema schema) {
        Batch fitted = Fitted.of(batch, schema);
        try {
            requirePresent(fitted, schema);
            return fitted;
        } catch (RuntimeException | Error wrong) {
            fitted.close();
            throw wrong;
        }
    }

    private static void requirePresent(Batch batch, Schema schema) {
        for (int column = 0; column < schema.size(); column++) {
            var validity = batch.column(column).validity();
            if (!schema.field(column).nullable()
                    && !validity.isAllPresent()
                    && IntStream.range(0, batch.rowCount()).anyMatch(row -> !validity.isPresent(row))) {
                throw new QueryException(
                        SqlState.NOT_NULL_VIOLATION,
                        "null value in column \"" + schema.field(column).name() + "\" violates not-null constraint");
            }
        }
    }
}
