package dev.quarrel.calcite.rules;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexVisitorImpl;

/// Inner joins, filters and choices of columns that lie together below an aggregate.
final class InnerJoins {
    final RelNode top;
    final List<RelNode> relations = new ArrayList<>();
    final List<Integer> firstColumns = new ArrayList<>();
    final Map<RelNode, List<RexNode>> conditions = new IdentityHashMap<>();
    private final Evaluations evaluations;
    private int columnCount;
    private boolean hasOthers; // conditions that can fail, or are random

    /// The aggregate's input columns, over the region's.
    List<RexNode> outputs;

    private InnerJoins(RelNode top) {
        this.top = top;
        this.evaluations = new Evaluations(top.getCluster().getRexBuilder());
    }

    /// null where something can fail or is random.
    static InnerJoins of(Aggregate aggregate) {
        RelNode top = aggregate.getInput();
        InnerJoins region = new InnerJoins(top);
        boolean isComputed =
                top instanceof Project project && project.getVariablesSet().isEmpty() && !project.containsOver();
        RelNode joins = isComputed ? top.getInput(0) : top;
        List<RexNode> columns = region.flatten(joins);
        region.outputs = isComputed
                ? ((Project) top)
                        .getProjects().stream()
                                .map(node -> moved(node, columns))
                                .toList()
                : columns;
        boolean isFree = !isComputed || region.evaluations.isSilent(((Project) top).getProjects(), joins.getRowType());
        return isFree && !region.hasOthers ? region : null;
    }

    /// A choice of columns of what is joined.
    static boolean isChosen(Project project) {
        return JoinRegion.isChoice(project) && isJoined(project.getInput());
    }

    static boolean isFilter(Filter filter) {
        return filter.getVariablesSet().isEmpty() && isJoined(filter.getInput());
    }

    static boolean isInner(Join join) {
        return join.getJoinType() == JoinRelType.INNER && join.getVariablesSet().isEmpty();
    }

    private static boolean isJoined(RelNode rel) {
        return switch (rel) {
            case Filter filter -> filter.getVariablesSet().isEmpty() && isJoined(filter.getInput());
            case Project project -> isChosen(project);
            case Join join -> isInner(join);
            default -> false;
        };
    }

    private List<RexNode> flatten(RelNode rel) {
        return switch (rel) {
            case Project project
            when isChosen(project) -> {
                List<RexNode> columns = flatten(project.getInput());
                yield project.getProjects().stream()
                        .map(node -> columns.get(((RexInputRef) node).getIndex()))
                        .toList();
            }
            case Filter filter
            when isFilter(filter) -> {
                List<RexNode> columns = flatten(filter.getInput());
                add(filter, filter.getCondition(), filter.getInput().getRowType(), columns);
                yield columns;
            }
            case Join join
            when isInner(join) -> {
                List<RexNode> columns = new ArrayList<>(flatten(join.getLeft()));
                columns.addAll(flatten(join.getRight()));
                add(join, join.getCondition(), join.getRowType(), columns);
                yield columns;
            }
            default -> relation(rel);
        };
    }

    private List<RexNode> relation(RelNode rel) {
        relations.add(rel);
        firstColumns.add(columnCount);
        List<RexNode> columns = new ArrayList<>();
        rel.getRowType()
                .getFieldList()
                .forEach(field ->
                        columns.add(new RexInputRef(firstColumns.getLast() + field.getIndex(), field.getType())));
        columnCount += columns.size();
        return columns;
    }

    private void add(RelNode rel, RexNode condition, RelDataType rowType, List<RexNode> columns) {
        List<RexNode> conjuncts = RelOptUtil.conjunctions(condition);
        hasOthers |= !evaluations.isSilent(conjuncts, rowType);
        List<RexNode> moved =
                conjuncts.stream().map(conjunct -> moved(conjunct, columns)).toList();
        conditions.put(rel, moved);
    }

    private static RexNode moved(RexNode node, List<RexNode> columns) {
        return node.accept(new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef input) {
                return columns.get(input.getIndex());
            }
        });
    }

    List<Integer> columns(int relation) {
        List<Integer> columns = new ArrayList<>();
        for (int column = 0; column < relations.get(relation).getRowType().getFieldCount(); column++) {
            columns.add(firstColumns.get(relation) + column);
        }
        return columns;
    }

    /// The relations that a node reads, a bit each.
    long read(RexNode node) {
        long read = 0;
        for (int column : RelOptUtil.InputFinder.bits(node)) {
            int relation = relations.size() - 1;
            while (firstColumns.get(relation) > column) {
                relation--;
            }
            read |= 1L << relation;
        }
        return read;
    }

    /// Adds what a node reads of early relations: all of it where it reads no other, else the columns.
    void addEarly(RexNode node, long late, Set<RexNode> keys) {
        long read = read(node);
        if ((read & late) == 0) {
            if (read != 0) {
                keys.add(node);
            }
            return;
        }
        node.accept(new RexVisitorImpl<Void>(true) {
            @Override
            public Void visitInputRef(RexInputRef input) {
                if ((read(input) & late) == 0) {
                    keys.add(input);
                }
                return null;
            }
        });
    }

    /// Whether conditions lead from each of some relations to each other.
    boolean isConnected(long some) {
        long all = some & (1L << relations.size()) - 1;
        long found = Long.lowestOneBit(all);
        long before = 0;
        while (found != before) {
            before = found;
            for (List<RexNode> each : conditions.values()) {
                for (RexNode condition : each) {
                    long read = read(condition);
                    found |= (read & ~all) == 0 && (read & found) != 0 ? read : 0;
                }
            }
        }
        return found == all;
    }
}
