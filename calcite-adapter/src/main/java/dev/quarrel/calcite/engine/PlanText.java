package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.host.PhysicalPlan;
import dev.quarrel.calcite.rel.QuarrelAppend;
import dev.quarrel.calcite.rel.QuarrelCalls;
import dev.quarrel.calcite.rel.QuarrelCorrelate;
import dev.quarrel.calcite.rel.QuarrelFunctions;
import dev.quarrel.calcite.rel.QuarrelLimit;
import dev.quarrel.calcite.rel.QuarrelRecursion;
import dev.quarrel.calcite.rel.QuarrelRowNumber;
import dev.quarrel.calcite.rel.QuarrelStream;
import dev.quarrel.calcite.rel.QuarrelWorkingTable;
import dev.quarrel.core.device.PipelineCounters;
import dev.quarrel.core.table.CatalogSnapshot;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Writes the output of EXPLAIN for a whole plan: the pipelines through [Explain], and the host nodes above and
/// below them.
final class PlanText {
    private final PlannedQuery planned;
    private final Explain.Options options;
    private final QueryExecution execution;
    private final CatalogSnapshot catalog;
    private final Map<PhysicalPlan.Host, Integer> shown = new IdentityHashMap<>();
    private final List<String> lines = new ArrayList<>();

    private PlanText(PlannedQuery planned, Explain.Options options, QueryExecution execution, CatalogSnapshot catalog) {
        this.catalog = catalog;
        this.planned = planned;
        this.options = options;
        this.execution = execution;
    }

    /// @param execution what ran, for ANALYZE; null without
    /// @param catalog that names of tables are of
    static List<String> lines(
            PlannedQuery planned, Explain.Options options, QueryExecution execution, CatalogSnapshot catalog) {
        PlanText text = new PlanText(planned, options, execution, catalog);
        text.add(planned.plan(), "");
        return text.lines;
    }

    private void add(PhysicalPlan plan, String indent) {
        switch (plan) {
            case PhysicalPlan.Device device -> {
                Map<Integer, PipelineCounters> counters =
                        execution == null ? Map.of() : execution.counters(device.plan());
                for (String line : Explain.lines(
                        device.plan(),
                        planned.placements().get(device),
                        counters,
                        device.expected(),
                        options,
                        scan -> catalog.scanned(scan.schemaName(), scan.tableName()))) {
                    lines.add(indent + line);
                }
                for (int number = 0; number < device.inputs().size(); number++) {
                    lines.add(indent + "  $host." + number);
                    add(device.inputs().get(number), indent + "    ");
                }
            }
            case PhysicalPlan.Host host -> {
                Integer known = shown.putIfAbsent(host, shown.size() + 1);
                lines.add(indent + "->  " + name(host) + (known == null ? "" : "  (shown above)"));
                if (known == null) {
                    lines.add(indent + "      Device: host (no device runs it)");
                    host.inputs().forEach(input -> add(input, indent + "      "));
                }
            }
        }
    }

    private static String name(PhysicalPlan.Host host) {
        return switch (host.rel()) {
            case QuarrelAppend _ -> "Append";
            case QuarrelFunctions functions -> functions.kept() == 0 ? "Function Scan" : "Function Rows";
            case QuarrelRecursion _ -> "Recursive Union";
            case QuarrelWorkingTable _ -> "Working Table";
            case QuarrelLimit _ -> "Limit";
            case QuarrelStream _ -> "Batch by Batch";
            case QuarrelRowNumber _ -> "Row Number";
            case QuarrelCalls calls ->
                "Function Call "
                        + calls.calls().stream()
                                .map(call -> call.function().name())
                                .collect(Collectors.joining(", "));
            case QuarrelCorrelate _ -> "Nested Loop (once a row)";
            default -> host.rel().getRelTypeName();
        };
    }
}
