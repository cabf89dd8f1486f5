package dev.quarrel.core.json.path;

import dev.quarrel.core.type.QueryException;

/// A jsonpath value.
///
/// @param isLax whether structures that do not fit the path are no errors, and arrays are unwrapped
public record JsonPathExpression(PathItem root, boolean isLax) {
    /// - Errors: 42601 for what is no path, 22P02 and 22P05 for no text, 2201B for a malformed regular
    ///   expression, 0A000 for one with the flag `x`.
    public static JsonPathExpression parse(String text) {
        return PathParser.parse(text);
    }

    private static final char EXACT = '\0';

    /// The text by which a value is kept: the one that is shown, unless that would be read otherwise. No text begins
    /// with what an exact one begins with.
    ///
    /// - Errors: as [#parse].
    public static String stored(String text) {
        JsonPathExpression path = parse(text);
        String shown = path.text();
        return path.isReadAs(shown) ? shown : EXACT + PathText.exact(path);
    }

    private boolean isReadAs(String shown) {
        try {
            return equals(parse(shown));
        } catch (QueryException _) {
            return false;
        }
    }

    public static JsonPathExpression ofStored(String stored) {
        return parse(isExact(stored) ? stored.substring(1) : stored);
    }

    /// What is shown of a kept value.
    public static String shown(String stored) {
        return isExact(stored) ? ofStored(stored).text() : stored;
    }

    private static boolean isExact(String stored) {
        return !stored.isEmpty() && stored.charAt(0) == EXACT;
    }

    /// The text that `jsonpath_out` gives.
    public String text() {
        return PathText.of(this);
    }
}
