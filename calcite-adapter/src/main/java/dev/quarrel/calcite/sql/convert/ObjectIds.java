package dev.quarrel.calcite.sql.convert;

import dev.quarrel.core.pg.PgType;

/// Looks up the oids of the objects that literals such as `'lineorder'::regclass` name.
@FunctionalInterface
public interface ObjectIds {
    /// Knows no name.
    ObjectIds NONE = (_, _) -> -1;

    /// The oid, or -1 if nothing has that name.
    ///
    /// @param type one that [PgType#isObjectName]
    /// @param name as it stands in the literal
    long find(PgType type, String name);
}
