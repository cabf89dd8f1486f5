package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.rules.Optimizer;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.sql.SqlExplainLevel;

/// The text of `EXPLAIN (PLANS)`: the relational tree before the first phase of the optimizer and after each one that
/// changed it.
final class PhaseText implements Optimizer.Observer {
    /// Lines of one phase at most: a shared node is written wherever it is used.
    private static final int MAX_LINES = 2_000;

    private final List<String> lines = new ArrayList<>();
    private String last = "";

    @Override
    public void saw(String phase, RelNode rel) {
        String text = RelOptUtil.toString(rel, SqlExplainLevel.EXPPLAN_ATTRIBUTES);
        if (text.equals(last)) {
            lines.add("Phase " + phase + ": unchanged");
            return;
        }
        last = text;
        lines.add("Phase " + phase + ":");
        List<String> tree = text.lines().toList();
        tree.stream().limit(MAX_LINES).forEach(line -> lines.add("  " + line));
        if (tree.size() > MAX_LINES) {
            lines.add("  … " + (tree.size() - MAX_LINES) + " lines more");
        }
    }

    List<String> lines() {
        return lines;
    }
}
