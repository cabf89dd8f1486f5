package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.BOOL;
import static dev.quarrel.core.pg.PgType.BPCHAR;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.INT4_ARRAY;
import static dev.quarrel.core.pg.PgType.NAME;
import static dev.quarrel.core.pg.PgType.OID;
import static dev.quarrel.core.pg.PgType.TEXT;
import static dev.quarrel.core.pg.PgType.TEXT_ARRAY;
import static dev.quarrel.core.type.SqlState.INVALID_ESCAPE_SEQUENCE;
import static dev.quarrel.core.type.SqlState.INVALID_PARAMETER_VALUE;
import static dev.quarrel.core.type.SqlState.NUMERIC_VALUE_OUT_OF_RANGE;
import static dev.quarrel.core.type.SqlState.PROGRAM_LIMIT_EXCEEDED;
import static dev.quarrel.core.type.SqlState.SUBSTRING_ERROR;
import static dev.quarrel.core.type.SqlState.SYNTAX_ERROR;

import dev.quarrel.core.ir.Opcode;
import java.util.List;

/// Functions of text.
final class TextRows {
    static final List<FunctionRow> ALL = List.of(
            function("length", TEXT).gives(INT4).expression(),
            function("char_length", TEXT).gives(INT4).expression(),
            function("character_length", TEXT).gives(INT4).expression(),
            function("textlen", TEXT).gives(INT4).expression(),
            function("upper", TEXT).gives(TEXT).expression(),
            function("lower", TEXT).gives(TEXT).expression(),
            function("initcap", TEXT).gives(TEXT).kernel("initcap"),
            function("reverse", TEXT).gives(TEXT).opcode(Opcode.REVERSE),
            function("left", TEXT, INT4).gives(TEXT).expression(),
            function("right", TEXT, INT4).gives(TEXT).expression(),
            function("lpad", TEXT, INT4, TEXT)
                    .gives(TEXT)
                    .fails(PROGRAM_LIMIT_EXCEEDED)
                    .kernel("lpad"),
            function("lpad", TEXT, INT4)
                    .gives(TEXT)
                    .fails(PROGRAM_LIMIT_EXCEEDED)
                    .kernel("lpad_blanks"),
            function("rpad", TEXT, INT4, TEXT)
                    .gives(TEXT)
                    .fails(PROGRAM_LIMIT_EXCEEDED)
                    .kernel("rpad"),
            function("rpad", TEXT, INT4)
                    .gives(TEXT)
                    .fails(PROGRAM_LIMIT_EXCEEDED)
                    .kernel("rpad_blanks"),
            function("repeat", TEXT, INT4)
                    .gives(TEXT)
                    .fails(PROGRAM_LIMIT_EXCEEDED)
                    .kernel("repeat"),
            function("ascii", TEXT).gives(INT4).kernel("ascii"),
            function("chr", INT4)
                    .gives(TEXT)
                    .fails(PROGRAM_LIMIT_EXCEEDED, INVALID_PARAMETER_VALUE)
                    .kernel("chr"),
            function("translate", TEXT, TEXT, TEXT).gives(TEXT).kernel("translate"),
            function("name", TEXT).gives(NAME).kernel("text_name"),
            function("name", BPCHAR).gives(NAME).kernel("bpchar_name"),
            function("starts_with", TEXT, TEXT).gives(BOOL).kernel("text_starts_with"),
            function("quote_literal", TEXT).gives(TEXT).kernel("quote_literal"),
            function("nameconcatoid", NAME, OID).gives(NAME).kernel("nameconcatoid"),
            function("quote_nullable", TEXT).gives(TEXT).takesNull().kernel("quote_nullable"),
            function("split_part", TEXT, TEXT, INT4)
                    .gives(TEXT)
                    .fails(INVALID_PARAMETER_VALUE)
                    .kernel("split_part"),
            function("replace", TEXT, TEXT, TEXT).gives(TEXT).expression(),
            function("strpos", TEXT, TEXT).gives(INT4).expression(),
            function("position", TEXT, TEXT).gives(INT4).expression(),
            function("substring", TEXT, INT4, INT4).gives(TEXT).expression(),
            function("substring", TEXT, INT4).gives(TEXT).expression(),
            function("substr", TEXT, INT4, INT4).gives(TEXT).expression(),
            function("substr", TEXT, INT4).gives(TEXT).expression(),
            function("overlay", TEXT, TEXT, INT4, INT4)
                    .gives(TEXT)
                    .fails(SUBSTRING_ERROR, NUMERIC_VALUE_OUT_OF_RANGE, PROGRAM_LIMIT_EXCEEDED)
                    .kernel("textoverlay"),
            function("overlay", TEXT, TEXT, INT4)
                    .gives(TEXT)
                    .fails(SUBSTRING_ERROR, NUMERIC_VALUE_OUT_OF_RANGE, PROGRAM_LIMIT_EXCEEDED)
                    .kernel("textoverlay_no_len"),
            function("btrim", TEXT).gives(TEXT).expression(),
            function("btrim", TEXT, TEXT).gives(TEXT).expression(),
            function("ltrim", TEXT).gives(TEXT).expression(),
            function("ltrim", TEXT, TEXT).gives(TEXT).expression(),
            function("rtrim", TEXT).gives(TEXT).expression(),
            function("rtrim", TEXT, TEXT).gives(TEXT).expression(),
            function("quote_ident", TEXT).gives(TEXT).kernel("quote_ident"),
            function("parse_ident", TEXT, BOOL)
                    .gives(TEXT_ARRAY)
                    .fails(INVALID_PARAMETER_VALUE)
                    .kernel("parse_ident"),
            function("parse_ident", TEXT)
                    .gives(TEXT_ARRAY)
                    .fails(INVALID_PARAMETER_VALUE)
                    .kernel("parse_ident_whole"),
            function("string_to_array", TEXT, TEXT)
                    .gives(TEXT_ARRAY)
                    .takesNull()
                    .givesNull()
                    .kernel("text_to_array"),
            function("string_to_array", TEXT, TEXT, TEXT)
                    .gives(TEXT_ARRAY)
                    .takesNull()
                    .givesNull()
                    .kernel("text_to_array_null"),
            function("string_to_table", TEXT, TEXT)
                    .gives(TEXT)
                    .takesNull()
                    .givesNull()
                    .rows("text_to_table"),
            function("string_to_table", TEXT, TEXT, TEXT)
                    .gives(TEXT)
                    .takesNull()
                    .givesNull()
                    .rows("text_to_table"),
            function("normalize", TEXT, TEXT)
                    .gives(TEXT)
                    .fails(INVALID_PARAMETER_VALUE)
                    .kernel("unicode_normalize_func"),
            function("is_normalized", TEXT, TEXT)
                    .gives(BOOL)
                    .fails(INVALID_PARAMETER_VALUE)
                    .kernel("unicode_is_normalized"),
            function("unicode_assigned", TEXT).gives(BOOL).kernel("unicode_assigned"),
            function("unistr", TEXT)
                    .gives(TEXT)
                    .fails(INVALID_PARAMETER_VALUE, SYNTAX_ERROR)
                    .kernel("unistr"),
            function("like_escape", TEXT, TEXT)
                    .gives(TEXT)
                    .fails(INVALID_ESCAPE_SEQUENCE)
                    .kernel("like_escape"),
            function("casefold", TEXT).gives(TEXT).expression(),
            function("textcat", TEXT, TEXT).gives(TEXT).expression(),
            // Quarrel's own: PostgreSQL has no such sketch.
            function("hll_sketch_histogram", TEXT).gives(INT4_ARRAY).expression());

    private TextRows() {}
}
