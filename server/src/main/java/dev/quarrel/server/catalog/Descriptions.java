package dev.quarrel.server.catalog;

import java.util.HashMap;
import java.util.Map;

/// PostgreSQL's comments on its own functions, operators and types: the rows of `pg_description`.
final class Descriptions {
    private record Described(long object, long relation) {}

    private static final Map<Described, String> TEXTS = new HashMap<>();

    static {
        RelationRows rows = new RelationRows("pg_catalog.pg_description").addAll("pg_description.tsv");
        for (int row = 0; row < rows.rowCount(); row++) {
            TEXTS.put(new Described((Long) rows.value(row, "objoid"), (Long) rows.value(row, "classoid")), (String)
                    rows.value(row, "description"));
        }
    }

    private Descriptions() {}

    /// The comment on an object of a catalog; null for none.
    ///
    /// @param relation the number of the catalog
    static String of(long object, long relation) {
        return TEXTS.get(new Described(object, relation));
    }

    /// The comment on an object of any catalog; null for none.
    static String of(long object) {
        return TEXTS.entrySet().stream()
                .filter(entry -> entry.getKey().object() == object)
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
    }
}
