package dev.quarrel.calcite.lower;

import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import org.apache.calcite.rel.type.RelDataType;

/// Maps Calcite's types to the types in which the engine stores their values, or tells that it cannot store
/// them.
final class RowTypes {
    private RowTypes() {}

    /// - Errors: [Unlowerable] for a type that no column can have.
    static DataType of(RelDataType type) {
        DataType known = orNull(type);
        if (known == null) {
            throw new Unlowerable("type " + type + " has no columns");
        }
        return known;
    }

    static DataType orNull(RelDataType type) {
        try {
            return SqlTypes.dataType(type);
        } catch (QueryException unknown) {
            return null;
        }
    }

    /// Whether it is char(n) or bpchar, whose trailing blanks do not count.
    static boolean isPadded(RelDataType type) {
        return SqlTypes.pgType(type) == PgType.BPCHAR;
    }
}
