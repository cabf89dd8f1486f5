package dev.quarrel.calcite.sql.function;

import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.function.FunctionRow;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.OperandTypes;

/// The operator of a RexCall for a row of the function catalog that is a single instruction. The operands have
/// the row's types; where it is zoned, the session's zone follows them.
public final class CatalogFunction extends SqlFunction {
    private final transient FunctionRow row;

    CatalogFunction(FunctionRow row) {
        super(
                row.name(),
                SqlKind.OTHER_FUNCTION,
                binding -> resultType(
                        row,
                        binding.getTypeFactory(),
                        binding.collectOperandTypes().stream().anyMatch(RelDataType::isNullable)),
                null,
                OperandTypes.VARIADIC,
                SqlFunctionCategory.USER_DEFINED_FUNCTION);
        this.row = row;
    }

    /// Calls a row with operands of its types.
    public static Signature.Build build(FunctionRow row) {
        CatalogFunction operator = new CatalogFunction(row);
        return (maker, operands) ->
                maker.builder().makeCall(operator.resultType(maker.factory(), operands), operator, operands);
    }

    /// The call of a row with operands of its types.
    public static RexNode call(RexMaker maker, FunctionRow row, List<RexNode> operands) {
        return build(row).apply(maker, operands);
    }

    public FunctionRow row() {
        return row;
    }

    private RelDataType resultType(RelDataTypeFactory factory, List<RexNode> operands) {
        return resultType(
                row,
                factory,
                operands.stream().anyMatch(operand -> operand.getType().isNullable()));
    }

    private static RelDataType resultType(FunctionRow row, RelDataTypeFactory factory, boolean hasNullableOperand) {
        boolean isNullable = row.givesNull() || row.isStrict() && hasNullableOperand;
        return factory.createTypeWithNullability(SqlTypes.relType(factory, row.result(), -1), isNullable);
    }

    @Override
    public boolean isDeterministic() {
        return row.volatility() != FunctionRow.Volatility.VOLATILE;
    }
}
