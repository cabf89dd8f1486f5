package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.INT8;

import dev.quarrel.core.pg.PgType;
import java.util.List;
import java.util.stream.Stream;

/// Hash functions, each with a seed and without.
final class HashRows {
    static final List<FunctionRow> ALL = Stream.of(
                    both("hashint2", PgType.INT2, "hashint2"),
                    both("hashint4", INT4, "hashint4"),
                    both("hashint8", INT8, "hashint8"),
                    both("hashoid", PgType.OID, "hashoid"),
                    both("hashbool", PgType.BOOL, "hashbool"),
                    both("hashfloat4", PgType.FLOAT4, "hashfloat4"),
                    both("hashfloat8", PgType.FLOAT8, "hashfloat8"),
                    both("hashtext", PgType.TEXT, "hashtext"),
                    both("hashname", PgType.NAME, "hashname"),
                    both("hashbytea", PgType.BYTEA, "hashvarlena"))
            .flatMap(List::stream)
            .toList();

    private HashRows() {}

    private static List<FunctionRow> both(String name, PgType type, String id) {
        return List.of(
                function(name, type).gives(INT4).kernel(id),
                function(name + "extended", type, INT8).gives(INT8).kernel(id + "extended"));
    }
}
