package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.rel.HostRel;
import dev.quarrel.calcite.rel.QuarrelAppend;
import dev.quarrel.calcite.rel.QuarrelFilter;
import dev.quarrel.calcite.rel.QuarrelFunctions;
import dev.quarrel.calcite.rel.QuarrelLimit;
import dev.quarrel.calcite.rel.QuarrelProject;
import dev.quarrel.calcite.rel.QuarrelRecursion;
import dev.quarrel.calcite.rel.QuarrelSort;
import dev.quarrel.calcite.rel.QuarrelStream;
import dev.quarrel.calcite.rel.QuarrelUnion;
import dev.quarrel.calcite.rel.QuarrelWorkingTable;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.rel.core.Union;
import org.apache.calcite.rex.RexLiteral;

/// Finds rows that the host makes as they are asked for, and keeps what is done to each of them alone from asking for
/// all of them first: a LIMIT above ends a recursion that has no end.
final class Lazily {
    private Lazily() {}

    /// The first rows of a node, made as they are asked for; null if they cannot be.
    ///
    /// @param atMost so many rows are asked for, or fewer; null where that is not known
    static RelNode first(RelNode rel, RexLiteral atMost) {
        RelNode lazy = made(rel);
        if (atMost == null || !(lazy instanceof QuarrelStream stream)) {
            return lazy;
        }
        RelNode work = new QuarrelSort(
                rel.getCluster(), stream.getTraitSet(), stream.getRight(), RelCollations.EMPTY, null, atMost);
        return stream.copy(stream.getTraitSet(), List.of(stream.getLeft(), work));
    }

    /// The rows of a node, made as they are asked for; null if they cannot be.
    private static RelNode made(RelNode rel) {
        return switch (rel) {
            case QuarrelRecursion _, QuarrelLimit _, QuarrelStream _ -> rel;
            case QuarrelFunctions functions -> {
                RelNode input = made(functions.getInput());
                yield input == null ? rel : functions.copy(functions.getTraitSet(), List.of(input));
            }
            case QuarrelUnion union -> append(union);
            case QuarrelAppend append -> append(append);
            case QuarrelProject project -> batchwise(project);
            case QuarrelFilter filter -> batchwise(filter);
            default -> null;
        };
    }

    private static RelNode append(Union union) {
        List<RelNode> lazy = union.getInputs().stream().map(Lazily::made).toList();
        if (lazy.stream().allMatch(Objects::isNull)) {
            return null;
        }
        List<RelNode> inputs = new java.util.ArrayList<>();
        for (int index = 0; index < lazy.size(); index++) {
            inputs.add(lazy.get(index) == null ? union.getInput(index) : lazy.get(index));
        }
        return new QuarrelAppend(union.getCluster(), union.getTraitSet(), inputs);
    }

    private static RelNode batchwise(SingleRel top) {
        RelNode bottom = top;
        while (bottom instanceof QuarrelProject || bottom instanceof QuarrelFilter) {
            bottom = bottom.getInput(0);
        }
        RelNode rows = bottom instanceof HostRel ? made(bottom) : null;
        if (rows == null) {
            return null;
        }
        Object identity = new Object();
        RelNode table = new QuarrelWorkingTable(top.getCluster(), top.getTraitSet(), rows.getRowType(), identity);
        return new QuarrelStream(top.getCluster(), top.getTraitSet(), rows, over(top, table), identity);
    }

    private static RelNode over(RelNode rel, RelNode table) {
        return rel instanceof HostRel ? table : rel.copy(rel.getTraitSet(), List.of(over(rel.getInput(0), table)));
    }
}
