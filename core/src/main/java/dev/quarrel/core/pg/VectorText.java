package dev.quarrel.core.pg;

import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/// Reads and writes `int2vector` and `oidvector`, which the catalogs have: `1 2` to users, and held as the array
/// `[0:1]={1,2}`.
///
/// - Source: PostgreSQL's `int2vectorin`, `oidvectorin` and their output functions.
public final class VectorText {
    private VectorText() {}

    /// The array as it is held.
    ///
    /// - Errors: `QueryException` 22P02 and 22003, those of the elements.
    public static String read(String text, PgType vector) {
        PgType.Declared element = new PgType.Declared(vector.element(), PgType.NO_TYPMOD);
        List<String> elements = new ArrayList<>();
        for (String each : text.trim().split("\\s+")) {
            if (!each.isEmpty()) {
                elements.add(PgText.text(PgParse.literal(each, element)));
            }
        }
        return elements.isEmpty() ? "{}" : "[0:" + (elements.size() - 1) + "]={" + String.join(",", elements) + "}";
    }

    /// What users see of an array as it is held.
    public static String shown(String array) {
        StringJoiner shown = new StringJoiner(" ");
        ArrayText.parseNested(array).elements().forEach(shown::add);
        return shown.toString();
    }
}
