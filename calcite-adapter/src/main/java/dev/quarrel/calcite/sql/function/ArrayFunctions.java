package dev.quarrel.calcite.sql.function;

import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;

/// Functions for ANY and subscripts on arrays that are held as text, such as those of the system catalog.
public final class ArrayFunctions {
    /// `(element, array)`: whether the array has the element, both as text; NULL if it has not but has a NULL.
    public static final ScalarFunctionOperator CONTAINS = new ScalarFunctionOperator(new ScalarFunction(
            "array_contains",
            List.of(PgType.TEXT, PgType.TEXT),
            PgType.BOOL,
            true,
            (_, arguments) -> contains((String) arguments[0], elements((String) arguments[1]))));

    /// `(array, n, k)`: the element of number n - k, counted from 1, and of a vector from 0; NULL outside.
    public static final ScalarFunctionOperator ITEM = new ScalarFunctionOperator(new ScalarFunction(
            "array_item",
            List.of(PgType.TEXT, PgType.INT4, PgType.INT4),
            PgType.TEXT,
            true,
            (_, arguments) -> item((String) arguments[0], (Long) arguments[1] - (Long) arguments[2])));

    private ArrayFunctions() {}

    private static Boolean contains(String element, List<String> elements) {
        if (elements.contains(element)) {
            return true;
        }
        return elements.contains(null) ? null : false;
    }

    private static String item(String array, long number) {
        List<String> elements = elements(array);
        long index = array.strip().startsWith("{") ? number - 1 : number;
        return index < 0 || index >= elements.size() ? null : elements.get((int) index);
    }

    /// The elements of `{a,"b c",NULL}`; `1 2` (an int2vector) too.
    ///
    /// - Errors: 22P02 for other text.
    public static List<String> elements(String text) {
        String trimmed = text.strip();
        List<String> elements = new ArrayList<>();
        if (!trimmed.startsWith("{")) {
            for (String word : trimmed.isEmpty() ? new String[0] : trimmed.split(" +")) {
                elements.add(word);
            }
            return elements;
        }
        if (!trimmed.endsWith("}")) {
            throw new QueryException(SqlState.INVALID_TEXT_REPRESENTATION, "malformed array literal: \"" + text + "\"")
                    .withDetail("Unexpected end of input.");
        }
        String body = trimmed.substring(1, trimmed.length() - 1);
        StringBuilder element = new StringBuilder();
        boolean inside = false;
        boolean quoted = false;
        for (int index = 0; index < body.length(); index++) {
            char each = body.charAt(index);
            if (each == '"') {
                inside = !inside;
                quoted = true;
            } else if (each == '\\' && index + 1 < body.length()) {
                element.append(body.charAt(++index));
            } else if (each == ',' && !inside) {
                elements.add(element(element, quoted));
                element.setLength(0);
                quoted = false;
            } else {
                element.append(each);
            }
        }
        if (!body.isBlank()) {
            elements.add(element(element, quoted));
        }
        return elements;
    }

    private static String element(StringBuilder text, boolean quoted) {
        String value = quoted ? text.toString() : text.toString().strip();
        return !quoted && value.equalsIgnoreCase("null") ? null : value;
    }
}
