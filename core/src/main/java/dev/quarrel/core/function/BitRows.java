package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.INT2;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.INT8;
import static dev.quarrel.core.pg.PgType.TEXT;

import dev.quarrel.core.pg.PgType;
import java.util.ArrayList;
import java.util.List;

/// Functions of an integer's bits: those that the operators `& | # ~ << >>` call, and its digits in other bases.
final class BitRows {
    static final List<FunctionRow> ALL = all();

    private BitRows() {}

    private static List<FunctionRow> all() {
        List<FunctionRow> rows = new ArrayList<>();
        for (PgType type : List.of(INT2, INT4, INT8)) {
            String name = type.typeName();
            for (String operation : List.of("and", "or", "xor")) {
                rows.add(function(name + operation, type, type).gives(type).kernel(name + operation));
            }
            rows.add(function(name + "not", type).gives(type).kernel(name + "not"));
            for (String operation : List.of("shl", "shr")) {
                rows.add(function(name + operation, type, INT4).gives(type).kernel(name + operation));
            }
        }
        for (String base : List.of("bin", "oct", "hex")) {
            rows.add(function("to_" + base, INT4).gives(TEXT).kernel("to_" + base + "32"));
            rows.add(function("to_" + base, INT8).gives(TEXT).kernel("to_" + base + "64"));
        }
        return List.copyOf(rows);
    }
}
