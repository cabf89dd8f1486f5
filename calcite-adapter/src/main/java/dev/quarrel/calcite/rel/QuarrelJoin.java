package dev.quarrel.calcite.rel;

import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Relation;
import dev.quarrel.core.type.DataType;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.BiRel;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.type.SqlTypeName;

/// A hash join, or a nested-loop join where there are no keys: the right input is the build side, the left one
/// the probe side.
///
/// Its columns are the left ones if the kind carries them, then the right ones if it has payload, then a mark
/// join's mark.
public final class QuarrelJoin extends BiRel implements QuarrelRel {
    private final JoinKind kind;
    private final List<Integer> leftKeys;
    private final List<Integer> rightKeys;
    private final RexNode residual;
    private final Nearest nearest;
    private final Range range;

    /// The order in which an ASOF join takes the nearest of the right rows with equal keys.
    ///
    /// @param left column of the left side
    /// @param right column of the right side, of the same type
    /// @param relation of the left one's value to the right one's
    public record Nearest(int left, int right, Relation relation) {}

    /// Which of the right rows with equal keys may match: those whose column lies between two values of the left row.
    ///
    /// @param right column of the right side
    /// @param lower over the left columns; null for none, which the other bound then is not
    /// @param upper over the left columns; null for none
    /// @param type that column and bounds are compared in
    /// @param prevailing as of [Join.Range]
    public record Range(int right, Bound lower, Bound upper, DataType type, boolean prevailing) {
        /// An end of a range.
        ///
        /// @param end how the column is compared with the value
        public record Bound(RexNode value, Join.Range.Bound end) {}

        /// The values of the bounds that are there, the lower one first.
        public List<RexNode> values() {
            return Stream.of(lower, upper)
                    .filter(Objects::nonNull)
                    .map(Bound::value)
                    .toList();
        }
    }

    /// @param leftKeys columns of the left side, as many as of the right one
    /// @param residual over the left columns, then the right ones; null for none
    public QuarrelJoin(
            RelOptCluster cluster,
            RelTraitSet traits,
            RelNode left,
            RelNode right,
            JoinKind kind,
            List<Integer> leftKeys,
            List<Integer> rightKeys,
            RexNode residual) {
        this(cluster, traits, left, right, kind, leftKeys, rightKeys, residual, null, null);
    }

    /// @param nearest null for a join with all rows
    /// @param range null for a join with all rows
    public QuarrelJoin(
            RelOptCluster cluster,
            RelTraitSet traits,
            RelNode left,
            RelNode right,
            JoinKind kind,
            List<Integer> leftKeys,
            List<Integer> rightKeys,
            RexNode residual,
            Nearest nearest,
            Range range) {
        super(cluster, traits, left, right);
        this.kind = kind;
        this.leftKeys = List.copyOf(leftKeys);
        this.rightKeys = List.copyOf(rightKeys);
        this.residual = residual;
        this.nearest = nearest;
        this.range = range;
    }

    public JoinKind kind() {
        return kind;
    }

    public List<Integer> leftKeys() {
        return leftKeys;
    }

    public List<Integer> rightKeys() {
        return rightKeys;
    }

    public RexNode residual() {
        return residual;
    }

    /// Null for a join with all rows.
    public Nearest nearest() {
        return nearest;
    }

    /// Null for a join with all rows.
    public Range range() {
        return range;
    }

    @Override
    protected RelDataType deriveRowType() {
        RelDataTypeFactory.Builder builder = getCluster().getTypeFactory().builder();
        if (kind.hasCarried()) {
            add(builder, left, kind == JoinKind.RIGHT || kind == JoinKind.FULL);
        }
        if (kind.hasPayload()) {
            add(builder, right, kind == JoinKind.LEFT || kind == JoinKind.FULL);
        }
        if (kind.hasMark()) {
            boolean mayBeNull = kind == JoinKind.MARK_IN
                    || residual != null && residual.getType().isNullable();
            builder.add("mark", SqlTypeName.BOOLEAN).nullable(mayBeNull);
        }
        return builder.uniquify().build();
    }

    private void add(RelDataTypeFactory.Builder builder, RelNode side, boolean mayBeAbsent) {
        RelDataTypeFactory types = getCluster().getTypeFactory();
        for (RelDataTypeField field : side.getRowType().getFieldList()) {
            RelDataType type = mayBeAbsent ? types.createTypeWithNullability(field.getType(), true) : field.getType();
            builder.add(field.getName(), type);
        }
    }

    @Override
    public QuarrelJoin copy(RelTraitSet traits, List<RelNode> inputs) {
        return new QuarrelJoin(
                getCluster(),
                traits,
                inputs.get(0),
                inputs.get(1),
                kind,
                leftKeys,
                rightKeys,
                residual,
                nearest,
                range);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer)
                .item("kind", kind)
                .item("leftKeys", leftKeys)
                .item("rightKeys", rightKeys)
                .itemIf("residual", residual, residual != null)
                .itemIf("nearest", nearest, nearest != null)
                .itemIf("range", range, range != null);
    }

    @Override
    public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery query) {
        double probed = query.getRowCount(left);
        double built = query.getRowCount(right);
        // Building a row costs some times what probing one does.
        return planner.getCostFactory()
                .makeCost(probed + 4 * built, probed + 4 * built, 0)
                .multiplyBy(COST_FACTOR);
    }
}
