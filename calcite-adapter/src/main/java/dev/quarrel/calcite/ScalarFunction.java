package dev.quarrel.calcite;

import dev.quarrel.core.pg.PgType;
import java.util.List;

/// A scalar SQL function written in Java, row by row, run above the scan: for catalog functions, not for data.
///
/// @param name lower case; callable as `name(…)` and `pg_catalog.name(…)`
/// @param arguments types of the arguments; overloads are further functions of the same name
/// @param body gets one value an argument in canonical form (`Literal`'s table; null for NULL) and answers one
/// of `result`
/// @param strict whether a NULL argument makes the result NULL without calling `body`
public record ScalarFunction(String name, List<PgType> arguments, PgType result, boolean strict, Body body) {
    public ScalarFunction {
        arguments = List.copyOf(arguments);
    }

    /// @see ScalarFunction#body
    @FunctionalInterface
    public interface Body {
        Object call(SqlSession session, Object[] arguments);
    }
}
