package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.BIT;
import static dev.quarrel.core.pg.PgType.BIT_ARRAY;
import static dev.quarrel.core.pg.PgType.BOOL;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.INT8;
import static dev.quarrel.core.pg.PgType.VARBIT;
import static dev.quarrel.core.type.SqlState.ARRAY_SUBSCRIPT_ERROR;
import static dev.quarrel.core.type.SqlState.INVALID_PARAMETER_VALUE;
import static dev.quarrel.core.type.SqlState.NUMERIC_VALUE_OUT_OF_RANGE;
import static dev.quarrel.core.type.SqlState.PROGRAM_LIMIT_EXCEEDED;
import static dev.quarrel.core.type.SqlState.STRING_DATA_LENGTH_MISMATCH;
import static dev.quarrel.core.type.SqlState.STRING_DATA_RIGHT_TRUNCATION;
import static dev.quarrel.core.type.SqlState.SUBSTRING_ERROR;

import java.util.ArrayList;
import java.util.List;

/// Functions of strings of bits.
final class BitStringRows {
    static final List<FunctionRow> ALL = all();

    /// What the aggregates of all values are.
    static final List<FunctionRow> INTERNAL = List.of("bit_and_all", "bit_or_all", "bit_xor_all").stream()
            .map(name -> function(name, BIT_ARRAY)
                    .gives(BIT)
                    .givesNull()
                    .fails(STRING_DATA_LENGTH_MISMATCH)
                    .kernel(name))
            .toList();

    private BitStringRows() {}

    private static List<FunctionRow> all() {
        List<FunctionRow> rows = new ArrayList<>();
        for (String name : List.of("bitand", "bitor", "bitxor")) {
            rows.add(function(name, BIT, BIT)
                    .gives(BIT)
                    .fails(STRING_DATA_LENGTH_MISMATCH)
                    .kernel(name));
        }
        rows.add(function("bitnot", BIT).gives(BIT).kernel("bitnot"));
        rows.add(function("bitshiftleft", BIT, INT4).gives(BIT).kernel("bitshiftleft"));
        rows.add(function("bitshiftright", BIT, INT4).gives(BIT).kernel("bitshiftright"));
        rows.add(function("bitcat", VARBIT, VARBIT).gives(VARBIT).kernel("bitcat"));
        rows.add(function("bit", INT4, INT4)
                .gives(BIT)
                .fails(PROGRAM_LIMIT_EXCEEDED)
                .kernel("bitfromint4"));
        rows.add(function("bit", INT8, INT4)
                .gives(BIT)
                .fails(PROGRAM_LIMIT_EXCEEDED)
                .kernel("bitfromint8"));
        rows.add(function("int4", BIT)
                .gives(INT4)
                .fails(NUMERIC_VALUE_OUT_OF_RANGE)
                .kernel("bittoint4"));
        rows.add(function("int8", BIT)
                .gives(INT8)
                .fails(NUMERIC_VALUE_OUT_OF_RANGE)
                .kernel("bittoint8"));
        rows.add(function("bit", BIT, INT4, BOOL)
                .gives(BIT)
                .fails(STRING_DATA_LENGTH_MISMATCH, PROGRAM_LIMIT_EXCEEDED)
                .kernel("bit"));
        rows.add(function("varbit", VARBIT, INT4, BOOL)
                .gives(VARBIT)
                .fails(STRING_DATA_RIGHT_TRUNCATION)
                .kernel("varbit"));
        rows.add(function("length", BIT).gives(INT4).kernel("bitlength"));
        rows.add(function("bit_length", BIT).gives(INT4).kernel("bitlength"));
        rows.add(function("octet_length", BIT).gives(INT4).kernel("bitoctetlength"));
        rows.add(function("bit_count", BIT).gives(INT8).kernel("bit_bit_count"));
        rows.add(function("substring", BIT, INT4).gives(BIT).kernel("bitsubstr_no_len"));
        rows.add(function("substring", BIT, INT4, INT4)
                .gives(BIT)
                .fails(SUBSTRING_ERROR)
                .kernel("bitsubstr"));
        rows.add(function("overlay", BIT, BIT, INT4)
                .gives(BIT)
                .fails(SUBSTRING_ERROR, NUMERIC_VALUE_OUT_OF_RANGE)
                .kernel("bitoverlay_no_len"));
        rows.add(function("overlay", BIT, BIT, INT4, INT4)
                .gives(BIT)
                .fails(SUBSTRING_ERROR, NUMERIC_VALUE_OUT_OF_RANGE)
                .kernel("bitoverlay"));
        rows.add(function("position", BIT, BIT).gives(INT4).kernel("bitposition"));
        rows.add(function("get_bit", BIT, INT4)
                .gives(INT4)
                .fails(ARRAY_SUBSCRIPT_ERROR)
                .kernel("bitgetbit"));
        rows.add(function("set_bit", BIT, INT4, INT4)
                .gives(BIT)
                .fails(ARRAY_SUBSCRIPT_ERROR, INVALID_PARAMETER_VALUE)
                .kernel("bitsetbit"));
        return List.copyOf(rows);
    }
}
