package dev.quarrel.calcite.metadata;

import dev.quarrel.core.table.ColumnStats;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.DateString;

/// How the keys of a join's two sides meet.
///
/// Keys outside of the other side's range and NULLs have no partner: a calendar of two hundred years, of which the
/// sales know five, counts as one of five.
///
/// @param leftShare of the left rows, those whose keys may have a partner
/// @param rightShare of the right rows
/// @param domain different keys that there are on either side among those, before conditions on other columns left some
///     of them out
record KeyMatch(double leftShare, double rightShare, double domain) {
    private static final double LEAST = 1e-6;

    /// Keys between the same two tables hang together and are looked at together; others are independent.
    static KeyMatch of(RowCounts rows, RelNode left, List<Integer> leftKeys, RelNode right, List<Integer> rightKeys) {
        Map<List<Object>, List<Integer>> groups = new LinkedHashMap<>();
        for (int key = 0; key < leftKeys.size(); key++) {
            Lineage one = Lineage.of(left, leftKeys.get(key));
            Lineage other = Lineage.of(right, rightKeys.get(key));
            Object from = one == null ? "computed" : one.scan();
            Object to = other == null ? "computed" : other.scan();
            groups.computeIfAbsent(List.of(from, to), _ -> new ArrayList<>()).add(key);
        }
        KeyMatch all = null;
        for (List<Integer> group : groups.values()) {
            KeyMatch one = ofTables(
                    rows,
                    left,
                    group.stream().map(leftKeys::get).toList(),
                    right,
                    group.stream().map(rightKeys::get).toList());
            all = all == null
                    ? one
                    : new KeyMatch(
                            all.leftShare * one.leftShare, all.rightShare * one.rightShare, all.domain * one.domain);
        }
        return all == null ? new KeyMatch(1, 1, 1) : all;
    }

    private static KeyMatch ofTables(
            RowCounts rows, RelNode left, List<Integer> leftKeys, RelNode right, List<Integer> rightKeys) {
        double leftShare = 1;
        double rightShare = 1;
        for (int key = 0; key < leftKeys.size(); key++) {
            leftShare *= 1 - nulls(Lineage.of(left, leftKeys.get(key)));
            rightShare *= 1 - nulls(Lineage.of(right, rightKeys.get(key)));
        }
        double leftDomain = rows.distincts().domain(left, leftKeys, rows.rows(left));
        double rightDomain = rows.distincts().domain(right, rightKeys, rows.rows(right));
        if (leftKeys.size() == 1) {
            Lineage one = Lineage.of(left, leftKeys.getFirst());
            Lineage other = Lineage.of(right, rightKeys.getFirst());
            Range oneRange = Range.of(one);
            Range otherRange = Range.of(other);
            if (oneRange != null && otherRange != null && one.scan() != other.scan()) {
                Range both = oneRange.and(otherRange);
                leftShare *= inRange(rows, one, oneRange, both);
                rightShare *= inRange(rows, other, otherRange, both);
                leftDomain *= both.partOf(oneRange);
                rightDomain *= both.partOf(otherRange);
            }
        }
        return new KeyMatch(
                Math.max(LEAST, leftShare),
                Math.max(LEAST, rightShare),
                Math.max(1, Math.max(leftDomain, rightDomain)));
    }

    private static double nulls(Lineage lineage) {
        if (lineage == null || lineage.column() < 0 || !lineage.given().isEmpty()) {
            return 0;
        }
        ColumnStats stats = lineage.table().stats().columns().get(lineage.column());
        return stats.nullCount() <= 0
                ? 0
                : (double) stats.nullCount() / lineage.table().stats().rowCount();
    }

    /// The share of a side's rows whose keys are in a range, among those that its conditions leave.
    private static double inRange(RowCounts rows, Lineage key, Range own, Range both) {
        if (both.equals(own)) {
            return 1;
        }
        RexBuilder rexBuilder = key.scan().getCluster().getRexBuilder();
        RelDataType type = key.node().getType();
        List<RexNode> conditions = new ArrayList<>(key.given());
        conditions.add(bound(rexBuilder, SqlStdOperatorTable.GREATER_THAN_OR_EQUAL, key.node(), both.least(), type));
        conditions.add(bound(rexBuilder, SqlStdOperatorTable.LESS_THAN_OR_EQUAL, key.node(), both.greatest(), type));
        double before = key.given().isEmpty() ? 1 : rows.selectivities().ofTable(key.scan(), key.given());
        return Math.clamp(rows.selectivities().ofTable(key.scan(), conditions) / before, LEAST, 1);
    }

    private static RexNode bound(
            RexBuilder rexBuilder, SqlOperator operator, RexNode key, long value, RelDataType type) {
        RexNode literal = type.getSqlTypeName() == SqlTypeName.DATE
                ? rexBuilder.makeDateLiteral(DateString.fromDaysSinceEpoch((int) value))
                : rexBuilder.makeExactLiteral(
                        BigDecimal.valueOf(value), rexBuilder.getTypeFactory().createTypeWithNullability(type, false));
        return rexBuilder.makeCall(operator, key, literal);
    }

    /// Values of a column, by its table's statistics.
    private record Range(long least, long greatest) {
        /// null where they are no whole numbers or dates, or nothing is known of them.
        static Range of(Lineage lineage) {
            if (lineage == null || lineage.column() < 0) {
                return null;
            }
            boolean isHeld =
                    switch (lineage.node().getType().getSqlTypeName()) {
                        case SMALLINT, INTEGER, BIGINT, DATE -> true;
                        default -> false;
                    };
            ColumnStats stats = lineage.table().stats().columns().get(lineage.column());
            return isHeld
                            && stats.min() instanceof Long least
                            && stats.max() instanceof Long greatest
                            && greatest >= least
                            && greatest - least >= 0
                    ? new Range(least, greatest)
                    : null;
        }

        /// Where both are; of two that are apart one value.
        Range and(Range other) {
            long from = Math.max(least, other.least);
            return new Range(from, Math.max(from, Math.min(greatest, other.greatest)));
        }

        double partOf(Range whole) {
            return Math.min(1, (greatest - least + 1.0) / (whole.greatest - whole.least + 1.0));
        }
    }
}
