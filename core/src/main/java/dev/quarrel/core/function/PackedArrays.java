package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;

import dev.quarrel.core.ir.Callee;
import dev.quarrel.core.pg.PgType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// What is asked of arrays whose elements stand in a file one behind the other, none of them NULL: in place of the
/// array's text there are the bytes of its elements, little endian, and for texts where each of them ends.
public final class PackedArrays {
    private static final String GET = "packed_get";
    private static final String HAS = "packed_has";

    private PackedArrays() {}

    /// Whether there are rows for arrays of that type.
    public static boolean isFor(PgType element) {
        return switch (element) {
            case INT2, INT4, INT8, FLOAT4, FLOAT8, DATE, TIMESTAMP, TIMESTAMPTZ, TEXT, VARCHAR -> true;
            default -> false;
        };
    }

    /// Whether the ends of elements are an argument behind their bytes.
    public static boolean hasEnds(PgType element) {
        return element == PgType.TEXT || element == PgType.VARCHAR;
    }

    /// `a[i]`.
    public static FunctionRow get(PgType element) {
        return row(GET, element, PgType.INT4, element).givesNull().kernel(GET + ":" + element.typeName());
    }

    /// `value = ANY (a)`.
    public static FunctionRow has(PgType element) {
        return row(HAS, element, element, PgType.BOOL).takesNull().givesNull().kernel(HAS + ":" + element.typeName());
    }

    private static FunctionRow.Draft row(String name, PgType element, PgType argument, PgType result) {
        List<PgType> arguments = new ArrayList<>(List.of(PgType.BYTEA));
        if (hasEnds(element)) {
            arguments.add(PgType.BYTEA);
        }
        arguments.add(argument);
        return function(name, arguments.toArray(PgType[]::new)).gives(result);
    }

    /// Whether a callee is what the operation of its id is for elements of that type.
    public static boolean isCallee(Callee callee, String operation, PgType element) {
        return isFor(element)
                && ids().contains(operation)
                && (operation.equals(GET) ? get(element) : has(element))
                        .callee()
                        .equals(callee);
    }

    /// Ids of the operations, without the elements' types.
    public static Set<String> ids() {
        return Set.of(GET, HAS);
    }
}
