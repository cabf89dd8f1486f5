package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.CopyInput;
import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.Notice;
import dev.quarrel.calcite.ParsedStatement;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.calcite.SettingDefaults;
import dev.quarrel.calcite.SettingState;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.TablePrivileges;
import dev.quarrel.calcite.host.HiddenParameters;
import dev.quarrel.calcite.limits.PlanningLimits;
import dev.quarrel.calcite.parse.ExplainOptions;
import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.calcite.session.Settings;
import dev.quarrel.core.arrow.dataset.DatasetTransaction;
import dev.quarrel.core.arrow.dataset.SessionTables;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.device.Placement;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.spill.QuerySpill;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.Collation;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/// A session of a [LocalEngine], inside this process.
final class LocalSession implements SqlSession {
    private final LocalEngine engine;
    private final String user;
    private final TablePrivileges privileges;
    private final Settings settings = new Settings();
    private final SettingStatements settingStatements = new SettingStatements(settings);
    private final Set<Collation> warned = new HashSet<>();
    private final List<Consumer<Notice>> noticeListeners = new ArrayList<>();
    private final Transaction transaction;
    private final SessionTables temporary = new SessionTables();
    private SharedSnapshot withTemporary; // of the last statement while there were such tables; null for none
    private long temporaryVersion; // that it has
    private long catalogVersion; // that it has
    private final SessionPlans plans;
    private final SessionWrites writes;
    private Object attachment;

    LocalSession(LocalEngine engine, String user, TablePrivileges privileges) {
        this.engine = engine;
        this.user = user;
        this.privileges = privileges;
        this.transaction = new Transaction(
                settings,
                settingStatements,
                Relations.canBegin(engine),
                this::newestSnapshot,
                () -> Relations.begin(engine, temporary),
                snapshot -> engine.snapshot(privileges, snapshot),
                this::warn);
        this.plans = new SessionPlans(engine, this, settings, transaction);
        this.writes = new SessionWrites(new WriteScope(engine, this, privileges, plans, transaction));
        settings.setDefault("session_authorization", user);
        if (engine.config().writes().isAllowed()) {
            settings.setWritable();
        }
    }

    private SharedSnapshot newestSnapshot() {
        if (temporary.isEmpty()) {
            forgetTemporarySnapshot();
            return engine.snapshot(privileges);
        }
        try (CatalogSnapshot now = engine.catalog().snapshot()) {
            if (withTemporary != null && now.version() == catalogVersion && temporary.version() == temporaryVersion) {
                return withTemporary.use();
            }
            catalogVersion = now.version();
        }
        forgetTemporarySnapshot();
        try (DatasetTransaction nothing = Relations.begin(engine, temporary)) {
            withTemporary = engine.snapshot(privileges, nothing.snapshot());
        }
        temporaryVersion = temporary.version();
        return withTemporary.use();
    }

    private void forgetTemporarySnapshot() {
        if (withTemporary != null) {
            withTemporary.release();
            withTemporary = null;
        }
    }

    private boolean hasTemporary() {
        DatasetTransaction changes = transaction.changes();
        return !temporary.isEmpty() || changes != null && changes.hasTemporary();
    }

    @Override
    public List<ParsedStatement> parse(String sql) {
        return parse(sql, new Cancellation());
    }

    @Override
    public List<ParsedStatement> parse(String sql, Cancellation cancellation) {
        return PlanningLimits.within(cancellation, () -> engine.parse(sql)).stream()
                .<ParsedStatement>map(LocalPrepared.Parsed::new)
                .toList();
    }

    @Override
    public PreparedQuery prepare(ParsedStatement parsed, List<PgType> parameterTypes, Cancellation cancellation) {
        LocalPrepared.Parsed statement = (LocalPrepared.Parsed) parsed;
        if (transaction.isFailed() && !statement.endsTransaction()) {
            throw failedTransaction();
        }
        List<PgType> declared = java.util.Collections.unmodifiableList(new ArrayList<>(parameterTypes));
        return switch (statement.statement()) {
            case Statement.Query query -> {
                PlannedQuery planned = plans.plan(query, declared, cancellation);
                yield LocalPrepared.of(statement, declared, planned, plans.circumstancesOf(planned));
            }
            case Statement.Explain explain -> {
                Planning start = Planning.start();
                PlannedQuery planned = plans.plan(explain.query(), declared, PlanSharing.NONE, cancellation);
                yield LocalPrepared.of(
                                statement,
                                declared,
                                explain.options().generic() ? List.of() : planned.parameterTypes(),
                                List.of(ExplainAnswer.column(explain.options().format())))
                        .with(start.elapsed());
            }
            case Statement.Show show -> {
                List<String> names = show.name().equals("all")
                        ? List.of("name", "setting", "description")
                        : List.of(settings.displayName(show.name()));
                yield LocalPrepared.ofText(statement, declared, names);
            }
            case Statement.Copy copy -> prepareCopy(statement, copy, declared, cancellation);
            case Statement.LockTables lock -> {
                try {
                    lock.tables().forEach(table -> plans.plan(table, List.of(), cancellation));
                } catch (QueryException wrong) {
                    throw wrong.withoutPosition();
                }
                yield LocalPrepared.withoutRows(statement, declared);
            }
            case Statement.Definition definition -> writes.prepare(statement, definition, declared, cancellation);
            case Statement.ReadOnlyRejected rejected -> throw refused(rejected);
            case Statement.Unsupported unsupported -> throw unsupported.error();
            case Statement.Refused refused -> throw refused.error();
            case Statement.CopyFrom copy when !engine.config().writes().isAllowed() -> throw copy.refused();
            case Statement.Declare _,
                    Statement.Fetch _,
                    Statement.Close _,
                    Statement.Prepare _,
                    Statement.Execute _,
                    Statement.ExplainExecute _,
                    Statement.Deallocate _ -> throw ofServers(statement.statement());
            default -> LocalPrepared.withoutRows(statement, declared);
        };
    }

    /// 25006, or 0A000 where other statements write.
    private QueryException refused(Statement.ReadOnlyRejected rejected) {
        boolean isWritable = engine.config().writes().isAllowed() && !settings.isOn("transaction_read_only");
        return isWritable ? rejected.unsupported() : rejected.error();
    }

    private LocalPrepared prepareCopy(
            LocalPrepared.Parsed statement, Statement.Copy copy, List<PgType> declared, Cancellation cancellation) {
        PlannedQuery planned;
        try {
            CopiedTable.check(copy, query -> plans.plan(query, List.of(), cancellation));
            planned = plans.plan(copy.query(), declared, cancellation);
        } catch (QueryException wrong) {
            throw copy.table() == null ? wrong : wrong.withoutPosition();
        }
        if (!planned.parameterTypes().isEmpty()) {
            throw statement.noParameters();
        }
        return LocalPrepared.of(statement, declared, planned, plans.circumstancesOf(planned))
                .asCopy(copy.options());
    }

    private static QueryException ofServers(Statement statement) {
        String what =
                (statement instanceof Statement.ExplainExecute explain ? explain.execute() : statement).commandTag();
        return new QueryException(SqlState.FEATURE_NOT_SUPPORTED, what + " is not supported in this process")
                .withHint("Servers keep cursors and prepared statements for their clients.");
    }

    private static QueryException failedTransaction() {
        return new QueryException(
                SqlState.IN_FAILED_SQL_TRANSACTION,
                "current transaction is aborted, commands ignored until end of transaction block");
    }

    @Override
    public boolean isQuick(String sql, List<PgType> parameterTypes) {
        return plans.isQuick(sql, parameterTypes);
    }

    @Override
    public boolean isQuick(PreparedQuery query) {
        return plans.isQuick(query);
    }

    /// Asks the function that finds names, if the engine was given one: `regprocin`, which says why it finds none, or
    /// `to_regclass` and its like.
    @Override
    public long objectId(PgType type, String name) {
        ScalarFunction finder = engine.finder(type);
        Object found = finder == null ? null : finder.body().call(this, new Object[] {name});
        return found == null ? -1 : (long) found;
    }

    @Override
    public String database() {
        return engine.config().database();
    }

    @Override
    public void setSnapshot(int run) {
        settings.setDefault(Settings.SNAPSHOT, Integer.toString(run));
    }

    /// The snapshot that a plan reads.
    private SharedSnapshot snapshotOf(PlannedQuery planned) {
        return planned.isQuick() && !transaction.mustTakeSnapshot() ? SharedSnapshot.NONE : transaction.snapshot();
    }

    @Override
    public Execution execute(PreparedQuery query, List<Literal> parameters, Cancellation cancellation) {
        return execute(query, parameters, cancellation, settings.millis("statement_timeout"));
    }

    @Override
    public Execution executePiecewise(PreparedQuery query, List<Literal> parameters, Cancellation cancellation) {
        return execute(query, parameters, cancellation, 0);
    }

    @Override
    public QuerySpill openSpill() {
        return engine.querySpill(settings.bytes("temp_file_limit"));
    }

    private Execution execute(
            PreparedQuery query, List<Literal> parameters, Cancellation cancellation, long timeoutMillis) {
        LocalPrepared prepared = (LocalPrepared) query;
        if (transaction.isFailed() && !prepared.statement().endsTransaction()) {
            throw failedTransaction();
        }
        return switch (prepared.statement().statement()) {
            case Statement.Query statement -> {
                PlannedQuery planned = plans.current(statement, prepared, cancellation);
                yield run(statement, prepared, planned, parameters, cancellation, timeoutMillis);
            }
            case Statement.Copy copy -> {
                PlannedQuery planned = plans.current(copy.query(), prepared, cancellation);
                yield new TaggedExecution(
                        copy.commandTag(),
                        run(copy.query(), prepared, planned, parameters, cancellation, timeoutMillis));
            }
            case Statement.Explain explain ->
                explain(
                        explain.options(),
                        explain.query(),
                        prepared.declaredTypes(),
                        parameters,
                        prepared.planning(),
                        cancellation);
            case Statement.Show show -> settingStatements.show(show);
            case Statement.CopyFrom copy -> copyInto(copy, null, cancellation);
            case Statement.Definition definition -> {
                requireWritable(definition);
                yield writes.run(definition, prepared, parameters, cancellation, timeoutMillis);
            }
            case Statement other -> {
                control(other, cancellation);
                yield RowsExecution.ofTag(transaction.tag(other));
            }
        };
    }

    @Override
    public Execution copyFrom(PreparedQuery query, CopyInput input, Cancellation cancellation) {
        if (transaction.isFailed()) {
            throw failedTransaction();
        }
        return copyInto((Statement.CopyFrom) ((LocalPrepared) query).statement().statement(), input, cancellation);
    }

    private Execution copyInto(Statement.CopyFrom copy, CopyInput input, Cancellation cancellation) {
        requireWritable(copy);
        return RowsExecution.ofTag("COPY " + writes.copy(copy, input, cancellation));
    }

    WideningExecution run(
            Statement.Query statement,
            LocalPrepared prepared,
            PlannedQuery planned,
            List<Literal> parameters,
            Cancellation cancellation,
            long timeoutMillis) {
        return new WideningExecution(
                () -> run(planned, parameters, cancellation, timeoutMillis),
                () -> runWide(statement, prepared, planned, parameters, cancellation, timeoutMillis));
    }

    /// - Errors: 0A000 for what is done with numerics of 38 digits only.
    private QueryExecution runWide(
            Statement.Query statement,
            LocalPrepared prepared,
            PlannedQuery narrow,
            List<Literal> parameters,
            Cancellation cancellation,
            long timeoutMillis) {
        PlannedQuery wide = plans.planWide(statement, prepared.declaredTypes(), cancellation);
        if (!wide.columns().equals(narrow.columns()) || !wide.parameterTypes().equals(narrow.parameterTypes())) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "not supported: more than 38 digits here");
        }
        if (parameters.isEmpty()) {
            plans.keepWide(statement, prepared, narrow, wide);
        }
        return run(wide, parameters, cancellation, timeoutMillis);
    }

    QueryExecution run(PlannedQuery planned, List<Literal> parameters, Cancellation cancellation) {
        return run(planned, parameters, cancellation, settings.millis("statement_timeout"));
    }

    private QueryExecution run(
            PlannedQuery planned, List<Literal> parameters, Cancellation cancellation, long timeoutMillis) {
        return run(planned, snapshotOf(planned), parameters, cancellation, timeoutMillis);
    }

    /// @param seen what it reads of the catalog
    QueryExecution run(
            PlannedQuery planned,
            SharedSnapshot seen,
            List<Literal> parameters,
            Cancellation cancellation,
            long timeoutMillis) {
        if (parameters.size() != planned.parameterTypes().size()) {
            throw new IllegalArgumentException(parameters.size() + " values for "
                    + planned.parameterTypes().size() + " parameters");
        }
        planned.collations().inexact().stream()
                .filter(warned::add)
                .map(CollationNotices::of)
                .forEach(notice -> noticeListeners.forEach(listener -> listener.accept(notice)));
        List<Literal> all = new ArrayList<>(parameters);
        planned.hidden().forEach(hidden -> all.add(hiddenValue(hidden)));
        List<Field> fields = new ArrayList<>();
        for (int index = 0; index < planned.columns().size(); index++) {
            var column = planned.columns().get(index);
            fields.add(new Field(
                    column.name(),
                    planned.plan().types().get(index),
                    true,
                    new PgType.Declared(column.type(), column.typmod(), column.other()).text(),
                    column.other()));
        }
        QueryExecution execution = new QueryExecution(
                engine, this, planned, seen, memoryBytes(), settings.bytes("temp_file_limit"), checked(), cancellation);
        execution.start(all, new Schema(fields), timeoutMillis);
        return execution;
    }

    private UnaryOperator<Placement> checked() {
        double fraction = Double.parseDouble(settings.show("quarrel.verify_fraction"));
        if (fraction == 0) {
            return UnaryOperator.identity();
        }
        long memoryBytes = memoryBytes();
        return engine.verification(fraction, Long.parseLong(settings.show("quarrel.verify_seed")), memoryBytes)::of;
    }

    long memoryBytes() {
        long asked = settings.bytes("quarrel.query_memory");
        long bound = engine.config().queryMemoryBytes();
        return asked == 0 ? bound : Math.min(asked, bound);
    }

    private Literal hiddenValue(HiddenParameters.Hidden hidden) {
        if (hidden.function() == null) {
            return Literal.ofNull(hidden.type());
        }
        long micros = ChronoUnit.MICROS.between(Instant.EPOCH, transaction.start());
        return switch (hidden.type()) {
            case DataType.Date _ ->
                new Literal(
                        hidden.type(),
                        Math.floorDiv(micros, ChronoUnit.DAYS.getDuration().toNanos() / 1000));
            default -> new Literal(hidden.type(), micros);
        };
    }

    @Override
    public Execution explain(
            ParsedStatement statement, PreparedQuery prepared, List<Literal> parameters, Cancellation cancellation) {
        ExplainOptions options = ((Statement.ExplainExecute) ((LocalPrepared.Parsed) statement).statement()).options();
        LocalPrepared explained = (LocalPrepared) prepared;
        return switch (explained == null ? null : explained.statement().statement()) {
            case Statement.Query query ->
                explain(options, query, explained.declaredTypes(), parameters, null, cancellation);
            case Statement.Definition definition -> {
                Statement.Query rows = options.analyze() ? null : Statement.Explain.query(definition);
                if (rows == null) {
                    throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED, "EXPLAIN " + definition.commandTag() + " is not supported");
                }
                yield explain(options, rows, explained.declaredTypes(), parameters, null, cancellation);
            }
            case null, default -> ExplainAnswer.ofUtility(options.format());
        };
    }

    /// @param before what it took to plan it before; null where it was not planned for this
    private Execution explain(
            ExplainOptions options,
            Statement.Query query,
            List<PgType> declared,
            List<Literal> parameters,
            Planning before,
            Cancellation cancellation) {
        Planning start = Planning.start();
        PlannedQuery planned = plans.plan(query, declared, PlanSharing.NONE, cancellation);
        Planning planning = before == null ? start.elapsed() : before;
        List<String> phases = !options.plans()
                ? List.of()
                : engine.phases(
                        query,
                        declared,
                        plans.circumstances().options(),
                        transaction.snapshot(),
                        this::objectId,
                        cancellation,
                        settings.millis("statement_timeout"));
        try (CatalogSnapshot view = transaction.snapshot().view(List.of())) {
            return new ExplainAnswer(
                            options,
                            planned,
                            planning,
                            engine.scheduler().threads(),
                            view,
                            parameters,
                            phases,
                            options.settings() ? settings.explained() : null)
                    .run(() -> run(planned, parameters, cancellation));
        }
    }

    /// Statements without rows.
    private void control(Statement statement, Cancellation cancellation) {
        switch (statement) {
            case Statement.Set set -> {
                settingStatements.set(set);
                if (set.local() && !set.values().isEmpty() && !transaction.isBlock()) {
                    warn("25P01", "SET LOCAL can only be used in transaction blocks");
                }
            }
            case Statement.SetTransaction set -> {
                if (!set.session() && !transaction.isBlock()) {
                    warn("25P01", "SET TRANSACTION can only be used in transaction blocks");
                }
                settingStatements.set(set);
            }
            case Statement.Reset reset -> settingStatements.reset(reset);
            case Statement.Begin begin -> transaction.begin(begin.modes());
            case Statement.Commit commit -> transaction.commit(commit.chain(), cancellation::check);
            case Statement.Rollback rollback -> transaction.rollback(rollback.chain());
            case Statement.Savepoint savepoint -> transaction.savepoint(savepoint);
            case Statement.Discard discard -> discard(discard.what());
            case Statement.LockTables _ -> {
                if (!transaction.isBlock()) {
                    throw new QueryException(
                            SqlState.NO_ACTIVE_SQL_TRANSACTION, "LOCK TABLE can only be used in transaction blocks");
                }
            }
            case Statement.CreateForeignTable _, Statement.DropForeignTable _, Statement.ImportForeignSchema _ -> {
                requireWritable(statement);
                transaction.write(
                        changes -> {
                            new ForeignTables(writes.relations(changes)).run(statement);
                            return null;
                        },
                        cancellation::check);
            }
            case Statement.Nothing _, Statement.Empty _ -> {}
            case Statement.ReadOnlyRejected rejected -> throw refused(rejected);
            case Statement.Unsupported unsupported -> throw unsupported.error();
            case Statement.Refused refused -> throw refused.error();
            case Statement.Declare _,
                    Statement.Fetch _,
                    Statement.Close _,
                    Statement.Prepare _,
                    Statement.Execute _,
                    Statement.ExplainExecute _,
                    Statement.Deallocate _ -> throw ofServers(statement);
            case Statement.Query _,
                    Statement.Copy _,
                    Statement.CopyFrom _,
                    Statement.Definition _,
                    Statement.Explain _,
                    Statement.Show _ -> throw new IllegalStateException(statement.commandTag() + " has rows");
        }
    }

    private void discard(String what) {
        switch (what) {
            case "ALL" -> {
                if (transaction.isBlock()) {
                    throw new QueryException(
                            SqlState.ACTIVE_SQL_TRANSACTION, "DISCARD ALL cannot run inside a transaction block");
                }
                settings.resetAll();
                dropTemporary();
            }
            case "TEMP" -> {
                if (transaction.isBlock()) {
                    throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED, "DISCARD TEMP in a transaction block is not supported");
                }
                dropTemporary();
            }
            case "PLANS" -> engine.forgetPlans();
            default -> {} // no sequences
        }
    }

    private void dropTemporary() {
        forgetTemporarySnapshot();
        temporary.close();
    }

    /// - Errors: 25006 where nothing is written.
    void requireWritable(Statement statement) {
        if (!engine.config().writes().isAllowed()
                || settings.isOn("transaction_read_only") && !writes.isOfTemporaryRows(statement)) {
            throw new Statement.ReadOnlyRejected(
                            statement.text(), statement.start(), statement.end(), statement.commandTag())
                    .error();
        }
    }

    @Override
    public void warn(String code, String message) {
        notice(new Notice("WARNING", code, message));
    }

    /// Tells the client, unless it wants to hear of graver things alone.
    void notice(Notice notice) {
        boolean isWanted =
                switch (settings.show("client_min_messages")) {
                    case "error" -> false;
                    case "warning" -> notice.severity().equals("WARNING");
                    default -> true;
                };
        if (isWanted) {
            noticeListeners.forEach(listener -> listener.accept(notice));
        }
    }

    @Override
    public TransactionState transactionState() {
        return transaction.state();
    }

    @Override
    public long savepointCount() {
        return transaction.savepointCount();
    }

    @Override
    public long takeRollback() {
        return transaction.takeRollback();
    }

    @Override
    public void failTransaction() {
        transaction.fail();
    }

    @Override
    public void beginImplicitTransaction(boolean isBlock) {
        transaction.beginImplicit(isBlock);
    }

    @Override
    public void endImplicitTransaction(Cancellation cancellation) {
        transaction.endImplicit(cancellation::check);
    }

    @Override
    public boolean hasImplicitChanges() {
        return transaction.hasImplicitChanges();
    }

    @Override
    public String setting(String name) {
        return settings.isKnown(name) ? settings.show(name) : null;
    }

    @Override
    public void set(String name, String value) {
        settings.set(name, value, false);
    }

    @Override
    public void set(String name, String value, boolean isLocal) {
        if (value == null) {
            settings.reset(name);
        } else {
            settings.set(name, value, isLocal);
        }
    }

    @Override
    public List<SettingState> settingStates() {
        return settings.states();
    }

    @Override
    public void setDefaults(SettingDefaults defaults) {
        settings.setDefaults(defaults);
    }

    @Override
    public SequencedMap<String, String> settings() {
        return settings.all();
    }

    @Override
    public void onSettingChange(BiConsumer<String, String> listener) {
        settings.onReportedChange(listener);
    }

    @Override
    public void onNotice(Consumer<Notice> listener) {
        noticeListeners.add(listener);
    }

    @Override
    public void attach(Object newAttachment) {
        attachment = newAttachment;
    }

    @Override
    public <T> T attached(Class<T> type) {
        return type.isInstance(attachment) ? type.cast(attachment) : null;
    }

    @Override
    public String user() {
        return user;
    }

    @Override
    public TablePrivileges privileges() {
        return privileges;
    }

    @Override
    public List<String> searchPath() {
        Set<String> path = new LinkedHashSet<>();
        if (hasTemporary() && !settings.show("search_path").contains(Catalog.TEMPORARY_SCHEMA)) {
            path.add(Catalog.TEMPORARY_SCHEMA);
        }
        for (String part : SearchPath.split(settings.show("search_path"))) {
            String name = part.equals("$user") ? user : part;
            path.add(name);
        }
        return List.copyOf(path);
    }

    @Override
    public Table systemTable(String schemaName, String name) {
        SharedSnapshot seen = transaction.seen();
        return seen == null ? null : seen.systemTable(schemaName, name);
    }

    @Override
    public Engine engine() {
        return engine;
    }

    @Override
    public void close() {
        try {
            transaction.close();
        } finally {
            dropTemporary();
        }
    }
}
