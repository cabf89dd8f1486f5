package dev.quarrel.server.catalog;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.Collation;
import java.util.HashMap;
import java.util.Map;

/// The rows of `pg_collation`: those that every PostgreSQL has, and those that columns of the dataset have.
final class CollationOids {
    static final long DEFAULT = 100;
    private static final long C = 950;
    private static final long UNICODE = 963;

    /// Those of the file, and one whose version PostgreSQL writes when a cluster is made.
    private static final Map<String, Long> FIXED = Map.of(
            Collation.DEFAULT_NAME,
            DEFAULT,
            "C",
            C,
            "POSIX",
            951L,
            "ucs_basic",
            962L,
            "unicode",
            UNICODE,
            "pg_c_utf8",
            811L,
            "pg_unicode_fast",
            6411L);

    private final RelationRows rows;
    private final Collation standard;
    private final Map<String, Long> added = new HashMap<>();

    /// @param rows of `pg_collation`
    /// @param standard the dataset's default
    CollationOids(RelationRows rows, Collation standard) {
        this.rows = rows;
        this.standard = standard;
        rows.addAll("pg_collation.tsv");
        add(UNICODE, Collation.ofEvery("unicode"));
    }

    /// Null for a name that not every dataset has.
    static Long fixedOid(String name) {
        return FIXED.get(name);
    }

    /// Null for a number that not every dataset has.
    static String fixedName(long oid) {
        return FIXED.entrySet().stream()
                .filter(entry -> entry.getValue() == oid)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }

    /// The collation of a column of that type; null for a type that has none.
    ///
    /// @param said by the column's file; null for nothing
    Collation of(PgType type, Collation said) {
        return switch (type) {
            case TEXT, VARCHAR, BPCHAR, TEXT_ARRAY, VARCHAR_ARRAY, BPCHAR_ARRAY -> Collation.ofColumn(said, standard);
            case NAME -> Collation.C;
            default -> null;
        };
    }

    /// Its oid; 0 for none.
    long oid(Collation collation) {
        if (collation == null) {
            return 0;
        }
        Long fixed = FIXED.get(collation.name());
        return fixed != null
                ? fixed
                : added.computeIfAbsent(collation.name(), name -> {
                    long oid = ObjectNames.unnamedOid("collation\0" + name);
                    add(oid, collation);
                    return oid;
                });
    }

    private void add(long oid, Collation collation) {
        boolean isOfSystem = collation.provider() == Collation.Provider.LIBC;
        rows.add(
                "oid",
                oid,
                "collname",
                collation.name(),
                "collnamespace",
                ObjectNames.PG_CATALOG,
                "collowner",
                ObjectNames.OWNER,
                "collprovider",
                String.valueOf(collation.provider().code()),
                "collisdeterministic",
                collation.isDeterministic(),
                "collencoding",
                -1,
                "collcollate",
                isOfSystem ? collation.orderLocale() : null,
                "collctype",
                isOfSystem ? collation.characterLocale() : null,
                "colllocale",
                isOfSystem ? null : collation.locale(),
                "collicurules",
                collation.rules(),
                "collversion",
                collation.version());
    }
}
