package dev.quarrel.calcite.explain;

import java.util.List;

/// Says what a plan's nodes cost, in PostgreSQL's form: a hundredth for each row that a step takes in, which is what
/// PostgreSQL reckons for a row as it comes (`cpu_tuple_cost`), and all that its inputs cost.
public final class PlanCosts {
    private static final double ROW = 0.01;

    private PlanCosts() {}

    /// @param inputs of the node
    /// @param taken rows that it takes in
    /// @param rows that it makes
    /// @param waits whether its first row comes after the last one of its inputs
    /// @param isInText as of [PlanNode.Estimate]
    public static PlanNode.Estimate of(
            List<PlanNode> inputs, double taken, double rows, int width, boolean waits, boolean isInText) {
        double below = inputs.stream().mapToDouble(PlanCosts::total).sum();
        double total = below + taken * ROW;
        double first = inputs.isEmpty() ? 0 : startup(inputs.getFirst());
        // A build side is read to its end before the first row of the other side is.
        double built = inputs.stream().skip(1).mapToDouble(PlanCosts::total).sum();
        return new PlanNode.Estimate(waits ? total : first + built, total, rows, width, isInText);
    }

    private static double total(PlanNode node) {
        return node.estimate() == null ? 0 : node.estimate().total();
    }

    private static double startup(PlanNode node) {
        return node.estimate() == null ? 0 : node.estimate().startup();
    }
}
