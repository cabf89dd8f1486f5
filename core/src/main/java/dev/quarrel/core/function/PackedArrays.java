package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;

import dev.quarrel.core.ir.Callee;
import dev.quarrel.core.pg.PgType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// What is asked of arrays whose elements stand in a file one behind the other: in place of the array's text there are
/// the bytes of its elements, little endian, for texts where each of them ends, and where some may be NULL a byte for
/// each, 0 for NULL; that argument is NULL where none is.
public final class PackedArrays {
    public static final String GET = "packed_get";
    public static final String HAS = "packed_has";
    public static final String GET_PRESENT = "packed_get_present";
    public static final String HAS_PRESENT = "packed_has_present";
    public static final String HOLDS_PRESENT = "packed_holds_present";

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
    ///
    /// @param hasPresence whether elements may be NULL
    public static FunctionRow get(PgType element, boolean hasPresence) {
        return of(hasPresence ? GET_PRESENT : GET, element);
    }

    /// `value = ANY (a)`.
    public static FunctionRow has(PgType element, boolean hasPresence) {
        return of(hasPresence ? HAS_PRESENT : HAS, element);
    }

    /// Whether an array has an element that is not NULL and equals the value: what `@>` and `&&` ask.
    public static FunctionRow holds(PgType element, boolean hasPresence) {
        return of(hasPresence ? HOLDS_PRESENT : HAS, element);
    }

    private static FunctionRow of(String id, PgType element) {
        boolean isGet = id.equals(GET) || id.equals(GET_PRESENT);
        boolean hasPresence = !id.equals(GET) && !id.equals(HAS);
        FunctionRow.Draft row =
                row(id, element, hasPresence, isGet ? PgType.INT4 : element, isGet ? element : PgType.BOOL);
        return (id.equals(GET) ? row : row.takesNull()).givesNull().kernel(id + ":" + element.typeName());
    }

    private static FunctionRow.Draft row(
            String name, PgType element, boolean hasPresence, PgType argument, PgType result) {
        List<PgType> arguments = new ArrayList<>(List.of(PgType.BYTEA));
        if (hasEnds(element)) {
            arguments.add(PgType.BYTEA);
        }
        if (hasPresence) {
            arguments.add(PgType.BYTEA);
        }
        arguments.add(argument);
        return function(name, arguments.toArray(PgType[]::new)).gives(result);
    }

    /// Whether a callee is what the operation of its id is for elements of that type.
    public static boolean isCallee(Callee callee, String operation, PgType element) {
        return isFor(element)
                && ids().contains(operation)
                && of(operation, element).callee().equals(callee);
    }

    /// Ids of the operations, without the elements' types.
    public static Set<String> ids() {
        return Set.of(GET, HAS, GET_PRESENT, HAS_PRESENT, HOLDS_PRESENT);
    }
}
