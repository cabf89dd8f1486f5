package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.rel.LiftedLiteral;
import dev.quarrel.calcite.schema.QuarrelTable;
import dev.quarrel.core.table.ColumnStats;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.util.DateString;
import org.apache.calcite.util.TimestampString;

/// What a plan hopes of the bounds that a filter sets to a column: the share of the column's range between them. Bounds
/// that leave ten times more or less may want another plan.
///
/// @param least of the column's values
/// @param greatest of them, more than `least`
/// @param hoped the share for the literals that the plan was made with
public record RangeGuard(double least, double greatest, List<Bound> bounds, double hoped) {
    private static final double MOST_CHANGE = 10;

    /// Shares below are all the same to a plan.
    private static final double SMALL = 0.0001;

    /// One bound.
    ///
    /// @param literal a LiftedLiteral, or a RexLiteral
    record Bound(RexNode literal, boolean isUpper) {}

    public RangeGuard {
        bounds = List.copyOf(bounds);
    }

    /// Whether the plan is as good for other values.
    ///
    /// @param values of literals; null for one that is not known
    public boolean holds(Function<LiftedLiteral, RexLiteral> values) {
        double share = share(values);
        // NaN, of a literal that is not known, is neither.
        return share <= hoped * MOST_CHANGE && hoped <= share * MOST_CHANGE;
    }

    private double share(Function<LiftedLiteral, RexLiteral> values) {
        double low = 0;
        double high = 1;
        for (Bound bound : bounds) {
            RexLiteral literal = bound.literal() instanceof LiftedLiteral lifted
                    ? values.apply(lifted)
                    : (RexLiteral) bound.literal();
            if (literal == null) {
                return Double.NaN;
            }
            double place = Math.clamp((number(literal) - least) / (greatest - least), 0, 1);
            if (bound.isUpper()) {
                high = Math.min(high, place);
            } else {
                low = Math.max(low, place);
            }
        }
        return Math.max(SMALL, high - low);
    }

    /// Those of a tree's filters.
    static List<RangeGuard> of(Filter filter) {
        Map<Integer, List<Bound>> bounds = new HashMap<>();
        for (RexNode conjunct : RelOptUtil.conjunctions(filter.getCondition())) {
            if (conjunct instanceof RexCall call && call.getOperands().size() == 2) {
                RexNode left = call.getOperands().get(0);
                RexNode right = call.getOperands().get(1);
                switch (call.getKind()) {
                    case LESS_THAN, LESS_THAN_OR_EQUAL -> add(bounds, left, right);
                    case GREATER_THAN, GREATER_THAN_OR_EQUAL -> add(bounds, right, left);
                    default -> {}
                }
            }
        }
        List<RangeGuard> guards = new ArrayList<>();
        bounds.forEach((column, all) -> {
            ColumnStats stats = stats(filter.getInput(), column);
            boolean isAnyFree = all.stream().anyMatch(each -> each.literal() instanceof LiftedLiteral);
            if (stats != null
                    && isAnyFree
                    && stats.min() instanceof Number least
                    && stats.max() instanceof Number greatest
                    && greatest.doubleValue() > least.doubleValue()) {
                RangeGuard guard = new RangeGuard(least.doubleValue(), greatest.doubleValue(), all, 1);
                guards.add(new RangeGuard(guard.least, guard.greatest, all, guard.share(LiftedLiteral::literal)));
            }
        });
        return guards;
    }

    /// `small` is below `large`.
    private static void add(Map<Integer, List<Bound>> bounds, RexNode small, RexNode large) {
        if (small instanceof RexInputRef column && isNumber(large)) {
            bounds.computeIfAbsent(column.getIndex(), _ -> new ArrayList<>()).add(new Bound(large, true));
        } else if (large instanceof RexInputRef column && isNumber(small)) {
            bounds.computeIfAbsent(column.getIndex(), _ -> new ArrayList<>()).add(new Bound(small, false));
        }
    }

    private static boolean isNumber(RexNode node) {
        RexLiteral literal = LiftedLiteral.peek(node);
        return literal != null && !literal.isNull() && !Double.isNaN(number(literal));
    }

    private static double number(RexLiteral literal) {
        return switch (literal.getType().getSqlTypeName()) {
            case DATE -> literal.getValueAs(DateString.class).getDaysSinceEpoch();
            case TIMESTAMP, TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                literal.getValueAs(TimestampString.class).getMillisSinceEpoch() * 1000.0;
            case SMALLINT, INTEGER, BIGINT, DECIMAL ->
                literal.getValueAs(BigDecimal.class).doubleValue();
            case DOUBLE -> literal.getValueAs(Double.class);
            default -> Double.NaN;
        };
    }

    /// The statistics of the table's column that a column is, or null.
    private static ColumnStats stats(RelNode rel, int column) {
        return switch (rel) {
            case TableScan scan -> {
                QuarrelTable table =
                        scan.getTable() == null ? null : scan.getTable().unwrap(QuarrelTable.class);
                yield table == null ? null : table.source().stats().columns().get(column);
            }
            case Filter filter -> stats(filter.getInput(), column);
            case Sort sort -> stats(sort.getInput(), column);
            case Project project ->
                project.getProjects().get(column) instanceof RexInputRef input
                        ? stats(project.getInput(), input.getIndex())
                        : null;
            case Join join -> {
                int left = join.getLeft().getRowType().getFieldCount();
                if (column < left) {
                    yield stats(join.getLeft(), column);
                }
                yield join.getJoinType().projectsRight() ? stats(join.getRight(), column - left) : null;
            }
            case Aggregate aggregate ->
                column < aggregate.getGroupCount()
                        ? stats(aggregate.getInput(), aggregate.getGroupSet().nth(column))
                        : null;
            default -> null;
        };
    }
}
