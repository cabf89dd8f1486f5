package dev.quarrel.server.catalog;

import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.JavaAggregate;
import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// The functions that `pg_proc` lists: PostgreSQL's, and those of the application, which are in the schema public.
final class Procedures {
    private static final String RELATION = "pg_catalog.pg_proc";
    /// PostgreSQL's number of functions written in the server's own language.
    private static final long INTERNAL_LANGUAGE = 12;

    private final Map<Long, String> names = new HashMap<>();
    private final Map<Long, String> results = new HashMap<>();
    private final Map<Long, String> arguments = new HashMap<>();
    private final Map<String, Long> oids = new HashMap<>();
    private final Map<Long, List<Long>> argumentTypes = new HashMap<>();
    private final Table table;

    /// @param config with the application's functions
    Procedures(EngineConfig config) {
        RelationRows rows = new RelationRows(RELATION).addAll("pg_proc.tsv");
        for (int row = 0; row < rows.rowCount(); row++) {
            List<Long> types = types((String) rows.value(row, "proargtypes"));
            put(
                    (Long) rows.value(row, "oid"),
                    (String) rows.value(row, "proname"),
                    CatalogFunctions.formatKnown((Long) rows.value(row, "prorettype"), null),
                    types,
                    formatted(types, ", "));
        }
        config.functions().forEach(function -> add(function, rows));
        config.aggregates().forEach(aggregate -> add(aggregate, rows));
        this.table = rows.table();
    }

    private static List<Long> types(String vector) {
        return ArrayText.parseNested(vector).elements().stream()
                .map(Long::valueOf)
                .toList();
    }

    private static String formatted(List<Long> types, String separator) {
        return types.stream()
                .map(oid -> CatalogFunctions.formatKnown(oid, null))
                .collect(Collectors.joining(separator));
    }

    private void put(long oid, String name, String result, List<Long> types, String shown) {
        argumentTypes.put(oid, types);
        names.put(oid, name);
        results.put(oid, result);
        arguments.put(oid, shown);
        oids.putIfAbsent(name, oid);
    }

    private void add(ScalarFunction function, RelationRows rows) {
        boolean isPure = function.body() instanceof ScalarFunction.Pure;
        List<PgType> types = new ArrayList<>(function.arguments());
        PgType repeated = function.isVariadic() ? types.getLast() : null;
        if (repeated != null) {
            types.set(types.size() - 1, repeated.array().orElse(PgType.ANYARRAY));
        }
        String modes = types.stream().map(_ -> "i").collect(Collectors.joining(","));
        add(
                function.name(),
                types,
                function.result(),
                function.isVariadic(),
                rows,
                "prokind",
                "f",
                "proisstrict",
                function.strict(),
                "provolatile",
                isPure ? "i" : "s",
                "proparallel",
                isPure ? "s" : "r",
                "provariadic",
                repeated == null ? 0L : (long) repeated.oid(),
                "proallargtypes",
                repeated == null ? null : '{' + oids(types, ",") + '}',
                "proargmodes",
                repeated == null ? null : '{' + modes.substring(0, modes.length() - 1) + "v}");
    }

    private void add(JavaAggregate aggregate, RelationRows rows) {
        add(
                aggregate.name(),
                aggregate.arguments(),
                aggregate.result(),
                false,
                rows,
                "prokind",
                "a",
                "provolatile",
                "i",
                "proparallel",
                "s");
    }

    /// @param further names and values of columns
    private void add(
            String name, List<PgType> types, PgType result, boolean isVariadic, RelationRows rows, Object... further) {
        long oid = ObjectNames.unnamedOid("function " + name + '(' + oids(types, ", ") + ')');
        List<String> shown =
                new ArrayList<>(types.stream().map(PgType::formatName).toList());
        if (isVariadic) {
            shown.add("VARIADIC " + shown.removeLast());
        }
        List<Long> numbers = types.stream().map(type -> (long) type.oid()).toList();
        put(oid, name, result.formatName(), numbers, String.join(", ", shown));
        List<Object> row = new ArrayList<>(List.of(
                "oid",
                oid,
                "proname",
                name,
                "pronamespace",
                ObjectNames.PUBLIC,
                "proowner",
                ObjectNames.OWNER,
                "prolang",
                INTERNAL_LANGUAGE,
                "procost",
                1.0f,
                "pronargs",
                (long) types.size(),
                "prorettype",
                (long) result.oid(),
                "proargtypes",
                oids(types, " "),
                "prosrc",
                name));
        row.addAll(Arrays.asList(further));
        rows.add(row.toArray());
    }

    private static String oids(List<PgType> types, String separator) {
        return types.stream().map(type -> Integer.toString(type.oid())).collect(Collectors.joining(separator));
    }

    Table table() {
        return table;
    }

    String result(long oid) {
        return results.get(oid);
    }

    String arguments(long oid) {
        return arguments.get(oid);
    }

    /// Null for no function's number.
    String name(long oid) {
        return names.get(oid);
    }

    Long oid(String text) {
        String name = known(text);
        return name == null ? null : oids.get(name);
    }

    /// The function of that name which takes these types; null where there is none.
    Long oid(String text, List<Long> types) {
        String name = known(text);
        return argumentTypes.entrySet().stream()
                .filter(entry -> entry.getValue().equals(types)
                        && names.get(entry.getKey()).equals(name))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }

    /// A name without its schema; null for one in a schema without functions.
    private static String known(String text) {
        List<String> parts = CatalogFunctions.identifiers(text);
        return parts.size() == 1 || (parts.size() == 2 && parts.getFirst().equals("pg_catalog"))
                ? parts.getLast()
                : null;
    }

    /// A name with its arguments' types, `sin(double precision)`; null for no function's number.
    String signature(long oid) {
        String name = names.get(oid);
        return name == null
                ? null
                : CatalogFunctions.quoteIdentifier(name) + '(' + formatted(argumentTypes.get(oid), ",") + ')';
    }
}
