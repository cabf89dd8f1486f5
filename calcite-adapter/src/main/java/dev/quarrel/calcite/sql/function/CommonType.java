package dev.quarrel.calcite.sql.function;

import dev.quarrel.calcite.sql.type.SqlType;
import java.util.List;

/// The type that several types have in common.
///
/// - Source: PostgreSQL's `parse_coerce.c` (select_common_type).
public final class CommonType {
    private CommonType() {}

    /// - Returns: null where there is none; text where all are unknown
    public static SqlType of(List<SqlType> types) {
        SqlType common = null;
        for (SqlType type : types) {
            if (type == SqlType.UNKNOWN || type == common) {
                continue;
            }
            if (common == null) {
                common = type;
            } else if (type.category() != common.category()) {
                return null;
            } else if (!common.isPreferred()
                    && common.convertsTo(type, SqlType.Context.IMPLICIT)
                    && !type.convertsTo(common, SqlType.Context.IMPLICIT)) {
                common = type;
            }
        }
        return common == null ? SqlType.TEXT : common;
    }
}
