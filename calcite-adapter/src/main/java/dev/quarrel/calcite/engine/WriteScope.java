package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.ColumnOrigin;
import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.TablePrivileges;
import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.arrow.dataset.DatasetTransaction;
import dev.quarrel.core.arrow.dataset.FoundRows;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.ColumnDefault;
import dev.quarrel.core.table.Counter;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/// What a session's statements that write have in common: whose they are, what they see, and how they answer.
///
/// - Threads: one, the session's.
record WriteScope(
        LocalEngine engine,
        LocalSession session,
        TablePrivileges privileges,
        SessionPlans plans,
        Transaction transaction) {
    /// What the rows of a statement are called that RETURNING reads, as no table is.
    private static final String RETURNED = "(returned)";

    /// One run of a statement.
    ///
    /// @param timeoutMillis how long a query of it may take; 0 for no limit
    record Run(LocalPrepared prepared, List<Literal> parameters, Cancellation cancellation, long timeoutMillis) {}

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

    /// Who changes rows by what they hold reads them.
    void requireSelect(Relations.Place place) {
        if (!privileges.maySelect(place.schema(), place.name())) {
            throw new QueryException(SqlState.INSUFFICIENT_PRIVILEGE, "permission denied for table " + place.name());
        }
    }

    /// The transaction's catalog, in which a table says where its rows lie.
    SharedSnapshot numbered(Relations.Place place) {
        SharedSnapshot numbered = transaction.snapshot().numbered(place.schema(), place.name());
        if (numbered == null) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "rows of table \"" + place.name() + "\" cannot be changed: events come in, or it has a column \""
                            + FoundRows.COLUMN + "\"");
        }
        return numbered;
    }

    /// The rows that a statement finds to change.
    FoundRows found(CatalogSnapshot files, Relations.Place place) {
        return new FoundRows(files, place.schema(), place.name(), engine.queryMemory(session.memoryBytes()));
    }

    DefaultValues defaults(Cancellation cancellation, long timeoutMillis) {
        return new DefaultValues(engine, session, plans, transaction, cancellation, timeoutMillis);
    }

    /// Rows to insert, with the values of the columns that they leave out.
    ///
    /// @param taker of the rows' columns
    /// @param defaulted the places of values that are DEFAULT
    /// @param counted the places of values of which some are
    FilledRows filled(
            Relations relations,
            Relations.Taker taker,
            Set<Integer> defaulted,
            Set<Integer> counted,
            String overriding,
            DefaultValues defaults) {
        return new FilledRows(relations, taker, replaced(taker, defaulted, overriding), counted, defaults);
    }

    /// The columns of rows to insert whose values are not the rows'.
    ///
    /// - Errors: 428C9 for a value where there is none to be.
    ///
    /// @param taker of the rows' columns
    static Set<String> replaced(Relations.Taker taker, Set<Integer> defaulted, String overriding) {
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

    static QueryException generatedAlways(String column) {
        return new QueryException(
                        SqlState.GENERATED_ALWAYS, "cannot insert a non-DEFAULT value into column \"" + column + "\"")
                .withDetail("Column \"" + column + "\" is an identity column defined as GENERATED ALWAYS.")
                .withHint("Use OVERRIDING SYSTEM VALUE to override.");
    }

    /// A statement that writes rows, and answers with them if it says RETURNING.
    ///
    /// @param list null for nothing
    LocalPrepared returning(LocalPrepared prepared, Statement.Returning list, Relations.Taker taker) {
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
    static int[] direct(LocalPrepared prepared, Relations.Taker taker) {
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
    Execution answer(Statement.Returning list, String tag, ReturnedRows rows, Relations.Taker taker, Run run) {
        LocalPrepared prepared = run.prepared();
        Cancellation cancellation = run.cancellation();
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
                            () -> session.run(planned, seen, List.of(), cancellation, run.timeoutMillis()),
                            () -> session.run(
                                    plans.planAlone(query, List.of(), true, seen, cancellation),
                                    seen,
                                    List.of(),
                                    cancellation,
                                    run.timeoutMillis())),
                    rows.rowCount());
            return answer.execution(tag, all(prepared));
        } finally {
            seen.release();
        }
    }

    /// All columns of an answer.
    static int[] all(LocalPrepared prepared) {
        return IntStream.range(0, prepared.columns().size()).toArray();
    }
}
