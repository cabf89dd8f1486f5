package dev.quarrel.calcite.explain;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// A plan, or a part of it: what devices run, and the nodes of the host above and below.
public sealed interface PlanTree {
    /// The topmost node.
    PlanNode node();

    /// The whole plan as one tree.
    PlanNode whole();

    /// A part that devices run.
    ///
    /// @param listing of its programs, which the text alone has; empty unless it is asked for
    /// @param made the nodes whose rows its scans read, by number
    record Part(PlanNode node, List<String> listing, List<PlanTree> made) implements PlanTree {
        public Part {
            listing = List.copyOf(listing);
            made = List.copyOf(made);
        }

        @Override
        public PlanNode whole() {
            return whole(node, new HashSet<>());
        }

        /// @param read those of `made` that have a place already
        private PlanNode whole(PlanNode step, Set<Integer> read) {
            List<PlanNode> inputs = step.role() instanceof PlanNode.Role.HostScan(int number)
                    ? read.add(number) ? List.of(made.get(number).whole()) : List.of()
                    : step.inputs().stream().map(input -> whole(input, read)).toList();
            return step.role() instanceof PlanNode.Role.Passing
                    ? inputs.getFirst().withEnd(step)
                    : step.over(inputs);
        }
    }

    /// A node that no device runs.
    record Host(PlanNode node, List<PlanTree> inputs) implements PlanTree {
        public Host {
            inputs = List.copyOf(inputs);
        }

        @Override
        public PlanNode whole() {
            return node.over(inputs.stream().map(PlanTree::whole).toList());
        }
    }
}
