package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.explain.Explain;
import dev.quarrel.calcite.explain.PlanCosts;
import dev.quarrel.calcite.explain.PlanNode;
import dev.quarrel.calcite.explain.PlanNode.Role;
import dev.quarrel.calcite.explain.PlanProperty;
import dev.quarrel.calcite.explain.PlanTree;
import dev.quarrel.calcite.explain.RowWidth;
import dev.quarrel.calcite.host.PhysicalPlan;
import dev.quarrel.calcite.metadata.QuarrelMetadata;
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
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.table.CatalogSnapshot;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Makes the nodes that EXPLAIN shows of a whole plan: those of the pipelines through [Explain], and the host nodes
/// above and below them.
final class PlanTrees {
    private final PlannedQuery planned;
    private final Explain.Options options;
    private final QueryExecution execution;
    private final CatalogSnapshot catalog;
    private final List<Literal> parameters;
    private final Map<PhysicalPlan.Host, Integer> shown = new IdentityHashMap<>();

    /// @param execution what ran, for ANALYZE; null without
    /// @param catalog that names of tables are of
    /// @param parameters that are shown in the place of their numbers
    PlanTrees(
            PlannedQuery planned,
            Explain.Options options,
            QueryExecution execution,
            CatalogSnapshot catalog,
            List<Literal> parameters) {
        this.planned = planned;
        this.options = options;
        this.execution = execution;
        this.catalog = catalog;
        this.parameters = parameters;
    }

    PlanTree tree() {
        return tree(planned.plan());
    }

    private PlanTree tree(PhysicalPlan plan) {
        return switch (plan) {
            case PhysicalPlan.Device device -> {
                List<PlanTree> made = device.inputs().stream().map(this::tree).toList();
                Map<Integer, PipelineCounters> counters =
                        execution == null ? Map.of() : execution.counters(device.plan());
                yield new Explain(
                                device.plan(),
                                planned.placements().get(device),
                                counters,
                                device.expected(),
                                options,
                                scan -> catalog.scanned(scan.schemaName(), scan.tableName()),
                                parameters,
                                made)
                        .part();
            }
            case PhysicalPlan.Host host -> host(host);
        };
    }

    private PlanTree host(PhysicalPlan.Host host) {
        boolean isNew = shown.putIfAbsent(host, shown.size() + 1) == null;
        List<PlanTree> inputs = isNew ? host.inputs().stream().map(this::tree).toList() : List.of();
        String name = name(host);
        PlanNode node = new PlanNode(
                type(host, name),
                isNew ? name : name + "  (shown above)",
                PlanNode.named(),
                Role.STEP,
                options.costs() ? estimate(host, inputs) : null,
                null,
                isNew
                        ? List.of(PlanProperty.line(
                                "Device",
                                "host (no device runs it)",
                                PlanProperty.named("Device", "host", "Device Reason", "no device runs it")))
                        : List.of(PlanProperty.untold("Shown Above", true)),
                List.of());
        return new PlanTree.Host(node, inputs);
    }

    private static PlanNode.Estimate estimate(PhysicalPlan.Host host, List<PlanTree> inputs) {
        List<PlanNode> nodes = inputs.stream().map(PlanTree::node).toList();
        double rows = QuarrelMetadata.of(host.rel()).rows(host.rel());
        return PlanCosts.of(nodes, rows, rows, RowWidth.of(host.types()), false, false);
    }

    private static String type(PhysicalPlan.Host host, String name) {
        return switch (host.rel()) {
            case QuarrelFunctions _ -> "Function Scan";
            case QuarrelWorkingTable _ -> "WorkTable Scan";
            case QuarrelRowNumber _ -> "WindowAgg";
            case QuarrelCalls _ -> "ProjectSet";
            case QuarrelCorrelate _ -> "Nested Loop";
            default -> name;
        };
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
