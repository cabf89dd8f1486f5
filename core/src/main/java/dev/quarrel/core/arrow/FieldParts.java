package dev.quarrel.core.arrow;

import dev.quarrel.core.function.JsonForm;
import dev.quarrel.core.pg.FieldPath;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.OtherType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Finds what can be read of a struct or list field by itself.
final class FieldParts {
    private static final int RECORD = 2249;
    private static final int RECORDS = 2287;

    private final MetadataReader reader;
    private final boolean isExported;
    private final List<Field> known;

    /// What members are in, beside structs.
    ///
    /// @param isElement whether it is an element of lists
    private record Around(boolean isElement, boolean isUnion) {}

    /// @param metadata the field's own
    FieldParts(MetadataReader reader, Map<String, String> metadata) {
        this.reader = reader;
        this.isExported = metadata.containsKey("pg.oid");
        this.known = known(OtherTypeMetadata.field("", DataType.UTF8, true, new HashMap<>(metadata)));
    }

    /// The fields of a composite, or of an array's elements, that the file names with their types; none of others.
    private static List<Field> known(Field field) {
        return field == null || field.other() == null
                ? List.of()
                : field.other().fields();
    }

    /// The members of a struct or union, or what there is of lists.
    List<FilePart> of(org.apache.arrow.flatbuf.Field field, Storage storage, String name) {
        List<FilePart> parts = new ArrayList<>();
        addMembers(field, storage, known, new FieldPath(name), List.of(), new Around(false, false), parts);
        addOfLists(field, storage, known, new FieldPath(name), List.of(), parts);
        return List.copyOf(parts);
    }

    /// Adds what there is of lists.
    ///
    /// @param path of their column, or of the member of its structs that they are
    private void addOfLists(
            org.apache.arrow.flatbuf.Field field,
            Storage storage,
            List<Field> known,
            FieldPath path,
            List<Integer> places,
            List<FilePart> parts) {
        addJson(field, storage, path, places, parts);
        if (field.dictionary() != null
                || !(storage instanceof Storage.Listed listed)
                || !listed.form().isArray()) {
            return;
        }
        FilePart.Lists lists = new FilePart.Lists(path.column(), path.toString(), listed, places);
        boolean isNullable = field.nullable() || !places.isEmpty();
        List<FilePart> members = ofElements(field, storage, known);
        if (listed.element().isFlat() || !members.isEmpty()) {
            parts.add(FilePart.ofLists(FilePart.Kind.CARDINALITY, lists, isNullable));
        }
        for (FilePart.Kind kind : ofPacked(listed.element())) {
            parts.add(FilePart.ofLists(kind, lists, kind == FilePart.Kind.PRESENCE || isNullable));
        }
        for (FilePart member : members) {
            FieldPath values = new FieldPath(lists.name(), member.path().fields());
            FilePart all = FilePart.members(values, member.field(), member.storage(), lists, member.places());
            parts.add(all);
            ofPacked(member.storage()).forEach(kind -> parts.add(FilePart.ofMembers(kind, all)));
        }
    }

    /// What there is of lists whose elements lie one behind the other.
    private static List<FilePart.Kind> ofPacked(Storage element) {
        boolean isText = element instanceof Storage.Text(DataType _, boolean isLarge, PgType _) && !isLarge;
        return isText
                ? List.of(FilePart.Kind.PRESENCE, FilePart.Kind.ELEMENTS, FilePart.Kind.ENDS)
                : element instanceof Storage.Fixed(DataType type) && !(type instanceof DataType.Decimal)
                        ? List.of(FilePart.Kind.PRESENCE, FilePart.Kind.ELEMENTS)
                        : List.of();
    }

    /// The members of the structs in a list.
    List<FilePart> ofElements(org.apache.arrow.flatbuf.Field field, Storage storage) {
        return ofElements(field, storage, known);
    }

    private List<FilePart> ofElements(org.apache.arrow.flatbuf.Field field, Storage storage, List<Field> known) {
        List<FilePart> parts = new ArrayList<>();
        Storage element = storage.elements();
        if (field.dictionary() == null && element != null) {
            addMembers(
                    field.children(0),
                    element,
                    known,
                    new FieldPath(FileField.ELEMENT),
                    List.of(),
                    new Around(true, false),
                    parts);
        }
        return List.copyOf(parts);
    }

    /// Adds members that are the only ones of their name, and those of each. A union's are as a struct's, of which one
    /// is there.
    private void addMembers(
            org.apache.arrow.flatbuf.Field field,
            Storage storage,
            List<Field> known,
            FieldPath path,
            List<Integer> places,
            Around around,
            List<FilePart> parts) {
        List<String> names = storage.memberNames();
        List<Storage> members = storage.memberStorages();
        boolean isUnion = storage instanceof Storage.OneOf;
        if (field.dictionary() != null || around.isUnion() && isUnion) {
            return;
        }
        if (isUnion && !around.isElement()) {
            parts.add(FilePart.tag(path, (Storage.OneOf) storage, places));
        }
        if (!isUnion && !around.isElement() && !around.isUnion() && !members.isEmpty()) {
            parts.add(FilePart.struct(path, places));
        }
        for (int index = 0; index < members.size(); index++) {
            String name = names.get(index);
            if (name.isEmpty() || name.indexOf(0) >= 0 || Collections.frequency(names, name) > 1) {
                continue;
            }
            org.apache.arrow.flatbuf.Field child = field.children(index);
            Storage member = members.get(index);
            FieldPath own = path.child(name);
            List<Integer> ownPlaces = new ArrayList<>(places);
            ownPlaces.add(index);
            boolean isOfUnion = around.isUnion() || isUnion;
            Field told = known.stream()
                    .filter(each -> each.name().equals(name))
                    .findFirst()
                    .orElse(null);
            parts.add(FilePart.member(
                    own,
                    typed(own.toString(), child, member, told),
                    isOfUnion ? new Storage.Spread(member) : member,
                    ownPlaces,
                    isOfUnion ? List.of() : ofElements(child, member, known(told))));
            addMembers(child, member, known(told), own, ownPlaces, new Around(around.isElement(), isOfUnion), parts);
            if (!isOfUnion && !around.isElement()) {
                addOfLists(child, member, known(told), own, ownPlaces, parts);
            } else if (!isOfUnion) {
                addOfInnerLists(child, member, own, ownPlaces, parts);
            }
        }
    }

    /// Adds what there is of lists that are members of the elements of others, beside their own elements.
    private void addOfInnerLists(
            org.apache.arrow.flatbuf.Field field,
            Storage storage,
            FieldPath path,
            List<Integer> places,
            List<FilePart> parts) {
        addJson(field, storage, path, places, parts);
        if (field.dictionary() == null && !ofElements(field, storage).isEmpty()) {
            parts.add(FilePart.cardinality(path, places));
        }
    }

    private void addJson(
            org.apache.arrow.flatbuf.Field field,
            Storage storage,
            FieldPath path,
            List<Integer> places,
            List<FilePart> parts) {
        boolean isLists = storage instanceof Storage.Listed || storage instanceof Storage.ListedViews;
        if (!isLists || field.dictionary() != null) {
            return;
        }
        JsonShape shape = json(field, storage);
        if (shape.isOwn()) {
            parts.add(FilePart.json(path, storage, shape, places));
        }
    }

    private JsonShape json(org.apache.arrow.flatbuf.Field field, Storage storage) {
        List<Storage> members = storage.memberStorages();
        Storage element = JsonShape.elements(storage);
        if (field.dictionary() != null || element == null && members.isEmpty()) {
            return value(field, storage);
        }
        if (element == null) {
            List<JsonShape> shapes = new ArrayList<>();
            for (int member = 0; member < members.size(); member++) {
                shapes.add(json(field.children(member), members.get(member)));
            }
            return new JsonShape.Members(storage.memberNames(), shapes);
        }
        if (storage instanceof Storage.Listed(Storage _, int _, Storage.ListForm form)
                && form == Storage.ListForm.MAP) {
            org.apache.arrow.flatbuf.Field pair = field.children(0);
            return new JsonShape.Pairs(
                    value(pair.children(0), element.memberStorages().getFirst()),
                    json(pair.children(1), element.memberStorages().getLast()));
        }
        return new JsonShape.Elements(json(field.children(0), element));
    }

    private JsonShape.Value value(org.apache.arrow.flatbuf.Field field, Storage storage) {
        PgType type = PgType.Declared.of(typed("", field, storage, null)).type();
        return new JsonShape.Value(type == PgType.JSON || type == PgType.JSONB ? null : JsonForm.of(type));
    }

    /// What an exported composite holds and is no value of Quarrel's is one that only shows and hands on.
    ///
    /// @param told what the file says of the member; null for nothing
    private Field typed(String name, org.apache.arrow.flatbuf.Field field, Storage storage, Field told) {
        Field typed = MetadataReader.typed(name, field, storage, reader.metadata(field));
        boolean isHeldSo = told != null
                && (told.type().equals(typed.type())
                        || told.type() instanceof DataType.Numeric && typed.type() instanceof DataType.Utf8);
        if (isHeldSo) {
            return new Field(name, typed.type(), true, told.pgType(), told.other(), told.collation());
        }
        boolean isRow = storage instanceof Storage.Structured(var _, var _, boolean isRange) && !isRange;
        boolean isRows = storage instanceof Storage.Listed(Storage element, int _, Storage.ListForm _)
                && element instanceof Storage.Structured;
        if (!isExported || typed.other() != null || !isRow && !isRows) {
            return typed.withNullable(true);
        }
        boolean isStyled = isStyled(storage);
        return new Field(
                name,
                true,
                isRow
                        ? new OtherType(RECORD, "record", List.of(), isStyled, true)
                        : new OtherType(RECORDS, "record[]", List.of(), isStyled, false));
    }

    /// Whether its text holds what sessions show in their own ways.
    private static boolean isStyled(Storage storage) {
        return switch (storage) {
            case Storage.Structured(var _, List<Storage> members, boolean _) ->
                members.stream().anyMatch(FieldParts::isStyled);
            case Storage.Listed(Storage element, int _, Storage.ListForm _) -> isStyled(element);
            default ->
                storage.type() instanceof DataType.Timestamp(boolean withZone) && withZone
                        || storage.type() instanceof DataType.Interval
                        || storage.type() instanceof DataType.Binary;
        };
    }
}
