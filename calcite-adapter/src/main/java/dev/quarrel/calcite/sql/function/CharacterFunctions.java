package dev.quarrel.calcite.sql.function;

import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;

/// Conversions to and from `"char"`, a type that is common in system catalogs and rare in data; they run row by
/// row.
public final class CharacterFunctions {
    public static final ScalarFunctionOperator OF_TEXT =
            operator(PgType.TEXT, PgType.CHAR, (_, arguments) -> PgParse.character((String) arguments[0]));

    public static final ScalarFunctionOperator OF_CODE =
            operator(PgType.INT4, PgType.CHAR, (_, arguments) -> ofCode((Long) arguments[0]));

    public static final ScalarFunctionOperator CODE =
            operator(PgType.CHAR, PgType.INT4, (_, arguments) -> code((String) arguments[0]));

    private CharacterFunctions() {}

    private static ScalarFunctionOperator operator(PgType argument, PgType result, ScalarFunction.Body body) {
        return new ScalarFunctionOperator(
                new ScalarFunction(result == PgType.INT4 ? "int4" : "char", List.of(argument), result, true, body));
    }

    private static String ofCode(long code) {
        if (code < Byte.MIN_VALUE || code > Byte.MAX_VALUE) {
            throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "\"char\" out of range");
        }
        return PgParse.character((int) code);
    }

    private static long code(String text) {
        if (text.isEmpty()) {
            return 0;
        }
        return text.length() == 1 ? text.charAt(0) : (byte) Integer.parseInt(text.substring(1), 8);
    }
}
