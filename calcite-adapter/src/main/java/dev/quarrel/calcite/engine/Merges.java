package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.arrow.dataset.FoundRows;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// MERGE: what each of its clauses does, and all of them over the same rows.
///
/// - Threads: one, the session's.
final class Merges {
    private final WriteScope scope;
    private final Changes changes;

    Merges(WriteScope scope, Changes changes) {
        this.scope = scope;
        this.changes = changes;
    }

    /// A clause of a MERGE.
    ///
    /// @param written the columns of the rows that it writes; null where it deletes
    /// @param defaulted the places of values that are DEFAULT
    private record Step(Changes.Change change, Schema written, Set<Integer> defaulted, PlannedQuery planned) {}

    private Relations.Taker merged(Statement.Merge merge) {
        Relations.Taker taker =
                scope.relations(scope.transaction().changes()).taker(merge.name(), List.of(), "merge into");
        scope.requireSelect(taker.place());
        return taker;
    }

    /// - Errors: what is wrong with the statement; 0A000 for parameters.
    void check(Statement.Merge merge, List<PgType> declared, Cancellation cancellation) {
        SharedSnapshot numbered = scope.numbered(merged(merge).place());
        try {
            steps(merge, declared, numbered, cancellation);
        } finally {
            numbered.release();
        }
    }

    /// What a MERGE does, planned.
    ///
    /// - Errors: also 0A000 for parameters.
    private List<Step> steps(
            Statement.Merge merge, List<PgType> declared, SharedSnapshot numbered, Cancellation cancellation) {
        Relations relations = scope.relations(scope.transaction().changes());
        Relations.Taker taker = merged(merge);
        Schema ones = new Schema(List.of(new Field("pairs", DataType.INT32, true)));
        step(new Changes.Change(merge, taker, merge.pairs(), ones), null, declared, numbered, cancellation);
        List<Step> steps = new ArrayList<>();
        for (Statement.MergeClause clause : merge.clauses()) {
            switch (clause) {
                case Statement.MergeNothing(Statement.Query rows) ->
                    step(new Changes.Change(merge, taker, rows, ones), null, declared, numbered, cancellation);
                case Statement.MergeDelete(Statement.Query found) ->
                    steps.add(step(Changes.deletion(merge, taker, found), null, declared, numbered, cancellation));
                case Statement.MergeUpdate(
                        List<String> targets,
                        Set<String> defaulted,
                        Statement.ChangedRows changed) ->
                    steps.add(step(
                            Changes.assignment(merge, taker, targets, defaulted, changed),
                            taker.all(),
                            declared,
                            numbered,
                            cancellation));
                case Statement.MergeInsert(
                        List<String> columns,
                        int valueCount,
                        Set<Integer> defaulted,
                        Statement.Query rows) -> {
                    Relations.Taker listed = relations.taker(merge.name(), columns, "merge into");
                    if (columns.isEmpty() && valueCount < listed.columns().size()) {
                        listed = listed.first(valueCount);
                    }
                    listed.requireFlat();
                    WriteScope.replaced(listed, defaulted, null);
                    Step step = step(
                            new Changes.Change(merge, listed, rows, listed.columns()),
                            listed.columns(),
                            declared,
                            numbered,
                            cancellation);
                    steps.add(new Step(step.change(), step.written(), defaulted, step.planned()));
                }
            }
        }
        return steps;
    }

    private Step step(
            Changes.Change change,
            Schema written,
            List<PgType> declared,
            SharedSnapshot numbered,
            Cancellation cancellation) {
        PlannedQuery planned = changes.planned(change, declared, numbered, cancellation);
        if (!planned.parameterTypes().isEmpty()) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "parameters in MERGE are not supported");
        }
        return new Step(change, written, Set.of(), planned);
    }

    /// @return the tag
    String run(Statement.Merge merge, Relations relations, WriteScope.Run run) {
        Relations.Taker taker = merged(merge);
        Relations.Place place = taker.place();
        Cancellation cancellation = run.cancellation();
        SharedSnapshot numbered = scope.numbered(place);
        long start = System.nanoTime();
        LongSupplier left = () -> run.timeoutMillis() == 0
                ? 0
                : Math.max(1, run.timeoutMillis() - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
        try (CatalogSnapshot files = numbered.stored();
                FoundRows found = scope.found(files, place)) {
            List<PgType> declared = run.prepared().declaredTypes();
            List<RowChanges.MergeStep> steps = steps(merge, declared, numbered, cancellation).stream()
                    .map(step -> new RowChanges.MergeStep(
                            step.change().columns().fields().getFirst().equals(FoundRows.FIELD),
                            step.written(),
                            step.written() == null
                                    ? null
                                    : scope.filled(
                                            relations,
                                            step.change().taker(),
                                            step.defaulted(),
                                            Set.of(),
                                            "SYSTEM",
                                            scope.defaults(cancellation, left.getAsLong())),
                            () -> changes.rows(
                                    step.change(),
                                    step.planned(),
                                    declared,
                                    numbered,
                                    List.of(),
                                    cancellation,
                                    left.getAsLong())))
                    .toList();
            return new RowChanges(relations, cancellation).merge(taker, found, steps);
        } finally {
            numbered.release();
        }
    }
}
