package dev.quarrel.core.json;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// Writes an object member by member, as json or as jsonb.
///
/// - Source: PostgreSQL's `json.c` (json_build_object_worker), `jsonb.c` (jsonb_build_object_worker).
public final class JsonBuilder {
    /// What an object takes.
    ///
    /// @param isBinary whether it is a jsonb: in its order, with the last of members of one key
    /// @param isStrict whether members that are NULL are left out
    /// @param isUnique whether a key may be there once only
    public record Rules(boolean isBinary, boolean isStrict, boolean isUnique) {}

    private final Rules rules;
    private final Set<String> keys = new HashSet<>();
    private final SortedMap<String, String> members = new TreeMap<>(JsonValue.KEY_ORDER);
    private final StringBuilder out = new StringBuilder();

    public JsonBuilder(Rules rules) {
        this.rules = rules;
    }

    /// Adds a member.
    ///
    /// - Errors: 22004 (22023 of a jsonb) for a key that is NULL, 22030 for one that is there already.
    ///
    /// @param value JSON; null for NULL
    public void add(String key, String value) {
        boolean isSkipped = rules.isStrict() && value == null;
        if (isSkipped && !rules.isUnique() && !rules.isBinary()) {
            return;
        }
        if (key == null) {
            throw rules.isBinary()
                    ? new QueryException(SqlState.INVALID_PARAMETER_VALUE, "key must not be null")
                    : new QueryException(SqlState.NULL_VALUE_NOT_ALLOWED, "null value not allowed for object key");
        }
        if (rules.isUnique() && !keys.add(key)) {
            throw new QueryException(
                    SqlState.DUPLICATE_JSON_OBJECT_KEY_VALUE, "duplicate JSON object key value: \"" + key + "\"");
        }
        // A strict jsonb leaves JSON's null out as well: of members of one key, the last that is none counts.
        if (isSkipped || rules.isStrict() && rules.isBinary() && value.equals("null")) {
            return;
        }
        String written = value == null ? "null" : value;
        if (rules.isBinary()) {
            members.put(key, written);
        } else {
            out.append(out.isEmpty() ? "" : ", ");
            JsonStrings.append(key, out);
            out.append(" : ").append(written);
        }
    }

    /// The object as `json_build_object` writes it; a jsonb as it shows.
    public String text() {
        return "{" + members() + "}";
    }

    /// The object as `json_object_agg` writes it; a jsonb as it shows.
    public String spacedText() {
        return rules.isBinary() ? text() : "{ " + members() + " }";
    }

    private StringBuilder members() {
        String separator = "";
        for (var member : members.entrySet()) {
            out.append(separator);
            JsonStrings.append(member.getKey(), out);
            out.append(": ").append(member.getValue());
            separator = ", ";
        }
        return out;
    }
}
