package dev.quarrel.export.snapshot;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.Collation;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The collations of a database, as its catalog says.
final class ServerCollations {
    private static final int PROVIDERS_SINCE = 100_000;
    private static final int DETERMINISM_SINCE = 120_000;
    private static final int LOCALES_OF_DATABASES_SINCE = 150_000;
    private static final int NAMES_SINCE = 130_000;
    private static final int RULES_SINCE = 160_000;
    private static final int ONE_NAME_SINCE = 170_000;

    private final Connection leader;
    private final int serverVersion;
    private final Collation standard;
    private final Map<Long, Collation> known = new HashMap<>();

    ServerCollations(Connection leader, int serverVersion) throws SQLException {
        this.leader = leader;
        this.serverVersion = serverVersion;
        this.standard = standard();
    }

    /// The default of the database.
    Collation ofDatabase() {
        return standard;
    }

    private Collation standard() throws SQLException {
        boolean hasProvider = serverVersion >= LOCALES_OF_DATABASES_SINCE;
        String sql = "SELECT " + (hasProvider ? "datlocprovider::text, datcollversion" : "'c', NULL")
                + ", datcollate, datctype, "
                + (hasProvider ? (serverVersion >= ONE_NAME_SINCE ? "datlocale" : "daticulocale") : "NULL")
                + ", " + (serverVersion >= RULES_SINCE ? "daticurules" : "NULL")
                + ", true FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()";
        try (Statement statement = leader.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return collation(Collation.DEFAULT_NAME, rows);
        }
    }

    static final long DEFAULT_OID = 100;

    /// The collation of a column.
    ///
    /// @param oid 0 for none
    /// @return null where there is none, and for the order of bytes that is the database's default
    Collation of(PgType.Declared declared, long oid) throws SQLException {
        if (!isOfTexts(declared) || oid == 0) {
            return null;
        }
        Collation collation = known.get(oid);
        if (collation == null) {
            collation = read(oid);
            known.put(oid, collation);
        }
        return collation.isDefault() && collation.isSameOrder(Collation.C) ? null : collation;
    }

    /// Whether values are texts, or arrays of them.
    static boolean isOfTexts(PgType.Declared declared) {
        return switch (declared.type()) {
            case TEXT, VARCHAR, BPCHAR, TEXT_ARRAY, VARCHAR_ARRAY, BPCHAR_ARRAY -> declared.other() == null;
            default -> false;
        };
    }

    private Collation read(long oid) throws SQLException {
        String sql = "SELECT " + (serverVersion >= PROVIDERS_SINCE ? "collprovider::text, collversion" : "'c', NULL")
                + ", collcollate, collctype, "
                + (serverVersion >= LOCALES_OF_DATABASES_SINCE
                        ? (serverVersion >= ONE_NAME_SINCE ? "colllocale" : "colliculocale")
                        : "collcollate")
                + ", " + (serverVersion >= RULES_SINCE ? "collicurules" : "NULL")
                + ", " + (serverVersion >= DETERMINISM_SINCE ? "collisdeterministic" : "true")
                + ", collname FROM pg_catalog.pg_collation WHERE oid = ?::int8::oid";
        try (PreparedStatement query = leader.prepareStatement(sql)) {
            query.setLong(1, oid);
            try (ResultSet rows = query.executeQuery()) {
                rows.next();
                String name = rows.getString(8);
                return name.equals(Collation.DEFAULT_NAME) ? standard : collation(name, rows);
            }
        }
    }

    private static Collation collation(String name, ResultSet rows) throws SQLException {
        Collation.Provider provider = Collation.Provider.of(rows.getString(1));
        String version = rows.getString(2);
        String collate = rows.getString(3);
        String ctype = rows.getString(4);
        String locale = rows.getString(5);
        if (provider == null || provider == Collation.Provider.LIBC) {
            return new Collation(
                    name, Collation.Provider.LIBC, Collation.ofSystem(collate, ctype), null, true, version);
        }
        return new Collation(name, provider, locale, rows.getString(6), rows.getBoolean(7), version);
    }

    /// The oids of the collations of a query's columns; the query is planned, and not run. Empty where the server
    /// cannot tell.
    ///
    /// @param columns those of texts
    Map<String, Long> ofQuery(String query, List<String> columns) throws SQLException {
        Map<String, Long> oids = new HashMap<>();
        if (columns.isEmpty() || serverVersion < NAMES_SINCE) {
            return oids;
        }
        List<String> items = new ArrayList<>();
        for (String column : columns) {
            items.add("(SELECT c.oid::int8 FROM pg_catalog.pg_collation c WHERE c.oid ="
                    + " pg_catalog.to_regcollation(pg_catalog.pg_collation_for(\"query\"." + ExportTable.quoted(column)
                    + ")))");
        }
        String sql = "SELECT " + String.join(", ", items) + " FROM (SELECT 1) one_row LEFT JOIN "
                + ExportTable.subquery(query) + " ON false";
        // No prepared statement: there the driver would take operators such as ? for parameters.
        try (Statement statement = leader.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            for (int index = 0; index < columns.size(); index++) {
                oids.put(columns.get(index), rows.getLong(index + 1));
            }
        }
        return oids;
    }
}
