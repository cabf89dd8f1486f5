package dev.quarrel.export.snapshot;

import dev.quarrel.core.arrow.NestedType;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;

/// One column to export.
///
/// @param declared its type in PostgreSQL (a domain's base type)
/// @param outputFunction what makes the value's text, where PostgreSQL is asked for that; otherwise null
/// @param dataType how the file holds it
/// @param sendsNull false where PostgreSQL promises that there is no NULL
/// @param nullable whether the file may have NULL: `sendsNull`, or where a value that it cannot hold becomes one
/// @param nested as which list or struct the file holds the texts; null where as they are
/// @param distinctEstimate PostgreSQL's estimate of its distinct values, or -1
public record ExportColumn(
        String name,
        PgType.Declared declared,
        DataType dataType,
        String outputFunction,
        boolean sendsNull,
        boolean nullable,
        NestedType nested,
        long distinctEstimate) {
    ExportColumn withNested(NestedType newNested) {
        return new ExportColumn(
                name, declared, dataType, outputFunction, sendsNull, nullable, newNested, distinctEstimate);
    }

    public Field field() {
        return new Field(name, dataType, nullable, declared.text(), declared.other());
    }

    /// The column, as SQL names it.
    String expression() {
        return ExportTable.quoted(name);
    }

    /// What the statement selects.
    String selected() {
        // Not a cast, which for some types makes another text: inet's has the length of the mask in any case.
        return outputFunction == null
                ? expression()
                : "pg_catalog.textin(" + outputFunction + "(" + expression() + "))";
    }
}
