package dev.quarrel.server.catalog;

import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.core.pg.Identifiers;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.ColumnDefault;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.table.ViewDefinition;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.OtherType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// The object identifiers of one catalog version, and what they name.
///
/// An OID is made from the object's name, so the same table has the same OID in every session, after every
/// restart and on every machine. Where two names meet in one number, the later in the order of names takes the
/// next free one. Identifiers of users' objects start at 16384, as in PostgreSQL; system objects have
/// PostgreSQL's own.
final class ObjectNames {
    static final long PG_CATALOG = 11;
    static final long PUBLIC = 2200;
    static final long INFORMATION_SCHEMA = 13_183;
    static final long OWNER = 10;
    private static final long DATABASE = 5;

    private static final long FIRST_USER_OID = 16_384;
    private static final long OID_RANGE = Integer.MAX_VALUE - FIRST_USER_OID; // positive as int4, which clients use

    /// A table or system relation.
    record Named(long oid, String schemaName, String name) {}

    /// The index behind a table's key, of a name of its own in its schema.
    ///
    /// @param constraint the number of the constraint that it is of; 0 for none
    record Index(Named named, Named table, long constraint, UniqueKey key) {
        long oid() {
            return named.oid();
        }
    }

    private final Map<String, Long> schemas = new TreeMap<>();
    private final Map<String, Named> relations = new TreeMap<>();
    private final Map<Long, Named> relationsByOid = new HashMap<>();
    private final Map<Long, String> schemasByOid = new HashMap<>();
    private final Map<Long, String> taken = new HashMap<>();
    private final Map<Integer, OtherType> others = new HashMap<>();
    private final Map<Long, Long> rowTypes = new HashMap<>();
    private final Map<Long, Named> tablesByRowType = new HashMap<>();
    private final Map<Long, Index> indexes = new LinkedHashMap<>();
    private final Set<Long> indexed = new HashSet<>();
    private final Map<Long, Long> storedBytes = new HashMap<>();
    private final Map<Long, ViewDefinition> views = new HashMap<>();
    private final List<Comment> comments = new ArrayList<>();
    private final Map<Long, Map<String, String>> sequences = new HashMap<>(); // by relation and column

    /// What is said of a relation, or of a column of it.
    ///
    /// @param column from 1; 0 for the relation itself
    record Comment(long relation, int column, String text) {}

    ObjectNames(CatalogSnapshot snapshot) {
        for (CatalogRelation relation : CatalogRelation.ALL.values()) {
            put(new Named(relation.oid(), relation.schemaName(), relation.name()));
        }
        schemas.put("pg_catalog", PG_CATALOG);
        schemas.put("public", PUBLIC);
        schemas.put("information_schema", INFORMATION_SCHEMA);
        for (String schemaName : new TreeMap<>(index(snapshot.schemaNames())).keySet()) {
            schemas.computeIfAbsent(schemaName, name -> take("schema\0" + name));
        }
        schemas.forEach((name, oid) -> schemasByOid.put(oid, name));
        for (String schemaName : schemas.keySet()) {
            Map<String, Table> tables = new TreeMap<>();
            snapshot.tables(schemaName).forEach(table -> tables.put(table.name(), table));
            for (Table table : tables.values()) {
                addOthers(table);
            }
            for (String name : tables.keySet()) {
                Named table = new Named(take("table\0" + schemaName + "\0" + name), schemaName, name);
                put(table);
                storedBytes.put(table.oid(), storedBytes(tables.get(name)));
                if (tables.get(name).view() != null) {
                    views.put(table.oid(), tables.get(name).view());
                }
                addComments(table, tables.get(name), snapshot);
                addSequences(table, tables.get(name));
                long rowType = take("row\0" + schemaName + "\0" + name);
                rowTypes.put(table.oid(), rowType);
                tablesByRowType.put(rowType, table);
            }
            tables.values().forEach(this::addIndexes);
        }
    }

    private void addSequences(Named named, Table table) {
        if (!table.isOpen() || table.fault() != null) {
            return;
        }
        for (ColumnDefault each : table.defaults()) {
            if (each.counter() != null) {
                sequences
                        .computeIfAbsent(named.oid(), _ -> new HashMap<>())
                        .put(
                                each.column(),
                                Identifiers.quoted(named.schemaName()) + "."
                                        + Identifiers.quoted(each.counter().sequence()));
            }
        }
    }

    /// What PostgreSQL would call the sequence of a column; null for a column that counts nothing.
    String sequence(long relation, String column) {
        return sequences.getOrDefault(relation, Map.of()).get(column);
    }

    private void addComments(Named named, Table table, CatalogSnapshot snapshot) {
        addComment(named, 0, snapshot.comment(named.schemaName(), named.name(), null));
        if (!table.isOpen()) {
            return;
        }
        for (int column = 0; column < table.schema().size(); column++) {
            String name = table.schema().field(column).name();
            addComment(named, column + 1, snapshot.comment(named.schemaName(), named.name(), name));
        }
    }

    private void addComment(Named named, int column, String text) {
        if (text != null) {
            comments.add(new Comment(named.oid(), column, text));
        }
    }

    /// What COMMENT ON has said.
    List<Comment> comments() {
        return comments;
    }

    /// What is said of a relation, or of a column of it; null for nothing.
    ///
    /// @param column from 1; 0 for the relation itself
    String comment(long relation, long column) {
        return comments.stream()
                .filter(comment -> comment.relation() == relation && comment.column() == column)
                .map(Comment::text)
                .findFirst()
                .orElse(null);
    }

    /// A view's text as `pg_get_viewdef` shows it; null for what is none.
    String viewText(long relation) {
        ViewDefinition view = views.get(relation);
        return view == null ? null : " " + view.sql().strip() + ";";
    }

    private static long storedBytes(Table table) {
        return table.isOpen() && table.fault() == null ? Math.max(0, table.storedBytes()) : 0;
    }

    /// Bytes of a table's files, as far as they are open; 0 for a relation that lies in none, null for no relation's
    /// number.
    Long storedBytes(long relation) {
        return relationsByOid.containsKey(relation) ? storedBytes.getOrDefault(relation, 0L) : null;
    }

    /// Bytes of all tables' files.
    long storedBytes() {
        return storedBytes.values().stream().mapToLong(Long::longValue).sum();
    }

    /// A name that another relation has gets a number, as PostgreSQL's own do.
    private void addIndexes(Table table) {
        if (!table.isOpen() || table.fault() != null) {
            return;
        }
        String schemaName = table.schemaName();
        for (UniqueKey key : table.uniqueKeys()) {
            String name = key.name();
            for (int number = 1; relation(schemaName, name) != null; number++) {
                name = key.name() + number;
            }
            String place = schemaName + "\0" + table.name() + "\0" + key.name();
            Named index = new Named(take("index\0" + place), schemaName, name);
            put(index);
            long constraint = key.kind() == UniqueKey.Kind.INDEX ? 0 : take("constraint\0" + place);
            Named named = relation(schemaName, table.name());
            indexes.put(index.oid(), new Index(index, named, constraint, key));
            indexed.add(named.oid());
        }
    }

    /// Whether a table has an index.
    boolean isIndexed(long table) {
        return indexed.contains(table);
    }

    /// The indexes of all tables, in the order of names.
    Collection<Index> indexes() {
        return indexes.values();
    }

    /// Null where there is none.
    Index index(long oid) {
        return indexes.get(oid);
    }

    /// The index of a constraint; null where there is none.
    Index indexOfConstraint(long oid) {
        return indexes.values().stream()
                .filter(index -> index.constraint() != 0 && index.constraint() == oid)
                .findFirst()
                .orElse(null);
    }

    private void addOthers(Table table) {
        if (table.isOpen() && table.fault() == null) {
            table.schema().fields().forEach(this::addOther);
        }
    }

    private void addOther(Field field) {
        if (field.other() != null) {
            others.putIfAbsent(field.other().oid(), field.other());
            field.other().fields().forEach(this::addOther);
        }
    }

    /// The number of a type that only datasets have, by its name; null where there is none.
    ///
    /// @param text a name as SQL writes it, with a schema or without
    Long otherType(String text, List<String> searchPath) {
        boolean isArray = text.strip().endsWith("[]");
        String plain = isArray ? text.strip().substring(0, text.strip().length() - 2) : text;
        List<String> wanted = Identifiers.parts(plain.strip());
        for (OtherType other : others.values()) {
            if (other.name().endsWith("[]") != isArray) {
                continue;
            }
            String name = isArray ? other.name().substring(0, other.name().length() - 2) : other.name();
            List<String> parts = Identifiers.parts(name);
            String schemaName = parts.size() > 1 ? parts.getFirst() : "public";
            boolean isIn = wanted.size() > 1
                    ? wanted.size() == 2 && wanted.getFirst().equals(schemaName)
                    : searchPath.contains(schemaName);
            if (isIn && wanted.getLast().equals(parts.getLast())) {
                return Integer.toUnsignedLong(other.oid());
            }
        }
        return null;
    }

    /// The type of a dataset's column that Quarrel holds texts of; null where there is none of that number.
    OtherType other(int oid) {
        return others.get(oid);
    }

    /// The type of a table's rows; 0 for a system relation's.
    long rowType(long relation) {
        return rowTypes.getOrDefault(relation, 0L);
    }

    /// The table whose rows have the type; null for any other type.
    Named tableOfRowType(long type) {
        return tablesByRowType.get(type);
    }

    /// The number of an enum's label.
    long label(OtherType other, int place) {
        return take("label\0" + other.name() + "\0" + other.labels().get(place));
    }

    /// `typname`: without a schema, and of an array `_` and its element's.
    static String typeName(OtherType other) {
        String name = other.name();
        boolean isArray = name.endsWith("[]");
        if (isArray) {
            name = name.substring(0, name.length() - 2);
        }
        int quote = name.lastIndexOf('"', name.length() - 2);
        if (name.endsWith("\"") && quote >= 0) {
            name = name.substring(quote + 1, name.length() - 1);
        } else if (other.oid() < 0 || other.oid() >= FIRST_USER_OID) {
            name = name.substring(name.lastIndexOf('.') + 1);
        } else {
            name = switch (name) {
                case "time with time zone" -> "timetz";
                case "bit varying" -> "varbit";
                default -> name;
            };
        }
        return isArray ? "_" + name : name;
    }

    /// The schema of a type, as far as it is known: of what the exporting session did not have to qualify, `public`.
    long typeSchema(OtherType other) {
        if (other.oid() > 0 && other.oid() < FIRST_USER_OID) {
            return PG_CATALOG;
        }
        int dot = other.name().indexOf('.');
        Long known = dot < 0 ? null : schemas.get(other.name().substring(0, dot));
        return known == null ? PUBLIC : known;
    }

    private static Map<String, String> index(List<String> names) {
        Map<String, String> index = new HashMap<>();
        names.forEach(name -> index.put(name, name));
        return index;
    }

    private void put(Named named) {
        relations.put(key(named.schemaName(), named.name()), named);
        relationsByOid.put(named.oid(), named);
    }

    private long take(String key) {
        long oid = FIRST_USER_OID + Long.remainderUnsigned(fnv1a(key), OID_RANGE);
        while (taken.putIfAbsent(oid, key) != null) {
            oid = oid + 1 < FIRST_USER_OID + OID_RANGE ? oid + 1 : FIRST_USER_OID;
        }
        return oid;
    }

    /// PostgreSQL's number of its first database, for the one that is called as it is where there is one alone.
    static long databaseOid(String name) {
        return name.equals(EngineConfig.DEFAULT_DATABASE) ? DATABASE : unnamedOid("database\0" + name);
    }

    /// The oid of what only the system catalog numbers.
    static long unnamedOid(String key) {
        return FIRST_USER_OID + Long.remainderUnsigned(fnv1a(key), OID_RANGE);
    }

    /// - Source: Fowler, Noll and Vo's hash, 64 bits, variant 1a.
    static long fnv1a(String text) {
        long hash = 0xcbf29ce484222325L;
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (each & 0xFF)) * 0x100000001b3L;
        }
        return hash;
    }

    private static String key(String schemaName, String name) {
        return schemaName + "\0" + name;
    }

    Map<String, Long> schemas() {
        return schemas;
    }

    long schemaOid(String schemaName) {
        return schemas.get(schemaName);
    }

    String schemaName(long oid) {
        return schemasByOid.get(oid);
    }

    /// Null where there is none.
    Named relation(String schemaName, String name) {
        return relations.get(key(schemaName, name));
    }

    /// Null where there is none.
    Named relation(long oid) {
        return relationsByOid.get(oid);
    }

    /// The first relation of that name along the path, `pg_catalog` before the rest; null where there is none.
    Named find(String name, List<String> searchPath) {
        List<String> path = new ArrayList<>();
        if (!searchPath.contains("pg_catalog")) {
            path.add("pg_catalog");
        }
        path.addAll(searchPath);
        for (String schemaName : path) {
            Named found = relation(schemaName, name);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    boolean isVisible(long oid, List<String> searchPath) {
        Named named = relation(oid);
        return named != null && named.equals(find(named.name(), searchPath));
    }
}
