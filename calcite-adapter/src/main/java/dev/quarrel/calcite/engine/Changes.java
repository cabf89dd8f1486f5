package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.arrow.dataset.FoundRows;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.ColumnDefault;
import dev.quarrel.core.table.Counter;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/// DELETE and UPDATE of rows that a query finds, and what MERGE and ON CONFLICT do like them.
///
/// - Threads: one, the session's.
final class Changes {
    private final WriteScope scope;
    private final SessionPlans plans;

    Changes(WriteScope scope) {
        this.scope = scope;
        this.plans = scope.plans();
    }

    /// A DELETE or UPDATE of rows that a query finds, or what a clause of a MERGE does.
    ///
    /// @param columns what the query gives; null for what it says itself
    record Change(Statement.Definition statement, Relations.Taker taker, Statement.Query rows, Schema columns) {}

    private Relations relations() {
        return scope.relations(scope.transaction().changes());
    }

    Relations.Taker taker(Statement.Delete delete) {
        return relations().taker(delete.name(), List.of(), "delete from");
    }

    Change of(Statement.Delete delete) {
        Relations.Taker taker = taker(delete);
        scope.requireSelect(taker.place());
        return delete.isReturning()
                ? new Change(delete, taker, delete.found(), null)
                : deletion(delete, taker, delete.found());
    }

    static Change deletion(Statement.Definition statement, Relations.Taker taker, Statement.Query found) {
        return new Change(statement, taker, found, new Schema(List.of(FoundRows.FIELD)));
    }

    Change of(Statement.Update update) {
        Relations.Taker taker = relations().taker(update.name(), List.of(), "update");
        scope.requireSelect(taker.place());
        return assignment(update, taker, update.targets(), update.defaulted(), update.changed());
    }

    /// - Errors: 428C9 for a value where there is none to be, 42703 for a column that is not there.
    static Change assignment(
            Statement.Definition statement,
            Relations.Taker taker,
            List<String> targets,
            Set<String> defaulted,
            Statement.ChangedRows changed) {
        for (String target : targets) {
            ColumnDefault known = taker.defaultOf(target);
            boolean isAlways =
                    known != null && known.counter() != null && known.counter().kind() == Counter.Kind.ALWAYS;
            if (isAlways && !defaulted.contains(target)) {
                throw new QueryException(
                                SqlState.GENERATED_ALWAYS, "column \"" + target + "\" can only be updated to DEFAULT")
                        .withDetail("Column \"" + target + "\" is an identity column defined as GENERATED ALWAYS.");
            }
            if (taker.all().indexOf(target) < 0) {
                throw new QueryException(
                        SqlState.UNDEFINED_COLUMN,
                        "column \"" + target + "\" of relation \""
                                + taker.place().name() + "\" does not exist");
            }
        }
        taker.requireFlat();
        List<String> columns = taker.all().fields().stream().map(Field::name).toList();
        return new Change(statement, taker, changed.of(columns, taker::expressionOf), RowChanges.numbered(taker.all()));
    }

    PlannedQuery planned(Change change, List<PgType> declared, Cancellation cancellation) {
        SharedSnapshot numbered = scope.numbered(change.taker().place());
        try {
            return planned(change, declared, numbered, cancellation);
        } finally {
            numbered.release();
        }
    }

    PlannedQuery planned(Change change, List<PgType> declared, SharedSnapshot numbered, Cancellation cancellation) {
        if (change.columns() == null) {
            return plans.planAlone(change.rows(), declared, false, numbered, cancellation);
        }
        return plans.plan(change.statement(), change.rows(), change.columns(), declared, numbered, cancellation);
    }

    /// Starts a change's query.
    ResultCursor rows(
            Change change,
            PlannedQuery planned,
            List<PgType> declared,
            SharedSnapshot numbered,
            List<Literal> parameters,
            Cancellation cancellation,
            long timeoutMillis) {
        LocalSession session = scope.session();
        return new WideningExecution(
                () -> session.run(planned, numbered, parameters, cancellation, timeoutMillis),
                () -> session.run(
                        change.columns() == null
                                ? plans.planAlone(change.rows(), declared, true, numbered, cancellation)
                                : plans.planWide(
                                        change.statement(),
                                        change.rows(),
                                        change.columns(),
                                        declared,
                                        numbered,
                                        cancellation),
                        numbered,
                        parameters,
                        cancellation,
                        timeoutMillis));
    }

    /// What is done to the rows that are found.
    interface FoundBy<T> {
        T change(RowChanges changes, Relations.Taker taker, FoundRows found, Supplier<ResultCursor> rows);
    }

    /// Runs a change.
    <T> T run(Change change, Relations relations, WriteScope.Run run, FoundBy<T> by) {
        Relations.Place place = change.taker().place();
        LocalPrepared prepared = run.prepared();
        Cancellation cancellation = run.cancellation();
        SharedSnapshot numbered = scope.numbered(place);
        try {
            PlannedQuery planned = prepared.circumstances() == plans.circumstances()
                    ? prepared.planned()
                    : planned(change, prepared.declaredTypes(), numbered, cancellation);
            if (!planned.parameterTypes().equals(prepared.parameterTypes())) {
                throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "cached plan must not change result type");
            }
            try (CatalogSnapshot files = numbered.stored();
                    FoundRows found = scope.found(files, place)) {
                return by.change(
                        new RowChanges(relations, cancellation),
                        change.taker(),
                        found,
                        () -> rows(
                                change,
                                planned,
                                prepared.declaredTypes(),
                                numbered,
                                run.parameters(),
                                cancellation,
                                run.timeoutMillis()));
            }
        } finally {
            numbered.release();
        }
    }
}
