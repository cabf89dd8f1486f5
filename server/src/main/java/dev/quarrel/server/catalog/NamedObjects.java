package dev.quarrel.server.catalog;

import static dev.quarrel.core.pg.PgType.REGCOLLATION;
import static dev.quarrel.core.pg.PgType.REGNAMESPACE;
import static dev.quarrel.core.pg.PgType.REGPROC;
import static dev.quarrel.core.pg.PgType.REGPROCEDURE;
import static dev.quarrel.core.pg.PgType.REGROLE;
import static dev.quarrel.core.pg.PgType.TEXT;

import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.core.pg.Identifiers;
import dev.quarrel.core.pg.PgType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/// The types that show an object's name, beside `regclass` and `regtype`: what finds an object (`to_regrole`), and
/// what shows one (`regroleout`).
///
/// - Source: PostgreSQL 18's `regproc.c`.
final class NamedObjects {
    private final SystemCatalog catalog;
    private final Procedures procedures;
    private final Function<String, Long> types;
    private final List<ScalarFunction> functions = new ArrayList<>();

    /// @param types the number of the type that a text names, or null
    NamedObjects(SystemCatalog catalog, Procedures procedures, Function<String, Long> types) {
        this.catalog = catalog;
        this.procedures = procedures;
        this.types = types;
        add(REGPROC, procedures::oid, procedures::name);
        functions.add(new ScalarFunction(
                "regprocin", List.of(TEXT), REGPROC, true, (_, values) -> procedures.only((String) values[0])));
        add(REGPROCEDURE, this::procedure, procedures::signature);
        add(REGNAMESPACE, text -> schema(CatalogFunctions.identifiers(text)), oid -> quoted(catalog.names()
                .schemaName(oid)));
        add(REGROLE, text -> role(CatalogFunctions.identifiers(text)), oid -> quoted(catalog.knownUserName(oid)));
        add(REGCOLLATION, this::collation, oid -> quoted(CollationOids.fixedName(oid)));
    }

    List<ScalarFunction> all() {
        return List.copyOf(functions);
    }

    /// @param shown null for an object that is not there, which shows as its number
    private void add(PgType type, Function<String, Long> found, Function<Long, String> shown) {
        String name = type.typeName();
        functions.add(new ScalarFunction(
                "to_" + name, List.of(TEXT), type, true, (_, values) -> found.apply((String) values[0])));
        functions.add(new ScalarFunction(name + "out", List.of(type), TEXT, true, (_, values) -> {
            long oid = (Long) values[0];
            String text = oid == 0 ? "-" : shown.apply(oid);
            return text == null ? Long.toString(oid) : text;
        }));
    }

    private static String quoted(String name) {
        return name == null ? null : Identifiers.quoted(name);
    }

    private Long schema(List<String> parts) {
        return parts.size() == 1 ? catalog.names().schemas().get(parts.getFirst()) : null;
    }

    private Long role(List<String> parts) {
        return parts.size() == 1 ? catalog.roleOid(parts.getFirst()) : null;
    }

    private Long collation(String text) {
        List<String> parts = CatalogFunctions.identifiers(text);
        boolean isHere = parts.size() == 1 || parts.size() == 2 && parts.getFirst().equals("pg_catalog");
        return isHere ? CollationOids.fixedOid(parts.getLast()) : null;
    }

    /// A function by its name and the types of its arguments: `sin(double precision)`.
    private Long procedure(String text) {
        int open = text.indexOf('(');
        String trimmed = text.strip();
        if (open < 0 || !trimmed.endsWith(")")) {
            return null;
        }
        String inside = trimmed.substring(trimmed.indexOf('(') + 1, trimmed.length() - 1).strip();
        List<Long> arguments = new ArrayList<>();
        for (String each : inside.isEmpty() ? new String[0] : inside.split(",", -1)) {
            Long type = types.apply(each);
            if (type == null) {
                return null;
            }
            arguments.add(type);
        }
        return procedures.oid(text.substring(0, open).strip(), arguments);
    }
}
