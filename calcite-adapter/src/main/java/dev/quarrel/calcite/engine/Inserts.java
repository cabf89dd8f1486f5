package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.arrow.dataset.FoundRows;
import dev.quarrel.core.arrow.dataset.rows.MetRows;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.ColumnDefault;
import dev.quarrel.core.table.Counter;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// INSERT, also of rows that need no plan, and with ON CONFLICT.
///
/// - Threads: one, the session's.
final class Inserts {
    /// What the rows are called that ON CONFLICT calls `excluded`, as no table is.
    private static final String EXCLUDED = "(excluded)";

    private final WriteScope scope;
    private final SessionPlans plans;
    private final Changes changes;

    Inserts(WriteScope scope, Changes changes) {
        this.scope = scope;
        this.plans = scope.plans();
        this.changes = changes;
    }

    LocalPrepared prepare(
            LocalPrepared.Parsed statement, Statement.Insert insert, List<PgType> declared, Cancellation cancellation) {
        SharedSnapshot seen = seenBy(insert);
        Relations.Taker taker = scope.relations(scope.transaction().changes()).taker(insert);
        Statement.Insert into = valued(insert, taker);
        LocalPrepared prepared = insert.conflict() == null && literals(into, taker) != null
                ? LocalPrepared.withoutRows(statement, declared)
                : LocalPrepared.of(
                        statement,
                        declared,
                        plans.plan(into, taker, declared, seen, cancellation),
                        plans.circumstances(seen));
        prepared = prepared.withParameters(conflictTypes(insert, taker, prepared, cancellation));
        return scope.returning(prepared, insert.returning(), taker);
    }

    /// An INSERT with expressions in place of DEFAULT, where that stands beside other values.
    private static Statement.Insert valued(Statement.Insert insert, Relations.Taker taker) {
        Statement.InsertedValues values = insert.values();
        if (values.mixed().isEmpty()) {
            return insert;
        }
        Statement.Query remade = values.remade().of(place -> {
            if (place >= taker.columns().size()) {
                throw new QueryException(SqlState.SYNTAX_ERROR, "INSERT has more expressions than target columns");
            }
            String column = taker.columns().field(place).name();
            ColumnDefault known = taker.defaultOf(column);
            boolean isCounted = known != null && known.counter() != null;
            if (isCounted && known.counter().kind() == Counter.Kind.ALWAYS && values.overriding() == null) {
                throw WriteScope.generatedAlways(column);
            }
            return isCounted && values.literal().contains(place) ? "NULL" : taker.expressionOf(column);
        });
        return new Statement.Insert(
                insert.text(),
                insert.start(),
                insert.end(),
                insert.name(),
                insert.columns(),
                remade,
                values,
                insert.conflict(),
                insert.returning());
    }

    Execution run(Statement.Insert insert, Relations relations, WriteScope.Run run) {
        Relations.Taker all = relations.taker(insert);
        if (insert.returning() != null && WriteScope.direct(run.prepared(), all) == null) {
            scope.transaction().snapshot(); // what its queries see is what was there before
        }
        ReturnedRows returned = insert.returning() == null ? null : new ReturnedRows(all.all());
        boolean isDone = false;
        try {
            long count = insert(insert, relations, all, run, returned);
            String tag = insert.commandTag() + " 0 " + count;
            Execution answer = returned == null
                    ? RowsExecution.ofTag(tag)
                    : scope.answer(insert.returning(), tag, returned, all, run);
            isDone = true;
            return answer;
        } finally {
            if (!isDone && returned != null) {
                returned.close();
            }
        }
    }

    /// @return how many rows there were
    private long insert(
            Statement.Insert written,
            Relations relations,
            Relations.Taker taker,
            WriteScope.Run run,
            ReturnedRows returned) {
        Statement.Insert insert = valued(written, taker);
        if (insert.conflict() != null) {
            return insertOrChange(insert, relations, taker, run, returned);
        }
        RowsInto rows = new RowsInto(relations, run.cancellation());
        SharedSnapshot seen = seenBy(insert);
        LiteralRows literals = literals(insert, taker);
        if (literals != null) {
            Relations.Taker listed = taker.first(literals.width());
            Set<Integer> defaulted = insert.values().defaulted();
            Set<Integer> counted = insert.values().literal();
            long count = rows.insert(
                    filled(insert, relations, listed, run),
                    withNulls(withNulls(listed.columns(), defaulted), counted),
                    columns -> literals.read(
                            columns, plans.circumstances(seen).options().moment()),
                    returned);
            if (count > 0) {
                return count;
            }
        }
        PlannedQuery planned = planned(insert, taker, seen, run);
        Relations.Taker listed = taker.first(planned.columns().size());
        return rows.insert(
                filled(insert, relations, listed, run), () -> rows(insert, taker, planned, seen, run), returned);
    }

    private FilledRows filled(
            Statement.Insert insert, Relations relations, Relations.Taker listed, WriteScope.Run run) {
        Statement.InsertedValues values = insert.values();
        return scope.filled(
                relations,
                listed,
                values.defaulted(),
                values.literal(),
                values.overriding(),
                scope.defaults(run.cancellation(), run.timeoutMillis()));
    }

    private PlannedQuery planned(
            Statement.Insert insert, Relations.Taker taker, SharedSnapshot seen, WriteScope.Run run) {
        LocalPrepared prepared = run.prepared();
        PlannedQuery known = prepared.planned();
        PlannedQuery planned = known != null && prepared.circumstances() == plans.circumstances(seen)
                ? known
                : plans.plan(insert, taker, prepared.declaredTypes(), seen, run.cancellation());
        int count = planned.parameterTypes().size();
        if (count > prepared.parameterTypes().size()
                || !planned.parameterTypes().equals(prepared.parameterTypes().subList(0, count))) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "cached plan must not change result type");
        }
        return planned;
    }

    /// Starts the query of an INSERT.
    private ResultCursor rows(
            Statement.Insert insert,
            Relations.Taker taker,
            PlannedQuery planned,
            SharedSnapshot seen,
            WriteScope.Run run) {
        LocalSession session = scope.session();
        List<Literal> parameters =
                run.parameters().subList(0, planned.parameterTypes().size());
        return new WideningExecution(
                () -> session.run(planned, seen, parameters, run.cancellation(), run.timeoutMillis()),
                () -> session.run(
                        plans.planWide(insert, taker, run.prepared().declaredTypes(), seen, run.cancellation()),
                        seen,
                        parameters,
                        run.cancellation(),
                        run.timeoutMillis()));
    }

    /// INSERT … ON CONFLICT.
    ///
    /// @return how many rows there were that were inserted or changed
    private long insertOrChange(
            Statement.Insert insert,
            Relations relations,
            Relations.Taker taker,
            WriteScope.Run run,
            ReturnedRows returned) {
        Statement.OnConflict conflict = insert.conflict();
        List<UniqueKey> keys = ConflictKeys.of(conflict, taker);
        SharedSnapshot seen = scope.transaction().snapshot();
        PlannedQuery planned = planned(insert, taker, seen, run);
        FilledRows filled =
                filled(insert, relations, taker.first(planned.columns().size()), run);
        RowsInto into = new RowsInto(relations, run.cancellation());
        Relations.Place place = taker.place();
        try (ReturnedRows rows = new ReturnedRows(taker.all())) {
            into.collect(filled, rows(insert, taker, planned, seen, run), rows);
            List<Batch> given = rows.batches();
            try (MetRows met = relations
                    .changes()
                    .met(place.schema(), place.name(), keys, taker.all(), given, conflict.isNothing())) {
                long count = 0;
                if (!conflict.isNothing()) {
                    if (met.hasSame()) {
                        throw new QueryException(
                                        SqlState.CARDINALITY_VIOLATION,
                                        "ON CONFLICT DO UPDATE command cannot affect row a second time")
                                .withHint("Ensure that no rows proposed for insertion within the same command have"
                                        + " duplicate constrained values.");
                    }
                    count = change(insert, relations, taker, keys.getFirst(), met.met(), run, returned);
                }
                return count + into.add(taker, met.fresh(), returned);
            }
        }
    }

    /// ON CONFLICT DO UPDATE.
    ///
    /// @param met the rows that are not inserted
    private long change(
            Statement.Insert insert,
            Relations relations,
            Relations.Taker taker,
            UniqueKey key,
            List<Batch> met,
            WriteScope.Run run,
            ReturnedRows returned) {
        if (met.isEmpty()) {
            return 0;
        }
        Relations.Place place = taker.place();
        Changes.Change change = conflicting(insert, taker, key);
        SharedSnapshot now =
                scope.engine().snapshot(scope.privileges(), relations.changes().snapshot());
        SharedSnapshot numbered = now.numbered(place.schema(), place.name());
        now.release();
        if (numbered == null) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "rows of table \"" + place.name() + "\" cannot be changed: it has a column \"" + FoundRows.COLUMN
                            + "\"");
        }
        SharedSnapshot both =
                numbered.with(new MemoryTable(Catalog.TEMPORARY_SCHEMA, EXCLUDED, taker.all(), plain(met, taker)));
        try (CatalogSnapshot files = numbered.stored();
                FoundRows found = scope.found(files, place)) {
            List<PgType> declared = run.prepared().parameterTypes();
            Cancellation cancellation = run.cancellation();
            PlannedQuery planned = changes.planned(change, declared, both, cancellation);
            List<Literal> own =
                    run.parameters().subList(0, planned.parameterTypes().size());
            return new RowChanges(relations, cancellation)
                    .update(
                            taker,
                            found,
                            () -> changes.rows(change, planned, declared, both, own, cancellation, run.timeoutMillis()),
                            returned);
        } finally {
            both.release();
            numbered.release();
        }
    }

    /// Rows as they lie in memory, under the table's own columns.
    private static List<Batch> plain(List<Batch> rows, Relations.Taker taker) {
        return rows.stream()
                .map(batch -> Batch.view(taker.all(), batch.columns(), batch.rowCount()))
                .toList();
    }

    /// What ON CONFLICT DO UPDATE makes of rows.
    private Changes.Change conflicting(Statement.Insert insert, Relations.Taker taker, UniqueKey key) {
        Statement.OnConflict conflict = insert.conflict();
        return Changes.assignment(
                insert,
                taker,
                conflict.targets(),
                conflict.defaulted(),
                (columns, expressions) -> conflict.changed()
                        .of(columns, key.columns(), List.of(Catalog.TEMPORARY_SCHEMA, EXCLUDED), expressions));
    }

    /// The types of an INSERT's parameters, with those of ON CONFLICT.
    ///
    /// - Errors: of what it names and assigns.
    private List<PgType> conflictTypes(
            Statement.Insert insert, Relations.Taker taker, LocalPrepared prepared, Cancellation cancellation) {
        if (insert.conflict() == null) {
            return prepared.parameterTypes();
        }
        List<UniqueKey> keys = ConflictKeys.of(insert.conflict(), taker);
        if (insert.conflict().isNothing()) {
            return prepared.parameterTypes();
        }
        List<PgType> declared = new ArrayList<>(prepared.parameterTypes());
        for (int index = declared.size(); index < prepared.declaredTypes().size(); index++) {
            declared.add(prepared.declaredTypes().get(index));
        }
        scope.requireSelect(taker.place());
        SharedSnapshot numbered = scope.numbered(taker.place());
        SharedSnapshot both =
                numbered.with(new MemoryTable(Catalog.TEMPORARY_SCHEMA, EXCLUDED, taker.all(), List.of()));
        try {
            List<PgType> types = changes.planned(
                            conflicting(insert, taker, keys.getFirst()), declared, both, cancellation)
                    .parameterTypes();
            return types.size() > prepared.parameterTypes().size() ? types : prepared.parameterTypes();
        } finally {
            both.release();
            numbered.release();
        }
    }

    /// Columns that may be NULL where DEFAULT stands.
    private static Schema withNulls(Schema columns, Set<Integer> defaulted) {
        List<Field> fields = new ArrayList<>();
        for (int place = 0; place < columns.size(); place++) {
            Field field = columns.field(place);
            fields.add(defaulted.contains(place) ? field.withNullable(true) : field);
        }
        return new Schema(fields);
    }

    /// The rows of an INSERT that need no plan; null where they do.
    private static LiteralRows literals(Statement.Insert insert, Relations.Taker taker) {
        LiteralRows rows = LiteralRows.of(insert);
        return rows != null && rows.fit(taker.columns()) ? rows : null;
    }

    /// What an INSERT sees of the catalog: one after the other does not wait for the rows of those before to be files.
    private SharedSnapshot seenBy(Statement.Insert insert) {
        return QuickPlans.readsNoTable(insert.query().node())
                ? scope.transaction().definitions()
                : scope.transaction().snapshot();
    }
}
