package dev.quarrel.calcite.sql.function;

import dev.quarrel.calcite.JavaAggregate;
import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.calcite.sql.function.Signature.Build;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.function.FunctionCatalog;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.function.WideRows;
import dev.quarrel.core.ir.Callee;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlAggFunction;

/// The table of functions that a statement may call: the rows of [FunctionCatalog], and those that an
/// application added by name.
public final class FunctionTable {
    private static final Map<String, List<Signature>> BUILT_IN = new HashMap<>();

    static {
        for (FunctionRow row : FunctionCatalog.all()) {
            if (!(row.kind() instanceof FunctionRow.Kind.Rows) && !row.isPolymorphic() && !row.isVariadic()) {
                add(signature(row));
            }
        }
        FunctionExpressions.words().forEach(FunctionTable::add);
        WideRows.OVERLOADS.forEach(row -> add(signature(row)));
    }

    private static void add(Signature signature) {
        BUILT_IN.computeIfAbsent(signature.name(), _ -> new ArrayList<>()).add(signature);
    }

    private static Signature signature(FunctionRow row) {
        SqlType result = SqlType.of(row.result());
        Build build =
                switch (row.kind()) {
                    case FunctionRow.Kind.Instruction _, FunctionRow.Kind.Kernel _ -> CatalogFunction.build(row);
                    case FunctionRow.Kind.Expression _ -> FunctionExpressions.of(row);
                    case FunctionRow.Kind.Operator(String symbol) ->
                        Operators.exact(symbol, types(row))
                                .orElseThrow(() -> new IllegalStateException(row.signature() + " has no operator"))
                                .build();
                    case FunctionRow.Kind.Declined(String reason) ->
                        (_, _) -> {
                            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "not supported: " + reason);
                        };
                    case FunctionRow.Kind.Rows _ ->
                        throw new IllegalStateException(row.signature() + " stands in FROM");
                };
        return new Signature(row.name(), types(row), result, build);
    }

    private static List<SqlType> types(FunctionRow row) {
        return row.arguments().stream().map(SqlType::of).toList();
    }

    /// The function of that name that any number of values may follow; null where there is none, or `valueCount` are
    /// too few.
    public FunctionRow variadic(String name, int valueCount) {
        if (added.containsKey(name)) {
            return null;
        }
        return FunctionCatalog.named(name).stream()
                .filter(row -> row.isVariadic() && valueCount > row.arguments().size())
                .findFirst()
                .orElse(null);
    }

    /// A variadic function as a call of so many values has it: those behind its arguments come as their texts.
    public static Signature called(FunctionRow row, int valueCount) {
        return signature(row.of(valueCount));
    }

    /// The overloads of a function that stands in FROM; they have no `build`.
    ///
    /// @param types of the arguments, which decide what polymorphic types stand for
    public static Map<Signature, FunctionRow> rowFunctions(String name, List<SqlType> types) {
        Map<Signature, FunctionRow> functions = new LinkedHashMap<>();
        List<FunctionRow> overloads = new ArrayList<>(FunctionCatalog.named(name));
        WideRows.IN_FROM.stream().filter(row -> row.name().equals(name)).forEach(overloads::add);
        for (FunctionRow declared : overloads) {
            FunctionRow row = declared.isPolymorphic()
                    ? Polymorphic.choose(List.of(declared), types).row()
                    : declared;
            if (row != null && row.kind() instanceof FunctionRow.Kind.Rows) {
                functions.put(new Signature(name, types(row), SqlType.of(row.result()), null), row);
            }
        }
        return functions;
    }

    private final Map<String, List<Signature>> added = new HashMap<>();
    private final Set<String> ofApplication = new HashSet<>();
    private final Map<String, List<ScalarFunction>> variadic = new HashMap<>();
    private final Map<String, Map<Signature, AggregateFunction>> aggregates = new HashMap<>();

    /// - Errors: 42723 for a function or aggregate that a call could not reach, since a built-in one, or another
    ///   that was added, has its name and arguments.
    ///
    /// @param system functions; one that has a built-in function's name and argument types stands in for it
    /// @param functions overloads are further functions of one name
    public FunctionTable(List<ScalarFunction> system, List<ScalarFunction> functions, List<JavaAggregate> aggregates) {
        for (ScalarFunction function : system) {
            added.computeIfAbsent(function.name(), _ -> new ArrayList<>()).add(signature(function));
        }
        functions.forEach(function -> ofApplication.add(function.name()));
        aggregates.forEach(aggregate -> ofApplication.add(aggregate.name()));
        for (ScalarFunction function : functions) {
            Added.check(function.name(), function.arguments(), named(function.name()));
            if (function.isVariadic()) {
                variadic.computeIfAbsent(function.name(), _ -> new ArrayList<>())
                        .add(function);
            } else {
                added.computeIfAbsent(function.name(), _ -> new ArrayList<>()).add(signature(Added.guarded(function)));
            }
        }
        for (JavaAggregate aggregate : aggregates) {
            String name = aggregate.name();
            Map<Signature, AggregateFunction> overloads =
                    this.aggregates.computeIfAbsent(name, _ -> new LinkedHashMap<>());
            Added.checkAggregate(name, aggregate.arguments(), named(name), List.copyOf(overloads.keySet()));
            overloads.put(Added.signature(aggregate), AggregateFunction.of(aggregate));
        }
    }

    /// The aggregate of that name, whatever its arguments: one of PostgreSQL's, or the first that was added; null where
    /// there is none.
    public SqlAggFunction aggregate(String name) {
        SqlAggFunction builtIn = AggregateTable.aggregate(name);
        return builtIn != null || !aggregates.containsKey(name)
                ? builtIn
                : aggregates.get(name).values().iterator().next();
    }

    /// The overloads of an aggregate that was added; none for other names.
    public Map<Signature, AggregateFunction> addedAggregates(String name) {
        return aggregates.getOrDefault(name, Map.of());
    }

    /// Whether the application has a function or aggregate of that name, which is in the schema public as well.
    public boolean isAdded(String name) {
        return ofApplication.contains(name);
    }

    /// The overloads of a name that take so many arguments, those among them whose last one may come several times.
    public List<Signature> named(String name, int argumentCount) {
        List<Signature> all = named(name);
        List<ScalarFunction> repeating = variadic.getOrDefault(name, List.of());
        if (repeating.isEmpty()) {
            return all;
        }
        List<Signature> found = new ArrayList<>(all);
        for (ScalarFunction function : repeating) {
            if (argumentCount >= function.arguments().size()) {
                Signature signature = signature(Added.guarded(Added.repeated(function, argumentCount)));
                if (found.stream().noneMatch(each -> each.arguments().equals(signature.arguments()))) {
                    found.add(signature);
                }
            }
        }
        return found;
    }

    private static Signature signature(ScalarFunction function) {
        if (function.body() instanceof ScalarFunction.Pure(Callee.Body code)) {
            return signature(FunctionRow.local(
                    function.name(), function.arguments(), function.result(), function.strict(), code));
        }
        SqlType result = SqlType.of(function.result());
        if (function.body() instanceof ScalarFunction.Volatile body) {
            ScalarFunctionOperator operator = ScalarFunctionOperator.random(numbered(function, body));
            return new Signature(
                    function.name(),
                    function.arguments().stream().map(SqlType::of).toList(),
                    result,
                    (maker, arguments) -> maker.volatileCall(operator, maker.rel(result), arguments));
        }
        ScalarFunctionOperator operator = new ScalarFunctionOperator(function);
        return new Signature(
                function.name(),
                function.arguments().stream().map(SqlType::of).toList(),
                result,
                (maker, arguments) ->
                        maker.builder().makeCall(maker.nullable(maker.rel(result), true), operator, arguments));
    }

    /// The function with the number of the call before its arguments.
    private static ScalarFunction numbered(ScalarFunction function, ScalarFunction.Volatile body) {
        List<PgType> arguments = new ArrayList<>();
        arguments.add(PgType.INT4);
        arguments.addAll(function.arguments());
        return new ScalarFunction(
                function.name(),
                arguments,
                function.result(),
                function.strict(),
                (session, values) -> body.call(session, Arrays.copyOfRange(values, 1, values.length)));
    }

    /// All overloads of a name, in lower case.
    public List<Signature> named(String name) {
        List<Signature> ours = added.getOrDefault(name, List.of());
        List<Signature> builtIn = BUILT_IN.getOrDefault(name, List.of());
        if (ours.isEmpty()) {
            return builtIn;
        }
        List<Signature> all = new ArrayList<>(ours);
        for (Signature signature : builtIn) {
            if (ours.stream().noneMatch(each -> each.arguments().equals(signature.arguments()))) {
                all.add(signature);
            }
        }
        return all;
    }

    /// The overload, or null, that gives numerics of any number of digits where those are asked for, of whole numbers
    /// as well.
    public static Signature giving(SqlType numeric, Signature signature) {
        boolean isFactorial = signature != null && signature.name().equals("factorial");
        return isFactorial && numeric == SqlType.WIDE_NUMERIC
                ? signature(
                        FunctionCatalog.find("wide_fac", List.of(PgType.INT8)).orElseThrow())
                : signature;
    }

    /// The call of a row of the catalog that is no expression, of one that no statement can call by name too.
    ///
    /// - Errors: [java.util.NoSuchElementException] if there is none.
    static RexNode call(RexMaker maker, String name, List<SqlType> types, List<RexNode> arguments) {
        List<PgType> declared = types.stream().map(SqlType::pgType).toList();
        return CatalogFunction.call(maker, FunctionCatalog.find(name, declared).orElseThrow(), arguments);
    }

    /// The same of some arguments.
    public static RexNode internal(RexMaker maker, String name, List<SqlType> types, RexNode... arguments) {
        return call(maker, name, types, List.of(arguments));
    }

    /// - Errors: [java.util.NoSuchElementException] if there is none.
    static Signature builtIn(String name, List<SqlType> arguments) {
        return BUILT_IN.get(name).stream()
                .filter(each -> each.arguments().equals(arguments))
                .findFirst()
                .orElseThrow();
    }

    /// Why a name is 0A000 where no overload fits; null for one that does not exist.
    public static String reasonDeclined(String name) {
        boolean isHere =
                BUILT_IN.containsKey(name) || !FunctionCatalog.named(name).isEmpty();
        return isHere && !FunctionCatalog.declined().containsKey(name) ? null : FunctionCatalog.reasonDeclined(name);
    }
}
