package dev.quarrel.calcite.metadata;

import dev.quarrel.calcite.rel.AsofJoin;
import dev.quarrel.calcite.rel.QuarrelFunctions;
import dev.quarrel.calcite.rel.QuarrelGroupingSets;
import dev.quarrel.calcite.rel.QuarrelJoin;
import dev.quarrel.calcite.rel.QuarrelRecursion;
import dev.quarrel.calcite.rel.SharedRows;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.table.Table;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinInfo;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.util.ImmutableBitSet;

/// How many rows each node is expected to give. One thread uses it, for one statement.
public final class RowCounts {
    private static final double UNKNOWN_ROWS = 100;

    /// Rows of a recursive query for one of its first term: a guess.
    private static final double ROUNDS = 10;

    private final Map<RelNode, Double> rows = new IdentityHashMap<>();
    private final Selectivities selectivities = new Selectivities(this);
    private final Distincts distincts = new Distincts(this);

    Selectivities selectivities() {
        return selectivities;
    }

    Distincts distincts() {
        return distincts;
    }

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
                Table table = Lineage.table(scan);
                yield table == null ? UNKNOWN_ROWS : table.stats().rowCount();
            }
            case Filter filter -> rows(filter.getInput()) * selectivities.of(filter.getInput(), filter.getCondition());
            case Project project -> rows(project.getInput());
            case SharedRows shared -> rows(shared.query().rel());
            case Join join -> joined(join);
            case AsofJoin join -> rows(join.getLeft());
            case QuarrelJoin join -> joined(join);
            case Aggregate aggregate -> groups(aggregate.getInput(), aggregate.getGroupSets());
            case QuarrelGroupingSets sets ->
                groups(
                        sets.getInput(),
                        sets.sets().stream().map(QuarrelGroupingSets.Set::keys).toList());
            case Sort sort -> sorted(sort);
            case QuarrelFunctions functions -> UNKNOWN_ROWS * rows(functions.getInput());
            case QuarrelRecursion recursion -> ROUNDS * rows(recursion.getLeft());
            case Values values -> values.getTuples().size();
            case SetOp set -> set.getInputs().stream().mapToDouble(this::rows).sum();
            default -> rel.getInputs().stream().mapToDouble(this::rows).max().orElse(UNKNOWN_ROWS);
        };
    }

    private double sorted(Sort sort) {
        double input = rows(sort.getInput());
        return sort.fetch instanceof RexLiteral fetch && !fetch.isNull()
                ? Math.min(input, fetch.getValueAs(BigDecimal.class).doubleValue())
                : input;
    }

    private double groups(RelNode input, List<ImmutableBitSet> sets) {
        double rows = rows(input);
        double groups = 0;
        for (ImmutableBitSet set : sets) {
            groups += set.isEmpty() ? 1 : distincts.of(input, set.asList(), rows);
        }
        return groups;
    }

    private double joined(Join join) {
        JoinInfo info = join.analyzeCondition();
        Sides sides = new Sides(
                join.getLeft(),
                join.getRight(),
                info.leftKeys,
                info.rightKeys,
                info.nonEquiConditions.isEmpty() ? 1 : selectivityOf(join, info.nonEquiConditions));
        return switch (join.getJoinType()) {
            case SEMI -> sides.leftMatched();
            case ANTI -> sides.leftAlone();
            case LEFT_MARK -> rows(join.getLeft());
            case LEFT -> Math.max(rows(join.getLeft()), sides.pairs());
            case RIGHT -> Math.max(rows(join.getRight()), sides.pairs());
            case FULL -> Math.max(rows(join.getLeft()) + rows(join.getRight()) / 2, sides.pairs());
            default -> sides.pairs();
        };
    }

    /// The share of pairs of two nodes' rows whose keys are equal.
    public double keyShare(RelNode left, List<Integer> leftKeys, RelNode right, List<Integer> rightKeys) {
        KeyMatch match = KeyMatch.of(this, left, leftKeys, right, rightKeys);
        return match.leftShare() * match.rightShare() / match.domain();
    }

    /// The share of left rows for which there is a right one of equal keys.
    ///
    /// @param residual the share of pairs with equal keys that count
    public double matchedShare(
            RelNode left, List<Integer> leftKeys, RelNode right, List<Integer> rightKeys, double residual) {
        return new Sides(left, right, leftKeys, rightKeys, residual).leftMatched() / rows(left);
    }

    /// Rows of a node that have one value of some columns.
    public double perKey(RelNode rel, List<Integer> keys) {
        double all = rows(rel);
        return all / distincts.of(rel, keys, all);
    }

    /// The same, where columns of which nothing is known have one value.
    public double mostPerKey(RelNode rel, List<Integer> keys) {
        return perKey(
                rel, keys.stream().filter(key -> Lineage.of(rel, key) != null).toList());
    }

    /// The share of a node's rows for which a condition is true.
    public double share(RelNode rel, RexNode condition) {
        return selectivities.of(rel, condition);
    }

    /// The share for which a condition is true of which nothing is known but its kind.
    public double guess(RexNode condition) {
        return selectivities.guess(condition);
    }

    /// The share of an outer join's rows that have no partner on the side whose columns become NULL.
    double withoutPartner(RelNode outer) {
        Sides sides =
                switch (outer) {
                    case Join join
                    when join.getJoinType() == JoinRelType.LEFT -> {
                        JoinInfo info = join.analyzeCondition();
                        yield new Sides(join.getLeft(), join.getRight(), info.leftKeys, info.rightKeys, 1);
                    }
                    case QuarrelJoin join
                    when join.kind() == JoinKind.LEFT ->
                        new Sides(join.getLeft(), join.getRight(), join.leftKeys(), join.rightKeys(), 1);
                    case QuarrelJoin join
                    when join.kind() == JoinKind.RIGHT ->
                        new Sides(join.getRight(), join.getLeft(), join.rightKeys(), join.leftKeys(), 1);
                    default -> null;
                };
        return sides == null ? 0.3 : sides.leftAlone() / rows(outer);
    }

    private double selectivityOf(Join join, List<RexNode> conditions) {
        double share = 1;
        for (RexNode condition : conditions) {
            for (RexNode conjunct : RelOptUtil.conjunctions(condition)) {
                share *= selectivities.ofPair(join, conjunct);
            }
        }
        return share;
    }

    private double joined(QuarrelJoin join) {
        if (join.nearest() != null) {
            return rows(join.getLeft());
        }
        double residual = 1;
        if (join.residual() != null) {
            for (RexNode conjunct : RelOptUtil.conjunctions(join.residual())) {
                residual *= selectivities.guess(conjunct);
            }
        }
        if (join.range() != null) {
            residual *= join.range().lower() == null ? 1 : Selectivities.RANGE;
            residual *= join.range().upper() == null ? 1 : Selectivities.RANGE;
        }
        Sides sides = new Sides(join.getLeft(), join.getRight(), join.leftKeys(), join.rightKeys(), residual);
        double left = rows(join.getLeft());
        double right = rows(join.getRight());
        return switch (join.kind()) {
            case INNER -> sides.pairs();
            case LEFT -> Math.max(left, sides.pairs());
            case RIGHT -> Math.max(right, sides.pairs());
            case FULL -> Math.max(left + right / 2, sides.pairs());
            case SEMI -> sides.leftMatched();
            case ANTI -> sides.leftAlone();
            case RIGHT_SEMI -> sides.turned().leftMatched();
            case RIGHT_ANTI -> sides.turned().leftAlone();
            case MARK, MARK_IN -> left;
        };
    }

    /// The two sides of a join by equal keys.
    ///
    /// @param residual the share of pairs with equal keys that the join keeps
    private final class Sides {
        private final RelNode left;
        private final RelNode right;
        private final List<Integer> leftKeys;
        private final List<Integer> rightKeys;
        private final double residual;
        private KeyMatch match;

        Sides(RelNode left, RelNode right, List<Integer> leftKeys, List<Integer> rightKeys, double residual) {
            this.left = left;
            this.right = right;
            // Of `a = x and a = y` the second follows where x = y was asked below, as it is nearly always.
            List<Integer> lefts = new ArrayList<>();
            List<Integer> rights = new ArrayList<>();
            for (int key = 0; key < leftKeys.size(); key++) {
                if (!lefts.contains(leftKeys.get(key)) && !rights.contains(rightKeys.get(key))) {
                    lefts.add(leftKeys.get(key));
                    rights.add(rightKeys.get(key));
                }
            }
            this.leftKeys = lefts;
            this.rightKeys = rights;
            this.residual = residual;
        }

        Sides turned() {
            return new Sides(right, left, rightKeys, leftKeys, residual);
        }

        private KeyMatch match() {
            if (match == null) {
                match = KeyMatch.of(RowCounts.this, left, leftKeys, right, rightKeys);
            }
            return match;
        }

        double pairs() {
            double all = rows(left) * rows(right) * residual;
            return leftKeys.isEmpty() ? all : all * match().leftShare() * match().rightShare() / match().domain();
        }

        /// Left rows that have a partner.
        double leftMatched() {
            double all = rows(left);
            if (leftKeys.isEmpty()) {
                return all * Math.min(1, rows(right) * residual);
            }
            double partners = Math.max(1, rows(right) * match().rightShare());
            double there = distincts.of(right, rightKeys, partners);
            double each = partners / there * residual; // partners of a key that is there
            return all * match().leftShare() * Math.min(1, there / match().domain()) * Math.min(1, each);
        }

        double leftAlone() {
            double all = rows(left);
            // Whoever asks for rows without a partner expects some.
            return Math.max(all * 0.05, all - leftMatched());
        }
    }
}
