package dev.quarrel.core.json.search;

import dev.quarrel.core.json.JsonValue;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;

/// The variables that a path may name.
public sealed interface PathVariables {
    PathVariables NONE = new Listed(List.of());

    /// A variable, and the value by which the method keyvalue() counts from there on.
    ///
    /// @param base the variable, or the object that it is a member of
    record Found(JsonValue value, JsonValue base, long id) {}

    /// Null for an unknown name.
    Found find(String name);

    /// How many values [Found#base] may be.
    int baseCount();

    /// - Errors: 22023 for what is no object.
    static PathVariables of(JsonValue object) {
        if (object instanceof JsonValue.Members members) {
            return new Of(members);
        }
        throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "\"vars\" argument is not an object")
                .withDetail("Jsonpath parameters should be encoded as key-value pairs of \"vars\" object.");
    }

    /// The members of an object, the argument `vars` of functions.
    record Of(JsonValue.Members object) implements PathVariables {
        @Override
        public Found find(String name) {
            JsonValue value = object.items().get(name);
            return value == null ? null : new Found(value, object, 1);
        }

        @Override
        public int baseCount() {
            return 1;
        }
    }

    /// What PASSING names: of several of a name the first.
    record Listed(List<Variable> items) implements PathVariables {
        @Override
        public Found find(String name) {
            for (int index = 0; index < items.size(); index++) {
                if (items.get(index).name().equals(name)) {
                    JsonValue value = items.get(index).value();
                    return new Found(value, value, index + 1);
                }
            }
            return null;
        }

        @Override
        public int baseCount() {
            return items.size();
        }
    }

    record Variable(String name, JsonValue value) {}
}
