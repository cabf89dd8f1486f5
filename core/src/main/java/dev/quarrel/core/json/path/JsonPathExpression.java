package dev.quarrel.core.json.path;

import dev.quarrel.core.json.JsonValue;
import java.util.List;

/// A jsonpath value.
///
/// @param isLax whether structures that do not fit the path are no errors, and arrays are unwrapped
public record JsonPathExpression(PathItem root, boolean isLax) {
    /// - Errors: 42601 for what is no path, 22P02 for no text, 0A000 for like_regex.
    public static JsonPathExpression parse(String text) {
        return PathParser.parse(text);
    }

    /// The text that `jsonpath_out` gives.
    public String text() {
        return PathText.of(this);
    }

    /// What the path finds.
    ///
    /// - Errors: those of SQL/JSON, if they are not suppressed; 42704 for a missing variable; 0A000 for methods of
    // dates
    /// and times, and keyvalue().
    ///
    /// @param variables an object
    /// @param isSilent whether errors end the search without a word
    public List<JsonValue> find(JsonValue document, JsonValue variables, boolean isSilent) {
        return new PathRun(this, document, variables).find(isSilent);
    }

    /// What the path finds; null where an error that may be suppressed ends the search.
    public List<JsonValue> findOrNull(JsonValue document, JsonValue variables) {
        return new PathRun(this, document, variables).findOrNull();
    }

    /// Whether the path finds anything; null where a suppressed error leaves that open.
    public Boolean exists(JsonValue document, JsonValue variables, boolean isSilent) {
        return new PathRun(this, document, variables).exists(isSilent);
    }
}
