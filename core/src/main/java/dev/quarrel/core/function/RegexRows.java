package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.BOOL;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.TEXT;
import static dev.quarrel.core.pg.PgType.TEXT_ARRAY;
import static dev.quarrel.core.type.SqlState.FEATURE_NOT_SUPPORTED;
import static dev.quarrel.core.type.SqlState.INVALID_ESCAPE_SEQUENCE;
import static dev.quarrel.core.type.SqlState.INVALID_PARAMETER_VALUE;
import static dev.quarrel.core.type.SqlState.INVALID_REGULAR_EXPRESSION;
import static dev.quarrel.core.type.SqlState.INVALID_USE_OF_ESCAPE_CHARACTER;

import dev.quarrel.core.pg.PgType;
import java.util.List;

/// Functions of regular expressions.
final class RegexRows {
    static final List<FunctionRow> ALL = List.of(
            regex("regexp_like", BOOL, TEXT, TEXT).kernel("regexp_like_no_flags"),
            regex("regexp_like", BOOL, TEXT, TEXT, TEXT).kernel("regexp_like"),
            regex("regexp_count", INT4, TEXT, TEXT).kernel("regexp_count_no_start"),
            regex("regexp_count", INT4, TEXT, TEXT, INT4).kernel("regexp_count_no_flags"),
            regex("regexp_count", INT4, TEXT, TEXT, INT4, TEXT).kernel("regexp_count"),
            regex("regexp_substr", TEXT, TEXT, TEXT).givesNull().kernel("regexp_substr_no_start"),
            regex("regexp_substr", TEXT, TEXT, TEXT, INT4).givesNull().kernel("regexp_substr_no_n"),
            regex("regexp_substr", TEXT, TEXT, TEXT, INT4, INT4).givesNull().kernel("regexp_substr_no_flags"),
            regex("regexp_substr", TEXT, TEXT, TEXT, INT4, INT4, TEXT)
                    .givesNull()
                    .kernel("regexp_substr_no_subexpr"),
            regex("regexp_substr", TEXT, TEXT, TEXT, INT4, INT4, TEXT, INT4)
                    .givesNull()
                    .kernel("regexp_substr"),
            regex("regexp_instr", INT4, TEXT, TEXT).kernel("regexp_instr_no_start"),
            regex("regexp_instr", INT4, TEXT, TEXT, INT4).kernel("regexp_instr_no_n"),
            regex("regexp_instr", INT4, TEXT, TEXT, INT4, INT4).kernel("regexp_instr_no_endoption"),
            regex("regexp_instr", INT4, TEXT, TEXT, INT4, INT4, INT4).kernel("regexp_instr_no_flags"),
            regex("regexp_instr", INT4, TEXT, TEXT, INT4, INT4, INT4, TEXT).kernel("regexp_instr_no_subexpr"),
            regex("regexp_instr", INT4, TEXT, TEXT, INT4, INT4, INT4, TEXT, INT4)
                    .kernel("regexp_instr"),
            regex("regexp_replace", TEXT, TEXT, TEXT, TEXT).kernel("textregexreplace_noopt"),
            regex("regexp_replace", TEXT, TEXT, TEXT, TEXT, TEXT).kernel("textregexreplace"),
            regex("regexp_replace", TEXT, TEXT, TEXT, TEXT, INT4).kernel("textregexreplace_extended_no_n"),
            regex("regexp_replace", TEXT, TEXT, TEXT, TEXT, INT4, INT4).kernel("textregexreplace_extended_no_flags"),
            regex("regexp_replace", TEXT, TEXT, TEXT, TEXT, INT4, INT4, TEXT).kernel("textregexreplace_extended"),
            regex("regexp_match", TEXT_ARRAY, TEXT, TEXT).givesNull().kernel("regexp_match_no_flags"),
            regex("regexp_match", TEXT_ARRAY, TEXT, TEXT, TEXT).givesNull().kernel("regexp_match"),
            regex("regexp_split_to_array", TEXT_ARRAY, TEXT, TEXT).kernel("regexp_split_to_array_no_flags"),
            regex("regexp_split_to_array", TEXT_ARRAY, TEXT, TEXT, TEXT).kernel("regexp_split_to_array"),
            regex("regexp_matches", TEXT_ARRAY, TEXT, TEXT).rows("regexp_matches"),
            regex("regexp_matches", TEXT_ARRAY, TEXT, TEXT, TEXT).rows("regexp_matches"),
            regex("regexp_split_to_table", TEXT, TEXT, TEXT).rows("regexp_split_to_table"),
            regex("regexp_split_to_table", TEXT, TEXT, TEXT, TEXT).rows("regexp_split_to_table"),
            regex("substring", TEXT, TEXT, TEXT).givesNull().kernel("textregexsubstr"),
            regex("substring", TEXT, TEXT, TEXT, TEXT)
                    .givesNull()
                    .fails(INVALID_ESCAPE_SEQUENCE, INVALID_USE_OF_ESCAPE_CHARACTER)
                    .kernel("similar_substring"),
            similar("similar_to_escape", TEXT).kernel("similar_to_escape_1"),
            similar("similar_to_escape", TEXT, TEXT).kernel("similar_to_escape_2"),
            similar("similar_escape", TEXT, TEXT).takesNull().givesNull().kernel("similar_escape"));

    private RegexRows() {}

    private static FunctionRow.Draft regex(String name, PgType result, PgType... arguments) {
        return function(name, arguments)
                .gives(result)
                .fails(INVALID_REGULAR_EXPRESSION, FEATURE_NOT_SUPPORTED, INVALID_PARAMETER_VALUE);
    }

    private static FunctionRow.Draft similar(String name, PgType... arguments) {
        return function(name, arguments).gives(TEXT).fails(INVALID_ESCAPE_SEQUENCE, INVALID_USE_OF_ESCAPE_CHARACTER);
    }
}
