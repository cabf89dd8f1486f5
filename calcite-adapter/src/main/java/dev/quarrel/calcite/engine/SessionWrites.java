package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.CopyInput;
import dev.quarrel.calcite.TablePrivileges;
import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.DatasetTransaction;
import dev.quarrel.core.arrow.dataset.FoundRows;
import dev.quarrel.core.arrow.dataset.OverDataset;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// Prepares and runs a session's statements that write.
///
/// - Threads: one, the session's.
final class SessionWrites {
    private static final int MOST_TRIES = 10;

    private final LocalEngine engine;
    private final LocalSession session;
    private final TablePrivileges privileges;
    private final SessionPlans plans;
    private final Transaction transaction;

    SessionWrites(
            LocalEngine engine,
            LocalSession session,
            TablePrivileges privileges,
            SessionPlans plans,
            Transaction transaction) {
        this.engine = engine;
        this.session = session;
        this.privileges = privileges;
        this.plans = plans;
        this.transaction = transaction;
    }

    LocalPrepared prepare(
            LocalPrepared.Parsed statement,
            Statement.Definition definition,
            List<PgType> declared,
            Cancellation cancellation) {
        if (!engine.config().writes().isAllowed()) {
            throw Statement.readOnly(definition.commandTag());
        }
        return switch (definition) {
            case Statement.CreateTableAs create -> prepareWrite(statement, create.query(), declared, cancellation);
            case Statement.CreateView view -> {
                session.requireWritable(view); // before its query is looked at
                if (!plans.plan(view.query(), declared, cancellation)
                        .parameterTypes()
                        .isEmpty()) {
                    throw statement.noParameters();
                }
                yield LocalPrepared.withoutRows(statement, declared);
            }
            case Statement.Unbuilt unbuilt -> throw unbuilt.error();
            case Statement.Delete delete
            when delete.found() == null -> {
                requireSelect(taker(delete).place());
                yield LocalPrepared.withoutRows(statement, declared);
            }
            case Statement.Delete delete -> {
                PlannedQuery planned = planned(changeOf(delete), declared, cancellation);
                yield LocalPrepared.of(statement, declared, planned, plans.circumstances())
                        .asWrite();
            }
            case Statement.Update update -> {
                PlannedQuery planned = planned(changeOf(update), declared, cancellation);
                yield LocalPrepared.of(statement, declared, planned, plans.circumstances())
                        .asWrite();
            }
            case Statement.Merge merge -> {
                SharedSnapshot numbered = numbered(merged(merge).place());
                try {
                    steps(merge, declared, numbered, cancellation);
                } finally {
                    numbered.release();
                }
                yield LocalPrepared.withoutRows(statement, declared);
            }
            case Statement.Insert insert -> {
                SharedSnapshot seen = seenBy(insert);
                Relations.Taker taker = relations(transaction.changes()).taker(insert);
                if (literals(insert, taker) != null) {
                    yield LocalPrepared.withoutRows(statement, declared);
                }
                PlannedQuery planned = plans.plan(insert, taker, declared, seen, cancellation);
                yield LocalPrepared.of(statement, declared, planned, plans.circumstances(seen))
                        .asWrite();
            }
            case Statement.CreateTable _,
                    Statement.DropRelations _,
                    Statement.Comment _,
                    Statement.CreateSchema _,
                    Statement.DropSchemas _,
                    Statement.Truncate _,
                    Statement.Upkeep _,
                    Statement.DropIndexes _,
                    Statement.AlterRelation _ -> LocalPrepared.withoutRows(statement, declared);
        };
    }

    /// A DELETE or UPDATE of rows that a query finds, or what a clause of a MERGE does.
    ///
    /// @param columns what the query gives
    private record Change(
            Statement.Definition statement, Relations.Taker taker, Statement.Query rows, Schema columns) {}

    private Relations.Taker taker(Statement.Delete delete) {
        return relations(transaction.changes()).taker(delete.name(), List.of(), "delete from");
    }

    private Change changeOf(Statement.Delete delete) {
        Relations.Taker taker = taker(delete);
        requireSelect(taker.place());
        return deletion(delete, taker, delete.found());
    }

    private static Change deletion(Statement.Definition statement, Relations.Taker taker, Statement.Query found) {
        return new Change(statement, taker, found, new Schema(List.of(FoundRows.FIELD)));
    }

    private Change changeOf(Statement.Update update) {
        Relations.Taker taker = relations(transaction.changes()).taker(update.name(), List.of(), "update");
        requireSelect(taker.place());
        return assignment(update, taker, update.targets(), update.changed());
    }

    private static Change assignment(
            Statement.Definition statement,
            Relations.Taker taker,
            List<String> targets,
            Statement.ChangedRows changed) {
        for (String target : targets) {
            if (taker.all().indexOf(target) < 0) {
                throw new QueryException(
                        SqlState.UNDEFINED_COLUMN,
                        "column \"" + target + "\" of relation \""
                                + taker.place().name() + "\" does not exist");
            }
        }
        taker.requireFlat();
        List<String> columns = taker.all().fields().stream().map(Field::name).toList();
        return new Change(statement, taker, changed.of(columns), RowChanges.numbered(taker.all()));
    }

    /// The transaction's catalog, in which a table says where its rows lie.
    private SharedSnapshot numbered(Relations.Place place) {
        SharedSnapshot numbered = transaction.snapshot().numbered(place.schema(), place.name());
        if (numbered == null) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "rows of table \"" + place.name() + "\" cannot be changed: events come in, or it has a column \""
                            + FoundRows.COLUMN + "\"");
        }
        return numbered;
    }

    private PlannedQuery planned(Change change, List<PgType> declared, Cancellation cancellation) {
        SharedSnapshot numbered = numbered(change.taker().place());
        try {
            return planned(change, declared, numbered, cancellation);
        } finally {
            numbered.release();
        }
    }

    private PlannedQuery planned(
            Change change, List<PgType> declared, SharedSnapshot numbered, Cancellation cancellation) {
        return plans.plan(change.statement(), change.rows(), change.columns(), declared, numbered, cancellation);
    }

    /// Starts a change's query.
    private ResultCursor rows(
            Change change,
            PlannedQuery planned,
            List<PgType> declared,
            SharedSnapshot numbered,
            List<Literal> parameters,
            Cancellation cancellation,
            long timeoutMillis) {
        return new WideningExecution(
                () -> session.run(planned, numbered, parameters, cancellation, timeoutMillis),
                () -> session.run(
                        plans.planWide(
                                change.statement(), change.rows(), change.columns(), declared, numbered, cancellation),
                        numbered,
                        parameters,
                        cancellation,
                        timeoutMillis));
    }

    private interface FoundBy {
        String change(RowChanges changes, Relations.Taker taker, FoundRows found, Supplier<ResultCursor> rows);
    }

    private String change(
            Change change,
            Relations relations,
            LocalPrepared prepared,
            List<Literal> parameters,
            Cancellation cancellation,
            long timeoutMillis,
            FoundBy by) {
        Relations.Place place = change.taker().place();
        SharedSnapshot numbered = numbered(place);
        try {
            PlannedQuery planned = prepared.circumstances() == plans.circumstances()
                    ? prepared.planned()
                    : planned(change, prepared.declaredTypes(), numbered, cancellation);
            if (!planned.parameterTypes().equals(prepared.parameterTypes())) {
                throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "cached plan must not change result type");
            }
            try (CatalogSnapshot files = numbered.stored();
                    FoundRows found = new FoundRows(
                            files, place.schema(), place.name(), engine.queryMemory(session.memoryBytes()))) {
                return by.change(
                        new RowChanges(relations, cancellation),
                        change.taker(),
                        found,
                        () -> rows(
                                change,
                                planned,
                                prepared.declaredTypes(),
                                numbered,
                                parameters,
                                cancellation,
                                timeoutMillis));
            }
        } finally {
            numbered.release();
        }
    }

    private Relations.Taker merged(Statement.Merge merge) {
        Relations.Taker taker = relations(transaction.changes()).taker(merge.name(), List.of(), "merge into");
        requireSelect(taker.place());
        return taker;
    }

    /// A clause of a MERGE.
    ///
    /// @param written the columns of the rows that it writes; null where it deletes
    private record Step(Change change, Schema written, PlannedQuery planned) {}

    /// What a MERGE does, planned.
    ///
    /// - Errors: also 0A000 for parameters.
    private List<Step> steps(
            Statement.Merge merge, List<PgType> declared, SharedSnapshot numbered, Cancellation cancellation) {
        Relations relations = relations(transaction.changes());
        Relations.Taker taker = merged(merge);
        Schema ones = new Schema(List.of(new Field("pairs", DataType.INT32, true)));
        step(new Change(merge, taker, merge.pairs(), ones), null, declared, numbered, cancellation);
        List<Step> steps = new ArrayList<>();
        for (Statement.MergeClause clause : merge.clauses()) {
            switch (clause) {
                case Statement.MergeNothing(Statement.Query rows) ->
                    step(new Change(merge, taker, rows, ones), null, declared, numbered, cancellation);
                case Statement.MergeDelete(Statement.Query found) ->
                    steps.add(step(deletion(merge, taker, found), null, declared, numbered, cancellation));
                case Statement.MergeUpdate(List<String> targets, Statement.ChangedRows changed) ->
                    steps.add(step(
                            assignment(merge, taker, targets, changed), taker.all(), declared, numbered, cancellation));
                case Statement.MergeInsert(List<String> columns, int valueCount, Statement.Query rows) -> {
                    Relations.Taker listed = relations.taker(merge.name(), columns, "merge into");
                    if (columns.isEmpty() && valueCount < listed.columns().size()) {
                        listed = listed.first(valueCount);
                    }
                    listed.requireFlat();
                    steps.add(step(
                            new Change(merge, listed, rows, listed.columns()),
                            listed.columns(),
                            declared,
                            numbered,
                            cancellation));
                }
            }
        }
        return steps;
    }

    private Step step(
            Change change, Schema written, List<PgType> declared, SharedSnapshot numbered, Cancellation cancellation) {
        PlannedQuery planned = planned(change, declared, numbered, cancellation);
        if (!planned.parameterTypes().isEmpty()) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "parameters in MERGE are not supported");
        }
        return new Step(change, written, planned);
    }

    private String merge(
            Statement.Merge merge,
            Relations relations,
            LocalPrepared prepared,
            Cancellation cancellation,
            long timeoutMillis) {
        Relations.Taker taker = merged(merge);
        Relations.Place place = taker.place();
        SharedSnapshot numbered = numbered(place);
        long start = System.nanoTime();
        LongSupplier left = () -> timeoutMillis == 0
                ? 0
                : Math.max(1, timeoutMillis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
        try (CatalogSnapshot files = numbered.stored();
                FoundRows found =
                        new FoundRows(files, place.schema(), place.name(), engine.queryMemory(session.memoryBytes()))) {
            List<PgType> declared = prepared.declaredTypes();
            List<RowChanges.MergeStep> steps = steps(merge, declared, numbered, cancellation).stream()
                    .map(step -> new RowChanges.MergeStep(
                            step.change().columns().fields().getFirst().equals(FoundRows.FIELD),
                            step.written(),
                            () -> rows(
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

    /// Who changes rows by what they hold reads them.
    private void requireSelect(Relations.Place place) {
        if (!privileges.maySelect(place.schema(), place.name())) {
            throw new QueryException(SqlState.INSUFFICIENT_PRIVILEGE, "permission denied for table " + place.name());
        }
    }

    private LocalPrepared prepareWrite(
            LocalPrepared.Parsed statement, Statement.Query query, List<PgType> declared, Cancellation cancellation) {
        PlannedQuery planned = plans.plan(query, declared, cancellation);
        return LocalPrepared.of(statement, declared, planned, plans.circumstancesOf(planned))
                .asWrite();
    }

    /// A DELETE or UPDATE that is a transaction of its own runs again where somebody else was faster.
    String run(
            Statement.Definition definition,
            LocalPrepared prepared,
            List<Literal> parameters,
            Cancellation cancellation,
            long timeoutMillis) {
        for (int tries = 1; ; tries++) {
            try (DatasetCatalog.Turn _ = turn(definition, cancellation)) {
                return transaction.write(
                        changes -> define(
                                definition, relations(changes), prepared, parameters, cancellation, timeoutMillis),
                        cancellation::check);
            } catch (QueryException wrong) {
                if (wrong.state() != SqlState.SERIALIZATION_FAILURE || !transaction.isIdle() || tries == MOST_TRIES) {
                    throw wrong;
                }
            }
        }
    }

    /// What a DELETE or UPDATE that is a transaction of its own waits for: to have the rows as those before it have
    /// left them. For others there is nothing.
    private DatasetCatalog.Turn turn(Statement.Definition definition, Cancellation cancellation) {
        List<String> name = changedRows(definition);
        if (name == null || !transaction.isIdle() || !(engine.catalog() instanceof OverDataset over)) {
            return () -> {};
        }
        Relations.Place place = find(name);
        if (place == null) {
            return () -> {};
        }
        transaction.releaseSnapshot();
        return over.dataset().awaitTurn(place.schema(), place.name(), cancellation::check);
    }

    private static List<String> changedRows(Statement definition) {
        return switch (definition) {
            case Statement.Delete delete -> delete.name();
            case Statement.Update update -> update.name();
            case Statement.Merge merge -> merge.name();
            default -> null;
        };
    }

    private Relations.Place find(List<String> name) {
        Relations relations = relations(null);
        try (CatalogSnapshot snapshot = relations.snapshot()) {
            return relations.find(name, snapshot);
        }
    }

    /// Whether all that a statement writes are rows of a temporary table: read-only transactions may.
    boolean isOfTemporaryRows(Statement statement) {
        List<String> name =
                switch (statement) {
                    case Statement.Insert insert -> insert.name();
                    case Statement.CopyFrom copy -> copy.table();
                    default -> changedRows(statement);
                };
        Relations.Place place = name == null ? null : find(name);
        return place != null && place.schema().equals(Catalog.TEMPORARY_SCHEMA);
    }

    Relations relations(DatasetTransaction changes) {
        return new Relations(
                engine,
                privileges,
                session.searchPath(),
                transaction::definitions,
                changes,
                !transaction.isIdle(),
                session::notice);
    }

    private String define(
            Statement.Definition definition,
            Relations relations,
            LocalPrepared prepared,
            List<Literal> parameters,
            Cancellation cancellation,
            long timeoutMillis) {
        return switch (definition) {
            case Statement.CreateTable create ->
                new Definitions(relations, cancellation).create(create, plans::declaredType);
            case Statement.CreateTableAs create -> {
                PlannedQuery planned = plans.current(create.query(), prepared, cancellation);
                yield new Definitions(relations, cancellation)
                        .create(
                                create,
                                planned,
                                () -> session.run(
                                        create.query(), prepared, planned, parameters, cancellation, timeoutMillis));
            }
            case Statement.CreateView view -> new Views(relations).create(view, plans.analyzed(view.query()));
            case Statement.DropRelations drop -> new Drops(relations).drop(drop);
            case Statement.Comment comment -> new Views(relations).comment(comment);
            case Statement.CreateSchema create -> new Schemas(relations).create(create);
            case Statement.DropSchemas drop -> new Schemas(relations).drop(drop);
            case Statement.Truncate truncate -> new Alterations(relations, cancellation).truncate(truncate);
            case Statement.Upkeep upkeep -> new Upkeep(relations).keep(upkeep, !transaction.isIdle());
            case Statement.DropIndexes drop -> new Upkeep(relations).drop(drop);
            case Statement.AlterRelation alter ->
                new Alterations(relations, cancellation).alter(alter, plans::declaredType);
            case Statement.Insert insert ->
                insert(insert, relations, prepared, parameters, cancellation, timeoutMillis);
            case Statement.Delete delete
            when delete.found() == null -> new RowChanges(relations, cancellation).deleteAll(delete.name());
            case Statement.Delete delete ->
                change(
                        changeOf(delete),
                        relations,
                        prepared,
                        parameters,
                        cancellation,
                        timeoutMillis,
                        RowChanges::delete);
            case Statement.Update update ->
                change(
                        changeOf(update),
                        relations,
                        prepared,
                        parameters,
                        cancellation,
                        timeoutMillis,
                        RowChanges::update);
            case Statement.Merge merge -> merge(merge, relations, prepared, cancellation, timeoutMillis);
            case Statement.Unbuilt unbuilt -> throw unbuilt.error();
        };
    }

    private String insert(
            Statement.Insert insert,
            Relations relations,
            LocalPrepared prepared,
            List<Literal> parameters,
            Cancellation cancellation,
            long timeoutMillis) {
        RowsInto rows = new RowsInto(relations, cancellation);
        Relations.Taker taker = relations.taker(insert);
        SharedSnapshot seen = seenBy(insert);
        LiteralRows literals = literals(insert, taker);
        if (literals != null) {
            long count = rows.insert(
                    taker.first(literals.width()),
                    columns -> literals.read(
                            columns, plans.circumstances(seen).options().moment()));
            if (count > 0) {
                return insert.commandTag() + " 0 " + count;
            }
        }
        PlannedQuery known = prepared.planned();
        PlannedQuery planned = known != null && prepared.circumstances() == plans.circumstances(seen)
                ? known
                : plans.plan(insert, taker, prepared.declaredTypes(), seen, cancellation);
        if (!planned.parameterTypes().equals(prepared.parameterTypes())) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "cached plan must not change result type");
        }
        return rows.insert(
                insert,
                planned.columns().size(),
                () -> new WideningExecution(
                        () -> session.run(planned, seen, parameters, cancellation, timeoutMillis),
                        () -> session.run(
                                plans.planWide(insert, taker, prepared.declaredTypes(), seen, cancellation),
                                seen,
                                parameters,
                                cancellation,
                                timeoutMillis)));
    }

    /// The rows of an INSERT that need no plan; null where they do.
    private static LiteralRows literals(Statement.Insert insert, Relations.Taker taker) {
        LiteralRows rows = LiteralRows.of(insert);
        return rows != null && rows.fit(taker.columns()) ? rows : null;
    }

    /// What an INSERT sees of the catalog: one after the other does not wait for the rows of those before to be files.
    private SharedSnapshot seenBy(Statement.Insert insert) {
        return QuickPlans.readsNoTable(insert.query().node()) ? transaction.definitions() : transaction.snapshot();
    }

    /// COPY FROM.
    ///
    /// @param input null where the statement names a file
    /// @return how many rows there were
    long copy(Statement.CopyFrom copy, CopyInput input, Cancellation cancellation) {
        return transaction.write(
                changes -> new CopyInto(
                                relations(changes),
                                plans.circumstances().options().moment(),
                                cancellation)
                        .run(copy, input),
                cancellation::check);
    }
}
