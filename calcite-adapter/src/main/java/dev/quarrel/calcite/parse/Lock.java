package dev.quarrel.calcite.parse;

import java.util.List;
import org.apache.calcite.sql.SqlIdentifier;

/// One row lock behind a query: FOR UPDATE and its like.
///
/// @param tables that OF names; none for all
/// @param skips whether it says SKIP LOCKED
public record Lock(Strength strength, List<SqlIdentifier> tables, boolean skips) {
    public Lock {
        tables = List.copyOf(tables);
    }

    /// The strengths of a row lock, from the strongest on.
    public enum Strength {
        UPDATE("FOR UPDATE"),
        NO_KEY_UPDATE("FOR NO KEY UPDATE"),
        SHARE("FOR SHARE"),
        KEY_SHARE("FOR KEY SHARE");

        private final String text;

        Strength(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }
    }
}
