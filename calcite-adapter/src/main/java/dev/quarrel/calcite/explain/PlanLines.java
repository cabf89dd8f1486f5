package dev.quarrel.calcite.explain;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Writes a plan in PostgreSQL's text layout.
///
/// The first line has the cost and the width as well, which programs look for there.
final class PlanLines {
    private final List<String> lines = new ArrayList<>();

    private PlanLines() {}

    static List<String> of(PlanTree tree) {
        PlanLines text = new PlanLines();
        text.tree(tree, "");
        return text.lines;
    }

    private void tree(PlanTree tree, String indent) {
        switch (tree) {
            case PlanTree.Part(PlanNode node, List<String> listing, List<PlanTree> made) -> {
                step(node, indent, 0);
                listing.forEach(line -> lines.add(indent + line));
                for (int number = 0; number < made.size(); number++) {
                    lines.add(indent + "  $host." + number);
                    tree(made.get(number), indent + "    ");
                }
            }
            case PlanTree.Host(PlanNode node, List<PlanTree> inputs) -> {
                lines.add(indent + "->  " + title(node));
                for (PlanProperty property : node.properties()) {
                    if (property.text() != null) {
                        lines.add(indent + "      " + property.label() + ": " + property.text());
                    }
                }
                inputs.forEach(input -> tree(input, indent + "      "));
            }
        }
    }

    private void step(PlanNode node, String indent, int depth) {
        lines.add(indent + (depth == 0 ? "" : "  ".repeat(3 * depth - 2) + "->  ") + title(node));
        for (PlanProperty property : node.properties()) {
            if (property.text() != null) {
                // PostgreSQL indents a node's properties by two more than its name.
                lines.add(indent + "  ".repeat(3 * depth + 1) + property.label() + ": " + property.text());
            }
        }
        node.inputs().forEach(input -> step(input, indent, depth + 1));
    }

    private String title(PlanNode node) {
        return node.title()
                + (node.estimate() == null ? "" : estimate(node.estimate()))
                + (node.actual() == null ? "" : actual(node.actual()));
    }

    private String estimate(PlanNode.Estimate estimate) {
        if (lines.isEmpty()) {
            return String.format(
                    Locale.ROOT,
                    "  (cost=%.2f..%.2f rows=%d width=%d)",
                    estimate.startup(),
                    estimate.total(),
                    Math.round(estimate.rows()),
                    estimate.width());
        }
        return estimate.isInText() ? "  (rows=" + Math.round(estimate.rows()) + ")" : "";
    }

    private static String actual(PlanNode.Actual actual) {
        String time = actual.nanos() < 0 ? "" : String.format(Locale.ROOT, "time=%.3f ", actual.nanos() / 1e6);
        return "  (actual " + time + (actual.rows() < 0 ? "read=" + actual.read() : "rows=" + actual.rows()) + ")";
    }
}
