package dev.quarrel.calcite.rel;

import dev.quarrel.core.ir.Relation;
import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.BiRel;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeField;

/// Each left row with the one right row of equal keys that is the nearest in an order; what the nearest is, is said at
/// [dev.quarrel.core.ir.Join.Nearest]. Everything is a column of its sides, so that no rule finds an expression here.
/// It becomes a [QuarrelJoin].
public final class AsofJoin extends BiRel {
    private final Match match;

    /// What matches.
    ///
    /// @param leftKeys columns that are equal to those of `rightKeys`; none: all rows are candidates
    /// @param left the column in whose order rows are near
    /// @param right that of the right side
    /// @param relation of the left one's value to the right one's
    /// @param bound column of the left side that the right one's value must not be less than; -1 for none. With LE
    /// or     LT: that it must not be greater than
    /// @param keepsLeft whether a left row without a match stays, as of a LEFT JOIN
    public record Match(
            List<Integer> leftKeys,
            List<Integer> rightKeys,
            int left,
            int right,
            Relation relation,
            int bound,
            boolean keepsLeft) {
        public Match {
            leftKeys = List.copyOf(leftKeys);
            rightKeys = List.copyOf(rightKeys);
        }
    }

    private AsofJoin(RelOptCluster cluster, RelTraitSet traits, RelNode left, RelNode right, Match match) {
        super(cluster, traits, left, right);
        this.match = match;
    }

    public static AsofJoin of(RelNode left, RelNode right, Match match) {
        return new AsofJoin(left.getCluster(), left.getTraitSet(), left, right, match);
    }

    public Match match() {
        return match;
    }

    @Override
    protected RelDataType deriveRowType() {
        RelDataTypeFactory types = getCluster().getTypeFactory();
        RelDataTypeFactory.Builder builder = types.builder();
        builder.addAll(left.getRowType().getFieldList());
        for (RelDataTypeField field : right.getRowType().getFieldList()) {
            builder.add(
                    field.getName(),
                    match.keepsLeft ? types.createTypeWithNullability(field.getType(), true) : field.getType());
        }
        return builder.uniquify().build();
    }

    @Override
    public AsofJoin copy(RelTraitSet traits, List<RelNode> inputs) {
        return new AsofJoin(getCluster(), traits, inputs.get(0), inputs.get(1), match);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("match", match);
    }
}
