package dev.quarrel.export.snapshot;

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
/// @param isList whether it is an array whose values all are of one dimension and counted from 1, so that the file
///     can hold lists
/// @param distinctEstimate PostgreSQL's estimate of its distinct values, or -1
public record ExportColumn(
        String name,
        PgType.Declared declared,
        DataType dataType,
        String outputFunction,
        boolean sendsNull,
        boolean nullable,
        boolean isList,
        long distinctEstimate) {
    ExportColumn asList() {
        return new ExportColumn(name, declared, dataType, outputFunction, sendsNull, nullable, true, distinctEstimate);
    }

    /// Whether a list could hold the elements; numerics have a scale each.
    boolean mayBeList() {
        return declared.type().isArray()
                && switch (declared.type().element().dataType()) {
                    case DataType.Numeric _, DataType.Interval _ -> false;
                    default -> true;
                };
    }

    public Field field() {
        return new Field(name, dataType, nullable, declared.text(), declared.other());
    }

    /// What the statement selects.
    String selected() {
        String quoted = ExportTable.quoted(name);
        // Not a cast, which for some types makes another text: inet's has the length of the mask in any case.
        return outputFunction == null ? quoted : "pg_catalog.textin(" + outputFunction + "(" + quoted + "))";
    }
}
