package dev.quarrel.calcite.sql.function;

import dev.quarrel.calcite.JavaAggregate;
import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.function.FunctionCatalog;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/// What an application may add: checks of names, and the signatures of calls.
final class Added {
    /// Names before `(` that are no functions' to PostgreSQL's grammar, or that the analysis takes for itself.
    private static final Set<String> WORDS = Set.of(
            "coalesce",
            "nullif",
            "greatest",
            "least",
            "grouping",
            "concat",
            "current_catalog",
            "enum_first",
            "enum_last",
            "enum_range",
            "unnest",
            "quote_literal",
            "quote_nullable",
            "normalize",
            "pg_typeof",
            "date_part",
            "date_trunc",
            "row",
            "extract",
            "overlay",
            "position",
            "substring",
            "trim");

    private static final Pattern DOCUMENTS = Pattern.compile("jsonb?_(object_?)?(array)?agg(_.*)?");

    private Added() {}

    /// - Errors: 42723.
    ///
    /// @param here the overloads of the name that are known
    static void check(String name, List<PgType> arguments, List<Signature> here) {
        checkName(name);
        List<SqlType> types = arguments.stream().map(SqlType::of).toList();
        boolean isTaken = here.stream().anyMatch(each -> each.arguments().equals(types))
                || FunctionCatalog.named(name).stream()
                        .anyMatch(row -> row.arguments().equals(arguments));
        if (isTaken) {
            throw duplicate(name, arguments, "already exists with same argument types");
        }
    }

    private static void checkName(String name) {
        if (!name.matches("[a-z_\\x80-\\uffff][a-z0-9_$\\x80-\\uffff]*")) {
            throw new QueryException(
                    SqlState.INVALID_NAME,
                    "\"" + name + "\" cannot be called without quotes: a function's name is lower case");
        }
        boolean isWord = WORDS.contains(name)
                || DOCUMENTS.matcher(name).matches()
                || FunctionCatalog.named(name).stream().anyMatch(FunctionRow::isVariadic);
        if (isWord || AggregateTable.aggregate(name) != null || AggregateTable.windowOnly(name) != null) {
            throw new QueryException(
                    SqlState.DUPLICATE_FUNCTION, "function name \"" + name + "\" is taken by a built-in one");
        }
    }

    /// - Errors: 42723 for an aggregate that has the name of any function, too: a call finds one or the other.
    static void checkAggregate(
            String name, List<PgType> arguments, List<Signature> functions, List<Signature> aggregates) {
        check(name, arguments, aggregates);
        if (!functions.isEmpty() || !FunctionCatalog.named(name).isEmpty()) {
            throw duplicate(name, arguments, "cannot be an aggregate: functions have its name");
        }
    }

    private static QueryException duplicate(String name, List<PgType> arguments, String problem) {
        return new QueryException(
                SqlState.DUPLICATE_FUNCTION, "function " + FunctionRow.signature(name, arguments) + " " + problem);
    }

    static Signature signature(JavaAggregate aggregate) {
        return new Signature(
                aggregate.name(),
                aggregate.arguments().stream().map(SqlType::of).toList(),
                SqlType.of(aggregate.result()),
                (_, _) -> {
                    throw new IllegalStateException(aggregate.name() + " is an aggregate");
                });
    }

    /// A function whose exceptions are 38000; those of pure ones are already where they are called.
    static ScalarFunction guarded(ScalarFunction function) {
        if (function.body() instanceof ScalarFunction.Pure) {
            return function;
        }
        ScalarFunction.Body guarded = (session, arguments) -> {
            try {
                return function.body().call(session, arguments);
            } catch (QueryException failure) {
                throw failure;
            } catch (RuntimeException problem) {
                String signature = FunctionRow.signature(function.name(), function.arguments());
                throw new QueryException(
                        SqlState.EXTERNAL_ROUTINE_EXCEPTION,
                        "the function " + signature + " failed: " + problem,
                        problem);
            }
        };
        return new ScalarFunction(function.name(), function.arguments(), function.result(), function.strict(), guarded);
    }

    /// The function as a call of so many arguments has it.
    static ScalarFunction repeated(ScalarFunction function, int argumentCount) {
        List<PgType> arguments = new ArrayList<>(function.arguments());
        while (arguments.size() < argumentCount) {
            arguments.add(arguments.getLast());
        }
        return new ScalarFunction(function.name(), arguments, function.result(), function.strict(), function.body());
    }
}
