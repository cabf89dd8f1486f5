package dev.quarrel.export.snapshot;

import dev.quarrel.core.arrow.NestedType;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.Collation;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;

/// One column to export.
///
/// @param expression what SQL selects
/// @param declared its type in PostgreSQL (a domain's base type)
/// @param outputFunction what makes the value's text, where PostgreSQL is asked for that; otherwise null
/// @param dataType how the file holds it
/// @param sendsNull false where PostgreSQL promises that there is no NULL
/// @param nullable whether the file may have NULL: `sendsNull`, or where a value that it cannot hold becomes one
/// @param distinctEstimate PostgreSQL's estimate of its distinct values, or -1
/// @param collation of texts; null for none, and for the order of bytes that is the database's default
public record ExportColumn(
        String name,
        String expression,
        PgType.Declared declared,
        DataType dataType,
        String outputFunction,
        boolean sendsNull,
        boolean nullable,
        Layout layout,
        long distinctEstimate,
        Collation collation) {

    /// How the values lie in the file, beyond their type.
    ///
    /// @param nested as which list or struct the file holds the texts; null where as they are
    /// @param isHalf whether a real is a half float
    /// @param isSummarized whether there are statistics of it
    public record Layout(NestedType nested, boolean isHalf, DictionaryChoice dictionary, boolean isSummarized) {
        public static final Layout PLAIN = new Layout(null, false, DictionaryChoice.AUTO, true);

        Layout withNested(NestedType newNested) {
            return new Layout(newNested, isHalf, dictionary, isSummarized);
        }

        Layout asHalf() {
            return new Layout(nested, true, dictionary, isSummarized);
        }

        public Layout withDictionary(DictionaryChoice choice) {
            return new Layout(nested, isHalf, choice, isSummarized);
        }

        public Layout withSummary(boolean newSummarized) {
            return new Layout(nested, isHalf, dictionary, newSummarized);
        }
    }

    /// When a text column has a dictionary.
    public enum DictionaryChoice {
        /// An enum, and what has few values by PostgreSQL's statistics.
        AUTO,
        ENUM,
        ALWAYS
    }

    /// A column as the database has it.
    public static ExportColumn of(
            String name,
            PgType.Declared declared,
            DataType dataType,
            String outputFunction,
            boolean sendsNull,
            boolean nullable,
            long distinctEstimate,
            Collation collation) {
        return new ExportColumn(
                name,
                ExportTable.quoted(name),
                declared,
                dataType,
                outputFunction,
                sendsNull,
                nullable,
                Layout.PLAIN,
                distinctEstimate,
                collation);
    }

    ExportColumn withExpression(String newExpression) {
        return new ExportColumn(
                name,
                newExpression,
                declared,
                dataType,
                outputFunction,
                sendsNull,
                nullable,
                layout,
                distinctEstimate,
                collation);
    }

    ExportColumn withDataType(DataType newDataType) {
        return new ExportColumn(
                name,
                expression,
                declared,
                newDataType,
                outputFunction,
                sendsNull,
                nullable,
                layout,
                distinctEstimate,
                collation);
    }

    ExportColumn withCollation(Collation newCollation) {
        return new ExportColumn(
                name,
                expression,
                declared,
                dataType,
                outputFunction,
                sendsNull,
                nullable,
                layout,
                distinctEstimate,
                newCollation);
    }

    ExportColumn withNested(NestedType nested) {
        return withLayout(layout.withNested(nested));
    }

    /// The column, a real where its layout is half floats.
    ExportColumn withLayout(Layout newLayout) {
        return new ExportColumn(
                name,
                expression,
                newLayout.isHalf() ? new PgType.Declared(PgType.FLOAT4, PgType.NO_TYPMOD) : declared,
                newLayout.isHalf() ? DataType.FLOAT32 : dataType,
                outputFunction,
                sendsNull,
                nullable,
                newLayout,
                distinctEstimate,
                collation);
    }

    public NestedType nested() {
        return layout.nested();
    }

    public Field field() {
        return new Field(name, dataType, nullable, declared.text(), declared.other(), collation);
    }

    /// The type that COPY sends.
    public PgType sentType() {
        return layout.isHalf() ? PgType.FLOAT8 : declared.type();
    }

    /// Whether COPY sends the column as the table or query has it.
    boolean isSentAsItIs() {
        return outputFunction == null && !layout.isHalf() && expression.equals(ExportTable.quoted(name));
    }

    /// What the statement selects.
    String selected() {
        if (layout.isHalf()) {
            return expression + "::pg_catalog.float8";
        }
        // Not a cast, which for some types makes another text: inet's has the length of the mask in any case.
        return outputFunction == null ? expression : "pg_catalog.textin(" + outputFunction + "(" + expression + "))";
    }
}
