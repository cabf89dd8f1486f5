package dev.quarrel.calcite;

import dev.quarrel.core.ir.Callee;
import dev.quarrel.core.pg.PgType;
import java.util.List;

/// A scalar SQL function written in Java, which an application adds to the engine.
///
/// One that asks the session runs row by row above the scan: for catalog functions, not for data. One that depends on
/// its arguments alone ([#pure]) runs in pipelines, on all workers, and over a dictionary once per entry; calls with
/// constants are computed while planning.
///
/// @param name lower case; callable as `name(…)` and `pg_catalog.name(…)`
/// @param arguments types of the arguments; overloads are further functions of the same name
/// @param body gets one value per argument in canonical form ([dev.quarrel.core.ir.Literal]'s table; null for NULL) and
/// answers one of `result`
/// @param strict whether a NULL argument makes the result NULL without calling `body`
/// @param isVariadic whether the last argument may be given several times
public record ScalarFunction(
        String name, List<PgType> arguments, PgType result, boolean strict, boolean isVariadic, Body body) {
    public ScalarFunction {
        arguments = List.copyOf(arguments);
        if (isVariadic && arguments.isEmpty()) {
            throw new IllegalArgumentException(name + " has no last argument");
        }
    }

    public ScalarFunction(String name, List<PgType> arguments, PgType result, boolean strict, Body body) {
        this(name, arguments, result, strict, false, body);
    }

    /// The functions that a class or an object holds: its methods that are marked as [SqlFunction].
    ///
    /// - Errors: [IllegalArgumentException] says which method cannot be one, and why.
    ///
    /// @param holder a class, whose static methods are meant, or an object, whose methods of both kinds are
    public static List<ScalarFunction> annotated(Object holder) {
        return AnnotatedMethods.of(holder);
    }

    /// @see ScalarFunction#body
    @FunctionalInterface
    public interface Body {
        Object call(SqlSession session, Object[] arguments);
    }

    /// The body of a function that answers anew at each call, or does something: no two calls of a statement are taken
    /// for one, and each is made for its own rows.
    @FunctionalInterface
    public interface Volatile extends Body {}

    /// A function that gives the same result for the same arguments, for ever, and that any thread may call.
    ///
    /// - Errors: a `QueryException` of `body` is the query's; any other exception is 38000.
    public static ScalarFunction pure(
            String name, List<PgType> arguments, PgType result, boolean strict, Callee.Body body) {
        return new ScalarFunction(name, arguments, result, strict, new Pure(body));
    }

    /// The body of a function that does not depend on the session.
    public record Pure(Callee.Body code) implements Body {
        @Override
        public Object call(SqlSession session, Object[] arguments) {
            return code.call(arguments);
        }
    }
}
