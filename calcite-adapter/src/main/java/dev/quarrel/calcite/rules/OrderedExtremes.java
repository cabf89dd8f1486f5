package dev.quarrel.calcite.rules;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;

/// `min(ts), max(ts)` of some rows of a table in the order of `ts`: of the first of these rows, and of the last. They
/// are found at the table's ends, instead of by a look at all rows.
final class OrderedExtremes {
    /// With fewer rows the first one may be far from the end, and each function looks for its own.
    private static final double MIN_ROWS = 1000;

    private static final int MAX_SCANS = 4;

    private final Aggregate aggregate;
    private final RelNode input;
    private final RexBuilder rexBuilder;

    private OrderedExtremes(Aggregate aggregate, RelNode input) {
        this.aggregate = aggregate;
        this.input = input;
        this.rexBuilder = aggregate.getCluster().getRexBuilder();
    }

    static RelNode apply(RelNode rel) {
        List<RelNode> inputs =
                rel.getInputs().stream().map(OrderedExtremes::apply).toList();
        RelNode here = inputs.equals(rel.getInputs()) ? rel : rel.copy(rel.getTraitSet(), inputs);
        return here instanceof Aggregate aggregate ? ofAggregate(aggregate) : here;
    }

    private static RelNode ofAggregate(Aggregate aggregate) {
        RelNode input = aggregate.getInput();
        if (aggregate.getGroupType() != Aggregate.Group.SIMPLE
                || !aggregate.getGroupSet().isEmpty()
                || aggregate.getAggCallList().isEmpty()
                || !new Evaluations(aggregate.getCluster().getRexBuilder()).isSilent(input)
                || aggregate.getAggCallList().stream().anyMatch(call -> !isExtreme(call, input))) {
            return aggregate;
        }
        List<RelFieldCollation> ends = new ArrayList<>(new LinkedHashSet<>(
                aggregate.getAggCallList().stream().map(OrderedExtremes::end).toList()));
        if (ends.size() > MAX_SCANS
                || !(input instanceof TableScan)
                        && !(aggregate.getCluster().getMetadataQuery().getRowCount(input) >= MIN_ROWS)) {
            return aggregate;
        }
        return new OrderedExtremes(aggregate, input).rewritten(ends);
    }

    private static boolean isExtreme(AggregateCall call, RelNode input) {
        boolean isExtreme = call.getAggregation().getKind() == SqlKind.MIN
                || call.getAggregation().getKind() == SqlKind.MAX;
        return isExtreme
                && call.filterArg < 0
                && call.distinctKeys == null
                && call.getArgList().size() == 1
                && ascends(input, call.getArgList().getFirst());
    }

    /// Whether rows come in the order of a column.
    private static boolean ascends(RelNode rel, int column) {
        TableColumn origin = TableColumn.of(rel, column);
        return origin != null && origin.table().sortedBy().contains(origin.column());
    }

    /// The order whose first row has the extreme.
    private static RelFieldCollation end(AggregateCall call) {
        boolean isLeast = call.getAggregation().getKind() == SqlKind.MIN;
        return new RelFieldCollation(
                call.getArgList().getFirst(),
                isLeast ? RelFieldCollation.Direction.ASCENDING : RelFieldCollation.Direction.DESCENDING,
                RelFieldCollation.NullDirection.LAST);
    }

    /// One row of the extremes at each end, side by side.
    private RelNode rewritten(List<RelFieldCollation> ends) {
        RelNode joined = null;
        RexNode[] results = new RexNode[aggregate.getAggCallList().size()];
        int[] places = new int[results.length];
        int width = 0;
        for (RelFieldCollation end : ends) {
            List<AggregateCall> calls = new ArrayList<>();
            for (int index = 0; index < places.length; index++) {
                AggregateCall call = aggregate.getAggCallList().get(index);
                if (end(call).equals(end)) {
                    places[index] = width + calls.size();
                    calls.add(call.withName(null));
                }
            }
            RelNode first =
                    LogicalSort.create(input, RelCollations.of(end), null, rexBuilder.makeExactLiteral(BigDecimal.ONE));
            RelNode extremes = LogicalAggregate.create(first, List.of(), ImmutableBitSet.of(), null, calls);
            width += calls.size();
            joined = joined == null
                    ? extremes
                    : LogicalJoin.create(
                            joined, extremes, List.of(), rexBuilder.makeLiteral(true), Set.of(), JoinRelType.INNER);
        }
        for (int index = 0; index < results.length; index++) {
            results[index] = rexBuilder.makeInputRef(joined, places[index]);
        }
        return LogicalProject.create(
                joined, List.of(), List.of(results), aggregate.getRowType().getFieldNames(), Set.of());
    }
}
