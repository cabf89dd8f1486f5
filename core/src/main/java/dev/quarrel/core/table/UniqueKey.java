package dev.quarrel.core.table;

import java.util.HashSet;
import java.util.List;

/// Columns in which no two rows of a table are equal, as the database that the rows come from has declared and checked.
///
/// Rows with NULL in one of the columns are equal to no other, unless `nullsDistinct` is false. "Equal" is what `=` of
/// the columns' types says.
///
/// @param name of the constraint or the index
/// @param columns names, in the key's order; one at least
/// @param nullsDistinct whether rows with NULL may come twice
/// @param enforced whether rows that come are held to it; else it holds for those that were there alone
public record UniqueKey(String name, Kind kind, List<String> columns, boolean nullsDistinct, boolean enforced) {
    /// One that a source has declared.
    public UniqueKey(String name, Kind kind, List<String> columns, boolean nullsDistinct) {
        this(name, kind, columns, nullsDistinct, false);
    }

    /// How the key was declared.
    public enum Kind {
        /// PRIMARY KEY: of columns without NULL.
        PRIMARY("primary"),
        /// UNIQUE as a constraint.
        CONSTRAINT("constraint"),
        /// A unique index that no constraint is behind.
        INDEX("index");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /// The word for it in manifests.
        public String text() {
            return text;
        }
    }

    public UniqueKey {
        columns = List.copyOf(columns);
        if (columns.isEmpty() || new HashSet<>(columns).size() < columns.size()) {
            throw new IllegalArgumentException("key " + name + " of " + columns);
        }
    }

    public boolean isPrimary() {
        return kind == Kind.PRIMARY;
    }
}
