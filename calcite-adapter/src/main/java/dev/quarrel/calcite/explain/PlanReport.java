package dev.quarrel.calcite.explain;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/// The answer of EXPLAIN.
///
/// @param phases of the optimizer, as lines; empty unless they are asked for
/// @param settings those that differ from their defaults, by name; null unless they are asked for
/// @param planningBytes that planning has allocated; negative unless it is asked for
/// @param planningNanos negative to leave it out
/// @param executionNanos negative to leave it out
public record PlanReport(
        List<String> phases,
        PlanTree plan,
        Map<String, String> settings,
        long planningBytes,
        long planningNanos,
        long executionNanos,
        boolean isAnalyzed) {
    private static final String UTILITY = "Utility Statement";

    /// The answer's rows: a line each as text, all in one otherwise.
    public List<String> rows(PlanFormat format) {
        return format == PlanFormat.TEXT ? lines() : List.of(document(PlanWriter.of(format)));
    }

    /// The answer for a statement that has no plan.
    public static List<String> rowsOfUtility(PlanFormat format) {
        if (format == PlanFormat.TEXT) {
            return List.of("Utility statements have no plan structure");
        }
        PlanWriter out = PlanWriter.of(format);
        out.empty(UTILITY);
        return List.of(out.text());
    }

    /// The lines of a plan alone.
    public static List<String> lines(PlanTree plan) {
        return PlanLines.of(plan);
    }

    private List<String> lines() {
        List<String> lines = new ArrayList<>(phases);
        lines.addAll(PlanLines.of(plan));
        if (settings != null && !settings.isEmpty()) {
            lines.add(settings.entrySet().stream()
                    .map(setting -> setting.getKey() + " = '" + setting.getValue() + "'")
                    .collect(Collectors.joining(", ", "Settings: ", "")));
        }
        if (planningBytes >= 0) {
            lines.add("Planning:");
            lines.add("  Memory: used=" + kilobytes() + "kB  allocated=" + kilobytes() + "kB");
        }
        time(lines, "Planning Time", planningNanos);
        time(lines, "Execution Time", executionNanos);
        return lines;
    }

    private static void time(List<String> lines, String label, long nanos) {
        if (nanos >= 0) {
            lines.add(String.format(Locale.ROOT, "%s: %.3f ms", label, nanos / 1e6));
        }
    }

    private long kilobytes() {
        return (planningBytes + 1023) / 1024;
    }

    private String document(PlanWriter out) {
        out.open("Query", null, true);
        if (!phases.isEmpty()) {
            out.list("Phases", phases);
        }
        node(out, plan.whole(), "Plan", null);
        if (settings != null) {
            out.open("Settings", "Settings", true);
            settings.forEach(out::value);
            out.close();
        }
        if (planningBytes >= 0) {
            out.open("Planning", "Planning", true);
            out.value("Memory Used", kilobytes());
            out.value("Memory Allocated", kilobytes());
            out.close();
        }
        if (planningNanos >= 0) {
            out.value("Planning Time", PlanProperty.millis(planningNanos));
        }
        if (isAnalyzed) {
            out.open("Triggers", "Triggers", false);
            out.close();
        }
        if (executionNanos >= 0) {
            out.value("Execution Time", PlanProperty.millis(executionNanos));
        }
        out.close();
        return out.text();
    }

    /// @param label of the group; null among the inputs of another node
    /// @param relationship to that node, or null
    private static void node(PlanWriter out, PlanNode node, String label, String relationship) {
        out.open("Plan", label, true);
        out.value("Node Type", node.type());
        if (relationship != null) {
            out.value("Parent Relationship", relationship);
        }
        out.value("Parallel Aware", false);
        out.value("Async Capable", false);
        node.identity().forEach(out::value);
        if (node.estimate() != null) {
            out.value("Startup Cost", number(node.estimate().startup(), 2));
            out.value("Total Cost", number(node.estimate().total(), 2));
            out.value("Plan Rows", Math.round(node.estimate().rows()));
            out.value("Plan Width", node.estimate().width());
        }
        if (node.actual() != null && node.actual().rows() >= 0) {
            if (node.actual().nanos() >= 0) {
                out.value("Actual Startup Time", PlanProperty.millis(node.nanosOfInputs()));
                out.value("Actual Total Time", PlanProperty.millis(node.nanosWithInputs()));
            }
            out.value("Actual Rows", number(node.actual().rows(), 2));
            out.value("Actual Loops", 1);
        }
        out.value("Disabled", false);
        node.values().forEach((name, value) -> value(out, name, value));
        if (!node.inputs().isEmpty()) {
            out.open("Plans", "Plans", false);
            for (int index = 0; index < node.inputs().size(); index++) {
                node(out, node.inputs().get(index), null, relationship(node, index));
            }
            out.close();
        }
        out.close();
    }

    private static String relationship(PlanNode parent, int index) {
        return switch (parent.type()) {
            case "Append" -> "Member";
            case "Subquery Scan" -> "Subquery";
            default -> index == 0 ? "Outer" : "Inner";
        };
    }

    private static void value(PlanWriter out, String name, Object value) {
        if (value instanceof List<?> items) {
            out.list(name, items.stream().map(String.class::cast).toList());
        } else {
            out.value(name, value);
        }
    }

    private static BigDecimal number(double value, int digits) {
        return BigDecimal.valueOf(value).setScale(digits, RoundingMode.HALF_EVEN);
    }
}
