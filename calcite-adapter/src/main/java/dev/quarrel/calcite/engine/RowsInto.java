package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.arrow.dataset.StagedTable;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.util.ArrayDeque;
import java.util.Deque;
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
    private long addFew(Relations.Taker taker, Batch rows) {
        try (Batch owned = rows;
                Batch fitted = RowWriting.fitted(owned, taker.columns())) {
            relations.changes().append(taker.place().schema(), taker.place().name(), taker.columns(), fitted);
            return fitted.rowCount();
        }
    }

    private long addMany(Relations.Taker taker, ResultCursor rows) {
        try (rows) {
            StagedTable staged = relations.changes().stage(taker.place().schema());
            long count = new RowWriting(staged, relations.engine().scheduler().threads(), true, cancellation)
                    .write(rows, _ -> taker.columns(), null);
            relations.changes().append(taker.place().schema(), taker.place().name(), staged, "SQL");
            return count;
        }
    }

    /// INSERT of rows that need no query.
    ///
    /// @param rows reads them; null where one of them is none of the table's
    /// @return how many there were; 0 where nothing was done
    long insert(Relations.Taker taker, Function<Schema, Batch> rows) {
        taker.requireFlat();
        try {
            CopyInto.requireOthers(taker);
        } catch (QueryException wrong) {
            throw CopyInto.ofRelation(wrong, taker);
        }
        try (Batch batch = rows.apply(taker.columns())) {
            if (batch == null) {
                return 0;
            }
            relations.changes().append(taker.place().schema(), taker.place().name(), taker.columns(), batch);
            return batch.rowCount();
        }
    }

    /// INSERT.
    ///
    /// @param valueCount of each row
    /// @param rows starts the query
    String insert(Statement.Insert insert, int valueCount, Supplier<ResultCursor> rows) {
        Relations.Taker taker = relations.taker(insert).first(valueCount);
        taker.requireFlat();
        try (ResultCursor given = rows.get()) {
            Batch first = given.next();
            if (first == null) {
                return insert.commandTag() + " 0 0";
            }
            Batch second;
            try {
                CopyInto.requireOthers(taker);
                second = first.rowCount() > FEW_ROWS ? null : given.next();
            } catch (RuntimeException | Error wrong) {
                first.close();
                throw wrong;
            }
            long count = first.rowCount() <= FEW_ROWS && second == null
                    ? addFew(taker, first)
                    : addMany(taker, new RowsBehind(first, second, given));
            return insert.commandTag() + " 0 " + count;
        } catch (QueryException wrong) {
            throw CopyInto.ofRelation(wrong, taker);
        }
    }
}
