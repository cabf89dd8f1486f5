package dev.quarrel.calcite.sql.function;

import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.calcite.sql.type.SqlTypes;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.OperandTypes;

/// A [ScalarFunction] as the operator of a RexCall. The arguments have the function's types; the result may be
/// NULL.
public final class ScalarFunctionOperator extends SqlFunction {
    private final transient ScalarFunction function;
    private final boolean isRandom;

    ScalarFunctionOperator(ScalarFunction function) {
        this(function, false);
    }

    /// A function that answers anew in every row.
    public static ScalarFunctionOperator random(ScalarFunction function) {
        return new ScalarFunctionOperator(function, true);
    }

    private ScalarFunctionOperator(ScalarFunction function, boolean isRandom) {
        super(
                function.name(),
                SqlKind.OTHER_FUNCTION,
                binding -> {
                    RelDataType type = SqlTypes.relType(binding.getTypeFactory(), function.result(), -1);
                    return binding.getTypeFactory().createTypeWithNullability(type, true);
                },
                null,
                OperandTypes.VARIADIC,
                SqlFunctionCategory.USER_DEFINED_FUNCTION);
        this.function = function;
        this.isRandom = isRandom;
    }

    public boolean isRandom() {
        return isRandom;
    }

    public ScalarFunction function() {
        return function;
    }

    /// It may ask the session, so nothing folds it while planning.
    @Override
    public boolean isDeterministic() {
        return false;
    }

    @Override
    public boolean isDynamicFunction() {
        return true;
    }
}
