package dev.quarrel.core.arrow;

import dev.quarrel.core.pg.FieldPath;
import dev.quarrel.core.type.Field;
import java.util.List;

/// A member of a struct column, or one of such a member's, which can be read by itself.
///
/// @param field its name is the path's text
/// @param places of the member within the column, and of those below it within each other
public record FilePart(FieldPath path, Field field, Storage storage, List<Integer> places) {
    public FilePart {
        places = List.copyOf(places);
    }
}
