package dev.quarrel.core.type;

import java.util.Objects;

/// A named column of a schema.
///
/// @param name as PostgreSQL has it, case kept
/// @param nullable whether a value can be NULL; false is a promise
/// @param pgType `format_type()`'s text, such as `character varying(10)`; null means "by `type`" (`PgType.defaultName`)
public record Field(String name, DataType type, boolean nullable, String pgType) {
    public Field {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(type, "type");
    }

    public Field(String name, DataType type, boolean nullable) {
        this(name, type, nullable, null);
    }

    @Override
    public String toString() {
        return name + " " + type + (nullable ? "" : " not null");
    }
}
