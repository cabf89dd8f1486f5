package dev.quarrel.core.arrow;

import dev.quarrel.core.function.JsonForm;
import java.util.List;

/// What lists, structs and maps are as JSON: arrays and objects, and which texts of values within them are strings.
sealed interface JsonShape {
    /// A value that is not taken apart any further.
    ///
    /// @param form null for a value that is a JSON document itself
    record Value(JsonForm form) implements JsonShape {}

    record Elements(JsonShape element) implements JsonShape {}

    /// An object with a member for each of a struct's or union's.
    record Members(List<String> names, List<JsonShape> members) implements JsonShape {
        public Members {
            names = List.copyOf(names);
            members = List.copyOf(members);
        }
    }

    /// A map, as an object: a key is its text.
    record Pairs(Value key, JsonShape value) implements JsonShape {}

    /// How the elements of lists lie that are an array, or a map's pairs; null for anything else.
    static Storage elements(Storage storage) {
        return storage instanceof Storage.Listed(Storage element, int _, Storage.ListForm form)
                        && form == Storage.ListForm.DIMENSIONS
                ? element
                : storage.elements();
    }

    /// Whether JSON is made where values lie: of objects, and of lists of lists, which may be no array of PostgreSQL's.
    /// Other lists are arrays, whose texts say enough.
    default boolean isOwn() {
        return switch (this) {
            case Value _ -> false;
            case Elements(JsonShape element) -> element instanceof Elements || element.isOwn();
            case Members _, Pairs _ -> true;
        };
    }
}
