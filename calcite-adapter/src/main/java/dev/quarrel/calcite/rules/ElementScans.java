package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.rel.QuarrelFunctions;
import dev.quarrel.calcite.rel.QuarrelTableScan;
import dev.quarrel.calcite.schema.QuarrelTable;
import dev.quarrel.calcite.sql.function.FieldOperator;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.linq4j.tree.Expression;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.prepare.RelOptTableImpl;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;

/// Turns `unnest` of a table's column of lists into a scan of the table by that column's elements
/// ([Table#elements]): it is a pipeline's source like any other then, and no array's text is made.
final class ElementScans extends RelHomogeneousShuttle {
    private static final String UNNEST = "array_unnest:";

    private final RexBuilder rexBuilder;

    private ElementScans(RexBuilder rexBuilder) {
        this.rexBuilder = rexBuilder;
    }

    static RelNode apply(RelNode root) {
        return new ElementScans(root.getCluster().getRexBuilder()).visit(root);
    }

    @Override
    public RelNode visit(RelNode node) {
        RelNode rel = super.visit(node);
        RelNode scanned = rel instanceof QuarrelFunctions functions ? scanned(functions) : null;
        return scanned == null ? rel : scanned;
    }

    /// Which of a scan's columns is a part of another; -1 where there is none.
    static int partOf(TableScan scan, int column, String part) {
        QuarrelTable table = scan.getTable().unwrap(QuarrelTable.class);
        return table == null
                ? scan.getRowType().getFieldNames().indexOf(part)
                : table.source().partOf(column, part);
    }

    private static boolean isUnnest(QuarrelFunctions.Call call) {
        return call.function() != null
                && call.function().kind() instanceof FunctionRow.Kind.Rows rows
                && rows.id().startsWith(UNNEST);
    }

    private RelNode scanned(QuarrelFunctions functions) {
        if (functions.calls().size() != 1 || !isUnnest(functions.calls().getFirst())) {
            return null;
        }
        int array = functions.calls().getFirst().arguments().getFirst();
        RelNode expanded = new Expansion(functions.isOuter()).expanded(functions.getInput(), new Lists(array, null));
        if (expanded == null) {
            return null;
        }
        int width = functions.getInput().getRowType().getFieldCount();
        List<RexNode> outputs = references(expanded, 0, functions.kept());
        RelDataType wanted =
                functions.getRowType().getFieldList().get(functions.kept()).getType();
        RexNode element = element(rexBuilder.makeInputRef(expanded, width), wanted);
        if (element == null) {
            return null;
        }
        outputs.add(element);
        if (functions.isNumbered()) {
            outputs.add(rexBuilder.makeInputRef(expanded, width + 1));
        }
        return LogicalProject.create(
                expanded, List.of(), outputs, functions.getRowType().getFieldNames(), Set.of());
    }

    /// The element as the function's result; null where it is held in another way.
    private RexNode element(RexNode element, RelDataType wanted) {
        if (element.getType().equals(wanted)) {
            return element;
        }
        DataType held = SqlTypes.dataType(element.getType());
        DataType result = SqlTypes.dataType(wanted);
        boolean isSame = held.equals(result) || held instanceof DataType.Decimal && result instanceof DataType.Numeric;
        return isSame ? rexBuilder.makeCast(wanted, element, true, false) : null;
    }

    private List<RexNode> references(RelNode rel, int from, int to) {
        List<RexNode> references = new ArrayList<>();
        for (int column = from; column < to; column++) {
            references.add(rexBuilder.makeInputRef(rel, column));
        }
        return references;
    }

    /// @param part the part of the column that the lists are; null for the column itself
    private record Lists(int column, String part) {
        Lists shifted(int columns) {
            return new Lists(column + columns, part);
        }

        /// What they are below an expression; null where that is nothing that a table has.
        static Lists of(RexNode expression, String part) {
            return switch (expression) {
                case RexInputRef column -> new Lists(column.getIndex(), part);
                case RexCall call
                when part == null
                        && call.getOperator() instanceof FieldOperator
                        && call.getOperands().getFirst() instanceof RexInputRef column ->
                    new Lists(column.getIndex(), call.getOperator().getName());
                default -> null;
            };
        }
    }

    private final class Expansion {
        private final boolean isOuter;

        /// @param isOuter whether lists without elements have a row
        Expansion(boolean isOuter) {
            this.isOuter = isOuter;
        }

        /// The rows once an element of a column, with it and its number behind the other columns; null where there is
        /// no way to have them so.
        private RelNode expanded(RelNode rel, Lists array) {
            return switch (rel) {
                case TableScan scan -> scanned(scan, array);
                case Filter filter
                when filter.getVariablesSet().isEmpty() && RexUtil.isDeterministic(filter.getCondition()) -> {
                    RelNode input = expanded(filter.getInput(), array);
                    yield input == null ? null : LogicalFilter.create(input, filter.getCondition());
                }
                case Project project when project.getVariablesSet().isEmpty() -> expanded(project, array);
                case Join join when join.getVariablesSet().isEmpty() -> expanded(join, array);
                default -> null;
            };
        }

        private RelNode expanded(Project project, Lists array) {
            boolean isOnceARow =
                    !project.containsOver() && project.getProjects().stream().allMatch(RexUtil::isDeterministic);
            Lists lists = Lists.of(project.getProjects().get(array.column()), array.part());
            if (!isOnceARow || lists == null) {
                return null;
            }
            RelNode input = expanded(project.getInput(), lists);
            if (input == null) {
                return null;
            }
            List<RexNode> outputs = new ArrayList<>(project.getProjects());
            int width = input.getRowType().getFieldCount();
            outputs.addAll(references(input, width - 2, width));
            return LogicalProject.create(input, List.of(), outputs, (List<String>) null, Set.of());
        }

        /// A join's row has the elements of the side that the lists are of, if each row of that side stays.
        private RelNode expanded(Join join, Lists array) {
            int leftWidth = join.getLeft().getRowType().getFieldCount();
            int rightWidth = join.getRowType().getFieldCount() - leftWidth;
            JoinRelType type = join.getJoinType();
            if (type == JoinRelType.INNER && array.column() >= leftWidth) {
                RelNode right = expanded(join.getRight(), array.shifted(-leftWidth));
                return right == null ? null : join.copy(join.getTraitSet(), List.of(join.getLeft(), right));
            }
            if (array.column() >= leftWidth || type != JoinRelType.INNER && type != JoinRelType.LEFT) {
                return null;
            }
            RelNode left = expanded(join.getLeft(), array);
            if (left == null) {
                return null;
            }
            RexNode condition = RexUtil.shift(join.getCondition(), leftWidth, 2);
            RelNode joined =
                    join.copy(join.getTraitSet(), condition, left, join.getRight(), type, join.isSemiJoinDone());
            List<RexNode> outputs = references(joined, 0, leftWidth);
            outputs.addAll(references(joined, leftWidth + 2, leftWidth + 2 + rightWidth));
            outputs.addAll(references(joined, leftWidth, leftWidth + 2));
            return LogicalProject.create(joined, List.of(), outputs, (List<String>) null, Set.of());
        }

        private RelNode scanned(TableScan scan, Lists array) {
            QuarrelTable known = scan.getTable().unwrap(QuarrelTable.class);
            if (known == null || known.source().fault() != null) {
                return null;
            }
            Table table = known.source();
            int column = array.part() == null ? array.column() : table.partOf(array.column(), array.part());
            Table elements = column < 0
                    ? null
                    : table.elements(table.schema().field(column).name(), isOuter);
            if (elements == null) {
                return null;
            }
            QuarrelTable whole = new QuarrelTable(elements);
            RelDataType rowType = whole.getRowType(rexBuilder.getTypeFactory());
            RelOptTable named = RelOptTableImpl.create(
                    null, rowType, List.of(table.schemaName(), elements.name()), whole, (Expression) null);
            RelNode rows = new QuarrelTableScan(scan.getCluster(), scan.getTraitSet(), named, elements);
            List<RexNode> outputs = references(rows, 0, scan.getRowType().getFieldCount());
            int element = table.schema().size();
            outputs.addAll(references(rows, element, element + 2));
            return LogicalProject.create(rows, List.of(), outputs, (List<String>) null, Set.of());
        }
    }
}
