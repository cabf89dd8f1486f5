package dev.quarrel.calcite.rules;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Union;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.calcite.util.Litmus;

/// Nodes that change nothing of what is asked. Each method gives what a node may be instead, or null.
final class Redundancy {
    private Redundancy() {}

    /// A projection over one that only chooses columns, or says constants.
    static RelNode mergedColumns(Project project) {
        if (!(Rewrite.input(project, 0) instanceof Project lower)
                || !project.getVariablesSet().isEmpty()
                || !lower.getVariablesSet().isEmpty()
                || !lower.getProjects().stream().allMatch(Redundancy::isPlain)) {
            return null;
        }
        RexShuttle columns = new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef input) {
                return lower.getProjects().get(input.getIndex());
            }
        };
        List<RexNode> merged = columns.visitList(project.getProjects());
        // An outer join that became another one leaves columns behind that are said to be NULL, and are not.
        return RexUtil.compatibleTypes(merged, project.getRowType(), Litmus.IGNORE)
                ? project.copy(project.getTraitSet(), lower.getInput(), merged, project.getRowType())
                : null;
    }

    /// A projection over one with window functions, maybe filtered, of which it does not read all columns: windows keep
    /// all that they are given.
    static RelNode withoutUnreadColumns(Project project) {
        RelNode below = Rewrite.input(project, 0);
        Filter filter = below instanceof Filter between ? between : null;
        if (!((filter == null ? below : Rewrite.input(filter, 0)) instanceof Project lower)
                || !lower.containsOver()
                || !project.getVariablesSet().isEmpty()
                || !lower.getVariablesSet().isEmpty()
                || filter != null && !filter.getVariablesSet().isEmpty()) {
            return null;
        }
        ImmutableBitSet read =
                RelOptUtil.InputFinder.bits(project.getProjects(), filter == null ? null : filter.getCondition());
        if (read.isEmpty() || read.cardinality() == lower.getProjects().size()) {
            return null;
        }
        List<RexNode> kept = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (int column : read) {
            kept.add(lower.getProjects().get(column));
            names.add(lower.getRowType().getFieldNames().get(column));
        }
        RexShuttle places = new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef input) {
                return new RexInputRef(read.indexOf(input.getIndex()), input.getType());
            }
        };
        RelNode narrow = LogicalProject.create(lower.getInput(), List.of(), kept, names, Set.of());
        RelNode filtered = filter == null
                ? narrow
                : filter.copy(
                        filter.getTraitSet(), narrow, filter.getCondition().accept(places));
        return project.copy(
                project.getTraitSet(), filtered, places.visitList(project.getProjects()), project.getRowType());
    }

    private static boolean isPlain(RexNode node) {
        return node instanceof RexInputRef || node instanceof RexLiteral;
    }

    /// UNIONs one in another. What a DISTINCT one is of may be there more than once.
    static RelNode mergedUnions(Union union) {
        List<RelNode> inputs = new ArrayList<>();
        Deque<RelNode> open = new ArrayDeque<>(union.getInputs());
        while (!open.isEmpty()) {
            RelNode input = open.pop();
            if (input.stripped() instanceof Union lower
                    && (lower.all || !union.all)
                    && lower.getRowType().equals(union.getRowType())) {
                List.copyOf(lower.getInputs()).reversed().forEach(open::push);
            } else {
                inputs.add(input);
            }
        }
        if (inputs.size() == union.getInputs().size()) {
            return null;
        }
        RelNode merged = union.copy(union.getTraitSet(), inputs);
        return merged.getRowType().equals(union.getRowType()) ? merged : null;
    }

    /// DISTINCT of rows none of which is there twice.
    static RelNode withoutDistinct(Aggregate aggregate) {
        if (aggregate.getGroupType() != Aggregate.Group.SIMPLE
                || aggregate.getGroupCount() == 0
                || !aggregate.getAggCallList().isEmpty()
                || !Uniqueness.isUnique(aggregate.getInput(), aggregate.getGroupSet())) {
            return null;
        }
        RexBuilder rexBuilder = aggregate.getCluster().getRexBuilder();
        List<RexNode> keys = new ArrayList<>();
        aggregate.getGroupSet().forEachInt(key -> keys.add(rexBuilder.makeInputRef(aggregate.getInput(), key)));
        return LogicalProject.create(
                aggregate.getInput(), List.of(), keys, aggregate.getRowType().getFieldNames(), Set.of());
    }
}
