package dev.quarrel.server.catalog;

import dev.quarrel.calcite.TablePrivileges;
import dev.quarrel.core.pg.IntervalFields;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.ColumnDefault;
import dev.quarrel.core.table.Counter;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.Collation;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.OtherType;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/// Fills `pg_catalog` and `information_schema` from a catalog snapshot.
///
/// Relations of things that Quarrel does not have (foreign keys, triggers, policies, …) are there and
/// empty: that is the truth about them. Relations whose truth we could not tell are left out, so asking for them
/// is an error and not a wrong answer.
final class SystemTables {
    static final String OWNER_NAME = "quarrel";

    private static final long HEAP = 2;
    private static final long DEFAULT_TABLESPACE = 1663;
    private static final int UTF8_ENCODING = 6;
    private static final int VARYING_SIZE = -1;
    private static final int FIRST_USER_OID = 16_384;

    private static final String DESCRIPTION = "pg_catalog.pg_description";

    private static final List<String> FILES = List.of(
            "pg_aggregate",
            "pg_am",
            "pg_cast",
            "pg_description",
            "pg_language",
            "pg_operator",
            "pg_range",
            "pg_tablespace");

    /// Tables that are the same in every catalog version.
    private static final Map<String, Table> FIXED = fixed();

    private final CatalogSnapshot snapshot;
    private final ObjectNames names;
    private final TablePrivileges privileges;
    private final String database;
    private final List<String> databases;
    private final Map<String, RelationRows> filled = new HashMap<>();
    private final Set<Integer> typesAdded = new HashSet<>();

    private CollationOids collations;
    private StatisticsRelations statistics;
    private ForeignRelations foreign;

    private SystemTables(
            CatalogSnapshot snapshot,
            ObjectNames names,
            TablePrivileges privileges,
            String database,
            List<String> databases) {
        this.database = database;
        this.databases = databases;
        this.snapshot = snapshot;
        this.names = names;
        this.privileges = privileges;
    }

    /// @param privileges of whoever reads them: `information_schema` has what these allow, `pg_catalog` has all
    /// @param made tables that others have made, by qualified name
    /// @param database the database's name
    /// @param databases all of the server's
    static List<Table> of(
            CatalogSnapshot snapshot,
            ObjectNames names,
            TablePrivileges privileges,
            Map<String, Table> made,
            String database,
            List<String> databases) {
        Lazy<Map<String, Table>> filled =
                new Lazy<>(() -> new SystemTables(snapshot, names, privileges, database, databases).fill());
        boolean hasComments = !names.comments().isEmpty();
        Stream<Map.Entry<String, CatalogRelation>> relations =
                Stream.concat(CatalogRelation.ALL.entrySet().stream(), CatalogRelation.FUNCTIONS.entrySet().stream());
        return relations
                .map(relation -> {
                    String name = relation.getKey();
                    if (made.containsKey(name)) {
                        return made.get(name);
                    }
                    boolean isFixed = FIXED.containsKey(name) && !(hasComments && name.equals(DESCRIPTION));
                    return isFixed
                            ? FIXED.get(name)
                            : new DeferredTable(
                                    relation.getValue(),
                                    () -> {
                                        Table table = filled.get().get(name);
                                        return table == null ? new RelationRows(name).table() : table;
                                    },
                                    names);
                })
                .toList();
    }

    private static Map<String, Table> fixed() {
        Map<String, Table> tables = new HashMap<>(LiveTables.ALL);
        for (String name : FILES) {
            String qualified = "pg_catalog." + name;
            tables.put(qualified, DeferredTable.ofFile(qualified, name + ".tsv"));
        }
        String keywords = "pg_catalog.pg_get_keywords()";
        tables.put(keywords, DeferredTable.ofFile(keywords, "pg_get_keywords.tsv"));
        return tables;
    }

    private RelationRows rows(String qualifiedName) {
        return filled.computeIfAbsent(qualifiedName, RelationRows::new);
    }

    /// The relations that have rows, all at once: by name.
    private Map<String, Table> fill() {
        RelationRows types = rows("pg_catalog.pg_type").addAll("pg_type.tsv");
        for (int row = 0; row < types.rowCount(); row++) {
            typesAdded.add(((Long) types.value(row, "oid")).intValue());
        }
        collations = new CollationOids(rows("pg_catalog.pg_collation"), snapshot.defaultCollation());
        statistics = new StatisticsRelations(this::rows);
        foreign = new ForeignRelations(this::rows, database);
        foreign.addServers();
        fillDatabase();
        fillSchemas();
        for (CatalogRelation relation : CatalogRelation.ALL.values()) {
            fillSystemRelation(relation);
        }
        for (String schemaName : names.schemas().keySet()) {
            for (Table table : snapshot.tables(schemaName)) {
                fillTable(table);
            }
        }
        fillComments();
        KeyRelations keys = new KeyRelations(names, database, this::rows);
        for (ObjectNames.Index index : names.indexes()) {
            Table table =
                    snapshot.table(index.table().schemaName(), index.table().name());
            keys.add(index, table);
            int number = 1;
            for (String column : index.key().columns()) {
                Field field = table.schema().field(table.schema().indexOf(column));
                addAttribute(index.oid(), number++, column, declared(field), false, collation(field), null, null);
            }
        }
        Map<String, Table> tables = new HashMap<>();
        filled.forEach((name, rows) -> tables.put(name, rows.table()));
        return tables;
    }

    /// What is said of users' relations stands behind what PostgreSQL says of its own objects.
    private void fillComments() {
        if (names.comments().isEmpty()) {
            return;
        }
        RelationRows rows = rows(DESCRIPTION).addAll("pg_description.tsv");
        for (ObjectNames.Comment comment : names.comments()) {
            rows.add(
                    "objoid", comment.relation(),
                    "classoid", CatalogRelation.of("pg_catalog.pg_class").oid(),
                    "objsubid", comment.column(),
                    "description", comment.text());
        }
    }

    private Collation collation(Field field) {
        PgType.Declared declared = declared(field);
        return declared.other() == null ? collations.of(declared.type(), field.collation()) : null;
    }

    private void fillDatabase() {
        Collation collation = snapshot.defaultCollation();
        boolean isOfSystem = collation.provider() == Collation.Provider.LIBC;
        for (String name : databases) {
            rows("pg_catalog.pg_database")
                    .add(
                            "oid",
                            ObjectNames.databaseOid(name),
                            "datname",
                            name,
                            "datdba",
                            ObjectNames.OWNER,
                            "encoding",
                            UTF8_ENCODING,
                            "datlocprovider",
                            String.valueOf(collation.provider().code()),
                            "datallowconn",
                            true,
                            "datconnlimit",
                            -1,
                            "datfrozenxid",
                            "0",
                            "datminmxid",
                            "0",
                            "dattablespace",
                            DEFAULT_TABLESPACE,
                            "datcollate",
                            isOfSystem ? collation.orderLocale() : "C",
                            "datctype",
                            isOfSystem ? collation.characterLocale() : "C",
                            "datlocale",
                            isOfSystem ? null : collation.locale(),
                            "daticurules",
                            collation.rules(),
                            "datcollversion",
                            collation.version());
        }
        rows("information_schema.information_schema_catalog_name").add("catalog_name", database);
        rows("information_schema.character_sets")
                .add(
                        "character_set_name", "UTF8",
                        "character_repertoire", "UCS",
                        "form_of_use", "UTF8",
                        "default_collate_catalog", database,
                        "default_collate_schema", "pg_catalog",
                        "default_collate_name", "C");
    }

    static long roleOid(String user) {
        return user.equals(OWNER_NAME) ? ObjectNames.OWNER : ObjectNames.unnamedOid("role\0" + user);
    }

    private void fillSchemas() {
        names.schemas().forEach((name, oid) -> {
            rows("pg_catalog.pg_namespace").add("oid", oid, "nspname", name, "nspowner", ObjectNames.OWNER);
            rows("information_schema.schemata")
                    .add("catalog_name", database, "schema_name", name, "schema_owner", OWNER_NAME);
        });
    }

    private void fillSystemRelation(CatalogRelation relation) {
        addClass(
                relation.oid(),
                relation.name(),
                relation.schemaName(),
                relation.kind(),
                relation.columns().size(),
                -1);
        addTableViews(relation.schemaName(), relation.name(), relation.kind());
        int number = 1;
        for (CatalogRelation.Column column : relation.columns()) {
            Collation collation = collations.of(column.declared().type(), null);
            addAttribute(
                    relation.oid(), number, column.name(), column.declared(), column.notNull(), collation, null, null);
            addInformationColumn(
                    relation.schemaName(),
                    relation.name(),
                    number,
                    column.name(),
                    column.declared(),
                    column.notNull(),
                    collation,
                    null);
            number++;
        }
    }

    private void fillTable(Table table) {
        long oid = names.relation(table.schemaName(), table.name()).oid();
        addRowType(table, oid);
        if (!table.isOpen()) { // its columns are told of by the catalog's next version
            addClass(oid, table.name(), table.schemaName(), "r", 0, 0);
            addTableViews(table.schemaName(), table.name(), "r");
            return;
        }
        int shown = table.schema().size() - table.hiddenColumns();
        String kind = table.view() != null ? "v" : table.foreign() == null ? "r" : "f";
        boolean isReadable = privileges.maySelect(table.schemaName(), table.name());
        addClass(
                oid,
                table.name(),
                table.schemaName(),
                kind,
                shown,
                table.view() == null ? table.stats().rowCount() : -1);
        addTableViews(table.schemaName(), table.name(), kind);
        if (table.foreign() != null) {
            foreign.add(oid, table, isReadable);
        }
        if (table.view() == null) {
            statistics.add(oid, table, isReadable);
        }
        int number = 1;
        for (Field field : table.schema().fields().subList(0, shown)) {
            PgType.Declared declared = declared(field);
            if (declared.other() != null) {
                addType(declared.other());
            }
            Collation collation = collation(field);
            String options = ForeignRelations.columnOptions(table, field.name());
            ColumnDefault byDefault = table.defaults().stream()
                    .filter(each -> each.column().equals(field.name()))
                    .findFirst()
                    .orElse(null);
            addAttribute(oid, number, field.name(), declared, !field.nullable(), collation, options, byDefault);
            addInformationColumn(
                    table.schemaName(),
                    table.name(),
                    number,
                    field.name(),
                    declared,
                    !field.nullable(),
                    collation,
                    byDefault);
            if (byDefault != null && !isIdentity(byDefault)) {
                rows("pg_catalog.pg_attrdef")
                        .add(
                                "oid",
                                ObjectNames.unnamedOid("default\0" + oid + "\0" + field.name()),
                                "adrelid",
                                oid,
                                "adnum",
                                number,
                                "adbin",
                                byDefault.expression());
            }
            number++;
        }
    }

    private static boolean isIdentity(ColumnDefault byDefault) {
        return byDefault != null
                && byDefault.counter() != null
                && byDefault.counter().isIdentity();
    }

    /// As queries see the column: a declared type that does not fit how it is held does not count.
    private static PgType.Declared declared(Field field) {
        PgType.Declared declared = PgType.Declared.of(field);
        if (declared.other() != null) {
            return declared;
        }
        boolean fits = declared.type() == PgType.NUMERIC
                ? switch (field.type()) {
                    case DataType.Decimal _, DataType.Numeric _, DataType.Utf8 _ -> true;
                    default -> false;
                }
                : declared.type().dataType().equals(field.type());
        return fits ? declared : PgType.Declared.of(field.type());
    }

    /// Types that only datasets have, in PostgreSQL's numbers; where two have one number, the first counts.
    private void addType(OtherType other) {
        if (!typesAdded.add(other.oid())) {
            return;
        }
        addLabels(other);
        other.fields().stream().map(Field::other).filter(Objects::nonNull).forEach(this::addType);
        boolean isArray = other.name().endsWith("[]");
        rows("pg_catalog.pg_type")
                .add(
                        "oid",
                        Integer.toUnsignedLong(other.oid()),
                        "typname",
                        ObjectNames.typeName(other),
                        "typnamespace",
                        names.typeSchema(other),
                        "typowner",
                        ObjectNames.OWNER,
                        "typlen",
                        VARYING_SIZE,
                        "typtype",
                        other.isEnum() ? "e" : "b",
                        "typcategory",
                        isArray ? "A" : other.isEnum() ? "E" : "U",
                        "typisdefined",
                        true,
                        "typdelim",
                        ",",
                        "typalign",
                        "i",
                        "typstorage",
                        "x",
                        "typtypmod",
                        -1);
    }

    private void addRowType(Table table, long relation) {
        rows("pg_catalog.pg_type")
                .add(
                        "oid",
                        names.rowType(relation),
                        "typname",
                        table.name(),
                        "typnamespace",
                        names.schemaOid(table.schemaName()),
                        "typowner",
                        ObjectNames.OWNER,
                        "typlen",
                        VARYING_SIZE,
                        "typtype",
                        "c",
                        "typcategory",
                        "C",
                        "typisdefined",
                        true,
                        "typdelim",
                        ",",
                        "typrelid",
                        relation,
                        "typalign",
                        "d",
                        "typstorage",
                        "x",
                        "typtypmod",
                        -1);
    }

    /// In PostgreSQL's order of numbers, which follow each other where no label came later.
    private void addLabels(OtherType other) {
        long type = Integer.toUnsignedLong(other.oid());
        for (int place = 0; place < other.labels().size(); place++) {
            rows("pg_catalog.pg_enum")
                    .add(
                            "oid",
                            names.label(other, place),
                            "enumtypid",
                            type,
                            "enumsortorder",
                            place + 1f,
                            "enumlabel",
                            other.labels().get(place));
        }
    }

    private void addClass(long oid, String name, String schemaName, String kind, int columnCount, long rowCount) {
        rows("pg_catalog.pg_class")
                .add(
                        "oid",
                        oid,
                        "relname",
                        name,
                        "relnamespace",
                        names.schemaOid(schemaName),
                        "reltype",
                        names.rowType(oid),
                        "relowner",
                        ObjectNames.OWNER,
                        "relam",
                        kind.equals("r") ? HEAP : 0L,
                        "relpages", // DuckDB divides tables that have pages by their ctid, which is not here
                        0,
                        "reltuples",
                        rowCount,
                        "relpersistence",
                        schemaName.equals(Catalog.TEMPORARY_SCHEMA) ? "t" : "p",
                        "relkind",
                        kind,
                        "relnatts",
                        columnCount,
                        "relhasindex",
                        names.isIndexed(oid),
                        "relispopulated",
                        true,
                        "relreplident",
                        schemaName.equals("pg_catalog") ? "n" : "d",
                        "relfrozenxid",
                        "0",
                        "relminmxid",
                        "0");
    }

    /// @param kind as `pg_class` has it
    private void addTableViews(String schemaName, String name, String kind) {
        boolean isView = kind.equals("v");
        if (isView) {
            ObjectNames.Named view = names.relation(schemaName, name);
            String text = view == null ? null : names.viewText(view.oid());
            rows("pg_catalog.pg_views")
                    .add("schemaname", schemaName, "viewname", name, "viewowner", OWNER_NAME, "definition", text);
            rows("information_schema.views")
                    .add(
                            "table_catalog", database,
                            "table_schema", schemaName,
                            "table_name", name,
                            "view_definition", text,
                            "check_option", "NONE",
                            "is_updatable", "NO",
                            "is_insertable_into", "NO",
                            "is_trigger_updatable", "NO",
                            "is_trigger_deletable", "NO",
                            "is_trigger_insertable_into", "NO");
        } else if (kind.equals("r")) {
            rows("pg_catalog.pg_tables")
                    .add(
                            "schemaname",
                            schemaName,
                            "tablename",
                            name,
                            "tableowner",
                            OWNER_NAME,
                            "hasindexes",
                            names.isIndexed(names.relation(schemaName, name).oid()),
                            "hasrules",
                            false,
                            "hastriggers",
                            false,
                            "rowsecurity",
                            false);
        }
        if (!privileges.maySelect(schemaName, name)) {
            return;
        }
        rows("information_schema.tables")
                .add(
                        "table_catalog",
                        database,
                        "table_schema",
                        schemaName,
                        "table_name",
                        name,
                        "table_type",
                        schemaName.equals(Catalog.TEMPORARY_SCHEMA)
                                ? "LOCAL TEMPORARY"
                                : isView ? "VIEW" : kind.equals("f") ? "FOREIGN" : "BASE TABLE",
                        "is_insertable_into",
                        "NO",
                        "is_typed",
                        "NO");
        rows("information_schema.table_privileges")
                .add(
                        "grantor",
                        OWNER_NAME,
                        "grantee",
                        "PUBLIC",
                        "table_catalog",
                        database,
                        "table_schema",
                        schemaName,
                        "table_name",
                        name,
                        "privilege_type",
                        "SELECT",
                        "is_grantable",
                        "NO",
                        "with_hierarchy",
                        "YES");
    }

    /// @param collation null for none
    /// @param options of a foreign table's column, or null
    private void addAttribute(
            long oid,
            int number,
            String name,
            PgType.Declared declared,
            boolean notNull,
            Collation collation,
            String options,
            ColumnDefault byDefault) {
        PgType type = declared.type();
        rows("pg_catalog.pg_attribute")
                .add(
                        "attrelid",
                        oid,
                        "attname",
                        name,
                        "atttypid",
                        Integer.toUnsignedLong(declared.oid()),
                        "attlen",
                        type.size(),
                        "attnum",
                        number,
                        "atttypmod",
                        declared.typmod(),
                        "attbyval",
                        type.size() > 0 && type.size() <= 8,
                        "attalign",
                        align(type),
                        "attstorage",
                        storage(type),
                        "attnotnull",
                        notNull,
                        "atthasdef",
                        byDefault != null && !isIdentity(byDefault),
                        "attidentity",
                        !isIdentity(byDefault) ? "" : byDefault.counter().kind() == Counter.Kind.ALWAYS ? "a" : "d",
                        "attislocal",
                        true,
                        "attcollation",
                        collations.oid(collation),
                        "attfdwoptions",
                        options);
    }

    private static String align(PgType type) {
        return switch (type.size()) {
            case 1 -> "c";
            case 2 -> "s";
            case 8 -> "d";
            case 64 -> "c";
            default -> "i";
        };
    }

    private static String storage(PgType type) {
        return type == PgType.NUMERIC ? "m" : type.size() == VARYING_SIZE ? "x" : "p";
    }

    /// @param collation null for none
    private void addInformationColumn(
            String schemaName,
            String tableName,
            int number,
            String name,
            PgType.Declared declared,
            boolean notNull,
            Collation collation,
            ColumnDefault byDefault) {
        Counter identity = isIdentity(byDefault) ? byDefault.counter() : null;
        long most = greatest(declared, identity);
        boolean isNamed = collation != null && !collation.isDefault();
        PgType type = declared.type();
        Integer numericPrecision =
                switch (type) {
                    case INT2 -> 16;
                    case INT4 -> 32;
                    case INT8 -> 64;
                    case FLOAT4 -> 24;
                    case FLOAT8 -> 53;
                    case NUMERIC -> declared.numericPrecision() < 0 ? null : declared.numericPrecision();
                    default -> null;
                };
        Integer numericScale =
                switch (type) {
                    case INT2, INT4, INT8 -> 0;
                    case NUMERIC -> declared.numericPrecision() < 0 ? null : declared.numericScale();
                    default -> null;
                };
        Integer length = declared.length() < 0 ? null : declared.length();
        if (!privileges.maySelect(schemaName, tableName)) {
            return;
        }
        rows("information_schema.columns")
                .add(
                        "table_catalog",
                        database,
                        "table_schema",
                        schemaName,
                        "table_name",
                        tableName,
                        "column_name",
                        name,
                        "ordinal_position",
                        number,
                        "is_nullable",
                        notNull ? "NO" : "YES",
                        "data_type",
                        dataType(declared),
                        "character_maximum_length",
                        length,
                        "character_octet_length",
                        octets(type, length),
                        "numeric_precision",
                        numericPrecision,
                        "numeric_precision_radix",
                        radix(type),
                        "numeric_scale",
                        numericScale,
                        "datetime_precision",
                        datetimePrecision(declared),
                        "collation_catalog",
                        isNamed ? database : null,
                        "collation_schema",
                        isNamed ? "pg_catalog" : null,
                        "collation_name",
                        isNamed ? collation.name() : null,
                        "udt_catalog",
                        database,
                        "udt_schema",
                        declared.other() == null ? "pg_catalog" : names.schemaName(names.typeSchema(declared.other())),
                        "udt_name",
                        declared.other() == null ? type.typeName() : ObjectNames.typeName(declared.other()),
                        "dtd_identifier",
                        Integer.toString(number),
                        "is_self_referencing",
                        "NO",
                        "column_default",
                        byDefault == null || identity != null ? null : byDefault.expression(),
                        "is_identity",
                        identity == null ? "NO" : "YES",
                        "identity_generation",
                        identity == null ? null : identity.kind() == Counter.Kind.ALWAYS ? "ALWAYS" : "BY DEFAULT",
                        "identity_start",
                        identity == null ? null : Long.toString(identity.start()),
                        "identity_increment",
                        identity == null ? null : Long.toString(identity.increment()),
                        "identity_maximum",
                        identity == null ? null : Long.toString(identity.increment() > 0 ? most : -1),
                        "identity_minimum",
                        identity == null ? null : Long.toString(identity.increment() > 0 ? 1 : -most - 1),
                        "identity_cycle",
                        "NO",
                        "is_generated",
                        "NEVER",
                        "is_updatable",
                        "NO");
        rows("information_schema.column_privileges")
                .add(
                        "grantor", OWNER_NAME,
                        "grantee", "PUBLIC",
                        "table_catalog", database,
                        "table_schema", schemaName,
                        "table_name", tableName,
                        "column_name", name,
                        "privilege_type", "SELECT",
                        "is_grantable", "NO");
    }

    /// The greatest value of a column that counts.
    private static long greatest(PgType.Declared declared, Counter identity) {
        if (identity == null) {
            return 0;
        }
        return switch (declared.type()) {
            case INT2 -> Short.MAX_VALUE;
            case INT4 -> Integer.MAX_VALUE;
            default -> Long.MAX_VALUE;
        };
    }

    private static String dataType(PgType.Declared declared) {
        if (declared.other() == null) {
            return declared.type().isArray() ? "ARRAY" : declared.type().formatName();
        }
        String name = declared.other().name();
        boolean isUsers = declared.oid() < 0 || declared.oid() >= FIRST_USER_OID;
        return name.endsWith("[]") ? "ARRAY" : isUsers ? "USER-DEFINED" : name;
    }

    /// As PostgreSQL has it: four bytes a character, 1 GiB where none is declared.
    private static Integer octets(PgType type, Integer length) {
        return switch (type) {
            case TEXT, VARCHAR, BPCHAR -> length == null ? 1 << 30 : length * 4;
            default -> null;
        };
    }

    private static Integer radix(PgType type) {
        return switch (type) {
            case INT2, INT4, INT8, FLOAT4, FLOAT8 -> 2;
            case NUMERIC -> 10;
            default -> null;
        };
    }

    private static Integer datetimePrecision(PgType.Declared declared) {
        return switch (declared.type()) {
            case DATE -> 0;
            case TIME, TIMESTAMP, TIMESTAMPTZ -> declared.fractionDigits();
            case INTERVAL -> IntervalFields.fractionDigits(declared.typmod());
            default -> null;
        };
    }
}
