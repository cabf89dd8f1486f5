package dev.quarrel.export.snapshot;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;

/// One column to export.
///
/// @param declared its type in PostgreSQL (a domain's base type)
/// @param dataType how the file holds it
/// @param nullable false where PostgreSQL promises that there is no NULL
/// @param distinctEstimate PostgreSQL's estimate of its distinct values, or -1
public record ExportColumn(
        String name, PgType.Declared declared, DataType dataType, boolean nullable, long distinctEstimate) {
    public Field field() {
        return new Field(name, dataType, nullable, declared.text());
    }
}
