package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.CopyInput;
import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.DatasetTransaction;
import dev.quarrel.core.arrow.dataset.OverDataset;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;

/// Prepares and runs a session's statements that write.
///
/// - Threads: one, the session's.
final class SessionWrites {
    private static final int MOST_TRIES = 10;

    private final LocalEngine engine;
    private final LocalSession session;
    private final SessionPlans plans;
    private final Transaction transaction;
    private final WriteScope scope;
    private final Changes changes;
    private final Inserts inserts;
    private final Merges merges;

    SessionWrites(WriteScope scope) {
        this.engine = scope.engine();
        this.session = scope.session();
        this.plans = scope.plans();
        this.transaction = scope.transaction();
        this.scope = scope;
        this.changes = new Changes(scope);
        this.inserts = new Inserts(scope, changes);
        this.merges = new Merges(scope, changes);
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
                scope.requireSelect(changes.taker(delete).place());
                yield LocalPrepared.withoutRows(statement, declared);
            }
            case Statement.Delete delete -> {
                if (delete.isReturning()) {
                    scope.requireSelect(changes.taker(delete).place());
                    plans.requireRowByRow(delete.returned(), declared);
                }
                PlannedQuery planned = changes.planned(changes.of(delete), declared, cancellation);
                LocalPrepared prepared = LocalPrepared.of(statement, declared, planned, plans.circumstances());
                yield delete.isReturning()
                        ? prepared.returning(
                                prepared.columns().subList(1, prepared.columns().size()))
                        : prepared.asWrite();
            }
            case Statement.Update update -> {
                Changes.Change change = changes.of(update);
                PlannedQuery planned = changes.planned(change, declared, cancellation);
                LocalPrepared prepared = LocalPrepared.of(statement, declared, planned, plans.circumstances());
                yield scope.returning(prepared, update.returning(), change.taker());
            }
            case Statement.Merge merge -> {
                merges.check(merge, declared, cancellation);
                yield LocalPrepared.withoutRows(statement, declared);
            }
            case Statement.Insert insert -> inserts.prepare(statement, insert, declared, cancellation);
            case Statement.CreateTable _,
                    Statement.DropRelations _,
                    Statement.Comment _,
                    Statement.CreateSchema _,
                    Statement.DropSchemas _,
                    Statement.Truncate _,
                    Statement.Upkeep _,
                    Statement.DropIndexes _,
                    Statement.CreateUniqueIndex _,
                    Statement.AlterRelation _ -> LocalPrepared.withoutRows(statement, declared);
        };
    }

    private LocalPrepared prepareWrite(
            LocalPrepared.Parsed statement, Statement.Query query, List<PgType> declared, Cancellation cancellation) {
        PlannedQuery planned = plans.plan(query, declared, cancellation);
        return LocalPrepared.of(statement, declared, planned, plans.circumstancesOf(planned))
                .asWrite();
    }

    /// A DELETE or UPDATE that is a transaction of its own runs again where somebody else was faster.
    Execution run(
            Statement.Definition definition,
            LocalPrepared prepared,
            List<Literal> parameters,
            Cancellation cancellation,
            long timeoutMillis) {
        WriteScope.Run run = new WriteScope.Run(prepared, parameters, cancellation, timeoutMillis);
        for (int tries = 1; ; tries++) {
            try (DatasetCatalog.Turn _ = turn(definition, cancellation)) {
                return transaction.write(
                        written -> define(definition, scope.relations(written), run), cancellation::check);
            } catch (QueryException wrong) {
                boolean isOvertaken = wrong.state() == SqlState.SERIALIZATION_FAILURE
                        || wrong.state() == SqlState.UNIQUE_VIOLATION && isConflicting(definition);
                if (!isOvertaken || !transaction.isIdle() || tries == MOST_TRIES) {
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

    private static boolean isConflicting(Statement.Definition definition) {
        return definition instanceof Statement.Insert insert && insert.conflict() != null;
    }

    private static List<String> changedRows(Statement definition) {
        return switch (definition) {
            case Statement.Delete delete -> delete.name();
            case Statement.Update update -> update.name();
            case Statement.Merge merge -> merge.name();
            case Statement.Insert insert when insert.conflict() != null -> insert.name();
            default -> null;
        };
    }

    private Relations.Place find(List<String> name) {
        Relations relations = scope.relations(null);
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

    Relations relations(DatasetTransaction written) {
        return scope.relations(written);
    }

    private Execution define(Statement.Definition definition, Relations relations, WriteScope.Run run) {
        return switch (definition) {
            case Statement.Insert insert -> inserts.run(insert, relations, run);
            case Statement.Delete delete
            when delete.isReturning() -> {
                ReturnedRows returned = changes.run(changes.of(delete), relations, run, RowChanges::deleteReturning);
                yield returned.execution("DELETE " + returned.rowCount(), WriteScope.all(run.prepared()));
            }
            case Statement.Update update -> {
                Changes.Change change = changes.of(update);
                ReturnedRows returned = update.returning() == null
                        ? null
                        : new ReturnedRows(change.taker().all());
                String tag = "UPDATE "
                        + changes.run(
                                change,
                                relations,
                                run,
                                (rows, taker, found, cursor) -> rows.update(taker, found, cursor, returned));
                yield returned == null
                        ? RowsExecution.ofTag(tag)
                        : scope.answer(update.returning(), tag, returned, change.taker(), run);
            }
            default -> RowsExecution.ofTag(done(definition, relations, run));
        };
    }

    /// Runs a statement that answers with its tag.
    private String done(Statement.Definition definition, Relations relations, WriteScope.Run run) {
        Cancellation cancellation = run.cancellation();
        return switch (definition) {
            case Statement.CreateTable create ->
                new Definitions(relations, cancellation).create(create, plans::declaredType, this::checkedDefault);
            case Statement.CreateTableAs create -> {
                PlannedQuery planned = plans.current(create.query(), run.prepared(), cancellation);
                yield new Definitions(relations, cancellation)
                        .create(
                                create,
                                planned,
                                () -> session.run(
                                        create.query(),
                                        run.prepared(),
                                        planned,
                                        run.parameters(),
                                        cancellation,
                                        run.timeoutMillis()));
            }
            case Statement.CreateView view -> new Views(relations).create(view, plans.analyzed(view.query()));
            case Statement.DropRelations drop -> new Drops(relations).drop(drop);
            case Statement.Comment comment -> new Views(relations).comment(comment);
            case Statement.CreateSchema create -> new Schemas(relations).create(create);
            case Statement.DropSchemas drop -> new Schemas(relations).drop(drop);
            case Statement.Truncate truncate -> new Alterations(relations, cancellation).truncate(truncate);
            case Statement.Upkeep upkeep -> new Upkeep(relations).keep(upkeep, !transaction.isIdle());
            case Statement.DropIndexes drop -> new Upkeep(relations).drop(drop);
            case Statement.CreateUniqueIndex create ->
                new Alterations(relations, cancellation).createUniqueIndex(create);
            case Statement.AlterRelation alter ->
                new Alterations(relations, cancellation)
                        .alter(
                                alter,
                                plans::declaredType,
                                this::checkedDefault,
                                scope.defaults(cancellation, run.timeoutMillis()));
            case Statement.Delete delete
            when delete.found() == null -> new RowChanges(relations, cancellation).deleteAll(delete.name());
            case Statement.Delete delete ->
                "DELETE " + changes.run(changes.of(delete), relations, run, RowChanges::delete);
            case Statement.Merge merge -> merges.run(merge, relations, run);
            case Statement.Unbuilt unbuilt -> throw unbuilt.error();
            case Statement.Insert _, Statement.Update _ -> throw new IllegalStateException(definition.commandTag());
        };
    }

    private String checkedDefault(Field column, Statement.WrittenDefault written) {
        return plans.checkedDefault(column, written, transaction.definitions());
    }

    /// COPY FROM.
    ///
    /// @param input null where the statement names a file
    /// @return how many rows there were
    long copy(Statement.CopyFrom copy, CopyInput input, Cancellation cancellation) {
        return transaction.write(
                written -> new CopyInto(
                                scope.relations(written),
                                plans.circumstances().options().moment(),
                                cancellation,
                                scope.defaults(cancellation, 0))
                        .run(copy, input),
                cancellation::check);
    }
}
