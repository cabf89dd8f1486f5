package dev.quarrel.calcite.metadata;

import dev.quarrel.calcite.rel.QuarrelFunctions;
import dev.quarrel.calcite.rel.QuarrelJoin;
import dev.quarrel.calcite.rel.QuarrelShared;
import dev.quarrel.calcite.rel.QuarrelWindow;
import dev.quarrel.calcite.rel.SharedRows;
import dev.quarrel.calcite.schema.QuarrelTable;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.table.Table;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.util.ImmutableBitSet;

/// An expression over a node's columns as the one over a table's columns that it comes from.
///
/// @param scan of a table with statistics
/// @param node over the scan's columns
/// @param given conditions over the scan's columns that its rows have met on the way
/// @param path the nodes between, from the scan's parent up
/// @param outer joins on the way that make the columns NULL for rows without a partner
record Lineage(TableScan scan, RexNode node, List<RexNode> given, List<RelNode> path, List<RelNode> outer) {
    /// Columns of projections over one another can share what they are made of, so as a tree they may be huge.
    private static final int MAX_NODES = 2_000;

    /// null where it comes from several tables, from none, or from what a grouping computes.
    static Lineage of(RelNode rel, RexNode node) {
        ImmutableBitSet columns = RelOptUtil.InputFinder.bits(node);
        if (columns.isEmpty() || node.nodeCount() > MAX_NODES || RexOver.containsOver(node)) {
            return null;
        }
        if (rel instanceof TableScan scan) {
            return table(scan) == null
                    ? null
                    : new Lineage(scan, node, new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        }
        Lineage below = below(rel, node, columns);
        if (below != null) {
            below.path.add(rel);
        }
        return below;
    }

    private static Lineage below(RelNode rel, RexNode node, ImmutableBitSet columns) {
        return switch (rel) {
            case Filter filter -> {
                Lineage below = of(filter.getInput(), node);
                if (below != null) {
                    below.addGiven(filter);
                }
                yield below;
            }
            case Sort sort -> of(sort.getInput(), node);
            case SharedRows shared -> of(shared.query().rel(), node);
            case QuarrelShared shared -> of(shared.getInput(), node);
            case Project project -> of(project.getInput(), substituted(node, project.getProjects()));
            case Join join -> {
                int left = join.getLeft().getRowType().getFieldCount();
                if (columns.length() > left && !join.getJoinType().projectsRight()) {
                    yield null; // a mark
                }
                yield outer(
                        side(join.getLeft(), join.getRight(), left, columns, node),
                        columns.length() <= left
                                ? join.getJoinType().generatesNullsOnLeft()
                                : join.getJoinType().generatesNullsOnRight(),
                        join);
            }
            case QuarrelJoin join -> {
                int left =
                        join.kind().hasCarried() ? join.getLeft().getRowType().getFieldCount() : 0;
                if (columns.length() > width(join)) {
                    yield null;
                }
                boolean isOuter = columns.length() <= left
                        ? join.kind() == JoinKind.RIGHT || join.kind() == JoinKind.FULL
                        : join.kind() == JoinKind.LEFT || join.kind() == JoinKind.FULL;
                yield outer(side(join.getLeft(), join.getRight(), left, columns, node), isOuter, join);
            }
            case Aggregate aggregate -> {
                if (columns.length() > aggregate.getGroupCount()) {
                    yield null;
                }
                List<RexNode> keys = new ArrayList<>();
                List<Integer> places = aggregate.getGroupSet().asList();
                places.forEach(
                        key -> keys.add(RexInputRef.of(key, aggregate.getInput().getRowType())));
                yield of(aggregate.getInput(), substituted(node, keys));
            }
            case QuarrelWindow window ->
                columns.length() > window.getInput().getRowType().getFieldCount() ? null : of(window.getInput(), node);
            case QuarrelFunctions functions ->
                columns.length() > functions.kept() ? null : of(functions.getInput(), node);
            default -> null;
        };
    }

    private static Lineage outer(Lineage lineage, boolean isOuter, RelNode join) {
        if (lineage != null && isOuter) {
            lineage.outer.add(join);
        }
        return lineage;
    }

    private void addGiven(Filter filter) {
        for (RexNode conjunct : RelOptUtil.conjunctions(filter.getCondition())) {
            Lineage other = of(filter.getInput(), conjunct);
            if (other != null && other.scan == scan) {
                given.add(other.node);
            }
        }
    }

    /// Of one column.
    static Lineage of(RelNode rel, int column) {
        return of(rel, RexInputRef.of(column, rel.getRowType()));
    }

    /// Columns before the mark.
    private static int width(QuarrelJoin join) {
        return join.getRowType().getFieldCount() - (join.kind().hasMark() ? 1 : 0);
    }

    private static Lineage side(RelNode left, RelNode right, int leftCount, ImmutableBitSet columns, RexNode node) {
        if (columns.length() <= leftCount) {
            return of(left, node);
        }
        if (columns.nth(0) < leftCount
                || columns.length() - leftCount > right.getRowType().getFieldCount()) {
            return null;
        }
        return of(right, RexUtil.shift(node, -leftCount));
    }

    private static RexNode substituted(RexNode node, List<RexNode> columns) {
        return node.accept(new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef input) {
                return columns.get(input.getIndex());
            }
        });
    }

    Table table() {
        return table(scan);
    }

    /// The scan's table; null where it is none of ours.
    static Table table(TableScan scan) {
        QuarrelTable table = scan.getTable() == null ? null : scan.getTable().unwrap(QuarrelTable.class);
        return table == null ? null : table.source();
    }

    /// The table's column that this is; -1 for an expression.
    int column() {
        return node instanceof RexInputRef input ? input.getIndex() : -1;
    }
}
