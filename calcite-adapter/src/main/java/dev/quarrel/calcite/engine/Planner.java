package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.TablePrivileges;
import dev.quarrel.calcite.host.HiddenParameters;
import dev.quarrel.calcite.host.PhysicalPlan;
import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.calcite.rules.LiteralLifting;
import dev.quarrel.calcite.rules.Optimizer;
import dev.quarrel.calcite.rules.OtherTypeCheck;
import dev.quarrel.calcite.rules.TextStyleCheck;
import dev.quarrel.calcite.rules.ZoneBinding;
import dev.quarrel.calcite.sql.AnalyzedQuery;
import dev.quarrel.calcite.sql.QueryContext;
import dev.quarrel.calcite.sql.SqlFrontend;
import dev.quarrel.calcite.sql.convert.ObjectIds;
import dev.quarrel.calcite.sql.type.CollationUse;
import dev.quarrel.core.device.Device;
import dev.quarrel.core.device.Placement;
import dev.quarrel.core.device.PlacementHints;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Slot;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.pg.DateOrder;
import dev.quarrel.core.pg.IntervalStyle;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.rel.RelNode;

/// The planner turns SQL text into relational expressions, these into pipelines, and places the pipelines on
/// devices.
final class Planner {
    private final SqlFrontend frontend;
    private final List<Device> devices;
    private final Map<String, String> missingDevices;

    Planner(SqlFrontend frontend, List<Device> devices, Map<String, String> missingDevices) {
        this.frontend = frontend;
        this.devices = devices;
        this.missingDevices = missingDevices;
    }

    /// What a plan depends on besides its statement and the catalog.
    ///
    /// @param zone the session's time zone
    /// @param hexBytes whether `bytea_output` is hex
    /// @param intervals IntervalStyle
    /// @param order of DateStyle
    /// @param exactFloats whether `extra_float_digits` is 1 or more
    /// @param privileges which tables may be read
    /// @param wideNumerics whether all numerics may have any number of digits: it takes more time, so the first
    ///     plan of a statement is one of 38 digits
    /// @param start of the transaction, which "now" is in literals; null in what plans are kept by
    record Options(
            List<String> searchPath,
            Placement.Preference preference,
            boolean requireGpu,
            ZoneId zone,
            boolean hexBytes,
            IntervalStyle intervals,
            DateOrder order,
            boolean exactFloats,
            String database,
            TablePrivileges privileges,
            boolean wideNumerics,
            Instant start) {
        Options {
            searchPath = List.copyOf(searchPath);
        }

        /// The same for numerics of any number of digits.
        Options withWideNumerics() {
            return with(true, start);
        }

        Options at(Instant newStart) {
            return with(wideNumerics, newStart);
        }

        private Options with(boolean newWideNumerics, Instant newStart) {
            return new Options(
                    searchPath,
                    preference,
                    requireGpu,
                    zone,
                    hexBytes,
                    intervals,
                    order,
                    exactFloats,
                    database,
                    privileges,
                    newWideNumerics,
                    newStart);
        }

        /// When and how literals of times are read.
        PgParse.Moment moment() {
            return new PgParse.Moment(zone, start == null ? Instant.now() : start, intervals, order);
        }

        boolean utc() {
            return zone.normalized().equals(ZoneOffset.UTC);
        }
    }

    /// - Errors: what [SqlFrontend#analyze], [Optimizer#optimize] and [Placement#of] raise.
    ///
    /// @param observer sees the tree after each phase of the optimizer
    PlannedQuery plan(
            Statement.Query query,
            List<PgType> declared,
            Options options,
            CatalogSnapshot snapshot,
            CalciteSchema root,
            ObjectIds objectIds,
            Optimizer.Observer observer) {
        AnalyzedQuery analyzed = analyze(query, declared, options, snapshot, root, objectIds);
        RelNode rel = checked(analyzed, options);
        return plan(analyzed, rel, options, snapshot, observer);
    }

    /// A plan for the rows of an INSERT.
    ///
    /// - Errors: as [#plan(Statement.Query, List, Options, CatalogSnapshot, CalciteSchema, ObjectIds,
    ///   Optimizer.Observer)], and those of [SqlFrontend#analyzeInsert].
    ///
    /// @param columns as of [SqlFrontend#analyzeInsert]
    PlannedQuery planInsert(
            Statement.Insert insert,
            List<Field> columns,
            List<PgType> declared,
            Options options,
            CatalogSnapshot snapshot,
            CalciteSchema root,
            ObjectIds objectIds) {
        AnalyzedQuery analyzed = frontend.analyzeInsert(
                insert.query(),
                context(declared, options, snapshot, root, objectIds),
                columns,
                !insert.columns().isEmpty());
        return plan(analyzed, checked(analyzed, options), options, snapshot, Optimizer.Observer.NONE);
    }

    /// A plan that serves statements of other literals, too; null where it would hang on all of them.
    ///
    /// - Errors: as [#plan(Statement.Query, List, Options, CatalogSnapshot, CalciteSchema, ObjectIds,
    ///   Optimizer.Observer)].
    SharedPlan planShared(
            Statement.Query query,
            List<PgType> declared,
            Options options,
            CatalogSnapshot snapshot,
            CalciteSchema root,
            ObjectIds objectIds) {
        AnalyzedQuery analyzed = analyze(query, declared, options, snapshot, root, objectIds);
        RelNode rel = checked(analyzed, options);
        LiteralLifting.Lifted lifted = LiteralLifting.apply(
                rel,
                analyzed.literals(),
                SharedPlans.reader(options),
                query.shape().literals());
        if (!lifted.isAny()) {
            return null;
        }
        PlannedQuery planned = plan(analyzed, lifted.rel(), options, snapshot, Optimizer.Observer.NONE);
        return new SharedPlan(planned, query.shape(), lifted);
    }

    AnalyzedQuery analyze(
            Statement.Query query,
            List<PgType> declared,
            Options options,
            CatalogSnapshot snapshot,
            CalciteSchema root,
            ObjectIds objectIds) {
        return frontend.analyze(query, context(declared, options, snapshot, root, objectIds));
    }

    private static QueryContext context(
            List<PgType> declared, Options options, CatalogSnapshot snapshot, CalciteSchema root, ObjectIds objectIds) {
        return new QueryContext(
                Optimizer.withQuickMetadata(SqlFrontend.newCluster(Optimizer.newPlanner())),
                root,
                options.searchPath(),
                options.database(),
                declared,
                objectIds,
                options.moment(),
                snapshot.defaultCollation(),
                options.privileges(),
                options.wideNumerics());
    }

    private static RelNode checked(AnalyzedQuery analyzed, Options options) {
        OtherTypeCheck.require(analyzed.rel());
        RelNode rel = ZoneBinding.apply(analyzed.rel(), options.zone());
        new TextStyleCheck(
                        options.hexBytes(), options.intervals(), options.utc(), options.order(), options.exactFloats())
                .require(rel);
        return rel;
    }

    private PlannedQuery plan(
            AnalyzedQuery analyzed,
            RelNode rel,
            Options options,
            CatalogSnapshot snapshot,
            Optimizer.Observer observer) {
        return plan(Optimizer.optimize(rel, observer), analyzed.columns(), analyzed.parameterTypes(), options, snapshot)
                .with(analyzed.collations());
    }

    /// Pipelines and devices for a tree of Quarrel's nodes.
    PlannedQuery plan(
            RelNode rel,
            List<AnalyzedQuery.OutputColumn> columns,
            List<PgType> parameterTypes,
            Options options,
            CatalogSnapshot snapshot) {
        HiddenParameters hidden = new HiddenParameters(parameterTypes.size());
        // A result of no columns has a field that counts its rows.
        List<String> names = columns.isEmpty()
                ? List.of("none")
                : columns.stream().map(AnalyzedQuery.OutputColumn::name).toList();
        PhysicalPlan plan = PhysicalPlan.of(rel, names, hidden);
        Map<PhysicalPlan.Device, Placement> placements = new IdentityHashMap<>();
        place(plan, options, snapshot, placements);
        return new PlannedQuery(
                columns,
                parameterTypes,
                plan,
                hidden.all(),
                placements,
                snapshot.version(),
                false,
                CollationUse.NONE,
                Map.of());
    }

    /// What each parameter is held as; null for one that nothing reads.
    static List<DataType> parameterTypes(PlannedQuery planned) {
        DataType[] types = new DataType[planned.parameterTypes().size()];
        planned.placements()
                .keySet()
                .forEach(device -> device.plan().slots().forEach(slot -> {
                    if (slot instanceof Slot.Parameter(int number, DataType type) && number <= types.length) {
                        types[number - 1] = type;
                    }
                }));
        return java.util.Collections.unmodifiableList(java.util.Arrays.asList(types));
    }

    private void place(
            PhysicalPlan plan,
            Options options,
            CatalogSnapshot snapshot,
            Map<PhysicalPlan.Device, Placement> placements) {
        switch (plan) {
            case PhysicalPlan.Device device -> {
                placements.put(
                        device,
                        Placement.of(
                                device.plan(),
                                devices,
                                missingDevices,
                                pipeline -> hints(pipeline, snapshot),
                                options.preference(),
                                options.requireGpu()));
                device.inputs().forEach(input -> place(input, options, snapshot, placements));
            }
            case PhysicalPlan.Host host -> host.inputs().forEach(input -> place(input, options, snapshot, placements));
        }
    }

    private static PlacementHints hints(Pipeline pipeline, CatalogSnapshot snapshot) {
        if (!(pipeline.source() instanceof Source.TableScan scan)) {
            return PlacementHints.UNKNOWN;
        }
        Table table = snapshot.scanned(scan.schemaName(), scan.tableName());
        if (table == null) {
            return PlacementHints.UNKNOWN;
        }
        long rows = table.stats().rowCount();
        long width = 0;
        for (DataType type : scan.types()) {
            // Text is mostly codes of a dictionary; a bool is a bit.
            width += Math.max(1, type.byteWidth());
        }
        return new PlacementHints(rows, rows * width, table);
    }
}
