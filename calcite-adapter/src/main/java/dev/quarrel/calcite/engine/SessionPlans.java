package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.calcite.session.Settings;
import dev.quarrel.calcite.sql.AnalyzedQuery;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.device.Placement;
import dev.quarrel.core.pg.DateOrder;
import dev.quarrel.core.pg.IntervalStyle;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.ZoneNames;
import dev.quarrel.core.table.ColumnDefault;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.rel.core.Aggregate;

/// The plans of a session's statements, by its settings and what its transaction sees of the catalog.
///
/// - Threads: one, the session's.
final class SessionPlans {
    private final LocalEngine engine;
    private final LocalSession session;
    private final Settings settings;
    private final Transaction transaction;
    private Circumstances circumstances;
    private Circumstances alone;

    /// The part of the session that planning depends on, kept for reuse until a setting or the catalog changes.
    ///
    /// @param settingsChanges of when it was read
    /// @param catalogVersion negative for what reads no catalog
    /// @param undeclared for statements whose parameters the client does not declare
    record Circumstances(
            long settingsChanges, long catalogVersion, Planner.Options options, PlanCache.Context undeclared) {
        PlanCache.Context context(List<PgType> declared) {
            return declared.isEmpty() ? undeclared : new PlanCache.Context(declared, options, catalogVersion);
        }
    }

    SessionPlans(LocalEngine engine, LocalSession session, Settings settings, Transaction transaction) {
        this.engine = engine;
        this.session = session;
        this.settings = settings;
        this.transaction = transaction;
    }

    private PlanSharing sharing() {
        return switch (settings.show("plan_cache_mode")) {
            case "force_custom_plan" -> PlanSharing.NONE;
            case "force_generic_plan" -> PlanSharing.AT_ONCE;
            default -> PlanSharing.SECOND_TIME;
        };
    }

    PlannedQuery plan(Statement.Query query, List<PgType> declared, Cancellation cancellation) {
        return plan(query, declared, sharing(), cancellation);
    }

    PlannedQuery plan(Statement.Query query, List<PgType> declared, PlanSharing sharing, Cancellation cancellation) {
        transaction.start();
        PlanCache.Context withoutCatalog = alone().context(declared);
        PlannedQuery quick = engine.knownQuick(query.sql(), withoutCatalog);
        if (quick != null) {
            engine.planFound();
            return quick;
        }
        Circumstances now = circumstances();
        try {
            return plan(query, declared, now.options(), now.context(declared), withoutCatalog, sharing, cancellation);
        } catch (QueryException e) {
            if (!e.needsWideNumerics()) {
                throw e;
            }
            PlannedQuery wide = planWide(query, declared, cancellation);
            engine.keep(query, now.context(declared), wide);
            return wide;
        }
    }

    private PlannedQuery plan(
            Statement.Query query,
            List<PgType> declared,
            Planner.Options options,
            PlanCache.Context context,
            PlanCache.Context withoutCatalog,
            PlanSharing sharing,
            Cancellation cancellation) {
        return engine.plan(
                query,
                declared,
                options.at(transaction.start()),
                context,
                withoutCatalog,
                sharing,
                transaction.snapshot(),
                session::objectId,
                cancellation,
                settings.millis("statement_timeout"));
    }

    /// The plan for a statement whose numerics may have any number of digits.
    PlannedQuery planWide(Statement.Query query, List<PgType> declared, Cancellation cancellation) {
        Circumstances now = circumstances();
        Planner.Options options = now.options().withWideNumerics();
        PlanCache.Context context = new PlanCache.Context(declared, options, now.catalogVersion());
        return plan(query, declared, options, context, context, PlanSharing.NONE, cancellation);
    }

    Circumstances circumstancesOf(PlannedQuery planned) {
        return planned.isQuick() ? alone() : circumstances();
    }

    Circumstances circumstances() {
        return circumstances(transaction.snapshot());
    }

    /// @param seen what the transaction sees of the catalog
    Circumstances circumstances(SharedSnapshot seen) {
        long version = seen.version();
        if (circumstances == null
                || circumstances.settingsChanges() != settings.changes()
                || circumstances.catalogVersion() != version) {
            // Schemas that are not there decide nothing; left in, the user's own would keep users from sharing plans.
            circumstances = readCircumstances(
                    version,
                    session.searchPath().stream().filter(seen::hasSchema).toList());
        }
        return circumstances;
    }

    /// For what reads no catalog.
    private Circumstances alone() {
        if (alone == null || alone.settingsChanges() != settings.changes()) {
            alone = readCircumstances(-1, List.of());
        }
        return alone;
    }

    private Circumstances readCircumstances(long catalogVersion, List<String> path) {
        Planner.Options options = options(path);
        return new Circumstances(
                settings.changes(), catalogVersion, options, new PlanCache.Context(List.of(), options, catalogVersion));
    }

    /// The plan of the rows to insert.
    ///
    /// @param taker the table that takes them
    /// @param seen what the transaction sees of the catalog
    PlannedQuery plan(
            Statement.Insert insert,
            Relations.Taker taker,
            List<PgType> declared,
            SharedSnapshot seen,
            Cancellation cancellation) {
        Circumstances now = circumstances(seen);
        return widened(
                now.options(),
                options -> plan(insert, taker, declared, options, now.context(declared), seen, cancellation));
    }

    /// The same for numerics of any number of digits.
    PlannedQuery planWide(
            Statement.Insert insert,
            Relations.Taker taker,
            List<PgType> declared,
            SharedSnapshot seen,
            Cancellation cancellation) {
        Planner.Options options = circumstances(seen).options().withWideNumerics();
        return plan(insert, taker, declared, options, null, seen, cancellation);
    }

    private PlannedQuery plan(
            Statement.Insert insert,
            Relations.Taker taker,
            List<PgType> declared,
            Planner.Options options,
            PlanCache.Context context,
            SharedSnapshot seen,
            Cancellation cancellation) {
        transaction.start();
        return engine.planInsert(
                insert,
                taker.columns().fields(),
                declared,
                options.at(transaction.start()),
                context,
                seen,
                session::objectId,
                cancellation,
                settings.millis("statement_timeout"));
    }

    /// A plan for numerics of 38 digits, or of any number where the statement writes one of more.
    private static PlannedQuery widened(Planner.Options options, Function<Planner.Options, PlannedQuery> plan) {
        try {
            return plan.apply(options);
        } catch (QueryException e) {
            if (!e.needsWideNumerics()) {
                throw e;
            }
            return plan.apply(options.withWideNumerics());
        }
    }

    /// The plan of rows that a DELETE finds, or an UPDATE makes; it is kept by the statement alone.
    ///
    /// @param columns that they have
    /// @param numbered the catalog in which the table says where its rows lie
    PlannedQuery plan(
            Statement.Definition change,
            Statement.Query rows,
            Schema columns,
            List<PgType> declared,
            SharedSnapshot numbered,
            Cancellation cancellation) {
        return widened(
                circumstances().options(),
                options -> plan(change, rows, columns, declared, options, numbered, cancellation));
    }

    /// The same for numerics of any number of digits.
    PlannedQuery planWide(
            Statement.Definition change,
            Statement.Query rows,
            Schema columns,
            List<PgType> declared,
            SharedSnapshot numbered,
            Cancellation cancellation) {
        Planner.Options options = circumstances().options().withWideNumerics();
        return plan(change, rows, columns, declared, options, numbered, cancellation);
    }

    private PlannedQuery plan(
            Statement.Definition change,
            Statement.Query rows,
            Schema columns,
            List<PgType> declared,
            Planner.Options options,
            SharedSnapshot numbered,
            Cancellation cancellation) {
        transaction.start();
        List<String> names = columns.fields().stream().map(Field::name).toList();
        return engine.planInsert(
                new Statement.Insert(change.text(), change.start(), change.end(), names, names, rows),
                columns.fields(),
                declared,
                options.at(transaction.start()),
                null,
                numbered,
                session::objectId,
                cancellation,
                settings.millis("statement_timeout"));
    }

    /// The plan of what columns hold of which rows say nothing: a row for each number up to a parameter.
    ///
    /// @param wide whether numerics have any number of digits
    PlannedQuery planDefaults(
            Statement.Insert values,
            List<Field> columns,
            boolean wide,
            SharedSnapshot seen,
            Cancellation cancellation) {
        Circumstances now = alone(); // it reads no table, and is known whatever becomes of these
        Planner.Options options = wide ? now.options().withWideNumerics() : now.options();
        List<PgType> declared = List.of(PgType.INT4);
        return engine.planInsert(
                values,
                columns,
                declared,
                options.at(transaction.start()),
                wide ? null : now.context(declared),
                seen,
                session::objectId,
                cancellation,
                settings.millis("statement_timeout"));
    }

    /// A plan that nobody else finds.
    ///
    /// @param seen what it reads of the catalog
    PlannedQuery planAlone(
            Statement.Query query,
            List<PgType> declared,
            boolean wide,
            SharedSnapshot seen,
            Cancellation cancellation) {
        Planner.Options options = circumstances().options();
        return widened(
                wide ? options.withWideNumerics() : options,
                wanted -> engine.planAlone(
                        query,
                        declared,
                        wanted.at(transaction.start()),
                        seen,
                        session::objectId,
                        cancellation,
                        settings.millis("statement_timeout")));
    }

    /// What a DEFAULT that is written holds in a column, as it is kept and shown.
    ///
    /// - Errors: PostgreSQL's of such expressions.
    String checkedDefault(Field column, Statement.WrittenDefault written, SharedSnapshot seen) {
        PgType.Declared declared = PgType.Declared.of(column);
        String expression = written.string() == null ? written.sql() : constant(written.string(), declared);
        try {
            String where = "SELECT 1 WHERE (" + expression + ") IS NULL";
            analyzed((Statement.Query) engine.parse(where).getFirst());
            planDefaults(
                    DefaultValues.query(engine, List.of(new ColumnDefault(column.name(), expression)), List.of(column)),
                    List.of(column),
                    false,
                    seen,
                    new Cancellation());
            return expression;
        } catch (QueryException wrong) {
            throw ofDefault(wrong.withoutPosition());
        }
    }

    /// As PostgreSQL shows a string that is a value of the type.
    private static String constant(String string, PgType.Declared declared) {
        boolean isWhole =
                declared.type() == PgType.INT2 || declared.type() == PgType.INT4 || declared.type() == PgType.INT8;
        if (isWhole && string.matches("[0-9]{1,18}")) {
            return Long.toString(Long.parseLong(string));
        }
        if (declared.type() == PgType.BOOL && Set.of("t", "true", "f", "false").contains(string)) {
            return string.startsWith("t") ? "true" : "false";
        }
        String type =
                declared.type() == PgType.BPCHAR ? "bpchar" : declared.text().replaceAll("\\([0-9, -]+\\)", "");
        return "'" + string.replace("'", "''") + "'::" + type;
    }

    private static QueryException ofDefault(QueryException wrong) {
        String message = wrong.getMessage();
        if (wrong.state() == SqlState.UNDEFINED_COLUMN || wrong.state() == SqlState.UNDEFINED_TABLE) {
            return new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED, "cannot use column reference in DEFAULT expression");
        }
        if (wrong.state() == SqlState.DATATYPE_MISMATCH) {
            message = message.replace("but expression is", "but default expression is");
        }
        return new QueryException(wrong.state(), message.replace(" in WHERE", " in DEFAULT expressions"))
                .withDetail(wrong.detail())
                .withHint(wrong.hint());
    }

    /// What a list of RETURNING gives.
    ///
    /// - Errors: 42803 where it is no row for each row.
    AnalyzedQuery requireRowByRow(Statement.Query returning, List<PgType> declared) {
        SharedSnapshot seen = transaction.definitions();
        AnalyzedQuery analyzed =
                engine.analyze(returning, declared, circumstances(seen).options(), seen, session::objectId);
        for (RelNode rel = analyzed.rel(); rel instanceof SingleRel one; rel = one.getInput()) {
            if (rel instanceof Aggregate) {
                throw new QueryException(SqlState.GROUPING_ERROR, "aggregate functions are not allowed in RETURNING");
            }
        }
        return analyzed;
    }

    /// The plan for the catalog and the settings as they are now.
    ///
    /// - Errors: 0A000 when the columns are no longer those that `prepare` told of.
    PlannedQuery current(Statement.Query statement, LocalPrepared prepared, Cancellation cancellation) {
        if (prepared.circumstances() == circumstancesOf(prepared.planned())) {
            return prepared.planned();
        }
        PlannedQuery planned = plan(statement, prepared.declaredTypes(), cancellation);
        if (planned != prepared.planned()
                && (!planned.columns().equals(prepared.planned().columns())
                        || !planned.parameterTypes().equals(prepared.parameterTypes()))) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "cached plan must not change result type");
        }
        return planned;
    }

    /// Keeps a plan for wide numerics for a statement that has no parameters: the same values come of it whenever it
    /// runs.
    void keepWide(Statement.Query statement, LocalPrepared prepared, PlannedQuery narrow, PlannedQuery wide) {
        PlanCache.Context context = narrow.isQuick()
                ? alone().context(prepared.declaredTypes())
                : circumstances().context(prepared.declaredTypes());
        engine.keep(statement, context, wide);
    }

    AnalyzedQuery analyzed(Statement.Query query) {
        return analyzed(query, List.of());
    }

    AnalyzedQuery analyzed(Statement.Query query, List<PgType> declared) {
        return engine.analyze(query, declared, circumstances().options(), transaction.snapshot(), session::objectId);
    }

    /// What a column of the type is that is written so.
    AnalyzedQuery.OutputColumn declaredType(String written) {
        try {
            String cast = "SELECT CAST(NULL AS " + written + ")";
            Statement.Query query = (Statement.Query) engine.parse(cast).getFirst();
            return analyzed(query).columns().getFirst();
        } catch (QueryException wrong) {
            throw wrong.withoutPosition();
        }
    }

    /// As of [LocalSession#isQuick(String, List)].
    boolean isQuick(String sql, List<PgType> parameterTypes) {
        List<Statement> statements = engine.knownStatements(sql);
        return statements != null
                && statements.size() == 1
                && statements.getFirst() instanceof Statement.Query query
                && !transaction.mustTakeSnapshot()
                && engine.knownQuick(query.sql(), alone().context(parameterTypes)) != null;
    }

    /// As of [LocalSession#isQuick(PreparedQuery)].
    boolean isQuick(PreparedQuery query) {
        LocalPrepared prepared = (LocalPrepared) query;
        return prepared.planned() != null
                && prepared.returnsRows()
                && prepared.planned().isQuick()
                && !transaction.mustTakeSnapshot()
                && prepared.circumstances() == alone();
    }

    private Planner.Options options(List<String> path) {
        Placement.Preference preference =
                Placement.Preference.valueOf(settings.show("quarrel.device").toUpperCase(Locale.ROOT));
        return new Planner.Options(
                path,
                preference,
                settings.isOn("quarrel.require_gpu"),
                zone(),
                settings.show("bytea_output").equals("hex"),
                IntervalStyle.of(settings.show("IntervalStyle")),
                DateOrder.of(settings.show("DateStyle")),
                Integer.parseInt(settings.show("extra_float_digits")) > 0,
                engine.config().database(),
                session.privileges(),
                false,
                null);
    }

    private ZoneId zone() {
        ZoneId zone = ZoneNames.ofSetting(settings.show("TimeZone"));
        return zone.getId().equals("UTC") ? ZoneOffset.UTC : zone;
    }
}
