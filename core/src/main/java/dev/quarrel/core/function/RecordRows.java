package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.BOOL;
import static dev.quarrel.core.pg.PgType.BYTEA;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.INT8;
import static dev.quarrel.core.pg.PgType.TEXT;

import java.util.List;

/// Functions of rows as values.
public final class RecordRows {
    /// A row's text: the fields come as theirs.
    public static final FunctionRow TO_TEXT =
            function("record_out").variadic().gives(TEXT).stable().kernel("record_out");

    /// Bytes that order as rows do: of a row's text, and the text of its [dev.quarrel.core.pg.RowShape].
    public static final FunctionRow KEY =
            function("record_key", TEXT, TEXT).gives(BYTEA).kernel("record_key");

    /// The same of an array of rows.
    public static final FunctionRow ARRAY_KEY =
            function("record_array_key", TEXT, TEXT).gives(BYTEA).kernel("record_array_key");

    /// A row's key, with its text behind it: what min and max look at.
    public static final FunctionRow RANKED =
            function("record_ranked", TEXT, TEXT).gives(BYTEA).kernel("record_ranked");

    /// The same of an array of rows.
    public static final FunctionRow ARRAY_RANKED =
            function("record_array_ranked", TEXT, TEXT).gives(BYTEA).kernel("record_array_ranked");

    /// The text in such bytes.
    public static final FunctionRow UNRANKED =
            function("record_unranked", BYTEA).gives(TEXT).kernel("record_unranked");

    /// An array of one row.
    public static final FunctionRow ARRAY =
            function("record_array", TEXT).gives(TEXT).kernel("record_array");

    /// An array of rows, with one more.
    public static final FunctionRow APPEND =
            function("record_append", TEXT, TEXT).gives(TEXT).kernel("record_append");

    /// Whether a row is in an array of rows of such a shape.
    public static final FunctionRow IS_IN =
            function("record_is_in", TEXT, TEXT, TEXT).gives(BOOL).kernel("record_is_in");

    /// A row's first field, a number, and one: of a row of that shape.
    public static final FunctionRow NEXT_DEPTH =
            function("record_next_depth", TEXT, TEXT).gives(INT8).kernel("record_next_depth");

    /// A field's text: of a row's text, by its place from 0, of a row of so many fields.
    public static final FunctionRow FIELD =
            function("record_field", TEXT, INT4, INT4).gives(TEXT).givesNull().kernel("record_field");

    static final List<FunctionRow> INTERNAL =
            List.of(TO_TEXT, KEY, ARRAY_KEY, RANKED, ARRAY_RANKED, UNRANKED, ARRAY, APPEND, IS_IN, NEXT_DEPTH, FIELD);

    private RecordRows() {}
}
