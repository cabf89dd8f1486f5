package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.joinorder.JoinGraph;
import dev.quarrel.calcite.metadata.RowCounts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;

/// The graph of a region's joins, and the rows expected of its parts.
///
/// Equalities of columns that mean the same value make classes: of several that a class has between two parts one alone
/// leaves rows out, since the others follow from it and from what the parts have been joined by.
final class JoinRows implements JoinGraph.Estimate {
    private final RowCounts counts;
    private final RexBuilder rexBuilder;
    private final JoinRegion region;
    private final List<RelNode> relations;
    private final Map<Integer, Integer> classes = new HashMap<>(); // of columns; each leads to another, or to itself
    private final List<Keys> keys = new ArrayList<>();
    private final List<Other> others = new ArrayList<>();
    private final double[] attachedShares;

    /// The equalities of columns between two relations.
    ///
    /// @param share of pairs that meet all of them
    /// @param single the share of each alone
    /// @param ofClass the class of each
    private record Keys(long one, long other, double share, double[] single, int[] ofClass) {}

    /// Another condition.
    private record Other(JoinRegion.Condition condition, double share) {}

    private JoinRows(Pushdown pushdown, JoinRegion region, List<RelNode> relations) {
        this.counts = pushdown.metadata().rowCounts();
        this.rexBuilder = pushdown.rexBuilder();
        this.region = region;
        this.relations = relations;
        this.attachedShares = new double[relations.size()];
    }

    static JoinGraph graph(Pushdown pushdown, JoinRegion region, List<RelNode> relations) {
        JoinRows rows = new JoinRows(pushdown, region, relations);
        rows.addConditions();
        double[] own = new double[relations.size()];
        JoinGraph.Attachment[] attached = new JoinGraph.Attachment[own.length];
        List<JoinGraph.Edge> edges = new ArrayList<>();
        for (JoinRegion.Condition condition : region.conditions()) {
            if (condition.left() != 0) {
                edges.add(new JoinGraph.Edge(condition.left(), condition.right(), true));
            } else if (Long.bitCount(condition.needs()) == 2) {
                long one = Long.lowestOneBit(condition.needs());
                edges.add(new JoinGraph.Edge(one, condition.needs() & ~one, false));
            }
        }
        for (int relation = 0; relation < own.length; relation++) {
            own[relation] = rows.counts.rows(relations.get(relation));
            JoinRegion.Attached how = region.attached(relation);
            if (how != null) {
                long needs = region.needsBefore(relation);
                int keys = (int) how.on().stream().filter(rows::isKey).count();
                attached[relation] = new JoinGraph.Attachment(how.kind(), needs, keys);
                edges.add(new JoinGraph.Edge(needs, 1L << relation, keys > 0));
                rows.attachedShares[relation] = rows.attachedShare(relation, how);
            }
        }
        connect(own, attached, edges);
        return new JoinGraph(own, edges, attached, rows);
    }

    private boolean isKey(RexNode condition) {
        return condition.getKind() == SqlKind.EQUALS || condition.getKind() == SqlKind.IS_NOT_DISTINCT_FROM;
    }

    /// Ties relations that no condition does, the smallest one first, so that there is a tree of all.
    private static void connect(double[] rows, JoinGraph.Attachment[] attached, List<JoinGraph.Edge> edges) {
        List<Long> parts = new ArrayList<>();
        for (int relation = 0; relation < rows.length; relation++) {
            parts.add(1L << relation);
        }
        while (parts.size() > 1) {
            boolean changed = true;
            while (changed) {
                changed = false;
                for (JoinGraph.Edge edge : edges) {
                    Long one = partOf(parts, edge.left());
                    Long other = partOf(parts, edge.right());
                    if (one != null && other != null && !one.equals(other)) {
                        parts.remove(one);
                        parts.remove(other);
                        parts.add(one | other);
                        changed = true;
                    }
                }
            }
            if (parts.size() > 1) {
                List<Integer> firsts = new ArrayList<>();
                parts.forEach(part -> firsts.add(smallest(part, rows, attached)));
                firsts.removeIf(first -> first < 0);
                firsts.sort((one, other) -> Double.compare(rows[one], rows[other]));
                edges.add(new JoinGraph.Edge(1L << firsts.get(0), 1L << firsts.get(1), false));
            }
        }
    }

    private static Long partOf(List<Long> parts, long set) {
        for (Long part : parts) {
            if ((set & ~part) == 0) {
                return part;
            }
        }
        return null;
    }

    /// The smallest relation of inner joins; -1 where there is none.
    private static int smallest(long part, double[] rows, JoinGraph.Attachment[] attached) {
        int found = -1;
        for (long rest = part; rest != 0; rest &= rest - 1) {
            int relation = Long.numberOfTrailingZeros(rest);
            if (attached[relation] == null && (found < 0 || rows[relation] < rows[found])) {
                found = relation;
            }
        }
        return found;
    }

    private void addConditions() {
        Map<Long, List<RexCall>> ofPairs = new HashMap<>();
        List<Long> order = new ArrayList<>();
        for (JoinRegion.Condition condition : region.conditions()) {
            if (columns(condition) != null && Long.bitCount(condition.needs()) == 2) {
                if (!ofPairs.containsKey(condition.needs())) {
                    order.add(condition.needs());
                }
                ofPairs.computeIfAbsent(condition.needs(), _ -> new ArrayList<>())
                        .add((RexCall) condition.node());
                int[] columns = columns(condition);
                classes.put(classOf(columns[0]), classOf(columns[1]));
            } else {
                others.add(new Other(condition, share(condition)));
            }
        }
        for (long pair : order) {
            keys.add(keys(pair, ofPairs.get(pair)));
        }
    }

    /// The two columns of an equality of columns, or null.
    private static int[] columns(JoinRegion.Condition condition) {
        if (condition.left() == 0) {
            return null;
        }
        List<RexNode> operands = ((RexCall) condition.node()).getOperands();
        return operands.get(0) instanceof RexInputRef one && operands.get(1) instanceof RexInputRef other
                ? new int[] {one.getIndex(), other.getIndex()}
                : null;
    }

    private int classOf(int column) {
        int found = column;
        while (classes.getOrDefault(found, found) != found) {
            found = classes.get(found);
        }
        return found;
    }

    private Keys keys(long pair, List<RexCall> equalities) {
        int one = Long.numberOfTrailingZeros(pair);
        int other = Long.numberOfTrailingZeros(pair & pair - 1);
        List<Integer> oneColumns = new ArrayList<>();
        List<Integer> otherColumns = new ArrayList<>();
        for (RexCall equality : equalities) {
            int left = ((RexInputRef) equality.getOperands().get(0)).getIndex();
            int right = ((RexInputRef) equality.getOperands().get(1)).getIndex();
            boolean isLeft = left >= region.firstColumn(one) && left < region.firstColumn(other);
            oneColumns.add((isLeft ? left : right) - region.firstColumn(one));
            otherColumns.add((isLeft ? right : left) - region.firstColumn(other));
        }
        double[] single = new double[equalities.size()];
        int[] ofClass = new int[single.length];
        for (int key = 0; key < single.length; key++) {
            single[key] = counts.keyShare(
                    relations.get(one),
                    oneColumns.subList(key, key + 1),
                    relations.get(other),
                    otherColumns.subList(key, key + 1));
            ofClass[key] = classOf(oneColumns.get(key) + region.firstColumn(one));
        }
        double share = single.length == 1
                ? single[0]
                : counts.keyShare(relations.get(one), oneColumns, relations.get(other), otherColumns);
        return new Keys(1L << one, 1L << other, share, single, ofClass);
    }

    /// Of a condition that is no equality of columns: tried on the product of its relations.
    private double share(JoinRegion.Condition condition) {
        return over(List.of(condition.node()), condition.needs());
    }

    private double over(List<RexNode> nodes, long needs) {
        RelNode product = null;
        Map<Integer, Integer> places = new HashMap<>();
        for (long rest = needs; rest != 0; rest &= rest - 1) {
            int relation = Long.numberOfTrailingZeros(rest);
            RelNode each = relations.get(relation);
            int first = product == null ? 0 : product.getRowType().getFieldCount();
            for (int column = 0; column < each.getRowType().getFieldCount(); column++) {
                places.put(region.firstColumn(relation) + column, first + column);
            }
            product = product == null
                    ? each
                    : LogicalJoin.create(
                            product, each, List.of(), rexBuilder.makeLiteral(true), Set.of(), JoinRelType.INNER);
        }
        RexNode condition = RexUtil.composeConjunction(rexBuilder, nodes);
        for (int column : RelOptUtil.InputFinder.bits(condition)) {
            if (!places.containsKey(column)) {
                return 0.5; // a mark
            }
        }
        RexNode moved = condition.accept(new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef input) {
                return new RexInputRef(places.get(input.getIndex()), input.getType());
            }
        });
        return counts.share(product, moved);
    }

    /// Of a semi or anti join the share of rows that it keeps; of a left join how many rows come of one.
    private double attachedShare(int relation, JoinRegion.Attached how) {
        RelNode right = relations.get(relation);
        List<Integer> leftColumns = new ArrayList<>();
        List<Integer> rightColumns = new ArrayList<>();
        long lefts = 0;
        List<RexNode> residual = new ArrayList<>();
        for (RexNode condition : how.on()) {
            int[] columns = isKey(condition) ? columnsOf((RexCall) condition, relation) : null;
            if (columns == null) {
                residual.add(condition);
            } else {
                leftColumns.add(columns[0]);
                rightColumns.add(columns[1] - region.firstColumn(relation));
                lefts |= 1L << relationOf(columns[0]);
            }
        }
        if (Long.bitCount(lefts) != 1 || how.type() == JoinRelType.LEFT_MARK) {
            return how.type() == JoinRelType.ANTI ? 0.5 : how.type() == JoinRelType.SEMI ? 0.5 : 1;
        }
        int from = Long.numberOfTrailingZeros(lefts);
        RelNode left = relations.get(from);
        List<Integer> own = leftColumns.stream()
                .map(column -> column - region.firstColumn(from))
                .toList();
        double rest = residual.stream().mapToDouble(counts::guess).reduce(1, (one, other) -> one * other);
        double matched = counts.matchedShare(left, own, right, rightColumns, rest);
        return switch (how.type()) {
            case SEMI -> matched;
            case ANTI -> Math.max(0.05, 1 - matched);
            default -> Math.max(1, counts.keyShare(left, own, right, rightColumns) * counts.rows(right) * rest);
        };
    }

    private int relationOf(int column) {
        int relation = relations.size() - 1;
        while (region.firstColumn(relation) > column) {
            relation--;
        }
        return relation;
    }

    /// The column of another relation, and that of this one, that an equality has.
    private int[] columnsOf(RexCall equality, int relation) {
        if (!(equality.getOperands().get(0) instanceof RexInputRef one)
                || !(equality.getOperands().get(1) instanceof RexInputRef other)) {
            return null;
        }
        boolean isOther = relationOf(one.getIndex()) == relation;
        int left = isOther ? other.getIndex() : one.getIndex();
        int right = isOther ? one.getIndex() : other.getIndex();
        int from = relationOf(left);
        boolean isMark = left - region.firstColumn(from)
                >= relations.get(from).getRowType().getFieldCount();
        return relationOf(right) == relation && from != relation && !isMark ? new int[] {left, right} : null;
    }

    @Override
    public double rows(long set, long one, double oneRows, long other, double otherRows) {
        double share = 1;
        for (Other each : others) {
            if (each.condition().isNew(set, one, other)) {
                share *= each.share();
            }
        }
        double attached = attached(one, oneRows, other, otherRows);
        return attached >= 0 ? attached * share : oneRows * otherRows * share * keyShare(one, other);
    }

    /// -1 where neither part is a relation that is attached to the other.
    private double attached(long one, double oneRows, long other, double otherRows) {
        if (Long.bitCount(other) == 1 && region.attached(Long.numberOfTrailingZeros(other)) != null) {
            return oneRows * attachedShares[Long.numberOfTrailingZeros(other)];
        }
        return Long.bitCount(one) == 1 && region.attached(Long.numberOfTrailingZeros(one)) != null
                ? otherRows * attachedShares[Long.numberOfTrailingZeros(one)]
                : -1;
    }

    private double keyShare(long one, long other) {
        List<Keys> crossing = new ArrayList<>();
        Map<Integer, Integer> seen = new HashMap<>();
        boolean isShared = false;
        for (Keys each : keys) {
            boolean crosses = (each.one() & one) != 0 && (each.other() & other) != 0
                    || (each.one() & other) != 0 && (each.other() & one) != 0;
            if (crosses) {
                crossing.add(each);
                for (int ofClass : each.ofClass()) {
                    isShared |= seen.merge(ofClass, 1, Integer::sum) > 1;
                }
            }
        }
        if (!isShared) {
            return crossing.stream().mapToDouble(Keys::share).reduce(1, (left, right) -> left * right);
        }
        Map<Integer, Double> shares = new HashMap<>();
        for (Keys each : crossing) {
            for (int key = 0; key < each.single().length; key++) {
                shares.merge(each.ofClass()[key], each.single()[key], Math::max);
            }
        }
        double product =
                shares.values().stream().mapToDouble(Double::doubleValue).reduce(1, (left, right) -> left * right);
        double[] least = crossing.stream().mapToDouble(Keys::share).toArray();
        // Keys of several columns hang together: all of them leave no fewer pairs than the strictest pair of relations.
        return Math.max(product, Arrays.stream(least).min().orElse(1) * 0.1);
    }
}
