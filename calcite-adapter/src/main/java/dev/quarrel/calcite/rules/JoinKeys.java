package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.lower.PipelineEmitter;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.ImmutableBitSet;

/// A join's condition, split into equalities between the two sides and the remaining conditions.
///
/// @param pairs each over its own side's columns
/// @param residual over both sides' columns
record JoinKeys(List<Pair> pairs, List<RexNode> residual) {
    record Pair(RexNode left, RexNode right) {}

    static JoinKeys of(RelNode left, RelNode right, RexNode condition, RexBuilder rexBuilder) {
        int leftCount = left.getRowType().getFieldCount();
        int count = leftCount + right.getRowType().getFieldCount();
        List<Pair> pairs = new ArrayList<>();
        List<RexNode> residual = new ArrayList<>();
        for (RexNode conjunct : RelOptUtil.conjunctions(condition)) {
            Pair pair = pair(conjunct, leftCount, count);
            if (pair == null
                    || PipelineEmitter.joinKeyType(
                                    pair.left().getType(), pair.right().getType())
                            == null) {
                residual.add(conjunct);
            } else if (conjunct.getKind() == SqlKind.EQUALS
                    || !pair.left().getType().isNullable()
                            && !pair.right().getType().isNullable()) {
                pairs.add(pair);
            } else if (pair.left().getType().getSqlTypeName()
                    == pair.right().getType().getSqlTypeName()) {
                addNullSafe(pair, pairs, rexBuilder);
            } else {
                residual.add(conjunct);
            }
        }
        return new JoinKeys(List.copyOf(pairs), List.copyOf(residual));
    }

    /// The same of the join whose sides have changed places.
    JoinKeys turned(int leftCount, int rightCount) {
        return new JoinKeys(
                pairs.stream().map(pair -> new Pair(pair.right, pair.left)).toList(),
                residual.stream()
                        .map(node -> node.accept(new RexShuttle() {
                            @Override
                            public RexNode visitInputRef(RexInputRef input) {
                                int index = input.getIndex();
                                return new RexInputRef(
                                        index < leftCount ? index + rightCount : index - leftCount, input.getType());
                            }
                        }))
                        .toList());
    }

    /// A mark join's condition, split the same way. Its result may be NULL, so an equality becomes a pair only
    /// if it is never NULL, or if it is the whole condition.
    ///
    /// @param isIn whether the one key is compared as IN does, with NULL for unknown
    record Mark(List<Pair> pairs, List<RexNode> residual, boolean isIn) {}

    static Mark ofMark(RelNode left, RelNode right, RexNode condition) {
        int leftCount = left.getRowType().getFieldCount();
        int count = leftCount + right.getRowType().getFieldCount();
        List<Pair> pairs = new ArrayList<>();
        List<RexNode> residual = new ArrayList<>();
        List<RexNode> conjuncts = RelOptUtil.conjunctions(condition);
        for (RexNode conjunct : conjuncts) {
            boolean isTest = conjunct.getKind() == SqlKind.IS_TRUE;
            RexNode equality = isTest ? ((RexCall) conjunct).getOperands().getFirst() : conjunct;
            Pair pair = equality.getKind() == SqlKind.EQUALS ? pair(equality, leftCount, count) : null;
            boolean isKey = pair != null
                    && PipelineEmitter.joinKeyType(
                                    pair.left().getType(), pair.right().getType())
                            != null;
            boolean isKnown = isKey
                    && (isTest
                            || !pair.left().getType().isNullable()
                                    && !pair.right().getType().isNullable());
            if (isKey && (isKnown || conjuncts.size() == 1)) {
                pairs.add(pair);
                if (!isKnown) {
                    return new Mark(pairs, residual, true);
                }
            } else {
                residual.add(conjunct);
            }
        }
        return new Mark(pairs, residual, false);
    }

    private static Pair pair(RexNode conjunct, int leftCount, int count) {
        if (conjunct.getKind() != SqlKind.EQUALS && conjunct.getKind() != SqlKind.IS_NOT_DISTINCT_FROM) {
            return null;
        }
        RexNode one = ((RexCall) conjunct).getOperands().get(0);
        RexNode other = ((RexCall) conjunct).getOperands().get(1);
        ImmutableBitSet left = ImmutableBitSet.range(leftCount);
        ImmutableBitSet right = ImmutableBitSet.range(leftCount, count);
        ImmutableBitSet oneBits = RelOptUtil.InputFinder.bits(one);
        ImmutableBitSet otherBits = RelOptUtil.InputFinder.bits(other);
        if (oneBits.isEmpty() || otherBits.isEmpty()) {
            return null;
        }
        if (left.contains(oneBits) && right.contains(otherBits)) {
            return new Pair(one, shiftFrom(other, 0, -leftCount));
        }
        return left.contains(otherBits) && right.contains(oneBits)
                ? new Pair(other, shiftFrom(one, 0, -leftCount))
                : null;
    }

    /// Hash joins never match NULL: so whether a key is NULL becomes a key, and NULL becomes some value.
    private static void addNullSafe(Pair pair, List<Pair> pairs, RexBuilder rexBuilder) {
        pairs.add(new Pair(
                rexBuilder.makeCall(SqlStdOperatorTable.IS_NULL, pair.left()),
                rexBuilder.makeCall(SqlStdOperatorTable.IS_NULL, pair.right())));
        pairs.add(new Pair(orZero(pair.left(), rexBuilder), orZero(pair.right(), rexBuilder)));
    }

    private static RexNode orZero(RexNode node, RexBuilder rexBuilder) {
        RelDataType type = rexBuilder.getTypeFactory().createTypeWithNullability(node.getType(), false);
        RexNode zero =
                switch (SqlTypes.dataType(type)) {
                    // Constants of these are texts that are read.
                    case DataType.Uuid _ ->
                        rexBuilder.makeAbstractCast(type, rexBuilder.makeLiteral(new UUID(0, 0).toString()), false);
                    case DataType.Binary _ -> rexBuilder.makeAbstractCast(type, rexBuilder.makeLiteral(""), false);
                    case DataType.Time _, DataType.Interval _ ->
                        rexBuilder.makeAbstractCast(type, rexBuilder.makeLiteral("00:00:00"), false);
                    default -> rexBuilder.makeZeroRexNode(type);
                };
        return rexBuilder.makeCall(type, SqlStdOperatorTable.COALESCE, List.of(node, zero));
    }

    /// The node with references to columns from `first` on moved by `offset`.
    static RexNode shiftFrom(RexNode node, int first, int offset) {
        return node.accept(new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef input) {
                return input.getIndex() < first ? input : new RexInputRef(input.getIndex() + offset, input.getType());
            }
        });
    }
}
