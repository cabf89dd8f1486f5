package dev.quarrel.calcite.sql.type;

import dev.quarrel.core.type.Collation;
import java.util.List;

/// What a statement's answer owes to collations.
///
/// @param ofDefault whether something goes by the database's default, which the catalog may change
/// @param inexact collations by which something is ordered that PostgreSQL may order otherwise
public record CollationUse(boolean ofDefault, List<Collation> inexact) {
    public static final CollationUse NONE = new CollationUse(false, List.of());

    public CollationUse {
        inexact = List.copyOf(inexact);
    }
}
