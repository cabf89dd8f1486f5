package dev.quarrel.server.catalog;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A system relation as PostgreSQL 18 declares it.
///
/// Columns of types that Quarrel does not hold (arrays, vectors, node trees, …) are text here, with PostgreSQL's
/// text in them.
///
/// @param kind `r` for a table, `v` for a view
record CatalogRelation(String schemaName, String name, long oid, String kind, List<Column> columns) {
    /// The relations that exist here, by `schema.name`.
    static final Map<String, CatalogRelation> ALL = read("relations.txt", Map.of());

    /// The functions without arguments that give a relation's rows, by `schema.name()`: what FROM reads where it
    /// calls them.
    static final Map<String, CatalogRelation> FUNCTIONS = read("row-functions.txt", ALL);

    record Column(String name, PgType.Declared declared, boolean notNull) {
        PgType type() {
            return declared.type();
        }
    }

    Schema schema() {
        return new Schema(columns.stream()
                .map(column -> new Field(
                        column.name(),
                        column.type().dataType(),
                        !column.notNull(),
                        column.declared().text()))
                .toList());
    }

    int columnIndex(String column) {
        for (int index = 0; index < columns.size(); index++) {
            if (columns.get(index).name().equals(column)) {
                return index;
            }
        }
        throw new IllegalArgumentException("no column " + column + " in " + schemaName + "." + name);
    }

    /// The relation or function of that name.
    ///
    /// - Errors: [IllegalArgumentException] where there is none
    static CatalogRelation of(String qualifiedName) {
        CatalogRelation found = ALL.getOrDefault(qualifiedName, FUNCTIONS.get(qualifiedName));
        if (found == null) {
            throw new IllegalArgumentException("no system relation " + qualifiedName);
        }
        return found;
    }

    /// @param known relations whose columns others may have
    private static Map<String, CatalogRelation> read(String file, Map<String, CatalogRelation> known) {
        Map<String, CatalogRelation> relations = new LinkedHashMap<>();
        String[] head = null;
        List<Column> columns = new ArrayList<>();
        for (String line : lines(file)) {
            if (line.startsWith("#")) {
                continue;
            }
            if (line.startsWith("  ")) {
                columns.add(column(line.strip()));
                continue;
            }
            add(head, columns, relations);
            head = line.split(" ", 4);
            columns = new ArrayList<>(
                    head.length < 4 ? List.of() : known.get(head[3]).columns());
        }
        add(head, columns, relations);
        return relations;
    }

    private static void add(String[] head, List<Column> columns, Map<String, CatalogRelation> relations) {
        if (head != null) {
            int dot = head[0].indexOf('.');
            relations.put(
                    head[0],
                    new CatalogRelation(
                            head[0].substring(0, dot),
                            head[0].substring(dot + 1),
                            Long.parseLong(head[1]),
                            head[2],
                            List.copyOf(columns)));
        }
    }

    private static Column column(String line) {
        int blank = line.indexOf(' ');
        boolean notNull = line.endsWith(" not null");
        String type = line.substring(blank + 1, notNull ? line.length() - " not null".length() : line.length());
        return new Column(line.substring(0, blank), type(type), notNull);
    }

    private static PgType.Declared type(String name) {
        try {
            return PgType.parse(name);
        } catch (QueryException notHeld) {
            return new PgType.Declared(PgType.TEXT, PgType.NO_TYPMOD);
        }
    }

    static List<String> lines(String resource) {
        try (InputStream in = CatalogRelation.class.getResourceAsStream(resource);
                BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            return reader.lines().toList();
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot read " + resource, failure);
        }
    }
}
