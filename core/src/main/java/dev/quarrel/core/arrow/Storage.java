package dev.quarrel.core.arrow;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/// The way in which the values of one field lie in a file, and the type that they have in Quarrel.
public sealed interface Storage {
    DataType type();

    /// How Arrow names it, with what we make of it where that differs.
    default String describe() {
        return switch (this) {
            case Fixed(DataType type) -> type.toString();
            case Widened(Widening widening, DataType type) -> widening.name().toLowerCase(Locale.ROOT) + " as " + type;
            case Bits _ -> "bool";
            case Text(DataType type, boolean largeOffsets, PgType _) ->
                largeOffsets ? "large_" + type : type.toString();
            case TextViews(DataType type) -> type + "_view";
            case FixedBytes(int width) -> "fixed_size_binary(" + width + ") as binary";
            case Coded(DataType type, long dictionaryId, int codeBytes) ->
                (type instanceof DataType.Utf8 ? "" : type + " ") + "dictionary " + dictionaryId + ", int"
                        + 8 * codeBytes + " codes";
            case AllNull _ -> "null";
            case Listed(Storage element, int _, ListForm _) -> "list of " + element.describe();
            case ListedViews(Storage element, int _) -> "list view of " + element.describe();
            case Runs(int endBytes, Storage values) ->
                "runs of " + values.describe() + ", int" + 8 * endBytes + " ends";
            case Gathered(Storage values, long dictionaryId, int codeBytes) ->
                values.describe() + " dictionary " + dictionaryId + ", int" + 8 * codeBytes + " codes";
            case OneOf(List<String> names, List<Storage> members, List<Integer> _, boolean isDense) -> {
                StringJoiner text = new StringJoiner(", ", isDense ? "dense union(" : "union(", ")");
                for (int member = 0; member < names.size(); member++) {
                    text.add(names.get(member) + " " + members.get(member).describe());
                }
                yield text.toString();
            }
            case Spread(Storage values) -> values.describe() + " of a union";
            case Json(Storage values, JsonShape _) -> values.describe() + " as JSON";
            case HexBytes _ -> "binary as hexadecimal";
            case Structured(List<String> names, List<Storage> members, boolean isRange) -> {
                StringJoiner text = new StringJoiner(", ", isRange ? "range(" : "struct(", ")");
                for (int member = 0; member < names.size(); member++) {
                    text.add(names.get(member) + " " + members.get(member).describe());
                }
                yield text.toString();
            }
            case UnscaledAndScale _ -> "struct(unscaled decimal(38,0), scale int16) as numeric";
            case Unreadable(String arrowType) -> arrowType + " (cannot be read)";
        };
    }

    /// How the elements of lists lie that can be read one by one; null for what is no such list.
    default Storage elements() {
        return switch (this) {
            case Listed(Storage element, int _, ListForm form) -> form.isArray() ? element : null;
            case ListedViews(Storage element, int _) -> element;
            default -> null;
        };
    }

    /// The members of a struct or union; none of what has no fields.
    default List<String> memberNames() {
        return switch (this) {
            case Structured(List<String> names, List<Storage> _, boolean isRange) -> isRange ? List.of() : names;
            case OneOf(List<String> names, List<Storage> _, List<Integer> _, boolean _) -> names;
            default -> List.of();
        };
    }

    /// How the members of [#memberNames] lie.
    default List<Storage> memberStorages() {
        return switch (this) {
            case Structured(List<String> _, List<Storage> members, boolean isRange) -> isRange ? List.of() : members;
            case OneOf(List<String> _, List<Storage> members, List<Integer> _, boolean _) -> members;
            default -> List.of();
        };
    }

    /// Buffers of a column or member of it, without the data buffers of views.
    default int bufferCount() {
        return switch (this) {
            case Fixed _, Widened _, Bits _, FixedBytes _, Coded _, Gathered _, TextViews _ -> 2;
            case Text _, HexBytes _ -> 3;
            case AllNull _, Unreadable _ -> 0;
            case UnscaledAndScale _ -> 5;
            case Listed(Storage element, int offsetBytes, ListForm _) ->
                (offsetBytes <= 0 ? 1 : 2) + element.bufferCount();
            case ListedViews(Storage element, int _) -> 3 + element.bufferCount();
            case Runs(int _, Storage values) -> 2 + values.bufferCount();
            case Spread(Storage values) -> values.bufferCount();
            case Json(Storage values, JsonShape _) -> values.bufferCount();
            case OneOf(List<String> _, List<Storage> members, List<Integer> _, boolean isDense) ->
                (isDense ? 2 : 1)
                        + members.stream().mapToInt(Storage::bufferCount).sum();
            case Structured(List<String> _, List<Storage> members, boolean _) ->
                1 + members.stream().mapToInt(Storage::bufferCount).sum();
        };
    }

    /// Whether its values are no lists, structs or unions.
    default boolean isFlat() {
        return switch (this) {
            case Listed _, ListedViews _, Structured _, OneOf _, AllNull _, Unreadable _ -> false;
            case Runs(int _, Storage values) -> values.isFlat();
            case Spread(Storage values) -> values.isFlat();
            case Json _ -> true;
            case Gathered(Storage values, long _, int _) -> values.isFlat();
            case Fixed _,
                    Widened _,
                    Bits _,
                    Text _,
                    TextViews _,
                    FixedBytes _,
                    Coded _,
                    HexBytes _,
                    UnscaledAndScale _ -> true;
        };
    }

    /// Whether its buffers grow with its rows, so that a file cannot say to have more rows than it has bytes for.
    default boolean isBounded() {
        return switch (this) {
            case Fixed _,
                    Widened _,
                    Bits _,
                    Text _,
                    TextViews _,
                    HexBytes _,
                    Coded _,
                    Gathered _,
                    ListedViews _,
                    OneOf _,
                    UnscaledAndScale _ -> true;
            case FixedBytes(int width) -> width > 0;
            case Listed(Storage element, int offsetBytes, ListForm _) -> offsetBytes > 0 || element.isBounded();
            case Spread(Storage values) -> values.isBounded();
            case Json(Storage values, JsonShape _) -> values.isBounded();
            case Structured(List<String> _, List<Storage> members, boolean _) ->
                members.stream().anyMatch(Storage::isBounded);
            case AllNull _, Runs _, Unreadable _ -> false;
        };
    }

    /// How many columns of views there are in it, each of which has data buffers besides.
    default int viewCount() {
        return switch (this) {
            case TextViews _ -> 1;
            case Listed(Storage element, int _, ListForm _) -> element.viewCount();
            case ListedViews(Storage element, int _) -> element.viewCount();
            case Runs(int _, Storage values) -> values.viewCount();
            case Spread(Storage values) -> values.viewCount();
            case Json(Storage values, JsonShape _) -> values.viewCount();
            case OneOf(List<String> _, List<Storage> members, List<Integer> _, boolean _) ->
                members.stream().mapToInt(Storage::viewCount).sum();
            case Structured(List<String> _, List<Storage> members, boolean _) ->
                members.stream().mapToInt(Storage::viewCount).sum();
            case Fixed _,
                    Widened _,
                    Bits _,
                    FixedBytes _,
                    Coded _,
                    Gathered _,
                    Text _,
                    AllNull _,
                    Unreadable _,
                    HexBytes _,
                    UnscaledAndScale _ -> 0;
        };
    }

    /// Values of `type.byteWidth()` bytes, as a [dev.quarrel.core.column.FixedColumn] has them: read in place.
    record Fixed(DataType type) implements Storage {}

    /// Values of another width or unit, copied when they are read.
    record Widened(Widening widening, DataType type) implements Storage {}

    record Bits() implements Storage {
        @Override
        public DataType type() {
            return DataType.BOOL;
        }
    }

    /// Text or bytes, with offsets of 4 bytes or of 8.
    ///
    /// @param holds what they are by the field's metadata: JSON, JSONB, or the type's own
    record Text(DataType type, boolean largeOffsets, PgType holds) implements Storage {
        Text(DataType type, boolean largeOffsets) {
            this(type, largeOffsets, PgType.of(type));
        }
    }

    /// Text or bytes as 16-byte views into several data buffers, copied when it is read.
    record TextViews(DataType type) implements Storage {}

    /// Bytes of one length, read in place; only their offsets are made.
    record FixedBytes(int width) implements Storage {
        @Override
        public DataType type() {
            return DataType.BINARY;
        }
    }

    /// Text or bytes as codes into the file's dictionary `dictionaryId`.
    ///
    /// @param codeBytes 1, 2, 4, or 8 (narrowed when read)
    record Coded(DataType type, long dictionaryId, int codeBytes) implements Storage {}

    /// Values other than texts as codes into the file's dictionary `dictionaryId`, copied when they are read.
    record Gathered(Storage values, long dictionaryId, int codeBytes) implements Storage {
        @Override
        public DataType type() {
            return values.type();
        }
    }

    /// Runs of equal values, which end before these rows; copied when they are read.
    ///
    /// @param endBytes 2, 4 or 8
    record Runs(int endBytes, Storage values) implements Storage {
        @Override
        public DataType type() {
            return values.type();
        }
    }

    /// A union, whose text is made when it is read: that of a row of its members, of which one is there.
    ///
    /// @param typeIds one a member
    /// @param isDense whether each row says where its value is
    record OneOf(List<String> names, List<Storage> members, List<Integer> typeIds, boolean isDense) implements Storage {
        public OneOf {
            names = List.copyOf(names);
            members = List.copyOf(members);
            typeIds = List.copyOf(typeIds);
        }

        @Override
        public DataType type() {
            return DataType.UTF8;
        }
    }

    /// A member of a union as a column of its own ([FilePart]), or what that has: copied to the rows that it is of when
    /// it is read.
    record Spread(Storage values) implements Storage {
        @Override
        public DataType type() {
            return values.type();
        }
    }

    /// Lists with structs or maps as JSON ([FilePart]), which is made when they are read.
    ///
    /// @param values as they lie in the file
    record Json(Storage values, JsonShape shape) implements Storage {
        @Override
        public DataType type() {
            return DataType.UTF8;
        }
    }

    /// Lists that lie in any order, whose text is made when they are read.
    ///
    /// @param offsetBytes 4 or 8
    record ListedViews(Storage element, int offsetBytes) implements Storage {
        @Override
        public DataType type() {
            return DataType.UTF8;
        }
    }

    /// The form in which the text of a list is written.
    enum ListForm {
        /// In braces, with quotes around elements that need them.
        ARRAY,
        /// The same of a map's entries.
        MAP,
        /// In braces, elements as they are: the array's next dimension.
        DIMENSIONS,
        /// In braces, elements as they are: a multirange.
        RANGES,
        /// In brackets.
        VECTOR,
        /// Keys and values.
        HSTORE;

        public boolean isArray() {
            return this == ARRAY || this == MAP;
        }

        /// Whether the elements' structs have a [MemberOrder].
        boolean hasOrder() {
            return this == ARRAY || this == DIMENSIONS;
        }
    }

    /// Bytes, whose text is hexadecimal and made when they are read.
    record HexBytes() implements Storage {
        @Override
        public DataType type() {
            return DataType.UTF8;
        }
    }

    /// Lists, whose text is made when they are read.
    ///
    /// @param offsetBytes 4 or 8; or -n for lists of n elements each, which have no offsets
    record Listed(Storage element, int offsetBytes, ListForm form) implements Storage {
        @Override
        public DataType type() {
            return DataType.UTF8;
        }
    }

    /// Structs, whose text is made when they are read: a composite's, or a range's.
    ///
    /// @param isRange whether the members are those of [NestedType.Range]
    record Structured(List<String> names, List<Storage> members, boolean isRange) implements Storage {
        public Structured {
            names = List.copyOf(names);
            members = List.copyOf(members);
        }

        @Override
        public DataType type() {
            return DataType.UTF8;
        }
    }

    /// A `numeric` without a declared scale: a struct of its digits and its scale, copied when it is read.
    record UnscaledAndScale() implements Storage {
        @Override
        public DataType type() {
            return DataType.NUMERIC;
        }
    }

    /// Arrow's Null type: no buffers, every row is NULL.
    record AllNull() implements Storage {
        @Override
        public DataType type() {
            return DataType.UTF8;
        }
    }

    /// A type that cannot be read; the field is shown as text, and reading it is the error.
    record Unreadable(String arrowType) implements Storage {
        @Override
        public DataType type() {
            return DataType.UTF8;
        }
    }
}
