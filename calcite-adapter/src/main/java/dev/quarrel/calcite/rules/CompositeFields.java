package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.sql.function.FieldOperator;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.rex.RexVisitorImpl;

/// Has sub-queries that hand on a composite hand on those of its fields that are asked for outside, from their
/// table's own columns.
final class CompositeFields extends RelHomogeneousShuttle {
    private final RexBuilder rexBuilder;

    private CompositeFields(RexBuilder rexBuilder) {
        this.rexBuilder = rexBuilder;
    }

    /// - Errors: 0A000 where a field has no such way.
    static RelNode apply(RelNode root) {
        return new CompositeFields(root.getCluster().getRexBuilder()).visit(root);
    }

    /// The same rows with the table's column of that name behind them; null where there is no way to have it.
    ///
    /// @param column the composite's, which is of the same table
    static RelNode carried(RelNode rel, int column, String name) {
        return new CompositeFields(rel.getCluster().getRexBuilder()).carrying(rel, column, name);
    }

    @Override
    public RelNode visit(RelNode node) {
        RelNode visited = super.visit(node);
        Map<RexCall, Integer> all = fields(visited);
        Set<RexCall> ofTexts = new HashSet<>();
        all.keySet().stream()
                .filter(call -> call.getOperands().size() > 1 && !isCarried(visited, call))
                .forEach(ofTexts::add);
        RelNode rel = ofTexts.isEmpty()
                ? visited
                : visited.accept(new RexShuttle() {
                    @Override
                    public RexNode visitCall(RexCall call) {
                        return ofTexts.contains(call) ? call.getOperands().get(1) : super.visitCall(call);
                    }
                });
        all.keySet().removeAll(ofTexts);
        Map<RexCall, Integer> fields = all;
        if (fields.isEmpty()) {
            return rel;
        }
        if (rel instanceof Join join) {
            return joined(join, fields);
        }
        RelNode input = rel.getInput(0);
        int width = input.getRowType().getFieldCount();
        for (Map.Entry<RexCall, Integer> field : fields.entrySet()) {
            RelNode wider = field.getKey().getOperands().getFirst() instanceof RexInputRef composite
                    ? carrying(
                            input,
                            composite.getIndex(),
                            field.getKey().getOperator().getName())
                    : null;
            if (wider == null) {
                throw unsupported(field.getKey());
            }
            field.setValue(input.getRowType().getFieldCount());
            input = wider;
        }
        RelNode rows = input;
        RexShuttle columns = columns(fields, place -> rexBuilder.makeInputRef(rows, place));
        if (rel instanceof Project project) {
            return project.copy(
                    project.getTraitSet(), rows, columns.visitList(project.getProjects()), project.getRowType());
        }
        RexNode condition = ((Filter) rel).getCondition().accept(columns);
        RelNode filtered = LogicalFilter.create(rows, condition);
        return LogicalProject.create(
                filtered,
                List.of(),
                references(filtered, 0, width),
                rel.getRowType().getFieldNames(),
                Set.of());
    }

    private static Map<RexCall, Integer> fields(RelNode rel) {
        List<RexNode> expressions =
                switch (rel) {
                    case Project project -> project.getProjects();
                    case Filter filter -> List.of(filter.getCondition());
                    case Join join -> List.of(join.getCondition());
                    default -> List.of();
                };
        Map<RexCall, Integer> fields = new LinkedHashMap<>();
        expressions.forEach(expression -> expression.accept(new RexVisitorImpl<Void>(true) {
            @Override
            public Void visitCall(RexCall call) {
                if (call.getOperator() instanceof FieldOperator) {
                    fields.put(call, 0);
                    return null;
                }
                return super.visitCall(call);
            }
        }));
        return fields;
    }

    /// Whether a field can be a column of a node's input.
    private boolean isCarried(RelNode rel, RexCall field) {
        if (!(field.getOperands().getFirst() instanceof RexInputRef composite)
                || !rel.getVariablesSet().isEmpty()) {
            return false;
        }
        String name = field.getOperator().getName();
        int column = composite.getIndex();
        int leftWidth = rel.getInput(0).getRowType().getFieldCount();
        return column < leftWidth
                ? carrying(rel.getInput(0), column, name) != null
                : carrying(rel.getInput(1), column - leftWidth, name) != null;
    }

    private static RexShuttle columns(Map<RexCall, Integer> fields, IntFunction<RexNode> column) {
        return new RexShuttle() {
            @Override
            public RexNode visitCall(RexCall call) {
                Integer place = fields.get(call);
                return place == null ? super.visitCall(call) : column.apply(place);
            }
        };
    }

    /// A join by fields.
    private RelNode joined(Join join, Map<RexCall, Integer> fields) {
        RelNode left = join.getLeft();
        RelNode right = join.getRight();
        int leftWidth = left.getRowType().getFieldCount();
        int rightWidth = right.getRowType().getFieldCount();
        for (Map.Entry<RexCall, Integer> field : fields.entrySet()) {
            String name = field.getKey().getOperator().getName();
            int column = field.getKey().getOperands().getFirst() instanceof RexInputRef input ? input.getIndex() : -1;
            boolean isLeft = column < leftWidth;
            RelNode wider = column < 0 || !join.getVariablesSet().isEmpty()
                    ? null
                    : isLeft ? carrying(left, column, name) : carrying(right, column - leftWidth, name);
            if (wider == null) {
                throw unsupported(field.getKey());
            }
            // Of the right side for now by how many columns are behind its first one.
            field.setValue((isLeft ? left : right).getRowType().getFieldCount() * (isLeft ? 1 : -1));
            left = isLeft ? wider : left;
            right = isLeft ? right : wider;
        }
        int newWidth = left.getRowType().getFieldCount();
        RelNode one = left;
        RelNode other = right;
        // Other columns first: those of fields are where they shall be.
        RexNode shifted = RexUtil.shift(join.getCondition(), leftWidth, newWidth - leftWidth);
        Map<RexCall, Integer> moved = new LinkedHashMap<>();
        fields.forEach(
                (call, place) -> moved.put((RexCall) RexUtil.shift(call, leftWidth, newWidth - leftWidth), place));
        RexNode condition = shifted.accept(columns(
                moved,
                place -> place >= 0
                        ? rexBuilder.makeInputRef(one, place)
                        : RexUtil.shift(rexBuilder.makeInputRef(other, -place), newWidth)));
        RelNode wide = join.copy(join.getTraitSet(), condition, left, right, join.getJoinType(), join.isSemiJoinDone());
        List<RexNode> outputs = references(wide, 0, leftWidth);
        if (join.getRowType().getFieldCount() > leftWidth) {
            outputs.addAll(references(wide, newWidth, newWidth + rightWidth));
        }
        return LogicalProject.create(wide, List.of(), outputs, join.getRowType().getFieldNames(), Set.of());
    }

    private static QueryException unsupported(RexCall field) {
        return new QueryException(
                SqlState.FEATURE_NOT_SUPPORTED,
                "not supported: the field " + field.getOperator().getName() + " of a sub-query's row value here");
    }

    private List<RexNode> references(RelNode rel, int from, int to) {
        List<RexNode> references = new ArrayList<>();
        for (int column = from; column < to; column++) {
            references.add(rexBuilder.makeInputRef(rel, column));
        }
        return references;
    }

    private RelNode carrying(RelNode rel, int column, String name) {
        return switch (rel) {
            case TableScan scan -> {
                int place = ElementScans.partOf(scan, column, name);
                if (place < 0) {
                    yield null;
                }
                List<RexNode> columns = references(scan, 0, scan.getRowType().getFieldCount());
                columns.add(rexBuilder.makeInputRef(scan, place));
                yield LogicalProject.create(scan, List.of(), columns, (List<String>) null, Set.of());
            }
            case Filter filter
            when filter.getVariablesSet().isEmpty() -> {
                RelNode input = carrying(filter.getInput(), column, name);
                yield input == null ? null : LogicalFilter.create(input, filter.getCondition());
            }
            case Sort sort -> {
                RelNode input = carrying(sort.getInput(), column, name);
                yield input == null ? null : sort.copy(sort.getTraitSet(), List.of(input));
            }
            case Project project
            when project.getVariablesSet().isEmpty() -> {
                RelNode input = project.getProjects().get(column) instanceof RexInputRef below
                        ? carrying(project.getInput(), below.getIndex(), name)
                        : null;
                if (input == null) {
                    yield null;
                }
                List<RexNode> outputs = new ArrayList<>(project.getProjects());
                outputs.add(rexBuilder.makeInputRef(input, input.getRowType().getFieldCount() - 1));
                yield LogicalProject.create(input, List.of(), outputs, (List<String>) null, Set.of());
            }
            case Join join
            when join.getJoinType().projectsRight() && join.getVariablesSet().isEmpty() -> carrying(join, column, name);
            default -> null;
        };
    }

    private RelNode carrying(Join join, int column, String name) {
        int leftWidth = join.getLeft().getRowType().getFieldCount();
        int width = join.getRowType().getFieldCount();
        if (column >= leftWidth) {
            RelNode right = carrying(join.getRight(), column - leftWidth, name);
            return right == null ? null : join.copy(join.getTraitSet(), List.of(join.getLeft(), right));
        }
        RelNode left = carrying(join.getLeft(), column, name);
        if (left == null) {
            return null;
        }
        RelNode joined = join.copy(
                join.getTraitSet(),
                RexUtil.shift(join.getCondition(), leftWidth, 1),
                left,
                join.getRight(),
                join.getJoinType(),
                join.isSemiJoinDone());
        List<RexNode> outputs = references(joined, 0, leftWidth);
        outputs.addAll(references(joined, leftWidth + 1, width + 1));
        outputs.add(rexBuilder.makeInputRef(joined, leftWidth));
        return LogicalProject.create(joined, List.of(), outputs, (List<String>) null, Set.of());
    }
}
