package dev.quarrel.calcite.engine;

import dev.quarrel.core.arrow.dataset.FoundRows;
import dev.quarrel.core.arrow.dataset.StagedTable;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.util.List;
import java.util.function.Supplier;

/// Deletes rows of a table, changes some, and merges others into it: the manifest says which rows of a file are there
/// no more, and what they became are new rows.
///
/// - Errors: PostgreSQL's of such statements; 40001 where somebody else has changed the same rows meanwhile.
final class RowChanges {
    private final Relations relations;
    private final Cancellation cancellation;

    RowChanges(Relations relations, Cancellation cancellation) {
        this.relations = relations;
        this.cancellation = cancellation;
    }

    /// The column of where rows lie, and then those of a table.
    static Schema numbered(Schema columns) {
        return new Schema(
                java.util.stream.Stream.concat(java.util.stream.Stream.of(FoundRows.FIELD), columns.fields().stream())
                        .toList());
    }

    /// DELETE of some rows.
    ///
    /// @param found takes what the query finds
    /// @param rows starts the query
    long delete(Relations.Taker taker, FoundRows found, Supplier<ResultCursor> rows) {
        try (ResultCursor given = rows.get()) {
            drain(new WithoutPlaces(given, found));
        }
        found.makeUnique();
        take(taker, found);
        return found.count();
    }

    /// DELETE of some rows that answers with what the query says of them beside.
    ///
    /// - Memory: the caller closes the answer.
    ReturnedRows deleteReturning(Relations.Taker taker, FoundRows found, Supplier<ResultCursor> rows) {
        ReturnedRows returned = null;
        boolean isDone = false;
        try (ResultCursor given = new WithoutPlaces(rows.get(), found)) {
            for (Batch batch = given.next(); batch != null; batch = given.next()) {
                try (Batch owned = batch) {
                    returned = returned == null ? new ReturnedRows(owned.schema()) : returned;
                    returned.add(owned);
                }
            }
            returned = returned == null ? new ReturnedRows(given.schema()) : returned;
            if (found.makeUnique() > 0) {
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "RETURNING of a row that DELETE finds more than once is not supported");
            }
            take(taker, found);
            isDone = true;
            return returned;
        } finally {
            if (!isDone && returned != null) {
                returned.close();
            }
        }
    }

    /// DELETE of all rows.
    String deleteAll(List<String> name) {
        Relations.Place place = relations.taker(name, List.of(), "delete from").place();
        long count = relations.changes().rowCount(place.schema(), place.name());
        if (count > 0) {
            new Alterations(relations, cancellation).empty(name);
        }
        return "DELETE " + count;
    }

    private void take(Relations.Taker taker, FoundRows found) {
        if (found.count() > 0) {
            relations.changes().deleteRows(taker.place().schema(), taker.place().name(), found);
        }
    }

    /// UPDATE.
    ///
    /// @param found takes where the rows lay
    /// @param rows starts the query of that, and of what they become
    /// @param returned takes what they become; null where nobody wants it
    long update(Relations.Taker taker, FoundRows found, Supplier<ResultCursor> rows, ReturnedRows returned) {
        StagedTable staged = relations.changes().stage(taker.place().schema());
        long made;
        try (ResultCursor given = rows.get()) {
            made = new RowWriting(staged, relations.engine().scheduler().threads(), true, cancellation)
                    .returningTo(returned, taker.all())
                    .write(new WithoutPlaces(given, found), _ -> taker.all(), null);
        } catch (QueryException wrong) {
            throw wrong.state() == SqlState.NOT_NULL_VIOLATION ? CopyInto.ofRelation(wrong, taker) : wrong;
        }
        if (found.makeUnique() > 0) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED, "UPDATE of a row by more than one row of FROM is not supported");
        }
        take(taker, found);
        if (made > 0) {
            relations.changes().append(taker.place().schema(), taker.place().name(), staged, "SQL");
        }
        return made;
    }

    /// What a clause of a MERGE does.
    ///
    /// @param numbered whether the rows begin with where they lay
    /// @param columns of the rows that are written; null where rows are deleted
    /// @param filled what new rows hold of which the clause says nothing; null where there are none
    /// @param rows starts the query
    record MergeStep(boolean numbered, Schema columns, FilledRows filled, Supplier<ResultCursor> rows) {}

    /// MERGE.
    ///
    /// @param found takes where the rows lay that are changed or deleted
    /// @param steps which see the table as it was
    String merge(Relations.Taker taker, FoundRows found, List<MergeStep> steps) {
        StagedTable staged = relations.changes().stage(taker.place().schema());
        RowWriting writing =
                new RowWriting(staged, relations.engine().scheduler().threads(), true, cancellation);
        long made = 0;
        long changed = 0;
        for (MergeStep step : steps) {
            try (ResultCursor given = step.rows().get()) {
                if (step.columns() == null) {
                    drain(new WithoutPlaces(given, found));
                } else {
                    ResultCursor rows = step.numbered()
                            ? new WithoutPlaces(given, found)
                            : step.filled().of(given);
                    Relations.Taker listed = step.numbered()
                            ? taker.of(step.columns())
                            : step.filled().taker();
                    long count = writing.write(
                            rows,
                            _ -> {
                                CopyInto.requireOthers(listed);
                                return listed.columns();
                            },
                            null);
                    made += count;
                    changed += step.numbered() ? 0 : count;
                }
            } catch (QueryException wrong) {
                throw CopyInto.ofRelation(wrong, taker);
            }
        }
        changed += found.count();
        if (found.makeUnique() > 0) {
            throw new QueryException(SqlState.CARDINALITY_VIOLATION, "MERGE command cannot affect row a second time")
                    .withHint("Ensure that not more than one source row matches any one target row.");
        }
        take(taker, found);
        if (made > 0) {
            relations.changes().append(taker.place().schema(), taker.place().name(), staged, "SQL");
        }
        return "MERGE " + changed;
    }

    private static void drain(ResultCursor rows) {
        for (Batch batch = rows.next(); batch != null; batch = rows.next()) {
            batch.close();
        }
    }

    /// Rows without their first column, which says where they lay.
    private record WithoutPlaces(ResultCursor rows, FoundRows found) implements ResultCursor {
        @Override
        public Schema schema() {
            return without(rows.schema());
        }

        private static Schema without(Schema schema) {
            return new Schema(schema.fields().subList(1, schema.size()));
        }

        @Override
        public Batch next() {
            Batch batch = rows.next();
            if (batch == null) {
                return null;
            }
            try {
                found.add(batch.column(0));
                return Batch.owning(
                        without(batch.schema()),
                        batch.columns().subList(1, batch.columns().size()),
                        batch.rowCount(),
                        batch::close);
            } catch (RuntimeException | Error wrong) {
                batch.close();
                throw wrong;
            }
        }

        @Override
        public void close() {
            rows.close();
        }
    }
}
