package dev.quarrel.core.json;

import dev.quarrel.core.json.JsonValue.Elements;
import dev.quarrel.core.json.JsonValue.Members;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// Changes to jsonb values: each gives a new one.
///
/// - Source: PostgreSQL's `jsonfuncs.c`.
public final class JsonEdit {
    /// What happens at the end of a path.
    public enum Change {
        /// Replaces what is there, and adds what is not.
        CREATE,
        REPLACE,
        INSERT_BEFORE,
        INSERT_AFTER,
        DELETE;

        boolean adds() {
            return this == CREATE || inserts();
        }

        boolean inserts() {
            return this == INSERT_BEFORE || this == INSERT_AFTER;
        }
    }

    private JsonEdit() {}

    /// `one || other`: members of both, of the same key the other's; or the elements of both, where anything but an
    /// array counts as one of one element.
    public static JsonValue concatenate(JsonValue one, JsonValue other) {
        if (one instanceof Members(SortedMap<String, JsonValue> left)
                && other instanceof Members(SortedMap<String, JsonValue> right)) {
            SortedMap<String, JsonValue> members = new TreeMap<>(left);
            members.putAll(right);
            return new Members(members);
        }
        List<JsonValue> elements = new ArrayList<>();
        addElements(one, elements);
        addElements(other, elements);
        return new Elements(elements);
    }

    private static void addElements(JsonValue value, List<JsonValue> elements) {
        if (value instanceof Elements(List<JsonValue> own)) {
            elements.addAll(own);
        } else {
            elements.add(value);
        }
    }

    /// Without the members of these keys, or the strings that equal one.
    public static JsonValue withoutKeys(JsonValue value, Set<String> keys) {
        return switch (value) {
            case Members(SortedMap<String, JsonValue> own) -> {
                SortedMap<String, JsonValue> members = new TreeMap<>(own);
                keys.forEach(members::remove);
                yield new Members(members);
            }
            case Elements(List<JsonValue> own) ->
                new Elements(own.stream()
                        .filter(item -> !(item instanceof JsonValue.Text(String text) && keys.contains(text)))
                        .toList());
            default -> throw invalid("cannot delete from scalar");
        };
    }

    public static JsonValue withoutElement(JsonValue value, int number) {
        return switch (value) {
            case Elements(List<JsonValue> own) -> {
                int index = number < 0 ? own.size() + number : number;
                if (index < 0 || index >= own.size()) {
                    yield value;
                }
                List<JsonValue> elements = new ArrayList<>(own);
                elements.remove(index);
                yield new Elements(elements);
            }
            case Members _ -> throw invalid("cannot delete from object using integer index");
            default -> throw invalid("cannot delete from scalar");
        };
    }

    /// Without members that are null, at any level.
    ///
    /// @param inArrays whether elements that are null go, too
    public static JsonValue withoutNulls(JsonValue value, boolean inArrays) {
        return switch (value) {
            case Members(SortedMap<String, JsonValue> own) -> {
                SortedMap<String, JsonValue> members = new TreeMap<>(JsonValue.KEY_ORDER);
                own.forEach((key, member) -> {
                    if (!(member instanceof JsonValue.Null)) {
                        members.put(key, withoutNulls(member, inArrays));
                    }
                });
                yield new Members(members);
            }
            case Elements(List<JsonValue> own) ->
                new Elements(own.stream()
                        .filter(item -> !(inArrays && item instanceof JsonValue.Null))
                        .map(item -> withoutNulls(item, inArrays))
                        .toList());
            default -> value;
        };
    }

    /// Changes the value at the end of a path.
    ///
    /// - Errors: 22023 for a scalar, or a key that is there already; 22004 for a NULL in the path; 22P02 for what
    /// numbers no element.
    ///
    /// @param path keys and numbers of elements; null for NULL
    /// @param with null for [Change#DELETE]
    public static JsonValue change(JsonValue value, List<String> path, JsonValue with, Change change) {
        if (value.isScalar()) {
            throw invalid(change == Change.DELETE ? "cannot delete path in scalar" : "cannot set path in scalar");
        }
        return path.isEmpty() || isEmpty(value) && !change.adds() ? value : new Walk(path, with, change).at(value, 0);
    }

    private static boolean isEmpty(JsonValue value) {
        return switch (value) {
            case Members(SortedMap<String, JsonValue> own) -> own.isEmpty();
            case Elements(List<JsonValue> own) -> own.isEmpty();
            default -> false;
        };
    }

    private static QueryException invalid(String message) {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, message);
    }

    /// The way down a path.
    private record Walk(List<String> path, JsonValue with, Change change) {
        JsonValue at(JsonValue value, int level) {
            if (level < path.size() && path.get(level) == null) {
                throw new QueryException(
                        SqlState.NULL_VALUE_NOT_ALLOWED, "path element at position " + (level + 1) + " is null");
            }
            return switch (value) {
                case Members(SortedMap<String, JsonValue> own) -> inMembers(own, level);
                case Elements(List<JsonValue> own) -> inElements(own, level);
                default -> value;
            };
        }

        private JsonValue inMembers(SortedMap<String, JsonValue> own, int level) {
            String key = path.get(level);
            boolean isLast = level == path.size() - 1;
            SortedMap<String, JsonValue> members = new TreeMap<>(own);
            JsonValue found = own.get(key);
            if (found == null) {
                if (isLast && change.adds()) {
                    members.put(key, with);
                }
            } else if (!isLast) {
                members.put(key, at(found, level + 1));
            } else if (change.inserts()) {
                throw invalid("cannot replace existing key")
                        .withHint("Try using the function jsonb_set to replace key value.");
            } else if (change == Change.DELETE) {
                members.remove(key);
            } else {
                members.put(key, with);
            }
            return new Members(members);
        }

        private JsonValue inElements(List<JsonValue> own, int level) {
            Integer number = JsonPath.number(path.get(level));
            if (number == null) {
                throw new QueryException(
                        SqlState.INVALID_TEXT_REPRESENTATION,
                        "path element at position " + (level + 1) + " is not an integer: \"" + path.get(level) + "\"");
            }
            boolean isLast = level == path.size() - 1;
            boolean isBefore = number < -own.size();
            int index = number < 0 ? own.size() + number : Math.min(number, own.size());
            List<JsonValue> elements = new ArrayList<>(own);
            if (isBefore || index == own.size()) {
                if (isLast && change.adds()) {
                    elements.add(isBefore ? 0 : own.size(), with);
                }
            } else if (!isLast) {
                elements.set(index, at(own.get(index), level + 1));
            } else {
                switch (change) {
                    case CREATE, REPLACE -> elements.set(index, with);
                    case INSERT_BEFORE -> elements.add(index, with);
                    case INSERT_AFTER -> elements.add(index + 1, with);
                    case DELETE -> elements.remove(index);
                }
            }
            return new Elements(elements);
        }
    }
}
