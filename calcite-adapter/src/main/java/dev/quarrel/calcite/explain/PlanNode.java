package dev.quarrel.calcite.explain;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.stream.Stream;

/// A node of a plan, which all forms of EXPLAIN's answer are written of.
///
/// @param type in PostgreSQL's word where it has one: `Hash Join`
/// @param title what the text calls it, and what it is about: `Hash Left Join`, `Seq Scan on orders`
/// @param identity what tells it from others of its type, such as `Join Type` and `Relation Name`
/// @param estimate or null
/// @param actual null without ANALYZE, and where nobody has counted
/// @param inputs the nodes whose rows it takes; of a join the probe side comes first
public record PlanNode(
        String type,
        String title,
        SequencedMap<String, String> identity,
        Role role,
        Estimate estimate,
        Actual actual,
        List<PlanProperty> properties,
        List<PlanNode> inputs) {
    private static final String OUTPUT = "Output";

    public PlanNode {
        properties = List.copyOf(properties);
        inputs = List.copyOf(inputs);
    }

    /// What a node is within its plan.
    public sealed interface Role {
        Role STEP = new Step();
        Role PASSING = new Passing();

        /// One of a plan's steps.
        record Step() implements Role {}

        /// A pipeline's end through which rows go as its last step has made them: PostgreSQL has no node for it.
        record Passing() implements Role {}

        /// A scan of rows that a node of the host makes.
        ///
        /// @param number of that node
        record HostScan(int number) implements Role {}
    }

    /// What the planner expects.
    ///
    /// @param startup the cost before the first row, in hundredths of rows that steps take in, inputs included
    /// @param total the cost of all rows
    /// @param width bytes of a row
    /// @param isInText whether its line of the text has the rows
    public record Estimate(double startup, double total, double rows, int width, boolean isInText) {}

    /// What ANALYZE has found.
    ///
    /// @param nanos of the pipeline that ends here, without those below it; negative for none of its own
    /// @param rows that it made; negative where only those are known that it read
    /// @param read rows that it read; negative where that is not its to say
    public record Actual(long nanos, long rows, long read) {}

    /// The same with these inputs.
    PlanNode over(List<PlanNode> others) {
        return new PlanNode(type, title, identity, role, estimate, actual, properties, others);
    }

    /// The step that a pipeline's end passes the rows of, as the node that both are.
    PlanNode withEnd(PlanNode end) {
        List<PlanProperty> all = new ArrayList<>();
        end.properties.stream().filter(PlanNode::isOutput).forEach(all::add);
        properties.stream()
                .filter(property ->
                        !isOutput(property) || end.properties.stream().noneMatch(PlanNode::isOutput))
                .forEach(all::add);
        end.properties.stream().filter(property -> !isOutput(property)).forEach(all::add);
        return new PlanNode(
                type,
                title,
                identity,
                role,
                end.estimate == null ? estimate : end.estimate,
                end.actual == null ? actual : end.actual,
                all,
                inputs);
    }

    private static boolean isOutput(PlanProperty property) {
        return property.label().equals(OUTPUT);
    }

    /// Time of it and all below, in nanoseconds.
    long nanosWithInputs() {
        return Math.max(0, actual == null ? 0 : actual.nanos()) + nanosOfInputs();
    }

    long nanosOfInputs() {
        return inputs.stream().mapToLong(PlanNode::nanosWithInputs).sum();
    }

    /// Names and values, in turn.
    public static SequencedMap<String, String> named(String... namesAndValues) {
        SequencedMap<String, String> identity = new LinkedHashMap<>();
        for (int index = 0; index < namesAndValues.length; index += 2) {
            identity.put(namesAndValues[index], namesAndValues[index + 1]);
        }
        return identity;
    }

    /// All values of its properties; lists of the same name are one.
    SequencedMap<String, Object> values() {
        SequencedMap<String, Object> values = new LinkedHashMap<>();
        for (PlanProperty property : properties) {
            property.values().forEach((name, value) -> values.merge(name, value, PlanNode::both));
        }
        return values;
    }

    private static Object both(Object first, Object second) {
        return first instanceof List<?> items && second instanceof List<?> others
                ? Stream.concat(items.stream(), others.stream()).toList()
                : first;
    }
}
