package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.TEXT;

import java.util.List;

/// Functions of rows as values.
public final class RecordRows {
    /// A row's text: the fields come as theirs.
    public static final FunctionRow TO_TEXT =
            function("record_out").variadic().gives(TEXT).stable().kernel("record_out");

    static final List<FunctionRow> INTERNAL = List.of(TO_TEXT);

    private RecordRows() {}
}
