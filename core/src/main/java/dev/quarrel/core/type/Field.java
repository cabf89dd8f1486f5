package dev.quarrel.core.type;

import java.util.Objects;

/// A named column of a schema.
///
/// @param name as PostgreSQL has it, case kept
/// @param nullable whether a value can be NULL; false is a promise
/// @param pgType `format_type()`'s text, such as `character varying(10)`; null means "by `type`" (`PgType.defaultName`)
/// @param other the type that `pgType` names, if Quarrel holds only its texts; otherwise null
/// @param collation of texts, or arrays of them; null for the order of bytes, and for what has none
public record Field(String name, DataType type, boolean nullable, String pgType, OtherType other, Collation collation) {
    public Field {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(type, "type");
        if (other != null && !(type instanceof DataType.Utf8)) {
            throw new IllegalArgumentException("texts of " + other + " held as " + type);
        }
    }

    public Field(String name, DataType type, boolean nullable) {
        this(name, type, nullable, null);
    }

    public Field(String name, DataType type, boolean nullable, String pgType) {
        this(name, type, nullable, pgType, null);
    }

    public Field(String name, DataType type, boolean nullable, String pgType, OtherType other) {
        this(name, type, nullable, pgType, other, null);
    }

    /// A column of texts of `other`.
    public Field(String name, boolean nullable, OtherType other) {
        this(name, DataType.UTF8, nullable, other.name(), other);
    }

    public Field withName(String newName) {
        return new Field(newName, type, nullable, pgType, other, collation);
    }

    public Field withNullable(boolean isNullable) {
        return new Field(name, type, isNullable, pgType, other, collation);
    }

    public Field withCollation(Collation newCollation) {
        return new Field(name, type, nullable, pgType, other, newCollation);
    }

    @Override
    public String toString() {
        return name + " " + type + (nullable ? "" : " not null");
    }
}
