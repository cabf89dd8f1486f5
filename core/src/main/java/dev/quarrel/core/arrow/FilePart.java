package dev.quarrel.core.arrow;

import dev.quarrel.core.pg.FieldPath;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// What can be read of a struct or list column by itself, without the rest of it.
///
/// @param root the column
/// @param path of a member; of what is of lists, the name of the column or part whose lists they are
/// @param field its name is the path's text, or says what it is of the lists
/// @param places of the member within the column or within the elements of its lists, and of those below it within each
///     other
/// @param lists of which lists it is; null for a member, for JSON, and for what is within elements of others
/// @param elementParts of a member that is lists of structs, the members of these
public record FilePart(
        Kind kind,
        String root,
        FieldPath path,
        Field field,
        Storage storage,
        List<Integer> places,
        Lists lists,
        List<FilePart> elementParts) {
    public FilePart {
        places = List.copyOf(places);
        elementParts = List.copyOf(elementParts);
    }

    /// Lists that lie as a column, or as a member of a column's structs.
    ///
    /// @param name of the column or member
    /// @param places of the member within the column; none for the column itself
    public record Lists(String root, String name, Storage.Listed storage, List<Integer> places) {
        public Lists {
            places = List.copyOf(places);
        }
    }

    public enum Kind {
        /// A member of a struct or union, or of one within it.
        MEMBER,
        /// The name of the member that a union has.
        TAG,
        /// Whether a struct is there: true, or NULL.
        STRUCT,
        /// Of a list of structs the list of the values of one of their members, NULL where the struct is.
        MEMBERS,
        /// Lists with structs or maps as JSON: a column's, or those of a member of structs.
        JSON,
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
            return prefix() + column + ")";
        }

        private String prefix() {
            return name().toLowerCase(Locale.ROOT) + "(";
        }
    }

    static FilePart member(
            FieldPath path, Field field, Storage storage, List<Integer> places, List<FilePart> elementParts) {
        return new FilePart(Kind.MEMBER, path.column(), path, field, storage, places, null, elementParts);
    }

    /// Which member a column of unions, or such a member of structs, has.
    static FilePart tag(FieldPath path, Storage.OneOf union, List<Integer> places) {
        Field field = new Field(Kind.TAG.of(path.toString()), DataType.UTF8, true);
        return new FilePart(Kind.TAG, path.column(), path, field, new Storage.Spread(union), places, null, List.of());
    }

    /// Where a column of structs, or such a member of structs, is not NULL.
    static FilePart struct(FieldPath path, List<Integer> places) {
        Field field = new Field(Kind.STRUCT.of(path.toString()), DataType.BOOL, true);
        return new FilePart(Kind.STRUCT, path.column(), path, field, new Storage.Bits(), places, null, List.of());
    }

    /// A column of lists, or such a member, as JSON.
    ///
    /// @param path of the column or member
    static FilePart json(FieldPath path, Storage lists, JsonShape shape, List<Integer> places) {
        return new FilePart(
                Kind.JSON,
                path.column(),
                path,
                new Field(Kind.JSON.of(path.toString()), DataType.UTF8, true, PgType.JSON.formatName()),
                new Storage.Json(lists, shape),
                places,
                null,
                List.of());
    }

    /// How many elements lists have that are members of the elements of others.
    ///
    /// @param path of the member, whose places are those of its elements
    static FilePart cardinality(FieldPath path, List<Integer> places) {
        return new FilePart(
                Kind.CARDINALITY,
                path.column(),
                path,
                new Field(Kind.CARDINALITY.of(path.toString()), DataType.INT32, true),
                new Storage.Fixed(DataType.INT32),
                places,
                null,
                List.of());
    }

    /// The same as a field that may be wider.
    public FilePart as(Field wider) {
        return new FilePart(kind, root, path, wider, storage, places, lists, elementParts);
    }

    /// The same without its elements' members.
    public FilePart withoutElements() {
        return new FilePart(kind, root, path, field, storage, places, lists, List.of());
    }

    /// Whether lists that are members have elements of the same fields.
    public boolean hasElementsOf(FilePart other) {
        boolean isAlike = elementParts.size() == other.elementParts.size();
        for (int member = 0; isAlike && member < elementParts.size(); member++) {
            isAlike = elementParts.get(member).field.equals(other.elementParts.get(member).field)
                    && elementParts.get(member).hasElementsOf(other.elementParts.get(member));
        }
        return isAlike;
    }

    /// The values of a member in each list of structs.
    ///
    /// @param path of the member in the elements of the column that it names
    /// @param field its name is any
    static FilePart members(FieldPath path, Field field, Storage member, Lists lists, List<Integer> places) {
        PgType.Declared declared = PgType.Declared.of(field);
        String name = Kind.MEMBERS.of(path.toString());
        Optional<PgType> array = declared.other() == null ? declared.type().array() : Optional.empty();
        Field whole = new Field(
                name, DataType.UTF8, true, array.map(PgType::formatName).orElse(null));
        Storage storage = new Storage.Listed(member, lists.storage().offsetBytes(), Storage.ListForm.ARRAY);
        return new FilePart(
                Kind.MEMBERS,
                lists.root(),
                path,
                whole.withCollation(field.collation()),
                storage,
                places,
                lists,
                List.of());
    }

    /// Of which member of a table's lists of structs the column of that name has the values; null for another column.
    public static FieldPath ofMembers(String name) {
        String prefix = Kind.MEMBERS.prefix();
        return name.startsWith(prefix) && name.endsWith(")")
                ? FieldPath.parse(name.substring(prefix.length(), name.length() - 1))
                : null;
    }

    /// A part of each list.
    static FilePart ofLists(Kind kind, Lists lists, boolean isNullable) {
        return ofLists(kind, lists, lists.name(), isNullable, List.of());
    }

    /// A part of each list of the values of lists' members.
    static FilePart ofMembers(Kind kind, FilePart members) {
        return ofLists(kind, members.lists, members.field.name(), true, members.places);
    }

    private static FilePart ofLists(Kind kind, Lists lists, String column, boolean isNullable, List<Integer> places) {
        DataType type = kind == Kind.CARDINALITY ? DataType.INT32 : DataType.BINARY;
        Storage storage = kind == Kind.CARDINALITY ? new Storage.Fixed(type) : new Storage.Text(type, false);
        return new FilePart(
                kind,
                lists.root(),
                new FieldPath(column),
                new Field(kind.of(column), type, isNullable),
                storage,
                places,
                lists,
                List.of());
    }

    public boolean isMember() {
        return kind == Kind.MEMBER;
    }

    /// Whether it is of the members of structs in lists.
    public boolean isOfMembers() {
        return lists != null && !places.isEmpty();
    }
}
