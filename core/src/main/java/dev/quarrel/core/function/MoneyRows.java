package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.FLOAT4;
import static dev.quarrel.core.pg.PgType.FLOAT8;
import static dev.quarrel.core.pg.PgType.INT2;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.INT8;
import static dev.quarrel.core.pg.PgType.MONEY;
import static dev.quarrel.core.pg.PgType.NUMERIC;
import static dev.quarrel.core.pg.PgType.TEXT;
import static dev.quarrel.core.type.SqlState.DIVISION_BY_ZERO;
import static dev.quarrel.core.type.SqlState.NUMERIC_VALUE_OUT_OF_RANGE;

import dev.quarrel.core.pg.PgType;
import java.util.ArrayList;
import java.util.List;

/// Functions of amounts of money.
final class MoneyRows {
    static final List<FunctionRow> ALL = all();

    /// What sums of money are made of.
    static final List<FunctionRow> INTERNAL = List.of(
            function("money_cents", MONEY).gives(INT8).kernel("money_cents"),
            function("money_of_cents", NUMERIC)
                    .gives(MONEY)
                    .fails(NUMERIC_VALUE_OUT_OF_RANGE)
                    .kernel("money_of_cents"));

    private MoneyRows() {}

    private static List<FunctionRow> all() {
        List<FunctionRow> rows = new ArrayList<>();
        rows.add(function("cash_pl", MONEY, MONEY)
                .gives(MONEY)
                .fails(NUMERIC_VALUE_OUT_OF_RANGE)
                .kernel("cash_pl"));
        rows.add(function("cash_mi", MONEY, MONEY)
                .gives(MONEY)
                .fails(NUMERIC_VALUE_OUT_OF_RANGE)
                .kernel("cash_mi"));
        rows.add(function("cash_div_cash", MONEY, MONEY)
                .gives(FLOAT8)
                .fails(DIVISION_BY_ZERO)
                .kernel("cash_div_cash"));
        for (PgType type : List.of(INT2, INT4, INT8, FLOAT4, FLOAT8)) {
            String name = type == FLOAT4 ? "flt4" : type == FLOAT8 ? "flt8" : type.typeName();
            rows.add(function("cash_mul_" + name, MONEY, type)
                    .gives(MONEY)
                    .fails(NUMERIC_VALUE_OUT_OF_RANGE)
                    .kernel("cash_mul_" + name));
            rows.add(function(name + "_mul_cash", type, MONEY)
                    .gives(MONEY)
                    .fails(NUMERIC_VALUE_OUT_OF_RANGE)
                    .kernel(name + "_mul_cash"));
            rows.add(function("cash_div_" + name, MONEY, type)
                    .gives(MONEY)
                    .fails(NUMERIC_VALUE_OUT_OF_RANGE, DIVISION_BY_ZERO)
                    .kernel("cash_div_" + name));
        }
        for (PgType type : List.of(INT4, INT8, NUMERIC)) {
            rows.add(function("money", type)
                    .gives(MONEY)
                    .stable()
                    .fails(NUMERIC_VALUE_OUT_OF_RANGE)
                    .kernel(type.typeName() + "_cash"));
        }
        rows.add(function("numeric", MONEY).gives(NUMERIC).stable().kernel("cash_numeric"));
        rows.add(function("cash_words", MONEY).gives(TEXT).kernel("cash_words"));
        return List.copyOf(rows);
    }
}
