package dev.quarrel.core.function;

import dev.quarrel.core.pg.PgType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The names of a function's parameters, and what stands for those that a call leaves out: for `f(a => 1)`.
///
/// The file beside it is made by `FunctionCatalogTest` from PostgreSQL's `pg_proc`: a line each has the function's
/// name and its parameters, `name:type`, with `=` before a default value and `*` before one that takes an array or
/// any number of its elements.
///
/// @param list the parameters in their order
public record FunctionParameters(String function, List<Parameter> list) {
    private static final Map<String, PgType> TYPES =
            Arrays.stream(PgType.values()).collect(Collectors.toMap(PgType::typeName, Function.identity()));

    private static final Map<String, List<FunctionParameters>> BY_NAME =
            FunctionCatalog.lines("function-parameters.tsv").stream()
                    .map(FunctionParameters::read)
                    .collect(Collectors.groupingBy(FunctionParameters::function));

    public FunctionParameters {
        list = List.copyOf(list);
    }

    /// One parameter of a function.
    ///
    /// @param standIn the text of the default value; null for none
    /// @param isVariadic whether the elements of its array may be written one by one
    public record Parameter(String name, PgType type, String standIn, boolean isVariadic) {}

    /// The functions of that name whose parameters have names.
    public static List<FunctionParameters> named(String function) {
        return BY_NAME.getOrDefault(function, List.of());
    }

    /// Whether the last parameter takes any number of values.
    public boolean isVariadic() {
        return list.getLast().isVariadic();
    }

    private static FunctionParameters read(String line) {
        String[] cells = line.split("\t");
        List<Parameter> parameters = new ArrayList<>();
        Arrays.stream(cells).skip(1).forEach(cell -> parameters.add(parameter(cell)));
        return new FunctionParameters(cells[0], parameters);
    }

    private static Parameter parameter(String cell) {
        boolean isVariadic = cell.startsWith("*");
        int colon = cell.indexOf(':');
        int equals = cell.indexOf('=');
        String type = cell.substring(colon + 1, equals < 0 ? cell.length() : equals);
        return new Parameter(
                cell.substring(isVariadic ? 1 : 0, colon),
                TYPES.get(type),
                equals < 0 ? null : cell.substring(equals + 1),
                isVariadic);
    }
}
