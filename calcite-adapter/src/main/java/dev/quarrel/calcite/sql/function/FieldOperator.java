package dev.quarrel.calcite.sql.function;

import dev.quarrel.core.pg.FieldPath;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.OperandTypes;

/// A field of a composite that a sub-query hands on. No device runs it: it becomes a column of the table that the
/// composite is from.
public final class FieldOperator extends SqlFunction {
    private final transient FieldPath path;

    public FieldOperator(FieldPath path) {
        super(
                path.toString(),
                SqlKind.OTHER_FUNCTION,
                null,
                null,
                OperandTypes.VARIADIC,
                SqlFunctionCategory.USER_DEFINED_FUNCTION);
        this.path = path;
    }

    /// As the table has it, whatever the composite is called here.
    public FieldPath path() {
        return path;
    }
}
