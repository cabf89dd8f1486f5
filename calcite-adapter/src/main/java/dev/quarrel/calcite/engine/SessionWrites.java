package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.ColumnOrigin;
import dev.quarrel.calcite.CopyInput;
import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.TablePrivileges;
import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.DatasetTransaction;
import dev.quarrel.core.arrow.dataset.FoundRows;
import dev.quarrel.core.arrow.dataset.OverDataset;
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
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/// Prepares and runs a session's statements that write.
///
/// - Threads: one, the session's.
final class SessionWrites {
    private static final int MOST_TRIES = 10;

    /// What the rows of a statement are called that RETURNING reads, as no table is.
    private static final String RETURNED = "(returned)";

    /// What those are called that ON CONFLICT calls `excluded`.
    private static final String EXCLUDED = "(excluded)";

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
                if (delete.isReturning()) {
                    requireSelect(taker(delete).place());
                    plans.requireRowByRow(delete.returned(), declared);
                }
                PlannedQuery planned = planned(changeOf(delete), declared, cancellation);
                LocalPrepared prepared = LocalPrepared.of(statement, declared, planned, plans.circumstances());
                yield delete.isReturning()
                        ? prepared.returning(
                                prepared.columns().subList(1, prepared.columns().size()))
                        : prepared.asWrite();
            }
            case Statement.Update update -> {
                Change change = changeOf(update);
                PlannedQuery planned = planned(change, declared, cancellation);
                LocalPrepared prepared = LocalPrepared.of(statement, declared, planned, plans.circumstances());
                yield returning(prepared, update.returning(), change.taker(), cancellation);
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
                Statement.Insert into = valued(insert, taker);
                LocalPrepared prepared = insert.conflict() == null && literals(into, taker) != null
                        ? LocalPrepared.withoutRows(statement, declared)
                        : LocalPrepared.of(
                                statement,
                                declared,
                                plans.plan(into, taker, declared, seen, cancellation),
                                plans.circumstances(seen));
                prepared = prepared.withParameters(conflictTypes(insert, taker, prepared, cancellation));
                yield returning(prepared, insert.returning(), taker, cancellation);
            }
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

    /// A statement that writes rows, and answers with them if it says RETURNING.
    ///
    /// @param list null for nothing
    private LocalPrepared returning(
            LocalPrepared prepared, Statement.Returning list, Relations.Taker taker, Cancellation cancellation) {
        if (list == null) {
            return prepared.asWrite();
        }
        requireSelect(taker.place());
        Statement.Query query =
                list.of(List.of(taker.place().schema(), taker.place().name()));
        return prepared.returning(plans.requireRowByRow(query, List.of()).columns().stream()
                .map(column -> new PreparedQuery.ResultColumn(
                        column.name(), column.type(), column.typmod(), column.other(), column.origin()))
                .toList());
    }

    /// The columns of a table that an answer has as they are; null where it has others.
    private static int[] direct(LocalPrepared prepared, Relations.Taker taker) {
        int[] columns = new int[prepared.columns().size()];
        for (int index = 0; index < columns.length; index++) {
            PreparedQuery.ResultColumn column = prepared.columns().get(index);
            ColumnOrigin origin = column.origin();
            boolean isOwn = origin != null
                    && origin.schema().equals(taker.place().schema())
                    && origin.table().equals(taker.place().name())
                    && origin.number() <= taker.all().size();
            if (!isOwn
                    || PgType.Declared.of(taker.all().field(origin.number() - 1))
                                    .type()
                            != column.type()) {
                return null;
            }
            columns[index] = origin.number() - 1;
        }
        return columns;
    }

    /// What answers with rows that were written.
    ///
    /// - Memory: takes the rows over.
    ///
    /// @param rows as the table has them
    private Execution answer(
            Statement.Returning list,
            LocalPrepared prepared,
            String tag,
            ReturnedRows rows,
            Relations.Taker taker,
            Cancellation cancellation,
            long timeoutMillis) {
        int[] direct = direct(prepared, taker);
        if (direct != null) {
            return rows.execution(tag, direct);
        }
        SharedSnapshot seen = transaction.definitions().with(rows.table(Catalog.TEMPORARY_SCHEMA, RETURNED));
        try (rows) {
            Statement.Query query = list.of(List.of(Catalog.TEMPORARY_SCHEMA, RETURNED));
            PlannedQuery planned = plans.planAlone(query, List.of(), false, seen, cancellation);
            for (int index = 0; index < planned.columns().size(); index++) {
                if (prepared.columns().size() != planned.columns().size()
                        || prepared.columns().get(index).type()
                                != planned.columns().get(index).type()) {
                    throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "cached plan must not change result type");
                }
            }
            ReturnedRows answer = ReturnedRows.of(
                    new WideningExecution(
                            () -> session.run(planned, seen, List.of(), cancellation, timeoutMillis),
                            () -> session.run(
                                    plans.planAlone(query, List.of(), true, seen, cancellation),
                                    seen,
                                    List.of(),
                                    cancellation,
                                    timeoutMillis)),
                    rows.rowCount());
            return answer.execution(tag, all(prepared));
        } finally {
            seen.release();
        }
    }

    private static int[] all(LocalPrepared prepared) {
        return IntStream.range(0, prepared.columns().size()).toArray();
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
                throw generatedAlways(column);
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

    /// The columns of rows to insert whose values are not the rows'.
    ///
    /// - Errors: 428C9 for a value where there is none to be.
    ///
    /// @param taker of the rows' columns
    private static Set<String> replaced(Relations.Taker taker, Set<Integer> defaulted, String overriding) {
        Set<String> replaced = new HashSet<>();
        for (int place = 0; place < taker.columns().size(); place++) {
            String column = taker.columns().field(place).name();
            ColumnDefault known = taker.defaultOf(column);
            boolean isIdentity =
                    known != null && known.counter() != null && known.counter().isIdentity();
            if (defaulted.contains(place) || isIdentity && "USER".equals(overriding)) {
                replaced.add(column);
            } else if (isIdentity && known.counter().kind() == Counter.Kind.ALWAYS && !"SYSTEM".equals(overriding)) {
                throw generatedAlways(column);
            }
        }
        return replaced;
    }

    private static QueryException generatedAlways(String column) {
        return new QueryException(
                        SqlState.GENERATED_ALWAYS, "cannot insert a non-DEFAULT value into column \"" + column + "\"")
                .withDetail("Column \"" + column + "\" is an identity column defined as GENERATED ALWAYS.")
                .withHint("Use OVERRIDING SYSTEM VALUE to override.");
    }

    private FilledRows filled(
            Relations relations,
            Relations.Taker taker,
            Set<Integer> defaulted,
            Set<Integer> counted,
            String overriding,
            Cancellation cancellation,
            long timeoutMillis) {
        return new FilledRows(
                relations,
                taker,
                replaced(taker, defaulted, overriding),
                counted,
                new DefaultValues(engine, session, plans, transaction, cancellation, timeoutMillis));
    }

    /// A DELETE or UPDATE of rows that a query finds, or what a clause of a MERGE does.
    ///
    /// @param columns what the query gives; null for what it says itself
    private record Change(
            Statement.Definition statement, Relations.Taker taker, Statement.Query rows, Schema columns) {}

    private Relations.Taker taker(Statement.Delete delete) {
        return relations(transaction.changes()).taker(delete.name(), List.of(), "delete from");
    }

    private Change changeOf(Statement.Delete delete) {
        Relations.Taker taker = taker(delete);
        requireSelect(taker.place());
        return delete.isReturning()
                ? new Change(delete, taker, delete.found(), null)
                : deletion(delete, taker, delete.found());
    }

    private static Change deletion(Statement.Definition statement, Relations.Taker taker, Statement.Query found) {
        return new Change(statement, taker, found, new Schema(List.of(FoundRows.FIELD)));
    }

    private Change changeOf(Statement.Update update) {
        Relations.Taker taker = relations(transaction.changes()).taker(update.name(), List.of(), "update");
        requireSelect(taker.place());
        return assignment(update, taker, update.targets(), update.defaulted(), update.changed());
    }

    private static Change assignment(
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
        if (change.columns() == null) {
            return plans.planAlone(change.rows(), declared, false, numbered, cancellation);
        }
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

    private interface FoundBy<T> {
        T change(RowChanges changes, Relations.Taker taker, FoundRows found, Supplier<ResultCursor> rows);
    }

    private <T> T change(
            Change change,
            Relations relations,
            LocalPrepared prepared,
            List<Literal> parameters,
            Cancellation cancellation,
            long timeoutMillis,
            FoundBy<T> by) {
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
    /// @param defaulted the places of values that are DEFAULT
    private record Step(Change change, Schema written, Set<Integer> defaulted, PlannedQuery planned) {}

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
                case Statement.MergeUpdate(
                        List<String> targets,
                        Set<String> defaulted,
                        Statement.ChangedRows changed) ->
                    steps.add(step(
                            assignment(merge, taker, targets, defaulted, changed),
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
                    replaced(listed, defaulted, null);
                    Step step = step(
                            new Change(merge, listed, rows, listed.columns()),
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
            Change change, Schema written, List<PgType> declared, SharedSnapshot numbered, Cancellation cancellation) {
        PlannedQuery planned = planned(change, declared, numbered, cancellation);
        if (!planned.parameterTypes().isEmpty()) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "parameters in MERGE are not supported");
        }
        return new Step(change, written, Set.of(), planned);
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
                            step.written() == null
                                    ? null
                                    : filled(
                                            relations,
                                            step.change().taker(),
                                            step.defaulted(),
                                            Set.of(),
                                            "SYSTEM",
                                            cancellation,
                                            left.getAsLong()),
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
    Execution run(
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

    private Execution define(
            Statement.Definition definition,
            Relations relations,
            LocalPrepared prepared,
            List<Literal> parameters,
            Cancellation cancellation,
            long timeoutMillis) {
        return switch (definition) {
            case Statement.Insert insert ->
                insert(insert, relations, prepared, parameters, cancellation, timeoutMillis);
            case Statement.Delete delete
            when delete.isReturning() -> {
                ReturnedRows returned = change(
                        changeOf(delete),
                        relations,
                        prepared,
                        parameters,
                        cancellation,
                        timeoutMillis,
                        RowChanges::deleteReturning);
                yield returned.execution("DELETE " + returned.rowCount(), all(prepared));
            }
            case Statement.Update update -> {
                Change change = changeOf(update);
                ReturnedRows returned = update.returning() == null
                        ? null
                        : new ReturnedRows(change.taker().all());
                String tag = "UPDATE "
                        + change(
                                change,
                                relations,
                                prepared,
                                parameters,
                                cancellation,
                                timeoutMillis,
                                (changes, taker, found, rows) -> changes.update(taker, found, rows, returned));
                yield returned == null
                        ? RowsExecution.ofTag(tag)
                        : answer(
                                update.returning(),
                                prepared,
                                tag,
                                returned,
                                change.taker(),
                                cancellation,
                                timeoutMillis);
            }
            default ->
                RowsExecution.ofTag(done(definition, relations, prepared, parameters, cancellation, timeoutMillis));
        };
    }

    /// Runs a statement that answers with its tag.
    private String done(
            Statement.Definition definition,
            Relations relations,
            LocalPrepared prepared,
            List<Literal> parameters,
            Cancellation cancellation,
            long timeoutMillis) {
        return switch (definition) {
            case Statement.CreateTable create ->
                new Definitions(relations, cancellation).create(create, plans::declaredType, this::checkedDefault);
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
            case Statement.CreateUniqueIndex create ->
                new Alterations(relations, cancellation).createUniqueIndex(create);
            case Statement.AlterRelation alter ->
                new Alterations(relations, cancellation)
                        .alter(
                                alter,
                                plans::declaredType,
                                this::checkedDefault,
                                new DefaultValues(engine, session, plans, transaction, cancellation, timeoutMillis));
            case Statement.Delete delete
            when delete.found() == null -> new RowChanges(relations, cancellation).deleteAll(delete.name());
            case Statement.Delete delete ->
                "DELETE "
                        + change(
                                changeOf(delete),
                                relations,
                                prepared,
                                parameters,
                                cancellation,
                                timeoutMillis,
                                RowChanges::delete);
            case Statement.Merge merge -> merge(merge, relations, prepared, cancellation, timeoutMillis);
            case Statement.Unbuilt unbuilt -> throw unbuilt.error();
            case Statement.Insert _, Statement.Update _ -> throw new IllegalStateException(definition.commandTag());
        };
    }

    private String checkedDefault(Field column, Statement.WrittenDefault written) {
        return plans.checkedDefault(column, written, transaction.definitions());
    }

    private Execution insert(
            Statement.Insert insert,
            Relations relations,
            LocalPrepared prepared,
            List<Literal> parameters,
            Cancellation cancellation,
            long timeoutMillis) {
        Relations.Taker all = relations.taker(insert);
        if (insert.returning() != null && direct(prepared, all) == null) {
            transaction.snapshot(); // what its queries see is what was there before
        }
        ReturnedRows returned = insert.returning() == null ? null : new ReturnedRows(all.all());
        boolean isDone = false;
        try {
            long count = insert(insert, relations, all, prepared, parameters, cancellation, timeoutMillis, returned);
            String tag = insert.commandTag() + " 0 " + count;
            Execution answer = returned == null
                    ? RowsExecution.ofTag(tag)
                    : answer(insert.returning(), prepared, tag, returned, all, cancellation, timeoutMillis);
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
            LocalPrepared prepared,
            List<Literal> parameters,
            Cancellation cancellation,
            long timeoutMillis,
            ReturnedRows returned) {
        Statement.Insert insert = valued(written, taker);
        if (insert.conflict() != null) {
            return insertOrChange(
                    insert, relations, taker, prepared, parameters, cancellation, timeoutMillis, returned);
        }
        RowsInto rows = new RowsInto(relations, cancellation);
        SharedSnapshot seen = seenBy(insert);
        Set<Integer> defaulted = insert.values().defaulted();
        Set<Integer> counted = insert.values().literal();
        String overriding = insert.values().overriding();
        LiteralRows literals = literals(insert, taker);
        if (literals != null) {
            Relations.Taker listed = taker.first(literals.width());
            FilledRows filled = filled(relations, listed, defaulted, counted, overriding, cancellation, timeoutMillis);
            long count = rows.insert(
                    filled,
                    withNulls(withNulls(listed.columns(), defaulted), counted),
                    columns -> literals.read(
                            columns, plans.circumstances(seen).options().moment()),
                    returned);
            if (count > 0) {
                return count;
            }
        }
        PlannedQuery planned = planned(insert, taker, prepared, seen, cancellation);
        Relations.Taker listed = taker.first(planned.columns().size());
        return rows.insert(
                filled(relations, listed, defaulted, counted, overriding, cancellation, timeoutMillis),
                () -> rows(insert, taker, planned, prepared, seen, parameters, cancellation, timeoutMillis),
                returned);
    }

    private PlannedQuery planned(
            Statement.Insert insert,
            Relations.Taker taker,
            LocalPrepared prepared,
            SharedSnapshot seen,
            Cancellation cancellation) {
        PlannedQuery known = prepared.planned();
        PlannedQuery planned = known != null && prepared.circumstances() == plans.circumstances(seen)
                ? known
                : plans.plan(insert, taker, prepared.declaredTypes(), seen, cancellation);
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
            LocalPrepared prepared,
            SharedSnapshot seen,
            List<Literal> all,
            Cancellation cancellation,
            long timeoutMillis) {
        List<Literal> parameters = all.subList(0, planned.parameterTypes().size());
        return new WideningExecution(
                () -> session.run(planned, seen, parameters, cancellation, timeoutMillis),
                () -> session.run(
                        plans.planWide(insert, taker, prepared.declaredTypes(), seen, cancellation),
                        seen,
                        parameters,
                        cancellation,
                        timeoutMillis));
    }

    /// INSERT … ON CONFLICT.
    ///
    /// @return how many rows there were that were inserted or changed
    private long insertOrChange(
            Statement.Insert insert,
            Relations relations,
            Relations.Taker taker,
            LocalPrepared prepared,
            List<Literal> parameters,
            Cancellation cancellation,
            long timeoutMillis,
            ReturnedRows returned) {
        Statement.OnConflict conflict = insert.conflict();
        List<UniqueKey> keys = ConflictKeys.of(conflict, taker);
        SharedSnapshot seen = transaction.snapshot();
        PlannedQuery planned = planned(insert, taker, prepared, seen, cancellation);
        FilledRows filled = filled(
                relations,
                taker.first(planned.columns().size()),
                insert.values().defaulted(),
                insert.values().literal(),
                insert.values().overriding(),
                cancellation,
                timeoutMillis);
        RowsInto into = new RowsInto(relations, cancellation);
        Relations.Place place = taker.place();
        try (ReturnedRows rows = new ReturnedRows(taker.all())) {
            into.collect(
                    filled,
                    rows(insert, taker, planned, prepared, seen, parameters, cancellation, timeoutMillis),
                    rows);
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
                    count = change(
                            insert,
                            relations,
                            taker,
                            keys.getFirst(),
                            met.met(),
                            prepared,
                            parameters,
                            cancellation,
                            timeoutMillis,
                            returned);
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
            LocalPrepared prepared,
            List<Literal> parameters,
            Cancellation cancellation,
            long timeoutMillis,
            ReturnedRows returned) {
        if (met.isEmpty()) {
            return 0;
        }
        Relations.Place place = taker.place();
        Change change = conflicting(insert, taker, key);
        SharedSnapshot now = engine.snapshot(privileges, relations.changes().snapshot());
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
                FoundRows found =
                        new FoundRows(files, place.schema(), place.name(), engine.queryMemory(session.memoryBytes()))) {
            List<PgType> declared = prepared.parameterTypes();
            PlannedQuery planned = planned(change, declared, both, cancellation);
            List<Literal> own = parameters.subList(0, planned.parameterTypes().size());
            return new RowChanges(relations, cancellation)
                    .update(
                            taker,
                            found,
                            () -> rows(change, planned, declared, both, own, cancellation, timeoutMillis),
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
    private Change conflicting(Statement.Insert insert, Relations.Taker taker, UniqueKey key) {
        Statement.OnConflict conflict = insert.conflict();
        return assignment(
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
        requireSelect(taker.place());
        SharedSnapshot numbered = numbered(taker.place());
        SharedSnapshot both =
                numbered.with(new MemoryTable(Catalog.TEMPORARY_SCHEMA, EXCLUDED, taker.all(), List.of()));
        try {
            List<PgType> types = planned(conflicting(insert, taker, keys.getFirst()), declared, both, cancellation)
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
                                cancellation,
                                new DefaultValues(engine, session, plans, transaction, cancellation, 0))
                        .run(copy, input),
                cancellation::check);
    }
}
