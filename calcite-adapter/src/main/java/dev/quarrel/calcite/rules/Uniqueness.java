package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.rel.QuarrelTableScan;
import dev.quarrel.calcite.rel.SharedRows;
import dev.quarrel.core.type.Schema;
import java.math.BigDecimal;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;

/// Proves that no two rows of a node are equal in some columns, NULL being equal to NULL: from tables' keys, groupings,
/// UNION, LIMIT 1 and joins. Statistics prove nothing: they estimate distinct values.
final class Uniqueness {
    private static final Set<SqlKind> EQUALITIES = Set.of(SqlKind.EQUALS, SqlKind.IS_NOT_DISTINCT_FROM);

    private Uniqueness() {}

    static boolean isUnique(RelNode rel, ImmutableBitSet columns) {
        return isUnique(rel, columns, ImmutableBitSet.of());
    }

    /// @param present columns with whose NULLs rows do not count
    private static boolean isUnique(RelNode rel, ImmutableBitSet columns, ImmutableBitSet present) {
        return switch (rel.stripped()) {
            case QuarrelTableScan scan -> hasKey(scan, columns, present);
            case Values values -> values.getTuples().size() <= 1;
            case Filter filter -> isUnique(filter.getInput(), columns, present);
            case Sort sort -> isOneRow(sort) || isUnique(sort.getInput(), columns, present);
            case Project project -> isUnique(project.getInput(), below(project, columns), below(project, present));
            case Aggregate aggregate ->
                aggregate.getGroupType() == Aggregate.Group.SIMPLE
                        && columns.contains(ImmutableBitSet.range(aggregate.getGroupCount()));
            case SetOp set ->
                !set.all
                        && columns.contains(
                                ImmutableBitSet.range(set.getRowType().getFieldCount()));
            case SharedRows shared -> isUnique(shared.query().rel(), columns, present);
            case Join join -> ofJoin(join, columns, present);
            default -> false;
        };
    }

    /// The columns below a projection that some of its columns are.
    private static ImmutableBitSet below(Project project, ImmutableBitSet columns) {
        ImmutableBitSet.Builder below = ImmutableBitSet.builder();
        for (int column : columns) {
            if (project.getProjects().get(column) instanceof RexInputRef input) {
                below.set(input.getIndex());
            }
        }
        return below.build();
    }

    /// Rows with NULL in a unique key's column may come twice, unless they do not count.
    private static boolean hasKey(QuarrelTableScan scan, ImmutableBitSet columns, ImmutableBitSet present) {
        Schema schema = scan.source().schema();
        return scan.source().uniqueKeys().stream()
                .anyMatch(key -> key.columns().stream()
                        .map(schema::indexOf)
                        .allMatch(column -> columns.get(column)
                                && (!key.nullsDistinct()
                                        || present.get(column)
                                        || !schema.field(column).nullable())));
    }

    private static boolean isOneRow(Sort sort) {
        return sort.fetch instanceof RexLiteral fetch
                && !fetch.isNull()
                && fetch.getValueAs(BigDecimal.class).compareTo(BigDecimal.ONE) <= 0;
    }

    /// A row of one side that meets one row of the other at most stays as unique as it was. Pairs of rows are as unique
    /// as their sides are together.
    private static boolean ofJoin(Join join, ImmutableBitSet columns, ImmutableBitSet present) {
        int left = join.getLeft().getRowType().getFieldCount();
        ImmutableBitSet ofLeft = columns.intersect(ImmutableBitSet.range(left));
        ImmutableBitSet ofRight = columns.except(ofLeft).shift(-left);
        ImmutableBitSet leftPresent = present.intersect(ImmutableBitSet.range(left));
        ImmutableBitSet rightPresent = present.except(leftPresent).shift(-left);
        JoinRelType type = join.getJoinType();
        return switch (type) {
            case SEMI, ANTI, LEFT_MARK -> isUnique(join.getLeft(), ofLeft, leftPresent);
            case INNER, LEFT -> {
                boolean isLeft = isUnique(join.getLeft(), ofLeft, leftPresent);
                boolean isRight =
                        (isLeft || type == JoinRelType.INNER) && isUnique(join.getRight(), ofRight, rightPresent);
                yield isLeft && isRight
                        || isLeft && hasOneMatch(join)
                        || isRight && type == JoinRelType.INNER && hasOneMatch(join, true);
            }
            default -> false;
        };
    }

    /// Whether a row of the left side has one partner at most.
    static boolean hasOneMatch(Join join) {
        return hasOneMatch(join, false);
    }

    /// @param ofRight whether it is asked of rows of the right side
    private static boolean hasOneMatch(Join join, boolean ofRight) {
        int left = join.getLeft().getRowType().getFieldCount();
        ImmutableBitSet.Builder keys = ImmutableBitSet.builder();
        ImmutableBitSet.Builder present = ImmutableBitSet.builder();
        for (RexNode conjunct : RelOptUtil.conjunctions(join.getCondition())) {
            if (conjunct instanceof RexCall call
                    && call.isA(EQUALITIES)
                    && call.getOperands().get(0) instanceof RexInputRef one
                    && call.getOperands().get(1) instanceof RexInputRef two
                    && one.getIndex() < left != two.getIndex() < left) {
                int ofLeft = Math.min(one.getIndex(), two.getIndex());
                int column = ofRight ? ofLeft : Math.max(one.getIndex(), two.getIndex()) - left;
                keys.set(column);
                if (call.getKind() == SqlKind.EQUALS) {
                    present.set(column);
                }
            }
        }
        return isUnique(ofRight ? join.getLeft() : join.getRight(), keys.build(), present.build());
    }
}
