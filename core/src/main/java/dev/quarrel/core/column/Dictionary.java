package dev.quarrel.core.column;

import dev.quarrel.core.type.DataType;
import java.util.Objects;

/// The distinct values that the codes of a [DictionaryColumn] stand for.
///
/// Two columns share a code space iff they have the same `Dictionary` *object*. A file's own dictionary may map into a
/// table-wide one: then `table` is that one, and `tableCodes[code]` its code there. Entries are never NULL, are
/// distinct within a table-wide dictionary, and their order means nothing.
public final class Dictionary {
    private final Utf8Column values;
    private final Dictionary table;
    private final int[] tableCodes;

    /// A dictionary that is its own code space.
    public Dictionary(Utf8Column values) {
        this.values = Objects.requireNonNull(values, "values");
        this.table = this;
        this.tableCodes = null;
    }

    /// A file's dictionary, whose codes translate into `table`'s.
    ///
    /// @param tableCodes entry i is the code in `table` of this dictionary's code i; not copied
    public Dictionary(Utf8Column values, Dictionary table, int[] tableCodes) {
        this.values = Objects.requireNonNull(values, "values");
        this.table = Objects.requireNonNull(table, "table");
        this.tableCodes = Objects.requireNonNull(tableCodes, "tableCodes");
        if (tableCodes.length != values.rowCount()) {
            throw new IllegalArgumentException(tableCodes.length + " codes for " + values.rowCount() + " entries");
        }
    }

    public int size() {
        return values.rowCount();
    }

    /// Utf8 or Binary.
    public DataType type() {
        return values.type();
    }

    public Utf8Column values() {
        return values;
    }

    /// The code space to compare, group and join in; this very object when no translation is needed.
    public Dictionary table() {
        return table;
    }

    /// Translation of codes into [#table], or null when it is the identity. Read only.
    public int[] tableCodes() {
        return tableCodes;
    }
}
