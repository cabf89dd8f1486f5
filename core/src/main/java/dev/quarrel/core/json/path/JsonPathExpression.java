package dev.quarrel.core.json.path;

/// A jsonpath value.
///
/// @param isLax whether structures that do not fit the path are no errors, and arrays are unwrapped
public record JsonPathExpression(PathItem root, boolean isLax) {
    /// - Errors: 42601 for what is no path, 22P02 and 22P05 for no text, 2201B for a malformed regular expression, 0A000
    ///   for one with the flag `x`.
    public static JsonPathExpression parse(String text) {
        return PathParser.parse(text);
    }

    /// The text that `jsonpath_out` gives.
    public String text() {
        return PathText.of(this);
    }
}
