package dev.quarrel.calcite.sql.function;

import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.OperandTypes;

/// A field of a composite that a sub-query hands on, or what else there is of a column by itself. No device runs
/// it: it becomes a column of the table that the composite is from, or, where there is no way to have that, its second
/// operand, which reads the field from the composite's text.
public final class FieldOperator extends SqlFunction {
    /// @param column as the table has it, whatever the composite is called here
    public FieldOperator(String column) {
        super(
                column,
                SqlKind.OTHER_FUNCTION,
                null,
                null,
                OperandTypes.VARIADIC,
                SqlFunctionCategory.USER_DEFINED_FUNCTION);
    }
}
