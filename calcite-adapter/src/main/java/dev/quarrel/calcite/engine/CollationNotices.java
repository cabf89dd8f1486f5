package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.Notice;
import dev.quarrel.core.collate.SortKeys;
import dev.quarrel.core.type.Collation;
import dev.quarrel.core.type.SqlState;

/// Says that PostgreSQL may order texts otherwise.
final class CollationNotices {
    private CollationNotices() {}

    static Notice of(Collation collation) {
        String message = collation.isOrderUnknown()
                ? "texts of collation \"" + collation.name() + "\" are ordered by their bytes, not as the operating"
                        + " system's locale \"" + collation.orderLocale() + "\" orders them"
                : "collation \"" + collation.name() + "\" was made with version " + collation.version()
                        + " of ICU's order, but Quarrel has version " + SortKeys.version(collation)
                        + ", which may order rare characters otherwise";
        return new Notice("NOTICE", SqlState.SUCCESSFUL_COMPLETION.code(), message);
    }
}
