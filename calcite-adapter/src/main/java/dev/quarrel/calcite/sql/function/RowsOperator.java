package dev.quarrel.calcite.sql.function;

import dev.quarrel.core.function.FunctionRow;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;

/// A set-returning function as the operator of a table function scan's call.
public final class RowsOperator extends SqlFunction {
    private final transient FunctionRow row;

    public RowsOperator(FunctionRow row) {
        super(
                row.name(),
                SqlKind.OTHER_FUNCTION,
                ReturnTypes.ARG0,
                null,
                OperandTypes.VARIADIC,
                SqlFunctionCategory.USER_DEFINED_TABLE_FUNCTION);
        this.row = row;
    }

    public FunctionRow row() {
        return row;
    }
}
