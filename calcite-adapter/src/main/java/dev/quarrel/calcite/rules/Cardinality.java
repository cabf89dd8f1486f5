package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.rel.QuarrelFunctions;
import dev.quarrel.calcite.schema.QuarrelTable;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinInfo;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.util.DateString;

/// Estimates row counts from the tables' statistics. The estimates serve only to choose between plans and never
/// affect results.
///
/// Constants for what statistics do not say are the usual ones (System R): 1/10 for an equality, 1/3 for a range.
public final class Cardinality {
    private static final double EQUALITY = 0.1;
    private static final double RANGE = 1.0 / 3;
    private static final double OTHER = 0.25;
    private static final double UNKNOWN_ROWS = 100;

    private final Map<RelNode, Double> rows = new IdentityHashMap<>();

    /// Rows expected of a node, at least 1.
    public double rows(RelNode rel) {
        Double known = rows.get(rel);
        if (known == null) {
            known = Math.max(1, estimate(rel));
            rows.put(rel, known);
        }
        return known;
    }

    private double estimate(RelNode rel) {
        return switch (rel) {
            case TableScan scan -> {
                Table table = tableOf(scan);
                yield table == null ? UNKNOWN_ROWS : table.stats().rowCount();
            }
            case Filter filter -> rows(filter.getInput()) * selectivity(filter.getInput(), filter.getCondition());
            case Join join -> joined(join);
            case Aggregate aggregate -> groups(aggregate);
            case Sort sort -> {
                double input = rows(sort.getInput());
                yield sort.fetch instanceof RexLiteral fetch && !fetch.isNull()
                        ? Math.min(input, fetch.getValueAs(BigDecimal.class).doubleValue())
                        : input;
            }
            case QuarrelFunctions functions -> UNKNOWN_ROWS * rows(functions.getInput());
            case Values values -> values.getTuples().size();
            case SetOp set -> set.getInputs().stream().mapToDouble(this::rows).sum();
            default -> rel.getInputs().stream().mapToDouble(this::rows).max().orElse(UNKNOWN_ROWS);
        };
    }

    private double joined(Join join) {
        double left = rows(join.getLeft());
        double right = rows(join.getRight());
        JoinInfo info = join.analyzeCondition();
        double matches = left * right;
        for (int key = 0; key < info.leftKeys.size(); key++) {
            matches /= Math.max(
                    distinct(join.getLeft(), info.leftKeys.get(key)),
                    distinct(join.getRight(), info.rightKeys.get(key)));
        }
        return switch (join.getJoinType()) {
            case SEMI -> Math.min(left, matches);
            case ANTI -> Math.max(left * EQUALITY, left - matches);
            case LEFT_MARK -> left;
            case LEFT -> Math.max(left, matches);
            case FULL -> Math.max(left + right, matches);
            default -> matches;
        };
    }

    private double groups(Aggregate aggregate) {
        double groups = 1;
        for (int key : aggregate.getGroupSet()) {
            groups *= distinct(aggregate.getInput(), key);
        }
        return Math.min(groups, rows(aggregate.getInput()));
    }

    /// Distinct values expected in a column.
    private double distinct(RelNode rel, int column) {
        double all = rows(rel);
        ColumnStats stats = stats(rel, column);
        if (stats == null) {
            return all;
        }
        if (stats.distinctCount() > 0) {
            return Math.min(all, stats.distinctCount());
        }
        boolean isWhole = stats.min() instanceof Long && stats.max() instanceof Long;
        return isWhole ? Math.min(all, number(stats.max()) - number(stats.min()) + 1) : all;
    }

    private static double number(Object value) {
        return value instanceof Number number ? number.doubleValue() : Double.NaN;
    }

    /// The statistics of the table's column that a column is, or null.
    private static ColumnStats stats(RelNode rel, int column) {
        return switch (rel) {
            case TableScan scan -> {
                Table table = tableOf(scan);
                yield table == null ? null : table.stats().columns().get(column);
            }
            case Filter filter -> stats(filter.getInput(), column);
            case Sort sort -> stats(sort.getInput(), column);
            case Project project ->
                project.getProjects().get(column) instanceof RexInputRef input
                        ? stats(project.getInput(), input.getIndex())
                        : null;
            case Join join -> {
                int leftCount = join.getLeft().getRowType().getFieldCount();
                if (column < leftCount) {
                    yield stats(join.getLeft(), column);
                }
                yield join.getJoinType().projectsRight() ? stats(join.getRight(), column - leftCount) : null;
            }
            case Aggregate aggregate ->
                column < aggregate.getGroupCount()
                        ? stats(aggregate.getInput(), aggregate.getGroupSet().nth(column))
                        : null;
            default -> null;
        };
    }

    private static Table tableOf(TableScan scan) {
        QuarrelTable table = scan.getTable() == null ? null : scan.getTable().unwrap(QuarrelTable.class);
        return table == null ? null : table.source();
    }

    /// The share of `rel`'s rows for which a condition is true.
    private double selectivity(RelNode rel, RexNode condition) {
        double share = 1;
        Map<Integer, Double> ranges = new HashMap<>();
        for (RexNode conjunct : RelOptUtil.conjunctions(condition)) {
            double one = single(rel, conjunct);
            Integer column = rangeColumn(conjunct);
            if (column == null) {
                share *= one;
            } else {
                // Two bounds of one column: what each leaves out adds up.
                ranges.merge(column, one, (first, second) -> Math.max(0.0001, first + second - 1));
            }
        }
        for (double range : ranges.values()) {
            share *= range;
        }
        return Math.clamp(share, 1e-9, 1);
    }

    private static Integer rangeColumn(RexNode conjunct) {
        return switch (conjunct.getKind()) {
            case LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL -> {
                List<RexNode> operands = ((RexCall) conjunct).getOperands();
                if (operands.get(0) instanceof RexInputRef column && operands.get(1) instanceof RexLiteral) {
                    yield column.getIndex();
                }
                yield operands.get(1) instanceof RexInputRef column && operands.get(0) instanceof RexLiteral
                        ? column.getIndex()
                        : null;
            }
            default -> null;
        };
    }

    private double single(RelNode rel, RexNode node) {
        if (!(node instanceof RexCall call)) {
            return node.isAlwaysTrue() ? 1 : node.isAlwaysFalse() ? 0 : OTHER;
        }
        List<RexNode> operands = call.getOperands();
        return switch (call.getKind()) {
            case AND -> selectivity(rel, call);
            case OR ->
                Math.min(
                        1,
                        operands.stream()
                                .mapToDouble(operand -> selectivity(rel, operand))
                                .sum());
            case NOT -> 1 - selectivity(rel, operands.getFirst());
            case EQUALS -> equality(rel, operands);
            case NOT_EQUALS -> 1 - equality(rel, operands);
            case LESS_THAN, LESS_THAN_OR_EQUAL -> range(rel, operands.get(0), operands.get(1), true);
            case GREATER_THAN, GREATER_THAN_OR_EQUAL -> range(rel, operands.get(0), operands.get(1), false);
            case IS_NULL -> 0.05;
            case IS_NOT_NULL -> 0.95;
            case LIKE -> EQUALITY;
            default -> OTHER;
        };
    }

    private double equality(RelNode rel, List<RexNode> sides) {
        double most = 0;
        for (RexNode side : sides) {
            if (side instanceof RexInputRef column && stats(rel, column.getIndex()) != null) {
                most = Math.max(most, distinct(rel, column.getIndex()));
            }
        }
        return most > 1 ? 1 / most : EQUALITY;
    }

    private static double range(RelNode rel, RexNode left, RexNode right, boolean below) {
        if (!(left instanceof RexInputRef column)) {
            return right instanceof RexInputRef ? range(rel, right, left, !below) : RANGE;
        }
        ColumnStats stats = stats(rel, column.getIndex());
        double bound = right instanceof RexLiteral literal ? number(literal) : Double.NaN;
        if (stats == null || Double.isNaN(bound)) {
            return RANGE;
        }
        double low = number(stats.min());
        double high = number(stats.max());
        if (Double.isNaN(low) || Double.isNaN(high) || high <= low) {
            return RANGE;
        }
        double share = Math.clamp((bound - low) / (high - low), 0, 1);
        return Math.max(0.0001, below ? share : 1 - share);
    }

    private static double number(RexLiteral literal) {
        if (literal.isNull()) {
            return Double.NaN;
        }
        return switch (literal.getType().getSqlTypeName()) {
            case DATE -> literal.getValueAs(DateString.class).getDaysSinceEpoch();
            case SMALLINT, INTEGER, BIGINT, DECIMAL, DOUBLE, REAL, FLOAT -> number(literal.getValue());
            default -> Double.NaN;
        };
    }
}
