package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.BYTEA;
import static dev.quarrel.core.pg.PgType.TEXT;

import java.util.List;

/// What the planner calls for texts of a collation other than "C", whose spec (`Collation.spec`) is the last argument.
public final class CollationRows {
    /// Bytes that order as an ICU collation orders the texts.
    public static final FunctionRow KEY =
            function("collation_key", TEXT, TEXT).gives(BYTEA).kernel("collation_key");

    /// The text that such bytes were made of.
    public static final FunctionRow VALUE =
            function("collation_value", BYTEA).gives(TEXT).kernel("collation_value");

    public static final FunctionRow UPPER = ofCase("upper");
    public static final FunctionRow LOWER = ofCase("lower");
    public static final FunctionRow TITLE = ofCase("initcap");
    public static final FunctionRow FOLD = ofCase("casefold");

    static final List<FunctionRow> INTERNAL = List.of(KEY, VALUE, UPPER, LOWER, TITLE, FOLD);

    private CollationRows() {}

    private static FunctionRow ofCase(String name) {
        String id = "collation_" + name;
        return function(id, TEXT, TEXT).gives(TEXT).kernel(id);
    }
}
