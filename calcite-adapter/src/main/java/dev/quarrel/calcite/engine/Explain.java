package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.explain.PlanNode;
import dev.quarrel.calcite.explain.PlanNode.Role;
import dev.quarrel.calcite.explain.PlanProperty;
import dev.quarrel.calcite.explain.PlanReport;
import dev.quarrel.calcite.explain.PlanTree;
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
import dev.quarrel.core.pg.Identifiers;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.table.ElementsName;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;
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
    private final Map<Integer, ExpectedRows> expected;
    private final Options options;
    private final Function<Source.TableScan, Table> tables;
    private final List<PlanTree> made;
    private final Map<Integer, Pipeline> pipelines = new HashMap<>();
    private final Map<Integer, String> aliases = new HashMap<>();
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
    Explain(
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
        this.expected = options.costs() ? expected : Map.of();
        this.options = options;
        this.made = made;
        Map<String, Integer> uses = new HashMap<>();
        for (Pipeline pipeline : plan.pipelines()) {
            pipelines.put(pipeline.id(), pipeline);
            if (pipeline.source() instanceof Source.TableScan scan && !isOfHost(scan)) {
                String name = ElementsName.shown(scan.tableName());
                int use = uses.merge(name, 1, Integer::sum);
                // PostgreSQL tells a table that is read several times apart like this.
                aliases.put(pipeline.id(), use == 1 ? name : name + "_" + (use - 1));
            }
        }
    }

    private static Slot bound(Slot slot, List<Literal> parameters) {
        return slot instanceof Slot.Parameter(int number, var _) && number <= parameters.size()
                ? new Slot.Constant(parameters.get(number - 1))
                : slot;
    }

    private static boolean isOfHost(Source.TableScan scan) {
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
    PlanTree.Part part() {
        PlanNode root = node(plan.root());
        List<String> listing = options.verbose() ? List.of(IrText.of(plan).split("\n")) : List.of();
        return new PlanTree.Part(root, listing, made);
    }

    private PlanNode node(Pipeline pipeline) {
        if (!shown.add(pipeline.id())) {
            return new PlanNode(
                    type(pipeline.sink()),
                    name(pipeline.sink()) + "  (pipeline " + pipeline.id() + ", shown above)",
                    identity(pipeline.sink()),
                    Role.STEP,
                    estimate(pipeline, List.of(), 0, false),
                    null,
                    List.of(PlanProperty.untold("Shown Above", true)),
                    List.of());
        }
        List<List<String>> scopes = scopes(pipeline);
        List<String> outputs =
                expressions(pipeline, scopes, pipeline.programs().size() - 1).outputs();
        List<PlanProperty> properties = new ArrayList<>();
        if (options.verbose()) {
            properties.add(output(pipeline, outputs));
        }
        properties.addAll(properties(pipeline.sink(), outputs));
        properties.addAll(device(pipeline));
        PlanNode input = below(pipeline, scopes, pipeline.joins().size());
        ExpectedRows rows = expected.get(pipeline.id());
        return new PlanNode(
                type(pipeline.sink()),
                name(pipeline.sink()),
                identity(pipeline.sink()),
                passes(pipeline, scopes) ? Role.PASSING : Role.STEP,
                estimate(
                        pipeline,
                        List.of(input),
                        rows == null || !waits(pipeline.sink())
                                ? 0
                                : rows.kept().getLast(),
                        true),
                actual(pipeline),
                properties,
                List.of(input));
    }

    private static SequencedMap<String, String> identity(Sink sink) {
        return sink instanceof Sink.Aggregate aggregate
                ? PlanNode.named("Strategy", aggregate.keys().isEmpty() ? "Plain" : "Hashed", "Partial Mode", "Simple")
                : PlanNode.named();
    }

    /// Whether a pipeline's end is no node of its own to PostgreSQL, whose steps make the rows that leave.
    private boolean passes(Pipeline pipeline, List<List<String>> scopes) {
        boolean hasStep = !(pipeline.source() instanceof Source.Rows)
                || !pipeline.joins().isEmpty()
                || !expressions(pipeline, scopes, 0).filters().isEmpty();
        return hasStep && isOpen(pipeline.sink());
    }

    /// Whether all rows that come to a sink leave it as they are.
    private static boolean isOpen(Sink sink) {
        return switch (sink) {
            case Sink.Result(var _, Sink.Bound offset, Sink.Bound limit) -> !isBounded(offset, limit);
            case Sink.Feed _ -> true;
            default -> false;
        };
    }

    private static boolean isBounded(Sink.Bound offset, Sink.Bound limit) {
        return !limit.equals(Sink.Bound.NONE) || !offset.equals(Sink.Bound.ZERO) && !offset.equals(Sink.Bound.NONE);
    }

    private PlanProperty output(Pipeline pipeline, List<String> outputs) {
        if (!(pipeline.sink() instanceof Sink.Result(List<String> names, var _, var _))) {
            return PlanProperty.untold("Output", sinkNames(pipeline));
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
                            calls.stream().map(call -> call(call, outputs)).toList()));
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
                        "Functions", calls.stream().map(Explain::name).toList()));
                if (!first.isAll()) {
                    properties.add(
                            PlanProperty.of("First Rows", first.rows() + (first.withPeers() ? " with ties" : "")));
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
                        keys.stream().map(key -> sortKey(key, outputs)).toList()));
    }

    /// What feeds a sink or join: the join before it, or the source.
    private PlanNode below(Pipeline pipeline, List<List<String>> scopes, int programIndex) {
        PlanExpressions program = expressions(pipeline, scopes, programIndex);
        List<PlanProperty> properties = new ArrayList<>();
        if (options.verbose()) {
            properties.add(PlanProperty.untold("Output", program.outputs()));
        }
        if (programIndex == 0) {
            return source(pipeline, program.filters(), properties);
        }
        Join join = pipeline.joins().get(programIndex - 1);
        List<String> outputs = expressions(pipeline, scopes, programIndex - 1).outputs();
        Pipeline build = pipelines.get(join.build());
        List<String> buildKeys = sinkNames(build);
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
        List<PlanNode> inputs = List.of(below(pipeline, scopes, programIndex - 1), node(build));
        return new PlanNode(
                joinType(join),
                joinName(join),
                PlanNode.named("Join Type", joinKind(join.kind()).isEmpty() ? "Inner" : joinKind(join.kind())),
                Role.STEP,
                stepEstimate(pipeline, programIndex, inputs, kept(pipeline, programIndex - 1), true),
                stepActual(pipeline, programIndex),
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
                                stepEstimate(
                                        pipeline,
                                        0,
                                        List.of(made),
                                        made.estimate() == null
                                                ? 0
                                                : made.estimate().rows(),
                                        true),
                                stepActual(pipeline, 0),
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
                        stepEstimate(pipeline, 0, inputs, 0, true),
                        scanned(pipeline, filters),
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
                        stepEstimate(pipeline, 0, List.of(), rowCount, false),
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
        PlanNode.Estimate estimate = stepEstimate(
                pipeline,
                0,
                inputs,
                read == null || isOfHost ? kept(pipeline, 0) : read.stats().rowCount(),
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
                                        aliases.get(pipeline.id()))
                                : PlanNode.named("Relation Name", name, "Alias", aliases.get(pipeline.id())),
                isOfHost ? new Role.HostScan(number) : Role.STEP,
                estimate,
                scanned(pipeline, filters),
                properties,
                List.of());
    }

    private List<PlanProperty> runtimeFilters(Pipeline pipeline, Source.TableScan scan) {
        List<PlanProperty> properties = new ArrayList<>();
        PipelineCounters counted = counters.get(pipeline.id());
        for (int number = 0; number < pipeline.filters().size(); number++) {
            RuntimeFilter filter = pipeline.filters().get(number);
            String key = sinkNames(pipelines.get(filter.build())).get(filter.buildColumn());
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
        removed(pipeline, program)
                .ifPresent(rows -> properties.add(PlanProperty.untold("Rows Removed by Filter", rows)));
        return properties;
    }

    /// Where the steps were not counted, the only one's rows are those that do not leave.
    private OptionalLong removed(Pipeline pipeline, int program) {
        PipelineCounters counted = counters.get(pipeline.id());
        if (counted == null) {
            return OptionalLong.empty();
        }
        long[] steps = counted.steps();
        if (steps != null) {
            return OptionalLong.of(steps[2 * program] - steps[2 * program + 1]);
        }
        return pipeline.joins().isEmpty() && isOpen(pipeline.sink())
                ? OptionalLong.of(counted.rowsIn.sum() - counted.rowsOut.sum())
                : OptionalLong.empty();
    }

    /// PostgreSQL's word for what a sink does.
    private static String type(Sink sink) {
        return switch (sink) {
            case Sink.Result(var _, Sink.Bound offset, Sink.Bound limit) ->
                isBounded(offset, limit) ? "Limit" : "Result";
            case Sink.Aggregate _ -> "Aggregate";
            case Sink.Sort(List<SortKey> keys, var _, var _) -> keys.isEmpty() ? "Limit" : "Sort";
            case Sink.Feed _ -> "Result";
            case Sink.Window _ -> "WindowAgg";
            case Sink.HashBuild _, Sink.Last _, Sink.Collect _ -> name(sink);
        };
    }

    /// Whether the first row comes after all those that it takes in.
    private static boolean waits(Sink sink) {
        return switch (sink) {
            case Sink.Result _, Sink.Feed _ -> false;
            case Sink.HashBuild _, Sink.Aggregate _, Sink.Sort _, Sink.Last _, Sink.Collect _, Sink.Window _ -> true;
        };
    }

    private static String name(Sink sink) {
        return switch (sink) {
            case Sink.Result _ -> "Result";
            case Sink.HashBuild _ -> "Hash";
            case Sink.Aggregate(List<Integer> keys, var _, var _) -> keys.isEmpty() ? "Aggregate" : "HashAggregate";
            case Sink.Sort(List<SortKey> keys, Sink.Bound _, Sink.Bound limit) ->
                keys.isEmpty() ? "Limit" : limit.equals(Sink.Bound.NONE) ? "Sort" : "Top-N Sort";
            case Sink.Last _ -> "Last Rows";
            case Sink.Collect _ -> "Materialize";
            case Sink.Feed _ -> "Feed";
            case Sink.Window _ -> "Window";
        };
    }

    private static String name(WindowCall call) {
        String name =
                switch (call) {
                    case WindowCall.Position(WindowCall.PositionKind kind) -> kind.name();
                    case WindowCall.Ntile _ -> "ntile";
                    case WindowCall.Shift shift -> shift.forward() ? "lead" : "lag";
                    case WindowCall.Pick pick -> pick.kind().name();
                    case WindowCall.Aggregate(AggregateCall aggregate, var _) ->
                        aggregate.kind().name();
                };
        return name.toLowerCase(Locale.ROOT) + "()";
    }

    private static String joinKind(JoinKind kind) {
        return switch (kind) {
            case INNER -> "";
            case LEFT -> "Left";
            case RIGHT -> "Right";
            case FULL -> "Full";
            case SEMI -> "Semi";
            case ANTI -> "Anti";
            case RIGHT_SEMI -> "Right Semi";
            case RIGHT_ANTI -> "Right Anti";
            case MARK, MARK_IN -> "Mark";
        };
    }

    private static boolean isLoop(Join join) {
        return join.nearest() == null && join.keys().isEmpty() && join.range() == null;
    }

    private static String joinMethod(Join join) {
        return join.nearest() != null
                ? "Asof"
                : isLoop(join) ? "Nested Loop" : join.keys().isEmpty() ? "Range" : "Hash";
    }

    private static String joinType(Join join) {
        return isLoop(join) ? joinMethod(join) : joinMethod(join) + " Join";
    }

    private static String joinName(Join join) {
        // As PostgreSQL has it: an inner nested loop is one, all others are joins.
        return join.kind() == JoinKind.INNER
                ? joinType(join)
                : joinMethod(join) + " " + joinKind(join.kind()) + " Join";
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

    private PlanNode.Actual actual(Pipeline pipeline) {
        PipelineCounters counted = counters.get(pipeline.id());
        return counted == null
                ? null
                : new PlanNode.Actual(options.timing() ? counted.elapsedNanos.sum() : -1, counted.rowsOut.sum(), -1);
    }

    private long[] steps(Pipeline pipeline) {
        PipelineCounters counted = counters.get(pipeline.id());
        return counted == null ? null : counted.steps();
    }

    /// The rows that a program keeps: of a scan or join, with the filter that stands at it.
    private PlanNode.Actual stepActual(Pipeline pipeline, int program) {
        long[] steps = steps(pipeline);
        return steps == null ? null : new PlanNode.Actual(-1, steps[2 * program + 1], -1);
    }

    /// Where the steps were not counted, the rows that were read.
    private PlanNode.Actual scanned(Pipeline pipeline, List<String> filters) {
        PipelineCounters counted = counters.get(pipeline.id());
        if (counted == null || counted.steps() != null) {
            return stepActual(pipeline, 0);
        }
        long read = counted.rowsIn.sum();
        return new PlanNode.Actual(-1, filters.isEmpty() ? read : -1, read);
    }

    /// @param taken rows that the sink works on
    private PlanNode.Estimate estimate(Pipeline pipeline, List<PlanNode> inputs, double taken, boolean isInText) {
        ExpectedRows rows = expected.get(pipeline.id());
        return rows == null
                ? null
                : PlanCosts.of(
                        inputs, taken, rows.out(), RowWidth.of(pipeline.rowTypes()), waits(pipeline.sink()), isInText);
    }

    private PlanNode.Estimate stepEstimate(
            Pipeline pipeline, int program, List<PlanNode> inputs, double taken, boolean isInText) {
        ExpectedRows rows = expected.get(pipeline.id());
        return rows == null || program >= rows.kept().size()
                ? null
                : PlanCosts.of(
                        inputs,
                        taken,
                        rows.kept().get(program),
                        RowWidth.of(pipeline.programs().get(program).outputTypes()),
                        false,
                        isInText);
    }

    /// The rows that a program is expected to keep; 0 where nobody has estimated them.
    private double kept(Pipeline pipeline, int program) {
        ExpectedRows rows = expected.get(pipeline.id());
        return rows == null || program >= rows.kept().size() ? 0 : rows.kept().get(program);
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

    private static String sortKey(SortKey key, List<String> outputs) {
        String nulls = key.nullsFirst() == key.descending() ? "" : key.nullsFirst() ? " NULLS FIRST" : " NULLS LAST";
        return outputs.get(key.output()) + (key.descending() ? " DESC" : "") + nulls;
    }

    private static String call(AggregateCall call, List<String> outputs) {
        String name = call.kind().name().toLowerCase(Locale.ROOT);
        String order = call.order().isEmpty()
                ? ""
                : call.order().stream()
                        .map(key -> sortKey(key, outputs))
                        .collect(Collectors.joining(", ", " ORDER BY ", ""));
        String text = call.argument() < 0 ? "count(*)" : name + "(" + outputs.get(call.argument()) + order + ")";
        return call.filter() < 0 ? text : text + " FILTER (WHERE " + outputs.get(call.filter()) + ")";
    }

    private static List<String> pick(List<String> outputs, List<Integer> indexes) {
        return indexes.stream().map(outputs::get).toList();
    }

    /// Names of the rows that a pipeline's sink makes.
    private List<String> sinkNames(Pipeline pipeline) {
        List<String> outputs = expressions(
                        pipeline, scopes(pipeline), pipeline.programs().size() - 1)
                .outputs();
        return switch (pipeline.sink()) {
            case Sink.Result _, Sink.Sort _, Sink.Last _, Sink.Collect _, Sink.Feed _ -> outputs;
            case Sink.Window window -> {
                List<String> names = new ArrayList<>(outputs);
                window.calls().forEach(call -> names.add(name(call)));
                yield names;
            }
            case Sink.HashBuild(List<Integer> keys, List<Integer> payload, boolean _) -> {
                List<String> names =
                        new ArrayList<>(keys.stream().map(outputs::get).toList());
                names.addAll(payload.stream().map(outputs::get).toList());
                yield names;
            }
            case Sink.Aggregate(List<Integer> keys, List<AggregateCall> calls, List<Sink.GroupingSet> sets) -> {
                List<String> names =
                        new ArrayList<>(keys.stream().map(outputs::get).toList());
                calls.forEach(call -> names.add(call(call, outputs)));
                if (!sets.isEmpty()) {
                    names.addAll(Collections.nCopies(sets.getFirst().numbers().size(), "grouping()"));
                }
                yield names;
            }
        };
    }

    /// A column that its inputs name differently has a number alone.
    private List<String> fedNames(List<Integer> feeding) {
        List<List<String>> all =
                feeding.stream().map(id -> sinkNames(pipelines.get(id))).toList();
        List<String> names = new ArrayList<>();
        for (int column = 0; column < all.getFirst().size(); column++) {
            int place = column;
            String name = all.getFirst().get(column);
            boolean isSame = all.stream().allMatch(each -> each.get(place).equals(name));
            names.add(isSame ? name : "column" + (column + 1));
        }
        return names;
    }

    /// For each program of a pipeline an expression for each of its inputs.
    private List<List<String>> scopes(Pipeline pipeline) {
        List<List<String>> scopes = new ArrayList<>();
        scopes.add(
                switch (pipeline.source()) {
                    case Source.TableScan scan -> columns(pipeline, scan);
                    case Source.Rows(int maker, var _) -> sinkNames(pipelines.get(maker));
                    case Source.Union(List<Integer> feeding, var _) -> fedNames(feeding);
                    case Source.Values(int _, var types, var _) ->
                        IntStream.rangeClosed(1, types.size())
                                .mapToObj(index -> "column" + index)
                                .toList();
                });
        for (int index = 0; index < pipeline.joins().size(); index++) {
            Join join = pipeline.joins().get(index);
            List<String> outputs = expressions(pipeline, scopes, index).outputs();
            Pipeline build = pipelines.get(join.build());
            List<String> built = sinkNames(build);
            int keyCount = ((Sink.HashBuild) build.sink()).keys().size();
            List<String> names =
                    new ArrayList<>(join.carried().stream().map(outputs::get).toList());
            join.payload().forEach(column -> names.add(built.get(keyCount + column)));
            if (join.kind().hasMark()) {
                names.add("mark");
            }
            scopes.add(names);
        }
        return scopes;
    }

    private PlanExpressions expressions(Pipeline pipeline, List<List<String>> scopes, int index) {
        return new PlanExpressions(pipeline.programs().get(index), slots, scopes.get(index));
    }

    private List<String> columns(Pipeline pipeline, Source.TableScan scan) {
        String alias = aliases.get(pipeline.id());
        if (!options.qualifies() || alias == null || !options.verbose() && aliases.size() == 1) {
            return scan.columnNames();
        }
        return scan.columnNames().stream()
                .map(column -> Identifiers.quoted(alias) + "." + Identifiers.quoted(column))
                .toList();
    }
}
