package dev.quarrel.server.catalog;

import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.JavaAggregate;
import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.Identifiers;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// The functions that `pg_proc` lists: PostgreSQL's, and those of the application, which are in the schema public.
final class Procedures {
    static final String RELATION = "pg_catalog.pg_proc";
    /// PostgreSQL's number of functions written in the server's own language.
    private static final long INTERNAL_LANGUAGE = 12;

    /// How a function is declared.
    ///
    /// @param arguments with their names, and defaults
    /// @param identity with what tells it from other functions of its name
    record Signature(String arguments, String identity, String result) {}

    private final Map<Long, String> names = new HashMap<>();
    private final Map<Long, Signature> signatures = new HashMap<>();
    private final Map<String, List<Long>> oids = new HashMap<>();
    private final Map<Long, List<Long>> argumentTypes = new HashMap<>();
    private final Map<Long, String> definitions = new HashMap<>();
    private final Table table;

    /// Those of an engine; engines without an application's functions share PostgreSQL's alone.
    static Procedures of(EngineConfig config) {
        boolean hasOwn = !config.functions().isEmpty() || !config.aggregates().isEmpty();
        return hasOwn ? new Procedures(config) : PostgresAlone.PROCEDURES;
    }

    private static final class PostgresAlone {
        static final Procedures PROCEDURES = new Procedures(EngineConfig.defaults());
    }

    /// @param config with the application's functions
    private Procedures(EngineConfig config) {
        RelationRows rows = new RelationRows(RELATION).addAll("pg_proc.tsv");
        for (String line : CatalogRelation.lines("function-signatures.tsv")) {
            String[] cells = line.split("\t", -1);
            if (!cells[0].equals("oid")) {
                signatures.put(Long.valueOf(cells[0]), new Signature(cells[1], cells[2], cells[3]));
            }
        }
        for (int row = 0; row < rows.rowCount(); row++) {
            List<Long> types = types((String) rows.value(row, "proargtypes"));
            put((Long) rows.value(row, "oid"), (String) rows.value(row, "proname"), types);
            define(rows, row);
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

    /// The names of the types in a vector, with commas between them.
    static String typeNames(String vector) {
        return formatted(types(vector), ", ");
    }

    private static String formatted(List<Long> types, String separator) {
        return types.stream()
                .map(oid -> CatalogFunctions.formatKnown(oid, null))
                .collect(Collectors.joining(separator));
    }

    private void put(long oid, String name, List<Long> types) {
        argumentTypes.put(oid, types);
        names.put(oid, name);
        oids.computeIfAbsent(name, _ -> new ArrayList<>()).add(oid);
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
        put(oid, name, numbers);
        String arguments = String.join(", ", shown);
        signatures.put(oid, new Signature(arguments, arguments, result.formatName()));
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

    /// Null for no function's number.
    Signature signatureOf(long oid) {
        return signatures.get(oid);
    }

    /// The statement that would declare a function of the server; null for any other.
    ///
    /// - Errors: 42809 for an aggregate.
    String definition(long oid) {
        String definition = definitions.get(oid);
        if (definition != null && definition.isEmpty()) {
            throw new QueryException(SqlState.WRONG_OBJECT_TYPE, "\"" + names.get(oid) + "\" is an aggregate function");
        }
        return definition;
    }

    /// - Source: PostgreSQL's `pg_get_functiondef`.
    private void define(RelationRows rows, int row) {
        long oid = (Long) rows.value(row, "oid");
        String kind = (String) rows.value(row, "prokind");
        Signature signature = signatures.get(oid);
        if (kind.equals("a")) {
            definitions.put(oid, "");
        }
        if (kind.equals("a") || signature == null || (Long) rows.value(row, "prolang") != INTERNAL_LANGUAGE) {
            return;
        }
        List<String> traits = new ArrayList<>();
        if (kind.equals("w")) {
            traits.add("WINDOW");
        }
        switch ((String) rows.value(row, "provolatile")) {
            case "i" -> traits.add("IMMUTABLE");
            case "s" -> traits.add("STABLE");
            default -> {}
        }
        switch ((String) rows.value(row, "proparallel")) {
            case "s" -> traits.add("PARALLEL SAFE");
            case "r" -> traits.add("PARALLEL RESTRICTED");
            default -> {}
        }
        if ((Boolean) rows.value(row, "proisstrict")) {
            traits.add("STRICT");
        }
        if ((Boolean) rows.value(row, "proleakproof")) {
            traits.add("LEAKPROOF");
        }
        definitions.put(
                oid,
                "CREATE OR REPLACE FUNCTION pg_catalog."
                        + Identifiers.quoted((String) rows.value(row, "proname"))
                        + "(" + signature.arguments() + ")\n RETURNS " + signature.result() + "\n LANGUAGE internal\n"
                        + (traits.isEmpty() ? "" : " " + String.join(" ", traits) + "\n") + "AS $function$"
                        + rows.value(row, "prosrc") + "$function$\n");
    }

    /// Null for no function's number. A name that is not one function's alone has its schema.
    String name(long oid) {
        String name = names.get(oid);
        return name == null ? null : (oids.get(name).size() > 1 ? "pg_catalog." : "") + Identifiers.quoted(name);
    }

    /// The one function of that name; null where there is none, or several.
    Long oid(String text) {
        List<Long> found = oids.getOrDefault(String.valueOf(known(text)), List.of());
        return found.size() == 1 ? found.getFirst() : null;
    }

    /// As [#oid(String)], for a name that a statement says is a function's.
    ///
    /// - Errors: 42725 for the name of several.
    Long only(String text) {
        if (oids.getOrDefault(String.valueOf(known(text)), List.of()).size() > 1) {
            throw new QueryException(SqlState.AMBIGUOUS_FUNCTION, "more than one function named \"" + text + "\"");
        }
        return oid(text);
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
        List<String> parts = Identifiers.parts(text);
        return parts.size() == 1 || (parts.size() == 2 && parts.getFirst().equals("pg_catalog"))
                ? parts.getLast()
                : null;
    }

    /// A name with its arguments' types, `sin(double precision)`; null for no function's number.
    String signature(long oid) {
        String name = names.get(oid);
        return name == null ? null : Identifiers.quoted(name) + '(' + formatted(argumentTypes.get(oid), ",") + ')';
    }
}
