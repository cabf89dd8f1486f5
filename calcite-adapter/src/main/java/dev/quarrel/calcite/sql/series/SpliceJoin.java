package dev.quarrel.calcite.sql.series;

import dev.quarrel.calcite.rel.AsofJoin;
import dev.quarrel.calcite.rel.WithRows;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.core.ir.Relation;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalUnion;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// The rows of a SPLICE join, which is a full ASOF join: each row of either side, beside the other side's last row of
/// equal keys that is not later.
///
/// Rows of equal keys and one time are paired in the order of their sides, the first with the first; those that one
/// side has more of stand beside the other's last one. So they are what three joins give, of sides whose rows are
/// numbered within their key and time:
///
/// ```sql
/// SELECT … FROM l JOIN r ON l.key = r.key AND l.time = r.time AND l.number = r.number
/// UNION ALL SELECT … FROM (those of l without such an r) l ASOF LEFT JOIN r ON l.key = r.key AND l.time >= r.time
/// UNION ALL SELECT … FROM (those of r without such an l) r ASOF LEFT JOIN l ON l.key = r.key AND r.time >= l.time
/// ```
///
/// - Nulls: a row whose time or one of whose keys is NULL is there alone.
/// - Source: QuestDB's SpliceJoinLightRecordCursorFactory, of joins without keys. With keys it passes over a row where
///   the other side's next row has another key; here each key's rows are those of a join of them alone.
public final class SpliceJoin {
    private final RexMaker maker;

    public SpliceJoin(RexMaker maker) {
        this.maker = maker;
    }

    /// A side of the join.
    ///
    /// @param rel its rows; the last column is the number of each among those of its keys and time
    /// @param keys columns of it
    /// @param time a column of it
    /// @param width how many of its first columns the join has
    public record Side(RelNode rel, List<Integer> keys, int time, int width) {
        public Side {
            keys = List.copyOf(keys);
        }

        private Side with(RelNode rows) {
            return new Side(rows, keys, time, width);
        }

        /// Where the number is.
        private int number() {
            return rel.getRowType().getFieldCount() - 1;
        }
    }

    /// The join's rows: the left side's first columns, the right side's, and the time at which the row happened that is
    /// the later one.
    public RelNode of(Side left, Side right) {
        Side lefts = madeOnce(left);
        Side rights = madeOnce(right);
        RelNode pairs = LogicalJoin.create(
                lefts.rel, rights.rel, List.of(), isPair(lefts, rights), Set.of(), JoinRelType.INNER);
        RelNode ofLeft = nearest(without(lefts, rights), rights);
        RelNode ofRight = nearest(without(rights, lefts), lefts);
        int behindLeft = lefts.number() + 1;
        int behindRight = rights.number() + 1;
        return LogicalUnion.create(
                List.of(
                        columns(pairs, range(0, left.width), range(behindLeft, right.width), left.time),
                        columns(ofLeft, range(0, left.width), range(behindLeft, right.width), left.time),
                        columns(ofRight, range(behindRight, left.width), range(0, right.width), right.time)),
                true);
    }

    private static Side madeOnce(Side side) {
        return side.with(WithRows.of(side.rel, new WithRows.Query("splice join", WithRows.Materialized.YES)));
    }

    private RexNode isPair(Side left, Side right) {
        List<RexNode> conditions = new ArrayList<>();
        for (int key = 0; key < left.keys.size(); key++) {
            conditions.add(equal(left, left.keys.get(key), right, right.keys.get(key)));
        }
        conditions.add(equal(left, left.time, right, right.time));
        conditions.add(equal(left, left.number(), right, right.number()));
        return maker.and(conditions);
    }

    private RexNode equal(Side left, int column, Side right, int other) {
        RexNode one = maker.builder().makeInputRef(left.rel, column);
        RexNode two = RexUtil.shift(
                maker.builder().makeInputRef(right.rel, other),
                left.rel.getRowType().getFieldCount());
        return maker.call(SqlStdOperatorTable.EQUALS, maker.bool(), one, two);
    }

    /// A side's rows that none of the other side is paired with.
    private Side without(Side side, Side other) {
        return side.with(
                LogicalJoin.create(side.rel, other.rel, List.of(), isPair(side, other), Set.of(), JoinRelType.ANTI));
    }

    private RelNode nearest(Side side, Side other) {
        RexNode time = maker.builder().makeInputRef(other.rel, other.time);
        RelNode timed = time.getType().isNullable()
                ? LogicalFilter.create(other.rel, maker.call(SqlStdOperatorTable.IS_NOT_NULL, maker.bool(), time))
                : other.rel;
        return AsofJoin.of(
                side.rel,
                timed,
                new AsofJoin.Match(side.keys, other.keys, side.time, other.time, Relation.GE, -1, true));
    }

    private static IntStream range(int first, int count) {
        return IntStream.range(first, first + count);
    }

    private RelNode columns(RelNode rel, IntStream left, IntStream right, int time) {
        List<RexNode> columns = IntStream.concat(IntStream.concat(left, right), IntStream.of(time))
                .<RexNode>mapToObj(column -> maker.builder().makeInputRef(rel, column))
                .toList();
        return LogicalProject.create(rel, List.of(), columns, (List<String>) null, Set.of());
    }
}
