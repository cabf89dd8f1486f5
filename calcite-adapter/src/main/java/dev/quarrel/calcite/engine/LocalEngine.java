package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.EngineCounts;
import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.TablePrivileges;
import dev.quarrel.calcite.host.HostCells;
import dev.quarrel.calcite.limits.PlanningLimits;
import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.calcite.rules.Optimizer;
import dev.quarrel.calcite.schema.QuarrelSchema;
import dev.quarrel.calcite.sql.AnalyzedQuery;
import dev.quarrel.calcite.sql.SqlFrontend;
import dev.quarrel.calcite.sql.convert.ObjectIds;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.device.Device;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.DeviceProvider;
import dev.quarrel.core.device.Placement;
import dev.quarrel.core.pg.DateOrder;
import dev.quarrel.core.pg.IntervalStyle;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.run.Scheduler;
import dev.quarrel.core.spill.QuerySpill;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.core.verify.Verification;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The implementation of [Engine] that runs inside this process.
public final class LocalEngine implements Engine {
    private static final Logger LOG = LoggerFactory.getLogger(LocalEngine.class);
    static final String CPU = "cpu";
    private static final int MAX_PRIVILEGES = 64;

    private final Catalog catalog;
    private final EngineConfig config;
    private final Resources resources;
    private final boolean ownsResources;
    private final Planner planner;
    private final StatementCache statements;
    private final Map<String, ScalarFunction> finders = new HashMap<>();
    private final PlanCache plans = new PlanCache();
    private final SharedPlans sharedPlans = new SharedPlans();
    /// By what their sessions may read; made again for another version of the catalog.
    private final Map<TablePrivileges, CatalogTables> tables = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<TablePrivileges, CatalogTables> eldest) {
            return size() > MAX_PRIVILEGES;
        }
    };
    private final LongAdder planHits = new LongAdder();
    private final LongAdder planMisses = new LongAdder();
    private final LongAdder loads = new LongAdder();
    private WarmUp warmUp;
    private boolean closed;

    /// The tables and names that the engine derives once for each version of the catalog.
    ///
    /// @param names the schemas as Calcite sees them
    private record CatalogTables(long version, List<Table> systemTables, CalciteSchema names) {}

    private LocalEngine(Catalog catalog, EngineConfig config, Resources resources, boolean ownsResources) {
        config.systemFunctions().stream()
                .filter(function -> function.arguments().equals(List.of(PgType.TEXT)))
                .forEach(function -> finders.put(function.name(), function));
        SqlFrontend frontend = new SqlFrontend(config.systemFunctions(), config.functions(), config.aggregates());
        this.catalog = catalog;
        this.config = config;
        this.resources = resources;
        this.ownsResources = ownsResources;
        this.statements = new StatementCache(frontend::parse);
        this.planner = new Planner(frontend, resources.devices(), resources.missingDevices());
    }

    /// Opens an engine over a dataset directory or another catalog.
    ///
    /// - Memory: the engine owns the catalog from here on, also when opening fails.
    public static Engine open(Catalog catalog, EngineConfig config) {
        return open(catalog, config, List.of());
    }

    /// An engine that also looks for devices of which `ServiceLoader` does not know.
    public static Engine open(Catalog catalog, EngineConfig config, List<DeviceProvider> moreDevices) {
        List<Device> devices = new ArrayList<>();
        Map<String, String> missing = new LinkedHashMap<>();
        try {
            DeviceConfig deviceConfig = deviceConfig(config);
            List<DeviceProvider> providers = new ArrayList<>();
            providers().forEach(providers::add);
            providers.addAll(moreDevices);
            for (DeviceProvider provider : providers) {
                switch (provider.probe(deviceConfig)) {
                    case DeviceProvider.Probe.Found(Device device) -> {
                        devices.add(device);
                        LOG.info("device.found device={} description={}", device.name(), device.description());
                    }
                    case DeviceProvider.Probe.Missing absent -> {
                        missing.put(provider.name(), absent.reason());
                        LOG.info("device.missing device={} reason={}", provider.name(), absent.text());
                    }
                }
            }
            if (devices.isEmpty()) {
                throw new IllegalStateException("no device was found, not even the CPU: " + missing);
            }
            return new LocalEngine(catalog, config, new Resources(config, devices, missing, tiers(config)), true);
        } catch (RuntimeException | Error problem) {
            devices.forEach(Device::close);
            catalog.close();
            throw problem;
        }
    }

    /// An engine over another catalog, with workers and a CPU device of its own and without the system's tables. It is
    /// closed before this one.
    ///
    /// @param tileRows rows of the CPU's tiles
    LocalEngine beside(Catalog other, int tileRows) {
        EngineConfig plain = config.withSystemTables((_, _) -> List.of(), List.of())
                .withTileRows(tileRows)
                .withInlineRows(-1);
        Resources own = new Resources(plain, List.of(cpu(deviceConfig(plain))), missingDevices(), tiers(plain));
        return new LocalEngine(other, plain, own, true);
    }

    @Override
    public Engine beside(Catalog other, UnaryOperator<EngineConfig> change) {
        try {
            return new LocalEngine(other, change.apply(config), resources, false);
        } catch (RuntimeException | Error problem) {
            other.close();
            throw problem;
        }
    }

    private static Device cpu(DeviceConfig config) {
        for (DeviceProvider provider : providers()) {
            if (provider.name().equals(CPU) && provider.probe(config) instanceof DeviceProvider.Probe.Found found) {
                return found.device();
            }
        }
        throw new IllegalStateException("no CPU was found");
    }

    private static Function<DeviceConfig.Tier, Device> tiers(EngineConfig config) {
        return tier -> cpu(deviceConfig(config.withTier(tier).withColumnCacheBytes(0)));
    }

    /// What checks a share of the pipelines of a statement.
    Verification verification(double fraction, long seed, long memoryBytes) {
        return new Verification(
                fraction,
                seed,
                resources.otherWays(),
                () -> queryMemory(memoryBytes),
                HostCells::read,
                resources.verifications());
    }

    private static Iterable<DeviceProvider> providers() {
        return ServiceLoader.load(DeviceProvider.class, LocalEngine.class.getClassLoader());
    }

    private static DeviceConfig deviceConfig(EngineConfig config) {
        return new DeviceConfig(config.threads(), config.tileRows(), config.tier(), config.columnCacheBytes());
    }

    /// Rows that come in by threads of their own: the engine has something to do until it is closed.
    Loading loading() {
        loads.increment();
        devices().forEach(Device::beginLoad);
        return () -> {
            devices().forEach(Device::endLoad);
            loads.decrement();
        };
    }

    interface Loading extends AutoCloseable {
        @Override
        void close();
    }

    /// Whether there is nothing to do.
    boolean isIdle() {
        return scheduler().isIdle() && loads.sum() == 0;
    }

    @Override
    public void warmUp() {
        synchronized (this) {
            if (warmUp == null && !closed) {
                warmUp = new WarmUp(this);
            }
        }
    }

    @Override
    public void awaitWarmUp() throws InterruptedException {
        WarmUp started;
        synchronized (this) {
            started = warmUp;
        }
        if (started != null) {
            started.await();
        }
        for (Device device : devices()) {
            device.awaitWarmUp();
        }
    }

    @Override
    public SqlSession openSession(String user, TablePrivileges privileges) {
        return new LocalSession(this, user, privileges);
    }

    @Override
    public Catalog catalog() {
        return catalog;
    }

    @Override
    public List<Device> devices() {
        return resources.devices();
    }

    @Override
    public Map<String, String> missingDevices() {
        return resources.missingDevices();
    }

    @Override
    public EngineCounts counts() {
        Map<String, Long> deviceBytes = new LinkedHashMap<>();
        devices().forEach(device -> deviceBytes.put(device.name(), device.usedBytes()));
        return new EngineCounts(
                resources.memory().usedBytes(),
                resources.memory().limitBytes(),
                resources.spills() == null ? 0 : resources.spills().writtenBytes(),
                resources.scheduler().busy(),
                resources.scheduler().threads(),
                planHits.sum(),
                planMisses.sum(),
                Map.of(
                        "equal", resources.verifications().equal(),
                        "different", resources.verifications().different(),
                        "skipped", resources.verifications().skipped()),
                deviceBytes);
    }

    /// Counts a plan that a statement found made.
    void planFound() {
        planHits.increment();
    }

    EngineConfig config() {
        return config;
    }

    /// Cuts a text into statements.
    ///
    /// - Errors: as [SqlFrontend#parse].
    List<Statement> parse(String sql) {
        return statements.read(sql);
    }

    /// Whether the CPU runs all of it.
    boolean isOfCpu(Placement placement) {
        for (Placement.Choice choice : placement.choices()) {
            if (!choice.device().name().equals(CPU)) {
                return false;
            }
        }
        return true;
    }

    Scheduler scheduler() {
        return resources.scheduler();
    }

    /// A budget for one query, which counts in that of all.
    MemoryBudget queryMemory(long bytes) {
        return new MemoryBudget(bytes, resources.memory());
    }

    /// Where a query's temporary files go.
    ///
    /// @param limitBytes of them, or [QuerySpill#NO_LIMIT]
    QuerySpill querySpill(long limitBytes) {
        return new QuerySpill(resources.spills(), limitBytes);
    }

    /// Cancels a statement after its statement_timeout.
    ///
    /// - Returns: what to cancel when the statement is over; null for 0 milliseconds, which are no timeout.
    Future<?> cancelLater(Cancellation cancellation, long timeoutMillis) {
        if (timeoutMillis <= 0) {
            return null;
        }
        return resources
                .timer()
                .schedule(
                        () -> cancellation.cancel(new QueryException(
                                SqlState.QUERY_CANCELED, "canceling statement due to statement timeout")),
                        timeoutMillis,
                        TimeUnit.MILLISECONDS);
    }

    /// The catalog as it is now, with the system's tables; the caller is its first holder.
    ///
    /// @param privileges of the session that reads it: some system tables show only what it may read
    SharedSnapshot snapshot(TablePrivileges privileges) {
        CatalogSnapshot snapshot = catalog.snapshot();
        try {
            return new SharedSnapshot(snapshot, tables(snapshot, privileges).systemTables());
        } catch (RuntimeException | Error problem) {
            snapshot.close();
            throw problem;
        }
    }

    /// The same for a catalog that a session's transaction has changed, which nobody else sees.
    ///
    /// - Memory: takes `changed` over.
    SharedSnapshot snapshot(TablePrivileges privileges, CatalogSnapshot changed) {
        try {
            requireOpen();
            return new SharedSnapshot(changed, List.copyOf(config.systemTables().apply(changed, privileges)));
        } catch (RuntimeException | Error problem) {
            changed.close();
            throw problem;
        }
    }

    private synchronized void requireOpen() {
        if (closed) {
            throw new QueryException(SqlState.ADMIN_SHUTDOWN, "terminating connection due to administrator command");
        }
    }

    private synchronized CatalogTables tables(CatalogSnapshot snapshot, TablePrivileges privileges) {
        requireOpen();
        CatalogTables known = tables.get(privileges);
        if (known == null || known.version() != snapshot.version()) {
            known = new CatalogTables(
                    snapshot.version(), List.copyOf(config.systemTables().apply(snapshot, privileges)), null);
            tables.put(privileges, known);
        }
        return known;
    }

    private synchronized CalciteSchema names(CatalogSnapshot view, TablePrivileges privileges) {
        CatalogTables known = tables.get(privileges);
        if (known != null && known.version() == view.version()) {
            if (known.names() == null) {
                known = new CatalogTables(known.version(), known.systemTables(), QuarrelSchema.root(view));
                tables.put(privileges, known);
            }
            return known.names();
        }
        // Another session has moved on to a newer version; this one still reads the old.
        return QuarrelSchema.root(view);
    }

    /// The statements of a text that was cut before, or null.
    List<Statement> knownStatements(String sql) {
        return statements.find(sql);
    }

    /// A plan for this very text, if it was made before and is quick; otherwise null.
    ///
    /// @param alone without a catalog
    PlannedQuery knownQuick(String sql, PlanCache.Context alone) {
        return plans.findExact(sql, alone);
    }

    /// The plan of a query, from the cache where it is there.
    ///
    /// - Errors: as [Planner#plan], and [PlanningLimits#within].
    ///
    /// @param context with the snapshot's version
    /// @param alone the same without a catalog
    /// @param sharing with what statements the plan may be shared
    /// @param timeoutMillis how long planning may take, 0 for as long as it does
    PlannedQuery plan(
            Statement.Query query,
            List<PgType> declared,
            Planner.Options options,
            PlanCache.Context context,
            PlanCache.Context alone,
            PlanSharing sharing,
            SharedSnapshot snapshot,
            ObjectIds objectIds,
            Cancellation cancellation,
            long timeoutMillis) {
        PlannedQuery known = plans.find(query, context);
        if (known != null) {
            planFound();
            return known;
        }
        boolean mayShare =
                sharing != PlanSharing.NONE && PlanCache.isKept(query) && SharedPlans.isFor(query.shape(), options);
        if (mayShare) {
            PlannedQuery shared = sharedPlans.find(query.shape(), context);
            if (shared != null) {
                planFound();
                return shared;
            }
        }
        planMisses.increment();
        AtomicBoolean asksForObjects = new AtomicBoolean();
        ObjectIds recorded = (type, name) -> {
            asksForObjects.set(true);
            return objectIds.find(type, name);
        };
        Future<?> timeout = cancelLater(cancellation, timeoutMillis);
        try (CatalogSnapshot view = snapshot.view(List.of())) {
            boolean wantsShared = mayShare && sharedPlans.isWanted(query.shape(), context);
            if (mayShare && (wantsShared || sharing == PlanSharing.AT_ONCE)) {
                PlannedQuery shared = PlanningLimits.within(
                        cancellation, () -> planShared(query, declared, options, context, view, recorded));
                if (shared != null) {
                    return shared;
                }
            }
            PlannedQuery planned = PlanningLimits.within(
                    cancellation,
                    () -> planner.plan(
                            query,
                            declared,
                            options,
                            view,
                            names(view, options.privileges()),
                            recorded,
                            Optimizer.Observer.NONE));
            boolean isQuick = config.inlineRows() >= 0
                    && !asksForObjects.get()
                    && !planned.collations().ofDefault()
                    && QuickPlans.readsNoTable(query.node())
                    && QuickPlans.isLittleWork(planned.plan())
                    && planned.placements().values().stream().allMatch(this::isOfCpu);
            if (isQuick) {
                planned = planned.asQuick();
            }
            plans.keep(query, isQuick ? alone : context, planned);
            return planned;
        } finally {
            if (timeout != null) {
                timeout.cancel(false);
            }
        }
    }

    /// A plan for statements of other literals, too, which is kept; null where there is none, or planning it fails.
    private PlannedQuery planShared(
            Statement.Query query,
            List<PgType> declared,
            Planner.Options options,
            PlanCache.Context context,
            CatalogSnapshot view,
            ObjectIds objectIds) {
        SharedPlan shared;
        try {
            shared = planner.planShared(query, declared, options, view, names(view, options.privileges()), objectIds);
        } catch (QueryException _) {
            PlanningLimits.check();
            return null; // the statement's own plan has the error, if it is one of the statement
        }
        PlannedQuery planned =
                shared == null ? null : shared.with(query.shape().literals(), SharedPlans.reader(options));
        // Other devices may choose by a constant's value.
        if (planned == null || !planned.placements().values().stream().allMatch(this::isOfCpu)) {
            sharedPlans.giveUp(query.shape(), context);
            return null;
        }
        sharedPlans.keep(query.shape(), context, shared);
        return planned;
    }

    /// A plan for the rows of an INSERT, which is not kept: the next one sees another catalog.
    ///
    /// - Errors: as [Planner#planInsert].
    ///
    /// @param columns that the rows go into
    /// @param context with the snapshot's version; null where nobody finds the plan
    PlannedQuery planInsert(
            Statement.Insert insert,
            List<Field> columns,
            List<PgType> declared,
            Planner.Options options,
            PlanCache.Context context,
            SharedSnapshot snapshot,
            ObjectIds objectIds,
            Cancellation cancellation,
            long timeoutMillis) {
        String key = "INTO " + insert.sql(); // no query begins so: an UPDATE's other rows have a plan, too
        PlannedQuery known = context == null ? null : plans.findExact(key, context);
        if (known != null) {
            planFound();
            return known;
        }
        planMisses.increment();
        Future<?> timeout = cancelLater(cancellation, timeoutMillis);
        try (CatalogSnapshot view = snapshot.view(List.of())) {
            PlannedQuery planned = PlanningLimits.within(
                    cancellation,
                    () -> planner.planInsert(
                            insert, columns, declared, options, view, names(view, options.privileges()), objectIds));
            if (context != null && insert.query().parameterCount() > 0 && PlanCache.isKept(insert.query())) {
                plans.keepExact(key, context, planned); // it is prepared, and comes again
            }
            return planned;
        } finally {
            if (timeout != null) {
                timeout.cancel(false);
            }
        }
    }

    /// A plan that nobody else finds.
    ///
    /// - Errors: as [Planner#plan(Statement.Query, List, Planner.Options, CatalogSnapshot, CalciteSchema,
    ///   ObjectIds, Optimizer.Observer)].
    PlannedQuery planAlone(
            Statement.Query query,
            List<PgType> declared,
            Planner.Options options,
            SharedSnapshot snapshot,
            ObjectIds objectIds,
            Cancellation cancellation,
            long timeoutMillis) {
        planMisses.increment();
        Future<?> timeout = cancelLater(cancellation, timeoutMillis);
        try (CatalogSnapshot view = snapshot.view(List.of())) {
            return PlanningLimits.within(
                    cancellation,
                    () -> planner.plan(
                            query,
                            declared,
                            options,
                            view,
                            names(view, options.privileges()),
                            objectIds,
                            Optimizer.Observer.NONE));
        } finally {
            if (timeout != null) {
                timeout.cancel(false);
            }
        }
    }

    /// A query's meaning, without a plan.
    AnalyzedQuery analyze(
            Statement.Query query,
            List<PgType> declared,
            Planner.Options options,
            SharedSnapshot snapshot,
            ObjectIds objectIds) {
        try (CatalogSnapshot view = snapshot.view(List.of())) {
            return planner.analyze(query, declared, options, view, names(view, options.privileges()), objectIds);
        }
    }

    /// A query's tree as the analyser made it and after each phase of the optimizer, as text; nothing is kept.
    ///
    /// - Errors: as [#plan(Statement.Query, List, Planner.Options, PlanCache.Context, PlanCache.Context,
    ///   SharedSnapshot, ObjectIds, Cancellation, long)].
    List<String> phases(
            Statement.Query query,
            List<PgType> declared,
            Planner.Options options,
            SharedSnapshot snapshot,
            ObjectIds objectIds,
            Cancellation cancellation,
            long timeoutMillis) {
        PhaseText phases = new PhaseText();
        Future<?> timeout = cancelLater(cancellation, timeoutMillis);
        try (CatalogSnapshot view = snapshot.view(List.of())) {
            PlanningLimits.within(
                    cancellation,
                    () -> planner.plan(
                            query, declared, options, view, names(view, options.privileges()), objectIds, phases));
            return phases.lines();
        } finally {
            if (timeout != null) {
                timeout.cancel(false);
            }
        }
    }

    /// The function that finds objects of a type by their names; null where the engine was given none.
    ScalarFunction finder(PgType type) {
        ScalarFunction in = finders.get(type.typeName() + "in");
        return in == null ? finders.get("to_" + type.typeName()) : in;
    }

    /// Keeps a plan for a statement that has it in other circumstances than those in which it was made.
    void keep(Statement.Query query, PlanCache.Context context, PlannedQuery planned) {
        plans.keep(query, context, planned);
    }

    /// A plan for a tree of Quarrel's nodes, which is not kept.
    PlannedQuery plan(RelNode root) {
        SharedSnapshot snapshot = snapshot(TablePrivileges.EVERYTHING);
        try (CatalogSnapshot view = snapshot.view(List.of())) {
            List<AnalyzedQuery.OutputColumn> columns = root.getRowType().getFieldList().stream()
                    .map(field -> new AnalyzedQuery.OutputColumn(
                            field.getName(),
                            SqlTypes.pgType(field.getType()),
                            SqlTypes.typmod(field.getType()),
                            SqlTypes.other(field.getType()),
                            null))
                    .toList();
            List<PgType> parameters = java.util.Collections.nCopies(Parameters.count(root), PgType.UNKNOWN);
            Planner.Options options = new Planner.Options(
                    List.of(),
                    Placement.Preference.AUTO,
                    false,
                    ZoneOffset.UTC,
                    true,
                    IntervalStyle.POSTGRES,
                    DateOrder.MDY,
                    true,
                    "",
                    TablePrivileges.EVERYTHING,
                    false,
                    null);
            return planner.plan(root, columns, parameters, options, view);
        } finally {
            snapshot.release();
        }
    }

    /// Counts a tree's dynamic parameters.
    private static final class Parameters extends RexShuttle {
        private int count;

        static int count(RelNode root) {
            Parameters parameters = new Parameters();
            root.accept(new RelHomogeneousShuttle() {
                @Override
                public RelNode visit(RelNode rel) {
                    rel.accept(parameters);
                    return super.visit(rel);
                }
            });
            return parameters.count;
        }

        @Override
        public RexNode visitDynamicParam(RexDynamicParam parameter) {
            count = Math.max(count, parameter.getIndex() + 1);
            return parameter;
        }
    }

    void forgetPlans() {
        plans.clear();
        sharedPlans.clear();
    }

    @Override
    public void close() {
        WarmUp started;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            started = warmUp;
        }
        if (started != null) {
            started.cancel();
        }
        if (ownsResources) {
            resources.close();
        }
        catalog.close();
    }
}
