package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.lower.ExpectedRows;
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
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.ir.WindowCall;
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
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Writes the output of EXPLAIN in PostgreSQL's text layout, from the plan that actually runs.
///
/// A node per sink, join and scan; the top node of each pipeline says which device runs it and why. Expressions
/// are written back from the programs, so what is shown is what runs.
public final class Explain {
    private final QueryPlan plan;
    private final Placement placement;
    private final Map<Integer, PipelineCounters> counters;
    private final Map<Integer, ExpectedRows> expected;
    private final Options options;
    private final Function<Source.TableScan, Table> tables;
    private final Map<Integer, Pipeline> pipelines = new HashMap<>();
    private final Set<Integer> shown = new HashSet<>();
    private final List<String> lines = new ArrayList<>();

    /// @param verbose adds outputs, and each pipeline's opcode listing
    /// @param costs adds row estimates
    /// @param timing whether ANALYZE shows times
    /// @param summary adds planning and execution time
    /// @param threads how many threads ran the plan, for ANALYZE; 0 leaves the memory's speed out
    public record Options(boolean verbose, boolean costs, boolean timing, boolean summary, int threads) {
        public Options(boolean verbose, boolean costs, boolean timing, boolean summary) {
            this(verbose, costs, timing, summary, 0);
        }
    }

    private Explain(
            QueryPlan plan,
            Placement placement,
            Map<Integer, PipelineCounters> counters,
            Map<Integer, ExpectedRows> expected,
            Options options,
            Function<Source.TableScan, Table> tables) {
        this.plan = plan;
        this.tables = tables;
        this.placement = placement;
        this.counters = counters;
        this.expected = options.costs() ? expected : Map.of();
        this.options = options;
        plan.pipelines().forEach(pipeline -> pipelines.put(pipeline.id(), pipeline));
    }

    /// The lines of one plan.
    ///
    /// @param counters what each pipeline did, by its id; empty without ANALYZE
    /// @param expected rows, by pipeline; empty where nobody has estimated them
    public static List<String> lines(
            QueryPlan plan,
            Placement placement,
            Map<Integer, PipelineCounters> counters,
            Map<Integer, ExpectedRows> expected,
            Options options) {
        return lines(plan, placement, counters, expected, options, _ -> null);
    }

    /// @param tables what scans read, or null where that is not known
    static List<String> lines(
            QueryPlan plan,
            Placement placement,
            Map<Integer, PipelineCounters> counters,
            Map<Integer, ExpectedRows> expected,
            Options options,
            Function<Source.TableScan, Table> tables) {
        Explain explain = new Explain(plan, placement, counters, expected, options, tables);
        explain.node(plan.root(), 0);
        if (options.verbose()) {
            explain.listing();
        }
        return explain.lines;
    }

    /// The lines that stand under a plan: `Planning Time: 0.123 ms`.
    public static String timeLine(String label, long nanos) {
        return String.format(Locale.ROOT, "%s: %.3f ms", label, nanos / 1e6);
    }

    private void node(Pipeline pipeline, int depth) {
        if (!shown.add(pipeline.id())) {
            title(depth, name(pipeline.sink()) + "  (pipeline " + pipeline.id() + ", shown above)");
            return;
        }
        List<List<String>> scopes = scopes(pipeline);
        List<String> outputs =
                expressions(pipeline, scopes, pipeline.programs().size() - 1).outputs();
        title(depth, name(pipeline.sink()) + expected(pipeline) + actual(pipeline));
        switch (pipeline.sink()) {
            case Sink.Result(List<String> names, Sink.Bound offset, Sink.Bound limit) -> {
                if (options.verbose()) {
                    property(
                            depth,
                            "Output",
                            IntStream.range(0, names.size())
                                    .mapToObj(index -> outputs.get(index).equals(names.get(index))
                                            ? names.get(index)
                                            : outputs.get(index) + " AS " + names.get(index))
                                    .collect(Collectors.joining(", ")));
                }
                bounds(depth, offset, limit);
            }
            case Sink.HashBuild(List<Integer> keys, List<Integer> payload, var _) -> {
                property(depth, "Hash Key", pick(outputs, keys));
                if (options.verbose() && !payload.isEmpty()) {
                    property(depth, "Payload", pick(outputs, payload));
                }
            }
            case Sink.Aggregate(List<Integer> keys, List<AggregateCall> calls, List<Sink.GroupingSet> sets) -> {
                if (!sets.isEmpty()) {
                    property(
                            depth,
                            "Grouping Sets",
                            sets.stream()
                                    .map(set -> set.keys().stream()
                                            .map(key -> outputs.get(keys.get(key)))
                                            .collect(Collectors.joining(", ", "(", ")")))
                                    .collect(Collectors.joining(", ")));
                } else if (!keys.isEmpty()) {
                    property(depth, "Group Key", pick(outputs, keys));
                }
                if (!calls.isEmpty()) {
                    property(
                            depth,
                            "Aggregates",
                            calls.stream().map(call -> call(call, outputs)).collect(Collectors.joining(", ")));
                }
            }
            case Sink.Sort(List<SortKey> keys, Sink.Bound offset, Sink.Bound limit) -> {
                if (!keys.isEmpty()) {
                    property(
                            depth,
                            "Sort Key",
                            keys.stream().map(key -> sortKey(key, outputs)).collect(Collectors.joining(", ")));
                }
                bounds(depth, offset, limit);
            }
            case Sink.Last(Sink.Bound rows) -> bounds(depth, Sink.Bound.ZERO, rows);
            case Sink.Collect _, Sink.Feed _ -> {}
            case Sink.Window(
                    List<Integer> partition,
                    List<SortKey> order,
                    List<WindowCall> calls,
                    Sink.Window.First first) -> {
                if (!partition.isEmpty()) {
                    property(depth, "Partition Key", pick(outputs, partition));
                }
                if (!order.isEmpty()) {
                    property(
                            depth,
                            "Sort Key",
                            order.stream().map(key -> sortKey(key, outputs)).collect(Collectors.joining(", ")));
                }
                property(depth, "Functions", calls.stream().map(Explain::name).collect(Collectors.joining(", ")));
                if (!first.isAll()) {
                    property(depth, "First Rows", first.rows() + (first.withPeers() ? " with ties" : ""));
                }
            }
        }
        device(pipeline, depth);
        below(pipeline, scopes, pipeline.joins().size(), depth);
    }

    /// What feeds a sink or join: the join before it, or the source.
    private void below(Pipeline pipeline, List<List<String>> scopes, int programIndex, int depth) {
        List<String> filters = expressions(pipeline, scopes, programIndex).filters();
        if (programIndex == 0) {
            source(pipeline, filters, depth + 1);
            return;
        }
        Join join = pipeline.joins().get(programIndex - 1);
        List<String> outputs = expressions(pipeline, scopes, programIndex - 1).outputs();
        Pipeline build = pipelines.get(join.build());
        List<String> buildKeys = sinkNames(build);
        title(depth + 1, joinName(join) + step(pipeline, programIndex));
        if (!join.keys().isEmpty()) {
            property(
                    depth + 1,
                    "Hash Cond",
                    IntStream.range(0, join.keys().size())
                            .mapToObj(index ->
                                    "(" + outputs.get(join.keys().get(index)) + " = " + buildKeys.get(index) + ")")
                            .collect(Collectors.joining(" AND ")));
        }
        if (join.nearest() != null) {
            property(
                    depth + 1,
                    "Nearest",
                    "(" + outputs.get(join.nearest().probe()) + " "
                            + join.nearest().relation().symbol() + " "
                            + buildKeys.get(join.keys().size() + join.nearest().payload()) + ")");
        }
        if (join.range() != null) {
            property(depth + 1, "Range", range(join, outputs, buildKeys));
        }
        if (join.residual() != null) {
            property(depth + 1, "Join Filter", condition(join, outputs, buildKeys));
        }
        if (!filters.isEmpty()) {
            property(depth + 1, "Filter", String.join(" AND ", filters));
        }
        below(pipeline, scopes, programIndex - 1, depth + 1);
        node(build, depth + 2);
    }

    private String range(Join join, List<String> outputs, List<String> built) {
        Join.Range range = join.range();
        List<String> bounds = new PlanExpressions(
                        range.program(),
                        plan.slots(),
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
        PlanExpressions expressions = new PlanExpressions(residual.program(), plan.slots(), inputs);
        return String.join(" AND ", join.kind() == JoinKind.MARK ? expressions.outputs() : expressions.filters());
    }

    private void source(Pipeline pipeline, List<String> filters, int depth) {
        switch (pipeline.source()) {
            case Source.TableScan scan -> {
                String name = ElementsName.shown(scan.tableName());
                String table = scan.schemaName().equals("public") ? name : scan.schemaName() + "." + name;
                title(depth, "Seq Scan on " + table + scanned(pipeline, filters));
                if (options.verbose()) {
                    property(depth, "Columns", String.join(", ", scan.columnNames()));
                }
                filter(filters, depth);
                Table read = tables.apply(scan);
                if (read != null) {
                    new ScannedFiles(scan, plan.slots(), read)
                            .properties(options.verbose(), options.costs())
                            .forEach(labelled -> property(depth, labelled[0], labelled[1]));
                }
                runtimeFilters(pipeline, scan, depth);
            }
            case Source.Rows(int maker, var _) -> {
                if (!filters.isEmpty()) {
                    title(depth, "Filter" + step(pipeline, 0));
                    filter(filters, depth);
                    node(pipelines.get(maker), depth + 1);
                } else {
                    node(pipelines.get(maker), depth);
                }
            }
            case Source.Union(List<Integer> feeding, var _) -> {
                title(depth, "Append" + scanned(pipeline, filters));
                filter(filters, depth);
                feeding.forEach(id -> node(pipelines.get(id), depth + 1));
            }
            case Source.Values(int rowCount, var _, var _) -> {
                title(depth, "Values Scan  (rows=" + rowCount + ")");
                filter(filters, depth);
            }
        }
    }

    private void runtimeFilters(Pipeline pipeline, Source.TableScan scan, int depth) {
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
            property(depth, "Runtime Filter", text);
        }
    }

    private void filter(List<String> filters, int depth) {
        if (!filters.isEmpty()) {
            property(depth, "Filter", String.join(" AND ", filters));
        }
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

    private static String joinName(Join join) {
        String kind =
                switch (join.kind()) {
                    case INNER -> "";
                    case LEFT -> " Left";
                    case RIGHT -> " Right";
                    case FULL -> " Full";
                    case SEMI -> " Semi";
                    case ANTI -> " Anti";
                    case RIGHT_SEMI -> " Right Semi";
                    case RIGHT_ANTI -> " Right Anti";
                    case MARK, MARK_IN -> " Mark";
                };
        if (join.nearest() != null) {
            return "Asof" + kind + " Join";
        }
        // As PostgreSQL has it: an inner nested loop is one, all others are joins.
        boolean isLoop = join.keys().isEmpty() && join.range() == null;
        String name = isLoop ? "Nested Loop" : join.keys().isEmpty() ? "Range" : "Hash";
        return isLoop && join.kind() == JoinKind.INNER ? name : name + kind + " Join";
    }

    private void device(Pipeline pipeline, int depth) {
        Placement.Choice choice = placement.choices().get(plan.pipelines().indexOf(pipeline));
        property(depth, "Device", choice.device().name() + " (" + choice.reason() + ")");
        PipelineCounters counted = counters.get(pipeline.id());
        if (counted != null && counted.bytesSpilled.sum() > 0) {
            property(
                    depth,
                    "Spilled",
                    counted.rowsSpilled.sum() + " rows, " + counted.bytesSpilled.sum() + " bytes to temporary files");
        }
        if (counted != null) {
            new ActualWork(counted, options, choice.device().peaks())
                    .properties(pipeline.source() instanceof Source.TableScan)
                    .forEach(labelled -> property(depth, labelled[0], labelled[1]));
        }
    }

    private String actual(Pipeline pipeline) {
        PipelineCounters counted = counters.get(pipeline.id());
        if (counted == null) {
            return "";
        }
        String time =
                options.timing() ? String.format(Locale.ROOT, "time=%.3f ", counted.elapsedNanos.sum() / 1e6) : "";
        return "  (actual " + time + "rows=" + counted.rowsOut.sum() + ")";
    }

    private String expected(Pipeline pipeline) {
        ExpectedRows rows = expected.get(pipeline.id());
        return rows == null ? "" : "  (rows=" + Math.round(rows.out()) + ")";
    }

    /// The rows that a program keeps: of a scan or join, with the filter that stands at it.
    private String step(Pipeline pipeline, int program) {
        ExpectedRows rows = expected.get(pipeline.id());
        String text = rows == null || program >= rows.kept().size()
                ? ""
                : "  (rows=" + Math.round(rows.kept().get(program)) + ")";
        PipelineCounters counted = counters.get(pipeline.id());
        long[] steps = counted == null ? null : counted.steps();
        return steps == null ? text : text + "  (actual rows=" + steps[2 * program + 1] + ")";
    }

    /// Where the steps were not counted, the rows that were read.
    private String scanned(Pipeline pipeline, List<String> filters) {
        PipelineCounters counted = counters.get(pipeline.id());
        String text = step(pipeline, 0);
        return counted == null || counted.steps() != null
                ? text
                : text + "  (actual " + (filters.isEmpty() ? "rows=" : "read=") + counted.rowsIn.sum() + ")";
    }

    private void bounds(int depth, Sink.Bound offset, Sink.Bound limit) {
        if (!limit.equals(Sink.Bound.NONE)) {
            property(depth, "Limit", bound(limit));
        }
        if (!offset.equals(Sink.Bound.ZERO) && !offset.equals(Sink.Bound.NONE)) {
            property(depth, "Offset", bound(offset));
        }
    }

    private String bound(Sink.Bound bound) {
        return bound.slot() < 0
                ? Long.toString(bound.rows())
                : PlanExpressions.constant(plan.slots().get(bound.slot()));
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

    private static String pick(List<String> outputs, List<Integer> indexes) {
        return indexes.stream().map(outputs::get).collect(Collectors.joining(", "));
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
                    case Source.TableScan scan -> scan.columnNames();
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
        return new PlanExpressions(pipeline.programs().get(index), plan.slots(), scopes.get(index));
    }

    private void listing() {
        for (String line : IrText.of(plan).split("\n")) {
            lines.add(line);
        }
    }

    private void title(int depth, String text) {
        lines.add(depth == 0 ? text : "  ".repeat(3 * depth - 2) + "->  " + text);
    }

    /// PostgreSQL indents a node's properties by two more than its name.
    private void property(int depth, String label, String value) {
        lines.add("  ".repeat(3 * depth + 1) + label + ": " + value);
    }
}
