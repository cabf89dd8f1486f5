package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.schema.QuarrelTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Intersect;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Minus;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.core.Union;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalValues;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;

/// Removes the parts of a plan that read an empty table: no expression above it is ever evaluated, so the engine
/// need not even support such expressions.
///
/// A plan holds for one catalog version, in which an empty table stays empty. Most of what clients ask of
/// `pg_catalog` is about things that are not there.
final class EmptyTables extends RelHomogeneousShuttle {
    private EmptyTables() {}

    static RelNode prune(RelNode root) {
        return new EmptyTables().visit(root);
    }

    @Override
    public RelNode visit(RelNode node) {
        if (node instanceof TableScan scan) {
            QuarrelTable table = scan.getTable().unwrap(QuarrelTable.class);
            boolean known = table != null && table.source().fault() == null;
            return known && table.source().stats().rowCount() == 0 ? empty(scan) : scan;
        }
        RelNode rel =
                super.visit(node).accept(new SubQueryPruner(node.getCluster().getRexBuilder()));
        return switch (rel) {
            case Filter filter when isEmpty(filter.getInput()) -> empty(rel);
            case Project project when isEmpty(project.getInput()) -> empty(rel);
            case Project project -> ofType(project, node.getRowType());
            case Sort sort when isEmpty(sort.getInput()) -> empty(rel);
            case Aggregate aggregate when isEmpty(aggregate.getInput()) && alwaysGrouped(aggregate) -> empty(rel);
            case Join join -> joined(join, join.getLeft(), join.getRight(), join.getJoinType());
            case Correlate correlate ->
                joined(correlate, correlate.getLeft(), correlate.getRight(), correlate.getJoinType());
            case Union union when union.getInputs().stream().allMatch(EmptyTables::isEmpty) -> empty(rel);
            case Union union
            when union.all && union.getInputs().stream().anyMatch(EmptyTables::isEmpty) -> withRows(union);
            case Intersect intersect when intersect.getInputs().stream().anyMatch(EmptyTables::isEmpty) -> empty(rel);
            case Minus minus when isEmpty(minus.getInput(0)) -> empty(rel);
            default -> rel;
        };
    }

    /// A UNION ALL of those inputs that have rows.
    private static RelNode withRows(Union union) {
        List<RelNode> inputs =
                union.getInputs().stream().filter(input -> !isEmpty(input)).toList();
        RelDataType rowType = union.getRowType();
        if (inputs.size() > 1) {
            RelNode rest = union.copy(union.getTraitSet(), inputs);
            return rest.getRowType().equals(rowType) ? rest : union;
        }
        RexBuilder rexBuilder = union.getCluster().getRexBuilder();
        List<RexNode> columns = new ArrayList<>();
        for (int index = 0; index < rowType.getFieldCount(); index++) {
            RexNode column = rexBuilder.makeInputRef(inputs.getFirst(), index);
            RelDataType type = rowType.getFieldList().get(index).getType();
            columns.add(column.getType().equals(type) ? column : rexBuilder.makeAbstractCast(type, column, false));
        }
        return LogicalProject.create(inputs.getFirst(), List.of(), columns, rowType.getFieldNames(), Set.of());
    }

    /// Without a key, or with `()` among the grouping sets, there is a row for no rows.
    private static boolean alwaysGrouped(Aggregate aggregate) {
        return aggregate.getGroupSets().stream().noneMatch(set -> set.isEmpty());
    }

    private static RelNode joined(RelNode rel, RelNode left, RelNode right, JoinRelType type) {
        boolean leftEmpty = isEmpty(left);
        boolean rightEmpty = isEmpty(right);
        return switch (type) {
            case INNER, SEMI -> leftEmpty || rightEmpty ? empty(rel) : rel;
            case LEFT -> leftEmpty ? empty(rel) : rightEmpty ? withNulls(rel, left, true) : rel;
            case RIGHT -> rightEmpty ? empty(rel) : leftEmpty ? withNulls(rel, right, false) : rel;
            case FULL -> leftEmpty && rightEmpty ? empty(rel) : rel;
            case ANTI -> leftEmpty ? empty(rel) : rightEmpty ? left : rel;
            default -> rel;
        };
    }

    /// The side that has rows, with NULL for the other's columns.
    private static RelNode withNulls(RelNode join, RelNode side, boolean sideIsLeft) {
        RexBuilder rexBuilder = join.getCluster().getRexBuilder();
        int all = join.getRowType().getFieldCount();
        int own = side.getRowType().getFieldCount();
        List<RexNode> columns = new ArrayList<>(all);
        for (int index = 0; index < all; index++) {
            int place = sideIsLeft ? index : index - (all - own);
            columns.add(
                    place >= 0 && place < own
                            ? rexBuilder.makeInputRef(side, place)
                            : rexBuilder.makeNullLiteral(
                                    join.getRowType().getFieldList().get(index).getType()));
        }
        return LogicalProject.create(side, List.of(), columns, join.getRowType().getFieldNames(), Set.of());
    }

    /// What stands above was made for columns that may be NULL, where a sub-query's answer now is a constant.
    private static RelNode ofType(Project project, RelDataType rowType) {
        if (project.getRowType().equals(rowType)) {
            return project;
        }
        RexBuilder rexBuilder = project.getCluster().getRexBuilder();
        List<RexNode> columns = new ArrayList<>();
        for (int index = 0; index < project.getProjects().size(); index++) {
            RexNode column = project.getProjects().get(index);
            RelDataType type = rowType.getFieldList().get(index).getType();
            columns.add(column.getType().equals(type) ? column : rexBuilder.makeAbstractCast(type, column, false));
        }
        return project.copy(project.getTraitSet(), project.getInput(), columns, rowType);
    }

    private static boolean isEmpty(RelNode rel) {
        return rel instanceof Values values && values.getTuples().isEmpty();
    }

    private static RelNode empty(RelNode rel) {
        return LogicalValues.createEmpty(rel.getCluster(), rel.getRowType());
    }

    private static final class SubQueryPruner extends RexShuttle {
        private final RexBuilder rexBuilder;

        SubQueryPruner(RexBuilder rexBuilder) {
            this.rexBuilder = rexBuilder;
        }

        @Override
        public RexNode visitSubQuery(RexSubQuery query) {
            RelNode pruned = prune(query.rel);
            if (!isEmpty(pruned)) {
                return query.clone(pruned);
            }
            return switch (query.getKind()) {
                case SCALAR_QUERY -> rexBuilder.makeNullLiteral(query.getType());
                case EXISTS, IN, SOME -> rexBuilder.makeLiteral(false);
                default -> query.clone(pruned);
            };
        }
    }
}
