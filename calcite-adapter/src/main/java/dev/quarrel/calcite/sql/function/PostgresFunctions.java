package dev.quarrel.calcite.sql.function;

import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlReturnTypeInference;

/// Operators that analysed expressions use where Calcite has no operator with PostgreSQL's semantics.
public final class PostgresFunctions {
    /// `(TimeUnitRange flag, timestamp or interval)`: down to the unit.
    public static final SqlFunction DATE_TRUNC = function("DATE_TRUNC", ReturnTypes.ARG1_NULLABLE);

    /// `(numeric, integer)`: digits after the point, half away from zero.
    public static final SqlFunction ROUND = function("ROUND", ReturnTypes.ARG0_NULLABLE);

    /// `(numeric, integer)`: digits after the point, towards zero.
    public static final SqlFunction TRUNC = function("TRUNC", ReturnTypes.ARG0_NULLABLE);

    /// `(text, integer)`: the first characters; negative: all but the last.
    public static final SqlFunction LEFT = function("LEFT", ReturnTypes.ARG0_NULLABLE);

    /// `(text, integer)`: the last characters; negative: all but the first.
    public static final SqlFunction RIGHT = function("RIGHT", ReturnTypes.ARG0_NULLABLE);

    /// `(char(n))`: its text with the trailing blanks, which a cast would cut.
    public static final SqlFunction PADDED_TEXT = function("PADDED_TEXT", ReturnTypes.VARCHAR_NULLABLE);

    /// `now()`: a timestamptz, the same during a transaction.
    public static final SqlFunction NOW = function(
            "NOW", ReturnTypes.explicit(org.apache.calcite.sql.type.SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE, 6));

    /// `(ARRAY sub-query)`: its array as PostgreSQL's text; nothing runs it yet.
    public static final SqlFunction ARRAY_TEXT = function("ARRAY_TEXT", ReturnTypes.VARCHAR);

    /// `(oid)`: the name of a namespace, role or the like; nothing runs it yet.
    public static final SqlFunction OBJECT_NAME = function("OBJECT_NAME", ReturnTypes.VARCHAR);

    private PostgresFunctions() {}

    private static SqlFunction function(String name, SqlReturnTypeInference returnType) {
        return new SqlFunction(
                name,
                SqlKind.OTHER_FUNCTION,
                returnType,
                null,
                OperandTypes.VARIADIC,
                SqlFunctionCategory.USER_DEFINED_FUNCTION);
    }
}
