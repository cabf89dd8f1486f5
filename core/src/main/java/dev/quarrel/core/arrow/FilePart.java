package dev.quarrel.core.arrow;

import dev.quarrel.core.pg.FieldPath;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import java.util.List;

/// What can be read of a struct or list column by itself, without the rest of it.
///
/// @param path of a member; the column's own for what is of lists
/// @param field its name is the path's text, or says what it is of the lists
/// @param places of the member within the column, and of those below it within each other
public record FilePart(Kind kind, FieldPath path, Field field, Storage storage, List<Integer> places) {
    public FilePart {
        places = List.copyOf(places);
    }

    public enum Kind {
        /// A member of a struct, or of a struct within it.
        MEMBER,
        /// How many elements each list has.
        CARDINALITY,
        /// The bytes of each list's elements.
        ELEMENTS,
        /// Where each of a list's texts ends among those of the column, in 32 bits.
        ENDS,
        /// A byte for each of a list's elements, 0 where it is NULL. The row is NULL where no element of the batch is.
        PRESENCE;

        /// The name of a column of lists' part.
        public String of(String column) {
            return name().toLowerCase(java.util.Locale.ROOT) + "(" + column + ")";
        }
    }

    static FilePart member(FieldPath path, Field field, Storage storage, List<Integer> places) {
        return new FilePart(Kind.MEMBER, path, field, storage, places);
    }

    /// A part of each list of a column.
    static FilePart ofLists(Kind kind, String column, boolean isNullable) {
        DataType type = kind == Kind.CARDINALITY ? DataType.INT32 : DataType.BINARY;
        Storage storage = kind == Kind.CARDINALITY ? new Storage.Fixed(type) : new Storage.Text(type, false);
        return new FilePart(
                kind, new FieldPath(column), new Field(kind.of(column), type, isNullable), storage, List.of());
    }

    public boolean isMember() {
        return kind == Kind.MEMBER;
    }
}
