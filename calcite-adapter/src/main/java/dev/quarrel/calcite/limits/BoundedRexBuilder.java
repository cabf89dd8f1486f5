package dev.quarrel.calcite.limits;

import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.parser.SqlParserPos;

/// A builder of expressions that counts each one against [PlanningLimits], so that the limits hold for Calcite's
/// loops as well.
public final class BoundedRexBuilder extends RexBuilder {
    public BoundedRexBuilder(RelDataTypeFactory typeFactory) {
        super(typeFactory);
    }

    @Override
    public RexNode makeCall(SqlParserPos position, RelDataType type, SqlOperator operator, List<RexNode> operands) {
        PlanningLimits.tick();
        return super.makeCall(position, type, operator, operands);
    }

    @Override
    public RexNode makeCall(SqlParserPos position, SqlOperator operator, List<? extends RexNode> operands) {
        PlanningLimits.tick();
        return super.makeCall(position, operator, operands);
    }

    @Override
    public RexNode makeAbstractCast(SqlParserPos position, RelDataType type, RexNode operand, boolean safe) {
        PlanningLimits.tick();
        return super.makeAbstractCast(position, type, operand, safe);
    }

    @Override
    public RexInputRef makeInputRef(RelDataType type, int index) {
        PlanningLimits.tick();
        return super.makeInputRef(type, index);
    }

    @Override
    public RexInputRef makeInputRef(RelNode input, int index) {
        PlanningLimits.tick();
        return super.makeInputRef(input, index);
    }
}
