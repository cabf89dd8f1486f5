package dev.quarrel.calcite.explain;

import dev.quarrel.calcite.explain.PlanNode.Role;
import dev.quarrel.calcite.lower.ExpectedRows;
import dev.quarrel.calcite.lower.PipelineEmitter;
import dev.quarrel.core.device.PipelineCounters;
import dev.quarrel.core.device.Placement;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.IrText;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.RuntimeFilter;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Slot;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.ir.WindowCall;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.table.ElementsName;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Makes the nodes that EXPLAIN shows of what devices run, from the plan that actually runs.
///
/// A node per sink, join and scan; the top node of each pipeline says which device runs it and why. Expressions
/// are written back from the programs, so what is shown is what runs.
public final class Explain {
    private static final int BLOCK_BYTES = 8192;

    private final QueryPlan plan;
    private final List<Slot> slots;
    private final Placement placement;
    private final Map<Integer, PipelineCounters> counters;
    private final Options options;
    private final Function<Source.TableScan, Table> tables;
    private final List<PlanTree> made;
    private final Map<Integer, Pipeline> pipelines = new HashMap<>();
    private final PlanScopes scopes;
    private final PipelineFigures figures;
    private final Set<Integer> shown = new HashSet<>();

    /// @param verbose adds outputs, and each pipeline's opcode listing
    /// @param costs adds row estimates
    /// @param timing whether ANALYZE shows times
    /// @param buffers whether ANALYZE shows the blocks of temporary files
    /// @param qualifies whether columns have their table's name before them where that says more
    /// @param threads how many threads ran the plan, for ANALYZE; 0 leaves the memory's speed out
    public record Options(
            boolean verbose, boolean costs, boolean timing, boolean buffers, boolean qualifies, int threads) {
        /// Those of the text.
        public Options(boolean verbose, boolean costs, boolean timing, int threads) {
            this(verbose, costs, timing, false, false, threads);
        }
    }

    /// @param counters what each pipeline did, by its id; empty without ANALYZE
    /// @param expected rows, by pipeline; empty where nobody has estimated them
    /// @param tables what scans read, or null where that is not known
    /// @param parameters that are shown in the place of their numbers; of no more than are known
    /// @param made the nodes whose rows its scans read, by number
    public Explain(
            QueryPlan plan,
            Placement placement,
            Map<Integer, PipelineCounters> counters,
            Map<Integer, ExpectedRows> expected,
            Options options,
            Function<Source.TableScan, Table> tables,
            List<Literal> parameters,
            List<PlanTree> made) {
        this.plan = plan;
        this.slots = plan.slots().stream().map(slot -> bound(slot, parameters)).toList();
        this.tables = tables;
        this.placement = placement;
        this.counters = counters;
        this.options = options;
        this.made = made;
        plan.pipelines().forEach(pipeline -> pipelines.put(pipeline.id(), pipeline));
        this.scopes = new PlanScopes(plan, slots, options);
        this.figures = new PipelineFigures(counters, options.costs() ? expected : Map.of(), options.timing());
    }

    private static Slot bound(Slot slot, List<Literal> parameters) {
        return slot instanceof Slot.Parameter(int number, var _) && number <= parameters.size()
                ? new Slot.Constant(parameters.get(number - 1))
                : slot;
    }

    static boolean isOfHost(Source.TableScan scan) {
        return scan.schemaName().equals(PipelineEmitter.HOST_SCHEMA);
    }

    /// The lines of one plan.
    ///
    /// @param counters as of the constructor
    /// @param expected as of the constructor
    public static List<String> lines(
            QueryPlan plan,
            Placement placement,
            Map<Integer, PipelineCounters> counters,
            Map<Integer, ExpectedRows> expected,
            Options options) {
        return PlanReport.lines(
                new Explain(plan, placement, counters, expected, options, _ -> null, List.of(), List.of()).part());
    }

    /// All nodes.
    public PlanTree.Part part() {
        PlanNode root = node(plan.root());
        List<String> listing = options.verbose() ? List.of(IrText.of(plan).split("\n")) : List.of();
        return new PlanTree.Part(root, listing, made);
    }

    private PlanNode node(Pipeline pipeline) {
        if (!shown.add(pipeline.id())) {
            return new PlanNode(
                    PlanWords.type(pipeline.sink()),
                    PlanWords.name(pipeline.sink()) + "  (pipeline " + pipeline.id() + ", shown above)",
                    PlanWords.identity(pipeline.sink()),
                    Role.STEP,
                    figures.repeated(pipeline),
                    null,
                    List.of(PlanProperty.untold("Shown Above", true)),
                    List.of());
        }
        List<List<String>> columns = scopes.of(pipeline);
        List<String> outputs = scopes.expressions(
                        pipeline, columns, pipeline.programs().size() - 1)
                .outputs();
        List<PlanProperty> properties = new ArrayList<>();
        if (options.verbose()) {
            properties.add(output(pipeline, outputs));
        }
        properties.addAll(properties(pipeline.sink(), outputs));
        properties.addAll(device(pipeline));
        PlanNode input = below(pipeline, columns, pipeline.joins().size());
        return new PlanNode(
                PlanWords.type(pipeline.sink()),
                PlanWords.name(pipeline.sink()),
                PlanWords.identity(pipeline.sink()),
                passes(pipeline, columns) ? Role.PASSING : Role.STEP,
                figures.estimate(pipeline, input),
                figures.actual(pipeline),
                properties,
                List.of(input));
    }

    /// Whether a pipeline's end is no node of its own to PostgreSQL, whose steps make the rows that leave.
    private boolean passes(Pipeline pipeline, List<List<String>> columns) {
        boolean hasStep = !(pipeline.source() instanceof Source.Rows)
                || !pipeline.joins().isEmpty()
                || !scopes.expressions(pipeline, columns, 0).filters().isEmpty();
        return hasStep && PlanWords.isOpen(pipeline.sink());
    }

    private PlanProperty output(Pipeline pipeline, List<String> outputs) {
        if (!(pipeline.sink() instanceof Sink.Result(List<String> names, var _, var _))) {
            return PlanProperty.untold("Output", scopes.made(pipeline));
        }
        String text = IntStream.range(0, names.size())
                .mapToObj(index -> outputs.get(index).equals(names.get(index))
                        ? names.get(index)
                        : outputs.get(index) + " AS " + names.get(index))
                .collect(Collectors.joining(", "));
        return PlanProperty.line("Output", text, PlanProperty.named("Output", outputs));
    }

    private List<PlanProperty> properties(Sink sink, List<String> outputs) {
        List<PlanProperty> properties = new ArrayList<>();
        switch (sink) {
            case Sink.Result(List<String> _, Sink.Bound offset, Sink.Bound limit) ->
                properties.addAll(bounds(offset, limit));
            case Sink.HashBuild(List<Integer> keys, List<Integer> payload, var _) -> {
                properties.add(PlanProperty.list("Hash Key", pick(outputs, keys)));
                if (options.verbose() && !payload.isEmpty()) {
                    properties.add(PlanProperty.list("Payload", pick(outputs, payload)));
                }
            }
            case Sink.Aggregate(List<Integer> keys, List<AggregateCall> calls, List<Sink.GroupingSet> sets) -> {
                if (!sets.isEmpty()) {
                    properties.add(PlanProperty.list(
                            "Grouping Sets",
                            sets.stream()
                                    .map(set -> set.keys().stream()
                                            .map(key -> outputs.get(keys.get(key)))
                                            .collect(Collectors.joining(", ", "(", ")")))
                                    .toList()));
                } else if (!keys.isEmpty()) {
                    properties.add(PlanProperty.list("Group Key", pick(outputs, keys)));
                }
                if (!calls.isEmpty()) {
                    properties.add(PlanProperty.list(
                            "Aggregates",
                            calls.stream()
                                    .map(call -> PlanWords.call(call, outputs))
                                    .toList()));
                }
            }
            case Sink.Sort(List<SortKey> keys, Sink.Bound offset, Sink.Bound limit) -> {
                sortKey(keys, outputs).ifPresent(properties::add);
                properties.addAll(bounds(offset, limit));
            }
            case Sink.Last(Sink.Bound rows) -> properties.addAll(bounds(Sink.Bound.ZERO, rows));
            case Sink.Collect _, Sink.Feed _ -> {}
            case Sink.Window(
                    List<Integer> partition,
                    List<SortKey> order,
                    List<WindowCall> calls,
                    Sink.Window.First first) -> {
                if (!partition.isEmpty()) {
                    properties.add(PlanProperty.list("Partition Key", pick(outputs, partition)));
                }
                sortKey(order, outputs).ifPresent(properties::add);
                properties.add(PlanProperty.list(
                        "Functions", calls.stream().map(PlanWords::name).toList()));
                if (!first.isAll()) {
                    properties.add(PlanProperty.of(
                            "First Rows",
                            first.rows()
                                    + switch (first.ties()) {
                                        case CUT -> "";
                                        case KEPT -> " with ties";
                                        case COUNTED_ONCE -> " distinct with ties";
                                    }));
                }
            }
        }
        return properties;
    }

    private static Optional<PlanProperty> sortKey(List<SortKey> keys, List<String> outputs) {
        return keys.isEmpty()
                ? Optional.empty()
                : Optional.of(PlanProperty.list(
                        "Sort Key",
                        keys.stream()
                                .map(key -> PlanWords.sortKey(key, outputs))
                                .toList()));
    }

    /// What feeds a sink or join: the join before it, or the source.
    private PlanNode below(Pipeline pipeline, List<List<String>> columns, int programIndex) {
        PlanExpressions program = scopes.expressions(pipeline, columns, programIndex);
        List<PlanProperty> properties = new ArrayList<>();
        if (options.verbose()) {
            properties.add(PlanProperty.untold("Output", program.outputs()));
        }
        if (programIndex == 0) {
            return source(pipeline, program.filters(), properties);
        }
        Join join = pipeline.joins().get(programIndex - 1);
        List<String> outputs =
                scopes.expressions(pipeline, columns, programIndex - 1).outputs();
        Pipeline build = pipelines.get(join.build());
        List<String> buildKeys = scopes.made(build);
        if (!join.keys().isEmpty()) {
            properties.add(PlanProperty.of(
                    "Hash Cond",
                    IntStream.range(0, join.keys().size())
                            .mapToObj(index ->
                                    "(" + outputs.get(join.keys().get(index)) + " = " + buildKeys.get(index) + ")")
                            .collect(Collectors.joining(" AND "))));
        }
        if (join.nearest() != null) {
            properties.add(PlanProperty.of(
                    "Nearest",
                    "(" + outputs.get(join.nearest().probe()) + " "
                            + join.nearest().relation().symbol() + " "
                            + buildKeys.get(join.keys().size() + join.nearest().payload()) + ")"));
        }
        if (join.range() != null) {
            properties.add(PlanProperty.of("Range", range(join, outputs, buildKeys)));
        }
        if (join.residual() != null) {
            properties.add(PlanProperty.of("Join Filter", condition(join, outputs, buildKeys)));
        }
        properties.addAll(filter(pipeline, programIndex, program.filters()));
        List<PlanNode> inputs = List.of(below(pipeline, columns, programIndex - 1), node(build));
        return new PlanNode(
                PlanWords.joinType(join),
                PlanWords.joinName(join),
                PlanNode.named("Join Type", PlanWords.joinKind(join.kind())),
                Role.STEP,
                figures.stepEstimate(pipeline, programIndex, inputs, figures.kept(pipeline, programIndex - 1), true),
                figures.stepActual(pipeline, programIndex),
                properties,
                inputs);
    }

    private String range(Join join, List<String> outputs, List<String> built) {
        Join.Range range = join.range();
        List<String> bounds = new PlanExpressions(
                        range.program(),
                        slots,
                        range.carried().stream().map(outputs::get).toList())
                .outputs();
        String column = built.get(join.keys().size() + range.payload());
        List<String> conditions = new ArrayList<>();
        DataType type = range.program().outputTypes().getFirst(); // the column's, too
        if (range.lower() != null) {
            String lower = "(" + compared(column, range.lower(), type) + " " + bounds.getFirst() + ")";
            conditions.add(range.prevailing() ? "(" + lower + " OR prevailing)" : lower);
        }
        if (range.upper() != null) {
            conditions.add("(" + compared(column, range.upper(), type) + " " + bounds.getLast() + ")");
        }
        return String.join(" AND ", conditions);
    }

    /// A range's column, with what is added to it, and the relation.
    private static String compared(String column, Join.Range.Bound bound, DataType type) {
        String relation = " " + bound.relation().symbol();
        if (bound.shift() == 0) {
            return column + relation;
        }
        Object shift = type instanceof DataType.Timestamp
                ? "'" + PgText.text(new Literal(DataType.INTERVAL, new Interval(0, 0, Math.abs(bound.shift())))) + "'"
                : Math.abs(bound.shift());
        return "(" + column + (bound.shift() < 0 ? " - " : " + ") + shift + ")" + relation;
    }

    private String condition(Join join, List<String> outputs, List<String> built) {
        Join.Residual residual = join.residual();
        List<String> inputs =
                new ArrayList<>(residual.carried().stream().map(outputs::get).toList());
        residual.payload().forEach(column -> inputs.add(built.get(join.keys().size() + column)));
        PlanExpressions expressions = new PlanExpressions(residual.program(), slots, inputs);
        return String.join(" AND ", join.kind() == JoinKind.MARK ? expressions.outputs() : expressions.filters());
    }

    /// @param properties that it has already
    private PlanNode source(Pipeline pipeline, List<String> filters, List<PlanProperty> properties) {
        return switch (pipeline.source()) {
            case Source.TableScan scan -> scan(pipeline, scan, filters, properties);
            case Source.Rows(int maker, var _) -> {
                PlanNode made = node(pipelines.get(maker));
                properties.addAll(filter(pipeline, 0, filters));
                yield filters.isEmpty()
                        ? made
                        : new PlanNode(
                                "Result",
                                "Filter",
                                PlanNode.named(),
                                Role.STEP,
                                figures.stepEstimate(
                                        pipeline,
                                        0,
                                        List.of(made),
                                        made.estimate() == null
                                                ? 0
                                                : made.estimate().rows(),
                                        true),
                                figures.stepActual(pipeline, 0),
                                properties,
                                List.of(made));
            }
            case Source.Union(List<Integer> feeding, var _) -> {
                properties.addAll(filter(pipeline, 0, filters));
                List<PlanNode> inputs =
                        feeding.stream().map(id -> node(pipelines.get(id))).toList();
                yield new PlanNode(
                        "Append",
                        "Append",
                        PlanNode.named(),
                        Role.STEP,
                        figures.stepEstimate(pipeline, 0, inputs, 0, true),
                        figures.scanned(pipeline, filters),
                        properties,
                        inputs);
            }
            case Source.Values(int rowCount, var _, var _) -> {
                properties.addAll(filter(pipeline, 0, filters));
                yield new PlanNode(
                        rowCount == 1 ? "Result" : "Values Scan",
                        "Values Scan  (rows=" + rowCount + ")",
                        rowCount == 1 ? PlanNode.named() : PlanNode.named("Alias", "*VALUES*"),
                        Role.STEP,
                        figures.stepEstimate(pipeline, 0, List.of(), rowCount, false),
                        null,
                        properties,
                        List.of());
            }
        };
    }

    private PlanNode scan(
            Pipeline pipeline, Source.TableScan scan, List<String> filters, List<PlanProperty> properties) {
        String name = ElementsName.shown(scan.tableName());
        String table = scan.schemaName().equals("public") ? name : scan.schemaName() + "." + name;
        if (options.verbose()) {
            properties.add(PlanProperty.list("Columns", scan.columnNames()));
        }
        properties.addAll(filter(pipeline, 0, filters));
        Table read = tables.apply(scan);
        if (read != null) {
            properties.addAll(new ScannedFiles(scan, slots, read).properties(options.verbose(), options.costs()));
        }
        properties.addAll(runtimeFilters(pipeline, scan));
        boolean isOfHost = isOfHost(scan);
        int number = isOfHost ? Integer.parseInt(scan.tableName()) : -1;
        List<PlanNode> inputs =
                isOfHost && number < made.size() ? List.of(made.get(number).node()) : List.of();
        PlanNode.Estimate estimate = figures.stepEstimate(
                pipeline,
                0,
                inputs,
                read == null || isOfHost
                        ? figures.kept(pipeline, 0)
                        : read.stats().rowCount(),
                true);
        return new PlanNode(
                isOfHost ? "Subquery Scan" : "Seq Scan",
                "Seq Scan on " + table,
                isOfHost
                        ? PlanNode.named("Alias", table)
                        : options.verbose()
                                ? PlanNode.named(
                                        "Relation Name",
                                        name,
                                        "Schema",
                                        scan.schemaName(),
                                        "Alias",
                                        scopes.alias(pipeline))
                                : PlanNode.named("Relation Name", name, "Alias", scopes.alias(pipeline)),
                isOfHost ? new Role.HostScan(number) : Role.STEP,
                estimate,
                figures.scanned(pipeline, filters),
                properties,
                List.of());
    }

    private List<PlanProperty> runtimeFilters(Pipeline pipeline, Source.TableScan scan) {
        List<PlanProperty> properties = new ArrayList<>();
        PipelineCounters counted = counters.get(pipeline.id());
        for (int number = 0; number < pipeline.filters().size(); number++) {
            RuntimeFilter filter = pipeline.filters().get(number);
            String key = scopes.made(pipelines.get(filter.build())).get(filter.buildColumn());
            String text = scan.columnNames().get(filter.column()) + " = " + key;
            if (counted != null) {
                PipelineCounters.Filtered done = counted.filtered(number);
                text += done.rows().sum() == 0
                        ? "  (not asked)"
                        : "  (dropped " + done.dropped().sum() + " of "
                                + done.rows().sum() + " rows)";
            }
            properties.add(PlanProperty.item("Runtime Filter", text));
        }
        return properties;
    }

    private List<PlanProperty> filter(Pipeline pipeline, int program, List<String> filters) {
        if (filters.isEmpty()) {
            return List.of();
        }
        List<PlanProperty> properties = new ArrayList<>();
        properties.add(PlanProperty.of("Filter", String.join(" AND ", filters)));
        figures.removed(pipeline, program)
                .ifPresent(rows -> properties.add(PlanProperty.untold("Rows Removed by Filter", rows)));
        return properties;
    }

    private List<PlanProperty> device(Pipeline pipeline) {
        List<PlanProperty> properties = new ArrayList<>();
        Placement.Choice choice = placement.choices().get(plan.pipelines().indexOf(pipeline));
        String device = choice.device().name();
        properties.add(PlanProperty.line(
                "Device",
                device + " (" + choice.reason() + ")",
                PlanProperty.named("Device", device, "Device Reason", choice.reason())));
        PipelineCounters counted = counters.get(pipeline.id());
        if (counted == null) {
            return properties;
        }
        long spilled = counted.bytesSpilled.sum();
        if (spilled > 0) {
            properties.add(PlanProperty.line(
                    "Spilled",
                    counted.rowsSpilled.sum() + " rows, " + spilled + " bytes to temporary files",
                    PlanProperty.named("Spilled Rows", counted.rowsSpilled.sum(), "Spilled Bytes", spilled)));
        }
        if (options.buffers()) {
            properties.add(PlanProperty.untold("Temp Written Blocks", (spilled + BLOCK_BYTES - 1) / BLOCK_BYTES));
        }
        properties.addAll(new ActualWork(counted, options, choice.device().peaks())
                .properties(pipeline.source() instanceof Source.TableScan));
        return properties;
    }

    private List<PlanProperty> bounds(Sink.Bound offset, Sink.Bound limit) {
        List<PlanProperty> properties = new ArrayList<>();
        if (!limit.equals(Sink.Bound.NONE)) {
            properties.add(PlanProperty.of("Limit", bound(limit)));
        }
        if (!offset.equals(Sink.Bound.ZERO) && !offset.equals(Sink.Bound.NONE)) {
            properties.add(PlanProperty.of("Offset", bound(offset)));
        }
        return properties;
    }

    private String bound(Sink.Bound bound) {
        return bound.slot() < 0 ? Long.toString(bound.rows()) : PlanExpressions.constant(slots.get(bound.slot()));
    }

    private static List<String> pick(List<String> outputs, List<Integer> indexes) {
        return indexes.stream().map(outputs::get).toList();
    }
}
