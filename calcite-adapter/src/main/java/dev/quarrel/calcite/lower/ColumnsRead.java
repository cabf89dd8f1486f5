package dev.quarrel.calcite.lower;

import dev.quarrel.calcite.rel.QuarrelAggregate;
import dev.quarrel.calcite.rel.QuarrelFilter;
import dev.quarrel.calcite.rel.QuarrelGroupingSets;
import dev.quarrel.calcite.rel.QuarrelJoin;
import dev.quarrel.calcite.rel.QuarrelProject;
import dev.quarrel.calcite.rel.QuarrelShared;
import dev.quarrel.calcite.rel.QuarrelSort;
import dev.quarrel.calcite.rel.QuarrelUnion;
import dev.quarrel.calcite.rel.SharedQuery;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.util.ImmutableBitSet;

/// The columns of shared rows that some place reads: the others are not kept.
final class ColumnsRead {
    private final Map<SharedQuery, BitSet> read = new IdentityHashMap<>();

    private ColumnsRead() {}

    static ColumnsRead under(RelNode root) {
        ColumnsRead columns = new ColumnsRead();
        columns.visit(root, all(root));
        return columns;
    }

    /// Columns of shared rows, by index.
    BitSet of(QuarrelShared shared) {
        return read.get(shared.query());
    }

    private static BitSet all(RelNode rel) {
        BitSet all = new BitSet();
        all.set(0, rel.getRowType().getFieldCount());
        return all;
    }

    private void visit(RelNode rel, BitSet wanted) {
        switch (rel) {
            case QuarrelShared shared -> {
                BitSet known = read.get(shared.query());
                BitSet now = known == null ? new BitSet() : (BitSet) known.clone();
                now.or(wanted);
                if (!now.equals(known)) {
                    read.put(shared.query(), now);
                    visit(shared.getInput(), now);
                }
            }
            case QuarrelFilter filter -> visit(filter.getInput(), with(wanted, List.of(filter.getCondition())));
            case QuarrelProject project ->
                visit(
                        project.getInput(),
                        with(
                                new BitSet(),
                                wanted.stream()
                                        .mapToObj(project.getProjects()::get)
                                        .toList()));
            case QuarrelJoin join -> join(join, wanted);
            case QuarrelAggregate aggregate ->
                visit(aggregate.getInput(), grouped(aggregate.getGroupSet(), aggregate.getAggCallList()));
            case QuarrelGroupingSets sets -> visit(sets.getInput(), grouped(sets.keys(), sets.calls()));
            case QuarrelSort sort -> {
                // Which other columns come along does not matter to a sort, but it keeps all that it is given.
                visit(sort.getInput(), all(sort.getInput()));
            }
            case QuarrelUnion union -> union.getInputs().forEach(input -> visit(input, wanted));
            default -> rel.getInputs().forEach(input -> visit(input, all(input)));
        }
    }

    private static BitSet grouped(ImmutableBitSet keys, List<AggregateCall> calls) {
        BitSet read = new BitSet();
        keys.forEachInt(read::set);
        for (AggregateCall call : calls) {
            call.getArgList().forEach(read::set);
            if (call.filterArg >= 0) {
                read.set(call.filterArg);
            }
        }
        return read;
    }

    private void join(QuarrelJoin join, BitSet wanted) {
        int left = join.getLeft().getRowType().getFieldCount();
        int right = join.getRight().getRowType().getFieldCount();
        BitSet pair = new BitSet();
        if (join.residual() != null) {
            with(pair, List.of(join.residual())).stream().forEach(pair::set);
        }
        if (join.nearest() != null) {
            pair.set(join.nearest().left());
            pair.set(left + join.nearest().right());
        }
        if (join.range() != null) {
            pair.set(left + join.range().right());
            RelOptUtil.InputFinder.bits(join.range().values(), null).forEachInt(pair::set);
        }
        int next = 0;
        if (join.kind().hasCarried()) {
            wanted.stream().filter(column -> column < left).forEach(pair::set);
            next = left;
        }
        if (join.kind().hasPayload()) {
            int first = next;
            wanted.stream()
                    .filter(column -> column >= first && column < first + right)
                    .forEach(column -> pair.set(left + column - first));
        }
        BitSet ofLeft = pair.get(0, left);
        BitSet ofRight = pair.get(left, left + right);
        join.leftKeys().forEach(ofLeft::set);
        join.rightKeys().forEach(ofRight::set);
        visit(join.getLeft(), ofLeft);
        visit(join.getRight(), ofRight);
    }

    private static BitSet with(BitSet columns, List<RexNode> expressions) {
        BitSet all = (BitSet) columns.clone();
        expressions.forEach(each -> RelOptUtil.InputFinder.bits(each).forEachInt(all::set));
        return all;
    }
}
