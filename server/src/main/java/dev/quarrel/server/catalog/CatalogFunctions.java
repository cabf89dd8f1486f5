package dev.quarrel.server.catalog;

import static dev.quarrel.core.pg.PgType.BOOL;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.INT8;
import static dev.quarrel.core.pg.PgType.NAME;
import static dev.quarrel.core.pg.PgType.NAME_ARRAY;
import static dev.quarrel.core.pg.PgType.NUMERIC;
import static dev.quarrel.core.pg.PgType.OID;
import static dev.quarrel.core.pg.PgType.OIDVECTOR;
import static dev.quarrel.core.pg.PgType.REGCLASS;
import static dev.quarrel.core.pg.PgType.REGTYPE;
import static dev.quarrel.core.pg.PgType.TEXT;

import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.Identifiers;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// The functions that psql, drivers and BI tools call beside the catalog's tables.
///
/// Arrays are text in PostgreSQL's form, as in the tables. Functions that describe things we do not have
/// (triggers, rules, …) answer NULL, as PostgreSQL does for an OID that is none.
///
/// - Source: PostgreSQL 18's `pg_proc.dat`, `ruleutils.c`, `format_type.c`, `acl.c`, `dbsize.c`.
final class CatalogFunctions {
    private static final int UTF8_ENCODING = 6;

    private final SystemCatalog catalog;
    private final Supplier<Procedures> procs;
    private final List<ScalarFunction> functions = new ArrayList<>();

    CatalogFunctions(SystemCatalog catalog, Supplier<Procedures> procs) {
        this.catalog = catalog;
        this.procs = procs;
        addNaming();
        addKeys();
        addDescriptions();
        addVisibility();
        functions.addAll(new NamedObjects(catalog, procs, CatalogFunctions::regtype).all());
        functions.addAll(new PrivilegeFunctions(catalog).all());
        addSessionFunctions();
        addSizes();
        addArrays();
    }

    List<ScalarFunction> all() {
        return List.copyOf(functions);
    }

    private void add(String name, List<PgType> arguments, PgType result, ScalarFunction.Body body) {
        functions.add(new ScalarFunction(name, arguments, result, true, body));
    }

    private void addNotStrict(String name, List<PgType> arguments, PgType result, ScalarFunction.Body body) {
        functions.add(new ScalarFunction(name, arguments, result, false, body));
    }

    /// Answers NULL whatever the arguments: what it would describe does not exist.
    private void addNothing(String name, List<PgType> arguments, PgType result) {
        add(name, arguments, result, (_, _) -> null);
    }

    // ---- what an OID is called

    private void addNaming() {
        addNotStrict(
                "format_type",
                List.of(OID, INT4),
                TEXT,
                (session, values) ->
                        values[0] == null ? null : formatType((Long) values[0], (Long) values[1], session));
        add("pg_get_userbyid", List.of(OID), NAME, (_, values) -> catalog.userName((Long) values[0]));
        functions.addAll(NamedObjects.finders(REGCLASS, this::regclass));
        functions.addAll(NamedObjects.finders(REGTYPE, this::regtype));
        functions.addAll(NamedObjects.shown(REGCLASS, this::regclassText));
        functions.addAll(
                NamedObjects.shown(REGTYPE, (oid, session) -> oid == 0 ? "-" : formatType(oid, null, session)));
        add("oidvectortypes", List.of(OIDVECTOR), TEXT, (_, values) -> Procedures.typeNames((String) values[0]));
        add("pg_get_functiondef", List.of(OID), TEXT, (_, values) -> procs.get().definition((Long) values[0]));
        addNothing("pg_get_function_sqlbody", List.of(OID), TEXT);
        addNothing("pg_get_function_arg_default", List.of(OID, INT4), TEXT);
        addSignature("pg_get_function_result", Procedures.Signature::result);
        addSignature("pg_get_function_arguments", Procedures.Signature::arguments);
        addSignature("pg_get_function_identity_arguments", Procedures.Signature::identity);
        add("pg_encoding_to_char", List.of(INT4), NAME, (_, values) -> (Long) values[0] == UTF8_ENCODING ? "UTF8" : "");
        add(
                "pg_char_to_encoding",
                List.of(NAME),
                INT4,
                (_, values) -> isUtf8((String) values[0]) ? (long) UTF8_ENCODING : -1L);
        add("getdatabaseencoding", List.of(), NAME, (_, _) -> "UTF8");
        add("pg_client_encoding", List.of(), NAME, (_, _) -> "UTF8");
        add("quote_ident", List.of(TEXT), TEXT, (_, values) -> Identifiers.quoted((String) values[0]));
    }

    private void addSignature(String name, Function<Procedures.Signature, String> part) {
        add(name, List.of(OID), TEXT, (_, values) -> {
            Procedures.Signature signature = procs.get().signatureOf((Long) values[0]);
            return signature == null ? null : part.apply(signature);
        });
    }

    /// @param typmod null where none is asked for, which is not the same as -1: `"bit"` has no length, but bit has one
    private String formatType(long oid, Long typmod, SqlSession session) {
        OtherType other = catalog.names(session).other((int) oid);
        ObjectNames.Named table = catalog.names(session).tableOfRowType(oid);
        if (table != null) {
            String name = Identifiers.quoted(table.name());
            return table.schemaName().equals("public") ? name : Identifiers.quoted(table.schemaName()) + "." + name;
        }
        return other == null ? formatKnown(oid, typmod) : other.name();
    }

    static String formatKnown(long oid, Long typmod) {
        if (oid == 0) {
            return "-";
        }
        return PgType.ofOid((int) oid).map(type -> format(type, typmod)).orElseGet(() -> KnownTypes.name((int) oid));
    }

    private static String format(PgType type, Long typmod) {
        return typmod == null ? type.formatName() : PgType.format(type, typmod.intValue());
    }

    private static boolean isUtf8(String name) {
        String plain = name.replaceAll("[^A-Za-z0-9]", "").toLowerCase(Locale.ROOT);
        return plain.equals("utf8") || plain.equals("unicode");
    }

    private Long regclass(String text, SqlSession session) {
        ObjectNames.Named found = relation(catalog, text, session);
        return found == null ? null : found.oid();
    }

    /// The relation that a text names, as the session sees it, or null.
    static ObjectNames.Named relation(SystemCatalog catalog, String text, SqlSession session) {
        List<String> parts = Identifiers.parts(text);
        return switch (parts.size()) {
            case 1 -> catalog.names(session).find(parts.getFirst(), session.searchPath());
            case 2 -> catalog.names(session).relation(parts.get(0), parts.get(1));
            case 3 ->
                parts.getFirst().equals(session.database())
                        ? catalog.names(session).relation(parts.get(1), parts.get(2))
                        : null;
            default -> null;
        };
    }

    /// A type's number, or that of a table's row type.
    private Long regtype(String text, SqlSession session) {
        Long known = regtype(text);
        if (known != null) {
            return known;
        }
        Long table = regclass(text, session);
        long rowType = table == null ? 0 : catalog.names(session).rowType(table);
        return rowType == 0 ? catalog.names(session).otherType(text, session.searchPath()) : Long.valueOf(rowType);
    }

    private static Long regtype(String text) {
        String plain = text.strip();
        int end = nameEnd(plain);
        String name = plain.substring(0, end).strip();
        List<String> parts = Identifiers.parts(name);
        if (parts.size() == 1 && !name.startsWith("\"")) {
            return type(name + plain.substring(end));
        }
        // A name in quotes, or of a schema, is that of the catalog: there is no `pg_catalog.integer`.
        boolean isCatalogs =
                parts.size() == 1 || parts.size() == 2 && parts.getFirst().equals("pg_catalog");
        String typeName = parts.getLast().equals("char") ? "\"char\"" : parts.getLast();
        Long type = isCatalogs ? type(typeName) : null;
        boolean isNamedSo = type != null
                && PgType.ofOid(type.intValue())
                        .map(known -> known.typeName().equals(parts.getLast()))
                        .orElse(true);
        return isNamedSo ? type(typeName + plain.substring(end)) : null;
    }

    private static Long type(String name) {
        try {
            return (long) PgType.parse(name).type().oid();
        } catch (QueryException unknown) {
            return KnownTypes.oid(name);
        }
    }

    /// Where modifiers or brackets begin behind a type's name.
    private static int nameEnd(String text) {
        boolean isQuoted = false;
        for (int index = 0; index < text.length(); index++) {
            char character = text.charAt(index);
            isQuoted ^= character == '"';
            if (!isQuoted && (character == '(' || character == '[')) {
                return index;
            }
        }
        return text.length();
    }

    private String regclassText(long oid, SqlSession session) {
        if (oid == 0) {
            return "-";
        }
        ObjectNames.Named named = catalog.names(session).relation(oid);
        if (named == null) {
            return Long.toString(oid);
        }
        String name = Identifiers.quoted(named.name());
        return catalog.names(session).isVisible(oid, session.searchPath())
                ? name
                : Identifiers.quoted(named.schemaName()) + "." + name;
    }

    // ---- keys

    private void addKeys() {
        add("pg_get_indexdef", List.of(OID), TEXT, (session, values) -> indexdef((Long) values[0], 0, false, session));
        add(
                "pg_get_indexdef",
                List.of(OID, INT4, BOOL),
                TEXT,
                (session, values) -> indexdef((Long) values[0], (Long) values[1], (Boolean) values[2], session));
        add("pg_get_constraintdef", List.of(OID), TEXT, (session, values) -> constraintdef((Long) values[0], session));
        add(
                "pg_get_constraintdef",
                List.of(OID, BOOL),
                TEXT,
                (session, values) -> constraintdef((Long) values[0], session));
    }

    /// @param column from 1; 0 for the whole index
    /// @param isPretty whether a table that is visible has no schema before its name
    private String indexdef(long oid, long column, boolean isPretty, SqlSession session) {
        ObjectNames.Index index = catalog.names(session).index(oid);
        if (index == null) {
            return null;
        }
        List<String> columns = index.key().columns();
        if (column != 0) {
            return column < 0 || column > columns.size() ? "" : Identifiers.quoted(columns.get((int) column - 1));
        }
        boolean isVisible =
                isPretty && catalog.names(session).isVisible(index.table().oid(), session.searchPath());
        return KeyRelations.definition(index, !isVisible);
    }

    private String constraintdef(long oid, SqlSession session) {
        ObjectNames.Index index = catalog.names(session).indexOfConstraint(oid);
        return index == null ? null : KeyRelations.constraint(index.key());
    }

    // ---- what describes things that are not here

    private void addDescriptions() {
        add("pg_get_expr", List.of(TEXT, OID), TEXT, (_, values) -> values[0]); // it is kept as it is shown
        add("pg_get_expr", List.of(TEXT, OID, BOOL), TEXT, (_, values) -> values[0]);
        add(
                "pg_get_viewdef",
                List.of(OID),
                TEXT,
                (session, values) -> catalog.names(session).viewText((Long) values[0]));
        add(
                "pg_get_viewdef",
                List.of(OID, BOOL),
                TEXT,
                (session, values) -> catalog.names(session).viewText((Long) values[0]));
        addNothing("pg_get_triggerdef", List.of(OID), TEXT);
        addNothing("pg_get_triggerdef", List.of(OID, BOOL), TEXT);
        addNothing("pg_get_ruledef", List.of(OID), TEXT);
        addNothing("pg_get_ruledef", List.of(OID, BOOL), TEXT);
        addNothing("pg_get_partkeydef", List.of(OID), TEXT);
        addNothing("pg_get_partition_constraintdef", List.of(OID), TEXT);
        addNothing("pg_get_statisticsobjdef", List.of(OID), TEXT);
        addNothing("pg_get_statisticsobjdef_columns", List.of(OID), TEXT);
        add("pg_get_serial_sequence", List.of(TEXT, TEXT), TEXT, (session, values) -> {
            ObjectNames.Named table = relation(catalog, (String) values[0], session);
            if (table == null) {
                throw new QueryException(SqlState.UNDEFINED_TABLE, "relation \"" + values[0] + "\" does not exist");
            }
            return catalog.names(session).sequence(table.oid(), (String) values[1]);
        });
        add("obj_description", List.of(OID), TEXT, (session, values) -> {
            String said = catalog.names(session).comment((Long) values[0], 0);
            return said == null ? Descriptions.of((Long) values[0]) : said;
        });
        add("obj_description", List.of(OID, NAME), TEXT, (session, values) -> {
            ObjectNames.Named relation = catalog.names(session).relation("pg_catalog", (String) values[1]);
            String said = values[1].equals("pg_class") ? catalog.names(session).comment((Long) values[0], 0) : null;
            return said != null || relation == null ? said : Descriptions.of((Long) values[0], relation.oid());
        });
        addNothing("shobj_description", List.of(OID, NAME), TEXT);
        add("col_description", List.of(OID, INT4), TEXT, (session, values) -> {
            long column = (Long) values[1];
            return column <= 0 ? null : catalog.names(session).comment((Long) values[0], column);
        });
        add("pg_relation_is_publishable", List.of(REGCLASS), BOOL, (_, _) -> false);
        add("pg_is_in_recovery", List.of(), BOOL, (_, _) -> false);
        add("pg_my_temp_schema", List.of(), OID, (_, _) -> 0L);
        add("pg_is_other_temp_schema", List.of(OID), BOOL, (_, _) -> false);
        add("pg_tablespace_location", List.of(OID), TEXT, (_, _) -> "");
    }

    // ---- what a name finds

    private void addVisibility() {
        add(
                "pg_table_is_visible",
                List.of(OID),
                BOOL,
                (session, values) -> catalog.names(session).relation((Long) values[0]) == null
                        ? null
                        : catalog.names(session).isVisible((Long) values[0], session.searchPath()));
        for (String kind : List.of(
                "type",
                "function",
                "operator",
                "opclass",
                "opfamily",
                "collation",
                "conversion",
                "ts_config",
                "ts_dict",
                "ts_parser",
                "ts_template",
                "statistics_obj")) {
            // all there is of these stands in pg_catalog
            add("pg_" + kind + "_is_visible", List.of(OID), BOOL, (_, _) -> true);
        }
    }

    // ---- about the session

    private void addSessionFunctions() {
        add("current_database", List.of(), NAME, (_, _) -> catalog.database());
        add("current_catalog", List.of(), NAME, (_, _) -> catalog.database());
        add(
                "current_schema",
                List.of(),
                NAME,
                (session, _) -> existing(session).stream().findFirst().orElse(null));
        add("current_schemas", List.of(BOOL), NAME_ARRAY, (session, values) -> {
            List<String> schemas = new ArrayList<>();
            if ((Boolean) values[0] && !existing(session).contains("pg_catalog")) {
                schemas.add("pg_catalog");
            }
            schemas.addAll(existing(session));
            return ArrayText.format(schemas);
        });
        add("current_setting", List.of(TEXT), TEXT, (session, values) -> {
            String value = session.setting((String) values[0]);
            if (value == null) {
                throw new QueryException(
                        SqlState.UNDEFINED_OBJECT, "unrecognized configuration parameter \"" + values[0] + "\"");
            }
            return value;
        });
        addNotStrict(
                "current_setting",
                List.of(TEXT, BOOL),
                TEXT,
                (session, values) -> values[0] == null ? null : session.setting((String) values[0]));
        add(
                "version",
                List.of(),
                TEXT,
                (session, _) ->
                        "PostgreSQL " + session.setting("server_version") + " on " + System.getProperty("os.arch")
                                + ", Java " + Runtime.version().feature());
    }

    private List<String> existing(SqlSession session) {
        return session.searchPath().stream()
                .filter(catalog.names(session).schemas()::containsKey)
                .filter(name -> !name.equals(Catalog.TEMPORARY_SCHEMA))
                .toList();
    }

    // ---- sizes

    private void addSizes() {
        for (String name : List.of("pg_table_size", "pg_relation_size", "pg_total_relation_size")) {
            add(
                    name,
                    List.of(REGCLASS),
                    INT8,
                    (session, values) -> catalog.names(session).storedBytes((Long) values[0]));
        }
        add(
                "pg_indexes_size",
                List.of(REGCLASS),
                INT8,
                (session, values) -> catalog.names(session).relation((Long) values[0]) == null ? null : 0L);
        add("pg_relation_size", List.of(REGCLASS, TEXT), INT8, (session, values) -> {
            boolean isMain = values[1].equals("main");
            if (!isMain && !List.of("fsm", "vm", "init").contains(values[1])) {
                throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "invalid fork name")
                        .withHint("Valid fork names are \"main\", \"fsm\", \"vm\", and \"init\".");
            }
            Long bytes = catalog.names(session).storedBytes((Long) values[0]);
            return bytes == null || isMain ? bytes : 0L;
        });
        add("pg_database_size", List.of(NAME), INT8, (session, values) -> {
            Long oid = catalog.databaseOid((String) values[0]);
            if (oid == null) {
                throw new QueryException(
                        SqlState.INVALID_CATALOG_NAME, "database \"" + values[0] + "\" does not exist");
            }
            return databaseSize(oid, session);
        });
        add("pg_database_size", List.of(OID), INT8, (session, values) -> databaseSize((Long) values[0], session));
        addNothing("pg_tablespace_size", List.of(NAME), INT8);
        addNothing("pg_tablespace_size", List.of(OID), INT8);
        // What is counted of reads and writes in PostgreSQL, and here is not, or never happens.
        for (String counted : List.of(
                "numscans",
                "tuples_returned",
                "tuples_fetched",
                "tuples_inserted",
                "tuples_updated",
                "tuples_deleted",
                "dead_tuples",
                "blocks_fetched",
                "blocks_hit")) {
            add("pg_stat_get_" + counted, List.of(OID), INT8, (_, _) -> 0L);
        }
        add("pg_size_pretty", List.of(INT8), TEXT, (_, values) -> sizePretty((Long) values[0]));
        add(
                "pg_size_pretty",
                List.of(NUMERIC),
                TEXT,
                (_, values) -> sizePretty(((java.math.BigDecimal) values[0]).longValue()));
    }

    /// NULL for other databases than the session's: nobody has looked at their files.
    private Long databaseSize(long oid, SqlSession session) {
        return oid == ObjectNames.databaseOid(catalog.database())
                ? catalog.names(session).storedBytes()
                : null;
    }

    /// - Source: PostgreSQL's `dbsize.c`: a unit is left at 10 of the next, and halves are rounded away from zero.
    static String sizePretty(long bytes) {
        String[] units = {"bytes", "kB", "MB", "GB", "TB", "PB"};
        long size = bytes;
        int unit = 0;
        boolean halved = false;
        while (unit < units.length - 1 && Math.abs(size) >= (halved ? 20_479 : 10_240)) {
            // one bit more than the unit is kept, to round by
            size = unit == 0 ? size / 512 : size / 1024;
            halved = true;
            unit++;
        }
        if (halved) {
            size = (size + (size < 0 ? -1 : 1)) / 2;
        }
        return size + " " + units[unit];
    }

    // ---- arrays as text

    private void addArrays() {
        addNotStrict(
                "array_to_string",
                List.of(TEXT, TEXT),
                TEXT,
                (_, values) -> values[0] == null || values[1] == null
                        ? null
                        : join((String) values[0], (String) values[1], null));
        addNotStrict(
                "array_to_string",
                List.of(TEXT, TEXT, TEXT),
                TEXT,
                (_, values) -> values[0] == null || values[1] == null
                        ? null
                        : join((String) values[0], (String) values[1], (String) values[2]));
        add("array_upper", List.of(TEXT, INT4), INT4, (_, values) -> length((String) values[0], (Long) values[1]));
        add("array_length", List.of(TEXT, INT4), INT4, (_, values) -> length((String) values[0], (Long) values[1]));
        add(
                "array_lower",
                List.of(TEXT, INT4),
                INT4,
                (_, values) -> length((String) values[0], (Long) values[1]) == null ? null : 1L);
    }

    private static String join(String array, String separator, String nullText) {
        return ArrayText.parse(array).stream()
                .filter(element -> element != null || nullText != null)
                .map(element -> element == null ? nullText : element)
                .collect(Collectors.joining(separator));
    }

    private static Long length(String array, long dimension) {
        int size = ArrayText.parse(array).size();
        return dimension != 1 || size == 0 ? null : (long) size;
    }

    /// The types of which there are no values, from the rows of `pg_type`.
    private static final class KnownTypes {
        private static final Map<Integer, String> NAMES = new HashMap<>();
        private static final Map<String, Long> OIDS = new HashMap<>();

        static {
            RelationRows types = new RelationRows("pg_catalog.pg_type").addAll("pg_type.tsv");
            for (int row = 0; row < types.rowCount(); row++) {
                put((Long) types.value(row, "oid"), (String) types.value(row, "typname"), "");
            }
            for (int row = 0; row < types.rowCount(); row++) {
                long element = (Long) types.value(row, "typelem");
                String name = (String) types.value(row, "typname");
                if ("A".equals(types.value(row, "typcategory")) && name.startsWith("_")) {
                    long oid = (Long) types.value(row, "oid");
                    put(oid, PgType.ofOid((int) element).map(PgType::formatName).orElse(name.substring(1)), "[]");
                    OIDS.put(name.substring(1) + "[]", oid);
                }
            }
        }

        private static void put(long oid, String name, String suffix) {
            NAMES.put((int) oid, (suffix.isEmpty() ? Identifiers.quoted(name) : name) + suffix);
            OIDS.put(name + suffix, oid);
        }

        static String name(int oid) {
            return NAMES.getOrDefault(oid, "???");
        }

        static Long oid(String name) {
            return OIDS.get(name);
        }
    }
}
