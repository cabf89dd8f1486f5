package dev.quarrel.calcite.engine;

import dev.quarrel.core.arrow.dataset.StagedTable;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/// Adds a query's rows to a table, as one run: all of them or none.
final class RowsInto {
    private static final int FEW_ROWS = 1 << 12;

    private final Relations relations;
    private final Cancellation cancellation;

    RowsInto(Relations relations, Cancellation cancellation) {
        this.relations = relations;
        this.cancellation = cancellation;
    }

    /// Rows of which some have been taken.
    private static final class RowsBehind implements ResultCursor {
        private final Deque<Batch> taken = new ArrayDeque<>();
        private final ResultCursor rest;

        /// @param second may be null
        RowsBehind(Batch first, Batch second, ResultCursor rest) {
            taken.add(first);
            if (second != null) {
                taken.add(second);
            }
            this.rest = rest;
        }

        @Override
        public Schema schema() {
            return rest.schema();
        }

        @Override
        public Batch next() {
            return taken.isEmpty() ? rest.next() : taken.removeFirst();
        }

        @Override
        public void close() {
            taken.forEach(Batch::close);
            rest.close();
        }
    }

    /// @param rows this one's from here on
    private long addFew(Relations.Taker taker, Batch rows, ReturnedRows returned) {
        try (Batch owned = rows;
                Batch fitted = RowWriting.fitted(owned, taker.columns())) {
            relations.changes().append(taker.place().schema(), taker.place().name(), taker.columns(), fitted);
            if (returned != null) {
                returned.add(fitted, taker.columns());
            }
            return fitted.rowCount();
        }
    }

    private long addMany(Relations.Taker taker, ResultCursor rows, ReturnedRows returned) {
        try (rows) {
            StagedTable staged = relations.changes().stage(taker.place().schema());
            long count = new RowWriting(staged, relations.engine().scheduler().threads(), true, cancellation)
                    .returningTo(returned, taker.columns())
                    .write(rows, _ -> taker.columns(), null);
            relations.changes().append(taker.place().schema(), taker.place().name(), staged, "SQL");
            return count;
        }
    }

    /// INSERT of rows that need no query.
    ///
    /// @param rows reads them, as the columns given; null where one of them is none of the table's
    /// @param given their columns
    /// @param returned takes them; null where nobody wants them
    /// @return how many there were; 0 where nothing was done
    long insert(FilledRows filled, Schema given, Function<Schema, Batch> rows, ReturnedRows returned) {
        Relations.Taker taker = filled.taker();
        taker.requireFlat();
        try {
            CopyInto.requireOthers(taker);
            Batch batch = rows.apply(given);
            return batch == null ? 0 : addFew(taker, filled.of(batch), returned);
        } catch (QueryException wrong) {
            throw CopyInto.ofRelation(wrong, taker);
        }
    }

    /// Takes rows that are to be inserted, or not.
    ///
    /// @param query gives them
    /// @param rows takes them
    void collect(FilledRows filled, ResultCursor query, ReturnedRows rows) {
        Relations.Taker taker = filled.taker();
        taker.requireFlat();
        try (ResultCursor given = filled.of(query)) {
            for (Batch batch = given.next(); batch != null; batch = given.next()) {
                try (Batch owned = batch) {
                    cancellation.check();
                    CopyInto.requireOthers(taker);
                    try (Batch fitted = RowWriting.fitted(owned, taker.columns())) {
                        rows.add(fitted, taker.columns());
                    }
                }
            }
        } catch (QueryException wrong) {
            throw CopyInto.ofRelation(wrong, taker);
        }
    }

    /// Adds rows of all columns, which stay the caller's.
    ///
    /// @return how many they were
    long add(Relations.Taker taker, List<Batch> rows, ReturnedRows returned) {
        long count = 0;
        Relations.Taker whole = taker.of(taker.all());
        for (Batch batch : rows) {
            count += addFew(whole, Batch.view(taker.all(), batch.columns(), batch.rowCount()), returned);
        }
        return count;
    }

    /// INSERT.
    ///
    /// @param rows starts the query
    /// @param returned as above
    /// @return how many there were
    long insert(FilledRows filled, Supplier<ResultCursor> rows, ReturnedRows returned) {
        Relations.Taker taker = filled.taker();
        taker.requireFlat();
        try (ResultCursor given = filled.of(rows.get())) {
            Batch first = given.next();
            if (first == null) {
                return 0;
            }
            Batch second;
            try {
                CopyInto.requireOthers(taker);
                second = first.rowCount() > FEW_ROWS ? null : given.next();
            } catch (RuntimeException | Error wrong) {
                first.close();
                throw wrong;
            }
            return first.rowCount() <= FEW_ROWS && second == null
                    ? addFew(taker, first, returned)
                    : addMany(taker, new RowsBehind(first, second, given), returned);
        } catch (QueryException wrong) {
            throw CopyInto.ofRelation(wrong, taker);
        }
    }
}
