package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.TEXT;
import static dev.quarrel.core.type.SqlState.INVALID_TEXT_REPRESENTATION;

import java.util.List;

/// Functions of enums, whose values are held as their labels.
public final class EnumRows {
    /// `(text, type's name, array of the labels)`: the text, which has to be a label.
    public static final FunctionRow OF_TEXT = function("enum_in", TEXT, TEXT, TEXT)
            .gives(TEXT)
            .stable()
            .fails(INVALID_TEXT_REPRESENTATION)
            .kernel("enum_in");

    static final List<FunctionRow> INTERNAL = List.of(OF_TEXT);

    private EnumRows() {}
}
