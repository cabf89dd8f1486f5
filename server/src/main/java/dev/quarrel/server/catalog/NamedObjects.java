package dev.quarrel.server.catalog;

import static dev.quarrel.core.pg.PgType.REGCOLLATION;
import static dev.quarrel.core.pg.PgType.REGNAMESPACE;
import static dev.quarrel.core.pg.PgType.REGPROC;
import static dev.quarrel.core.pg.PgType.REGPROCEDURE;
import static dev.quarrel.core.pg.PgType.REGROLE;
import static dev.quarrel.core.pg.PgType.TEXT;
import static dev.quarrel.core.pg.PgType.TEXT_ARRAY;

import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.Identifiers;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/// The types that show an object's name, beside `regclass` and `regtype`: what finds an object (`to_regrole`), and
/// what shows one (`regroleout`).
///
/// - Source: PostgreSQL 18's `regproc.c`.
public final class NamedObjects {
    private final SystemCatalog catalog;
    private final Supplier<Procedures> procedures;
    private final Function<String, Long> types;
    private final List<ScalarFunction> functions = new ArrayList<>();

    /// @param types the number of the type that a text names, or null
    NamedObjects(SystemCatalog catalog, Supplier<Procedures> procedures, Function<String, Long> types) {
        this.catalog = catalog;
        this.procedures = procedures;
        this.types = types;
        add(REGPROC, name -> procedures.get().oid(name), oid -> procedures.get().name(oid));
        functions.add(new ScalarFunction(
                "regprocin",
                List.of(TEXT),
                REGPROC,
                true,
                (_, values) -> procedures.get().only((String) values[0])));
        add(REGPROCEDURE, this::procedure, oid -> procedures.get().signature(oid));
        functions.addAll(finders(REGNAMESPACE, (text, session) -> schema(Identifiers.parts(text), session)));
        functions.addAll(shown(
                REGNAMESPACE,
                (oid, session) -> shown(oid, quoted(catalog.names(session).schemaName(oid)))));
        add(REGROLE, text -> role(Identifiers.parts(text)), oid -> quoted(catalog.knownUserName(oid)));
        add(REGCOLLATION, this::collation, oid -> quoted(CollationOids.fixedName(oid)));
    }

    List<ScalarFunction> all() {
        return List.copyOf(functions);
    }

    /// @param shown null for an object that is not there, which shows as its number
    private void add(PgType type, Function<String, Long> found, Function<Long, String> shown) {
        String name = type.typeName();
        functions.addAll(finders(type, (text, _) -> found.apply(text)));
        functions.addAll(shown(type, (oid, _) -> shown(oid, shown.apply(oid))));
    }

    private static String shown(long oid, String name) {
        return oid == 0 ? "-" : name == null ? Long.toString(oid) : name;
    }

    /// What finds an object's number by its name, as a session sees it: `to_regtype`, which is NULL for a name that
    /// nothing has, and the cast of a text, which fails then.
    ///
    /// @param finder null for a name that nothing has
    static List<ScalarFunction> finders(PgType type, BiFunction<String, SqlSession, Long> finder) {
        String name = type.typeName();
        return List.of(
                new ScalarFunction(
                        "to_" + name,
                        List.of(TEXT),
                        type,
                        true,
                        (session, values) -> finder.apply((String) values[0], session)),
                new ScalarFunction("cast_to_" + name, List.of(TEXT), type, true, (session, values) -> {
                    String text = ((String) values[0]).strip();
                    if (text.equals("-")) {
                        return 0L;
                    }
                    if (!text.isEmpty() && text.chars().allMatch(Character::isDigit)) {
                        return PgParse.oid(text);
                    }
                    Long found = finder.apply(text, session);
                    if (found == null) {
                        throw missing(type, text);
                    }
                    return found;
                }));
    }

    /// What shows an object, and an array of such: `regtypeout`, `_regtypeout`.
    static List<ScalarFunction> shown(PgType type, BiFunction<Long, SqlSession, String> text) {
        String name = type.typeName() + "out";
        return List.of(
                new ScalarFunction(
                        name, List.of(type), TEXT, true, (session, values) -> text.apply((Long) values[0], session)),
                new ScalarFunction(
                        "_" + name,
                        List.of(type.array().orElseThrow()),
                        TEXT_ARRAY,
                        true,
                        (session, values) -> names((String) values[0], oid -> text.apply(oid, session))));
    }

    private static String names(String array, LongFunction<String> text) {
        TextBuffer out = new TextBuffer();
        ArrayText.parseNested(array).append(out, each -> {
            byte[] bytes = text.apply(Long.parseLong(each)).getBytes(StandardCharsets.UTF_8);
            ArrayText.appendElement(bytes, bytes.length, out);
        });
        return out.toString();
    }

    /// - Returns: PostgreSQL's error for the name of nothing
    public static QueryException missing(PgType type, String name) {
        String text = " \"" + name + "\" does not exist";
        return switch (type) {
            case REGCLASS ->
                new QueryException(
                        SqlState.UNDEFINED_TABLE,
                        "relation \"" + String.join(".", Identifiers.parts(name)) + "\" does not exist");
            case REGTYPE ->
                new QueryException(
                        SqlState.UNDEFINED_OBJECT,
                        "type \"" + String.join(".", Identifiers.parts(name)) + "\" does not exist");
            case REGNAMESPACE -> new QueryException(SqlState.INVALID_SCHEMA_NAME, "schema" + text);
            case REGROLE -> new QueryException(SqlState.UNDEFINED_OBJECT, "role" + text);
            case REGCOLLATION -> new QueryException(SqlState.UNDEFINED_OBJECT, "collation" + text);
            default -> new QueryException(SqlState.UNDEFINED_FUNCTION, "function" + text);
        };
    }

    private static String quoted(String name) {
        return name == null ? null : Identifiers.quoted(name);
    }

    private Long schema(List<String> parts, SqlSession session) {
        return parts.size() == 1 ? catalog.names(session).schemas().get(parts.getFirst()) : null;
    }

    private Long role(List<String> parts) {
        return parts.size() == 1 ? catalog.roleOid(parts.getFirst()) : null;
    }

    private Long collation(String text) {
        List<String> parts = Identifiers.parts(text);
        boolean isHere =
                parts.size() == 1 || parts.size() == 2 && parts.getFirst().equals("pg_catalog");
        return isHere ? CollationOids.fixedOid(parts.getLast()) : null;
    }

    /// A function by its name and the types of its arguments: `sin(double precision)`.
    private Long procedure(String text) {
        int open = text.indexOf('(');
        String trimmed = text.strip();
        if (open < 0 || !trimmed.endsWith(")")) {
            return null;
        }
        String inside = trimmed.substring(trimmed.indexOf('(') + 1, trimmed.length() - 1)
                .strip();
        List<Long> arguments = new ArrayList<>();
        for (String each : inside.isEmpty() ? new String[0] : inside.split(",", -1)) {
            Long type = types.apply(each);
            if (type == null) {
                return null;
            }
            arguments.add(type);
        }
        return procedures.get().oid(text.substring(0, open).strip(), arguments);
    }
}
