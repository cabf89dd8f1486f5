package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.NestedType;
import dev.quarrel.core.arrow.Storage;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Looks whether files that are added to a table have lists and structs as its files have them. What differs would be
/// an error of all who ask for a field, or for elements, of any row; but that structs may have more members than those
/// of other files, and fewer, and integers may be of another width.
///
/// Arrays of values may be texts in some files and lists in others: elements are looked for in the texts then.
public final class AppendedForms {
    /// So many files, the newest of a table, tell of what types its lists and structs are.
    private static final int ASKED_FILES = 16;

    private final Path root;
    private final Manifest.TableEntry table;

    AppendedForms(Path root, Manifest.TableEntry table) {
        this.root = root;
        this.table = table;
    }

    /// The types of lists and structs that a table's newest files have, with the members of all of these; none
    /// for those that are had as texts alone.
    ///
    /// - Errors: those of a file that cannot be read.
    ///
    /// @param root the dataset's folder
    public static Map<String, NestedType> known(Path root, Manifest.TableEntry table) {
        Map<String, NestedType> known = new HashMap<>();
        table.files().reversed().stream().limit(ASKED_FILES).forEach(entry -> {
            try (ArrowFile file = ArrowFile.openRun(root.resolve(entry.path()), entry.bytes())) {
                for (Field field : table.fields()) {
                    int column = file.columnIndex(field.name());
                    NestedType type = column < 0 ? null : file.nestedType(column);
                    if (type != null) {
                        known.merge(field.name(), type, AppendedForms::both);
                    }
                }
            }
        });
        return known;
    }

    private static NestedType both(NestedType newer, NestedType older) {
        return switch (newer) {
            case NestedType.Array(NestedType element, int dimensions)
            when older instanceof NestedType.Array(NestedType other, int same) && same == dimensions ->
                new NestedType.Array(both(element, other), dimensions);
            case NestedType.Composite composite
            when older instanceof NestedType.Composite other -> {
                List<NestedType.Member> members = new ArrayList<>();
                for (NestedType.Member member : composite.members()) {
                    NestedType before = other.member(member.name());
                    members.add(
                            before == null
                                    ? member
                                    : new NestedType.Member(member.name(), both(member.type(), before)));
                }
                other.members().stream()
                        .filter(member -> composite.member(member.name()) == null)
                        .forEach(members::add);
                yield new NestedType.Composite(members);
            }
            default -> newer;
        };
    }

    /// - Errors: `QueryException` 42804 naming the column; those of a file that cannot be read.
    ///
    /// @param nested what is written as lists and structs, by name
    void check(List<Field> fields, Map<String, NestedType> nested) {
        Map<String, Field> wanted = new HashMap<>();
        for (Field old : table.fields()) {
            if (old.type() instanceof DataType.Utf8) {
                fields.stream()
                        .filter(field -> field.name().equals(old.name()))
                        .forEach(field -> wanted.put(field.name(), field));
            }
        }
        for (Manifest.FileEntry entry : table.files().reversed()) {
            if (wanted.isEmpty()) {
                return;
            }
            try (ArrowFile file = ArrowFile.openRun(root.resolve(entry.path()), entry.bytes())) {
                wanted.values().removeIf(field -> {
                    int column = file.columnIndex(field.name());
                    if (column >= 0) {
                        check(field, nested.get(field.name()), file.field(column), file.storage(column));
                    }
                    return column >= 0;
                });
            }
        }
    }

    private void check(Field field, NestedType added, Field old, Storage storage) {
        NestedType known = form(storage);
        boolean isFlat = known instanceof NestedType.Leaf;
        if (added == null && (isFlat || known == null)) {
            return;
        }
        boolean isSame = added != null && !isFlat
                ? known != null && fits(plain(added), known)
                : isArray(added == null ? known : added) && Objects.equals(field.pgType(), old.pgType());
        if (!isSame) {
            throw new QueryException(
                            SqlState.DATATYPE_MISMATCH,
                            "column \"" + field.name() + "\" of table \"" + table.name() + "\" is "
                                    + storage.describe() + " in \"" + root
                                    + "\", and the rows to append have it in another form")
                    .withHint("replace the table, or append files whose lists and structs are of the same types");
        }
    }

    private static boolean fits(NestedType added, NestedType known) {
        return added.equals(known)
                || switch (added) {
                    case NestedType.Leaf(PgType _, DataType type) ->
                        known instanceof NestedType.Leaf(PgType _, DataType other)
                                && isInteger(type)
                                && isInteger(other);
                    case NestedType.Array(NestedType element, int _) ->
                        known instanceof NestedType.Array(NestedType other, int _) && fits(element, other);
                    case NestedType.Composite composite ->
                        known instanceof NestedType.Composite other && areAlike(composite, other);
                    default -> false;
                };
    }

    private static boolean areAlike(NestedType.Composite added, NestedType.Composite known) {
        return hasNames(added)
                && hasNames(known)
                && added.members().stream().allMatch(member -> {
                    NestedType before = known.member(member.name());
                    return before == null || fits(member.type(), before);
                });
    }

    /// Whether its members are known by their names.
    private static boolean hasNames(NestedType.Composite structs) {
        return structs.members().stream().allMatch(member -> structs.member(member.name()) != null);
    }

    private static boolean isInteger(DataType type) {
        return type instanceof DataType.Int16 || type instanceof DataType.Int32 || type instanceof DataType.Int64;
    }

    private static boolean isArray(NestedType type) {
        return type instanceof NestedType.Array(NestedType element, int _)
                && (element instanceof NestedType.Leaf || isArray(element));
    }

    /// The type of which a file's column is, with maps as lists of their entries; null for what files of others have.
    private static NestedType form(Storage storage) {
        return switch (storage) {
            case Storage.Listed(Storage element, int offsetBytes, Storage.ListForm form)
            when offsetBytes == 4 && (form.isArray() || form == Storage.ListForm.DIMENSIONS) -> {
                NestedType of = form(element);
                yield of == null ? null : new NestedType.Array(of, 1);
            }
            case Storage.Structured(List<String> names, List<Storage> members, boolean isRange)
            when !isRange -> {
                List<NestedType.Member> all = new ArrayList<>();
                for (int member = 0; member < names.size(); member++) {
                    NestedType of = form(members.get(member));
                    if (of == null) {
                        yield null;
                    }
                    all.add(new NestedType.Member(names.get(member), of));
                }
                yield new NestedType.Composite(all);
            }
            case Storage.Listed _,
                    Storage.ListedViews _,
                    Storage.Structured _,
                    Storage.OneOf _,
                    Storage.HexBytes _,
                    Storage.UnscaledAndScale _,
                    Storage.Spread _,
                    Storage.Json _,
                    Storage.AllNull _,
                    Storage.Unreadable _ -> null;
            case Storage.Text text -> leaf(text.holds(), text.type());
            default -> leaf(PgType.TEXT, storage.type());
        };
    }

    private static NestedType leaf(PgType holds, DataType type) {
        boolean isDocument = holds == PgType.JSON || holds == PgType.JSONB;
        return new NestedType.Leaf(isDocument ? holds : PgType.of(type), type);
    }

    private static NestedType plain(NestedType type) {
        return switch (type) {
            case NestedType.Leaf(PgType holds, DataType dataType) -> leaf(holds, dataType);
            case NestedType.Array(NestedType element, int dimensions) ->
                new NestedType.Array(
                        dimensions == 1 ? plain(element) : plain(new NestedType.Array(element, dimensions - 1)), 1);
            case NestedType.Composite(List<NestedType.Member> members) ->
                new NestedType.Composite(members.stream()
                        .map(member -> new NestedType.Member(member.name(), plain(member.type())))
                        .toList());
            case NestedType.Pairs(NestedType key, NestedType value) ->
                new NestedType.Array(
                        new NestedType.Composite(List.of(
                                new NestedType.Member("key", plain(key)),
                                new NestedType.Member("value", plain(value)))),
                        1);
            case NestedType.Range _,
                    NestedType.Multirange _,
                    NestedType.Vector _,
                    NestedType.Hstore _,
                    NestedType.Hex _ -> type;
        };
    }
}
